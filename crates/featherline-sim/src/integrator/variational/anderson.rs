//! Anderson acceleration (depth 3) of the quasi-Newton iteration.
//!
//! A correction g = M(q)⁻¹ r of the mean velocities leaves a part of the error, in proportion to
//! the motion within a step: where a change s was made and the correction changed by Δg, the method
//! would have gone too far by s + Δg for each Δg. So of the next correction the part along Δg is
//! made smaller, in the metric of the kinetic energy, by as much. Pairs of the steps before still
//! hold: derivatives change as slowly as the robot moves. D. G. Anderson, "Iterative procedures for
//! nonlinear integral equations", Journal of the ACM 12, 1965; in this form V. Eyert, "A
//! comparative study on methods for convergence acceleration of iterative vector sequences",
//! Journal of Computational Physics 124, 1996.

use featherline::kernel;

/// How many pairs are kept: more are older ones, which hold less.
const MOST: usize = 3;

/// A pair of which less than this part is not in newer ones is not kept.
const LEAST_OWN: f64 = 0.1;

/// Changes of corrections, and what was left over; the newest first.
#[derive(Clone, Debug)]
pub(super) struct AndersonAcceleration {
    /// Changes of the weighted correction, orthonormal.
    changes: [Box<[f64]>; MOST],
    /// By how much the velocities went too far for each of them.
    excess: [Box<[f64]>; MOST],
    known: usize,
    /// The step for which they hold.
    step: f64,
    /// The correction, scaled so that its kinetic energy is half its square, and that before.
    pub weighted: Box<[f64]>,
    before: Box<[f64]>,
    /// The last change of the velocities less its correction; memory for what is learnt.
    made: Box<[f64]>,
    beyond: Box<[f64]>,
}

impl AndersonAcceleration {
    /// For so many velocities.
    pub fn new(size: usize) -> Self {
        let velocities = || -> Box<[f64]> { vec![0.0; size].into() };
        Self {
            changes: std::array::from_fn(|_| velocities()),
            excess: std::array::from_fn(|_| velocities()),
            known: 0,
            step: 0.0,
            weighted: velocities(),
            before: velocities(),
            made: velocities(),
            beyond: velocities(),
        }
    }

