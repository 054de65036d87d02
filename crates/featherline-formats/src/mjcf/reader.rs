//! The state of reading an MJCF file.

use super::attach::Model;
use super::attributes::Attributes;
use super::compiler::{Compiler, KEPT, disabled_groups, option};
use super::copies::Copies;
use super::defaults::{Defaults, MAIN};
use super::include::Texts;
use super::kept::set;
use super::mesh::MeshAsset;
use super::names::Names;
use super::settings::{settings, stated};
use super::{
    actuator, contact, equality, generated, keyframe, mass, sensor, spring_damper, tendon,
};
use crate::description::{Description, FrictionRule, Joint, Material};
use crate::location::Source;
use crate::options::LoadOptions;
use crate::report::{Outcome, Report};
use crate::resolve::Resolver;
use crate::warning::WarningCause;
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
    pub(super) names: AllNames,
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

/// The MJCF data of a joint that a description does not have.
#[derive(Clone, Debug)]
pub(super) struct JointData {
    /// The entries of q in the reference configuration, as MJCF has them; none for a fixed joint.
    pub(super) reference: Vec<f64>,
    /// The time constant and the damping ratio that stiffness and damping follow from.
    pub(super) spring_damper: Option<[f64; 2]>,
}

impl AllNames {
    /// Looks for each name with an addition first, then as it is.
    fn set_suffix(&mut self, suffix: &str) {
        for names in [
            &mut self.bodies,
            &mut self.joints,
            &mut self.sites,
            &mut self.geoms,
            &mut self.tendons,
            &mut self.actuators,
        ] {
            suffix.clone_into(&mut names.suffix);
        }
    }
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
        self.models_of_joints.push(self.model);
        Ok(self.description.add_joint(joint))
    }
}

/// Reads the root element into a description.
pub(super) fn read<'a>(
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
    let model = Model::read(root, texts, resolver, None, report)?;
    option(model.sections(), texts, description, report)?;
    let disabled_groups = disabled_groups(model.sections())?;
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
        models_of_joints: Vec::new(),
        models_of_actuators: Vec::new(),
        disabled_groups,
        copies: Copies::default(),
        parts: 0,
    };
    let sections = reader.models[0].sections().to_vec();
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
                let copied = elements
                    .iter()
                    .filter(|it| self.copies.has(self.texts, **it, &suffix));
                let copied: Vec<_> = copied.copied().collect();
                for element in &copied {
                    let name = element.attribute("name").map_or("", |name| name.value);
                    self.copies.add(name, &suffix);
                }
                self.names.set_suffix(&suffix);
                let before = counts(self.description);
                read(self, &copied)?;
                add_to_names(self.description, before, &suffix);
            }
            self.names.set_suffix("");
        }
        Ok(())
    }
}

/// How many parts there are of the kinds that replicates copy with the bodies that they name.
fn counts(description: &Description) -> [usize; 6] {
    [
        description.tendons.len(),
        description.actuators.len(),
        description.loops.len(),
        description.sensors.len(),
        description.contact_pairs.len(),
        description.contact_exclusions.len(),
    ]
}

/// Adds to the names of the parts that there were not before.
fn add_to_names(description: &mut Description, before: [usize; 6], suffix: &str) {
    let [tendons, actuators, loops, sensors, pairs, exclusions] = before;
    let names = description.tendons[tendons..]
        .iter_mut()
        .map(|it| &mut it.name);
    let names = names.chain(
        description.actuators[actuators..]
            .iter_mut()
            .map(|it| &mut it.name),
    );
    let names = names.chain(description.loops[loops..].iter_mut().map(|it| &mut it.name));
    let names = names.chain(
        description.sensors[sensors..]
            .iter_mut()
            .map(|it| &mut it.name),
    );
    let names = names.chain(
        description.contact_pairs[pairs..]
            .iter_mut()
            .map(|it| &mut it.name),
    );
    let exclusions = description.contact_exclusions[exclusions..].iter_mut();
    let names = names.chain(exclusions.map(|it| &mut it.name));
    for name in names.filter(|it| !it.is_empty()) {
        name.push_str(suffix);
    }
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
                    &reader.resolver,
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
