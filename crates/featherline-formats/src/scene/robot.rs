//! `[[robot]]`: a robot of a file in a scene.

use super::append::{Appended, Stand, append, controls, entries, is_world, pose, root_of};
use super::body::in_own_axes;
use super::table::{Table, number_or_list, source_of};
use super::{SURFACE, Scene, Stop, surface};
use crate::description::{
    Configuration, Description, Inertial, Joint, Motion, Owner, Robot, Source, first_of, free_name,
};
use crate::document;
use crate::error::ErrorCause;
use crate::file_format::FileFormat;
use crate::options::MissingInertia;
use crate::report::{Outcome, fault, not_allowed};
use crate::suggestion::similar;
use crate::value::number_count;
use crate::warning::WarningCause;
use crate::xml::shortened;
use featherline::spatial::{Se3, Sym3};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

const KEYS: &str = "file srdf name position rpy quaternion base configuration joints velocity \
                    base_velocity convex";

impl Scene<'_> {
    pub(super) fn robot(&mut self, table: Table<'_>) -> Result<(), Stop> {
        table.only(&[KEYS, SURFACE])?;
        let file = table.text("file")?.ok_or_else(|| table.missing("file"))?;
        let name = table.text("name")?;
        if name.is_some_and(|it| it.trim().is_empty()) {
            let cause = ErrorCause::EmptyName { attribute: "name" };
            return Err(fault(table.source_of("name"), cause).into());
        }
        let (robot, floats_by_itself) = self.read_robot(file, &table)?;
        let Robot {
            mut description,
            warnings,
            ..
        } = robot;
        self.of_robots.extend(warnings);
        let surface = surface(&table)?;
        let bare = description.geometry.iter_mut();
        bare.filter(|it| it.surface.is_none())
            .for_each(|it| it.surface = surface);
        if let Some(convex) = table.flag("convex")? {
            let all = description.geometry.iter_mut();
            all.for_each(|it| it.as_hull = Some(convex));
        }
        self.take_gravity(&description, file, table.source);
        self.enable(&description, file, table.source);
        self.left_behind(&description, file, table.source);

        let at = table.placement()?;
        let stand = Stand {
            prefix: &name.map_or_else(String::new, |name| format!("{name}/")),
            placement: at.unwrap_or_else(Se3::identity),
            floats: floats(&table, &description, floats_by_itself)?,
            source: table.source,
        };
        let stated = std::mem::take(&mut description.configurations);
        let texts = self.texts.len();
        self.texts.extend_from_slice(description.sources.texts());
        let first = [self.description.links.len(), self.description.joints.len()];
        let appended = append(&mut self.description, description, &stand, texts)?;
        let what = format!("the robot `{}`", shortened(name.unwrap_or(file)));
        self.claim(&what, table.source, first)?;
        let stem = Path::new(file).file_stem().map(|it| it.to_string_lossy());
        let part = match name {
            Some(name) => name.to_owned(),
            None => free_name(stem.unwrap_or_default(), |it| self.parts.contains_key(it)),
        };
        self.add_part(&part, appended.links.clone(), table.source_of("file"))?;
        self.begin(&table, &appended, &stated, at.as_ref(), &stand)?;
        for configuration in stated {
            let names = (&part[..], &stand);
            self.configuration(configuration, &appended, at.as_ref(), names, texts);
        }
        Ok(())
    }

    /// Reads the robot of a file or of the library; also whether it is made to float.
    fn read_robot(&mut self, file: &str, table: &Table<'_>) -> Result<(Robot, bool), Stop> {
        let mut options = self.options.clone().floating_base(false).strict(false);
        options.kept_fixed_joints.clear();
        options.library = None;
        // A robot's folder does not lead outside of those of the scene.
        options.folders_around = Some(self.resolver.bounds().folders().to_vec());
        let source = table.source_of("file");
        let no_robot = |reason: String| {
            let name = shortened(file);
            fault(source, ErrorCause::NoRobot { name, reason })
        };
        let mut srdf = None;
        let (text, path, floats) = if let Some(path) = self.resolver.find(file) {
            (document::read_file(&path)?, Some(path), false)
        } else if let (Some(library), false) =
            (self.options.library, file.contains(['/', '\\', '.']))
        {
            let named = library.find(file);
            let named = named.map_err(|reason| {
                no_robot(format!("no such file is beside the scene, and {reason}"))
            })?;
            srdf = named.srdf;
            (named.text.into_owned(), None, named.floating_base)
        } else if self.resolver.has_folder() {
            let mut reason = "the file was not found beside the scene, or is outside the folders \
                that files may be in, which the option `root_folder` (`--root-folder`) names"
                .to_owned();
            if self.options.library.is_none() && !file.contains(['/', '\\', '.']) {
                reason += "; robots by name need `LoadOptions::library`, such as `featherline_robots::library()`";
            }
            return Err(no_robot(reason).into());
        } else {
            let reason = "a scene that is passed as a text has no folder to find files in";
            return Err(no_robot(reason.to_owned()).into());
        };
        if FileFormat::of_text(&text, path.as_deref()) == Some(FileFormat::Scene) {
            let what = format!("`{}` is a scene", shortened(file));
            let remedy = "name the file of a robot: scenes do not contain scenes";
            return Err(not_allowed(source, what, remedy).into());
        }
        let is_mjcf = text.contains("<mujoco");
        let mut robot = (self.read)(text, path.as_deref(), &options)?;
        if let Some(srdf) = srdf {
            robot = robot.with_srdf_str(&srdf)?;
        }
        if is_mjcf && self.options.missing_inertia != MissingInertia::Zero {
            // MJCF itself says that such a body has no mass.
            let links = robot.description.links.iter_mut();
            let none = Inertial::new(Se3::identity(), 0.0, Sym3::zero());
            links.for_each(|it| it.inertial = it.inertial.or(Some(none)));
        }
        if let Some(srdf) = table.text("srdf")? {
            let Some(path) = self.resolver.find(srdf) else {
                let cause = ErrorCause::Include {
                    file: shortened(srdf),
                    reason: "it was not found beside the scene".to_owned(),
                };
                return Err(fault(table.source_of("srdf"), cause).into());
            };
            robot = robot.with_srdf(path)?;
        }
        Ok((robot, floats))
    }

    /// Gravity is that of the first file that states it, unless the scene does.
    fn take_gravity(&mut self, robot: &Description, file: &str, source: Source) {
        let Some(own) = robot.gravity else { return };
        let Some((gravity, first)) = &self.gravity else {
            self.gravity = Some((own, shortened(file)));
            return;
        };
        if self.description.gravity.is_none() && *gravity != own {
            let what = format!(
                "the gravity of `{}`, which `{first}` has not",
                shortened(file)
            );
            let reading =
                "a scene has one gravity, that of the first file unless it states another";
            let cause = WarningCause::Simplified { what, reading };
            self.warnings.push((source, cause));
        }
    }

    /// Reports parts of the physics that the file switches off.
    fn enable(&mut self, robot: &Description, file: &str, source: Source) {
        let mut disabled = robot.disabled;
        // The robot has none.
        disabled.equalities = false;
        let disabled = disabled.names();
        if !disabled.is_empty() {
            let (file, disabled) = (shortened(file), disabled.join(", "));
            let what = format!("`<flag>` of `{file}`, which disables {disabled}");
            let reading = "in a scene all of this acts";
            let cause = WarningCause::Simplified { what, reading };
            self.warnings.push((source, cause));
        }
    }

    /// Reports elements that only a writer of the file's format could use.
    fn left_behind(&mut self, robot: &Description, file: &str, source: Source) {
        let mut tags: BTreeMap<&str, usize> = BTreeMap::new();
        let kept = robot.kept.iter().filter(|it| it.owner == Owner::Robot);
        kept.for_each(|it| *tags.entry(&it.tag).or_default() += 1);
        for (tag, count) in tags {
            let what = format!("`<{tag}>` of `{}`", shortened(file));
            let cause = WarningCause::Unused { what, count };
            self.warnings.push((source, cause));
        }
    }

    /// The start state of a robot.
    fn begin(
        &mut self,
        table: &Table<'_>,
        appended: &Appended,
        stated: &[Configuration],
        at: Option<&Se3<f64>>,
        stand: &Stand<'_>,
    ) -> Outcome<()> {
        let chosen = match table.text("configuration")? {
            Some(name) => {
                let found = stated.iter().find(|it| it.name == name);
                Some(found.ok_or_else(|| {
                    let cause = ErrorCause::UnknownName {
                        what: "configuration",
                        suggestion: similar(name, stated.iter().map(|it| it.name.as_str())),
                        name: shortened(name),
                    };
                    fault(table.source_of("configuration"), cause)
                })?)
            }
            None => first_of(stated),
        };
        let neutral = Configuration::new("", Vec::new());
        let chosen = chosen.unwrap_or(&neutral);
        self.start.controls.extend(controls(chosen, appended));
        let mut start = entries(chosen, appended, at);
        for &free in &appended.free {
            if !start.iter().any(|(joint, _)| *joint == free) {
                start.push((free, pose(&stand.placement)));
            }
        }
        if table.get("configuration").is_none() {
            self.keep_within_limits(&mut start, appended);
        }
        if let Some(value) = table.get("joints") {
            let joints = Table::of(value, "joints", "`joints`")?;
            for (key, place, value) in joints.entries() {
                let index = self.joint(key, place, appended, stand)?;
                let joint = &self.description.joints[index];
                let q = number_or_list(value, "joints")?;
                let expected = joint.motion.kind().nq();
                check_count(joint, q.len(), expected, "joints", source_of(value))?;
                self.outside_limits(index, &q, source_of(value));
                start.retain(|(other, _)| *other != index);
                start.push((index, q));
            }
        }
        // Where the root stands now: a configuration may say so.
        let only = Some(&appended.free[..]).filter(|it| it.len() == 1);
        let free = appended.root_joint.or(only.map(|it| it[0]));
        if let Some(velocity) = table.numbers::<6>("base_velocity")? {
            let q = start.iter().find(|(joint, _)| Some(*joint) == free);
            let Some((joint, q)) = q else {
                let what = "`base_velocity` is given, and the base does not float";
                let remedy = "let it float by `base = \"floating\"`, or leave it out";
                return Err(table.not_allowed("base_velocity", what, remedy));
            };
            let velocity = in_own_axes(&super::append::placement(q), velocity);
            self.start.velocities.push((*joint, velocity));
        }
        if let Some(value) = table.get("velocity") {
            let velocities = Table::of(value, "velocity", "`velocity`")?;
            for (key, place, value) in velocities.entries() {
                let index = self.joint(key, place, appended, stand)?;
                let joint = &self.description.joints[index];
                let v = number_or_list(value, "velocity")?;
                let expected = joint.motion.kind().nv();
                check_count(joint, v.len(), expected, "velocity", source_of(value))?;
                self.start.velocities.push((index, v));
            }
        }
        self.start.joints.extend(start);
        Ok(())
    }

    /// Moves the angles and displacements of a robot that begins where nobody says to the nearest
    /// ones within their limits.
    fn keep_within_limits(&self, start: &mut Vec<(usize, Vec<f64>)>, appended: &Appended) {
        let joints = self.description.joints.iter().enumerate();
        for (index, joint) in joints.skip(appended.first_joint) {
            let limits = (&joint.limits.lower[..], &joint.limits.upper[..]);
            let (&[lower], &[upper]) = limits else {
                continue;
            };
            let kind = joint.motion.kind();
            if joint.mimic.is_some() || kind.nq() != 1 {
                continue;
            }
            let stated = start.iter_mut().find(|(other, _)| *other == index);
            let x = stated.as_ref().map_or(0.0, |(_, q)| q[0]);
            let nearest = x.max(lower).min(upper);
            if nearest == x {
                continue;
            }
            match stated {
                Some((_, q)) => q[0] = nearest,
                None => start.push((index, vec![nearest])),
            }
        }
    }

    /// The joint that a robot's file has under a name.
    fn joint(
        &self,
        name: &str,
        source: Source,
        appended: &Appended,
        stand: &Stand<'_>,
    ) -> Outcome<usize> {
        let own = &self.description.joints[appended.first_joint..];
        let unprefixed = |it: &'_ Joint| it.name[stand.prefix.len()..].to_owned();
        if let Some(index) = own.iter().position(|it| unprefixed(it) == name) {
            if own[index].mimic.is_some() {
                let what = format!("joint `{}` mimics another one", shortened(name));
                let remedy = "give the joint that it mimics";
                return Err(not_allowed(source, what, remedy));
            }
            return Ok(appended.first_joint + index);
        }
        let names: Vec<String> = own.iter().map(unprefixed).collect();
        let cause = ErrorCause::UnknownName {
            what: "joint",
            suggestion: similar(name, names.iter().map(String::as_str)),
            name: shortened(name),
        };
        Err(fault(source, cause))
    }

    fn outside_limits(&mut self, joint: usize, q: &[f64], source: Source) {
        let joint = &self.description.joints[joint];
        let limits = (&joint.limits.lower[..], &joint.limits.upper[..]);
        if let (&[value], (&[lower], &[upper])) = (q, limits)
            && (value < lower || value > upper)
        {
            let joint = shortened(&joint.name);
            let cause = WarningCause::StateOutsideLimits {
                joint,
                value,
                lower,
                upper,
            };
            self.warnings.push((source, cause));
        }
    }

    /// Takes a configuration of the file. Joints of the robot that it does not name are neutral, as
    /// in that file; all else is as in the start state.
    fn configuration(
        &mut self,
        stated: Configuration,
        appended: &Appended,
        at: Option<&Se3<f64>>,
        (part, stand): (&str, &Stand<'_>),
        texts: usize,
    ) {
        let mut joints = entries(&stated, appended, at);
        let given: HashSet<usize> = joints.iter().map(|(joint, _)| *joint).collect();
        let first = appended.root_joint.unwrap_or(appended.first_joint);
        for (index, joint) in self.description.joints.iter().enumerate().skip(first) {
            let kind = joint.motion.kind();
            if kind.nq() == 0 || joint.mimic.is_some() || given.contains(&index) {
                continue;
            }
            joints.push((index, joint.motion.neutral()));
        }
        let mut name = format!("{}{}", stand.prefix, stated.name);
        let is_taken = |name: &str, all: &[Configuration]| {
            name == super::START || all.iter().any(|it| it.name == name)
        };
        if is_taken(&name, &self.configurations) {
            let other = format!("{part}/{}", stated.name);
            let other = free_name(other, |it| is_taken(it, &self.configurations));
            let what = "that of a robot of the scene";
            let taken = other.clone();
            let cause = WarningCause::OtherName { what, name, taken };
            self.warnings.push((stand.source, cause));
            name = other;
        }
        let mut configuration = Configuration::new(name, joints);
        configuration.controls = controls(&stated, appended).collect();
        configuration.settings = stated.settings;
        configuration.source = stated.source.after(texts);
        self.configurations.push(configuration);
    }
}

