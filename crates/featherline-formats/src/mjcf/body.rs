//! Bodies, and what is in them.

use super::attach::attached;
use super::attributes::Attributes;
use super::bounds::bounded;
use super::compiler::InertiaFromGeom;
use super::contact;
use super::defaults::MAIN;
use super::geom::{Geom, from_to};
use super::joint;
use super::kept::set;
use super::names::Part;
use super::orientation::{euler, pose};
use super::reader::{JointData, Reader};
use super::schema::is_read_in_body;
use super::settings::settings;
use crate::description::{
    ContactMask, Form, Frame, Geometry, Joint, Link, Material, Motion, Surface,
};
use crate::error::ErrorCause;
use crate::report::{Outcome, fault, not_allowed};
use crate::value::{required, required_not_negative, required_number};
use crate::xml::{Element, numbers};
use featherline::model::FrameKind;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_geometry::Shape;
use std::rc::Rc;

/// The most bodies, geoms, sites and joints of a robot: a replicate may ask for any number.
const MAX_PARTS: usize = 1 << 18;

/// An element of a body, with what the frames and replicates around it say.
pub(super) struct Item<'a> {
    pub(super) element: Element<'a>,
    /// The placement of the frames around it in the body.
    pub(super) frame: Se3<f64>,
    /// The class that it has unless it names one.
    pub(super) class: usize,
    /// The suffix that replicates add to its name.
    suffix: Rc<str>,
    /// The model that it is part of.
    model: usize,
}

impl<'a> Item<'a> {
    /// An element of the model that is being read.
    pub(super) fn new(
        reader: &mut Reader<'a, '_, '_>,
        element: Element<'a>,
        frame: Se3<f64>,
        class: usize,
        suffix: &Rc<str>,
    ) -> Self {
        reader.copies.add(element.name(), suffix);
        Self {
            element,
            frame,
            class,
            suffix: Rc::clone(suffix),
            model: reader.model,
        }
    }

    /// The name of the element.
    pub(super) fn name(&self) -> String {
        let name = self.element.name();
        match name.is_empty() {
            true => String::new(),
            false => format!("{name}{}", self.suffix),
        }
    }
}

/// Reads the world, which is the root link.
pub(super) fn world<'a>(
    reader: &mut Reader<'a, '_, '_>,
    root: Element<'a>,
    worlds: &[Element<'a>],
) -> Outcome<()> {
    let mut link = Link::new("world");
    link.source = worlds.first().map_or(root.source(), |world| world.source());
    reader.name(Part::Body, "world", 0, link.source)?;
    add_link(reader, link, Se3::identity());
    let (mut items, here, suffix) = (Vec::new(), Se3::identity(), Rc::from(""));
    for &world in worlds {
        collect(reader, world, here, MAIN, &suffix, &mut items)?;
    }
    let fixed = |item: &&Item<'_>| matches!(item.element.tag(), "joint" | "freejoint" | "inertial");
    if let Some(item) = items.iter().find(fixed) {
        let what = format!("the world has no `<{}>`", item.element.tag());
        return Err(not_allowed(item.element.source(), what, "put it in a body"));
    }
    contents(reader, &items, 0)?;
    // Joints on bodies that the user moves.
    let carriers = reader.description.carriers();
    let joints = reader.description.joints.iter();
    let on_moved = joints.filter(|it| it.motion != Motion::Fixed && carriers[it.parent].is_some());
    for source in on_moved.map(|it| it.source).collect::<Vec<_>>() {
        let what = "a joint on a `mocap` body";
        reader.simplified(source, what, "it stays where the file puts that body");
    }
    Ok(())
}

fn add_link(reader: &mut Reader<'_, '_, '_>, link: Link, placement: Se3<f64>) -> usize {
    reader.placements.push(placement);
    reader.is_between.push(false);
    reader.inertias.push(Inertia::zero());
    reader.description.add_link(link)
}

