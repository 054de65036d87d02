//! Controllers: joint forces as a function of time and state.

use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceBounds, State};
use featherline::joint::JointKind;
use featherline::model::{JointId, Model};
use featherline::words::Words;

/// Joint forces as a function of time and state: a controller in continuous time.
///
/// Methods ask at each of their stages, so that the same state must give the same forces within a
/// step. A closure `(t, q, v, tau)` that adds to `tau` is a controller.
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::samples;
/// use featherline_sim::simulation::{Method, Sample, Simulator};
///
/// let model = samples::double_pendulum();
/// let brake = |_t: f64, _q: &[f64], v: &[f64], tau: &mut [f64]| tau[1] -= 2.0 * v[1];
/// let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
/// let simulator = Simulator::new(&model, method).with_controller(brake);
/// let mut simulation = simulator.start(0.0, &[1.0, 0.0], &[0.0, 0.0])?;
/// let mut energies = Vec::new();
/// simulation.run(1.0, 0.5, &mut |sample: &Sample<'_>| energies.push(sample.energy()))?;
/// assert!(energies[2] < energies[1] && energies[1] < energies[0]);
/// # Ok::<(), featherline_sim::simulation::SimulationError>(())
/// ```
pub trait Controller {
    /// Adds the joint forces in a state to `tau`, nv entries in N·m (N).
    ///
    /// # Errors
    /// [`IntegratorError`] where the controller has no value, for one's own reasons through
    /// [`IntegratorError::field`].
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError>;

    /// Adds upper bounds on the controller's stiffness and damping; none by default.
    fn add_bounds(&self, _: &mut ForceBounds) {}
}

impl<F: FnMut(f64, &[f64], &[f64], &mut [f64])> Controller for F {
    fn drive(&mut self, state: &State<'_>, tau: &mut [f64]) -> Result<(), IntegratorError> {
        self(state.t, state.q, state.v, tau);
        Ok(())
    }
}

/// Nobody drives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uncontrolled;

impl Controller for Uncontrolled {
    fn drive(&mut self, _: &State<'_>, _: &mut [f64]) -> Result<(), IntegratorError> {
        Ok(())
    }
}

/// The controller that drives the joints of a simulation, by its name.
///
/// ```
/// use featherline::words::Words;
/// use featherline_sim::simulation::ControllerName;
///
/// assert_eq!(ControllerName::from_word("pd")?, ControllerName::Pd);
/// # Ok::<(), featherline::words::UnknownWord>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControllerName {
    /// [`Uncontrolled`].
    #[default]
    None,
    /// [`GravityCompensation`](super::GravityCompensation).
    Gravity,
    /// [`ProportionalDerivative`](super::ProportionalDerivative), critically damped.
    Pd,
    /// [`Drives::holding`](crate::contact::Drives::holding) the joints where they begin.
    Hold,
    /// [`Drives::of_actuators`](crate::contact::Drives::of_actuators) of a file.
    Actuators,
}

impl Words for ControllerName {
    const WHAT: &'static str = "controller";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("gravity", Self::Gravity),
        ("pd", Self::Pd),
        ("hold", Self::Hold),
        ("actuators", Self::Actuators),
    ];
}

/// Which coordinates of the velocity the controllers of this module drive, nv entries: all but
/// those of a base that floats free, which has no motor.
///
/// Models know no motors, and every other joint counts as one. In a robot with loops a free-flyer
/// is a body that its loops hold, such as the platform of a hexapod, and is driven as well, like
/// joints of its legs that have no motor: forces on them stand for those of motors elsewhere in the
/// loops to which they are equivalent, where there are such. Control of a robot with fewer motors
/// takes a controller of one's own.
pub fn driven_coordinates(model: &Model) -> Vec<bool> {
    let mut driven = vec![true; model.nv()];
    if model.loop_joints().is_empty() {
        let bases = model.joints().iter().skip(1);
        for base in
            bases.filter(|j| j.parent == JointId::UNIVERSE && j.kind == JointKind::FreeFlyer)
        {
            driven[base.idx_v..base.idx_v + base.nv].fill(false);
        }
    }
    driven
}
