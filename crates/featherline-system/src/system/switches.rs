//! Which sensors are on.

use super::{Equation, System};
use crate::problem::SensorId;

/// Which sensors are on: a matter of run time. Pattern, order and program of a system are made for
/// all of its sensors; the rows of one that is off are given no weight.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Noise, Problem, Sensor, SensorKind, Switches, System};
///
/// let mut problem = Problem::inverse_dynamics(samples::double_pendulum());
/// let joint = problem.model().joint_id("elbow")?;
/// let torque = Sensor::new("torque", SensorKind::JointForce { joint }, Noise::Deviation(0.1));
/// let torque = problem.add_sensor(torque)?;
/// let system = System::new(problem)?;
/// let mut switches = Switches::all_on(&system);
/// switches.set(torque, false);
/// let last = system.sparsity().rows() - 1;
/// assert!(!switches.row_is_on(&system, last));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switches {
    on: Vec<bool>,
}

impl Switches {
    /// Every sensor of a system is on.
    pub fn all_on(system: &System) -> Self {
        Self {
            on: vec![true; system.problem().sensors().len()],
        }
    }

    /// Switches one sensor.
    ///
    /// # Panics
    /// If the system has no such sensor.
    pub fn set(&mut self, sensor: SensorId, on: bool) {
        self.on[sensor.index()] = on;
    }

    /// Whether a sensor is on.
    ///
    /// # Panics
    /// If the system has no such sensor.
    pub fn is_on(&self, sensor: SensorId) -> bool {
        self.on[sensor.index()]
    }

    /// Whether a row of the system counts: dynamics and knowns always do.
    pub fn row_is_on(&self, system: &System, row: usize) -> bool {
        match system.equations().at(row) {
            Some(Equation::Sensor { sensor, .. }) => self.is_on(sensor),
            Some(_) => true,
            None => false,
        }
    }
}