/// Lists what is in a body; frames and replicates are opened.
pub(super) fn collect<'a>(
    reader: &mut Reader<'a, '_, '_>,
    outer: Element<'a>,
    frame: Se3<f64>,
    class: usize,
    suffix: &Rc<str>,
    items: &mut Vec<Item<'a>>,
) -> Outcome<()> {
    for element in reader.texts.children(outer) {
        reader.parts += 1;
        if reader.parts > MAX_PARTS {
            let (what, limit) = ("bodies, geoms, sites and joints", MAX_PARTS);
            let cause = ErrorCause::TooMany { what, limit };
            return Err(fault(element.source(), cause));
        }
        let own = Attributes::alone(element);
        match element.tag() {
            "frame" => {
                let within = frame.compose(&pose(&own, &reader.compiler)?);
                let class = reader.defaults.child_class(element, class)?;
                collect(reader, element, within, class, suffix, items)?;
            }
            "replicate" => replicate(reader, &own, frame, class, suffix, items)?,
            "attach" => attached(reader, &own, frame, suffix, items)?,
            _ => items.push(Item::new(reader, element, frame, class, suffix)),
        }
    }
    Ok(())
}

/// Lists what is in a replicate, so many times: each time in a frame that is moved by the offset
/// and rotated by the angles once more.
fn replicate<'a>(
    reader: &mut Reader<'a, '_, '_>,
    own: &Attributes<'a>,
    frame: Se3<f64>,
    class: usize,
    suffix: &Rc<str>,
    items: &mut Vec<Item<'a>>,
) -> Outcome<()> {
    let element = own.element();
    let count = required_number(element, "count")?;
    if count < 1.0 || count.fract() != 0.0 || count > MAX_PARTS as f64 {
        let (what, source) = (format!("`count` is {count}"), own.source("count"));
        return Err(not_allowed(
            source,
            what,
            "give it a whole number from one on",
        ));
    }
    let count = count as usize;
    let offset = own.vector("offset")?.unwrap_or_else(Vec3::zero);
    let angles = own.vector("euler")?.unwrap_or_else(Vec3::zero);
    let separator = own.text("sep").unwrap_or("");
    let digits = count.to_string().len();
    let mut position = Vec3::zero();
    for i in 0..count {
        let rotation = euler(angles * i as f64, &reader.compiler);
        let within = frame.compose(&Se3::new(rotation, position));
        let name = Rc::from(format!("{separator}{i:0digits$}{suffix}"));
        collect(reader, element, within, class, &name, items)?;
        // An empty replicate takes time, too.
        reader.parts += 1;
        position += rotation.mul_vec(offset);
    }
    Ok(())
}

/// Reads a body that is in a link.
fn body<'a>(reader: &mut Reader<'a, '_, '_>, item: &Item<'a>, parent: usize) -> Outcome<()> {
    let element = item.element;
    reader.enter(item.model);
    let own = Attributes::alone(element);
    let placement = item.frame.compose(&pose(&own, &reader.compiler)?);
    let class = reader.defaults.child_class(element, item.class)?;
    let (mut items, here) = (Vec::new(), Se3::identity());
    collect(reader, element, here, class, &item.suffix, &mut items)?;
    let in_world = reader.placements[parent].compose(&placement);
    let mut link = Link::new(item.name());
    link.source = element.source();
    link.carried_weight = own.number("gravcomp")?.unwrap_or(0.0);
    link.settings = settings("body", &own);

    let joints: Vec<&Item<'_>> = items
        .iter()
        .filter(|it| matches!(it.element.tag(), "joint" | "freejoint"))
        .collect();
    let mut above = parent;
    for (i, joint_item) in joints.iter().enumerate() {
        let (mut joint, data) =
            joint::read(reader, joint_item, joints.len(), parent, &placement, i == 0)?;
        joint.parent = above;
        above = match i + 1 == joints.len() {
            true => add_link(reader, link.clone(), in_world),
            false => {
                let mut between = Link::new("");
                between.source = joint.source;
                let between = add_link(reader, between, in_world);
                reader.is_between[between] = true;
                between
            }
        };
        joint.child = above;
        reader.add_joint(joint, data)?;
    }
    if joints.is_empty() {
        link.is_moved = own.flag("mocap")?.unwrap_or(false);
        if link.is_moved && parent > 0 {
            let what = "a `mocap` body in another body";
            reader.simplified(element.source(), what, "it moves with that body alone");
            link.is_moved = false;
        }
        above = add_link(reader, link, in_world);
        let mut fixed = Joint::new("", parent, above, Motion::Fixed);
        fixed.placement = placement;
        fixed.source = element.source();
        reader.add_joint(fixed, JointData::default())?;
    }
    let name = reader.description.links[above].name.clone();
    reader.name(Part::Body, &name, above, element.source())?;
    contents(reader, &items, above)
}

