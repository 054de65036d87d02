//! Methods of integration by their names.

use super::arguments::{Integrator, SimulateArguments};
use featherline::Model;
use featherline_sim::integrator::{
    CrouchGrossman, DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, Stepper,
    SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::Method;

/// The method of the arguments.
pub fn of<'m>(
    arguments: &SimulateArguments,
    model: &'m Model,
) -> Result<Method<'m>, IntegratorError> {
    let stepper: Box<dyn Stepper + 'm> = match arguments.integrator() {
        Integrator::SymplecticEuler => Box::new(SymplecticEuler::new(model)),
        Integrator::RungeKutta4 => Box::new(RungeKutta4::new(model)),
        Integrator::CrouchGrossman3 => Box::new(CrouchGrossman::third(model)),
        Integrator::CrouchGrossman4 => Box::new(CrouchGrossman::fourth(model)),
        Integrator::DormandPrince => {
            let mut tolerance = Tolerance::of(arguments.tolerance.unwrap_or(1e-9));
            tolerance.greatest_step = arguments.step.unwrap_or(tolerance.greatest_step);
            return DormandPrince::new(model, tolerance).map(Method::tolerance);
        }
        Integrator::ImplicitMidpoint => Box::new(ImplicitMidpoint::new(model)),
        Integrator::TimeStepping => return Method::time_stepping(arguments.step()),
        Integrator::Variational => return Method::variational(arguments.step()),
        Integrator::MaximalVariational => return Method::maximal_variational(arguments.step()),
    };
    Method::boxed_steps(stepper, arguments.step())
}
