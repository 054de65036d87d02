//! The choices that leave the fewest operations, by counting.
//!
//! Frames and parameters can be chosen in several ways of which none is always best. One choice
//! after the other is tried, and kept if the operations that are left after tracing become fewer:
//! of the whole robot, or, where it is large, of the part in which the choice shows.

use super::CanonicalModel;
use super::base_parameters::Regrouping;
use super::elementary::{ElementaryJoint, Mobility};
use super::frames::{Choice, Split};
use super::window;
use featherline::Model;

/// How often all choices are reconsidered at most.
const SWEEPS: usize = 2;

/// The best form so far and what it costs.
pub(super) struct Search<'a, Cost> {
    model: &'a Model,
    tree: &'a [ElementaryJoint],
    /// Whether a choice shows only nearby, and is judged there.
    by_parts: bool,
    cost: Cost,
    choices: Vec<Choice>,
    best: CanonicalModel,
    least: u64,
}

impl<'a, Cost: Fn(&CanonicalModel) -> Option<u64>> Search<'a, Cost> {
    /// Begins with the best of the ways to regroup all parameters alike. `cost` counts, and has
    /// nothing to say where the form does not serve: then there is nothing to search. `is_local`
    /// says that what a body costs depends on those nearby, as in recursions; large robots are then
    /// judged by parts.
    pub fn begin(
        model: &'a Model,
        tree: &'a [ElementaryJoint],
        is_local: bool,
        cost: Cost,
    ) -> Option<Self> {
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
            by_parts: is_local && window::is_large(tree.len()),
            cost,
            choices,
            best,
            least,
        })
    }

    /// The cost of the best form.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// How many times a body is considered at most.
    pub fn steps(&self) -> usize {
        SWEEPS * (self.tree.len() - 1)
    }

    /// Reconsiders the choices of each body until nothing gets better; `considered` hears of each
    /// time.
    pub fn finish(mut self, mut considered: impl FnMut()) -> CanonicalModel {
        let mut children = vec![0; self.tree.len()];
        for joint in &self.tree[1..] {
            children[joint.parent] += 1;
        }
        for _ in 0..SWEEPS {
            let before = (self.least, self.best.clone());
            for i in (1..self.tree.len()).rev() {
                let part = self.by_parts.then(|| window::around(&self.best.bodies, i));
                let mut least = self.count(&self.best, part.as_deref());
                for alternative in alternatives(&self.tree[i], children[i], self.choices[i]) {
                    self.consider(i, alternative, part.as_deref(), &mut least);
                }
                considered();
            }
            self.least = (self.cost)(&self.best).unwrap_or(u64::MAX);
            if self.least >= before.0 {
                // Parts may have promised what the whole does not keep.
                (self.least, self.best) = before;
                break;
            }
        }
        self.best
    }

    /// The cost of a form, or of a part of it.
    fn count(&self, form: &CanonicalModel, part: Option<&[usize]>) -> Option<u64> {
        match part {
            None => (self.cost)(form),
            Some(bodies) => (self.cost)(&form.part(bodies)),
        }
    }

    fn consider(
        &mut self,
        i: usize,
        alternative: Choice,
        part: Option<&[usize]>,
        least: &mut Option<u64>,
    ) {
        let kept = std::mem::replace(&mut self.choices[i], alternative);
        let candidate = CanonicalModel::with_choices(self.model, self.tree, &self.choices);
        let count = (candidate.bodies != self.best.bodies)
            .then(|| self.count(&candidate, part))
            .flatten();
        if count.is_some() && count < *least {
            (self.best, *least) = (candidate, count);
        } else {
            self.choices[i] = kept;
        }
    }
}

/// The other choices for a body.
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

#[cfg(test)]
mod tests {
    use super::super::elementary::elementary_joints;
    use super::*;
    use crate::{Graph, Trace};
    use featherline::samples::{RandomTree, random_tree, snake, tapered_chain};

    /// The operations of inverse dynamics.
    fn operations(form: &CanonicalModel) -> Option<u64> {
        let graph = Graph::record(form.nq + 2 * form.nv, |x: &[Trace]| {
            let (q, rest) = x.split_at(form.nq);
            let (v, a) = rest.split_at(form.nv);
            form.inverse_dynamics(q, v, a)
        });
        Some(graph.count().total())
    }

    #[test]
    fn parts_lead_to_the_choices_that_the_whole_leads_to() {
        let shape = RandomTree {
            joints: 66,
            every_kind: false,
            ..RandomTree::default()
        };
        for model in [snake(66), random_tree(2, &shape)] {
            let tree = elementary_joints(&model).expect("simple joints");
            let [by_parts, whole] = [true, false].map(|is_local| {
                let search = Search::begin(&model, &tree, is_local, operations).expect("counted");
                let alike = search.least();
                let found = operations(&search.finish(|| ())).expect("counted");
                assert!(found <= alike, "{}", model.name());
                found
            });
            assert_eq!(by_parts, whole, "{}", model.name());
        }
    }

    #[test]
    fn parts_of_a_mass_matrix_tell_as_much_as_the_whole() {
        let shape = RandomTree {
            joints: 24,
            branching: 0.1,
            every_kind: false,
            mimic_joints: false,
            floating: false,
        };
        for model in [tapered_chain(16), random_tree(3, &shape)] {
            let tree = elementary_joints(&model).expect("joints that have a form");
            let cost = |form: &CanonicalModel| {
                let entries = |q: &[_]| form.mass_matrix(q).as_slice().to_vec();
                Some(Graph::record(form.nq, entries).count().total())
            };
            let [whole, parts] = [false, true].map(|by_parts| {
                let search = Search::begin(&model, &tree, true, cost).expect("a form");
                let form = Search { by_parts, ..search }.finish(|| ());
                cost(&form)
            });
            assert!(whole.is_some());
            assert_eq!(parts, whole, "{}", model.name());
        }
    }
}
