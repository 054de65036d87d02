//! Points of contact.

use super::separation::Separation;
use featherline::spatial::Vec3;

/// A point where two shapes touch, overlap, or are within range of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// A point on each shape, in the world, in m: `points[1] − points[0]` is `distance` · `normal`.
    pub points: [Vec3<f64>; 2],
    /// The unit vector from the first shape to the second, in the world.
    pub normal: Vec3<f64>,
    /// The gap at the point along the normal, in m; negative where the shapes overlap.
    pub distance: f64,
    /// Which corners, edges and faces meet. The same in the next call where the same ones meet, so
    /// that a solver can begin with the last step's impulse.
    pub feature: u32,
}

/// Adds a separation as a point, if it is within range.
#[inline(always)]
pub(crate) fn push_contact(s: Separation, feature: u32, range: f64, out: &mut Vec<ContactPoint>) {
    if s.distance <= range {
        out.push(ContactPoint {
            points: s.points,
            normal: s.normal,
            distance: s.distance,
            feature,
        });
    }
}

/// The number of a feature from the numbers of two. A hash (multiplication by an odd number and a
/// rotation), equal for equal arguments on all machines.
#[inline(always)]
pub(crate) fn feature(first: u32, second: u32) -> u32 {
    let mixed = |h: u32, x: u32| (h.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9);
    mixed(mixed(0x517C_C1B7, first), second)
}
