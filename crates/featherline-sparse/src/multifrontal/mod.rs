//! Least squares of sparse rows, some of which are exact: multifrontal elimination and QR.
//!
//! | type | what it is |
//! |---|---|
//! | [`WeightedRows`] | the rows: exact ones, and ones whose errors have variance one |
//! | [`FactorPlan`] | rows with an order of elimination and its frontal matrices |
//! | [`MultifrontalQr`] | the R factor and the square root of the covariance |
//!
//! ```
//! use featherline_sparse::Sparsity;
//! use featherline_sparse::multifrontal::{
//!     FactorPlan, MultifrontalQr, RowKind, WeightedRows,
//! };
//!
//! // Exactly x + y = 3; both were measured as 1, with deviation 1.
//! let mut rows = WeightedRows::new(vec![vec![0, 1], vec![0], vec![1]], vec![1.0; 2], vec![false; 2]);
//! rows.kinds[0] = RowKind::Exact;
//! rows.numbers.fill(1.0);
//! rows.rhs.copy_from_slice(&[3.0, 1.0, 1.0]);
//! rows.sizes.copy_from_slice(&[3.0, 1.0, 1.0]);
//! let plan = FactorPlan::new(Sparsity::new(2, 2, [(0, 1), (1, 0)])?, rows)?;
//!
//! let mut qr = MultifrontalQr::new(&plan);
//! qr.factorise(&plan)?;
//! let (mut x, mut variances, mut rounding) = ([0.0; 2], [0.0; 2], [0.0; 2]);
//! qr.transform(&plan);
//! qr.solve(&plan, &mut x);
//! qr.find_variances(&plan, &mut variances, &mut rounding);
//! assert!(x.iter().all(|x| (x - 1.5).abs() < 1e-15));
//! assert!(variances.iter().all(|variance| (variance - 0.5).abs() < 1e-15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use factorise::{AGREEMENT, FactorisationError};
pub use qr::{FactorPlan, MultifrontalQr, SparseRow};

pub use weighted_rows::{RowKind, WeightedRows};
