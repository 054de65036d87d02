//! `featherline check --self-collision`: which links overlap, and an SRDF that leaves out pairs.

use crate::failure::Failure;
use crate::robot::Robot;
use featherline::Workspace;
use featherline::random::SplitMix64;
use featherline::spatial::Se3;
use featherline_formats::check::Finding;
use featherline_formats::description::{ContactExclusion, ContactModel};
use featherline_formats::{Severity, Written, srdf};
use featherline_geometry::CollisionWorkspace;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::path::Path;

/// How many configurations are sampled.
pub const SAMPLES: u32 = 10_000;

/// The same configurations each time.
const SEED: u64 = 1;

/// The most lines for an SRDF on the terminal.
const MOST_LINES: usize = 40;

/// The most pairs that a finding names.
const MOST_NAMES: usize = 4;

/// How often the shapes of two links overlap, with the words of SRDF files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum Overlap {
    /// Not tested: the links make one body, or are parent and child.
    Adjacent,
    /// In all configurations.
    Always,
    /// At the neutral one, and in some others.
    Default,
    /// In some.
    Sometimes,
    /// In none.
    Never,
}

/// The survey of sampled configurations for a robot's links.
#[derive(Serialize)]
pub struct Survey {
    samples: u32,
    shapes: usize,
    pairs: Vec<Pair>,
    #[serde(skip)]
    has_loops: bool,
    #[serde(skip)]
    warnings: Vec<Finding>,
}

/// Two links.
#[derive(Serialize)]
struct Pair {
    links: [String; 2],
    #[serde(skip)]
    indices: [usize; 2],
    overlap: Overlap,
}

impl Survey {
    /// Samples configurations within the limits.
    pub fn of(robot: &Robot, samples: u32) -> Result<Self, Failure> {
        let (model, description) = (&robot.model, &robot.description);
        let contact = robot.contact_model(None).map_err(Failure::state)?;
        let collision = &contact.collision;
        let mut source = SplitMix64::new(SEED);
        let survey = collision
            .survey(model, samples as usize, &mut source)
            .map_err(Failure::state)?;
        let never: HashSet<[usize; 2]> = survey.never.into_iter().collect();
        let always: HashSet<[usize; 2]> = survey.always.into_iter().collect();
        let neutral = at_neutral(robot, &contact)?;
        // Links overlap as soon as two of their shapes do.
        let mut of_links: BTreeMap<[usize; 2], Overlap> = BTreeMap::new();
        for pair in collision.pairs() {
            let [Some(a), Some(b)] = pair.map(|shape| contact.links[shape]) else {
                continue;
            };
            let overlap = match (neutral.contains(pair), never.contains(pair)) {
                _ if always.contains(pair) => Overlap::Always,
                (true, _) => Overlap::Default,
                (false, true) => Overlap::Never,
                (false, false) => Overlap::Sometimes,
            };
            let links = [a.min(b), a.max(b)];
            let most = of_links.entry(links).or_insert(overlap);
            *most = overlap.min(*most);
        }
        // Other programs test these, unless they are told not to.
        let rules = description.contact_rules().map_err(Failure::state)?;
        let shapes = description.geometry.iter().filter(|it| it.is_collision);
        let touching: BTreeSet<usize> = shapes.map(|it| it.link).collect();
        let exclusions = description.contact_exclusions.iter();
        let known: HashSet<[usize; 2]> = exclusions
            .map(|it| [it.links[0].min(it.links[1]), it.links[0].max(it.links[1])])
            .collect();
        for &a in &touching {
            let others = touching.range(a + 1..).map(|&b| [a, b]);
            for links in others.filter(|&[a, b]| rules.are_adjacent(a, b)) {
                if !known.contains(&links) {
                    of_links.entry(links).or_insert(Overlap::Adjacent);
                }
            }
        }
        let name = |link: usize| description.links[link].name.clone();
        Ok(Self {
            samples,
            shapes: collision.shapes().len(),
            pairs: of_links
                .into_iter()
                .map(|(links, overlap)| Pair {
                    links: links.map(name),
                    indices: links,
                    overlap,
                })
                .collect(),
            has_loops: !model.loop_joints().is_empty(),
            warnings: contact.warnings.iter().map(Finding::from).collect(),
        })
    }

    fn of_kind(&self, overlap: Overlap) -> impl Iterator<Item = &Pair> {
        self.pairs
            .iter()
            .filter(move |pair| pair.overlap == overlap)
    }

