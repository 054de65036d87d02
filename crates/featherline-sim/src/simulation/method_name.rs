//! Methods of integration by their names.

use super::Method;
use crate::integrator::{
    DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper, SymplecticEuler,
    Tolerance,
};
use featherline::Model;
use featherline::words::Words;

/// A method of integration that is chosen while the program runs, by its name.
///
/// ```
/// use featherline::{samples, words::Words};
/// use featherline_sim::simulation::{MethodName, Simulator};
///
/// let model = samples::double_pendulum();
/// let name = MethodName::from_word("rk4")?;
/// assert_eq!(name.name(), "runge-kutta-4");
/// let method = name.method(&model, name.usual_step(), None)?;
/// let simulation = Simulator::new(&model, method).start(0.0, &[2.0, 1.0], &[0.0, 0.0])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodName {
    /// [`SymplecticEuler`].
    SymplecticEuler,
    /// [`RungeKutta4`].
    #[default]
    RungeKutta4,
    /// [`DormandPrince`].
    DormandPrince,
    /// [`ImplicitMidpoint`].
    ImplicitMidpoint,
    /// [`Method::variational`].
    Variational,
    /// [`Method::maximal_variational`].
    MaximalVariational,
    /// [`Method::time_stepping`].
    TimeStepping,
}

impl Words for MethodName {
    const WHAT: &'static str = "method of integration";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("runge-kutta-4", Self::RungeKutta4),
        ("rk4", Self::RungeKutta4),
        ("symplectic-euler", Self::SymplecticEuler),
        ("semi-implicit-euler", Self::SymplecticEuler),
        ("dormand-prince", Self::DormandPrince),
        ("rk45", Self::DormandPrince),
        ("implicit-midpoint", Self::ImplicitMidpoint),
        ("variational", Self::Variational),
        ("maximal-variational", Self::MaximalVariational),
        ("time-stepping", Self::TimeStepping),
    ];
}

impl MethodName {
    /// Whether its steps come from a discrete action.
    pub fn is_variational(self) -> bool {
        matches!(self, Self::Variational | Self::MaximalVariational)
    }

    /// The longest step of a simulation in s where nobody states another: first order makes up for
    /// it by short ones.
    pub fn usual_step(self) -> f64 {
        match self == Self::SymplecticEuler {
            true => 2e-4,
            false => 1e-3,
        }
    }

    /// The method as one of equal steps; none for those that are methods of a whole simulation.
    ///
    /// # Errors
    /// Those of [`DormandPrince::new`].
    pub fn stepper(self, model: &Model) -> Result<Option<Box<dyn Stepper + '_>>, IntegratorError> {
        Ok(Some(match self {
            Self::SymplecticEuler => Box::new(SymplecticEuler::new(model)),
            Self::RungeKutta4 => Box::new(RungeKutta4::new(model)),
            Self::DormandPrince => Box::new(DormandPrince::new(model, Tolerance::default())?),
            Self::ImplicitMidpoint => Box::new(ImplicitMidpoint::new(model)),
            Self::Variational | Self::MaximalVariational | Self::TimeStepping => return Ok(None),
        }))
    }

    /// The method with steps of at most `step` seconds, or with those of a tolerance of
    /// [`DormandPrince`] if one is given.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless the step, or what the tolerance has, is positive.
    pub fn method(
        self,
        model: &Model,
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
