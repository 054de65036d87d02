//! Elimination in a given order: worked through once, then run for every state.

pub(crate) mod active;
mod analysis;
mod components;
mod numeric;
mod template;
#[cfg(test)]
mod tests;

pub use analysis::{Elimination, EliminationError};
pub use numeric::Factors;
pub use template::{Symbol, Template, TemplateError};
