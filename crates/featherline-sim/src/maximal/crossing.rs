//! The quantities of a body that the pass to the root stores for the pass to the leaves.
//!
//! A robot of many thousands of bodies fits in no cache, and its time is that of the bytes that it
//! moves. All that is written of a body and read once more lies together, and without the fourth
//! number that vectors have in registers: a vector is stored with it, and the next one is stored
//! over it.

use featherline::kernel::{from_four, to_four};
use featherline::scalar::Scalar;
use featherline::spatial::{ArticulatedInertia, Force, Mat3, Motion, Se3, Sym3, Vec3};

/// A joint of one coordinate, eliminated.
pub(super) struct Crossing<S: Scalar> {
    /// Of the body in its parent.
    pub placement: Se3<S>,
    pub bias_acceleration: Motion<S>,
    /// The body's articulated inertia once the coordinate is eliminated.
    pub inertia: ArticulatedInertia<S>,
    pub force: Force<S>,
    /// U, of Featherstone 2008, equation 7.43.
    pub along: Force<S>,
    /// D⁻¹ of the same.
    pub inverse: S,
    /// u, of the same.
    pub side: S,
}

/// Vectors of a crossing.
const VECTORS: usize = 13;
/// Where the elements of M and J begin.
const SYMMETRIC: usize = 3 * VECTORS;
/// Numbers of a crossing.
pub(super) const NUMBERS: usize = SYMMETRIC + 14;

impl<S: Scalar> Crossing<S> {
    /// Writes it among those of the others.
    #[inline(always)]
    pub fn write(&self, crossed: &mut [S], i: usize) {
        let numbers = &mut crossed.as_chunks_mut::<NUMBERS>().0[i];
        let (r, h) = (&self.placement.rotation, &self.inertia.coupling);
        let vectors: [Vec3<S>; VECTORS] = [
            r.x,
            r.y,
            r.z,
            self.placement.translation,
            self.bias_acceleration.linear,
            self.bias_acceleration.angular,
            self.along.linear,
            self.along.angular,
            h.x,
            h.y,
            h.z,
            self.force.linear,
            self.force.angular,
        ];
        for (k, vector) in vectors.into_iter().enumerate() {
            numbers[3 * k..3 * k + 4].copy_from_slice(&to_four(vector));
        }
        numbers[SYMMETRIC..SYMMETRIC + 6].copy_from_slice(&self.inertia.linear.to_elements());
        numbers[SYMMETRIC + 6..SYMMETRIC + 12].copy_from_slice(&self.inertia.angular.to_elements());
        numbers[SYMMETRIC + 12] = self.inverse;
        numbers[SYMMETRIC + 13] = self.side;
    }

    /// Reads it from among those of the others.
    #[inline(always)]
    pub fn read(crossed: &[S], i: usize) -> Self {
        let numbers = &crossed.as_chunks::<NUMBERS>().0[i];
        let vector = |k: usize| {
            let four = std::array::from_fn(|l| numbers[3 * k + l]);
            from_four(four)
        };
        let matrix = |k: usize| Mat3::from_columns(vector(k), vector(k + 1), vector(k + 2));
        let symmetric = |k: usize| {
            let [xx, xy, xz, yy, yz, zz] = std::array::from_fn(|l| numbers[SYMMETRIC + k + l]);
            Sym3::new(xx, xy, xz, yy, yz, zz)
        };
        Self {
            placement: Se3::new(matrix(0), vector(3)),
            bias_acceleration: Motion::new(vector(4), vector(5)),
            along: Force::new(vector(6), vector(7)),
            inertia: ArticulatedInertia {
                linear: symmetric(0),
                coupling: matrix(8),
                angular: symmetric(6),
            },
            force: Force::new(vector(11), vector(12)),
            inverse: numbers[SYMMETRIC + 12],
            side: numbers[SYMMETRIC + 13],
        }
    }
}
