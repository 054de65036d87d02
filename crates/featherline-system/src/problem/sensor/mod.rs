//! Sensors and contacts: what is measured, and with what error.

mod load_cells;
mod noise;
mod observable;
mod row_names;

pub(crate) use load_cells::Support;
pub(crate) use observable::{Observable, readings_covariance, sensor_rows};

use crate::error::SystemError;
use crate::problem::{
    Components, Problem, check_body, check_degree, check_frame, check_loop, check_part,
};
use crate::unknown::Unknown;
use featherline::Model;
use featherline::model::{FrameId, FrameKind, JointId, LoopId};
use featherline::words::Words;
use serde::Serialize;

/// The number of a sensor, in the order in which the problem names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SensorId(pub(crate) usize);

impl SensorId {
    /// The position in [`Problem::sensors`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// The error of a sensor's readings, independent of the state, with mean zero; or what is unknown
/// of a [prior](crate::Prior)'s numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Noise {
    /// No error: the readings are as good as the equations.
    Exact,
    /// One standard deviation, in the reading's unit, that all readings have independently.
    Deviation(f64),
    /// A standard deviation for each reading.
    Deviations(Vec<f64>),
    /// The covariance of the readings, row by row.
    Covariance(Vec<f64>),
}

/// The assumption about the wrench of a contact, in the axes of its frame, whose z axis is the
/// contact's normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Contact {
    /// A slippery floor: no tangential forces (Nori 2017, equation 24). The moment about the normal
    /// stays unknown.
    Slippery,
    /// A floor without any friction: neither tangential forces nor a moment about the normal.
    Frictionless,
    /// A point: no moments about the frame's origin.
    Point,
    /// A point on a floor without friction: nothing but a normal force.
    FrictionlessPoint,
}

impl Words for Contact {
    const WHAT: &'static str = "contact";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("slippery", Self::Slippery),
        ("frictionless", Self::Frictionless),
        ("point", Self::Point),
        ("frictionless-point", Self::FrictionlessPoint),
    ];
}

impl Contact {
    /// The components of the wrench that vanish.
    pub fn vanishing(self) -> Components {
        match self {
            Self::Slippery => Components::LINEAR_X.and(Components::LINEAR_Y),
            Self::Frictionless => Self::Slippery.vanishing().and(Components::ANGULAR_Z),
            Self::Point => Components::ANGULAR,
            Self::FrictionlessPoint => Components::LINEAR_Z.others(),
        }
    }
}

/// How far from its frame a load cell may be, in m: moments of cells that are farther tell nothing
/// but the normal force.
const FARTHEST: f64 = 1e6;

/// The most cells of one sensor: their covariance is a square of them.
const MOST_CELLS: usize = 1000;

/// Whether a factor is zero, or has a square that is a number of full precision.
fn has_a_square(factor: f64) -> bool {
    factor == 0.0 || (factor * factor).is_normal()
}

