//! Keyframes, and the reference configuration, as named configurations.

use super::attributes::Attributes;
use super::orientation::quaternion;
use super::reader::Reader;
use super::settings::settings;
use crate::description::{Activation, Configuration, ForceLaw};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault};
use crate::value::{number_count, some_numbers};
use crate::xml::Element;
use featherline::spatial::{Mat3, Quaternion, Se3, Vec3};

/// The name of the reference configuration, which MuJoCo's models have under this name.
pub(super) const REFERENCE: &str = "qpos0";

/// Reads the keyframes in `<keyframe>`, after the reference configuration. One with a mistake is
/// left out.
pub(super) fn read<'a>(reader: &mut Reader<'a, '_, '_>, root: Element<'a>) {
    let reference = reader.joints.iter().flat_map(|it| it.reference.clone());
    let reference: Vec<f64> = reference.collect();
    if !reference.is_empty() {
        let mut configuration = Configuration::new(REFERENCE, entries(reader, &reference));
        configuration.source = root.source();
        reader.description.configurations.push(configuration);
    }
    let mut index = 0;
    for model in 0..reader.models.len() {
        for element in reader.elements(model, "keyframe") {
            match key(reader, element, (model, index)) {
                Ok(configuration) => reader.description.configurations.push(configuration),
                Err(fault) => reader.report.left_out("the keyframe", *fault),
            }
            index += 1;
        }
    }
}

/// A keyframe of a model, which is so many after the first. It says nothing of the parts of other
/// models: their joints are in the reference configuration.
fn key(
    reader: &Reader<'_, '_, '_>,
    element: Element<'_>,
    (model, index): (usize, usize),
) -> Outcome<Configuration> {
    let is_own = |of: &usize| reader.is_within(*of, model);
    let own: Vec<bool> = reader.models_of_joints.iter().map(is_own).collect();
    let joints = reader.joints.iter().zip(&own);
    let sizes = joints.clone().filter(|(_, own)| **own);
    let size = sizes.map(|(it, _)| it.reference.len()).sum();
    let mut stated = stated(element, "qpos", size)?.into_iter().flatten();
    let mut q = Vec::new();
    for (joint, &own) in joints {
        let reference = joint.reference.iter();
        q.extend(reference.map(|at| own.then(|| stated.next()).flatten().unwrap_or(*at)));
    }
    let name = match element.name() {
        "" => format!("key_{index}"),
        name => name.to_owned(),
    };
    let known = &reader.description.configurations;
    if known.iter().any(|it| it.name == name) {
        let cause = ErrorCause::DuplicateName {
            what: "configurations",
            name,
            first_line: 1,
        };
        return Err(fault(element.source(), cause));
    }
    let mut configuration = Configuration::new(name, entries(reader, &q));
    let joints = configuration.joints.iter().filter(|(joint, _)| own[*joint]);
    configuration.velocities = velocities(reader, element, joints)?;
    if element.attribute("ctrl").is_some() {
        let controls = some_numbers(element, "ctrl", usize::MAX)?;
        // An actuator that was left out leaves no place for its control.
        let actuators = reader.models_of_actuators.iter().enumerate();
        let actuators = actuators.filter(|(_, of)| is_own(of)).map(|it| it.0);
        if controls.len() == actuators.clone().count() {
            configuration.controls = actuators.zip(controls).collect();
        }
    }
    if element.attribute("act").is_some() {
        let activations = some_numbers(element, "act", usize::MAX)?;
        let actuators = reader.description.actuators.iter().enumerate();
        // Laws that are not read may have activations, too.
        let has_own =
            |law: &Option<ForceLaw>| law.is_none_or(|it| it.activation != Activation::Direct);
        let own = actuators.filter(|it| has_own(&it.1.law)).map(|it| it.0);
        let own: Vec<usize> = own.collect();
        if own.len() == activations.len() {
            configuration.activations = own.into_iter().zip(activations).collect();
        }
    }
    configuration.moved = moved(reader, element, &own)?;
    let attributes = Attributes::alone(element);
    configuration.settings = settings("keyframe/key", &attributes);
    configuration.source = element.source();
    Ok(configuration)
}

