//! Random configurations of a joint.

use super::JointKind;
use super::composite::SimpleJoints;
use crate::random::RandomSource;
use std::f64::consts::{PI, TAU};

/// Where a displacement without bounds is drawn from, in m.
const REACH: f64 = 1.0;

impl JointKind {
    /// Draws a configuration: angles and displacements uniformly between the bounds, rotations
    /// uniformly over all rotations.
    ///
    /// `lower`, `upper` and `q` have [`nq`](Self::nq) entries. An angle without bounds is drawn
    /// from \[−π, π\], a displacement from \[−1 m, 1 m\]; with one bound, from the 2π or 2 m next
    /// to it. Bounds of quaternions and of (cos, sin) pairs mean nothing and are not read.
    ///
    /// # Panics
    /// If a slice is shorter than that.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::random::SplitMix64;
    ///
    /// let mut source = SplitMix64::new(1);
    /// let mut q = [0.0];
    /// JointKind::revolute_z().random(&mut source, &[0.1], &[0.2], &mut q);
    /// assert!((0.1..=0.2).contains(&q[0]));
    /// ```
    pub fn random<R: RandomSource + ?Sized>(
        &self,
        source: &mut R,
        lower: &[f64],
        upper: &[f64],
        q: &mut [f64],
    ) {
        for joint in SimpleJoints::of(self) {
            let rotation = joint.rotation_entries();
            for index in joint.q.start..rotation.start {
                let width = joint.kind.width(index - joint.q.start);
                let fraction = source.uniform();
                q[index] = between(lower[index], upper[index], width, fraction);
            }
            random_rotation(source, &mut q[rotation]);
        }
    }

    /// Draws a configuration of a joint that [has one displacement](Self::has_one_displacement),
    /// uniformly between two bounds, which count for a (cos, sin) pair, too.
    pub(crate) fn random_displacement<R: RandomSource + ?Sized>(
        &self,
        source: &mut R,
        lower: f64,
        upper: f64,
        q: &mut [f64],
    ) {
        let fraction = source.uniform();
        let displacement = between(lower, upper, self.width(0), fraction);
        self.displaced(displacement, q);
    }

    /// The width of the interval that an unbounded entry of a configuration is drawn from.
    fn width(&self, entry: usize) -> f64 {
        2.0 * if self.is_translation(entry) {
            REACH
        } else {
            PI
        }
    }
}

/// The point at a fraction between two bounds; for infinite ones an interval of that width.
fn between(lower: f64, upper: f64, width: f64, fraction: f64) -> f64 {
    let (low, high) = match (lower.is_finite(), upper.is_finite()) {
        (true, true) => (lower, upper),
        (true, false) => (lower, lower + width),
        (false, true) => (upper - width, upper),
        (false, false) => (-0.5 * width, 0.5 * width),
    };
    // Weighing both ends can't overflow; rounding could leave the interval.
    (low * (1.0 - fraction) + high * fraction)
        .max(low)
        .min(high)
}

/// A uniform rotation as a (cos, sin) pair or a quaternion, by the number of entries.
fn random_rotation<R: RandomSource + ?Sized>(source: &mut R, out: &mut [f64]) {
    let mut angle = || (TAU * source.uniform()).sin_cos();
    if out.len() == 2 {
        let (sin, cos) = angle();
        out.copy_from_slice(&[cos, sin]);
    } else if out.len() == 4 {
        // K. Shoemake, "Uniform random rotations", Graphics Gems III (1992).
        let ((sin_1, cos_1), (sin_2, cos_2)) = (angle(), angle());
        let height = source.uniform();
        let (near, far) = ((1.0 - height).sqrt(), height.sqrt());
        out.copy_from_slice(&[near * sin_1, near * cos_1, far * sin_2, far * cos_2]);
    }
}
