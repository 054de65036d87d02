//! Names in the file, where those of each kind are unique.

use super::plan::{Placed, Plan};
use crate::description::{Description, Source, Target, TendonPath, TendonPoint, Transmission};
use crate::report::Report;
use crate::warning::WarningCause;
use featherline::model::FrameKind;
use std::collections::HashSet;

/// The names that parts have in the file, by their indices in the description.
pub(super) struct Names {
    /// Bodies, by links.
    pub(super) links: Vec<String>,
    /// Bodies that carry a link on a fixed placement, by the index of the body.
    pub(super) carriers: Vec<String>,
    /// The joints of each joint.
    pub(super) joints: Vec<Vec<String>>,
    pub(super) frames: Vec<String>,
    pub(super) geometry: Vec<String>,
    pub(super) materials: Vec<String>,
    pub(super) tendons: Vec<String>,
    pub(super) actuators: Vec<String>,
}

/// The names of one kind that are taken.
pub(super) struct TakenNames {
    what: &'static str,
    names: HashSet<String>,
}

impl TakenNames {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            what,
            names: HashSet::new(),
        }
    }

    /// A name that nothing else of the kind has, with a warning if it is another one. No name stays
    /// none.
    pub(super) fn take(&mut self, name: &str, source: Source, report: &mut Report<'_>) -> String {
        if name.is_empty() {
            return String::new();
        }
        let written = self.unused(name);
        if written != name {
            let cause = WarningCause::Renamed {
                what: self.what,
                name: name.to_owned(),
                written: written.clone(),
            };
            report.warn(source, cause);
        }
        written
    }

    /// A name that nothing else of the kind has: the one given, and as many underscores as it
    /// takes.
    pub(super) fn unused(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The names of all parts.
pub(super) fn names(description: &Description, plan: &Plan, report: &mut Report<'_>) -> Names {
    let (links, frames, carriers) = bodies_and_sites(description, plan, report);
    let needed = Needed::of(description);
    let of = description;
    let geometry = of.geometry.iter().map(|it| (it.name.as_str(), it.source));
    let materials = of.materials.iter().map(|it| (it.name.as_str(), it.source));
    let tendons = of.tendons.iter().map(|it| (it.name.as_str(), it.source));
    let actuators = of.actuators.iter().map(|it| (it.name.as_str(), it.source));
    Names {
        links,
        carriers,
        frames,
        joints: joints(description, plan, report),
        geometry: parts("shape", geometry, &needed.geometry, report),
        materials: parts("material", materials, &HashSet::new(), report),
        tendons: parts("tendon", tendons, &needed.tendons, report),
        actuators: parts("actuator", actuators, &needed.actuators, report),
    }
}

fn bodies_and_sites(
    description: &Description,
    plan: &Plan,
    report: &mut Report<'_>,
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut bodies = TakenNames::new("link");
    bodies.unused("world");
    let mut links = Vec::new();
    for (i, link) in description.links.iter().enumerate() {
        links.push(match plan.world == Some(i) {
            true => "world".to_owned(),
            false => bodies.take(&link.name, link.source, report),
        });
    }
    let mut sites = TakenNames::new("frame");
    let frames = description.frames.iter();
    let frames = frames.map(|it| match it.kind {
        // A body without mass.
        FrameKind::Body => bodies.take(&it.name, it.source, report),
        FrameKind::Joint | FrameKind::FixedJoint => String::new(),
        FrameKind::Operational | FrameKind::Sensor => sites.take(&it.name, it.source, report),
    });
    let frames = frames.collect();
    let mut carriers = vec![String::new(); plan.bodies.len()];
    for pair in plan.bodies.windows(2).enumerate() {
        // The link that is carried comes next.
        if let (i, [carrier, carried]) = pair
            && carrier.link.is_none()
            && let Some(link) = carried.link
        {
            carriers[i] = bodies.unused(&format!("{}_carrier", links[link]));
        }
    }
    (links, frames, carriers)
}

/// The names of the joints of each joint: its own, if it is one.
fn joints(description: &Description, plan: &Plan, report: &mut Report<'_>) -> Vec<Vec<String>> {
    let mut counts = vec![0; description.joints.len()];
    let placed = || plan.bodies.iter().flat_map(|it| &it.joints);
    for it in placed() {
        counts[it.joint()] += 1;
    }
    let mut taken = TakenNames::new("joint");
    let mut names = vec![Vec::new(); counts.len()];
    for (i, joint) in description.joints.iter().enumerate() {
        if counts[i] == 1 {
            names[i].push(taken.take(&joint.name, joint.source, report));
        }
    }
    for it in placed() {
        if let Placed::Move { joint, it, .. } = it
            && counts[*joint] > 1
        {
            let name = format!("{}{}", description.joints[*joint].name, it.suffix);
            names[*joint].push(taken.unused(&name));
        }
    }
    names
}

/// The parts that others refer to, which need a name.
struct Needed {
    geometry: HashSet<usize>,
    tendons: HashSet<usize>,
    actuators: HashSet<usize>,
}

impl Needed {
    fn of(description: &Description) -> Self {
        let pairs = description.contact_pairs.iter();
        let mut needed = Self {
            geometry: pairs.flat_map(|it| it.geometry).collect(),
            tendons: HashSet::new(),
            actuators: HashSet::new(),
        };
        for target in description.sensors.iter().flat_map(|it| &it.targets) {
            match *target {
                Target::Geometry(index) => needed.geometry.insert(index),
                Target::Tendon(index) => needed.tendons.insert(index),
                Target::Actuator(index) => needed.actuators.insert(index),
                // These have names in any case.
                Target::Link(_) | Target::Subtree(_) | Target::Joint(_) | Target::Frame(_) => {
                    continue;
                }
            };
        }
        for actuator in &description.actuators {
            if let Transmission::Tendon(index) = actuator.transmission {
                needed.tendons.insert(index);
            }
        }
        for tendon in &description.tendons {
            let TendonPath::Spatial(points) = &tendon.path else {
                continue;
            };
            for point in points {
                if let TendonPoint::Wrap { geometry, .. } = *point {
                    needed.geometry.insert(geometry);
                }
            }
        }
        needed
    }
}

/// The names of parts; one that others refer to has one.
fn parts<'d>(
    what: &'static str,
    all: impl Iterator<Item = (&'d str, Source)>,
    needed: &HashSet<usize>,
    report: &mut Report<'_>,
) -> Vec<String> {
    let mut taken = TakenNames::new(what);
    let name = |(i, (name, source)): (usize, (&str, Source))| match name {
        "" if needed.contains(&i) => taken.unused(&format!("{what}_{i}")),
        name => taken.take(name, source, report),
    };
    all.enumerate().map(name).collect()
}
