//! Names in the file, where those of each kind are unique.

use super::plan::{Placed, Plan};
use crate::description::{Description, Source};
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
pub(super) struct Taken {
    what: &'static str,
    names: HashSet<String>,
}

impl Taken {
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
            let (what, name) = (self.what, name.to_owned());
            let cause = WarningCause::Renamed {
                what,
                name,
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
    Names {
        links,
        carriers,
        frames,
        joints: joints(description, plan, report),
        geometry: geometry(description, report),
        materials: plain("material", &description.materials, report, |it| {
            (&it.name, it.source)
        }),
        tendons: plain("tendon", &description.tendons, report, |it| {
            (&it.name, it.source)
        }),
        actuators: plain("actuator", &description.actuators, report, |it| {
            (&it.name, it.source)
        }),
    }
}

fn plain<T>(
    what: &'static str,
    all: &[T],
    report: &mut Report<'_>,
    name: impl Fn(&T) -> (&String, Source),
) -> Vec<String> {
    let mut taken = Taken::new(what);
    let mut take = |it: &T| {
        let (name, source) = name(it);
        taken.take(name, source, report)
    };
    all.iter().map(&mut take).collect()
}

fn bodies_and_sites(
    description: &Description,
    plan: &Plan,
    report: &mut Report<'_>,
) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mut bodies = Taken::new("link");
    bodies.unused("world");
    let mut links = Vec::new();
    for (i, link) in description.links.iter().enumerate() {
        links.push(match plan.world == Some(i) {
            true => "world".to_owned(),
            false => bodies.take(&link.name, link.source, report),
        });
    }
    let mut sites = Taken::new("frame");
    let frames = description.frames.iter();
    let frames = frames.map(|it| match it.kind {
        // A body without mass.
        FrameKind::Body => bodies.take(&it.name, it.source, report),
        FrameKind::Joint | FrameKind::FixedJoint => String::new(),
        _ => sites.take(&it.name, it.source, report),
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
    let mut taken = Taken::new("joint");
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

/// The names of shapes; those that others refer to have one.
fn geometry(description: &Description, report: &mut Report<'_>) -> Vec<String> {
    use crate::description::{Target, TendonPath, TendonPoint};
    let mut needed = HashSet::new();
    let pairs = description.contact_pairs.iter();
    needed.extend(pairs.flat_map(|it| it.geometry));
    let targets = description.sensors.iter().flat_map(|it| &it.targets);
    needed.extend(targets.filter_map(|it| match it {
        Target::Geometry(index) => Some(*index),
        _ => None,
    }));
    for tendon in &description.tendons {
        if let TendonPath::Spatial(points) = &tendon.path {
            needed.extend(points.iter().filter_map(|it| match it {
                TendonPoint::Wrap { geometry, .. } => Some(*geometry),
                _ => None,
            }));
        }
    }
    let mut taken = Taken::new("shape");
    let mut names = Vec::new();
    for (i, it) in description.geometry.iter().enumerate() {
        names.push(match it.name.is_empty() && needed.contains(&i) {
            true => taken.unused(&format!("geom_{i}")),
            false => taken.take(&it.name, it.source, report),
        });
    }
    names
}
