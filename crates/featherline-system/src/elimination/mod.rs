//! Elimination in a given order: worked through once, then run for every state.

pub(crate) mod active;
mod analysis;
mod components;
mod general;
mod guarded;
mod numeric;
mod of_system;
mod published;
mod template;
#[cfg(test)]
mod tests;

pub use analysis::{Elimination, EliminationError};
pub use general::{GeneralError, GeneralLu};
pub use guarded::{GuardedSolver, Outcome, SolveError};
pub use numeric::Factors;
pub use of_system::PlanError;
pub(crate) use of_system::{Foreknown, SampleState};
pub use template::{Symbol, Template, TemplateError};