/// Reads what is in a link, and the bodies in it.
fn contents<'a>(reader: &mut Reader<'a, '_, '_>, items: &[Item<'a>], link: usize) -> Outcome<()> {
    let own = reader.model;
    let inertial = items.iter().find(|it| it.element.tag() == "inertial");
    let from_geoms = link > 0
        && match reader.compiler.inertia_from_geom {
            InertiaFromGeom::Never => false,
            InertiaFromGeom::Always => true,
            InertiaFromGeom::Auto => inertial.is_none(),
        };
    let mut sum: Option<Inertia<f64>> = None;
    for item in items.iter().filter(|it| it.element.tag() == "geom") {
        reader.enter(item.model);
        if let Some(inertia) = geom(reader, item, link, from_geoms)? {
            sum = Some(sum.map_or(inertia, |sum| sum.sum(&inertia)));
        }
    }
    reader.enter(own);
    let stated = match inertial {
        Some(item) => Some(self::inertial(reader, item)?),
        None => None,
    };
    if link > 0 {
        let inertia = sum.or(stated).unwrap_or_else(Inertia::zero);
        reader.inertias[link] = bounded(inertia, &reader.compiler);
    }
    for item in items {
        reader.enter(item.model);
        match item.element.tag() {
            "site" => site(reader, item, link)?,
            "body" => body(reader, item, link)?,
            tag if !is_read_in_body(tag) => reader.keep_in(item, link),
            _ => {}
        }
    }
    Ok(())
}

/// The inertia of `<inertial>`, in the body's frame.
fn inertial<'a>(reader: &mut Reader<'a, '_, '_>, item: &Item<'a>) -> Outcome<Inertia<f64>> {
    let element = item.element;
    let own = Attributes::alone(element);
    required(element, "pos")?;
    let mass = required_not_negative(element, "mass")?;
    let placement = pose(&own, &reader.compiler)?;
    let (diagonal, full) = (own.vector("diaginertia")?, own.numbers("fullinertia")?);
    let moments = match (diagonal, full) {
        (Some(_), Some(_)) => {
            let what = "both `diaginertia` and `fullinertia` are given";
            return Err(not_allowed(element.source(), what, "keep one"));
        }
        (None, Some([xx, yy, zz, xy, xz, yz])) => Sym3::new(xx, xy, xz, yy, yz, zz),
        (diagonal, None) => Sym3::diagonal(diagonal.unwrap_or_else(Vec3::zero)),
    };
    let about_center = Inertia::new(mass, Vec3::zero(), moments);
    Ok(item.frame.compose(&placement).act_inertia(&about_center))
}

