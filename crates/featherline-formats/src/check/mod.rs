//! All that is found about a robot: the list of `featherline check` and of Python's `check`.
//!
//! | found by | code |
//! |---|---|
//! | the reader | those of [errors](crate::ErrorCause::code) and [warnings](crate::WarningCause::code) |
//! | [`plausibility`] | `too-dense`, `large-moments`, and its others |
//! | [`actuation`](Robot::actuation) | `simplified`: an actuator that simulations leave out |
//! | the model | `open-loops`, `neutral-outside-limits`, `zero-bound` |
//! | the mass matrix, in the neutral and 20 random configurations | `singular-mass-matrix`, `overflowing-mass-matrix`, `ill-conditioned-mass-matrix`, `not-tested` |
//! | [`repair`](crate::repair) | that of the problem which it repairs |

mod conditioning;
mod limits;

pub use limits::limits_without_lines;

use crate::description::Robot;
use crate::error::Error;
use crate::location::Location;
use crate::plausibility;
use crate::repair::{Repair, Repairs};
use crate::warning::{Severity, Warning};
use conditioning::conditioning;
use featherline::Model;
use limits::outside_limits;
use std::collections::HashMap;

/// Something that was found about a robot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// A word for its kind, such as `no-limit`.
    pub code: &'static str,
    /// The fault or doubt, as a sentence.
    pub message: String,
    /// Where in the file; nowhere, if it is about the robot as a whole.
    pub location: Location,
    /// The repair, if one is known.
    pub repair: Option<Repair>,
}

/// All that is wrong, doubtful or not used: of a robot that was read, or of the error that kept it
/// from being read, with the repairs of its text if it has one. The worst comes last. Mesh files
/// are read. Cost: the size of the description and of its meshes, and 21 mass matrices.
///
/// ```
/// use featherline_formats::{check, load_str};
///
/// let read = load_str("<robot><link name='stone'/></robot>");
/// let found = check::findings(read.as_ref(), None);
/// assert_eq!(found[0].code, "no-robot-name");
/// ```
pub fn findings(read: Result<&Robot, &Error>, repairs: Option<&Repairs>) -> Vec<Finding> {
    let mut all: Vec<Finding> = match read {
        Ok(robot) => of_robot(robot),
        Err(error) => error.all().map(Finding::from).collect(),
    };
    if let Some(repairs) = repairs {
        add(&mut all, repairs);
    }
    all.sort_by_key(|it| it.severity);
    all
}

fn of_robot(robot: &Robot) -> Vec<Finding> {
    let doubts = plausibility::doubts(&robot.description);
    let unused = robot.actuation(None).warnings;
    let stated = robot.warnings.iter().chain(&doubts).chain(&unused);
    let mut all: Vec<Finding> = stated.map(Finding::from).collect();
    let model = &robot.model;
    let mut add = |severity, code, message| all.push(Finding::of_robot(severity, code, message));
    if let Some(loops) = open_loops(model) {
        add(Severity::Note, "open-loops", loops);
    }
    let outside = model
        .joints()
        .iter()
        .filter_map(|it| outside_limits(model, it));
    for outside in outside {
        add(Severity::Note, "neutral-outside-limits", outside);
    }
    for limit in limits_without_lines(robot) {
        add(Severity::Warning, "zero-bound", limit);
    }
    all.extend(conditioning(robot));
    all
}

/// A message that the robot's loops are open in results of its tree, if it has loops. Cost O(1).
///
/// ```
/// use featherline::samples;
/// use featherline_formats::check::open_loops;
///
/// assert!(open_loops(&samples::four_bar()).unwrap().contains("one loop joint"));
/// assert_eq!(open_loops(&samples::double_pendulum()), None);
/// ```
pub fn open_loops(model: &Model) -> Option<String> {
    let name = model.name();
    let robot = match model.loop_joints().len() {
        0 => return None,
        1 => format!("`{name}` has a closed loop (one loop joint)"),
        loops => format!("`{name}` has closed loops ({loops} loop joints)"),
    };
    Some(format!(
        "{robot}: what is computed is its spanning tree, with open loops"
    ))
}

/// Adds repairs to the findings that they are of; others are findings of their own, and so are
/// errors that remain with the repairs.
fn add(findings: &mut Vec<Finding>, repairs: &Repairs) {
    let key = |code: &'static str, location: &Location| {
        let start = location.span.as_ref().map(|it| it.bytes.start);
        (code, location.file.clone(), start)
    };
    let mut known = HashMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let key = key(finding.code, &finding.location);
        known.entry(key).or_insert(index);
    }
    for repair in &repairs.repairs {
        match known.remove(&key(repair.code, &repair.location)) {
            Some(index) => findings[index].repair = Some(repair.clone()),
            None => findings.push(repair.into()),
        }
    }
    let made = match repairs.repairs.len() {
        1 => "the repair above is",
        _ => "the repairs above are",
    };
    let outcome = repairs.outcome.as_ref();
    for error in outcome.err().into_iter().flat_map(Error::all) {
        let mut remaining = Finding::from(error);
        let element = &remaining.location.element;
        let is_same = |it: &Finding| {
            (it.code, &it.message, &it.location.element)
                == (remaining.code, &remaining.message, element)
        };
        if !findings.iter().any(is_same) {
            let is_question = remaining.message.ends_with('?');
            let end = if is_question { "" } else { "." };
            remaining.message +=
                &format!("{end} This error appears once {made} made, and no repair is known");
            findings.push(remaining);
        }
    }
}

impl Finding {
    /// A finding about the robot as a whole, which has no place.
    ///
    /// ```
    /// use featherline_formats::{Severity, check::Finding};
    ///
    /// let found = Finding::of_robot(Severity::Note, "self-collision", "not tested".to_owned());
    /// assert_eq!(found.location.position, None);
    /// ```
    pub fn of_robot(severity: Severity, code: &'static str, message: String) -> Self {
        Self {
            severity,
            code,
            message,
            location: Location::default(),
            repair: None,
        }
    }
}

impl From<&Warning> for Finding {
    fn from(warning: &Warning) -> Self {
        let cause = &warning.cause;
        Self {
            location: warning.location.clone(),
            ..Self::of_robot(cause.severity(), cause.code(), cause.to_string())
        }
    }
}

impl From<&Error> for Finding {
    fn from(error: &Error) -> Self {
        let cause = error.cause();
        Self {
            location: error.location().clone(),
            ..Self::of_robot(Severity::Error, cause.code(), cause.to_string())
        }
    }
}

/// The finding that only a repair knows of.
impl From<&Repair> for Finding {
    fn from(repair: &Repair) -> Self {
        Self {
            location: repair.location.clone(),
            repair: Some(repair.clone()),
            ..Self::of_robot(repair.severity, repair.code, repair.reason.clone())
        }
    }
}
