//! Limits of joints whose coordinates are displacements.

use featherline::Model;
use nalgebra::{DMatrix, DVector};

/// The limits, by entries of q and of v.
pub(super) struct Bounds {
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
    pub(super) fn new(model: &Model) -> Self {
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
    pub(super) fn clamp(&self, q: &mut [f64]) {
        for it in &self.limited {
            q[it.idx_q] = q[it.idx_q].max(it.lower).min(it.upper);
        }
    }

    /// Takes the coordinates out of the equations that are at a limit and would cross it.
    pub(super) fn hold(&self, q: &[f64], hessian: &mut DMatrix<f64>, descent: &mut DVector<f64>) {
        for it in &self.limited {
            let (at, towards) = (q[it.idx_q], descent[it.idx_v]);
            if (at <= it.lower && towards < 0.0) || (at >= it.upper && towards > 0.0) {
                hessian.row_mut(it.idx_v).fill(0.0);
                hessian.column_mut(it.idx_v).fill(0.0);
                descent[it.idx_v] = 0.0;
            }
        }
    }
}
