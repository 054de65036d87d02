//! Ball × cylinder: a point and a cylinder.

use super::between_points;
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Point × cylinder along z of a radius and half a length. Inside, the nearer of side and end
/// counts.
#[inline(always)]
pub(crate) fn separation(
    point: Vec3<f64>,
    [radius, half]: [f64; 2],
    placement: &Se3<f64>,
) -> Separation {
    let p = placement.inverse_act_point(point);
    let from_axis = (p.x * p.x + p.y * p.y).sqrt();
    if from_axis > radius || p.z.abs() > half {
        let share = match from_axis > radius {
            true => radius / from_axis,
            false => 1.0,
        };
        let nearest = Vec3::new(p.x * share, p.y * share, p.z.clamp(-half, half));
        return between_points(point, placement.act_point(nearest), Vec3::unit(2));
    }
    let (to_side, to_end) = (radius - from_axis, half - p.z.abs());
    let out = match (to_end <= to_side, from_axis > 0.0) {
        (true, _) => Vec3::new(0.0, 0.0, 1f64.copysign(p.z)),
        (false, true) => Vec3::new(p.x / from_axis, p.y / from_axis, 0.0),
        // On the axis all ways to the side are as long.
        (false, false) => Vec3::unit(0),
    };
    let (out, depth) = (placement.rotation.mul_vec(out), to_side.min(to_end));
    Separation {
        distance: -depth,
        points: [point, point + out * depth],
        normal: -out,
    }
}
