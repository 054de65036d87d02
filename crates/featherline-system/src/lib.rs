//! Dynamics and sensing as one sparse linear system, whose order of elimination is chosen offline.

mod sparsity;

pub use sparsity::{SparseMatrix, Sparsity, SparsityError};
