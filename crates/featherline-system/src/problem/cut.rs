//! The same question about a part of the robot.

use crate::problem::{Known, Problem, Sensor, SensorKind, WrenchBasis};
use crate::unknown::Unknown;
use featherline::Model;
use featherline::kernel;
use featherline::model::{FrameId, JointId, LoopId, ModelError};

impl Problem {
    /// The same problem of the robot cut to its [first](featherline::kernel::first_joints) `count`
    /// bodies, and the names of the sensors that went with the rest.
    ///
    /// What is known of bodies and joints that are cut off goes with them, and so does a sensor
    /// that reads any of it. Loops stay closed whose two bodies are there. Cost O(n).
    ///
    /// # Errors
    /// As [`first_joints`](featherline::kernel::first_joints).
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let problem = Problem::inverse_dynamics(samples::snake(20));
    /// let (tail, gone) = problem.first_bodies(3)?;
    /// assert_eq!(System::new(tail)?.input_count(), 3);
    /// assert!(gone.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_bodies(&self, count: usize) -> Result<(Self, Vec<String>), ModelError> {
        let part = Part {
            whole: &self.model,
            model: kernel::first_joints(&self.model, count)?,
        };
        let mut problem = Self::new(part.model.clone());
        problem.passive = self.passive;
        problem.loops_cut = self.loops_cut;
        let ids = self.model.joint_ids().filter(|&joint| part.has(joint));
        for joint in ids.chain([JointId::UNIVERSE]) {
            let basis = self.basis[joint.index()];
            problem.basis[joint.index()] = basis.and_then(|basis| part.basis(basis));
        }
        let unknown = self.unknown_forces.iter().copied();
        problem.unknown_forces = unknown.filter(|&joint| part.has(joint)).collect();
        // How many of the knowns before each one stay.
        let mut before = vec![0];
        for &(known, given) in &self.knowns {
            problem
                .knowns
                .extend(part.known(known).map(|known| (known, given)));
            before.push(problem.knowns.len());
        }
        let words = self.words.iter().map(|(word, range)| {
            let range = before[range.start]..before[range.end];
            (word.clone(), range)
        });
        // A word of which nothing is left would stand in the way of the next one.
        problem.words = words.filter(|(_, range)| !range.is_empty()).collect();
        let mut gone = Vec::new();
        for sensor in &self.sensors {
            match part.sensor(sensor) {
                Some(sensor) => problem.sensors.push(sensor),
                None => gone.push(sensor.name.clone()),
            }
        }
        Ok((problem, gone))
    }
}

/// What a robot was cut to.
struct Part<'a> {
    whole: &'a Model,
    model: Model,
}

impl Part<'_> {
    fn has(&self, joint: JointId) -> bool {
        joint.index() < self.model.joints().len()
    }

    /// The same frame, if it was not cut off.
    fn frame(&self, frame: FrameId) -> Option<FrameId> {
        let frame = self.whole.frame(frame);
        self.model.frame_id_of_kind(&frame.name, frame.kind).ok()
    }

    fn basis(&self, basis: WrenchBasis) -> Option<WrenchBasis> {
        match basis {
            WrenchBasis::Frame(frame) => self.frame(frame).map(WrenchBasis::Frame),
            WrenchBasis::Link | WrenchBasis::World => Some(basis),
        }
    }

    fn known(&self, known: Known) -> Option<Known> {
        match known {
            Known::JointAcceleration { joint, .. } | Known::JointForce { joint, .. } => {
                self.has(joint).then_some(known)
            }
            Known::ExternalForce {
                joint,
                frame,
                components,
            } if self.has(joint) => Some(Known::ExternalForce {
                joint,
                frame: frame.and_then(|frame| self.frame(frame)),
                components,
            }),
            Known::ExternalForce { .. } => None,
        }
    }

    /// The same loop joint, if neither of its bodies was cut off.
    fn closing(&self, joint: LoopId) -> Option<LoopId> {
        self.model.loop_id(&self.whole.loop_joint(joint).name).ok()
    }

    /// The same unknown, if it is there.
    fn unknown(&self, unknown: Unknown) -> Option<Unknown> {
        let is_there = match unknown {
            Unknown::Acceleration { joint, .. }
            | Unknown::Force { joint, .. }
            | Unknown::ExternalForce { joint, .. } => self.has(joint),
            Unknown::JointForce { coordinate } | Unknown::JointAcceleration { coordinate } => {
                coordinate < self.model.nv()
            }
            Unknown::LoopForce { joint, component } => {
                let joint = self.closing(joint)?;
                return Some(Unknown::LoopForce { joint, component });
            }
            Unknown::LoopAcceleration { joint, degree } => {
                let joint = self.closing(joint)?;
                return Some(Unknown::LoopAcceleration { joint, degree });
            }
        };
        is_there.then_some(unknown)
    }

    fn sensor(&self, sensor: &Sensor) -> Option<Sensor> {
        let mut sensor = sensor.clone();
        match &mut sensor.kind {
            SensorKind::JointAcceleration { joint } | SensorKind::JointForce { joint } => {
                return self.has(*joint).then_some(sensor);
            }
            SensorKind::ExternalForce { frame, .. }
            | SensorKind::ForceTorque { frame, .. }
            | SensorKind::Accelerometer { frame }
            | SensorKind::Gyroscope { frame }
            | SensorKind::AngularAccelerometer { frame }
            | SensorKind::LoadCells { frame, .. }
            | SensorKind::TactileNormal { frame }
            | SensorKind::Contact { frame, .. } => *frame = self.frame(*frame)?,
            SensorKind::CentroidalMomentumRate { .. } => {
                if self.model.total_mass() <= 0.0 {
                    return None;
                }
            }
            SensorKind::LoopForce { joint } => *joint = self.closing(*joint)?,
            SensorKind::Linear { terms } | SensorKind::Sum { terms } => {
                for (unknown, _) in terms {
                    *unknown = self.unknown(*unknown)?;
                }
            }
        }
        Some(sensor)
    }
}
