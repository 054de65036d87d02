//! Writing an SRDF.

use crate::description::{
    Configuration, Description, Motion, Owner, ROOT_JOINT, Source, free_name,
};
use crate::error::{Error, ErrorCause};
use crate::report::{Outcome, Report, fault};
use crate::written::{MARK, Written};
use crate::xml::{Text, number, numbers, shortened, vector};

/// The group of the states that belong to none.
const ALL: &str = "all";

/// Writes what a description says of the parts of its robot as an SRDF: groups, named
/// configurations as states, pairs of links that do not collide, end effectors, virtual and passive
/// joints, spheres, properties, rotors, and the elements that an SRDF had beside them.
///
/// A configuration that belongs to no group, such as a key frame of an MJCF file, is a state of a
/// group of all joints. Velocities and controls of configurations are no part of an SRDF: each is a
/// warning. Cost: linear in the size of the description.
///
/// ```
/// use featherline_formats::{load_str, srdf};
///
/// let arm = load_str(
///     "<robot name='arm'>
///        <link name='base'/> <link name='upper'/>
///        <joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/></joint>
///      </robot>",
/// )?;
/// let states = "<robot name='arm'>
///     <group name='arm'><joint name='shoulder'/></group>
///     <group_state name='up' group='arm'><joint name='shoulder' value='1.5'/></group_state>
///   </robot>";
/// let written = srdf::to_string(&arm.clone().with_srdf_str(states)?.description)?;
/// let again = arm.with_srdf_str(&written.text)?;
/// assert_eq!(again.model.reference_configurations()["up"], [1.5]);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`ErrorCause::NoSuchPart`] for an index of a link or joint that the description does not have.
pub fn to_string(description: &Description) -> Result<Written, Error> {
    let mut report = Report::new(&description.sources);
    let text = robot(description, &mut report).map_err(|fault| report.error(*fault))?;
    Ok(Written::new(text, Vec::new(), report))
}

/// Whether there is something that an SRDF has a place for.
pub(crate) fn is_needed(description: &Description) -> bool {
    let semantics = &description.semantics;
    !description.contact_exclusions.is_empty()
        || description.stated_configurations().next().is_some()
        || description.rotors().next().is_some()
        || !semantics.groups.is_empty()
        || !semantics.end_effectors.is_empty()
        || !semantics.virtual_joints.is_empty()
        || !semantics.passive_joints.is_empty()
        || !semantics.enabled_collisions.is_empty()
        || !semantics.disabled_by_default.is_empty()
        || !semantics.spheres.is_empty()
        || !semantics.joint_properties.is_empty()
        || description.kept.iter().any(|it| it.format == "SRDF")
}

fn robot(description: &Description, report: &mut Report<'_>) -> Outcome<String> {
    let semantics = &description.semantics;
    let names = Names(description);
    let mut out = Text::default();
    out.element(&format!("<!-- {MARK}. -->"));
    out.open("robot", &[("name", description.name.clone())]);
    for joint in &semantics.virtual_joints {
        let attributes = [
            ("name", joint.name.clone()),
            ("type", joint.kind.clone()),
            ("parent_frame", joint.parent_frame.clone()),
            ("child_link", names.link(joint.child, joint.source)?),
        ];
        out.empty("virtual_joint", &attributes);
    }
    for group in &semantics.groups {
        out.open("group", &[("name", group.name.clone())]);
        if group.has_root {
            out.empty("joint", &[("name", ROOT_JOINT.to_owned())]);
        }
        for &joint in &group.virtual_joints {
            if let Some(joint) = semantics.virtual_joints.get(joint) {
                out.empty("joint", &[("name", joint.name.clone())]);
            }
        }
        for &link in &group.links {
            out.empty("link", &[("name", names.link(link, group.source)?)]);
        }
        for &[base, tip] in &group.chains {
            let base = ("base_link", names.link(base, group.source)?);
            let tip = ("tip_link", names.link(tip, group.source)?);
            out.empty("chain", &[base, tip]);
        }
        for &other in &group.subgroups {
            out.empty("group", &[("name", names.group(other, group.source)?)]);
        }
        for &joint in &group.joints {
            out.empty("joint", &[("name", names.joint(joint, group.source)?)]);
        }
        out.close("group");
    }
    write_states(&names, &mut out, report)?;
    for effector in &semantics.end_effectors {
        let mut attributes = vec![
            ("name", effector.name.clone()),
            ("parent_link", names.link(effector.parent, effector.source)?),
        ];
        let groups = [
            ("group", effector.group),
            ("parent_group", effector.parent_group),
        ];
        for (attribute, group) in groups {
            if let Some(group) = group {
                attributes.push((attribute, names.group(group, effector.source)?));
            }
        }
        out.empty("end_effector", &attributes);
    }
    for &joint in &semantics.passive_joints {
        let name = names.joint(joint, description.source)?;
        out.empty("passive_joint", &[("name", name)]);
    }
    for pair in &description.contact_exclusions {
        let pair = names.pair(pair.links, &pair.reason, pair.source)?;
        out.empty("disable_collisions", &pair);
    }
    for &link in &semantics.disabled_by_default {
        let link = names.link(link, description.source)?;
        out.empty("disable_default_collisions", &[("link", link)]);
    }
    for pair in &semantics.enabled_collisions {
        let pair = names.pair(pair.links, &pair.reason, pair.source)?;
        out.empty("enable_collisions", &pair);
    }
    for link in &semantics.spheres {
        let name = names.link(link.link, link.source)?;
        out.open("link_sphere_approximation", &[("link", name)]);
        for (center, radius) in &link.spheres {
            let center = ("center", vector(*center));
            out.empty("sphere", &[center, ("radius", number(*radius))]);
        }
        out.close("link_sphere_approximation");
    }
    for property in &semantics.joint_properties {
        let attributes = [
            ("joint_name", property.joint.clone()),
            ("property_name", property.name.clone()),
            ("value", property.value.clone()),
        ];
        out.empty("joint_property", &attributes);
    }
    if description.rotors().next().is_some() {
        out.open("rotor_params", &[]);
        for joint in description.rotors() {
            let attributes = [
                ("name", joint.name.clone()),
                ("mass", numbers(&joint.drive.rotor_inertia)),
                ("gear_ratio", numbers(&joint.drive.gear_ratio)),
            ];
            out.empty("joint", &attributes);
        }
        out.close("rotor_params");
    }
    let kept = description.kept.iter();
    for element in kept.filter(|it| it.format == "SRDF" && it.owner == Owner::Robot) {
        out.element(&element.text);
    }
    out.close("robot");
    Ok(out.text)
}

