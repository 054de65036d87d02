//! What the forces of loops add to the motion of the tree.

use super::compliance::Compliance;
use crate::scalar::Kernel;
use crate::scalar::row::add_scaled;

/// How often a correction is corrected: the second time removes the rounding of the first.
const PASSES: usize = 2;

/// Sets the compliance K M⁻¹ Kᵀ and factorises it.
pub(super) struct Comply<'a> {
    pub nv: usize,
    pub jacobian: &'a [f64],
    pub response: &'a [f64],
    pub compliance: &'a mut Compliance,
}

impl Kernel for Comply<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            nv,
            jacobian,
            response,
            compliance,
        } = self;
        let size = compliance.right.len();
        for (r, row) in jacobian.chunks_exact(nv).enumerate() {
            for (c, column) in response.chunks_exact(nv).enumerate().skip(r) {
                let element = dot(row, column);
                compliance.matrix[r * size + c] = element;
                compliance.matrix[c * size + r] = element;
            }
        }
        compliance.factorise();
    }
}

/// Adds M⁻¹ Kᵀ λ to a tangent vector such that K times it becomes the target. Returns the largest entry that is missed.
pub(super) struct Correct<'a> {
    pub nv: usize,
    pub jacobian: &'a [f64],
    pub response: &'a [f64],
    pub target: &'a [f64],
    pub compliance: &'a mut Compliance,
    pub multipliers: &'a mut [f64],
    pub tangent: &'a mut [f64],
}

impl Kernel for Correct<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self {
            nv,
            jacobian,
            response,
            target,
            compliance,
            multipliers,
            tangent,
        } = self;
        multipliers.fill(0.0);
        let mut missed = 0.0_f64;
        if nv == 0 {
            return missed;
        }
        for _ in 0..PASSES {
            for (r, row) in jacobian.chunks_exact(nv).enumerate() {
                compliance.right[r] = target[r] - dot(row, tangent);
            }
            compliance.solve();
            for (r, column) in response.chunks_exact(nv).enumerate() {
                multipliers[r] += compliance.solution[r];
                add_scaled(tangent, compliance.solution[r], column);
            }
        }
        for (r, row) in jacobian.chunks_exact(nv).enumerate() {
            missed = missed.max((target[r] - dot(row, tangent)).abs());
        }
        missed
    }
}

/// Numbers that are summed side by side: a vector register of doubles.
const LANES: usize = 4;

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (head, tail) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (x, y) in head.remainder().iter().zip(tail.remainder()) {
        rest = x.mul_add(*y, rest);
    }
    for (x, y) in head.zip(tail) {
        for l in 0..LANES {
            sums[l] = x[l].mul_add(y[l], sums[l]);
        }
    }
    rest + (sums[0] + sums[1]) + (sums[2] + sums[3])
}
