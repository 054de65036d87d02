//! Sets of known quantities, in words.

use crate::error::{SensorFileFault, SystemError};
use crate::names::word_and_joint;
use crate::problem::{Components, Known, KnownValue, Problem, check_degree};
use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::{JointId, UnknownName};

/// Some quantities that are known, as one word says it.
///
/// | word | what is known |
/// |---|---|
/// | `qdd`, `tau` | every q̈, every τ: an input for each |
/// | `qdd:JOINT`, `tau:JOINT` | that of one joint |
/// | `free-base` | nothing holds a free-flyer that moves the root: its τ is zero |
/// | `no-external-forces` | fˣ is zero on every body but those with a sensor of external forces, a contact, or a word of their own |
/// | `external-forces` | fˣ is an input on the bodies on which it would be zero then |
/// | `external-force:BODY` | fˣ is an input on a body |
/// | `unknown-external-force:BODY` | nothing: fˣ on the body stays an unknown, whatever is said of the other bodies |
///
/// `joint-accelerations`, `joint-forces`, `joint-acceleration:JOINT` and `joint-force:JOINT` are
/// other names of the first four. `BODY` is the name of the joint that moves the body, or of a link
/// or frame on it. Sensor files write the last word as `unknown = ["external-force:BODY"]`.
///
/// ```
/// use featherline::samples;
/// use featherline_system::KnownSet;
///
/// let model = samples::double_pendulum();
/// let lower = model.joint_id("elbow")?;
/// assert_eq!(KnownSet::parse("tau:elbow", &model)?, KnownSet::JointForce(lower));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownSet {
    /// Every q̈.
    JointAccelerations,
    /// Every τ.
    JointForces,
    /// The q̈ of one joint.
    JointAcceleration(JointId),
    /// The τ of one joint.
    JointForce(JointId),
    /// No τ at a free base.
    FreeBase,
    /// No fˣ but where it is measured or assumed.
    NoExternalForces,
    /// Every fˣ but where it is measured or assumed.
    ExternalForces,
    /// The fˣ on one body.
    ExternalForce(JointId),
    /// The fˣ on one body is left unknown.
    UnknownExternalForce(JointId),
}

impl KnownSet {
    /// The set that a word stands for.
    ///
    /// # Errors
    /// [`SensorFileFault`] if it says nothing, or names a joint or a free base that the robot does
    /// not have.
    pub fn parse(word: &str, model: &Model) -> Result<Self, SensorFileFault> {
        match word_and_joint(word) {
            ("qdd", None) => Ok(Self::JointAccelerations),
            ("tau", None) => Ok(Self::JointForces),
            ("free-base", None) if free_base(model).next().is_none() => {
                let word = word.to_owned();
                Err(SensorFileFault::NoFreeBase { word })
            }
            ("free-base", None) => Ok(Self::FreeBase),
            ("no-external-forces", None) => Ok(Self::NoExternalForces),
            ("external-forces", None) => Ok(Self::ExternalForces),
            ("qdd", Some(name)) => Ok(Self::JointAcceleration(model.joint_id(name)?)),
            ("tau", Some(name)) => Ok(Self::JointForce(model.joint_id(name)?)),
            ("external-force", Some(name)) => Ok(Self::ExternalForce(body(model, name)?)),
            ("unknown-external-force", Some(name)) => {
                Ok(Self::UnknownExternalForce(body(model, name)?))
            }
            _ => Err(SensorFileFault::unknown_word(
                "known quantity",
                word,
                &[
                    "qdd",
                    "tau",
                    "qdd:JOINT",
                    "tau:JOINT",
                    "free-base",
                    "no-external-forces",
                    "external-forces",
                    "external-force:BODY",
                    "unknown-external-force:BODY",
                ],
            )),
        }
    }

    /// The word.
    pub fn name(self, model: &Model) -> String {
        let of = |word: &str, joint: JointId| format!("{word}:{}", model.joint(joint).name);
        match self {
            Self::JointAccelerations => "qdd".to_owned(),
            Self::JointForces => "tau".to_owned(),
            Self::JointAcceleration(joint) => of("qdd", joint),
            Self::JointForce(joint) => of("tau", joint),
            Self::FreeBase => "free-base".to_owned(),
            Self::NoExternalForces => "no-external-forces".to_owned(),
            Self::ExternalForces => "external-forces".to_owned(),
            Self::ExternalForce(joint) => of("external-force", joint),
            Self::UnknownExternalForce(joint) => of("unknown-external-force", joint),
        }
    }