    /// Before a step of `h`. The history of steps of other lengths is dropped.
    pub fn begin_step(&mut self, h: f64) {
        if self.step != h {
            (self.known, self.step) = (0, h);
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.known = 0;
    }

    /// The change of the velocities that is to be made in place of a correction.
    pub fn improve(&mut self, correction: &[f64]) -> &[f64] {
        improve_correction(self, correction);
        &self.made
    }

    /// Learns from the correction that is left when the change was made.
    pub fn learn(&mut self, left: &[f64]) {
        learn_excess(self, left);
    }
}

kernel!(
    fn improve_correction(anderson: &mut AndersonAcceleration, correction: &[f64]) {
        let AndersonAcceleration {
            changes,
            excess,
            known,
            weighted,
            before,
            made,
            beyond,
            ..
        } = anderson;
        made.copy_from_slice(correction);
        beyond.fill(0.0);
        for (change, excess) in changes.iter().zip(&*excess).take(*known) {
            let part = -dot(weighted, change);
            add(made, part, excess);
            add(beyond, part, excess);
        }
        before.copy_from_slice(weighted);
    }
);

kernel!(
    fn learn_excess(anderson: &mut AndersonAcceleration, left: &[f64]) {
        let AndersonAcceleration {
            changes,
            excess,
            known,
            weighted,
            before,
            beyond,
            ..
        } = anderson;
        // s + Δg is what the change had beyond its correction, and what is left.
        add(beyond, 1.0, left);
        for (before, now) in before.iter_mut().zip(&*weighted) {
            *before = now - *before;
        }
        let length = dot(before, before).sqrt();
        if length == 0.0 || !length.is_finite() {
            return;
        }
        scale(before, length.recip());
        scale(beyond, length.recip());
        // The oldest makes room, and of those that stay each is left what newer ones don't say.
        changes.rotate_right(1);
        excess.rotate_right(1);
        changes[0].copy_from_slice(before);
        excess[0].copy_from_slice(beyond);
        let mut kept = 1;
        for i in 1..(*known + 1).min(MOST) {
            let (newer_changes, older_changes) = changes.split_at_mut(i);
            let (newer_excess, older_excess) = excess.split_at_mut(i);
            let mut own = 1.0;
            for j in 0..kept {
                let shared = dot(&older_changes[0], &newer_changes[j]);
                add(&mut older_changes[0], -shared, &newer_changes[j]);
                add(&mut older_excess[0], -shared, &newer_excess[j]);
                own -= shared * shared;
            }
            if own < LEAST_OWN * LEAST_OWN {
                continue;
            }
            let whole = own.sqrt().recip();
            scale(&mut older_changes[0], whole);
            scale(&mut older_excess[0], whole);
            changes.swap(kept, i);
            excess.swap(kept, i);
            kept += 1;
        }
        *known = kept;
    }
);

/// A scalar product, in four sums that don't wait for each other.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (first, second) = (a.chunks_exact(4), b.chunks_exact(4));
    let mut rest = 0.0;
    for (a, b) in first.remainder().iter().zip(second.remainder()) {
        rest += a * b;
    }
    for (a, b) in first.zip(second) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// `to += factor · by`.
#[inline(always)]
fn add(to: &mut [f64], factor: f64, by: &[f64]) {
    for (to, by) in to.iter_mut().zip(by) {
        *to += factor * by;
    }
}

#[inline(always)]
fn scale(values: &mut [f64], factor: f64) {
    for value in values {
        *value *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear problem g(u) = b − (1 + E) u, of four unknowns, whose error E the method does not
    /// know.
    const ERROR: [[f64; 4]; 4] = [
        [0.10, 0.20, 0.00, -0.10],
        [-0.20, 0.05, 0.10, 0.00],
        [0.00, -0.10, 0.15, 0.20],
        [0.10, 0.00, -0.20, 0.10],
    ];

    fn correction(u: &[f64; 4], b: &[f64; 4]) -> [f64; 4] {
        std::array::from_fn(|i| {
            let beyond: f64 = (0..4).map(|j| ERROR[i][j] * u[j]).sum();
            b[i] - u[i] - beyond
        })
    }

    /// The lengths of the corrections of a step.
    fn solve(anderson: &mut AndersonAcceleration, b: &[f64; 4], iterations: usize) -> Vec<f64> {
        let mut u = [0.0; 4];
        anderson.begin_step(0.1);
        let mut lengths = Vec::new();
        for k in 0..=iterations {
            let g = correction(&u, b);
            anderson.weighted.copy_from_slice(&g);
            if k > 0 {
                anderson.learn(&g);
            }
            lengths.push(dot(&g, &g).sqrt());
            for (u, s) in u.iter_mut().zip(anderson.improve(&g)) {
                *u += s;
            }
        }
        lengths
    }

    #[test]
    fn what_was_learnt_in_one_step_serves_the_next() {
        let b = [1.0, -0.5, 0.3, 0.8];
        let mut plain = [0.0; 4];
        for _ in 0..3 {
            let g = correction(&plain, &b);
            plain = std::array::from_fn(|i| plain[i] + g[i]);
        }
        let g = correction(&plain, &b);
        let without = dot(&g, &g).sqrt();
        let mut anderson = AndersonAcceleration::new(4);
        let first = solve(&mut anderson, &b, 3);
        assert!(first[3] < 0.5 * without, "{first:?} {without:e}");
        // The same problem again, a little changed, as the next step is: all but the change has
        // been seen.
        let second = solve(&mut anderson, &[1.01, -0.5, 0.31, 0.8], 3);
        assert!(second[1] < 0.1 * first[1], "{first:?} {second:?}");
        // Of another length, it begins anew.
        anderson.begin_step(0.2);
        assert_eq!(anderson.known, 0);
    }

    #[test]
    fn changes_are_orthonormal() {
        let mut anderson = AndersonAcceleration::new(4);
        solve(&mut anderson, &[1.0, -0.5, 0.3, 0.8], 3);
        assert_eq!(anderson.known, MOST);
        for i in 0..MOST {
            for j in 0..MOST {
                let product = dot(&anderson.changes[i], &anderson.changes[j]);
                let expected = if i == j { 1.0 } else { 0.0 };
                // Rounding over LEAST_OWN, twice.
                assert!((product - expected).abs() < 1e-12, "{i} {j} {product:e}");
            }
        }
    }
}
