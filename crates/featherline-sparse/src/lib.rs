//! Sparse elimination with an order that is chosen offline.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-sparse = "0.2"
//! featherline-sparse = { path = "../featherline/crates/featherline-sparse" }
//! ```
//!
//! A matrix whose pattern stays the same, and whose numbers change, is analysed once: its
//! structure, an order of elimination, the fill-in of that order. Every later factorisation then
//! runs without a search, a branch on numbers, or an allocation. Nothing here knows a robot.
//!
//! | what | where | source |
//! |---|---|---|
//! | patterns and matrices, by rows | [`Sparsity`], [`SparseMatrix`] | Davis 2006 |
//! | structural rank | [`Matching`] | Hopcroft and Karp 1973 |
//! | over-, well- and under-determined parts | [`DulmageMendelsohn`] | Pothen and Fan 1990 |
//! | orders of elimination | [`order`] | one source each |
//! | elimination in a fixed order, for every scalar | [`Elimination`], [`Factors`] | Duff, Erisman and Reid 2017 |
//! | LU with row exchanges | [`GeneralLu`] | faer |
//! | pattern of an LDLᵀ or R factor | [`LdltPattern`] | Davis 2006 |
//! | least squares with exact and weighted rows | [`multifrontal`] | Duff and Reid 1983; Björck 1996 |
//! | rank, null space, redundant rows | [`SparseRank`] | Vanderbei 1995 |
//!
//! ```
//! use featherline_sparse::{Elimination, Sparsity, Symbol, Template, order};
//! use std::sync::Arc;
//!
//! // Offline: the pattern, what is constant in it, a sample of its numbers, and an order.
//! let pattern = Arc::new(Sparsity::new(3, 3, [(0, 0), (0, 2), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)])?);
//! let sample = vec![4.0, 1.0, 5.0, 1.0, 1.0, 1.0, 6.0];
//! let template = Template::new(pattern, vec![Symbol::Variable; 7], vec![Symbol::Variable; 3], &[sample])?;
//! let elimination = Elimination::new(&template, &order::markowitz(&template)?)?;
//! assert_eq!(elimination.fill_in(), 0);
//!
//! // Online: as often as there are numbers.
//! let (mut factors, mut x) = (elimination.factors::<f64>(), [0.0; 3]);
//! factors.factorize(&elimination, &[2.0, 1.0, 4.0, 1.0, 1.0, 1.0, 3.0])?;
//! factors.solve(&elimination, &[3.0, 5.0, 5.0], &mut x)?;
//! assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, from bottom to top; each uses only those above it in this list: `sparsity`,
//! `length`, `matching`, `strong_components`, `dulmage_mendelsohn`, `template`, `active`,
//! [`order`], `elimination`, `lu`, `exchange`, `rank`, `compensated`, `ldlt`, [`multifrontal`].

mod active;
mod compensated;
mod dulmage_mendelsohn;
mod elimination;
mod exchange;
mod ldlt;
mod length;
mod lu;
mod matching;
pub mod multifrontal;
pub mod order;
mod rank;
mod sparsity;
mod strong_components;
mod template;

pub use compensated::CompensatedSum;
pub use dulmage_mendelsohn::{DulmageMendelsohn, Part};
pub use elimination::{Elimination, EliminationError, Factors, TriangularFactors};
pub use exchange::Exchange;
pub use ldlt::LdltPattern;
pub use length::LengthError;
pub use lu::{GeneralError, GeneralLu, LuFactors};
pub use matching::Matching;
pub use order::{EliminationOrder, OrderError};
pub use rank::{Equilibration, MinimumNormSolution, SparseRank};
pub use sparsity::{SparseMatrix, Sparsity, SparsityError};
pub use template::{SAMPLES, Symbol, Template, TemplateError};
