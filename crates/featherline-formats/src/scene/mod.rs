//! Scenes: robots, free bodies, a ground and what is fixed in the world, as one description.
//!
//! A scene is a text in TOML that [`load`](crate::load) reads like any robot. Its root link is
//! `world`; everything else is on joints from there, so that all commands and algorithms treat a
//! scene as one robot of several trees. The start state is the
//! [configuration](crate::description::Configuration) `start`.
//!
//! ```toml
//! gravity = [0, 0, -9.81]        # m/s²; this one unless given
//!
//! [contact]                      # surfaces that give nothing else
//! friction = 0.8
//! restitution = 0
//! friction_rule = "geometric-mean"  # or "larger"
//! friction_law = "exact"         # or "convex"
//! impact_law = "newton"          # or "reflections"
//!
//! [ground]                       # a plane
//! height = 0                     # where it meets the z axis
//! slope = 0.1                    # rad, about `slope_axis` = [0, 1, 0]; or `normal`
//! friction = 0.6
//!
//! [[robot]]
//! file = "robot.urdf"            # beside the scene, or the name of a robot of the program
//! srdf = "robot.srdf"            # optional
//! name = "go"                    # `go/` precedes the names of its parts
//! position = [0, 0, 0.4]         # with `rpy` or `quaternion` = [x, y, z, w]
//! base = "floating"              # or "fixed"
//! configuration = "home"         # of its file, to begin with
//! joints = { hip = 0.3 }         # other coordinates to begin with
//! velocity = { hip = 1.0 }
//! base_velocity = [0, 0, 0, 0, 0, 0]  # linear, angular; along the axes of the world
//! convex = true                  # all of its meshes touch as their hulls
//!
//! [[body]]
//! name = "cube"
//! box = [0.1, 0.1, 0.1]          # or sphere, capsule, cylinder, cone = [radius, length],
//!                                # ellipsoid = [a, b, c], mesh = "file.obj" with `scale`
//! convex = true                  # a mesh touches as its hull: that of what moves, unless given
//! mass = 0.1                     # or `density`, 1000 unless given
//! fixed = false                  # a fixed body is part of the world
//! position = [0, 0, 1]
//! velocity = [0, 0, 0, 0, 0, 0]
//! friction = 0.5
//! restitution = 0.2
//! stiffness = 1e4                # N/m at a point of contact; rigid unless given
//! damping = 100                  # N·s/m
//! colour = [0.8, 0.3, 0.1]
//! repeat = [10, 10, 10]          # copies `cube_0` … `cube_999`, x first
//! spacing = [0.11, 0.11, 0.11]   # from one to the next
//!
//! [[pair]]                       # contacts of two bodies, robots, links, or the ground
//! bodies = ["cube", "ground"]
//! friction = 0.4
//! restitution = 0.1
//! collide = true
//! ```

mod append;
mod body;
mod pair;
mod robot;
mod table;

use crate::description::{
    Configuration, ContactDefaults, Description, Link, Robot, Softness, Source, SourceText,
    Sources, Surface, WORLD,
};
use crate::error::{Error, ErrorCause};
use crate::location::{LineIndex, Location};
use crate::options::LoadOptions;
use crate::report::{Fault, Outcome, Report, fault, not_allowed};
use crate::resolve::Resolver;
use crate::suggestion::similar;
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::words::Words;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use table::{Table, list};
use toml::de::DeTable;

/// The name of the configuration that a scene begins with.
pub(crate) const START: &str = "start";

/// The keys of a surface.
const SURFACE: &str = "friction restitution stiffness damping";

/// Reads the text of a robot from a file, or without one.
pub(crate) type ReadRobot<'r> =
    &'r dyn Fn(String, Option<&Path>, &LoadOptions) -> Result<Robot, Error>;

/// The error that stops the reading of a scene.
enum Stop {
    /// Something in the text of the scene.
    Fault(Box<Fault>),
    /// Something in another file.
    Error(Error),
}

