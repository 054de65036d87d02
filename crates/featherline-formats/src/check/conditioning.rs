//! The condition of the mass matrix.

use super::Finding;
use crate::description::Robot;
use crate::warning::{Severity, WarningCause};
use featherline::model::ModelWarning;
use featherline::random::SplitMix64;
use featherline::{Error, Model, Workspace};

/// The most degrees of freedom for which square matrices are made: one of them takes 32 MB.
const DENSE: usize = 2000;
/// The number of random configurations, the same each time.
const CONFIGURATIONS: usize = 20;
const SEED: u64 = 0;
/// With a larger condition number, accelerations have less than six of double precision's sixteen
/// digits.
const BADLY_CONDITIONED: f64 = 1e10;

/// Why a mass matrix is no good.
enum Condition {
    /// It has no inverse.
    Singular { joint: String },
    /// It is too large for double precision.
    Overflow,
    /// Its inverse has few correct digits.
    Bad { joint: String, condition: f64 },
}

/// The fault of the mass matrix, unless the reader has said so; or why it was not tested.
pub(super) fn conditioning(robot: &Robot) -> Option<Finding> {
    let doubts = |is_doubt: &dyn Fn(&ModelWarning) -> bool| {
        let mut warnings = robot.warnings.iter();
        warnings.any(|it| matches!(&it.cause, WarningCause::Model(doubt) if is_doubt(doubt)))
    };
    let nv = robot.model.nv();
    let found = match () {
        () if doubts(&|it| matches!(it, ModelWarning::TooLarge { .. })) => {
            Err("it overflows with such large values".to_owned())
        }
        () if nv > DENSE => Err(format!(
            "with {nv} degrees of freedom, more than {DENSE}, that would take too much memory and time"
        )),
        () => worst(&robot.model).map_err(|error| error.to_string()),
    };
    let (condition, place) = match found {
        Ok(found) => found?,
        Err(reason) => {
            let message = format!("the conditioning of the mass matrix was not tested: {reason}");
            return Some(Finding::of_robot(Severity::Note, "not-tested", message));
        }
    };
    let (code, message) = match condition {
        // The reader already reports which joint moves nothing.
        Condition::Singular { joint }
            if doubts(&|it| {
                matches!(it, ModelWarning::MovesNothing { joint: j }
                    | ModelWarning::DependentMotions { joint: j, .. } if *j == joint)
            }) =>
        {
            return None;
        }
        Condition::Singular { joint } => (
            "singular-mass-matrix",
            format!(
                "joint `{joint}`: the mass matrix is singular at {place}, so that accelerations don't follow from \
                 forces; give the links that the joint moves mass and rotational inertia, or the joint an armature"
            ),
        ),
        Condition::Overflow => (
            "overflowing-mass-matrix",
            format!(
                "the mass matrix overflows at {place}: masses, moments of inertia, lengths or the ratios of joints that \
                 mimic are too large; check their units"
            ),
        ),
        Condition::Bad { joint, condition } => (
            "ill-conditioned-mass-matrix",
            format!(
                "joint `{joint}`: the mass matrix is badly conditioned at {place} (condition number {condition:.0e} or \
                 more), so that accelerations have few correct digits; the joint moves hardly any inertia of its own"
            ),
        ),
    };
    Some(Finding::of_robot(Severity::Warning, code, message))
}

/// The worst condition of the mass matrix in the neutral and in random configurations, and where.
fn worst(model: &Model) -> Result<Option<(Condition, String)>, Error> {
    let mut source = SplitMix64::new(SEED);
    let place = "the neutral configuration".to_owned();
    let neutral = (place, model.neutral_configuration());
    let random = (1..=CONFIGURATIONS).map(|k| {
        let q = model.random_configuration(&mut source);
        (format!("random configuration {k}"), q)
    });
    let mut ws = Workspace::new(model);
    let mut worst = None;
    let mut greatest = BADLY_CONDITIONED;
    for (place, q) in std::iter::once(neutral).chain(random) {
        let mass = match model.crba(&mut ws, &q) {
            Ok(mass) => mass,
            Err(Error::Overflow { .. }) => return Ok(Some((Condition::Overflow, place))),
            Err(error) => return Err(error),
        };
        let largest = (0..model.nv()).map(|k| mass[(k, k)]).fold(0.0, f64::max);
        let factor = match model.ltdl(&mut ws, &q) {
            Ok(factor) => factor,
            Err(Error::SingularInertia { joint }) => {
                return Ok(Some((Condition::Singular { joint }, place)));
            }
            Err(Error::Overflow { .. }) => return Ok(Some((Condition::Overflow, place))),
            Err(error) => return Err(error),
        };
        // The largest eigenvalue is at least a diagonal element, the least one at most a pivot.
        let pivots = (0..model.nv()).map(|k| (factor.pivot(k), k));
        let Some((least, k)) = pivots.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        let condition = largest / least;
        if condition > greatest {
            greatest = condition;
            let mut joints = model.joints().iter();
            let owner = joints.find(|j| (j.idx_v..j.idx_v + j.nv).contains(&k));
            let joint = owner.map(|j| j.name.clone()).unwrap_or_default();
            worst = Some((Condition::Bad { joint, condition }, place));
        }
    }
    Ok(worst)
}
