//! Writing a URDF.

use super::added_links::{AddedLink, added_links};
use super::read::MOMENTS;
use crate::description::{
    ContactDimension, Description, Form, Geometry, Joint, KeptElement, Link, Material, MeshFile,
    Motion, Owner, Setting, Source,
};
use crate::error::{Error, ErrorCause};
use crate::report::{Outcome, Report, fault};
use crate::resolve::{full, joined, name_from};
use crate::value::NO_BOUND;
use crate::written::Written;
use crate::xml::{Text, number, numbers, vector};
use featherline::model::Drive;
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::Shape;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Writes a description as a URDF.
///
/// Links and joints keep their order and names; materials come first, elements that were
/// [kept](crate::description::KeptElement) last. A frame becomes a link without mass on a fixed
/// joint. In URDF, the frame of a link is at its joint: where it is not, as in MJCF, another link
/// without mass is at the joint, and carries the link on a fixed one, so that its frame stays where
/// it was. Numbers are read back to the last bit; rotations are written as roll, pitch and yaw,
/// which rounds them. A bound that is infinite is left out, or 1e30 where the format requires a
/// number. Cost: linear in the size of the description.
///
/// ```
/// use featherline_formats::{load_str, urdf};
///
/// let text = "<robot name='stone'><link name='stone'/></robot>";
/// let written = urdf::to_string(&load_str(text)?.description)?;
/// assert!(written.warnings.is_empty());
/// assert_eq!(load_str(&written.text)?.model, load_str(text)?.model);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// [`ErrorCause::NotExpressible`] for a joint that URDF has no type for: what is left out of a
/// robot is a warning, but another motion would be another robot.
pub fn to_string(description: &Description) -> Result<Written, Error> {
    write(description, None, false)
}

/// [`to_string`], for a file in a folder: mesh files without a scheme such as `package://` are
/// named relative to it. [`to_string`] names them as the description does.
///
/// ```
/// use featherline_formats::{load_str, urdf};
///
/// let robot = load_str("<robot name='stone'><link name='stone'/></robot>")?;
/// let written = urdf::to_string_beside(&robot.description, "robots")?;
/// assert!(written.warnings.is_empty());
/// # Ok::<(), featherline_formats::Error>(())
/// ```
///
/// # Errors
/// As [`to_string`].
pub fn to_string_beside(
    description: &Description,
    folder: impl AsRef<Path>,
) -> Result<Written, Error> {
    write(description, Some(&full(folder.as_ref())), false)
}

/// [`to_string_beside`], for a URDF with an SRDF beside it, which has the rest.
pub(crate) fn to_string_with_srdf(
    description: &Description,
    folder: &Path,
) -> Result<Written, Error> {
    write(description, Some(&full(folder)), true)
}

/// Writes a description for a file in a folder, with an SRDF beside it or alone.
fn write(
    description: &Description,
    folder: Option<&Path>,
    has_srdf: bool,
) -> Result<Written, Error> {
    let mut moved = Cow::Borrowed(description);
    if let Some(folder) = folder {
        let source = description.sources.texts().first();
        let source = source.and_then(|it| it.path.as_deref()?.parent()).map(full);
        for geometry in &mut moved.to_mut().geometry {
            if let Form::Mesh(file) = &mut geometry.form {
                file.uri = name_of(file, source.as_deref(), folder);
            }
        }
    }
    let mut report = Report::new(&description.sources);
    let text = robot(&moved, has_srdf, &mut report).map_err(|fault| report.error(*fault))?;
    Ok(Written::new(text, Vec::new(), report))
}

/// The name of a mesh file in a file of a folder. One that was not found is where a description's
/// file in the folder `source` says.
fn name_of(file: &MeshFile, source: Option<&Path>, folder: &Path) -> String {
    if file.uri.contains("://") {
        return file.uri.clone();
    }
    let found = file.path.as_deref().map(full);
    let path = found.or_else(|| Some(joined(source?, &file.uri)));
    match path {
        Some(path) => name_from(&path, folder).to_string_lossy().into_owned(),
        None => file.uri.clone(),
    }
}

