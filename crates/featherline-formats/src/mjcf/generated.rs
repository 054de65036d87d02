//! Names of parts that have none.

use super::names::Part;
use super::reader::Reader;
use crate::description::Motion;

/// Gives a unique name to every link, joint, frame and loop that has none, in MuJoCo's numbers:
///
/// * the body with index 3: `body_3`; the joint with index 5: `joint_5`; the site with index 2:
///   `site_2`; the constraint with index 1 of those that close loops: `loop_1`;
/// * the fixed joint of a body without joints: `BODY_fixed`;
/// * the link without mass between two joints of a body: `BODY_before_JOINT`, after the joint that
///   follows it.
///
/// Underscores follow where a name is taken.
pub(super) fn fill(reader: &mut Reader<'_, '_, '_>) {
    let description = &mut *reader.description;
    let is_between = &reader.is_between;
    let mut bodies = 0;
    for (link, &between) in description.links.iter_mut().zip(is_between) {
        if !between {
            if link.name.is_empty() {
                link.name = reader.names.unused(Part::Body, format!("body_{bodies}"));
            }
            bodies += 1;
        }
    }
    let mut moving = 0;
    for joint in &mut description.joints {
        let is_fixed = joint.motion == Motion::Fixed;
        if joint.name.is_empty() {
            let name = match is_fixed {
                true => format!("{}_fixed", description.links[joint.child].name),
                false => format!("joint_{moving}"),
            };
            joint.name = reader.names.unused(Part::Joint, name);
        }
        moving += usize::from(!is_fixed);
    }
    // The body of a link between joints is the first one below it.
    for i in (0..description.joints.len()).rev() {
        let link = description.joints[i].child;
        if is_between[link]
            && let Some(next) = description.joints.get(i + 1)
        {
            let below = description.joints[i + 1..].iter().map(|it| it.child);
            let body = below
                .into_iter()
                .find(|&it| !is_between[it])
                .unwrap_or(link);
            let name = format!("{}_before_{}", description.links[body].name, next.name);
            description.links[link].name = reader.names.unused(Part::Body, name);
        }
    }
    for (i, frame) in description.frames.iter_mut().enumerate() {
        if frame.name.is_empty() {
            frame.name = reader.names.unused(Part::Site, format!("site_{i}"));
        }
    }
    for (i, closing) in description.loops.iter_mut().enumerate() {
        let name = match closing.name.is_empty() {
            true => format!("loop_{i}"),
            false => closing.name.clone(),
        };
        closing.name = reader.names.unused(Part::Joint, name);
    }
}
