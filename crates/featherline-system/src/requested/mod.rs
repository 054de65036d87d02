//! Requested outputs and the names of everything in a system, in words.

mod component;
mod describe;
mod label;

pub(crate) use component::{
    Component, components_of, describe_column, describe_component, terms_of,
};
pub(crate) use describe::{ALONG, name_of, name_of_component};
pub use label::Label;

use crate::error::{SensorFileFault, SystemError};
use crate::names::word_and_joint;
use crate::problem::{body, check_degree};
use crate::system::{Equation, System};
use featherline::Model;
use featherline::model::{JointId, LoopId};
use nalgebra::DMatrix;
use std::ops::Range;

/// Some unknowns, as one word asks for them.
///
/// | word | what is asked for |
/// |---|---|
/// | `qdd`, `tau` | every q̈, every τ, in the order of v |
/// | `qdd:JOINT`, `tau:JOINT` | that of one joint |
/// | `external-force:BODY` | fˣ on a body |
/// | `transmitted-force:JOINT` | f that a joint transmits to its body |
/// | `acceleration:BODY` | the spatial acceleration of a body less gravity |
/// | `external-forces` | fˣ on every body on which it is not known |
/// | `loop-force:JOINT` | the force that a joint which closes a loop passes on to its successor |
/// | `loop-acceleration:JOINT` | the acceleration along its degrees of freedom |
/// | `loop-forces` | the forces in all joints that close loops |
///
/// `joint-accelerations`, `joint-forces`, `joint-acceleration:JOINT` and `joint-force:JOINT` are
/// other names of the first four. `BODY` is the name of the joint that moves the body, or of a link
/// or frame on it. [`name`](Self::name) gives the joint's.
///
/// Six-vectors are \[linear; angular\] in the joint's output frame, also that of a joint that
/// closes a loop, as [`Solution`](crate::Solution) reads them.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Problem, System, Requested};
///
/// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
/// // Accelerations and external forces are known, so that torques are what is open.
/// assert_eq!(Requested::open(&system), [Requested::JointForces]);
/// let lower = system.model().joint_id("elbow")?;
/// assert_eq!(Requested::parse("tau:elbow", &system)?, [Requested::JointForce(lower)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requested {
    /// Every τ.
    JointForces,
    /// Every q̈.
    JointAccelerations,
    /// The τ of one joint.
    JointForce(JointId),
    /// The q̈ of one joint.
    JointAcceleration(JointId),
    /// The fˣ on one body.
    ExternalForce(JointId),
    /// The f that one joint transmits.
    TransmittedForce(JointId),
    /// The a of one body.
    Acceleration(JointId),
    /// The force in one joint that closes a loop.
    LoopForce(LoopId),
    /// The acceleration of one joint that closes a loop.
    LoopAcceleration(LoopId),
}

const WORDS: [&str; 11] = [
    "tau",
    "qdd",
    "external-forces",
    "loop-forces",
    "tau:JOINT",
    "qdd:JOINT",
    "external-force:BODY",
    "transmitted-force:JOINT",
    "acceleration:BODY",
    "loop-force:JOINT",
    "loop-acceleration:JOINT",
];

/// Words that may ask for several quantities, and for none.
const OF_SEVERAL: [&str; 2] = ["external-forces", "loop-forces"];

impl Requested {
    /// The quantities that a word asks for; `external-forces` and `loop-forces` may be several.
    ///
    /// # Errors
    /// [`SensorFileFault`] if it asks for nothing, or names a joint that the robot does not have,
    /// or one without a coordinate of its own.
    pub fn parse(word: &str, system: &System) -> Result<Vec<Self>, SensorFileFault> {
        match word {
            "external-forces" => Ok(Self::external_forces(system)),
            "loop-forces" => Ok(Self::loop_forces(system).collect()),
            word => {
                let one = Self::one(word, system.model()).map_err(|fault| {
                    if let SensorFileFault::UnknownWord { found, .. } = fault {
                        SensorFileFault::unknown_word("output", &found, &WORDS)
                    } else {
                        fault
                    }
                });
                let one = one?;
                one.check(system)?;
                Ok(vec![one])
            }
        }
    }

