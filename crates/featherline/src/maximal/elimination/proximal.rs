//! What makes a matrix regular that constraints which repeat each other, and bodies without mass, leave singular.
//!
//! The last of some constraints that repeat each other would find pivots of zero. So each constraint yields more than it does,
//! by a small part of what the bodies that are eliminated before it let it yield, with all that hangs on them: −C A⁻¹ Cᵀ of a
//! body becomes −(1 + ε) C A⁻¹ Cᵀ. Such a matrix can be factorised in any order (R. J. Vanderbei, "Symmetric quasidefinite
//! matrices", SIAM J. Optimization 5, 1995), and a solution is corrected by what it misses in the matrix as it is, as proximal
//! steps do (J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained dynamic equations", RSS
//! 2021). A correction leaves ε of a joint's share, in whatever units and however long the chain behind it: a part of what
//! bodies yield on their own would grow with the square of its length.
//!
//! A massless body is given a small part of a typical one's inertia. What it lets joints yield says nothing, and constraints on
//! it yield as they would by a body of the typical inertia.

use crate::maximal::small_matrix::{Row, Rows};

/// What stands at a place of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Body,
    Massless,
    Constraint,
}

/// What is added to a matrix while it is factorised.
#[derive(Clone, Debug)]
pub(crate) struct Proximal {
    part: f64,
    /// The typical mass and moment of inertia of a body, in kg and kg·m².
    typical: [f64; 2],
    node: Vec<Node>,
    /// What is added to the diagonal.
    shift: Vec<Row>,
}

impl Proximal {
    /// For as many nodes, constraints until they are [called](Self::add_body) bodies, of a robot with these inertias.
    pub fn new<'a>(part: f64, nodes: usize, inertias: impl Iterator<Item = &'a Rows>) -> Self {
        let (mut sums, mut count) = ([0.0; 2], 0);
        for inertia in inertias {
            for k in 0..6 {
                sums[k / 3] += inertia.0[k][k] / 3.0;
            }
            count += 1;
        }
        let [mass, moment] = sums.map(|sum| sum / f64::from(count.max(1)));
        Self {
            part,
            // Where all mass is in the joints' origins, any moment will do.
            typical: [mass, if moment > 0.0 { moment } else { mass }],
            node: vec![Node::Constraint; nodes],
            shift: vec![[0.0; 8]; nodes],
        }
    }

    /// Says that a body stands at a place.
    pub fn add_body(&mut self, place: usize, is_massless: bool) {
        self.node[place] = Node::Body;
        if is_massless {
            self.node[place] = Node::Massless;
            let [m, i] = self.typical.map(|typical| self.part * typical);
            self.shift[place] = [m, m, m, i, i, i, 0.0, 0.0];
        }
    }

    /// Lets a constraint on a massless body yield to a force, its `r`-th.
    #[inline(always)]
    pub fn let_yield(&mut self, place: usize, r: usize, force: &[f64]) {
        let [m, i] = self.typical;
        let square = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
        let yielding = square(&force[..3]) / m + square(&force[3..6]) / i;
        self.shift[place][r] = -self.part * yielding;
    }

    /// What is added to the diagonal at a place.
    #[inline(always)]
    pub fn shift(&self, place: usize) -> &Row {
        &self.shift[place]
    }

    /// What the elimination of one place lets a later one yield is multiplied by this.
    #[inline(always)]
    pub(super) fn enlargement(&self, place: usize, later: usize) -> f64 {
        let yields = self.node[place] == Node::Body && self.node[later] == Node::Constraint;
        if yields { 1.0 + self.part } else { 1.0 }
    }
}
