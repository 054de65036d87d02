//! Proximal regularisation of a matrix that redundant constraints and massless bodies leave
//! singular.
//!
//! The last of some redundant constraints would find pivots of zero. So each constraint yields more
//! than it does, by a small part of what the bodies that are eliminated before it let it yield,
//! with all that hangs on them: −C A⁻¹ Cᵀ of a body becomes −(1 + ε) C A⁻¹ Cᵀ. Such a matrix can be
//! factorised in any order (R. J. Vanderbei, "Symmetric quasidefinite matrices", SIAM J.
//! Optimization 5, 1995), and a solution is corrected by what it misses in the matrix as it is, as
//! proximal steps do (J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of
//! constrained dynamic equations", RSS 2021). A correction leaves ε of a joint's share, in whatever
//! units and however long the chain behind it: a part of what bodies yield on their own would grow
//! with the square of its length.
//!
//! A massless body is given a part of the inertia of the bodies that joints tie to it, or of the
//! nearest ones beyond others without mass. How far it lets joints yield has no meaning, and
//! constraints on it yield as they would by a body of that inertia. A typical one of the whole
//! robot may be a million times heavier: constraints on the light ones would not yield by more than
//! rounding. Nor may the part be as small as that of constraints: what the massless body lets them
//! yield hides what others do, by as many digits.

use super::Constraint;
use super::pattern::Pattern;
use crate::maximal::block::{Block, Row};

/// The kind of node that a row of blocks belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Body,
    Massless,
    Constraint,
}

/// The proximal terms that regularise a matrix while it is factorised.
#[derive(Clone, Debug)]
pub(crate) struct Proximal {
    part: f64,
    node: Vec<Node>,
    /// By place of massless bodies and of constraints on them: the mass and the moment of inertia
    /// that count there, in kg and kg·m².
    substitute: Vec<Option<[f64; 2]>>,
    /// The terms added to the diagonal, by row of blocks.
    shift: Vec<Row>,
}

impl Proximal {
    /// For the nodes of a pattern: bodies with their inertias, and constraints, which yield more by
    /// a part. Massless bodies are given another one of what is beside them, or of what `all` of
    /// the robot have where that has no mass either.
    pub fn new<'a>(
        [part, massless]: [f64; 2],
        pattern: &Pattern,
        inertias: &[Block],
        constraints: &[Constraint],
        all: impl Iterator<Item = &'a Block>,
    ) -> Self {
        let nodes = pattern.nodes();
        let mut proximal = Self {
            part,
            node: vec![Node::Constraint; nodes],
            substitute: vec![None; nodes],
            shift: vec![[0.0; 8]; nodes],
        };
        let known = substitutes(inertias, constraints, all);
        for (body, known) in known.iter().enumerate() {
            let place = pattern.position(body);
            proximal.node[place] = Node::Body;
            proximal.substitute[place] = *known;
            if let Some([mass, moment]) = known {
                proximal.node[place] = Node::Massless;
                let [m, i] = [massless * mass, massless * moment];
                proximal.shift[place] = [m, m, m, i, i, i, 0.0, 0.0];
            }
        }
        for (c, constraint) in constraints.iter().enumerate() {
            let known = constraint.bodies.iter().filter_map(|&body| known[body]);
            proximal.substitute[pattern.position(inertias.len() + c)] = known.reduce(lighter);
        }
        proximal
    }

    /// Whether a body without mass stands at a place.
    pub fn is_massless(&self, place: usize) -> bool {
        self.node[place] == Node::Massless
    }

    /// Lets a constraint yield to its `r`-th force, if it is one on a massless body.
    #[inline(always)]
    pub fn let_yield(&mut self, place: usize, r: usize, force: &[f64]) {
        let Some([m, i]) = self.substitute[place] else {
            return;
        };
        let square = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
        let yielding = square(&force[..3]) / m + square(&force[3..6]) / i;
        self.shift[place][r] = -self.part * yielding;
    }

    /// The terms added to the diagonal in a row of blocks.
    #[inline(always)]
    pub fn shift(&self, place: usize) -> &Row {
        &self.shift[place]
    }

    /// The factor on what the elimination of a row of blocks contributes to a later one: 1 + ε for
    /// a body's contribution to a constraint, else 1.
    #[inline(always)]
    pub(super) fn enlargement(&self, place: usize, later: usize) -> f64 {
        let yields = self.node[place] == Node::Body && self.node[later] == Node::Constraint;
        if yields { 1.0 + self.part } else { 1.0 }
    }
}

/// The typical mass and moment of inertia of some, in kg and kg·m². None where they have no mass.
fn typical<'a>(inertias: impl Iterator<Item = &'a Block>) -> Option<[f64; 2]> {
    let (mut sums, mut count) = ([0.0; 2], 0);
    for inertia in inertias {
        for k in 0..6 {
            sums[k / 3] += inertia.0[k][k] / 3.0;
        }
        count += 1;
    }
    let [mass, moment] = sums.map(|sum| sum / f64::from(count.max(1)));
    // Where all mass is in the joints' origins, any moment will do.
    let moment = if moment > 0.0 { moment } else { mass };
    (mass > 0.0).then_some([mass, moment])
}

/// The lesser mass, and the lesser moment.
fn lighter(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].min(b[1])]
}

/// For bodies without mass what counts in its place.
fn substitutes<'a>(
    inertias: &[Block],
    constraints: &[Constraint],
    all: impl Iterator<Item = &'a Block>,
) -> Vec<Option<[f64; 2]>> {
    let is_massless = |inertia: &Block| !inertia.is_definite();
    let massless: Vec<bool> = inertias.iter().map(is_massless).collect();
    let own = |inertia: &Block| match is_massless(inertia) {
        true => None,
        false => typical(std::iter::once(inertia)),
    };
    let mut known: Vec<Option<[f64; 2]>> = inertias.iter().map(own).collect();
    // A ring of neighbours at a time.
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        let mut beside = vec![([0.0; 2], 0.0); known.len()];
        for constraint in constraints {
            for inertia in constraint.bodies.iter().filter_map(|&body| known[body]) {
                for &body in &constraint.bodies {
                    let (sums, count) = &mut beside[body];
                    sums[0] += inertia[0].ln();
                    sums[1] += inertia[1].ln();
                    *count += 1.0;
                }
            }
        }
        for (known, (sums, count)) in known.iter_mut().zip(beside) {
            if known.is_none() && count > 0.0 {
                // As much more than the lightest as less than the heaviest.
                *known = Some(sums.map(|sum| (sum / count).exp()));
                is_settled = false;
            }
        }
    }
    let typical = typical(all).unwrap_or([1.0; 2]);
    massless
        .iter()
        .zip(known)
        .map(|(is_massless, known)| is_massless.then(|| known.unwrap_or(typical)))
        .collect()
}
