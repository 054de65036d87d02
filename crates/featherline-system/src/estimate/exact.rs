//! Exact equations: weighted rows, orthogonal transformations, and no squares.

use super::estimator::Estimator;
use super::factor::{FactorPattern, VanishingPivot};
use super::fronts::Fronts;
use super::orthogonal::{FrontMemory, Triangulate};
use super::prior::PriorBlock;
use super::rows::{Rows, Stated};
use crate::system::System;

/// What it takes to bring equations and priors to a triangle.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    rows: Rows,
    fronts: Fronts,
    memory: FrontMemory,
}

impl Exact {
    /// Of a system whose unknowns are eliminated in the order of a pattern.
    pub fn new(
        system: &System,
        stated: Stated,
        priors: &[PriorBlock],
        pattern: &FactorPattern,
    ) -> Self {
        let rows = Rows::new(system, stated, priors);
        let fronts = Fronts::new(pattern, rows.columns());
        Self {
            memory: FrontMemory::new(&fronts),
            fronts,
            rows,
        }
    }

    /// Whether a row states an unknown alone.
    pub fn states(&self, row: usize) -> bool {
        self.rows.stated().is_by(row)
    }

    /// Whether an unknown is stated by a row alone.
    pub fn is_stated(&self, column: usize) -> bool {
        self.rows.stated().has(column)
    }

    /// The most multiplications that the transformations can take.
    pub fn multiplications(&self) -> usize {
        self.fronts.multiplications()
    }
}

impl Estimator {
    /// Brings equations and priors to a triangle, and solves.
    pub(super) fn solve_exactly(&mut self, with_sensors: bool) -> Result<(), VanishingPivot> {
        if let Some(exact) = &mut self.exact {
            let (sensors, switches, weights) = (&self.sensors, &self.switches, &self.weights);
            exact.rows.weigh(&self.values, |row| {
                let is_on = sensors[row].is_none_or(|id| with_sensors && switches.is_on(id));
                if is_on { weights.of(row).sqrt() } else { 0.0 }
            });
            let (information, mean) = (&self.prior_information, &self.prior_mean);
            exact.rows.assume(information, mean, &self.priors);
            exact.rows.set_right(&self.values, |row| self.rhs[row]);
        }
        self.triangulate()?;
        let pattern = &self.normal.pattern;
        for (value, &unknown) in self.work.iter().zip(&pattern.order) {
            self.mean[unknown] = *value;
        }
        Ok(())
    }

    /// Leaves the derivative of the unknowns by an input in `work`.
    pub(super) fn exact_gain(&mut self, input: usize) {
        if let Some(exact) = &mut self.exact {
            let system = &self.system;
            exact.rows.rhs.fill(0.0);
            let right = |row| system.input_coefficient(row, input);
            exact.rows.set_right(&self.values, right);
        }
        // The rows are those of the estimate, so that no pivot vanishes.
        let done = self.triangulate();
        debug_assert!(done.is_ok(), "{done:?}");
    }

    /// Brings the rows to a triangle, and solves with it; the solution is left in `work`, in the order of the pivots.
    fn triangulate(&mut self) -> Result<(), VanishingPivot> {
        let pattern = &self.normal.pattern;
        if let Some(exact) = &mut self.exact {
            let rows = Triangulate {
                fronts: &exact.fronts,
                pattern,
                memory: &mut exact.memory,
                rows: &exact.rows,
                weights: &self.weights,
                factor: &mut self.factor,
                image: &mut self.work[..pattern.size()],
            };
            rows.dispatch()?;
        }
        pattern.substitute(&self.factor, &mut self.work[..pattern.size()]);
        Ok(())
    }
}