    /// The results of the survey.
    pub fn findings(&self) -> Vec<Finding> {
        let mut found = self.warnings.clone();
        let mut add = |severity, code, message: String| {
            found.push(Finding::of_robot(severity, code, message));
        };
        let samples = self.samples;
        let tested = |it: &Pair| it.overlap != Overlap::Adjacent;
        if !self.pairs.iter().any(tested) {
            let message = match self.shapes {
                0 => "no link has a collision shape: nothing was tested for self-collision",
                _ => "no two links may touch: nothing was tested for self-collision",
            };
            add(Severity::Note, "self-collision", message.to_owned());
            return found;
        }
        if self.has_loops {
            let message =
                "self-collision was tested with the loops open: their joints were sampled freely";
            add(Severity::Note, "self-collision", message.to_owned());
        }
        let kinds = [
            (
                Overlap::Never,
                Severity::Note,
                "never-overlap",
                format!("never overlap in {samples} random configurations"),
            ),
            (
                Overlap::Sometimes,
                Severity::Note,
                "sometimes-overlap",
                "overlap in some configurations, and are to be tested".to_owned(),
            ),
            (
                Overlap::Default,
                Severity::Warning,
                "neutral-overlap",
                "overlap at the neutral configuration: exclude them if they can't collide, or \
                 give them smaller collision shapes"
                    .to_owned(),
            ),
            (
                Overlap::Always,
                Severity::Warning,
                "always-overlap",
                format!(
                    "overlap in all {samples} random configurations: exclude them, or give them \
                     smaller collision shapes"
                ),
            ),
        ];
        for (overlap, severity, code, what) in kinds {
            let pairs: Vec<&Pair> = self.of_kind(overlap).collect();
            let count = match pairs.len() {
                0 => continue,
                1 => "the links of 1 pair".to_owned(),
                n => format!("the links of {n} pairs"),
            };
            let named = pairs.iter().take(MOST_NAMES);
            let named = named.map(|pair| format!("`{}` and `{}`", pair.links[0], pair.links[1]));
            let named = named.collect::<Vec<_>>().join(", ");
            let more = match pairs.len().saturating_sub(MOST_NAMES) {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            add(severity, code, format!("{count} {what} ({named}{more})"));
        }
        found
    }

    /// The pairs that need not be tested, each with the reason.
    fn exclusions(&self) -> impl Iterator<Item = (&Pair, &'static str)> {
        let kinds = [
            (Overlap::Adjacent, "Adjacent"),
            (Overlap::Always, "Always"),
            (Overlap::Default, "Default"),
            (Overlap::Never, "Never"),
        ];
        let of_kind = move |(overlap, reason)| self.of_kind(overlap).map(move |it| (it, reason));
        kinds.into_iter().flat_map(of_kind)
    }

    /// An SRDF with what the robot's files say of its parts, which excludes these pairs, too.
    pub fn srdf(&self, robot: &Robot) -> Result<Written, Failure> {
        let mut description = robot.description.clone();
        for (pair, reason) in self.exclusions() {
            let mut exclusion = ContactExclusion::new("", pair.indices);
            reason.clone_into(&mut exclusion.reason);
            description.contact_exclusions.push(exclusion);
        }
        let written = srdf::to_string(&description);
        written.map_err(|e| Failure::Robot(e.to_string()))
    }

    /// The remedies for the pairs.
    pub fn text(&self, written: Option<&Path>) -> String {
        let (count, mut text) = (self.exclusions().count(), String::new());
        if let Some(path) = written {
            let path = path.display();
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{path} excludes these {count} pairs, and what was excluded before; `--srdf {path}` leaves them out"
            );
            return text;
        }
        if count == 0 {
            return text;
        }
        text.push_str("\nfor an SRDF (`--write-srdf FILE` writes it, `--srdf FILE` takes it):\n");
        for (pair, reason) in self.exclusions().take(MOST_LINES) {
            let _ = writeln!(text, "  {}", line(&pair.links, reason));
        }
        if count > MOST_LINES {
            let _ = writeln!(text, "  … and {} lines more", count - MOST_LINES);
        }
        text
    }
}

/// The pairs of shapes that overlap at the neutral configuration.
fn at_neutral(robot: &Robot, contact: &ContactModel) -> Result<HashSet<[usize; 2]>, Failure> {
    let model = &robot.model;
    let mut ws = Workspace::<f64>::recursive(model);
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let positions = model.forward_kinematics(&mut ws, &model.neutral_configuration());
    let positions = positions.map_err(Failure::state)?;
    positions
        .joint_placements_into(&mut joints)
        .map_err(Failure::state)?;
    let mut queries = CollisionWorkspace::new(&contact.collision);
    let placed = queries.place(&contact.collision, &joints);
    let mut placed = placed.map_err(Failure::state)?;
    let found = placed.collisions(false).map_err(Failure::state)?;
    Ok(found.iter().copied().collect())
}

fn line([a, b]: &[String; 2], reason: &str) -> String {
    let (a, b) = (escaped(a), escaped(b));
    format!("<disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>")
}

/// A text between quotes of XML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}
