//! Rotations and poses, in the five ways that MJCF has.

use super::attributes::Attributes;
use super::compiler::Compiler;
use crate::description::z_to;
use crate::error::ErrorCause;
use crate::report::{Outcome, fault};
use crate::value::{self, exact_sin_cos, largest};
use featherline::spatial::{Mat3, Se3, Vec3};

/// The attributes of a rotation.
pub(super) const WAYS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// The shortest vector that has a direction, as in MuJoCo.
const SHORTEST: f64 = 1e-14;

/// The position and rotation of an element.
pub(super) fn pose(attributes: &Attributes<'_>, compiler: &Compiler) -> Outcome<Se3<f64>> {
    let position = attributes.vector("pos")?.unwrap_or_else(Vec3::zero);
    let rotation = rotation(attributes, compiler)?.unwrap_or_else(Mat3::identity);
    Ok(Se3::new(rotation, position))
}

/// The rotation of an element, if it has one. Of an element and its defaults, the nearest that has
/// a rotation counts.
pub(super) fn rotation(
    attributes: &Attributes<'_>,
    compiler: &Compiler,
) -> Outcome<Option<Mat3<f64>>> {
    let Some(element) = attributes.nearest(&WAYS) else {
        return Ok(None);
    };
    let mut ways = WAYS.iter().filter(|way| element.attribute(way).is_some());
    let way = *ways.next().unwrap_or(&"quat");
    if let Some(second) = ways.next() {
        let cause = ErrorCause::SeveralRotations { first: way, second };
        return Err(fault(element.source(), cause));
    }
    let direction = |v: Vec3<f64>| direction(v, attributes, way);
    Ok(match way {
        "quat" => stated_quaternion(attributes, "quat")?,
        "axisangle" => match attributes.numbers("axisangle")? {
            Some([x, y, z, angle]) => {
                let (sin, cos) = exact_sin_cos(angle * compiler.angle);
                let axis = direction(Vec3::new(x, y, z))?;
                Some(Mat3::from_axis_sin_cos(axis, sin, cos))
            }
            None => None,
        },
        "xyaxes" => match attributes.numbers("xyaxes")? {
            Some([a, b, c, d, e, f]) => {
                let x = direction(Vec3::new(a, b, c))?;
                let y = Vec3::new(d, e, f);
                let y = direction(y - x * x.dot(y))?;
                Some(Mat3::from_columns(x, y, x.cross(y)))
            }
            None => None,
        },
        "zaxis" => match attributes.vector("zaxis")? {
            Some(z) => Some(z_to(direction(z)?)),
            None => None,
        },
        _ => attributes.vector("euler")?.map(|it| euler(it, compiler)),
    })
}

/// The rotation of Euler angles: about axes of the rotated frame for lower letters, of the fixed
/// one for capitals.
pub(super) fn euler(angles: Vec3<f64>, compiler: &Compiler) -> Mat3<f64> {
    let mut rotation = Mat3::identity();
    for (letter, angle) in compiler.euler_sequence.into_iter().zip(angles.to_array()) {
        let axis = Vec3::unit(usize::from(letter.to_ascii_lowercase() - b'x'));
        let (sin, cos) = exact_sin_cos(angle * compiler.angle);
        let turn = Mat3::from_axis_sin_cos(axis, sin, cos);
        rotation = match letter.is_ascii_lowercase() {
            true => rotation.mul_mat(&turn),
            false => turn.mul_mat(&rotation),
        };
    }
    rotation
}

/// The rotation of a quaternion w, x, y, z of any length but zero.
pub(super) fn quaternion([w, x, y, z]: [f64; 4]) -> Option<Mat3<f64>> {
    value::quaternion([x, y, z, w])
}

/// The rotation of the quaternion in an attribute, if it is there.
pub(super) fn stated_quaternion(
    attributes: &Attributes<'_>,
    name: &'static str,
) -> Outcome<Option<Mat3<f64>>> {
    let Some(wxyz) = attributes.numbers(name)? else {
        return Ok(None);
    };
    let zero = || fault(attributes.source(name), ErrorCause::ZeroQuaternion);
    quaternion(wxyz).map(Some).ok_or_else(zero)
}

/// A vector of unit length, if it has a direction.
fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let largest = largest(&v.to_array());
    (largest >= SHORTEST).then(|| (v * (1.0 / largest)).normalised())
}

/// The direction that an attribute states, as a vector of unit length.
pub(super) fn direction(
    v: Vec3<f64>,
    attributes: &Attributes<'_>,
    name: &str,
) -> Outcome<Vec3<f64>> {
    unit(v).ok_or_else(|| fault(attributes.source(name), ErrorCause::ZeroAxis))
}