/// Whether the root of a robot moves by a joint of the scene.
fn floats(table: &Table<'_>, robot: &Description, by_itself: bool) -> Outcome<bool> {
    let asked = match table.text("base")? {
        None => None,
        Some("floating") => Some(true),
        Some("fixed") => Some(false),
        Some(other) => {
            let cause = ErrorCause::UnknownWord {
                attribute: "base",
                found: shortened(other),
                expected: "`floating` or `fixed`".to_owned(),
            };
            return Err(fault(table.source_of("base"), cause));
        }
    };
    let floats = asked.unwrap_or(by_itself);
    let Some(root) = root_of(robot) else {
        return Ok(floats);
    };
    if !is_world(&robot.links[root]) {
        return Ok(floats);
    }
    let mut joints = robot.joints.iter();
    let is_free = joints.any(|it| it.parent == root && it.motion == Motion::Floating);
    match (asked, is_free) {
        (Some(true), false) => {
            let what = "the root of this file is the world, which does not float";
            let remedy = "leave `base` out: its bodies move by joints of their own";
            Err(table.not_allowed("base", what, remedy))
        }
        (Some(false), true) => {
            let what = "the file of this robot lets it float on a joint of its own";
            let remedy = "leave `base` out, or take the joint out of the file";
            Err(table.not_allowed("base", what, remedy))
        }
        _ => Ok(false),
    }
}

/// Fails unless there are as many numbers as a joint has.
fn check_count(
    joint: &Joint,
    found: usize,
    expected: usize,
    attribute: &'static str,
    source: Source,
) -> Outcome<()> {
    if found == expected && expected > 0 {
        return Ok(());
    }
    if expected == 0 {
        let what = format!("joint `{}` is fixed", shortened(&joint.name));
        return Err(not_allowed(source, what, "leave it out"));
    }
    Err(number_count(source, attribute, expected, found))
}
