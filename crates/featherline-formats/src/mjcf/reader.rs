//! The state of reading an MJCF file.

use super::attach::Model;
use super::attributes::Attributes;
use super::compiler::{Compiler, KEPT, disabled_groups, option};
use super::copies::Copies;
use super::defaults::{Defaults, MAIN};
use super::include::Texts;
use super::kept::set;
use super::mesh::MeshAsset;
use super::names::{Names, Part};
use super::settings::{settings, stated};
use super::{
    actuator, contact, equality, generated, keyframe, mass, sensor, spring_damper, tendon,
};
use crate::description::{Description, FrictionRule, Joint, Material};
use crate::location::Source;
use crate::options::LoadOptions;
use crate::report::{Outcome, Report};
use crate::resolve::Resolver;
use crate::xml::Element;
use featherline::spatial::{Inertia, Se3};
use std::rc::Rc;

/// The state of reading an MJCF file: its texts, the description so far, and names.
pub(super) struct Reader<'a, 'd, 'r> {
    pub(super) texts: Texts<'a>,
    /// The robot's own model, then those that are attached.
    pub(super) models: Vec<Model<'a>>,
    /// The model that is being read, with its settings, its default classes and its files.
    pub(super) model: usize,
    pub(super) compiler: Rc<Compiler>,
    pub(super) defaults: Rc<Defaults<'a>>,
    pub(super) resolver: Rc<Resolver<'a>>,
    pub(super) description: &'d mut Description,
    pub(super) report: &'d mut Report<'r>,
    pub(super) meshes: Vec<MeshAsset>,
    /// The parts by their names.
    pub(super) names: Names,
    /// The placement of each link in the world at the reference configuration.
    pub(super) placements: Vec<Se3<f64>>,
    /// Whether each link is one between joints of a body.
    pub(super) is_between: Vec<bool>,
    /// The inertia of each link in its own frame.
    pub(super) inertias: Vec<Inertia<f64>>,
    /// The MJCF data of each joint, by the index of the joint.
    pub(super) joints: Vec<JointData>,
    /// The model of each joint, and of each actuator.
    pub(super) models_of_joints: Vec<usize>,
    pub(super) models_of_actuators: Vec<usize>,
    /// The groups of actuators that do nothing.
    pub(super) disabled_groups: Vec<f64>,
    /// The suffixes that replicates add to names.
    pub(super) copies: Copies,
    /// How many parts there are, replicated ones too.
    pub(super) parts: usize,
}

/// The MJCF data of a joint that a description does not have.
#[derive(Clone, Debug, Default)]
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
        self.report.simplified(source, what, reading);
    }

    /// Adds a part to those of a kind by their names.
    pub(super) fn name(
        &mut self,
        part: Part,
        name: &str,
        index: usize,
        source: Source,
    ) -> Outcome<()> {
        self.names.add(part, (name, index), source, self.report)
    }

    /// Adds a joint, and returns its index.
    pub(super) fn add_joint(&mut self, joint: Joint, data: JointData) -> Outcome<usize> {
        let index = self.description.joints.len();
        self.name(Part::Joint, &joint.name, index, joint.source)?;
        self.joints.push(data);
        self.models_of_joints.push(self.model);
        Ok(self.description.add_joint(joint))
    }
}

