//! Elimination in a given order: analysed once, then run for every state.

mod analysis;
mod components;
mod numeric;
#[cfg(test)]
mod tests;
mod triangular;

pub use analysis::{Elimination, EliminationError};
pub use numeric::Factors;
pub use triangular::TriangularFactors;
