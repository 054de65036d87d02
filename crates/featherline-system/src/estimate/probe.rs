//! How far deviations may be off because the triangle is.
//!
//! Where pivots are small against the numbers that they came from, the triangle has fewer digits than its numbers. The mean is
//! corrected by its residuals; deviations are not. So the triangle is asked for what drawn errors of all rows amount to, and the
//! correction of that is what it does not know: as large a part of the deviation of each unknown as is wrong with it.

use super::digits::Digits;
use super::factors::{Factors, Plan};
use super::square_root::{DRAWS, signs};
use super::twice::TwiceSum;

/// So much larger may numbers be than their pivots before digits count that are lost to them, of those that a double has.
const GROWTH: f64 = 1e3 * f64::EPSILON;

impl<T: Digits> Factors<T> {
    /// Adds to what errors of rounding are in each position, where it counts, those of the triangle.
    pub(super) fn probe(&mut self, plan: &Plan) {
        if self.memory.growth * T::EPSILON < GROWTH {
            return;
        }
        let Self {
            memory,
            triangle,
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
                    signs(row as u32)[draw]
                } else {
                    0.0
                };
            }
            memory.done().repeat(drawn, triangle.image_mut());
            triangle.solve(&plan.fronts, x);
            subtract(plan, x, drawn);
            memory.done().repeat(drawn, triangle.image_mut());
            triangle.solve(&plan.fronts, x);
            root.add_errors(draw, x);
        }
    }
}

/// Subtracts A x from right-hand sides, x by position.
fn subtract<T: Digits>(plan: &Plan, x: &[T], rhs: &mut [f64]) {
    let mut numbers = &plan.rows.numbers[..];
    for (columns, rhs) in plan.rows.columns().iter().zip(rhs) {
        let (own, after) = numbers.split_at(columns.len());
        let mut sum = TwiceSum::from(*rhs);
        for (&a, &column) in own.iter().zip(columns) {
            sum.add_product(-a, x[plan.pattern.position[column]].value());
        }
        *rhs = sum.value();
        numbers = after;
    }
}