/// The quantity that a sensor measures. Frames are fixed in bodies; readings are in their axes,
/// moments about their origins.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum SensorKind {
    /// q̈ of a joint, one reading for each degree of freedom, in rad/s² or m/s².
    JointAcceleration {
        /// The joint; not a mimic joint.
        joint: JointId,
    },
    /// τ of a joint, one reading for each degree of freedom, in N·m or N.
    JointForce {
        /// The joint; not a mimic joint.
        joint: JointId,
    },
    /// Components of the external force on a body, one reading each: a force plate, a skin.
    ExternalForce {
        /// A frame of the body.
        frame: FrameId,
        /// Which components.
        components: Components,
    },
    /// A six-axis force and torque sensor in a joint: the force that the parent exerts on the
    /// joint's body.
    ///
    /// Links on a fixed joint are part of a body unless the joint is kept when the robot is read:
    /// only then does a sensor in it measure an unknown.
    ForceTorque {
        /// The frame of the sensor, carried by the joint's body; that of a link or of a joint that
        /// moves or was kept.
        frame: FrameId,
        /// Whether the reading is the reaction instead: the force on the parent.
        reaction: bool,
    },
    /// Three readings of proper acceleration, in m/s²: a robot at rest reads 9.81 m/s² upwards. On
    /// a body that is fixed to the world it always does: such rows hold no unknown, and check the
    /// reading.
    Accelerometer {
        /// The frame of the sensor.
        frame: FrameId,
    },
    /// Three readings of angular velocity, in rad/s.
    ///
    /// Velocity is an input of the system, so that these rows hold no unknown: their right-hand
    /// side is the reading minus what the velocity gives, a check of consistency that an estimator
    /// tests and no solution depends on.
    Gyroscope {
        /// The frame of the sensor.
        frame: FrameId,
    },
    /// Three readings of angular acceleration, in rad/s².
    AngularAccelerometer {
        /// The frame of the sensor.
        frame: FrameId,
    },
    /// Load cells that measure forces along z at points of the xy plane, in N. Together they tell
    /// the normal force and the two tangential moments (Nori 2017, equation 19): three rows,
    /// however many cells there are. Cells on one line tell nothing of the moment about it, and
    /// make two rows; a lone one tells the normal force, in one row.
    LoadCells {
        /// The frame of the sole.
        frame: FrameId,
        /// Where the cells are, x and y in m.
        positions: Vec<[f64; 2]>,
    },
    /// The normal force that a tactile skin feels: the external force along z, in N.
    TactileNormal {
        /// The frame of the skin.
        frame: FrameId,
    },
    /// An assumption about a contact: rows without readings.
    Contact {
        /// The frame of the contact.
        frame: FrameId,
        /// The assumption.
        contact: Contact,
    },
    /// Components of the rate of the centroidal momentum, in world axes about the centre of mass:
    /// one reading each, in N and N·m. What external forces and weight amount to.
    CentroidalMomentumRate {
        /// Which components.
        components: Components,
    },
    /// A six-axis force and torque sensor in a joint that closes a loop: the force on its
    /// successor, in its output frame.
    LoopForce {
        /// The joint that closes the loop.
        joint: LoopId,
    },
    /// Any sum of unknowns as the system has them: six-vectors in link frames, external forces in
    /// their [basis](crate::WrenchBasis).
    Linear {
        /// Unknowns with their coefficients.
        terms: Vec<(Unknown, f64)>,
    },
    /// Any sum of unknowns as [`Requested`](crate::Requested) reads them: six-vectors, external
    /// forces among them, in the joints' output frames. This is what files call `linear`.
    Sum {
        /// Components in output frames, or coordinates, with their coefficients.
        terms: Vec<(Unknown, f64)>,
    },
}

/// A sensor, or an assumption about a contact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sensor {
    /// Its name, unique in a problem.
    pub name: String,
    /// The quantity that it measures.
    pub kind: SensorKind,
    /// Its error.
    pub noise: Noise,
}

impl Sensor {
    /// A sensor.
    pub fn new(name: impl Into<String>, kind: SensorKind, noise: Noise) -> Self {
        Self {
            name: name.into(),
            kind,
            noise,
        }
    }
}

impl SensorKind {
    featherline::names! {
        Self::JointAcceleration { .. } => "joint-acceleration",
        Self::JointForce { .. } => "joint-force",
        Self::ExternalForce { .. } => "external-force",
        Self::ForceTorque { .. } => "force-torque",
        Self::Accelerometer { .. } => "accelerometer",
        Self::Gyroscope { .. } => "gyroscope",
        Self::AngularAccelerometer { .. } => "angular-accelerometer",
        Self::LoadCells { .. } => "load-cells",
        Self::TactileNormal { .. } => "tactile-normal",
        Self::Contact { .. } => "contact",
        Self::CentroidalMomentumRate { .. } => "centroidal-momentum-rate",
        Self::LoopForce { .. } => "loop-force",
        Self::Linear { .. } | Self::Sum { .. } => "linear",
    }