    /// Whether two words say something of the same quantity, be it the same or the contrary.
    ///
    /// A word for all external forces, but those with a word, a sensor or a contact of their own,
    /// leaves room for these.
    pub fn overlaps(self, other: Self, model: &Model) -> bool {
        let is_free = |joint: JointId| free_base(model).any(|free| free == joint);
        match (self, other) {
            (Self::JointAccelerations, Self::JointAcceleration(_))
            | (Self::JointAcceleration(_), Self::JointAccelerations)
            | (Self::JointForces, Self::JointForce(_) | Self::FreeBase)
            | (Self::JointForce(_) | Self::FreeBase, Self::JointForces)
            | (Self::NoExternalForces, Self::ExternalForces)
            | (Self::ExternalForces, Self::NoExternalForces) => true,
            (Self::FreeBase, Self::JointForce(joint))
            | (Self::JointForce(joint), Self::FreeBase) => is_free(joint),
            (Self::ExternalForce(known), Self::UnknownExternalForce(unknown))
            | (Self::UnknownExternalForce(unknown), Self::ExternalForce(known)) => known == unknown,
            _ => self == other,
        }
    }

    /// Whether it is said of all external forces but those with a word of their own.
    pub(crate) fn is_of_others(self) -> bool {
        matches!(self, Self::NoExternalForces | Self::ExternalForces)
    }

    /// Adds what is known to a problem that has its sensors.
    ///
    /// # Errors
    /// As [`Problem::know`].
    pub fn add_to(self, problem: &mut Problem) -> Result<(), SystemError> {
        let first = problem.knowns.len();
        self.add_knowns(problem)?;
        let knowns = first..problem.knowns.len();
        if !knowns.is_empty() {
            problem.words.push((self.name(&problem.model), knowns));
        }
        Ok(())
    }

    fn add_knowns(self, problem: &mut Problem) -> Result<(), SystemError> {
        match self {
            Self::JointAccelerations => {
                change(problem, |it| it.joint_accelerations(KnownValue::Input))
            }
            Self::JointForces => change(problem, |it| it.joint_forces(KnownValue::Input)),
            Self::JointAcceleration(joint) => {
                check_degree(&problem.model, joint, 0)?;
                for degree in 0..problem.model.joint(joint).nv {
                    problem.know(
                        Known::JointAcceleration { joint, degree },
                        KnownValue::Input,
                    )?;
                }
            }
            Self::JointForce(joint) => {
                check_degree(&problem.model, joint, 0)?;
                know_forces(problem, joint, KnownValue::Input)?;
            }
            Self::FreeBase => {
                let free: Vec<JointId> = free_base(&problem.model).collect();
                for joint in free {
                    know_forces(problem, joint, KnownValue::Zero)?;
                }
            }
            Self::NoExternalForces | Self::ExternalForces => {
                let touched: Vec<JointId> = problem
                    .sensors
                    .iter()
                    .filter_map(|sensor| sensor.kind.external_force_frame())
                    .map(|frame| problem.model.frame(frame).joint)
                    .collect();
                let given = if self == Self::NoExternalForces {
                    KnownValue::Zero
                } else {
                    KnownValue::Input
                };
                change(problem, |it| it.external_forces_except(&touched, given));
            }
            Self::ExternalForce(joint) => {
                let known = Known::ExternalForce {
                    joint,
                    frame: None,
                    components: Components::ALL,
                };
                problem.know(known, KnownValue::Input)?;
            }
            Self::UnknownExternalForce(joint) => problem.leave_unknown(joint)?,
        }
        Ok(())
    }
}

fn change(problem: &mut Problem, change: impl FnOnce(Problem) -> Problem) {
    let empty = Problem::new(problem.model.clone());
    *problem = change(std::mem::replace(problem, empty));
}

/// Makes the forces of all degrees of freedom of a joint known.
fn know_forces(
    problem: &mut Problem,
    joint: JointId,
    given: KnownValue,
) -> Result<(), SystemError> {
    for degree in 0..problem.model.joint(joint).nv {
        problem.know(Known::JointForce { joint, degree }, given)?;
    }
    Ok(())
}

/// The joint that moves a body, by its own name or by that of a link or frame on the body.
pub(crate) fn body(model: &Model, name: &str) -> Result<JointId, SensorFileFault> {
    let no_joint = match model.joint_id(name) {
        Ok(joint) => return Ok(joint),
        Err(unknown) => unknown,
    };
    match model.frame_id(name).map(|frame| model.frame(frame).joint) {
        Ok(JointId::UNIVERSE) => Err(SystemError::Universe.into()),
        Ok(joint) => Ok(joint),
        Err(no_frame) => Err(UnknownName {
            kind: "joint, link or frame",
            // Joints have frames, too.
            closest: no_frame.closest.or(no_joint.closest),
            name: no_frame.name,
        }
        .into()),
    }
}

/// The joints on which the robot floats.
pub(crate) fn free_base(model: &Model) -> impl Iterator<Item = JointId> + '_ {
    model.joint_ids().filter(|&id| {
        let joint = model.joint(id);
        joint.parent == JointId::UNIVERSE && joint.kind == JointKind::FreeFlyer
    })
}
