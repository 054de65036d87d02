//! Writing a URDF.

use crate::description::{Description, Form, Geometry, Joint, Kept, Link, Material, Motion, Owner};
use crate::error::{Error, ErrorCause};
use crate::report::{Outcome, Report, fault};
use crate::warning::{Warning, WarningCause};
use featherline::spatial::{Se3, Vec3};
use featherline_geometry::Shape;
use std::fmt::Write;

/// A text that was written, and what it lacks of the description.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// What the format can't express, each at its place in the files that the description was read
    /// from.
    pub warnings: Vec<Warning>,
}

/// Writes a description as a URDF.
///
/// Links and joints keep their order and names; materials come first, elements that were
/// [kept](crate::description::Kept) last. A link whose frame is not its joint's, as in MJCF, gets
/// the joint's frame, and all in it is placed there. Numbers are read back to the last bit;
/// rotations are written as roll, pitch and yaw, which rounds them. Bounds that are infinite are
/// left out. Cost: linear in the size of the description.
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
    let mut report = Report::new(&description.sources);
    let text = robot(description, &mut report).map_err(|fault| report.error(*fault))?;
    let warnings = report.into_warnings();
    Ok(Written { text, warnings })
}

fn robot(description: &Description, report: &mut Report<'_>) -> Outcome<String> {
    // The frame of each link in the frame that it has here: that of its joint.
    let mut placements = vec![Se3::identity(); description.links.len()];
    for joint in &description.joints {
        description.check_link(joint.parent, joint)?;
        description.check_link(joint.child, joint)?;
        placements[joint.child] = joint.child_placement;
    }
    let mut out = Text::default();
    let declared = description.prefixes.iter();
    let declared: Vec<_> = declared
        .map(|(it, uri)| (format!("xmlns:{it}"), uri))
        .collect();
    let mut attributes = vec![("name", description.name.clone())];
    attributes.extend(
        declared
            .iter()
            .map(|(name, uri)| (name.as_str(), (*uri).clone())),
    );
    out.open("robot", &attributes);
    for used in &description.materials {
        if !used.name.is_empty() {
            material(used, &mut out);
        }
    }
    for (i, each) in description.links.iter().enumerate() {
        link(i, each, &placements[i], description, &mut out, report);
    }
    for (i, each) in description.joints.iter().enumerate() {
        let parent = &placements[each.parent];
        joint(i, each, parent, description, &mut out, report)?;
    }
    out.kept(&description.kept, Owner::Robot);
    out.close("robot");
    if description
        .gravity
        .is_some_and(|g| g != Vec3::new(0.0, 0.0, -9.81))
    {
        lacks(report, description.source, "gravity");
    }
    for closing in &description.loops {
        lacks(
            report,
            closing.source,
            &format!("the loop joint `{}`", closing.name),
        );
    }
    for frame in &description.frames {
        lacks(report, frame.source, &format!("the frame `{}`", frame.name));
    }
    for named in &description.configurations {
        lacks(
            report,
            named.source,
            &format!("the configuration `{}`", named.name),
        );
    }
    Ok(out.text)
}

fn lacks(report: &mut Report<'_>, source: crate::description::Source, what: &str) {
    let what = what.to_owned();
    report.warn(
        source,
        WarningCause::NotWritten {
            what,
            format: "URDF",
        },
    );
}

fn link(
    index: usize,
    link: &Link,
    placement: &Se3<f64>,
    description: &Description,
    out: &mut Text,
    report: &mut Report<'_>,
) {
    out.open("link", &[("name", link.name.clone())]);
    if let Some(inertial) = &link.inertial {
        out.open("inertial", &[]);
        out.origin(&placement.compose(&inertial.placement));
        out.empty("mass", &[("value", number(inertial.mass))]);
        let [xx, xy, xz, yy, yz, zz] = inertial.moments.to_elements().map(number);
        out.empty(
            "inertia",
            &[
                ("ixx", xx),
                ("ixy", xy),
                ("ixz", xz),
                ("iyy", yy),
                ("iyz", yz),
                ("izz", zz),
            ],
        );
        out.close("inertial");
    }
    for geometry in description.geometry.iter().filter(|it| it.link == index) {
        let at = placement.compose(&geometry.placement);
        for (tag, is_wanted) in [
            ("visual", geometry.is_visual),
            ("collision", geometry.is_collision),
        ] {
            if is_wanted {
                shape(tag, geometry, &at, description, out, report);
            }
        }
    }
    out.kept(&description.kept, Owner::Link(index));
    out.close("link");
}