/// Writes the configurations, and the group of those that belong to none.
fn write_states(names: &Names<'_>, out: &mut Text, report: &mut Report<'_>) -> Outcome<()> {
    let description = names.0;
    let semantics = &description.semantics;
    let state = |configuration: &Configuration| {
        let mut states = semantics.states.iter();
        states.find(|it| it.configuration == configuration.name)
    };
    let is_free = |it: &Configuration| state(it).is_none_or(|it| it.group.is_none());
    let all = free_name(ALL, |it| semantics.group(it).is_some());
    if description.stated_configurations().any(is_free) {
        out.open("group", &[("name", all.clone())]);
        let joints = description.joints.iter();
        for joint in joints.filter(|it| it.motion != Motion::Fixed) {
            out.empty("joint", &[("name", joint.name.clone())]);
        }
        out.close("group");
    }
    for named in description.stated_configurations() {
        let state = state(named);
        let name = state.map_or(&named.name, |it| &it.name);
        let group = match state.and_then(|it| it.group) {
            Some(group) => names.group(group, named.source)?,
            None => all.clone(),
        };
        let attributes = [("name", name.clone()), ("group", group)];
        out.open("group_state", &attributes);
        let mut value = |joint: String, values: &[f64]| {
            out.empty("joint", &[("name", joint), ("value", numbers(values))]);
        };
        if let Some(root) = &named.root {
            value(ROOT_JOINT.to_owned(), root);
        }
        for (joint, values) in &named.joints {
            value(names.joint(*joint, named.source)?, values);
        }
        out.close("group_state");
        let beside = [
            ("velocities", named.velocities.is_empty()),
            ("controls", named.controls.is_empty()),
        ];
        for (what, is_empty) in beside {
            if !is_empty {
                let what = format!("what the configuration `{name}` states of {what}");
                report.lacks("SRDF", named.source, what);
            }
        }
    }
    Ok(())
}

/// The names of parts by their indices.
struct Names<'d>(&'d Description);

impl Names<'_> {
    fn link(&self, index: usize, source: Source) -> Outcome<String> {
        self.known(&self.0.links, |it| &it.name, "link", index, source)
    }

    fn joint(&self, index: usize, source: Source) -> Outcome<String> {
        self.known(&self.0.joints, |it| &it.name, "joint", index, source)
    }

    fn group(&self, index: usize, source: Source) -> Outcome<String> {
        let groups = &self.0.semantics.groups;
        self.known(groups, |it| &it.name, "group", index, source)
    }

    fn pair(
        &self,
        links: [usize; 2],
        reason: &str,
        source: Source,
    ) -> Outcome<Vec<(&'static str, String)>> {
        let [a, b] = links.map(|link| self.link(link, source));
        let mut pair = vec![("link1", a?), ("link2", b?)];
        if !reason.is_empty() {
            pair.push(("reason", reason.to_owned()));
        }
        Ok(pair)
    }

    fn known<T>(
        &self,
        parts: &[T],
        name: fn(&T) -> &String,
        what: &'static str,
        index: usize,
        source: Source,
    ) -> Outcome<String> {
        let missing = || {
            let cause = ErrorCause::NoSuchPart {
                owner: format!("`{}`", shortened(&self.0.name)),
                what,
                index,
                count: parts.len(),
            };
            fault(source, cause)
        };
        parts.get(index).map(name).cloned().ok_or_else(missing)
    }
}
