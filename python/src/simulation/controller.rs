//! Controllers of a robot in a simulation.

use super::callbacks::{Function, PythonController, RaisedError};
use super::event::{Gains, ProportionalDerivative};
use crate::error;
use crate::model::{Model, quoted};
use crate::states::one_state;
use featherline::words::{DidYouMean, Words};
use featherline_formats::description::START_CONFIGURATIONS;
use featherline_formats::plausibility;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::simulation::{self, Controller, ControllerName, GravityCompensation};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A controller as callers choose it.
pub enum Control {
    /// Joint forces that stay.
    Constant(Vec<f64>),
    /// Compensation of gravity.
    Gravity,
    /// Springs and dampers.
    ProportionalDerivative { reference: Vec<f64>, gains: Gains },
    /// A Python function.
    Python(Function),
}

/// Where a robot or scene begins without a state.
fn start(model: &featherline::Model) -> Vec<f64> {
    let named = model.reference_configurations();
    let start = START_CONFIGURATIONS
        .into_iter()
        .find_map(|name| named.get(name));
    start
        .cloned()
        .unwrap_or_else(|| model.neutral_configuration())
}

impl Control {
    /// Reads what a caller gave.
    pub fn of(model: &Model, value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (nq, nv) = (model.model.nq(), model.model.nv());
        let Some(value) = value.filter(|value| !value.is_none()) else {
            return Ok(Self::Constant(vec![0.0; nv]));
        };
        if let Ok(word) = value.extract::<String>() {
            return match ControllerName::from_word(&word) {
                Ok(ControllerName::None) => Ok(Self::Constant(vec![0.0; nv])),
                Ok(ControllerName::Gravity) => Ok(Self::Gravity),
                Ok(ControllerName::Pd) => Ok(Self::ProportionalDerivative {
                    reference: start(&model.model),
                    gains: Gains::Critical(1.0),
                }),
                Ok(ControllerName::Hold | ControllerName::Actuators) => {
                    Err(PyValueError::new_err(format!(
                        "'{word}' are drives, which a simulation is made with: Simulation(…, drives='{word}')"
                    )))
                }
                Err(unknown) => Err(PyValueError::new_err(format!(
                    "controller must be {}, a ProportionalDerivative, a function of (t, q, v), or joint forces ({nv},), not '{word}'{}",
                    quoted(ControllerName::WORDS),
                    DidYouMean(unknown.closest)
                ))),
            };
        }
        if let Ok(parameters) = value.cast::<ProportionalDerivative>() {
            let parameters = parameters.get();
            let reference = parameters.reference.clone();
            if reference.len() != nq {
                let expected = format!("({nq},)");
                return Err(error::shape("reference", &[reference.len()], &expected));
            }
            let doubts = plausibility::doubtful_angles(&model.model, &reference);
            error::doubt_degrees(value.py(), "reference", &doubts)?;
            let spread = |name: &str, gains: &[f64]| match gains.len() {
                1 => Ok(vec![gains[0]; nv]),
                n if n == nv => Ok(gains.to_vec()),
                n => Err(error::shape(name, &[n], &format!("({nv},)"))),
            };
            let gains = match &parameters.gains {
                Gains::Given(stiffness, damping) => {
                    Gains::Given(spread("stiffness", stiffness)?, spread("damping", damping)?)
                }
                Gains::Critical(frequency) => Gains::Critical(*frequency),
            };
            return Ok(Self::ProportionalDerivative { reference, gains });
        }
        if value.is_callable() {
            return Ok(Self::Python(Function::of(value)));
        }
        Ok(Self::Constant(one_state("controller", value, nv)?))
    }

    /// The controller as a simulation asks it; none of forces that stay.
    pub fn controller<'m>(
        &'m self,
        model: &'m featherline::Model,
        raised: &RaisedError,
    ) -> Result<Option<Box<dyn Controller + 'm>>, IntegratorError> {
        Ok(match self {
            Self::Constant(_) => None,
            Self::Python(function) => Some(Box::new(PythonController {
                function,
                raised: raised.clone(),
            })),
            Self::Gravity => Some(Box::new(GravityCompensation::new(model))),
            Self::ProportionalDerivative { reference, gains } => Some(Box::new(match gains {
                Gains::Given(stiffness, damping) => {
                    simulation::ProportionalDerivative::new(model, reference, stiffness, damping)?
                }
                Gains::Critical(frequency) => {
                    simulation::ProportionalDerivative::critical(model, reference, *frequency)?
                }
            })),
        })
    }

    /// The period at which it is asked, or none if it acts in continuous time.
    pub fn period(&self, given: Option<f64>, dt: f64) -> Option<f64> {
        let usual = match self {
            Self::Constant(_) => return None,
            Self::Python(_) => dt,
            Self::Gravity | Self::ProportionalDerivative { .. } => 0.0,
        };
        Some(given.unwrap_or(usual)).filter(|period| *period > 0.0)
    }

    /// Whether nobody drives.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Constant(tau) if tau.iter().all(|force| *force == 0.0))
    }

    /// The description of the controller, in words.
    pub fn describe(&self, py: Python<'_>) -> String {
        match self {
            Self::Constant(_) if self.is_nothing() => "no controller".to_owned(),
            Self::Constant(_) => "constant joint forces".to_owned(),
            Self::Gravity => "gravity compensation".to_owned(),
            Self::ProportionalDerivative { .. } => "proportional-derivative control".to_owned(),
            Self::Python(function) => format!("controller {}", function.name(py)),
        }
    }
}