    /// The quantity that a word asks for, of the words with the same meaning for every robot.
    pub(crate) fn one(word: &str, model: &Model) -> Result<Self, SensorFileFault> {
        let own = |joint: JointId| check_degree(model, joint, 0).map(|()| joint);
        Ok(match word_and_joint(word) {
            ("tau", None) => Self::JointForces,
            ("qdd", None) => Self::JointAccelerations,
            ("tau", Some(name)) => Self::JointForce(own(model.joint_id(name)?)?),
            ("qdd", Some(name)) => Self::JointAcceleration(own(model.joint_id(name)?)?),
            ("external-force", Some(name)) => Self::ExternalForce(body(model, name)?),
            ("transmitted-force", Some(name)) => Self::TransmittedForce(model.joint_id(name)?),
            ("acceleration", Some(name)) => Self::Acceleration(body(model, name)?),
            ("loop-force", Some(name)) => Self::LoopForce(model.loop_id(name)?),
            ("loop-acceleration", Some(name)) => Self::LoopAcceleration(model.loop_id(name)?),
            _ => {
                let words = WORDS.into_iter().filter(|word| !OF_SEVERAL.contains(word));
                let words: Vec<&str> = words.collect();
                return Err(SensorFileFault::unknown_word("quantity", word, &words));
            }
        })
    }

    /// How many numbers it is.
    pub(crate) fn size(&self, model: &Model) -> usize {
        match *self {
            Self::JointForces | Self::JointAccelerations => model.nv(),
            Self::JointForce(joint) | Self::JointAcceleration(joint) => model.joint(joint).nv,
            Self::LoopAcceleration(joint) => model.loop_joint(joint).kind.nv(),
            Self::ExternalForce(_)
            | Self::TransmittedForce(_)
            | Self::Acceleration(_)
            | Self::LoopForce(_) => 6,
        }
    }

    /// Fails if it is of a loop that is cut.
    pub(crate) fn check(&self, system: &System) -> Result<(), SystemError> {
        let (Self::LoopForce(joint) | Self::LoopAcceleration(joint)) = *self else {
            return Ok(());
        };
        if system.unknowns().loops().contains(&joint) {
            return Ok(());
        }
        Err(SystemError::LoopIsCut {
            name: self.name(system.model()),
            joint: system.model().loop_joint(joint).name.clone(),
        })
    }