impl From<Box<Fault>> for Stop {
    fn from(fault: Box<Fault>) -> Self {
        Self::Fault(fault)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// The state of reading a scene.
struct Scene<'a> {
    options: &'a LoadOptions,
    resolver: Resolver<'a>,
    read: ReadRobot<'a>,
    description: Description,
    /// The texts, that of the scene first.
    texts: Vec<SourceText>,
    /// The links of robots, bodies and the ground by the names that pairs have for them.
    parts: HashMap<String, Vec<usize>>,
    /// Who has the name of a link or of a joint.
    owners: [HashMap<String, (String, Source)>; 2],
    /// How many links the pairs stand for, each as often as it is in one.
    links_in_pairs: usize,
    start: Configuration,
    /// Configurations of robots, by joints of the scene.
    configurations: Vec<Configuration>,
    /// Gravity of the first robot whose file states one.
    gravity: Option<(featherline::spatial::Vec3<f64>, String)>,
    /// Warnings at places in the text.
    warnings: Vec<(Source, WarningCause)>,
    /// Warnings of the robots' files.
    of_robots: Vec<Warning>,
}

/// Reads a scene.
pub(crate) fn read(
    text: String,
    path: Option<&Path>,
    options: &LoadOptions,
    read: ReadRobot<'_>,
) -> Result<Robot, Error> {
    let source_text = SourceText::new(text, path);
    let own = Sources::new([source_text.clone()]);
    let document = DeTable::parse(&source_text.text).map_err(|error| {
        let lines = LineIndex::new(&source_text.text);
        let span = error.span().unwrap_or(0..0);
        let location = Location {
            file: path.map(Path::to_owned),
            position: Some(lines.position(span.start)),
            element: None,
            span: Some(lines.span(span)),
        };
        let message = error.message().trim_end().replace('\n', "; ");
        Error::new(location, ErrorCause::NotToml(message))
    })?;
    let top = Table::new(document.get_ref(), "a scene", Source::new(0, 0));
    let name = path
        .and_then(Path::file_stem)
        .map(|it| it.to_string_lossy());
    let mut scene = Scene {
        options,
        resolver: Resolver::new(path, options),
        read,
        description: Description::new(name.unwrap_or("scene".into())),
        texts: vec![source_text.clone()],
        parts: HashMap::new(),
        owners: [HashMap::new(), HashMap::new()],
        links_in_pairs: 0,
        start: Configuration::new(START, Vec::new()),
        configurations: Vec::new(),
        gravity: None,
        warnings: Vec::new(),
        of_robots: Vec::new(),
    };
    match scene.all(top) {
        Ok(()) => {}
        Err(Stop::Fault(fault)) => {
            // A robot's own places count from the texts of the scene.
            let sources = Sources::new(scene.texts);
            return Err(Report::new(&sources).error(*fault));
        }
        Err(Stop::Error(error)) => return Err(error),
    }
    scene.finish(&own)
}

impl Scene<'_> {
    fn all(&mut self, top: Table<'_>) -> Result<(), Stop> {
        top.only(&["name gravity contact ground robot body pair"])?;
        if let Some(name) = top.text("name")? {
            self.description.name = name.to_owned();
        }
        self.description.source = top.source;
        self.start.source = top.source;
        self.description.gravity = top.vector("gravity")?;
        let mut world = Link::new(WORLD);
        world.source = top.source;
        self.description.add_link(world);
        self.owners[0].insert(WORLD.to_owned(), ("the world".to_owned(), top.source));
        self.parts.insert(WORLD.to_owned(), vec![0]);
        if let Some(value) = top.get("contact") {
            self.contact(Table::of(value, "contact", "[contact]")?)?;
        }
        if let Some(value) = top.get("ground") {
            self.ground(Table::of(value, "ground", "[ground]")?)?;
        }
        for (key, what) in [
            ("robot", "[[robot]]"),
            ("body", "[[body]]"),
            ("pair", "[[pair]]"),
        ] {
            let Some(value) = top.get(key) else { continue };
            for entry in list(value, key)? {
                let table = Table::of(entry, key, what)?;
                match key {
                    "robot" => self.robot(table)?,
                    "body" => self.body(table)?,
                    _ => self.pair(table)?,
                }
            }
        }
        Ok(())
    }

    fn contact(&mut self, table: Table<'_>) -> Outcome<()> {
        table.only(&[SURFACE, "friction_rule friction_law impact_law"])?;
        let surface = surface(&table)?.unwrap_or_default();
        let mut defaults = ContactDefaults::default();
        defaults.friction = surface.friction.unwrap_or(defaults.friction);
        defaults.restitution = surface.restitution.unwrap_or(defaults.restitution);
        defaults.softness = surface.softness;
        defaults.friction_rule = one_of(&table, "friction_rule")?.unwrap_or_default();
        defaults.friction_law = one_of(&table, "friction_law")?.unwrap_or_default();
        defaults.impact_law = one_of(&table, "impact_law")?.unwrap_or_default();
        self.description.contact_defaults = defaults;
        Ok(())
    }

    /// Takes the names of a part's links and joints; fails if one is taken.
    fn claim(&mut self, what: &str, source: Source, first: [usize; 2]) -> Outcome<()> {
        let description = &self.description;
        let links = description.links[first[0]..].iter().map(|it| &it.name);
        let joints = description.joints[first[1]..].iter().map(|it| &it.name);
        let names = links.map(|it| (0, it)).chain(joints.map(|it| (1, it)));
        for (kind, name) in names {
            let claimed = self.owners[kind].insert(name.clone(), (what.to_owned(), source));
            let Some((other, _)) = claimed else { continue };
            let part = ["link", "joint"][kind];
            let name = shortened(name);
            let what = format!("{other} and {what} both have a {part} `{name}`");
            let remedy = "give one of them another `name`, which precedes a robot's names";
            return Err(not_allowed(source, what, remedy));
        }
        Ok(())
    }

