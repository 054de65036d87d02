//! The multipliers of the constraints, by proximal iteration.
//!
//! Kᵀ and M⁻¹ Kᵀ are given by rows, one for each coordinate: Kᵀ with as many numbers as there are
//! constraints, M⁻¹ Kᵀ with as many as hold.

use crate::delassus::factors::{DelassusFactors, SparseSum, dot};
use featherline::kernel;
use featherline::kernel::row::add_scaled;

/// More steps than are taken anywhere but within rounding of a singular configuration.
const MOST_STEPS: usize = 60;

/// A residual that changes by more than this part of its change before does not converge any more.
const STALLED: f64 = 0.9;

/// A change by this part of the first residual is rounding.
const EXACT: f64 = 1e-15;

kernel!(
    /// Sets the Delassus matrix K M⁻¹ Kᵀ of the independent constraints, and factorises it.
    pub(crate) fn factorise_delassus(
        jacobian: &[f64],
        response: &[f64],
        constraints: usize,
        // The independent constraints.
        independent: &[usize],
        delassus: &mut DelassusFactors,
    ) {
        let count = independent.len();
        if count == 0 {
            return;
        }
        let matrix = &mut delassus.matrix[..count * count];
        matrix.fill(0.0);
        let rows = matrix.chunks_exact_mut(count);
        for (r, (row, k)) in rows.zip(independent).enumerate() {
            // Most joints move few loops.
            let mut sum = SparseSum::of(response, count, r);
            for (i, own) in jacobian.chunks_exact(constraints).enumerate() {
                sum.add(i, own[*k], &mut row[r..]);
            }
            sum.finish(&mut row[r..]);
        }
        delassus.factorise(count);
    }
);

/// The memory of [`find_multipliers`]: one number for each constraint.
#[derive(Clone, Debug)]
pub(crate) struct Residual {
    /// The required value of K times the tangent vector.
    pub target: Vec<f64>,
    /// target − K · tangent, now and a step before.
    current: Vec<f64>,
    before: Vec<f64>,
    step: Vec<f64>,
}

impl Residual {
    pub(crate) fn new(constraints: usize) -> Self {
        let numbers = || vec![0.0; constraints];
        Self {
            target: numbers(),
            current: numbers(),
            before: numbers(),
            step: numbers(),
        }
    }
}

kernel!(
    /// Adds M⁻¹ Kᵀ λ to a tangent vector such that K times it becomes the target. Returns the
    /// largest entry of the residual.
    ///
    /// Each step solves for the residual of the steps before, which removes both the damping of the
    /// factors and rounding (M. R. Hestenes, "Multiplier and gradient methods", J. Optim. Theory
    /// Appl. 4, 1969; iterative refinement).
    pub(crate) fn find_multipliers(
        jacobian: &[f64],
        response: &[f64],
        independent: &[usize],
        delassus: &DelassusFactors,
        residual: &mut Residual,
        multipliers: &mut [f64],
        tangent: &mut [f64],
    ) -> f64 {
        multipliers.fill(0.0);
        let Residual {
            target,
            current,
            before,
            step,
        } = residual;
        subtract_product(jacobian, target, tangent, current);
        if independent.is_empty() {
            return largest(current);
        }
        let step = &mut step[..independent.len()];
        let exact = EXACT * largest(current);
        let mut gained = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            before.copy_from_slice(current);
            for (x, k) in step.iter_mut().zip(independent) {
                *x = before[*k];
            }
            delassus.solve(step);
            advance(response, tangent, step, 1.0);
            subtract_product(jacobian, target, tangent, current);
            // The residual of constraints that contradict the rest stays unchanged.
            let mut change = 0.0_f64;
            for (now, then) in current.iter().zip(before.iter()) {
                change = change.max((now - then).abs());
            }
            if change > STALLED * gained {
                advance(response, tangent, step, -1.0);
                current.copy_from_slice(before);
                break;
            }
            for (x, k) in step.iter().zip(independent) {
                multipliers[*k] += x;
            }
            // As much less as this step gained than the one before it, the next one would gain than
            // this.
            let next = if gained.is_finite() {
                change * (change / gained)
            } else {
                change
            };
            if next <= exact {
                break;
            }
            gained = change;
        }
        largest(current)
    }
);

/// `current = target − K · tangent`.
#[inline(always)]
fn subtract_product(jacobian: &[f64], target: &[f64], tangent: &[f64], current: &mut [f64]) {
    current.copy_from_slice(target);
    for (row, x) in jacobian.chunks_exact(target.len()).zip(tangent) {
        add_scaled(current, -*x, row);
    }
}

/// `tangent += factor · M⁻¹ Kᵀ · step`.
#[inline(always)]
fn advance(response: &[f64], tangent: &mut [f64], step: &[f64], factor: f64) {
    for (x, row) in tangent.iter_mut().zip(response.chunks_exact(step.len())) {
        *x = factor.mul_add(dot(row, step), *x);
    }
}

#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for x in values {
        most = most.max(x.abs());
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The residual and the tangent vector, with M = 1 and K of three rows, some of which hold.
    fn corrected<const N: usize>(
        rows: [[f64; N]; 3],
        target: [f64; 3],
        independent: &[usize],
    ) -> (f64, [f64; N]) {
        let (mut jacobian, mut response) = (Vec::new(), Vec::new());
        for coordinate in 0..N {
            jacobian.extend(rows.map(|row| row[coordinate]));
            response.extend(independent.iter().map(|k| rows[*k][coordinate]));
        }
        let (mut delassus, mut residual) = (DelassusFactors::new(3), Residual::new(3));
        let mut tangent = [0.0; N];
        factorise_delassus(&jacobian, &response, 3, independent, &mut delassus);
        residual.target.copy_from_slice(&target);
        let current = find_multipliers(
            &jacobian,
            &response,
            independent,
            &delassus,
            &mut residual,
            &mut [0.0; 3],
            &mut tangent,
        );
        (current, tangent)
    }

    #[test]
    fn damping_leaves_no_trace() {
        let rows = [[1.0, 0.5], [2.0, -1.0], [3.0, 0.25]];
        for independent in [[2, 1], [0, 1], [0, 2]] {
            let (current, x) = corrected(rows, [2.0, 0.0, 3.5], &independent);
            // Rounding of numbers around three.
            assert!(current < 4e-15, "{current:e}");
            assert!(
                (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
                "{x:?}"
            );
        }
    }

    #[test]
    fn contradictions_leave_their_part() {
        let rows = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        let (current, x) = corrected(rows, [1.0, 2.0, 0.125], &[0, 1]);
        assert_eq!(current, 0.125);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
            "{x:?}"
        );
    }

    #[test]
    fn what_nothing_moves_is_missed() {
        let (current, x) = corrected([[0.0; 2]; 3], [1.0, 2.0, 3.0], &[]);
        assert_eq!((current, x), (3.0, [0.0; 2]));
    }
}
