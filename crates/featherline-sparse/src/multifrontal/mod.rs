//! Least squares of sparse rows, some of which are exact: multifrontal elimination and QR.
//!
//! | type | what it is |
//! |---|---|
//! | [`WeightedRows`] | the rows: exact ones, and ones whose errors have variance one |
//! | [`FactorPlan`] | rows with an order of elimination and its frontal matrices |
//! | [`MultifrontalQr`] | the R factor and the square root of the covariance, in `f64` or [`DoubleDouble`](crate::DoubleDouble) |
//! | [`OrthogonalFactorisation`] | what both precisions have in common |

mod factorise;
mod front_memory;
mod fronts;
mod probe;
mod qr;
mod r_factor;
mod reflections;
mod square_root;
mod transformations;
mod weighted_rows;

pub use factorise::{AGREEMENT, FactorisationError, ROUNDED};
pub use qr::{FactorPlan, MultifrontalQr, OrthogonalFactorisation, SparseRow};
pub use square_root::{DRAWS, random_signs};
pub use weighted_rows::{RowKind, WeightedRows};