fn robot(description: &Description, has_srdf: bool, report: &mut Report<'_>) -> Outcome<String> {
    for joint in &description.joints {
        description.check_link(joint.parent, joint)?;
        description.check_link(joint.child, joint)?;
    }
    let mut out = Text::default();
    let declared = description.prefixes.iter();
    let declared = declared.map(|(it, uri)| (format!("xmlns:{it}"), uri.clone()));
    let declared: Vec<(String, String)> = declared.collect();
    let mut attributes = vec![("name", description.name.clone())];
    // Capsules are of this version.
    if description.geometry.iter().any(is_capsule) {
        attributes.push(("version", "1.1".to_owned()));
    }
    attributes.extend(
        declared
            .iter()
            .map(|(name, uri)| (name.as_str(), uri.clone())),
    );
    out.open("robot", &attributes);
    let materials = material_names(description, report);
    let mut defined = HashSet::new();
    for (used, name) in description.materials.iter().zip(&materials) {
        if let Some(name) = name.as_deref().filter(|it| defined.insert(*it)) {
            material(used, name, &mut out);
        }
    }
    for (i, each) in description.links.iter().enumerate() {
        link(i, each, (description, &materials), &mut out, report);
    }
    let added = added_links(description, report);
    for link in &added {
        out.empty("link", &[("name", link.name.clone())]);
    }
    for (i, each) in description.joints.iter().enumerate() {
        let carrier = added.iter().find(|it| it.carries == Some(i));
        joint(i, each, carrier, description, &mut out, report)?;
    }
    for link in &added {
        let name = ("name", link.joint_name.clone());
        out.open("joint", &[name, ("type", "fixed".to_owned())]);
        origin(&link.placement, &mut out);
        out.empty("parent", &[("link", link.parent.clone())]);
        out.empty("child", &[("link", link.child.clone())]);
        out.close("joint");
    }
    kept(description, Owner::Robot, &mut out);
    out.close("robot");
    let earth = Vec3::new(0.0, 0.0, -9.81);
    let disabled = description.disabled;
    for (is_lost, what) in [
        (description.gravity.is_some_and(|it| it != earth), "gravity"),
        (disabled.limits, "that limits of joints are disabled"),
        (disabled.contacts, "that contacts are disabled"),
        (disabled.parent_filter, "that links touch their parents"),
    ] {
        if is_lost {
            lacks(report, description.source, what);
        }
    }
    // Meshes are those of shapes, and how a compiler reads a file is no part of the robot.
    let is_part = |it: &&KeptElement| {
        it.format != "URDF"
            && it.tag != "mesh"
            && it.tag != "compiler"
            && !(has_srdf && it.format == "SRDF")
    };
    for element in description.kept.iter().filter(is_part) {
        lacks(report, element.source, format!("`<{}>`", element.tag));
    }
    for it in &description.actuators {
        lacks(report, it.source, format!("the actuator `{}`", it.name));
    }
    for it in &description.tendons {
        lacks(report, it.source, format!("the tendon `{}`", it.name));
    }
    for it in &description.sensors {
        lacks(report, it.source, format!("the sensor `{}`", it.name));
    }
    for it in &description.contact_pairs {
        lacks(report, it.source, format!("the contact pair `{}`", it.name));
    }
    for rule in &description.contact_rules {
        lacks(
            report,
            rule.source,
            "a rule of contacts between sets of links",
        );
    }
    // A property that a file states in its own words is a setting.
    for geometry in &description.geometry {
        let is_stated = Setting::find(&geometry.settings, "friction").is_some();
        let surface = geometry.surface.filter(|_| !is_stated).unwrap_or_default();
        let friction = surface.friction.filter(|it| *it != 1.0);
        let is_frictionless = surface.dimension == Some(ContactDimension::Frictionless);
        if friction.is_some()
            || is_frictionless
            || surface.restitution.is_some()
            || surface.softness.is_some()
        {
            let what = format!("the surface of the shape `{}`", geometry.name);
            lacks(report, geometry.source, what);
        }
    }
    for it in &description.loops {
        lacks(report, it.source, format!("the loop joint `{}`", it.name));
    }
    if has_srdf {
        return Ok(out.text);
    }
    for it in description.rotors() {
        let what = format!("the rotor inertia of joint `{}`", it.name);
        lacks(report, it.source, what);
    }
    for it in &description.contact_exclusions {
        let what = format!("the contact exclusion `{}`", it.name);
        lacks(report, it.source, what);
    }
    for it in description.stated_configurations() {
        lacks(
            report,
            it.source,
            format!("the configuration `{}`", it.name),
        );
    }
    Ok(out.text)
}

fn lacks(report: &mut Report<'_>, source: Source, what: impl Into<String>) {
    report.lacks("URDF", source, what);
}

