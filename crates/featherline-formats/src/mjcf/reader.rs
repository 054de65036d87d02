//! What is known while a file is read.

use super::attributes::Attributes;
use super::compiler::{Compiler, KEPT, option};
use super::defaults::{Defaults, MAIN};
use super::include::Texts;
use super::kept::set;
use super::mesh::MeshAsset;
use super::names::Names;
use super::settings::{settings, stated};
use super::{
    actuator, contact, equality, generated, keyframe, mass, schema, sensor, spring_damper, tendon,
};
use crate::description::{Description, FrictionRule, Joint, Material};
use crate::location::Source;
use crate::options::LoadOptions;
use crate::report::{Outcome, Report};
use crate::resolve::Resolver;
use crate::warning::WarningCause;
use crate::xml::Element;
use featherline::spatial::{Inertia, Se3};

/// What is known while a file is read.
pub(super) struct Reader<'a, 'd, 'r> {
    pub(super) texts: Texts<'a>,
    pub(super) resolver: &'d Resolver<'d>,
    pub(super) compiler: Compiler,
    pub(super) defaults: Defaults<'a>,
    pub(super) description: &'d mut Description,
    pub(super) report: &'d mut Report<'r>,
    pub(super) meshes: Vec<MeshAsset>,
    pub(super) names: AllNames,
    /// The placement of each link in the world at the reference configuration.
    pub(super) placements: Vec<Se3<f64>>,
    /// Whether each link is one between joints of a body.
    pub(super) is_between: Vec<bool>,
    /// The inertia of each link in its own frame.
    pub(super) inertias: Vec<Inertia<f64>>,
    /// What MJCF has of each joint, by the index of the joint.
    pub(super) joints: Vec<JointData>,
    /// How many parts there are, replicated ones too.
    pub(super) parts: usize,
}

/// The parts of each kind by their names.
pub(super) struct AllNames {
    pub(super) meshes: Names,
    pub(super) materials: Names,
    pub(super) bodies: Names,
    pub(super) joints: Names,
    pub(super) sites: Names,
    pub(super) geoms: Names,
    pub(super) tendons: Names,
    pub(super) actuators: Names,
}

/// What MJCF has of a joint, beside what a description has.
#[derive(Clone, Debug)]
pub(super) struct JointData {
    /// The entries of q in the reference configuration, as MJCF has them; none for a fixed joint.
    pub(super) reference: Vec<f64>,
    /// The time constant and the damping ratio that stiffness and damping follow from.
    pub(super) spring_damper: Option<[f64; 2]>,
}

impl<'a> Reader<'a, '_, '_> {
    /// An element with the defaults of its class.
    pub(super) fn attributes(
        &self,
        element: Element<'a>,
        kind: &'static str,
        inherited: usize,
    ) -> Outcome<Attributes<'a>> {
        self.defaults.attributes(element, kind, inherited)
    }

    /// Adds a warning that something is read in another way than it is stated.
    pub(super) fn simplified(&mut self, source: Source, what: &str, reading: &'static str) {
        let what = what.to_owned();
        self.report
            .warn(source, WarningCause::Simplified { what, reading });
    }

    /// Adds a joint, and returns its index.
    pub(super) fn add_joint(&mut self, joint: Joint, data: JointData) -> Outcome<usize> {
        let index = self.description.joints.len();
        self.names
            .joints
            .add(&joint.name, index, joint.source, self.report)?;
        self.joints.push(data);
        Ok(self.description.add_joint(joint))
    }
}

