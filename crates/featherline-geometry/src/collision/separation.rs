//! Distance of two shapes, and the points where it is taken.

use featherline::spatial::{Se3, Vec3};

/// The distance of two shapes, or how far they overlap.
///
/// `distance` is the length of the shortest translation that makes shapes touch: positive where
/// they are apart, negative where they overlap (the penetration depth). The second shape,
/// translated by −`distance` · `normal`, touches the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// The distance, in m; the negative depth where the shapes overlap.
    pub distance: f64,
    /// A point on each shape, in the world, in m: `points[1] − points[0]` is `distance` · `normal`.
    pub points: [Vec3<f64>; 2],
    /// The unit vector from the first shape to the second, in the world.
    pub normal: Vec3<f64>,
}

impl Separation {
    /// The same with the shapes in the other order.
    #[inline(always)]
    #[must_use]
    pub fn swapped(self) -> Self {
        let [first, second] = self.points;
        Self {
            distance: self.distance,
            points: [second, first],
            normal: -self.normal,
        }
    }

    /// The same in the frame in which `placement` places this one.
    #[inline(always)]
    #[must_use]
    pub fn transformed_by(&self, placement: &Se3<f64>) -> Self {
        let [first, second] = self.points;
        Self {
            distance: self.distance,
            points: [placement.act_point(first), placement.act_point(second)],
            normal: placement.rotation.mul_vec(self.normal),
        }
    }

    /// The same of shapes that are thicker by a radius each.
    #[inline(always)]
    pub(crate) fn thickened(self, [first, second]: [f64; 2]) -> Self {
        let n = self.normal;
        Self {
            distance: self.distance - first - second,
            points: [self.points[0] + n * first, self.points[1] - n * second],
            normal: n,
        }
    }

    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let [first, second] = self.points;
        self.distance.is_finite()
            && first.is_finite()
            && second.is_finite()
            && self.normal.is_finite()
    }
}
