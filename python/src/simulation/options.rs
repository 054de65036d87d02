//! The options of a simulation by their names.

use crate::methods::MethodName;
use crate::model::{Model, chosen};
use featherline::words::Words;
use featherline_sim::contact::ContactLaws;
use featherline_sim::integrator::forces::{self, Bumper, ForceModel, JointLimits};
use featherline_sim::integrator::{IntegratorError, Tolerance};
use featherline_sim::simulation::{
    LoopKeeping, LoopKeepingName, Method, SimulationError, SimulationWarning, Simulator,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// The stops at joint limits.
pub enum Limits {
    /// None.
    Free,
    /// Each joint's own.
    Own,
    /// With the stiffness and damping of all joints, or of some.
    Given(Option<(f64, f64)>, Vec<(String, (f64, f64))>),
}

/// What callers say of the method.
pub struct Given {
    pub method: Option<MethodName>,
    pub passive: bool,
    pub has_limits: bool,
    pub tolerance: Option<f64>,
    pub has_drives: bool,
    /// Whether the actuators of a file drive the joints, if it has some.
    pub takes_actuators: bool,
}

/// How a simulation integrates, and what acts besides gravity, the controller and what the caller
/// sets.
pub struct Options {
    pub method: MethodName,
    /// The longest step in s; for Dormand-Prince the time of `Simulation.step`.
    pub dt: f64,
    /// The greatest step of Dormand-Prince, if one was given.
    pub greatest_step: Option<f64>,
    tolerance: Option<f64>,
    pub passive: bool,
    pub limits: Limits,
    pub loops: LoopKeeping,
}

impl Options {
    /// Reads the options of a call.
    pub fn new(
        model: &Model,
        dt: Option<f64>,
        method: MethodName,
        tolerance: Option<f64>,
        passive: bool,
        limits: Option<&Bound<'_, PyAny>>,
        loops: &str,
    ) -> PyResult<Self> {
        let limits = read_limits(model, limits)?;
        if method == MethodName::TimeStepping && (passive || !matches!(limits, Limits::Free)) {
            return Err(PyValueError::new_err(
                "method='time-stepping' has the limits, dampers, springs and friction of the joints anyway, exactly: leave passive and limits out, or take another method",
            ));
        }
        let has_tolerance = [MethodName::DormandPrince, MethodName::TimeStepping];
        if tolerance.is_some() && !has_tolerance.contains(&method) {
            return Err(PyValueError::new_err(
                "tolerance belongs to method='dormand-prince' and 'time-stepping'; the other methods take steps of dt",
            ));
        }
        for (name, value) in [("dt", dt), ("tolerance", tolerance)] {
            if let Some(value) = value
                && !(value.is_finite() && value > 0.0)
            {
                let text = format!("{name} is {value}, where a positive number is expected");
                return Err(PyValueError::new_err(text));
            }
        }
        let length = dt.unwrap_or_else(|| method.usual_step());
        Ok(Self {
            method,
            dt: length,
            greatest_step: dt,
            tolerance,
            passive,
            limits,
            loops: chosen::<LoopKeepingName>("loops", loops)?.in_steps_of(length),
        })
    }

    /// The tolerance of Dormand-Prince.
    pub fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(1e-9)
    }

    /// The laws of contact, kept to the tolerance that was given.
    pub fn laws(&self, laws: ContactLaws) -> ContactLaws {
        laws.with_tolerance(self.tolerance.unwrap_or(laws.tolerance))
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
    ) -> Result<Option<JointLimits>, IntegratorError> {
        let own = || JointLimits::for_step(model, q, self.dt);
        Ok(match &self.limits {
            Limits::Free => None,
            Limits::Own => Some(own()?),
            Limits::Given(of_all, of_joints) => {
                let mut limits = match of_all {
                    Some(both) => JointLimits::new(model, bumper(*both))?,
                    None => own()?,
                };
                for (name, both) in of_joints {
                    if let Ok(joint) = model.joint_id(name) {
                        limits = limits.with_bumper(joint, bumper(*both))?;
                    }
                }
                Some(limits)
            }
        })
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
        Ok(all)
    }

    /// How far, in rad or m, joints may be beyond their limits without a warning: rounding where
    /// nothing acts at limits, else as far as stops are meant to yield.
    pub fn tolerated_excess(&self) -> f64 {
        match self.limits {
            Limits::Free if self.method == MethodName::TimeStepping => 1e-6,
            Limits::Free => 1e-9,
            Limits::Own | Limits::Given(..) => 10.0 * JointLimits::DEPTH,
        }
    }

    /// A warning; of joints beyond their limits with what to do.
    pub fn explain(&self, warning: &SimulationWarning) -> String {
        if !matches!(warning, SimulationWarning::BeyondLimits { .. }) {
            return warning.to_string();
        }
        let what = match self.limits {
            Limits::Free if self.method == MethodName::TimeStepping => {
                "what begins beyond a limit comes back at 0.1 rad/s (m/s)"
            }
            Limits::Free => "limits=True adds stops, and method='time-stepping' keeps them",
            Limits::Own => {
                "half the step makes these stops four times as stiff; limits=(k, d) sets their stiffness and damping"
            }
            Limits::Given(..) => "stiffer stops yield less",
        };
        format!("{warning}: {what}")
    }

    /// Whether nothing but gravity acts.
    pub fn only_gravity_acts(&self) -> bool {
        !self.passive
            && matches!(self.limits, Limits::Free)
            && self.method != MethodName::TimeStepping
    }
}

fn bumper((stiffness, damping): (f64, f64)) -> Bumper {
    Bumper {
        stiffness,
        damping,
        depth: JointLimits::DEPTH,
    }
}

fn read_limits(model: &Model, value: Option<&Bound<'_, PyAny>>) -> PyResult<Limits> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        return Ok(Limits::Free);
    };
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(if flag.is_true() {
            Limits::Own
        } else {
            Limits::Free
        });
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
        return Ok(Limits::Given(Some(pair(value)?), Vec::new()));
    };
    let mut joints = Vec::new();
    for (name, value) in named {
        let name: String = name.extract()?;
        model.joint_named(&name)?;
        joints.push((name, pair(&value)?));
    }
    Ok(Limits::Given(None, joints))
}
