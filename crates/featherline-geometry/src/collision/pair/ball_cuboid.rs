//! Ball × box: a point and a box.

use super::between_points;
use crate::collision::separation::Separation;
use featherline::spatial::{Se3, Vec3};

/// Point × box of half sides. Inside, the nearest face counts.
#[inline(always)]
pub(crate) fn separation(point: Vec3<f64>, half: Vec3<f64>, placement: &Se3<f64>) -> Separation {
    let p = placement.inverse_act_point(point);
    let nearest = Vec3::new(
        p.x.clamp(-half.x, half.x),
        p.y.clamp(-half.y, half.y),
        p.z.clamp(-half.z, half.z),
    );
    let outside = p - nearest;
    if outside.norm_squared() > f64::MIN_POSITIVE {
        return between_points(point, placement.act_point(nearest), Vec3::unit(2));
    }
    // Inside: the face with the least way out.
    let depth = [half.x - p.x.abs(), half.y - p.y.abs(), half.z - p.z.abs()];
    let axis = match (
        depth[0] <= depth[1] && depth[0] <= depth[2],
        depth[1] <= depth[2],
    ) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let sign = 1f64.copysign(p.to_array()[axis]);
    let columns = [
        placement.rotation.x,
        placement.rotation.y,
        placement.rotation.z,
    ];
    let out = columns[axis] * sign;
    Separation {
        distance: -depth[axis],
        points: [point, point + out * depth[axis]],
        normal: -out,
    }
}
