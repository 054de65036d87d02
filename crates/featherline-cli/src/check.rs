//! `featherline check`: what is physically wrong or doubtful about a robot.

use crate::arguments::CheckArguments;
use crate::eval::RandomStates;
use crate::failure::Failure;
use crate::number::short;
use crate::robot::{self, Robot};
use featherline::model::{Joint, ModelWarning};
use featherline::{Error, Model, Workspace};
use featherline_formats::urdf::WarningCause;
use std::fmt;
use std::io::{BufWriter, Write, stdout};
use std::process::ExitCode;

/// How many random configurations the mass matrix is looked at in.
const CONFIGURATIONS: u64 = 20;
const SEED: u64 = 0;
/// The most degrees of freedom for which square matrices are made: one of them takes 32 MB.
const DENSE: usize = 2000;
/// Condition numbers beyond this leave less than six digits of accelerations: double precision has sixteen.
const BADLY_CONDITIONED: f64 = 1e10;

/// Reports what is found.
pub fn run(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let robot = robot::load(&arguments.robot)?;
    let report = Report::of(&robot)?;
    let mut out = BufWriter::new(stdout().lock());
    for note in &report.notes {
        writeln!(out, "{} {note}", console::style("note:").bold())?;
    }
    for finding in &report.findings {
        let label = console::style("found:").yellow().bold();
        writeln!(out, "{label} {finding}")?;
    }
    let name = robot.model.name();
    match report.findings.len() {
        0 => writeln!(out, "{name}: nothing wrong was found")?,
        1 => writeln!(out, "{name}: 1 thing was found")?,
        n => writeln!(out, "{name}: {n} things were found")?,
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!report.findings.is_empty())))
}

/// What there is to say about a robot.
#[derive(Default)]
struct Report {
    /// What is wrong or doubtful.
    findings: Vec<String>,
    /// What is right, and good to know.
    notes: Vec<String>,
}

impl Report {
    fn of(robot: &Robot) -> Result<Self, Failure> {
        let mut report = Self::default();
        for warning in &robot.warnings {
            if robot::is_unused(warning) {
                report.notes.push(warning.to_string());
            } else {
                report.findings.push(warning.to_string());
            }
        }
        let model = &robot.model;
        report.notes.extend(robot::loops_are_open(model));
        for joint in model.joint_ids().map(|id| model.joint(id)) {
            report.notes.extend(outside_limits(model, joint));
            report.findings.extend(without_drive(joint));
        }
        let doubts = || {
            robot.warnings.iter().filter_map(|w| match &w.cause {
                WarningCause::Model(warning) => Some(warning),
                _ => None,
            })
        };
        if doubts().any(|doubt| matches!(doubt, ModelWarning::TooLarge { .. })) {
            report.notes.push(
                "the conditioning of the mass matrix was not tested: with figures as large as those found it overflows"
                    .to_owned(),
            );
            return Ok(report);
        }
        // The reader already said which joint moves nothing.
        let is_known = |joint: &str| {
            doubts().any(|doubt| {
                matches!(
                    doubt,
                    ModelWarning::MovesNothing { joint: j }
                        | ModelWarning::DependentMotions { joint: j, .. } if j == joint
                )
            })
        };
        if model.nv() > DENSE {
            report.notes.push(format!(
                "the conditioning of the mass matrix was not tested: with {} degrees of freedom, more than {DENSE}, that \
                 would take too much memory and time",
                model.nv()
            ));
            return Ok(report);
        }
        match conditioning(model)? {
            Conditioning::Sound => {}
            Conditioning::Singular { joint, .. } if is_known(&joint) => {}
            bad => report.findings.push(bad.to_string()),
        }
        Ok(report)
    }
}

/// Says that a joint's neutral configuration violates its limits.
fn outside_limits(model: &Model, joint: &Joint) -> Option<String> {
    let mut neutral = vec![0.0; joint.kind.nq()];
    joint.kind.neutral(&mut neutral);
    let follows = joint.mimic.map(|mimic| {
        // Where its master is neutral, a follower is at its offset.
        neutral.fill(mimic.offset);
        format!(", where it follows `{}`", model.joint(mimic.master).name)
    });
    let bounds = joint.limits.lower.iter().zip(&joint.limits.upper);
    let outside = neutral
        .iter()
        .zip(bounds)
        .find(|(q, (lower, upper))| *q < lower || *q > upper);
    outside.map(|(&q, (&lower, &upper))| {
        format!(
            "joint `{}`: the neutral configuration {}{} lies outside the limits [{}, {}], \
             so that a program must not start there",
            joint.name,
            short(q),
            follows.unwrap_or_default(),
            short(lower),
            short(upper)
        )
    })
}

