//! Boxes along the axes of a frame.

use featherline::spatial::Vec3;

/// A box along the axes of its frame: the points between two corners.
///
/// ```
/// use featherline::spatial::Vec3;
/// use featherline_geometry::Aabb;
///
/// let around = Aabb::of_points([Vec3::new(0.0, 2.0, 1.0), Vec3::new(1.0, 0.0, 1.0)]).unwrap();
/// assert_eq!(around.center(), Vec3::new(0.5, 1.0, 1.0));
/// assert_eq!(around.sides(), Vec3::new(1.0, 2.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner of the smallest coordinates, in m.
    pub min: Vec3<f64>,
    /// The corner of the largest coordinates, in m.
    pub max: Vec3<f64>,
}

impl Aabb {
    /// The box between two opposite corners.
    pub fn new(min: Vec3<f64>, max: Vec3<f64>) -> Self {
        Self { min, max }
    }

    /// The box that is centred at the origin and has the given half sides.
    pub fn centered(half: Vec3<f64>) -> Self {
        Self::new(-half, half)
    }

    /// The smallest box around points; none around no points.
    pub fn of_points(points: impl IntoIterator<Item = Vec3<f64>>) -> Option<Self> {
        let mut points = points.into_iter();
        let first = points.next()?;
        Some(points.fold(Self::new(first, first), |around, p| {
            around.union(&Self::new(p, p))
        }))
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        let (a, b) = (self, other);
        let min = Vec3::new(
            a.min.x.min(b.min.x),
            a.min.y.min(b.min.y),
            a.min.z.min(b.min.z),
        );
        let max = Vec3::new(
            a.max.x.max(b.max.x),
            a.max.y.max(b.max.y),
            a.max.z.max(b.max.z),
        );
        Self::new(min, max)
    }

    /// The centre, in m.
    pub fn center(&self) -> Vec3<f64> {
        (self.min + self.max) * 0.5
    }

    /// The whole side lengths along x, y and z, in m.
    pub fn sides(&self) -> Vec3<f64> {
        self.max - self.min
    }

    /// Whether a point lies in the box or on its surface.
    pub fn contains(&self, point: Vec3<f64>) -> bool {
        let (low, high, p) = (self.min, self.max, point);
        (low.x <= p.x && p.x <= high.x)
            && (low.y <= p.y && p.y <= high.y)
            && (low.z <= p.z && p.z <= high.z)
    }
    /// The distance of two boxes: zero where they overlap.
    #[inline(always)]
    pub(crate) fn gap(&self, other: &Self) -> f64 {
        let (a, b) = (self, other);
        let x = (a.min.x - b.max.x).max(b.min.x - a.max.x).max(0.0);
        let y = (a.min.y - b.max.y).max(b.min.y - a.max.y).max(0.0);
        let z = (a.min.z - b.max.z).max(b.min.z - a.max.z).max(0.0);
        (x * x + y * y + z * z).sqrt()
    }
}
