//! Limits of joints whose coordinates are displacements, and coordinates that are held at them.

use featherline::Model;
use nalgebra::{DMatrix, DVector};

/// The limits, by entries of q and of v.
pub(crate) struct Bounds {
    limited: Vec<Limited>,
}

struct Limited {
    idx_q: usize,
    idx_v: usize,
    lower: f64,
    upper: f64,
}

impl Bounds {
    /// Entries of q are displacements where a joint has as many as entries of v. The limits of a
    /// mimic joint bound the joint that it mimics.
    pub(crate) fn new(model: &Model) -> Self {
        let mut limited = Vec::new();
        for joint in model.joints().iter().filter(|it| it.nq == it.nv) {
            for i in 0..joint.nq {
                let (lower, upper) = (joint.limits.lower[i], joint.limits.upper[i]);
                if lower.is_finite() || upper.is_finite() {
                    limited.push(Limited {
                        idx_q: joint.idx_q + i,
                        idx_v: joint.idx_v + i,
                        lower,
                        upper: upper.max(lower),
                    });
                }
            }
        }
        Self { limited }
    }

    /// Moves a configuration within the limits.
    pub(crate) fn clamp(&self, q: &mut [f64]) {
        for it in &self.limited {
            q[it.idx_q] = q[it.idx_q].max(it.lower).min(it.upper);
        }
    }

    /// The coordinates that are at a limit and would cross it by a step.
    pub(crate) fn crossed(&self, q: &[f64], step: &[f64]) -> Vec<usize> {
        let crosses = |it: &&Limited| {
            let (at, towards) = (q[it.idx_q], step[it.idx_v]);
            (at <= it.lower && towards < 0.0) || (at >= it.upper && towards > 0.0)
        };
        let crossed = self.limited.iter().filter(crosses);
        crossed.map(|it| it.idx_v).collect()
    }

    /// Moves a configuration within limits, or to where `here` is beyond: loops may need that.
    pub(crate) fn clamp_from(&self, here: &[f64], q: &mut [f64]) {
        for it in &self.limited {
            let (lower, upper) = it.range(here);
            q[it.idx_q] = q[it.idx_q].max(lower).min(upper);
        }
    }

    /// The coordinates that are at the ends of these ranges, or beyond.
    pub(crate) fn reached(&self, here: &[f64], q: &[f64]) -> Vec<usize> {
        let is_reached = |it: &&Limited| {
            let (lower, upper) = it.range(here);
            q[it.idx_q] <= lower || q[it.idx_q] >= upper
        };
        let reached = self.limited.iter().filter(is_reached);
        reached.map(|it| it.idx_v).collect()
    }

    /// Whether no coordinate is beyond these ranges.
    pub(crate) fn contains(&self, here: &[f64], q: &[f64]) -> bool {
        self.limited.iter().all(|it| {
            let (lower, upper) = it.range(here);
            (lower..=upper).contains(&q[it.idx_q])
        })
    }
}

impl Limited {
    /// The limits, wide enough for `here`.
    fn range(&self, here: &[f64]) -> (f64, f64) {
        let at = here[self.idx_q];
        (self.lower.min(at), self.upper.max(at))
    }
}

/// Takes coordinates out of the normal equations: H Δq = g leaves their Δq zero.
pub(crate) fn hold(held: &[usize], hessian: &mut DMatrix<f64>, descent: &mut DVector<f64>) {
    for &k in held {
        hessian.row_mut(k).fill(0.0);
        hessian.column_mut(k).fill(0.0);
        descent[k] = 0.0;
    }
}

/// Takes coordinates out of the velocities A y that a matrix A allows: those y stay at which they
/// are zero. Each row a of A that is held takes A aᵀ a / |a|² from it.
pub(crate) fn hold_allowed(held: &[usize], allowed: &mut DMatrix<f64>) {
    for &k in held {
        let row = allowed.row(k).transpose();
        let square = row.norm_squared();
        // Rounding of a projection, whose rows are of order one.
        if square > 1e-20 {
            let along = &*allowed * &row;
            allowed.ger(-1.0 / square, &along, &row, 1.0);
        }
    }
}