/// The numbers in an attribute, if it is there.
fn stated(
    element: Element<'_>,
    attribute: &'static str,
    expected: usize,
) -> Outcome<Option<Vec<f64>>> {
    if element.attribute(attribute).is_none() {
        return Ok(None);
    }
    let numbers = some_numbers(element, attribute, usize::MAX)?;
    match numbers.len() == expected {
        true => Ok(Some(numbers)),
        false => Err(number_count(
            element.source(),
            attribute,
            expected,
            numbers.len(),
        )),
    }
}

/// Where a keyframe puts bodies that the user moves: positions, and quaternions w, x, y, z. `own`
/// says which joints are of its model.
fn moved(
    reader: &Reader<'_, '_, '_>,
    element: Element<'_>,
    own: &[bool],
) -> Outcome<Vec<(usize, Se3<f64>)>> {
    let description = &reader.description;
    let joints = description.joints.iter().zip(own);
    let links = joints.filter(|(it, own)| **own && description.links[it.child].is_moved);
    let links: Vec<usize> = links.map(|(it, _)| it.child).collect();
    let positions = stated(element, "mpos", 3 * links.len())?;
    let quaternions = stated(element, "mquat", 4 * links.len())?;
    if positions.is_none() && quaternions.is_none() {
        return Ok(Vec::new());
    }
    let moved = links.iter().enumerate().map(|(k, &link)| {
        let mut placement = reader.placements[link];
        if let Some(own) = positions.as_ref().map(|all| &all[3 * k..3 * k + 3]) {
            placement.translation = Vec3::new(own[0], own[1], own[2]);
        }
        if let Some(own) = quaternions.as_ref().map(|all| &all[4 * k..4 * k + 4]) {
            let stated = quaternion([own[0], own[1], own[2], own[3]]);
            placement.rotation = stated.unwrap_or(Mat3::identity());
        }
        (link, placement)
    });
    Ok(moved.collect())
}

/// The entries of q of each joint, from those of MuJoCo: quaternions w, x, y, z become x, y, z, w.
fn entries(reader: &Reader<'_, '_, '_>, qpos: &[f64]) -> Vec<(usize, Vec<f64>)> {
    let mut entries = Vec::new();
    let mut rest = qpos;
    for (joint, data) in reader.joints.iter().enumerate() {
        let (own, others) = rest.split_at(data.reference.len().min(rest.len()));
        rest = others;
        let own = match *own {
            [] => continue,
            [w, x, y, z] => unit([x, y, z, w]).to_vec(),
            [a, b, c, w, x, y, z] => [&[a, b, c][..], &unit([x, y, z, w])].concat(),
            _ => own.to_vec(),
        };
        entries.push((joint, own));
    }
    entries
}

/// The entries of v of each joint, from those of MuJoCo: the linear velocity of a free joint is
/// along the axes of the world there, and along those of the body here.
fn velocities<'q>(
    reader: &Reader<'_, '_, '_>,
    element: Element<'_>,
    joints: impl Iterator<Item = &'q (usize, Vec<f64>)> + Clone,
) -> Outcome<Vec<(usize, Vec<f64>)>> {
    let size = |joint: usize| reader.description.joints[joint].motion.kind().nv();
    let expected = joints.clone().map(|(joint, _)| size(*joint)).sum();
    let mut velocities = Vec::new();
    let Some(qvel) = stated(element, "qvel", expected)? else {
        return Ok(velocities);
    };
    let mut rest = &qvel[..];
    for (joint, q) in joints {
        let (own, others) = rest.split_at(size(*joint));
        rest = others;
        let own = match (own, &q[..]) {
            (&[x, y, z, a, b, c], &[_, _, _, qx, qy, qz, qw]) => {
                let rotation = Quaternion::new(qx, qy, qz, qw).to_rotation();
                let linear = rotation.tr_mul_vec(Vec3::new(x, y, z));
                [&linear.to_array()[..], &[a, b, c]].concat()
            }
            _ => own.to_vec(),
        };
        velocities.push((*joint, own));
    }
    Ok(velocities)
}

/// A quaternion of unit length; of zero length, no rotation.
fn unit(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    match length > 0.0 && length.is_finite() {
        true => q.map(|x| x / length),
        false => [0.0, 0.0, 0.0, 1.0],
    }
}