/// Reads the root element, `<mujoco>`, into an empty description.
pub(crate) fn read<'a>(
    root: Element<'a>,
    texts: Texts<'a>,
    options: &LoadOptions,
    resolver: Resolver<'a>,
    description: &mut Description,
    report: &mut Report<'_>,
) -> Outcome<()> {
    description.source = root.source();
    description.contact_defaults.friction = 1.0;
    description.contact_defaults.friction_rule = FrictionRule::Larger;
    let name = root.attribute("model").map_or("", |name| name.value.trim());
    // MuJoCo's own name for a model without one.
    let name = if name.is_empty() {
        "MuJoCo Model"
    } else {
        name
    };
    description.name = name.to_owned();
    if options.floating_base {
        let what = "the option of a floating base";
        let reading = "the world of an MJCF file is fixed; bodies move by joints of their own";
        report.simplified(root.source(), what, reading);
    }
    let model = Model::read(root, texts, resolver, None, report)?;
    option(&model.sections, texts, description, report)?;
    let disabled_groups = disabled_groups(&model.sections)?;
    let (compiler, defaults, resolver) = model.parts();
    let mut reader = Reader {
        texts,
        models: vec![model],
        model: 0,
        resolver,
        compiler,
        defaults,
        description,
        report,
        meshes: Vec::new(),
        names: Names::default(),
        placements: Vec::new(),
        is_between: Vec::new(),
        inertias: Vec::new(),
        joints: Vec::new(),
        models_of_joints: Vec::new(),
        models_of_actuators: Vec::new(),
        disabled_groups,
        copies: Copies::default(),
        parts: 0,
    };
    let sections = reader.models[0].sections.clone();
    reader.begin()?;
    settings_of_all(&mut reader, &sections);
    let worlds = sections.iter().filter(|it| it.tag() == "worldbody");
    let worlds: Vec<_> = worlds.copied().collect();
    super::body::world(&mut reader, root, &worlds)?;
    reader.each("tendon", tendon::read)?;
    reader.each("equality", equality::read)?;
    reader.each("actuator", |reader, elements| {
        actuator::read(reader, elements)?;
        let count = reader.description.actuators.len();
        reader.models_of_actuators.resize(count, reader.model);
        Ok(())
    })?;
    reader.enter(0);
    mass::finish(&mut reader);
    reader.each("sensor", |reader, elements| {
        sensor::read(reader, elements);
        Ok(())
    })?;
    reader.each("contact", |reader, elements| {
        contact::read(reader, elements);
        Ok(())
    })?;
    keyframe::read(&mut reader, root);
    generated::fill(&mut reader);
    spring_damper::resolve(&mut reader);
    Ok(())
}

impl<'a> Reader<'a, '_, '_> {
    /// Reads what of a model does not belong to a body, and its assets.
    pub(super) fn begin(&mut self) -> Outcome<()> {
        for (element, path) in self.models[self.model].kept() {
            self.keep(element, &path);
        }
        let elements = self.elements(self.model, "asset");
        assets(self, &elements)
    }

    /// Reads the elements of a section of each model: those that name no part that is replicated,
    /// then those that do, for each copy with what is added to names.
    fn each(
        &mut self,
        section: &str,
        read: impl Fn(&mut Self, &[Element<'a>]) -> Outcome<()>,
    ) -> Outcome<()> {
        for model in 0..self.models.len() {
            self.enter(model);
            let elements = self.elements(model, section);
            for suffix in self.copies.suffixes() {
                let has_copy = |it: &Element<'a>| self.copies.has(self.texts, *it, &suffix);
                let copied: Vec<_> = elements.iter().copied().filter(has_copy).collect();
                for element in &copied {
                    self.copies.add(element.name(), &suffix);
                }
                self.names.suffix = suffix.to_string();
                read(self, &copied)?;
            }
            self.names.suffix.clear();
        }
        Ok(())
    }
}

/// Keeps `<option>` with more than gravity, and what counts for the written file of `<compiler>`.
fn settings_of_all<'a>(reader: &mut Reader<'a, '_, '_>, sections: &[Element<'a>]) {
    for &section in sections {
        match section.tag() {
            "option" => {
                let has_more = section.attributes().any(|it| it.name != "gravity");
                if has_more || !reader.texts.children(section).is_empty() {
                    reader.keep(section, "option");
                }
            }
            "compiler" => {
                let mut stated = stated(&Attributes::alone(section));
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
        if let Some(file) = element.attribute("file") {
            textures.push((element.name(), file.value));
        }
    }
    for &element in elements {
        match element.tag() {
            "mesh" => {
                let attributes = reader.attributes(element, "mesh", MAIN)?;
                let (compiler, resolver) = (&reader.compiler, &reader.resolver);
                let mesh = MeshAsset::read(&attributes, compiler, resolver, reader.report)?;
                let index = reader.meshes.len();
                reader.name(Part::Mesh, &mesh.name, index, mesh.source)?;
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
                reader.name(Part::Material, &material.name, index, material.source)?;
                reader.description.materials.push(material);
            }
            "texture" => reader.keep(element, "asset/texture"),
            _ => {}
        }
    }
    Ok(())
}
