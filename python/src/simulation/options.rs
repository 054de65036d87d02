//! The options of a simulation by their names.

use super::contact_setup::{DecidedSetup, refused};
use crate::methods::MethodName;
use crate::model::Model;
use featherline::words::Words;
use featherline_sim::integrator::forces::{self, ForceModel, JointLimits};
use featherline_sim::integrator::{IntegratorError, Tolerance};
use featherline_sim::setup::{Setup, StatedForces, Stops};
use featherline_sim::simulation::{
    EffortLimits, LoopKeeping, Method, SimulationError, SimulationWarning, Simulator,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// How a simulation integrates, and what acts besides gravity, the controller and what the caller
/// sets.
pub struct Options {
    pub method: MethodName,
    /// The longest step in s; for Dormand-Prince the time of `Simulation.step`.
    pub dt: f64,
    /// The greatest step of Dormand-Prince, if one was given.
    pub greatest_step: Option<f64>,
    tolerance: Option<f64>,
    /// The configuration that was named.
    pub configuration: Option<String>,
    passive: bool,
    stops: Option<Stops>,
    pub loops: LoopKeeping,
    /// Whether nothing but gravity acts.
    pub is_free: bool,
    /// Forces on bodies that the file states.
    pub stated: StatedForces,
    /// Whether limits of effort bound controllers.
    pub effort_limits: bool,
}

impl Options {
    /// Those of a simulation that was decided on.
    pub fn of(begin: &DecidedSetup, setup: Setup) -> Self {
        Self {
            method: begin.method,
            dt: begin.dt,
            greatest_step: setup.step,
            tolerance: setup.tolerance,
            configuration: setup.configuration,
            passive: begin.passive,
            stops: setup.stops,
            loops: setup.loops.unwrap_or_default().in_steps_of(begin.dt),
            is_free: begin.is_free,
            stated: begin.stated.clone(),
            effort_limits: setup.effort_limits.unwrap_or(true),
        }
    }

    /// The limits of effort that controllers are kept within.
    pub fn effort(&self, model: &featherline::Model) -> EffortLimits {
        match self.effort_limits {
            true => EffortLimits::of(model),
            false => EffortLimits::none(),
        }
    }

    /// The tolerance of Dormand-Prince.
    pub fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(1e-9)
    }

    /// The method's name.
    pub fn method_name(&self) -> &'static str {
        self.method.name()
    }

    /// The method with its steps.
    pub fn method<'m>(&self, model: &'m featherline::Model) -> Result<Method<'m>, IntegratorError> {
        let tolerance = (self.method == MethodName::DormandPrince).then(|| {
            let mut tolerance = Tolerance::of(self.tolerance());
            tolerance.greatest_step = self.greatest_step.unwrap_or(tolerance.greatest_step);
            tolerance
        });
        self.method.method(model, self.dt, tolerance)
    }

    /// The state nearby in which all loops are closed.
    pub fn assembled(
        &self,
        model: &featherline::Model,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>), SimulationError> {
        let simulator = Simulator::new(model, self.method(model)?);
        let closed = simulator.start_assembled(t, q, v)?;
        Ok((closed.configuration().to_vec(), closed.velocity().to_vec()))
    }

    /// The stops at joint limits; their own stiffness is that at `q`.
    pub fn joint_limits(
        &self,
        model: &featherline::Model,
        q: &[f64],
    ) -> PyResult<Option<JointLimits>> {
        let stops = self.stops.as_ref();
        let limits = stops.map(|it| it.limits(model, q, self.dt).map_err(refused));
        limits.transpose()
    }

    /// The robot's own forces.
    pub fn forces<'m>(
        &self,
        model: &'m featherline::Model,
        limits: Option<&JointLimits>,
    ) -> Result<Vec<Box<dyn ForceModel + 'm>>, IntegratorError> {
        let mut all: Vec<Box<dyn ForceModel + 'm>> = Vec::new();
        if self.passive {
            all.push(Box::new(forces::passive(
                model,
                forces::FRICTION_TRANSITION,
            )?));
        }
        if let Some(limits) = limits {
            all.push(Box::new(limits.clone()));
        }
        for stated in self.stated.models(model) {
            all.push(stated);
        }
        Ok(all)
    }

    /// How far, in rad or m, joints may be beyond their limits without a warning: rounding where
    /// nothing acts at limits, else as far as stops are meant to yield.
    pub fn tolerated_excess(&self) -> f64 {
        match (self.method == MethodName::TimeStepping, &self.stops) {
            (true, _) => 1e-6,
            (false, None) => 1e-9,
            (false, Some(_)) => 10.0 * JointLimits::DEPTH,
        }
    }

    /// A warning; of joints beyond their limits with what to do.
    pub fn explain(&self, warning: &SimulationWarning) -> String {
        if !matches!(warning, SimulationWarning::BeyondLimits { .. }) {
            return warning.to_string();
        }
        let what = match (self.method == MethodName::TimeStepping, &self.stops) {
            (true, _) => "what begins beyond a limit comes back at 0.1 rad/s (m/s)",
            (false, None) => "limits=True adds stops, and method='time-stepping' keeps them",
            (false, Some(stops)) if *stops == Stops::default() => {
                "half the step makes these stops four times as stiff; limits=(k, d) sets their stiffness and damping"
            }
            (false, Some(_)) => "stiffer stops yield less",
        };
        format!("{warning}: {what}")
    }
}

/// The stops at joint limits that a caller asks for: true, (stiffness, damping), or a dictionary.
pub fn read_limits(model: &Model, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Stops>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(None);
    };
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().then(Stops::default));
    }
    let expected = "limits must be True, (stiffness, damping), or a dictionary from joints to them";
    let pair = |value: &Bound<'_, PyAny>| -> PyResult<(f64, f64)> {
        let (stiffness, damping): (f64, f64) = value
            .extract()
            .map_err(|_| PyTypeError::new_err(expected))?;
        let is_usable = stiffness.is_finite() && stiffness > 0.0 && damping >= 0.0;
        if is_usable && damping.is_finite() {
            Ok((stiffness, damping))
        } else {
            Err(PyValueError::new_err(format!(
                "limits has stiffness {stiffness} and damping {damping}, where finite numbers not below zero are expected"
            )))
        }
    };
    let Ok(named) = value.cast::<PyDict>() else {
        let of_all = Some(pair(value)?);
        return Ok(Some(Stops {
            of_all,
            ..Stops::default()
        }));
    };
    let mut stops = Stops::default();
    for (name, value) in named {
        let name: String = name.extract()?;
        model.joint_named(&name)?;
        stops.of_joints.push((name, pair(&value)?));
    }
    Ok(Some(stops))
}