fn link(
    index: usize,
    link: &Link,
    (description, materials): (&Description, &[Option<String>]),
    out: &mut Text,
    report: &mut Report<'_>,
) {
    out.open("link", &[("name", link.name.clone())]);
    if let Some(inertial) = &link.inertial {
        out.open("inertial", &[]);
        origin(&inertial.placement, out);
        out.empty("mass", &[("value", number(inertial.mass))]);
        let moments = inertial.moments.to_elements().map(number);
        let moments: Vec<_> = MOMENTS.into_iter().zip(moments).collect();
        out.empty("inertia", &moments);
        out.close("inertial");
    }
    for geometry in description.geometry.iter().filter(|it| it.link == index) {
        if !geometry.is_visual && !geometry.is_collision {
            let name = &geometry.name;
            let what = format!("the shape `{name}`, which is neither seen nor touches,");
            lacks(report, geometry.source, what);
        }
        for (tag, is_wanted) in [
            ("visual", geometry.is_visual),
            ("collision", geometry.is_collision),
        ] {
            if is_wanted {
                shape(tag, geometry, (description, materials), out, report);
            }
        }
    }
    kept(description, Owner::Link(index), out);
    out.close("link");
}

fn shape(
    tag: &'static str,
    geometry: &Geometry,
    (description, materials): (&Description, &[Option<String>]),
    out: &mut Text,
    report: &mut Report<'_>,
) {
    let (form, attributes) = match &geometry.form {
        Form::Shape(Shape::Cuboid(it)) => ("box", vec![("size", vector(it.sides))]),
        Form::Shape(Shape::Sphere(it)) => ("sphere", vec![("radius", number(it.radius))]),
        Form::Shape(Shape::Cylinder(it)) => {
            let length = ("length", number(it.length));
            ("cylinder", vec![("radius", number(it.radius)), length])
        }
        Form::Shape(Shape::Capsule(it)) => {
            let length = ("length", number(it.length));
            ("capsule", vec![("radius", number(it.radius)), length])
        }
        Form::Mesh(file) => {
            let mut attributes = vec![("filename", file.uri.clone())];
            if file.scale != Vec3::new(1.0, 1.0, 1.0) {
                attributes.push(("scale", vector(file.scale)));
            }
            ("mesh", attributes)
        }
        Form::Shape(_) | Form::Other { .. } => {
            lacks(
                report,
                geometry.source,
                format!("the shape `{}`", geometry.name),
            );
            return;
        }
    };
    match geometry.name.is_empty() {
        true => out.open(tag, &[]),
        false => out.open(tag, &[("name", geometry.name.clone())]),
    }
    origin(&geometry.placement, out);
    out.open("geometry", &[]);
    out.empty(form, &attributes);
    out.close("geometry");
    if tag == "visual"
        && let Some(index) = geometry.material
        && let Some(used) = description.materials.get(index)
    {
        match &materials[index] {
            // It is defined at the top.
            Some(name) => out.empty("material", &[("name", name.clone())]),
            None if used.name.is_empty() => material(used, "", out),
            None => {}
        }
    }
    out.close(tag);
}

fn is_capsule(geometry: &Geometry) -> bool {
    matches!(geometry.form, Form::Shape(Shape::Capsule(_)))
}

/// The names of materials in the file, where each look has a name of its own. None for those
/// without a name, and for those without a look, which readers refuse.
fn material_names(description: &Description, report: &mut Report<'_>) -> Vec<Option<String>> {
    let mut looks: HashMap<&str, Vec<&Material>> = HashMap::new();
    let mut names = Vec::with_capacity(description.materials.len());
    for material in &description.materials {
        let name = material.name.as_str();
        if name.is_empty() {
            names.push(None);
            continue;
        }
        if material.colour.is_none() && material.texture.is_none() {
            let what = format!("the material `{name}`, which has no colour,");
            lacks(report, material.source, what);
            names.push(None);
            continue;
        }
        let same = looks.entry(name).or_default();
        let number = same
            .iter()
            .position(|it| it.looks_like(material))
            .unwrap_or_else(|| {
                same.push(material);
                same.len() - 1
            });
        names.push(Some(match number {
            0 => name.to_owned(),
            more => format!("{name}_{}", more + 1),
        }));
    }
    names
}

fn material(material: &Material, name: &str, out: &mut Text) {
    out.open("material", &[("name", name.to_owned())]);
    if let Some(colour) = material.colour {
        let rgba = colour.map(number).join(" ");
        out.empty("color", &[("rgba", rgba)]);
    }
    if let Some(texture) = &material.texture {
        out.empty("texture", &[("filename", texture.clone())]);
    }
    out.close("material");
}