    /// Takes a name that pairs may use.
    fn add_part(&mut self, name: &str, links: Vec<usize>, source: Source) -> Outcome<()> {
        if self.parts.insert(name.to_owned(), links).is_none() {
            return Ok(());
        }
        let what = format!("two parts of the scene are called `{}`", shortened(name));
        let remedy = "give one of them another `name`";
        Err(not_allowed(source, what, remedy))
    }

    /// The robot of the scene.
    fn finish(mut self, own: &Sources) -> Result<Robot, Error> {
        let mut report = Report::new(own);
        if self.options.floating_base {
            let what = "the option of a floating base";
            let reading =
                "the world of a scene is fixed; its robots float by `base = \"floating\"`";
            report.simplified(self.description.source, what, reading);
        }
        for (source, cause) in std::mem::take(&mut self.warnings) {
            report.warn(source, cause);
        }
        let mut warnings = report.into_warnings();
        warnings.append(&mut self.of_robots);
        let mut description = self.description;
        if description.gravity.is_none() {
            description.gravity = self.gravity.map(|(gravity, _)| gravity);
        }
        if description
            .joints
            .iter()
            .any(|it| it.motion.kind().nv() > 0)
        {
            for configuration in &mut self.configurations {
                let given: HashSet<usize> = configuration.joints.iter().map(|it| it.0).collect();
                let others = self.start.joints.iter().filter(|it| !given.contains(&it.0));
                configuration.joints.extend(others.cloned());
            }
            description.configurations.push(self.start);
            description.configurations.append(&mut self.configurations);
        }
        description.sources = Sources::new(self.texts);
        let options = self.options.clone().floating_base(false);
        let mut report = Report::new(&description.sources).permissive(options.permissive);
        let model = description.assemble(&options, &mut report);
        let model = model.map_err(|fault| report.error(*fault))?;
        // The robots' own were reported when their files were read.
        report.keep_first_text();
        warnings.extend(report.into_warnings());
        Ok(Robot {
            model,
            warnings,
            description,
        })
    }

    /// The links that a name in a pair stands for.
    fn links(&self, name: &str, source: Source) -> Outcome<Vec<usize>> {
        if let Some(links) = self.parts.get(name) {
            return Ok(links.clone());
        }
        let mut links = self.description.links.iter();
        if let Some(link) = links.position(|it| it.name == name) {
            return Ok(vec![link]);
        }
        let parts = self.parts.keys().map(String::as_str);
        let links = self.description.links.iter().map(|it| it.name.as_str());
        let cause = ErrorCause::UnknownName {
            what: "body, robot or link",
            suggestion: similar(name, parts.chain(links)),
            name: shortened(name),
        };
        Err(fault(source, cause))
    }
}

/// The value of a key that takes one of several words, if a table has it.
fn one_of<T: Words>(table: &Table<'_>, key: &'static str) -> Outcome<Option<T>> {
    let Some(found) = table.text(key)? else {
        return Ok(None);
    };
    T::from_word(found).map(Some).map_err(|unknown| {
        let names = unknown.names.iter().map(|name| format!("`{name}`"));
        let cause = ErrorCause::UnknownWord {
            attribute: key,
            found: shortened(found),
            expected: names.collect::<Vec<_>>().join(" or "),
        };
        fault(table.source_of(key), cause)
    })
}

/// The surface that a table gives, if it gives one.
fn surface(table: &Table<'_>) -> Outcome<Option<Surface>> {
    let friction = "give it a coefficient of friction that is not negative";
    let restitution = "give it a coefficient of restitution from 0 to 1";
    let stiffness = "give it a stiffness in N/m above zero; a rigid surface has none";
    let damping = "give it a damping in N·s/m that is not negative";
    let own_stiffness = table.number_in("stiffness", |it| it > 0.0, stiffness)?;
    let own_damping = table.number_in("damping", |it| it >= 0.0, damping)?;
    let softness = match (own_stiffness, own_damping) {
        (Some(stiffness), damping) => Some(Softness::new(stiffness, damping.unwrap_or(0.0))),
        (None, None) => None,
        (None, Some(_)) => {
            let what = "`damping` is given without `stiffness`";
            let remedy = "give both; a rigid surface has neither";
            return Err(table.not_allowed("damping", what, remedy));
        }
    };
    let surface = Surface {
        friction: table.number_in("friction", |it| it >= 0.0, friction)?,
        restitution: table.number_in("restitution", |it| (0.0..=1.0).contains(&it), restitution)?,
        softness,
        ..Surface::default()
    };
    Ok((surface != Surface::default()).then_some(surface))
}