/// Reads a geom; returns its inertia if it counts for that of the body.
fn geom<'a>(
    reader: &mut Reader<'a, '_, '_>,
    item: &Item<'a>,
    link: usize,
    from_geoms: bool,
) -> Outcome<Option<Inertia<f64>>> {
    let attributes = reader.attributes(item.element, "geom", item.class)?;
    let (surface_velocity, _) = attributes.up_to("surfacevel", [0.0; 6])?;
    if surface_velocity.iter().any(|it| *it != 0.0) {
        let reading = "surfaces move with their bodies; a `mocap` body that is moved is a belt";
        reader.simplified(item.element.source(), "the `surfacevel` of a geom", reading);
    }
    let mesh = match attributes.get("mesh") {
        Some(named) => Some(&reader.meshes[reader.names.find(Part::Mesh, named)?]),
        None => None,
    };
    let geom = Geom::read(&attributes, &reader.compiler, mesh, reader.report)?;
    let group = attributes.number("group")?.unwrap_or(0.0);
    let [first, last] = reader.compiler.inertia_groups;
    let inertia = match from_geoms && first <= group && group <= last {
        true => Some(
            item.frame
                .act_inertia(&geom.inertia(&attributes, reader.report)?),
        ),
        false => None,
    };
    let mut settings = settings("body/geom", &attributes);
    // A plane has a size for the eye, some shapes more numbers than they need, and a mesh may be
    // there by its distance field.
    if let Form::Mesh(_) | Form::Other { .. } | Form::Shape(Shape::Mesh(_)) = geom.form {
        settings.extend(attributes.words("type"));
    }
    let needed = match &geom.form {
        Form::Shape(Shape::Sphere(_)) => 1,
        Form::Shape(Shape::Capsule(_) | Shape::Cylinder(_)) => 2,
        Form::Shape(Shape::Ellipsoid(_) | Shape::Cuboid(_)) => 3,
        Form::Shape(_) | Form::Mesh(_) | Form::Other { .. } => 0,
    };
    if attributes.get("fromto").is_none() {
        let size = attributes.words("size");
        settings.extend(size.filter(|it| it.value.split_ascii_whitespace().count() > needed));
    }
    if attributes.get("material").is_some() {
        settings.extend(attributes.words("rgba"));
    }
    let mut geometry = Geometry::new(link, item.frame.compose(&geom.placement), geom.form);
    // In MuJoCo every mesh touches as its hull.
    geometry.as_hull = Some(true);
    geometry.settings = settings;
    geometry.name = item.name();
    geometry.source = item.element.source();
    geometry.mask = contact::mask(&attributes)?;
    geometry.is_collision = geometry.mask != ContactMask::new(0, 0);
    geometry.surface = Some(Surface::default().with_friction(1.0));
    match contact::surface(&attributes) {
        Ok(surface) => geometry.surface = Some(surface),
        Err(fault) => reader.report.left_out("the surface", *fault),
    }
    // MuJoCo shows the groups 0, 1 and 2, and hides those that models have for collision.
    geometry.is_visual = group < 3.0;
    geometry.material = material(reader, &attributes)?;
    let index = reader.description.geometry.len();
    reader.name(Part::Geom, &geometry.name, index, geometry.source)?;
    reader.description.geometry.push(geometry);
    Ok(inertia)
}

/// The index of a geom's material: the one that it names, or one of its colour.
fn material<'a>(
    reader: &mut Reader<'a, '_, '_>,
    attributes: &Attributes<'a>,
) -> Outcome<Option<usize>> {
    if let Some(named) = attributes.get("material") {
        match reader.names.find(Part::Material, named) {
            Ok(index) => return Ok(Some(index)),
            Err(fault) => reader.report.left_out("the material", *fault),
        }
    }
    let Some(colour) = attributes.numbers("rgba")? else {
        return Ok(None);
    };
    let materials = &mut reader.description.materials;
    let same = |it: &Material| it.name.is_empty() && it.colour == Some(colour);
    if let Some(known) = materials.iter().position(same) {
        return Ok(Some(known));
    }
    let mut material = Material::new("");
    material.colour = Some(colour);
    material.source = attributes.element().source();
    materials.push(material);
    Ok(Some(materials.len() - 1))
}

/// Reads a site, which is a frame of its link.
fn site<'a>(reader: &mut Reader<'a, '_, '_>, item: &Item<'a>, link: usize) -> Outcome<()> {
    let attributes = reader.attributes(item.element, "site", item.class)?;
    let from_to = from_to(&attributes)?;
    let placement = match from_to {
        Some((placement, _)) => placement,
        None => pose(&attributes, &reader.compiler)?,
    };
    let placement = item.frame.compose(&placement);
    let mut frame = Frame::new(item.name(), link, placement, FrameKind::Operational);
    frame.source = item.element.source();
    frame.settings = settings("body/site", &attributes);
    if let Some((_, half_length)) = from_to {
        let (size, _) = attributes.up_to("size", [0.005; 3])?;
        let size = match attributes.text("type") {
            Some("capsule" | "cylinder") => vec![size[0], half_length],
            _ => vec![size[0], size[0], half_length],
        };
        set(&mut frame.settings, "size", numbers(&size));
    }
    let index = reader.description.frames.len();
    reader.name(Part::Site, &frame.name, index, frame.source)?;
    reader.description.frames.push(frame);
    Ok(())
}