/// Says that limits of zero keep a joint from moving, or from being moved.
fn without_drive(joint: &Joint) -> Vec<String> {
    let limits = &joint.limits;
    let checks = [
        ("velocity", &limits.velocity, "it may not move"),
        ("effort", &limits.effort, "nothing may drive it"),
    ];
    let zero = checks
        .into_iter()
        .filter(|(_, values, _)| values.contains(&0.0));
    zero.map(|(what, _, consequence)| {
        format!(
            "joint `{}`: its limit of {what} is 0, so that {consequence}; leave the limit out if it is not known",
            joint.name
        )
    })
    .collect()
}

/// What numbers show about the mass matrix.
enum Conditioning {
    Sound,
    /// It has no inverse.
    Singular {
        joint: String,
        place: String,
    },
    /// It is too large for double precision.
    Overflow {
        place: String,
    },
    /// It has one, of which few digits are right.
    Bad {
        joint: String,
        place: String,
        condition: f64,
    },
}

impl fmt::Display for Conditioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound => Ok(()),
            Self::Singular { joint, place } => write!(
                f,
                "joint `{joint}`: the mass matrix is singular at {place}, so that accelerations don't follow from \
                 forces; give the links that the joint moves mass and rotational inertia, or the joint an armature"
            ),
            Self::Overflow { place } => write!(
                f,
                "the mass matrix overflows at {place}: masses, moments of inertia, lengths or the ratios of joints that \
                 mimic are too large; check their units"
            ),
            Self::Bad {
                joint,
                place,
                condition,
            } => write!(
                f,
                "joint `{joint}`: the mass matrix is badly conditioned at {place} (condition number {condition:.0e} or \
                 more), so that accelerations have few right digits; the joint moves next to no inertia of its own"
            ),
        }
    }
}

/// Looks at the mass matrix in the neutral and in random configurations; gives the worst.
fn conditioning(model: &Model) -> Result<Conditioning, Failure> {
    let neutral = (
        "the neutral configuration".to_owned(),
        model.neutral_configuration(),
    );
    let random = RandomStates::new(model, CONFIGURATIONS, SEED).enumerate();
    let random = random.map(|(k, state)| (format!("random configuration {}", k + 1), state.q));
    let mut ws = Workspace::new(model);
    let mut worst = (BADLY_CONDITIONED, Conditioning::Sound);
    for (place, q) in std::iter::once(neutral).chain(random) {
        let mass = match model.crba(&mut ws, &q) {
            Ok(mass) => mass,
            Err(Error::Overflow { .. }) => return Ok(Conditioning::Overflow { place }),
            Err(error) => return Err(error.into()),
        };
        let largest = (0..model.nv()).map(|k| mass[(k, k)]).fold(0.0, f64::max);
        let factor = match model.ltdl(&mut ws, &q) {
            Ok(factor) => factor,
            Err(Error::SingularInertia { joint }) => {
                return Ok(Conditioning::Singular { joint, place });
            }
            Err(Error::Overflow { .. }) => return Ok(Conditioning::Overflow { place }),
            Err(error) => return Err(error.into()),
        };
        // The largest eigenvalue is at least a diagonal element, the least one at most a pivot.
        let pivots = (0..model.nv()).map(|k| (factor.pivot(k), k));
        let Some((least, k)) = pivots.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        let condition = largest / least;
        if condition > worst.0 {
            let owner = model
                .joints()
                .iter()
                .find(|j| (j.idx_v..j.idx_v + j.nv).contains(&k));
            let joint = owner.map(|j| j.name.clone()).unwrap_or_default();
            worst = (
                condition,
                Conditioning::Bad {
                    joint,
                    place,
                    condition,
                },
            );
        }
    }
    Ok(worst.1)
}