/// Reads the root element into a description.
pub(super) fn read<'a>(
    root: Element<'a>,
    texts: Texts<'a>,
    options: &LoadOptions,
    resolver: &Resolver<'_>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<()> {
    let unread = schema::audit(root, texts, report)?;
    description.source = root.source();
    description.contact_defaults.friction = 1.0;
    description.contact_defaults.friction_rule = FrictionRule::Larger;
    let name = root.attribute("model").map(|name| name.value.trim());
    // MuJoCo's own name for a model without one.
    let name = name
        .filter(|name| !name.is_empty())
        .unwrap_or("MuJoCo Model");
    description.name = name.to_owned();
    if options.floating_base {
        let what = "the option of a floating base".to_owned();
        let reading = "the world of an MJCF file is fixed; bodies move by joints of their own";
        report.warn(root.source(), WarningCause::Simplified { what, reading });
    }
    let sections = texts.children(root);
    let compiler = Compiler::read(&sections)?;
    option(&sections, texts, description, report)?;
    let defaults = Defaults::read(&sections, texts, report)?;
    let mut reader = Reader {
        texts,
        resolver,
        compiler,
        defaults,
        description,
        report,
        meshes: Vec::new(),
        names: AllNames {
            meshes: Names::new("mesh"),
            materials: Names::new("material"),
            bodies: Names::new("body"),
            joints: Names::new("joint"),
            sites: Names::new("site"),
            geoms: Names::new("geom"),
            tendons: Names::new("tendon"),
            actuators: Names::new("actuator"),
        },
        placements: Vec::new(),
        is_between: Vec::new(),
        inertias: Vec::new(),
        joints: Vec::new(),
        parts: 0,
    };
    let of = |tag: &str| {
        let sections = sections.iter().filter(|it| it.tag() == tag);
        sections
            .flat_map(|it| texts.children(*it))
            .collect::<Vec<_>>()
    };
    for (element, path) in &unread {
        reader.keep(*element, path);
    }
    settings_of_all(&mut reader, &sections);
    assets(&mut reader, &of("asset"))?;
    let worlds: Vec<_> = sections
        .iter()
        .filter(|it| it.tag() == "worldbody")
        .copied()
        .collect();
    super::body::world(&mut reader, root, &worlds)?;
    equality::read(&mut reader, &of("equality"))?;
    tendon::read(&mut reader, &of("tendon"))?;
    actuator::read(&mut reader, &of("actuator"))?;
    mass::finish(&mut reader);
    sensor::read(&mut reader, &of("sensor"));
    contact::read(&mut reader, &of("contact"));
    keyframe::read(&mut reader, root, &of("keyframe"));
    generated::fill(&mut reader);
    spring_damper::resolve(&mut reader);
    Ok(())
}

/// Keeps `<option>` with more than gravity, and what counts for the written file of `<compiler>`.
fn settings_of_all<'a>(reader: &mut Reader<'a, '_, '_>, sections: &[Element<'a>]) {
    for &section in sections {
        match section.tag() {
            "option" => {
                let mut attributes = section.attributes();
                let has_more = attributes.any(|it| it.name != "gravity");
                if has_more || !reader.texts.children(section).is_empty() {
                    reader.keep(section, "option");
                }
            }
            "compiler" => {
                let mut stated = stated(&Attributes::new(section, std::iter::empty()));
                stated.retain(|it| KEPT.contains(&it.name.as_str()));
                if !stated.is_empty() || !reader.texts.children(section).is_empty() {
                    reader.keep_as(section, "compiler", &stated);
                }
            }
            _ => {}
        }
    }
}

/// Reads meshes and materials, and keeps textures.
fn assets<'a>(reader: &mut Reader<'a, '_, '_>, elements: &[Element<'a>]) -> Outcome<()> {
    let mut textures = Vec::new();
    for &element in elements.iter().filter(|it| it.tag() == "texture") {
        let name = element.attribute("name").map_or("", |name| name.value);
        if let Some(file) = element.attribute("file") {
            textures.push((name, file.value));
        }
    }
    for &element in elements {
        match element.tag() {
            "mesh" => {
                let attributes = reader.attributes(element, "mesh", MAIN)?;
                let mesh = MeshAsset::read(
                    &attributes,
                    &reader.compiler,
                    reader.resolver,
                    reader.report,
                )?;
                let index = reader.meshes.len();
                reader
                    .names
                    .meshes
                    .add(&mesh.name, index, mesh.source, reader.report)?;
                let mut stated = reader.stated(element, "asset/mesh", MAIN)?;
                set(&mut stated, "name", mesh.name.clone());
                reader.keep_as(element, "asset/mesh", &stated);
                reader.meshes.push(mesh);
            }
            "material" => {
                let attributes = reader.attributes(element, "material", MAIN)?;
                let mut material = Material::new(attributes.name());
                material.source = element.source();
                material.colour = attributes.numbers("rgba")?;
                material.settings = settings("asset/material", &attributes);
                let texture = attributes.text("texture");
                let file = texture.and_then(|it| textures.iter().find(|(name, _)| *name == it));
                material.texture = file.map(|(_, file)| (*file).to_owned());
                let index = reader.description.materials.len();
                let source = material.source;
                reader
                    .names
                    .materials
                    .add(&material.name, index, source, reader.report)?;
                reader.description.materials.push(material);
            }
            "texture" => reader.keep(element, "asset/texture"),
            _ => {}
        }
    }
    Ok(())
}
