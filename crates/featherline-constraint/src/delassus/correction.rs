//! What the forces of loops add to the motion of the tree.
//!
//! Kᵀ and M⁻¹ Kᵀ are given by rows, one for each coordinate: Kᵀ with as many numbers as there are
//! constraints, M⁻¹ Kᵀ with as many as hold.

use crate::delassus::factors::{Compliance, dot};
use featherline::kernel::Kernel;
use featherline::kernel::row::add_scaled;

/// More steps than are taken anywhere but within rounding of a singular configuration.
const MOST_STEPS: usize = 60;

/// What is missed and changes by more than this part of its change before does not converge any
/// more.
const STALLED: f64 = 0.9;

/// A change by this part of what was missed first is rounding.
const EXACT: f64 = 1e-15;

/// Sets the compliance K M⁻¹ Kᵀ of the constraints that hold, and factorises it.
pub(crate) struct Comply<'a> {
    pub jacobian: &'a [f64],
    pub response: &'a [f64],
    pub constraints: usize,
    /// The constraints that hold.
    pub holding: &'a [usize],
    pub compliance: &'a mut Compliance,
}

impl Kernel for Comply<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            jacobian,
            response,
            constraints,
            holding,
            compliance,
        } = self;
        let count = holding.len();
        if count == 0 {
            return;
        }
        let matrix = &mut compliance.matrix[..count * count];
        matrix.fill(0.0);
        let coordinates = jacobian.chunks_exact(constraints);
        for (own, response) in coordinates.zip(response.chunks_exact(count)) {
            let rows = matrix.chunks_exact_mut(count);
            for (r, (row, k)) in rows.zip(holding).enumerate() {
                // Most joints move few loops.
                if own[*k] != 0.0 {
                    add_scaled(&mut row[r..], own[*k], &response[r..]);
                }
            }
        }
        compliance.factorise(count);
    }
}

/// The memory of [`Correct`]: one number for each constraint.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    /// What K times the tangent vector shall be.
    pub target: Vec<f64>,
    /// What it misses, and missed a step before.
    missed: Vec<f64>,
    before: Vec<f64>,
    step: Vec<f64>,
}

impl Missing {
    pub(crate) fn new(constraints: usize) -> Self {
        let numbers = || vec![0.0; constraints];
        Self {
            target: numbers(),
            missed: numbers(),
            before: numbers(),
            step: numbers(),
        }
    }
}

/// Adds M⁻¹ Kᵀ λ to a tangent vector such that K times it becomes the target. Returns the largest
/// entry that is missed.
///
/// Each step solves for what the steps before it missed, which removes both the damping of the
/// compliance and rounding (M. R. Hestenes, "Multiplier and gradient methods", J. Optim. Theory
/// Appl. 4, 1969; iterative refinement).
pub(crate) struct Correct<'a> {
    pub jacobian: &'a [f64],
    pub response: &'a [f64],
    pub holding: &'a [usize],
    pub compliance: &'a Compliance,
    pub missing: &'a mut Missing,
    pub multipliers: &'a mut [f64],
    pub tangent: &'a mut [f64],
}

impl Kernel for Correct<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self {
            jacobian,
            response,
            holding,
            compliance,
            missing,
            multipliers,
            tangent,
        } = self;
        multipliers.fill(0.0);
        let Missing {
            target,
            missed,
            before,
            step,
        } = missing;
        miss(jacobian, target, tangent, missed);
        if holding.is_empty() {
            return largest(missed);
        }
        let step = &mut step[..holding.len()];
        let exact = EXACT * largest(missed);
        let mut gained = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            before.copy_from_slice(missed);
            for (x, k) in step.iter_mut().zip(holding) {
                *x = before[*k];
            }
            compliance.solve(step);
            advance(response, tangent, step, 1.0);
            miss(jacobian, target, tangent, missed);
            // What contradicts the rest stays missed unchanged, and says nothing about the rest.
            let mut change = 0.0_f64;
            for (now, then) in missed.iter().zip(before.iter()) {
                change = change.max((now - then).abs());
            }
            if change > STALLED * gained {
                advance(response, tangent, step, -1.0);
                missed.copy_from_slice(before);
                break;
            }
            for (x, k) in step.iter().zip(holding) {
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
        largest(missed)
    }
}

/// `missed = target − K · tangent`.
#[inline(always)]
fn miss(jacobian: &[f64], target: &[f64], tangent: &[f64], missed: &mut [f64]) {
    missed.copy_from_slice(target);
    for (row, x) in jacobian.chunks_exact(target.len()).zip(tangent) {
        add_scaled(missed, -*x, row);
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

    /// What is missed and the tangent vector, with M = 1 and K of three rows, some of which hold.
    fn corrected<const N: usize>(
        rows: [[f64; N]; 3],
        target: [f64; 3],
        holding: &[usize],
    ) -> (f64, [f64; N]) {
        let (mut jacobian, mut response) = (Vec::new(), Vec::new());
        for coordinate in 0..N {
            jacobian.extend(rows.map(|row| row[coordinate]));
            response.extend(holding.iter().map(|k| rows[*k][coordinate]));
        }
        let (mut compliance, mut missing) = (Compliance::new(3), Missing::new(3));
        let mut tangent = [0.0; N];
        Comply {
            jacobian: &jacobian,
            response: &response,
            constraints: 3,
            holding,
            compliance: &mut compliance,
        }
        .run();
        missing.target.copy_from_slice(&target);
        let missed = Correct {
            jacobian: &jacobian,
            response: &response,
            holding,
            compliance: &compliance,
            missing: &mut missing,
            multipliers: &mut [0.0; 3],
            tangent: &mut tangent,
        }
        .run();
        (missed, tangent)
    }

    #[test]
    fn damping_leaves_no_trace() {
        let rows = [[1.0, 0.5], [2.0, -1.0], [3.0, 0.25]];
        for holding in [[2, 1], [0, 1], [0, 2]] {
            let (missed, x) = corrected(rows, [2.0, 0.0, 3.5], &holding);
            // Rounding of numbers around three.
            assert!(missed < 4e-15, "{missed:e}");
            assert!(
                (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
                "{x:?}"
            );
        }
    }

    #[test]
    fn contradictions_leave_their_part() {
        let rows = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
        let (missed, x) = corrected(rows, [1.0, 2.0, 0.125], &[0, 1]);
        assert_eq!(missed, 0.125);
        assert!(
            (x[0] - 1.0).abs() < 1e-14 && (x[1] - 2.0).abs() < 1e-14,
            "{x:?}"
        );
    }

    #[test]
    fn what_nothing_moves_is_missed() {
        let (missed, x) = corrected([[0.0; 2]; 3], [1.0, 2.0, 3.0], &[]);
        assert_eq!((missed, x), (3.0, [0.0; 2]));
    }
}
