//! The method of integration of a simulation, and its steps.

use crate::integrator::forces::check_positive;
use crate::integrator::{DormandPrince, IntegratorError, Stepper};

/// A method of integration with its steps.
pub struct Method<'m>(pub(super) MethodKind<'m>);

/// The kind of a method, with its longest step in s.
pub(super) enum MethodKind<'m> {
    Steps(Box<dyn Stepper + 'm>, f64),
    Tolerance(Box<DormandPrince<'m>>),
    Variational(f64),
    MaximalVariational(f64),
    TimeStepping(f64),
}

impl<'m> Method<'m> {
    /// Any stepper, with steps of at most `step` seconds: the longest of which a whole number fits
    /// between two samples, so that every sample is a state that the method itself has reached.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless the step is positive.
    pub fn steps(stepper: impl Stepper + 'm, step: f64) -> Result<Self, IntegratorError> {
        Self::boxed_steps(Box::new(stepper), step)
    }

    /// [`steps`](Self::steps) with a stepper that was chosen while the program runs.
    ///
    /// # Errors
    /// As [`steps`](Self::steps).
    pub fn boxed_steps(stepper: Box<dyn Stepper + 'm>, step: f64) -> Result<Self, IntegratorError> {
        Self::of(|step| MethodKind::Steps(stepper, step), step)
    }

    /// The [variational integrator](crate::integrator::VariationalIntegrator) of trees, with steps
    /// as in [`steps`](Self::steps): for long motions whose energy must not drift.
    ///
    /// # Errors
    /// As [`steps`](Self::steps).
    pub fn variational(step: f64) -> Result<Self, IntegratorError> {
        Self::of(MethodKind::Variational, step)
    }

    /// The [variational integrator in maximal
    /// coordinates](crate::integrator::MaximalVariationalIntegrator), for robots with closed loops,
    /// without mimic joints, with steps as in [`steps`](Self::steps): energy does not drift, and
    /// loops are closed at every step without [projection](super::LoopKeeping). On trees
    /// [`variational`](Self::variational) gives the same motion sooner.
    ///
    /// # Errors
    /// As [`steps`](Self::steps).
    pub fn maximal_variational(step: f64) -> Result<Self, IntegratorError> {
        Self::of(MethodKind::MaximalVariational, step)
    }

    /// [Time stepping](crate::contact::TimeStepping), with steps as in [`steps`](Self::steps): for
    /// robots that touch things, reach the limits of their joints, have dry friction or
    /// [drives](crate::contact::Drives). These act without being asked for, and so do dampers and
    /// springs of the joints.
    ///
    /// # Errors
    /// As [`steps`](Self::steps).
    pub fn time_stepping(step: f64) -> Result<Self, IntegratorError> {
        Self::of(MethodKind::TimeStepping, step)
    }

    /// The method's name in a sentence, such as `time stepping`.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            MethodKind::Steps(stepper, _) => stepper.name(),
            MethodKind::Tolerance(_) => "Dormand-Prince 5(4)",
            MethodKind::Variational(_) => "the variational integrator",
            MethodKind::MaximalVariational(_) => {
                "the variational integrator in maximal coordinates"
            }
            MethodKind::TimeStepping(_) => "time stepping",
        }
    }

    /// Steps that follow a tolerance and end at each sample.
    pub fn tolerance(method: DormandPrince<'m>) -> Self {
        Self(MethodKind::Tolerance(Box::new(method)))
    }

    fn of(kind: impl FnOnce(f64) -> MethodKind<'m>, step: f64) -> Result<Self, IntegratorError> {
        check_positive("the step", step)?;
        Ok(Self(kind(step)))
    }
}