    /// How many readings there are: each is an input of the system.
    pub fn readings(&self, model: &Model) -> usize {
        match self {
            Self::JointAcceleration { joint } | Self::JointForce { joint } => {
                model.joint(*joint).nv
            }
            Self::ExternalForce { components, .. }
            | Self::CentroidalMomentumRate { components } => components.count(),
            Self::ForceTorque { .. } | Self::LoopForce { .. } => 6,
            Self::Accelerometer { .. }
            | Self::Gyroscope { .. }
            | Self::AngularAccelerometer { .. } => 3,
            Self::LoadCells { positions, .. } => positions.len(),
            Self::TactileNormal { .. } | Self::Linear { .. } | Self::Sum { .. } => 1,
            Self::Contact { .. } => 0,
        }
    }

    /// The frame in which the external force on a body is measured, if that is what is measured.
    pub fn external_force_frame(&self) -> Option<FrameId> {
        match self {
            Self::ExternalForce { frame, .. }
            | Self::LoadCells { frame, .. }
            | Self::TactileNormal { frame }
            | Self::Contact { frame, .. } => Some(*frame),
            Self::JointAcceleration { .. }
            | Self::JointForce { .. }
            | Self::ForceTorque { .. }
            | Self::Accelerometer { .. }
            | Self::Gyroscope { .. }
            | Self::AngularAccelerometer { .. }
            | Self::CentroidalMomentumRate { .. }
            | Self::LoopForce { .. }
            | Self::Linear { .. }
            | Self::Sum { .. } => None,
        }
    }

    /// The joint that closes a loop of which something is measured, if there is one.
    pub(crate) fn loop_joint(&self) -> Option<LoopId> {
        match self {
            Self::LoopForce { joint } => Some(*joint),
            Self::Linear { terms } | Self::Sum { terms } => {
                terms.iter().find_map(|(unknown, _)| {
                    if let Unknown::LoopForce { joint, .. }
                    | Unknown::LoopAcceleration { joint, .. } = unknown
                    {
                        Some(*joint)
                    } else {
                        None
                    }
                })
            }
            Self::JointAcceleration { .. }
            | Self::JointForce { .. }
            | Self::ExternalForce { .. }
            | Self::ForceTorque { .. }
            | Self::Accelerometer { .. }
            | Self::Gyroscope { .. }
            | Self::AngularAccelerometer { .. }
            | Self::LoadCells { .. }
            | Self::TactileNormal { .. }
            | Self::Contact { .. }
            | Self::CentroidalMomentumRate { .. } => None,
        }
    }

    /// A fault of the sensor on any robot: its key in a file, and what it is.
    fn senseless(&self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Linear { terms } | Self::Sum { terms } => {
                let own = |unknown| terms.iter().filter(move |term| term.0 == unknown);
                let factor = |unknown| own(unknown).map(|term| term.1).sum::<f64>();
                let what = if terms.is_empty() {
                    "no terms: a sum of nothing measures nothing"
                } else if !terms.iter().all(|term| term.1.is_finite()) {
                    "a factor that is not a finite number"
                } else if !terms.iter().all(|term| has_a_square(term.1)) {
                    "a factor whose square is too large or too small for a number"
                } else if terms.iter().all(|&(unknown, _)| factor(unknown) == 0.0) {
                    "no factor but zero: it measures nothing"
                } else {
                    return None;
                };
                Some(("terms", what))
            }
            Self::LoadCells { positions, .. } => {
                let all = |fits: fn(&f64) -> bool| positions.iter().flatten().all(fits);
                let what = if positions.is_empty() {
                    "no cells"
                } else if positions.len() > MOST_CELLS {
                    "more than 1000 cells; their covariance has as many rows"
                } else if !all(|x| x.is_finite()) {
                    "a position that is not a finite number"
                } else if !all(|x| x.abs() <= FARTHEST) {
                    "a position more than 1e6 m away; positions are in m, in the axes of the frame"
                } else {
                    return None;
                };
                Some(("positions", what))
            }
            Self::ExternalForce { components, .. }
            | Self::CentroidalMomentumRate { components }
                if components.count() == 0 =>
            {
                Some(("components", "no components"))
            }
            Self::JointAcceleration { .. }
            | Self::JointForce { .. }
            | Self::ExternalForce { .. }
            | Self::ForceTorque { .. }
            | Self::Accelerometer { .. }
            | Self::Gyroscope { .. }
            | Self::AngularAccelerometer { .. }
            | Self::TactileNormal { .. }
            | Self::Contact { .. }
            | Self::CentroidalMomentumRate { .. }
            | Self::LoopForce { .. } => None,
        }
    }
}