    /// Whether both are of one unknown.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Self::JointForces, Self::JointForce(_))
            | (Self::JointForce(_), Self::JointForces)
            | (Self::JointAccelerations, Self::JointAcceleration(_))
            | (Self::JointAcceleration(_), Self::JointAccelerations) => true,
            _ => self == other,
        }
    }

    /// The matrix that takes the [columns](Self::columns) to the values.
    pub(crate) fn map(&self, system: &System) -> Result<DMatrix<f64>, SystemError> {
        self.check(system)?;
        let columns = self.columns(system);
        let mut map = DMatrix::zeros(columns.len(), columns.len());
        let mut x = vec![0.0; system.unknowns().count()];
        for (column, mut image) in columns.zip(map.column_iter_mut()) {
            x[column] = 1.0;
            image.copy_from_slice(&self.values(system, &x)?);
            x[column] = 0.0;
        }
        Ok(map)
    }

    /// τ, q̈ and fˣ as far as they are not simply known, and the forces in joints that close loops.
    pub fn open(system: &System) -> Vec<Self> {
        let known = known_columns(system);
        let mut open = vec![Self::JointForces, Self::JointAccelerations];
        open.retain(|requested| requested.columns(system).any(|column| !known[column]));
        open.extend(Self::external_forces(system));
        open.extend(Self::loop_forces(system));
        open
    }

    /// The forces in all joints that close loops.
    fn loop_forces(system: &System) -> impl Iterator<Item = Self> {
        system
            .unknowns()
            .loops()
            .iter()
            .copied()
            .map(Self::LoopForce)
    }

    /// The external forces that are not simply known.
    fn external_forces(system: &System) -> Vec<Self> {
        let known = known_columns(system);
        let forces = system.model().joint_ids().map(Self::ExternalForce);
        forces
            .filter(|force| force.columns(system).any(|column| !known[column]))
            .collect()
    }

    /// The word.
    pub fn name(&self, model: &Model) -> String {
        let of = |word: &str, joint: JointId| format!("{word}:{}", model.joint(joint).name);
        let of_loop = |word: &str, joint: LoopId| {
            let name = &model.loop_joint(joint).name;
            format!("{word}:{name}")
        };
        match *self {
            Self::JointForces => "tau".to_owned(),
            Self::JointAccelerations => "qdd".to_owned(),
            Self::JointForce(joint) => of("tau", joint),
            Self::JointAcceleration(joint) => of("qdd", joint),
            Self::ExternalForce(joint) => of("external-force", joint),
            Self::TransmittedForce(joint) => of("transmitted-force", joint),
            Self::Acceleration(joint) => of("acceleration", joint),
            Self::LoopForce(joint) => of_loop("loop-force", joint),
            Self::LoopAcceleration(joint) => of_loop("loop-acceleration", joint),
        }
    }

    /// The columns of the system.
    ///
    /// # Panics
    /// If it is of a loop that is cut, or of a joint that the robot does not have.
    pub fn columns(&self, system: &System) -> Range<usize> {
        let (unknowns, model) = (system.unknowns(), system.model());
        let of_joint = |all: Range<usize>, joint: JointId| {
            let joint = model.joint(joint);
            all.start + joint.idx_v..all.start + joint.idx_v + joint.nv
        };
        match *self {
            Self::JointForces => unknowns.joint_forces(),
            Self::JointAccelerations => unknowns.joint_accelerations(),
            Self::JointForce(joint) => of_joint(unknowns.joint_forces(), joint),
            Self::JointAcceleration(joint) => of_joint(unknowns.joint_accelerations(), joint),
            Self::ExternalForce(joint) => unknowns.external_force(joint),
            Self::TransmittedForce(joint) => unknowns.force(joint),
            Self::Acceleration(joint) => unknowns.acceleration(joint),
            Self::LoopForce(joint) => unknowns.loop_force(joint),
            Self::LoopAcceleration(joint) => unknowns.loop_acceleration(joint),
        }
    }

    /// The values in a solution `x` of the whole system, of which the [columns](Self::columns)
    /// alone are read.
    ///
    /// # Errors
    /// [`SystemError::Size`] for the length of `x`, [`SystemError::LoopIsCut`] if it is of a loop
    /// that is cut.
    pub fn values(&self, system: &System, x: &[f64]) -> Result<Vec<f64>, SystemError> {
        self.check(system)?;
        let solution = system.solution(x)?;
        Ok(match *self {
            Self::ExternalForce(joint) => solution.external_force(joint).to_array().to_vec(),
            Self::TransmittedForce(joint) => solution.transmitted_force(joint).to_array().to_vec(),
            Self::Acceleration(joint) => solution.acceleration(joint).to_array().to_vec(),
            Self::JointForces
            | Self::JointAccelerations
            | Self::JointForce(_)
            | Self::JointAcceleration(_)
            | Self::LoopForce(_)
            | Self::LoopAcceleration(_) => x[self.columns(system)].to_vec(),
        })
    }
}

/// Which unknowns a row of the knowns simply gives.
fn known_columns(system: &System) -> Vec<bool> {
    let mut known = vec![false; system.unknowns().count()];
    for row in system.equations().dynamics().end..system.equations().count() {
        if let (Some(Equation::Known { .. }), [column]) =
            (system.equations().at(row), system.sparsity().row(row))
        {
            known[*column] = true;
        }
    }
    known
}
