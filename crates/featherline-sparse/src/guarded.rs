//! Elimination in a fixed order with a check, and a general factorisation as fallback.

use crate::elimination::{Elimination, EliminationError, Factors};
use crate::lu::{GeneralError, GeneralLu};
use crate::order::EliminationOrder;
use crate::sparsity::Sparsity;
use crate::template::Template;
use thiserror::Error;

/// Why a guarded solve has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The order does not fit, or a list of numbers has the wrong length.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
    /// The fixed order broke down, and the general factorisation, too.
    #[error("the fixed order broke down in this state, and then: {0}")]
    General(#[from] GeneralError),
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The largest factor over the largest entry of the matrix, in the fixed order; infinite where
    /// a pivot vanished.
    pub growth: f64,
    /// The size of the rest r = b − A x over ‖A‖ ‖x‖ + ‖b‖ (greatest row sums and entries): how far
    /// the equations are from those that are solved exactly (Higham 2002, section 7.1).
    pub backward_error: f64,
    /// Whether the fixed order was given up for this state.
    pub fell_back: bool,
}

/// A solver that uses a fixed order as long as it is accurate.
///
/// Rows are not exchanged in the fixed order, so that a state can be met in which a pivot is small,
/// its factors grow, and the result loses digits. Every solve is therefore checked, at the cost of
/// one product with the matrix; where the check fails, the general factorisation solves. The fixed
/// order allocates nothing.
pub struct GuardedSolver {
    elimination: Elimination,
    factors: Factors<f64>,
    general: GeneralLu,
    /// The largest backward error that is accepted.
    limit: f64,
}

impl GuardedSolver {
    /// The largest backward error that is accepted unless another is chosen: some hundred
    /// roundings.
    pub const LIMIT: f64 = 1e-13;

    /// A solver for a template, which must want all unknowns: the check needs them.
    ///
    /// # Errors
    /// [`SolveError::Elimination`] for an order that is of no use, [`SolveError::General`] if there
    /// is no memory.
    ///
    /// ```
    /// use featherline_sparse::{EliminationOrder, GuardedSolver, Sparsity, Symbol, Template};
    /// use std::sync::Arc;
    ///
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)])?);
    /// let sample = vec![1.0, 1.0, 1.0, 3.0];
    /// let template = Template::new(pattern, vec![Symbol::Variable; 4], vec![Symbol::Variable; 2], &[sample])?;
    /// let order = EliminationOrder::new(vec![(0, 0), (1, 1)])?;
    /// let mut solver = GuardedSolver::new(&template, &order)?;
    ///
    /// // A state in which the first pivot is all but zero.
    /// let mut x = [0.0; 2];
    /// let outcome = solver.solve(&[1e-18, 1.0, 1.0, 1.0], &[1.0, 2.0], &mut x)?;
    /// assert!(outcome.growth > 1e17 && outcome.fell_back);
    /// assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(template: &Template, order: &EliminationOrder) -> Result<Self, SolveError> {
        let template = template.clone().requesting_all();
        let elimination = Elimination::new(&template, order)?;
        Ok(Self {
            factors: elimination.factors(),
            general: GeneralLu::new(elimination.pattern().clone())?,
            elimination,
            limit: Self::LIMIT,
        })
    }

    /// The same solver with another limit on the backward error.
    pub fn with_limit(mut self, limit: f64) -> Self {
        self.limit = limit;
        self
    }

    /// The fixed order, worked through.
    pub fn elimination(&self) -> &Elimination {
        &self.elimination
    }

    /// Solves with the matrix of the given values, in the order of the pattern's entries.
    ///
    /// # Errors
    /// [`SolveError`].
    pub fn solve(
        &mut self,
        values: &[f64],
        known: &[f64],
        unknowns: &mut [f64],
    ) -> Result<Outcome, SolveError> {
        self.factors.factorize(&self.elimination, values)?;
        self.factors.solve(&self.elimination, known, unknowns)?;
        let pattern = self.elimination.pattern();
        let growth = match largest(values) {
            0.0 => f64::INFINITY,
            scale => largest(self.factors.slots()) / scale,
        };
        let error = backward_error(pattern, values, known, unknowns);
        if error <= self.limit {
            return Ok(Outcome {
                growth,
                backward_error: error,
                fell_back: false,
            });
        }
        self.general.solve(values, known, unknowns)?;
        Ok(Outcome {
            growth,
            backward_error: backward_error(pattern, values, known, unknowns),
            fell_back: true,
        })
    }
}

/// The greatest magnitude; infinite if there is a number that is none.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| {
        if value.is_nan() {
            f64::INFINITY
        } else {
            value.abs().max(largest)
        }
    })
}

/// ‖b − A x‖ / (‖A‖ ‖x‖ + ‖b‖) in the maximum norm; infinite if x is not finite.
fn backward_error(pattern: &Sparsity, values: &[f64], known: &[f64], unknowns: &[f64]) -> f64 {
    let (mut rest, mut norm) = (0.0_f64, 0.0_f64);
    for (row, &right) in known.iter().enumerate() {
        let (mut sum, mut magnitude) = (right, 0.0);
        for slot in pattern.row_range(row) {
            sum -= values[slot] * unknowns[pattern.indices()[slot]];
            magnitude += values[slot].abs();
        }
        if !sum.is_finite() {
            return f64::INFINITY;
        }
        rest = rest.max(sum.abs());
        norm = norm.max(magnitude);
    }
    if rest == 0.0 {
        return 0.0;
    }
    rest / (norm * largest(unknowns) + largest(known))
}
