//! The methods of integration by their names.

use crate::model::choice;
use featherline_sim::integrator::{
    CrouchGrossman, DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper,
    SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::Method;
use pyo3::prelude::*;

/// A method of integration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MethodName {
    SymplecticEuler,
    RungeKutta4,
    CrouchGrossman3,
    CrouchGrossman4,
    DormandPrince,
    ImplicitMidpoint,
    Variational,
    MaximalVariational,
    TimeStepping,
}

/// The methods as the command line calls them; symplectic Euler has another usual name.
const METHODS: [(&str, MethodName); 10] = [
    ("runge-kutta-4", MethodName::RungeKutta4),
    ("symplectic-euler", MethodName::SymplecticEuler),
    ("semi-implicit-euler", MethodName::SymplecticEuler),
    ("crouch-grossman-3", MethodName::CrouchGrossman3),
    ("crouch-grossman-4", MethodName::CrouchGrossman4),
    ("dormand-prince", MethodName::DormandPrince),
    ("implicit-midpoint", MethodName::ImplicitMidpoint),
    ("variational", MethodName::Variational),
    ("maximal-variational", MethodName::MaximalVariational),
    ("time-stepping", MethodName::TimeStepping),
];

impl MethodName {
    /// The method of a single motion that a word names: one without contact.
    pub fn of(word: &str) -> PyResult<Self> {
        let smooth = METHODS.iter().filter(|(_, it)| *it != Self::TimeStepping);
        choice("method", word, &smooth.copied().collect::<Vec<_>>())
    }

    /// The method of a simulation that a word names.
    pub fn of_simulation(word: &str) -> PyResult<Self> {
        choice("method", word, &METHODS)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let known = METHODS.iter().find(|(_, method)| *method == self);
        known.map_or("", |(name, _)| name)
    }

    /// Whether its steps come from a discrete action.
    pub fn is_variational(self) -> bool {
        matches!(self, Self::Variational | Self::MaximalVariational)
    }

    /// The method as one of equal steps; none for the variational ones.
    pub fn stepper(
        self,
        model: &featherline::Model,
    ) -> Result<Option<Box<dyn Stepper + '_>>, IntegratorError> {
        Ok(Some(match self {
            Self::SymplecticEuler => Box::new(SymplecticEuler::new(model)),
            Self::RungeKutta4 => Box::new(RungeKutta4::new(model)),
            Self::CrouchGrossman3 => Box::new(CrouchGrossman::third(model)),
            Self::CrouchGrossman4 => Box::new(CrouchGrossman::fourth(model)),
            Self::DormandPrince => Box::new(DormandPrince::new(model, Tolerance::default())?),
            Self::ImplicitMidpoint => Box::new(ImplicitMidpoint::new(model)),
            Self::Variational | Self::MaximalVariational | Self::TimeStepping => return Ok(None),
        }))
    }

    /// The method of a motion: equal steps, or those of a tolerance if one is given.
    pub fn method(
        self,
        model: &featherline::Model,
        step: f64,
        tolerance: Option<Tolerance>,
    ) -> Result<Method<'_>, IntegratorError> {
        if let Some(tolerance) = tolerance {
            return DormandPrince::new(model, tolerance).map(Method::tolerance);
        }
        match (self.stepper(model)?, self) {
            (Some(stepper), _) => Method::boxed_steps(stepper, step),
            (None, Self::Variational) => Method::variational(step),
            (None, Self::TimeStepping) => Method::time_stepping(step),
            (None, _) => Method::maximal_variational(step),
        }
    }
}
