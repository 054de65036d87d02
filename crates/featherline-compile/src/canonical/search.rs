//! The choices that leave the fewest operations, by counting.
//!
//! Frames and parameters can be chosen in several ways of which none is always best. One choice after the other is tried, and
//! kept if the operations that are left after tracing and simplification become fewer.

use super::CanonicalModel;
use super::base_parameters::Regrouping;
use super::elementary::{ElementaryJoint, Mobility};
use super::frames::{Choice, Split};
use featherline::Model;

/// How often all choices are reconsidered at most.
const SWEEPS: usize = 2;

/// The best form so far and what it costs.
pub(super) struct Search<'a, Cost> {
    model: &'a Model,
    tree: &'a [ElementaryJoint],
    cost: Cost,
    choices: Vec<Choice>,
    best: CanonicalModel,
    least: u64,
}

impl<'a, Cost: Fn(&CanonicalModel) -> Option<u64>> Search<'a, Cost> {
    /// Begins with the best of the ways to regroup all parameters alike. `cost` counts, and has nothing to say where the form
    /// does not serve: then there is nothing to search.
    pub fn begin(model: &'a Model, tree: &'a [ElementaryJoint], cost: Cost) -> Option<Self> {
        let alike = Regrouping::ALL.map(|regrouping| {
            let choice = Choice {
                regrouping,
                ..Choice::default()
            };
            let choices = vec![choice; tree.len()];
            let form = CanonicalModel::with_choices(model, tree, &choices);
            let count = cost(&form)?;
            Some((count, choices, form))
        });
        let (least, choices, best) = alike.into_iter().flatten().min_by_key(|found| found.0)?;
        Some(Self {
            model,
            tree,
            cost,
            choices,
            best,
            least,
        })
    }

    /// What the best form costs.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Reconsiders the choices of each body until nothing gets better.
    pub fn finish(mut self) -> CanonicalModel {
        let mut children = vec![0; self.tree.len()];
        for joint in &self.tree[1..] {
            children[joint.parent] += 1;
        }
        for _ in 0..SWEEPS {
            let before = self.least;
            for i in (1..self.tree.len()).rev() {
                for alternative in alternatives(&self.tree[i], children[i], self.choices[i]) {
                    self.consider(i, alternative);
                }
            }
            if self.least == before {
                break;
            }
        }
        self.best
    }

    fn consider(&mut self, i: usize, alternative: Choice) {
        let kept = std::mem::replace(&mut self.choices[i], alternative);
        let candidate = CanonicalModel::with_choices(self.model, self.tree, &self.choices);
        let count = (candidate.bodies != self.best.bodies)
            .then(|| (self.cost)(&candidate))
            .flatten();
        match count {
            Some(count) if count < self.least => (self.best, self.least) = (candidate, count),
            _ => self.choices[i] = kept,
        }
    }
}

/// What else may be chosen for a body.
fn alternatives(joint: &ElementaryJoint, children: usize, choice: Choice) -> Vec<Choice> {
    let mut all = Vec::new();
    if matches!(joint.mobility, Mobility::Revolute(..)) && joint.parent != 0 {
        all.extend(Regrouping::ALL.map(|regrouping| Choice {
            regrouping,
            ..choice
        }));
    }
    if joint.parent != 0 {
        let split = [
            Split::Straight,
            Split::Component(0),
            Split::Component(1),
            Split::Component(2),
        ];
        all.extend(split.map(|split| Choice {
            split: Some(split),
            ..choice
        }));
    }
    if children > 1 {
        all.extend((0..children).map(|main| Choice { main, ..choice }));
    }
    all
}
