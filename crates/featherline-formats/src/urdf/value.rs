//! Values of URDF's own.

use crate::error::ErrorCause;
use crate::report::{Fault, Outcome, Report, fault};
use crate::suggestion::meant;
use crate::value::{numbers, quaternion, roll_pitch_yaw, single, vector};
use crate::xml::{Element, shortened};
use featherline::spatial::{Mat3, Se3, Vec3};

/// The placement that an `<origin>` stands for.
fn placement(origin: Element<'_>) -> Outcome<Se3<f64>> {
    let translation = vector(origin, "xyz")?.unwrap_or_else(Vec3::zero);
    let (angles, xyzw) = (numbers(origin, "rpy")?, numbers(origin, "quat_xyzw")?);
    let rotation = match (angles, xyzw) {
        (Some(_), Some(_)) => return Err(fault(origin.source(), ErrorCause::TwoRotations)),
        (Some(angles), None) => roll_pitch_yaw(angles),
        (None, Some(xyzw)) => match quaternion(xyzw) {
            Some(rotation) => rotation,
            None => return Err(fault(origin.source(), ErrorCause::ZeroQuaternion)),
        },
        (None, None) => Mat3::identity(),
    };
    Ok(Se3::new(rotation, translation))
}

/// The placement of a part: that of its `<origin>`, or the identity.
pub(super) fn origin(parent: Element<'_>, report: &mut Report<'_>) -> Outcome<Se3<f64>> {
    match single(parent, "origin", report)? {
        Some(origin) => {
            report.unused_except(origin, &["xyz", "rpy", "quat_xyzw"], &[]);
            placement(origin)
        }
        None => Ok(Se3::identity()),
    }
}

/// The error of an element that is missing in another one, with the one that may be misspelt.
pub(super) fn missing(parent: Element<'_>, tag: &'static str) -> Box<Fault> {
    let mut tags = parent.children().map(Element::tag);
    let misspelt = tags.find(|it| meant(it, std::iter::once(tag)).is_some());
    let cause = ErrorCause::MissingElement {
        element: tag,
        misspelt: misspelt.map(shortened),
    };
    fault(parent.source(), cause)
}