fn joint(
    index: usize,
    joint: &Joint,
    carrier: Option<&AddedLink>,
    description: &Description,
    out: &mut Text,
    report: &mut Report<'_>,
) -> Outcome<()> {
    let is_bounded = |bounds: &[f64]| bounds.iter().any(|bound| bound.is_finite());
    let has_range = is_bounded(&joint.limits.lower) || is_bounded(&joint.limits.upper);
    let (kind, axis) = match &joint.motion {
        Motion::Fixed => ("fixed", None),
        Motion::Floating => ("floating", None),
        Motion::Planar { normal } => ("planar", Some(*normal)),
        Motion::Prismatic { axis } => ("prismatic", Some(*axis)),
        // A revolute joint needs limits, which a continuous one has none of.
        Motion::Revolute { axis } if has_range => ("revolute", Some(*axis)),
        Motion::Revolute { axis } | Motion::Continuous { axis } => ("continuous", Some(*axis)),
        Motion::Other(_) => {
            let cause = ErrorCause::NotExpressible {
                format: "URDF",
                what: format!("the {} joint `{}`", joint.motion.name(), joint.name),
            };
            return Err(fault(joint.source, cause));
        }
    };
    let attributes = [("name", joint.name.clone()), ("type", kind.to_owned())];
    out.open("joint", &attributes);
    match joint.motion == Motion::Fixed {
        true => origin(&joint.placement.compose(&joint.child_placement), out),
        false => origin(&joint.placement, out),
    }
    let name = |link: usize| description.links[link].name.clone();
    let child = carrier.map_or_else(|| name(joint.child), |it| it.name.clone());
    out.empty("parent", &[("link", name(joint.parent))]);
    out.empty("child", &[("link", child)]);
    if let Some(axis) = axis {
        out.empty("axis", &[("xyz", vector(axis))]);
    }
    if joint.motion.has_one_displacement() {
        limits(joint, kind, out);
        let drive = description.disabled.left_of(&joint.drive);
        dynamics(joint, &drive, out, report);
    }
    if let Some(mimic) = &joint.mimic
        && let Some(source) = description.joints.get(mimic.joint)
    {
        let law = [
            ("joint", source.name.clone()),
            ("multiplier", number(mimic.ratio)),
            ("offset", number(mimic.offset)),
        ];
        out.empty("mimic", &law);
    }
    kept(description, Owner::Joint(index), out);
    out.close("joint");
    Ok(())
}

fn limits(joint: &Joint, kind: &str, out: &mut Text) {
    let limits = &joint.limits;
    let mut attributes = Vec::new();
    let given = [limits.effort[0], limits.velocity[0], limits.acceleration[0]];
    if kind == "continuous" && given.iter().all(|it| it.is_infinite()) {
        return;
    }
    // A limit without a range would be one of no range.
    if kind != "continuous" {
        attributes.push(("lower", bound(limits.lower[0])));
        attributes.push(("upper", bound(limits.upper[0])));
    }
    // The format requires both.
    attributes.push(("effort", bound(limits.effort[0])));
    attributes.push(("velocity", bound(limits.velocity[0])));
    if limits.acceleration[0].is_finite() {
        attributes.push(("acceleration", number(limits.acceleration[0])));
    }
    out.empty("limit", &attributes);
}

/// A bound; a number stands for none, because other readers refuse `inf` and a limit without it.
fn bound(value: f64) -> String {
    number(value.clamp(-NO_BOUND, NO_BOUND))
}

fn dynamics(joint: &Joint, drive: &Drive, out: &mut Text, report: &mut Report<'_>) {
    let mut attributes = Vec::new();
    for (name, values) in [("damping", &drive.damping), ("friction", &drive.friction)] {
        if values[0] != 0.0 {
            attributes.push((name, number(values[0])));
        }
    }
    if !attributes.is_empty() {
        out.empty("dynamics", &attributes);
    }
    for (what, values) in [
        ("armature", &drive.armature),
        ("stiffness", &drive.stiffness),
    ] {
        if values[0] != 0.0 {
            lacks(
                report,
                joint.source,
                format!("the {what} of joint `{}`", joint.name),
            );
        }
    }
}

/// An angle of a rotation, to 15 digits if that is as good: 0.1 rather than 0.09999999999999999.
fn angle(value: f64) -> f64 {
    let short: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    match (short - value).abs() <= f64::EPSILON {
        // Nor is −0 an angle that people write.
        true => short + 0.0,
        false => value,
    }
}

/// Writes a placement; none is the identity.
fn origin(placement: &Se3<f64>, out: &mut Text) {
    let mut attributes = Vec::new();
    if placement.translation != Vec3::zero() {
        // Nor is −0 a coordinate that people write.
        attributes.push(("xyz", vector(placement.translation + Vec3::zero())));
    }
    let angles = placement.rotation.to_roll_pitch_yaw().map(angle);
    if angles != [0.0; 3] {
        attributes.push(("rpy", numbers(&angles)));
    }
    if !attributes.is_empty() {
        out.empty("origin", &attributes);
    }
}

/// Writes the elements of an owner that were kept, as they were written.
fn kept(description: &Description, owner: Owner, out: &mut Text) {
    let kept = description.kept.iter();
    for element in kept.filter(|it| it.owner == owner && it.format == "URDF") {
        out.element(&element.text);
    }
}