fn shape(
    tag: &'static str,
    geometry: &Geometry,
    placement: &Se3<f64>,
    description: &Description,
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
        Form::Shape(_) => {
            lacks(
                report,
                geometry.source,
                &format!("the shape `{}`", geometry.name),
            );
            return;
        }
    };
    match geometry.name.is_empty() {
        true => out.open(tag, &[]),
        false => out.open(tag, &[("name", geometry.name.clone())]),
    }
    out.origin(placement);
    out.open("geometry", &[]);
    out.empty(form, &attributes);
    out.close("geometry");
    if tag == "visual"
        && let Some(used) = geometry
            .material
            .and_then(|it| description.materials.get(it))
    {
        match used.name.is_empty() {
            true => material(used, out),
            // It is defined at the top.
            false => out.empty("material", &[("name", used.name.clone())]),
        }
    }
    out.close(tag);
}

fn material(material: &Material, out: &mut Text) {
    out.open("material", &[("name", material.name.clone())]);
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
    parent: &Se3<f64>,
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
    out.origin(&parent.compose(&joint.placement));
    let name = |link: usize| [("link", description.links[link].name.clone())];
    out.empty("parent", &name(joint.parent));
    out.empty("child", &name(joint.child));
    if let Some(axis) = axis {
        out.empty("axis", &[("xyz", vector(axis))]);
    }
    if joint.motion.has_one_displacement() {
        limits(joint, kind, out);
        dynamics(joint, out, report);
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
    out.kept(&description.kept, Owner::Joint(index));
    out.close("joint");
    Ok(())
}

fn limits(joint: &Joint, kind: &str, out: &mut Text) {
    let limits = &joint.limits;
    let mut attributes = Vec::new();
    // A limit without a range would be one of no range.
    if kind != "continuous" && (limits.lower[0].is_finite() || limits.upper[0].is_finite()) {
        attributes.push(("lower", number(limits.lower[0])));
        attributes.push(("upper", number(limits.upper[0])));
    }
    for (name, value) in [
        ("effort", limits.effort[0]),
        ("velocity", limits.velocity[0]),
        ("acceleration", limits.acceleration[0]),
    ] {
        if value.is_finite() {
            attributes.push((name, number(value)));
        }
    }
    if attributes.is_empty() {
        return;
    }
    if kind == "prismatic" && attributes[0].0 != "lower" {
        attributes.push(("lower", "-inf".to_owned()));
        attributes.push(("upper", "inf".to_owned()));
    }
    out.empty("limit", &attributes);
}

fn dynamics(joint: &Joint, out: &mut Text, report: &mut Report<'_>) {
    let drive = &joint.drive;
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
        ("rotor inertia", &drive.rotor_inertia),
        ("stiffness", &drive.stiffness),
    ] {
        if values[0] != 0.0 {
            lacks(
                report,
                joint.source,
                &format!("the {what} of joint `{}`", joint.name),
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

/// The shortest number that is read back to the last bit.
fn number(value: f64) -> String {
    match value {
        _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
        // No exponent where people do not expect one.
        _ if value == 0.0 || (1e-5..1e15).contains(&value.abs()) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

fn vector(v: Vec3<f64>) -> String {
    [v.x, v.y, v.z].map(number).join(" ")
}

/// The text of a file, with its elements indented.
#[derive(Default)]
struct Text {
    text: String,
    depth: usize,
    /// Whether nothing was written since the last opening tag.
    is_empty: bool,
}

impl Text {
    fn open(&mut self, tag: &str, attributes: &[(&str, String)]) {
        self.tag(tag, attributes, ">");
        self.depth += 1;
        self.is_empty = true;
    }

    fn close(&mut self, tag: &str) {
        self.depth -= 1;
        if std::mem::take(&mut self.is_empty) {
            self.text.truncate(self.text.len() - ">\n".len());
            self.text.push_str("/>\n");
            return;
        }
        let indent = 2 * self.depth;
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{:indent$}</{tag}>", "");
    }

    fn empty(&mut self, tag: &str, attributes: &[(&str, String)]) {
        self.tag(tag, attributes, "/>");
    }

    fn tag(&mut self, tag: &str, attributes: &[(&str, String)], end: &str) {
        let indent = 2 * self.depth;
        let _ = write!(self.text, "{:indent$}<{tag}", "");
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value));
        }
        let _ = writeln!(self.text, "{end}");
        self.is_empty = false;
    }

    /// A placement; none is the identity.
    fn origin(&mut self, placement: &Se3<f64>) {
        let mut attributes = Vec::new();
        if placement.translation != Vec3::zero() {
            attributes.push(("xyz", vector(placement.translation)));
        }
        let angles = placement.rotation.to_roll_pitch_yaw().map(angle);
        if angles != [0.0; 3] {
            attributes.push(("rpy", angles.map(number).join(" ")));
        }
        if !attributes.is_empty() {
            self.empty("origin", &attributes);
        }
    }

    /// The elements of an owner that were kept, as they were written.
    fn kept(&mut self, kept: &[Kept], owner: Owner) {
        let indent = 2 * self.depth;
        for element in kept.iter().filter(|it| it.owner == owner) {
            let _ = writeln!(self.text, "{:indent$}{}", "", element.text);
            self.is_empty = false;
        }
    }
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // A parser makes blanks of them otherwise.
            '\n' | '\r' | '\t' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