impl Problem {
    /// The sensors, in the order in which they were added.
    pub fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// The sensors' numbers, in the order in which they were added.
    pub fn sensor_ids(&self) -> impl Iterator<Item = SensorId> + use<> {
        (0..self.sensors.len()).map(SensorId)
    }

    /// Adds a sensor.
    ///
    /// # Errors
    /// [`SystemError`] if the model has no such joint or frame, a force is read where the body is
    /// fixed to the world, a force sensor sits in a fixed joint that is part of a body, another
    /// sensor has the name, it measures nothing, the error is not that of such readings, or the
    /// readings' errors are not independent.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<SensorId, SystemError> {
        let model = &self.model;
        if self.sensors.iter().any(|other| other.name == sensor.name) {
            return Err(SystemError::DuplicateSensor { name: sensor.name });
        }
        if let Some((key, what)) = sensor.kind.senseless() {
            let sensor = sensor.name;
            return Err(SystemError::SensorNumber { sensor, key, what });
        }
        match &sensor.kind {
            SensorKind::JointAcceleration { joint } | SensorKind::JointForce { joint } => {
                check_degree(model, *joint, 0)?;
            }
            SensorKind::Accelerometer { frame }
            | SensorKind::Gyroscope { frame }
            | SensorKind::AngularAccelerometer { frame } => check_frame(model, *frame)?,
            SensorKind::ExternalForce { frame, .. }
            | SensorKind::ForceTorque { frame, .. }
            | SensorKind::LoadCells { frame, .. }
            | SensorKind::TactileNormal { frame }
            | SensorKind::Contact { frame, .. } => {
                check_frame(model, *frame)?;
                let carrier = model.frame(*frame).joint;
                if carrier == JointId::UNIVERSE {
                    return Err(SystemError::FixedFrame {
                        frame: model.frame(*frame).name.clone(),
                        sensor: sensor.name,
                    });
                }
                if let SensorKind::ForceTorque { .. } = sensor.kind
                    && model.frame(*frame).kind == FrameKind::FixedJoint
                {
                    return Err(SystemError::LumpedJoint {
                        joint: model.frame(*frame).name.clone(),
                        carrier: model.joint(carrier).name.clone(),
                        sensor: sensor.name,
                    });
                }
            }
            SensorKind::CentroidalMomentumRate { .. } => {
                if model.total_mass() <= 0.0 {
                    return Err(SystemError::NoMass {
                        sensor: sensor.name,
                    });
                }
            }
            SensorKind::LoopForce { joint } => check_loop(model, *joint)?,
            SensorKind::Linear { terms } | SensorKind::Sum { terms } => {
                for (unknown, _) in terms {
                    check_unknown(model, *unknown)?;
                }
            }
        }
        // Whether rows can be made of it is seen by making them.
        sensor_rows(model, &sensor)?;
        self.sensors.push(sensor);
        Ok(SensorId(self.sensors.len() - 1))
    }
}

fn check_unknown(model: &Model, unknown: Unknown) -> Result<(), SystemError> {
    match unknown {
        Unknown::Acceleration { joint, component }
        | Unknown::Force { joint, component }
        | Unknown::ExternalForce { joint, component } => {
            check_body(model, joint)?;
            check_part(&model.joint(joint).name, component, 6)?;
        }
        Unknown::JointForce { coordinate } | Unknown::JointAcceleration { coordinate } => {
            if coordinate >= model.nv() {
                return Err(SystemError::Size {
                    what: "the model's velocity",
                    expected: coordinate + 1,
                    found: model.nv(),
                });
            }
        }
        Unknown::LoopForce { joint, component } => {
            check_loop(model, joint)?;
            check_part(&model.loop_joint(joint).name, component, 6)?;
        }
        Unknown::LoopAcceleration { joint, degree } => {
            check_loop(model, joint)?;
            let joint = model.loop_joint(joint);
            check_part(&joint.name, degree, joint.kind.nv())?;
        }
    }
    Ok(())
}
