//! Errors of standard deviations that come from the R factor.
//!
//! Where pivots are small against the numbers that they came from, the R factor has fewer digits
//! than its numbers. The mean is corrected by its residuals; deviations are not. So the R factor
//! solves for random errors of all rows, and the solution is corrected in the same way. The
//! correction is as large a part of the deviation of each unknown as the error of that deviation.

use super::qr::{FactorPlan, MultifrontalQr};
use super::square_root::{DRAWS, random_signs};
use crate::compensated::CompensatedSum;

/// How much larger than their pivots numbers may be before lost digits count.
const GROWTH: f64 = 1e3 * f64::EPSILON;

impl MultifrontalQr {
    /// Adds the R factor's errors to those of rounding in each position, where it counts.
    pub(crate) fn probe(&mut self, plan: &FactorPlan) {
        if self.memory.exact_growth * f64::EPSILON < GROWTH {
            return;
        }
        let Self {
            memory,
            r_factor,
            root,
            x,
            drawn,
            ..
        } = self;
        let rows = &plan.rows;
        for draw in 0..DRAWS {
            for (row, error) in drawn.iter_mut().enumerate() {
                let is_soft = rows.counts(row) && !rows.is_exact(row);
                *error = if is_soft {
                    random_signs(row as u32)[draw]
                } else {
                    0.0
                };
            }
            memory.done().transform(drawn, r_factor.image_mut());
            r_factor.solve(&plan.fronts, x);
            subtract(plan, x, drawn);
            memory.done().transform(drawn, r_factor.image_mut());
            r_factor.solve(&plan.fronts, x);
            root.add_errors(draw, x);
        }
    }
}

/// Subtracts A x from right-hand sides, x by position.
fn subtract(plan: &FactorPlan, x: &[f64], rhs: &mut [f64]) {
    let mut numbers = &plan.rows.numbers[..];
    for (columns, rhs) in plan.rows.columns().iter().zip(rhs) {
        let (own, after) = numbers.split_at(columns.len());
        let mut sum = CompensatedSum::from(*rhs);
        for (&a, &column) in own.iter().zip(columns) {
            sum.add_product(-a, x[plan.pattern.position[column]]);
        }
        *rhs = sum.value();
        numbers = after;
    }
}
