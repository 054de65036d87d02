//! States of groups, as configurations of the whole robot: `<group_state>`.

use super::parts::{JointName, Parts};
use crate::description::{
    Configuration, Description, GroupState, Joint, Motion, ROOT_JOINT, free_name,
};
use crate::error::ErrorCause;
use crate::report::{Outcome, Report, fault, not_allowed};
use crate::value::{number_count, required, required_name, some_numbers};
use crate::warning::WarningCause;
use crate::xml::{Element, shortened};
use featherline::Model;
use featherline::joint::JointKind;
use std::collections::HashSet;

/// How far the value of a mimic joint may be from what the joint that it mimics gives it: printed
/// figures.
const PRINTED: f64 = 1e-3;

/// Reads the states. One with a mistake is left out; of a joint with a mistake, the value is.
pub(super) fn read(
    elements: &[Element<'_>],
    parts: &Parts,
    description: &mut Description,
    mut model: Option<&mut Model>,
    report: &mut Report<'_>,
) {
    let known = description.configurations.iter();
    let mut names: HashSet<String> = known.map(|it| it.name.clone()).collect();
    for &element in elements {
        report.unused_except(element, &["name", "group"], &["joint"]);
        let name = match required_name(element, "name") {
            Ok(name) => name,
            Err(fault) => {
                report.left_out("the group state", *fault);
                continue;
            }
        };
        let group = match parts.group(element, "group") {
            Ok(group) => Some(group),
            Err(fault) => {
                report.left_out("the group of the state", *fault);
                None
            }
        };
        let mut configuration = Configuration::new(name, Vec::new());
        configuration.source = element.source();
        for joint in element.children().filter(|it| it.tag() == "joint") {
            report.unused_except(joint, &["name", "value"], &[]);
            match values(joint, parts, description, model.as_deref()) {
                Ok(Values::Joint(index, values)) => {
                    check_limits(joint, &description.joints[index], &values, report);
                    configuration.joints.push((index, values));
                }
                Ok(Values::Root(values)) => configuration.root = Some(values),
                Ok(Values::Unused(what)) => report.unused(what.to_owned(), joint.source()),
                Err(fault) => report.left_out("the value of the joint", *fault),
            }
        }
        if names.contains(name) {
            let group = group.map(|index| &description.semantics.groups[index].name);
            configuration.name = unused(name, group, &names);
            let cause = WarningCause::OtherName {
                what: "the group state",
                name: shortened(name),
                taken: shortened(&configuration.name),
            };
            report.warn(element.source(), cause);
        }
        if let Some(model) = model.as_deref_mut() {
            check_mimic_joints(element, &configuration, description, model, report);
            let entries = description.entries(&configuration, model);
            let named = entries.and_then(|q| {
                let (model, name) = (model.clone(), &configuration.name);
                let named = model.with_reference_configuration(name, q);
                named.map_err(|error| fault(element.source(), ErrorCause::Model(error)))
            });
            match named {
                Ok(named) => *model = named,
                Err(fault) => {
                    report.left_out("the group state", *fault);
                    continue;
                }
            }
        }
        names.insert(configuration.name.clone());
        description.semantics.states.push(GroupState {
            name: name.to_owned(),
            group,
            configuration: configuration.name.clone(),
            source: element.source(),
        });
        description.configurations.push(configuration);
    }
}

/// A name that no configuration has.
fn unused(name: &str, group: Option<&String>, names: &HashSet<String>) -> String {
    let start = match group {
        Some(group) => format!("{group}/{name}"),
        None => format!("{name}_"),
    };
    free_name(start, |it| names.contains(it))
}

/// The values of a joint in a state.
enum Values {
    /// Of a joint, by its index: its entries of q.
    Joint(usize, Vec<f64>),
    /// Of the joint that moves a floating base.
    Root([f64; 7]),
    /// Of none that has any, for a reason.
    Unused(&'static str),
}

fn values(
    element: Element<'_>,
    parts: &Parts,
    description: &Description,
    model: Option<&Model>,
) -> Outcome<Values> {
    let name = parts.joint(element, "name")?;
    let source = required(element, "value")?.source;
    let values = some_numbers(element, "value", usize::MAX)?;
    let expected = match name {
        JointName::Virtual(_) => return Ok(Values::Unused("the value of a virtual joint")),
        JointName::Root => 7,
        JointName::Joint(index) => {
            let joint = &description.joints[index];
            if joint.motion == Motion::Fixed {
                return Ok(Values::Unused("the value of a fixed joint"));
            }
            joint.motion.kind().nq()
        }
    };
    let count = number_count(source, "value", expected, values.len());
    let JointName::Joint(index) = name else {
        let values = <[f64; 7]>::try_from(&values[..]).map_err(|_| count)?;
        check_length("the quaternion", &values[3..], element)?;
        let floats = model.is_none_or(|model| {
            let root = model.joint_id(ROOT_JOINT);
            root.is_ok_and(|id| model.joint(id).kind == JointKind::FreeFlyer)
        });
        return Ok(match floats {
            true => Values::Root(values),
            false => Values::Unused("the value of `root_joint`, which only a floating base has,"),
        });
    };
    let joint = &description.joints[index];
    let values = match (&joint.motion, &values[..]) {
        (Motion::Planar { .. }, &[x, y, angle]) => vec![x, y, angle.cos(), angle.sin()],
        (Motion::Other(JointKind::RevoluteUnbounded { .. }), &[angle]) => {
            vec![angle.cos(), angle.sin()]
        }
        (_, given) if given.len() == expected || is_turn(joint, given) => values,
        _ => return Err(count),
    };
    match (&joint.motion.kind(), &values[..]) {
        (JointKind::Revolute { .. }, turn @ [_, _]) => {
            check_length("the cosine and sine", turn, element)?;
        }
        (JointKind::FreeFlyer, [_, _, _, quaternion @ ..]) => {
            check_length("the quaternion", quaternion, element)?;
        }
        (JointKind::Spherical, quaternion) => check_length("the quaternion", quaternion, element)?,
        _ => {}
    }
    Ok(Values::Joint(index, values))
}

/// Whether values are the cosine and sine of a continuous joint.
fn is_turn(joint: &Joint, values: &[f64]) -> bool {
    matches!(joint.motion, Motion::Continuous { .. }) && values.len() == 2
}

/// Fails for a quaternion or a (cos, sin) that is not of length one, to printed figures.
fn check_length(what: &str, values: &[f64], element: Element<'_>) -> Outcome<()> {
    let square: f64 = values.iter().map(|x| x * x).sum();
    if (square - 1.0).abs() < PRINTED {
        return Ok(());
    }
    let what = format!("{what} in `value` has length {}", square.sqrt());
    let source = required(element, "value")?.source;
    Err(not_allowed(source, what, "give it length one"))
}

/// Warns of a displacement outside the joint's limits, by more than printed figures explain.
fn check_limits(element: Element<'_>, joint: &Joint, values: &[f64], report: &mut Report<'_>) {
    let limits = (&joint.limits.lower[..], &joint.limits.upper[..]);
    let (&[value], (&[lower], &[upper])) = (values, limits) else {
        return;
    };
    let margin = PRINTED * (upper - lower).clamp(0.0, 1.0);
    if (lower - margin..=upper + margin).contains(&value) {
        return;
    }
    let source = element.attribute("value").map(|it| it.source);
    let cause = WarningCause::StateOutsideLimits {
        joint: shortened(&joint.name),
        value,
        lower,
        upper,
    };
    report.warn(source.unwrap_or(element.source()), cause);
}

/// Warns of values of mimic joints: they follow from the joints that they mimic.
fn check_mimic_joints(
    element: Element<'_>,
    configuration: &Configuration,
    description: &Description,
    model: &Model,
    report: &mut Report<'_>,
) {
    let value = |name: &str| {
        let mut given = configuration.joints.iter();
        let given = given.find(|(index, _)| description.joints[*index].name == name);
        given.map_or(0.0, |(_, values)| values[0])
    };
    for (index, values) in &configuration.joints {
        let name = &description.joints[*index].name;
        let mimic = model
            .joint_id(name)
            .ok()
            .and_then(|id| model.joint(id).mimic);
        let Some(mimic) = mimic else { continue };
        let mimicked = &model.joint(mimic.source).name;
        let follows = mimic.ratio * value(mimicked) + mimic.offset;
        let mut elements = element.children();
        let named = |it: &Element<'_>| it.attribute("name").is_some_and(|it| it.value == name);
        let source = elements.find(named).unwrap_or(element).source();
        if (follows - values[0]).abs() <= PRINTED * follows.abs().max(1.0) {
            report.unused("the value of a mimic joint".to_owned(), source);
            continue;
        }
        let cause = WarningCause::MimicState {
            joint: shortened(name),
            mimicked: shortened(mimicked),
            follows,
            stated: values[0],
        };
        report.warn(source, cause);
    }
}
