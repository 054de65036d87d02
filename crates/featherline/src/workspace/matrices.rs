//! Matrices of a workspace.

use super::{DerivativeMemory, RegionMemory, filled};
use crate::model::Model;
use crate::scalar::Scalar;
use crate::spatial::Motion;
use nalgebra::DMatrix;

/// Matrices of O(n²) entries.
#[derive(Clone, Debug)]
pub struct Matrices<S: Scalar> {
    pub mass: DMatrix<S>,
    pub regions: RegionMemory<S>,
    /// The mass matrix or its factors, packed along the elimination tree.
    pub packed: Vec<S>,
    /// The inverse of the mass matrix in tiles, if it is computed from the factors.
    pub inverse_tiles: Vec<S>,
    /// Otherwise the responses of all coordinates to unit forces, nv rows of nv.
    pub response: Vec<S>,
    pub inverse: DMatrix<S>,
    pub coriolis: DMatrix<S>,
    /// Columns of Jacobians in the world frame, one for each column of a motion subspace.
    pub jacobian: Vec<Motion<S>>,
    pub jacobian_rate: Vec<Motion<S>>,
    /// 6 × nv results.
    pub wide: DMatrix<S>,
    pub wide_rate: DMatrix<S>,
    /// The responses of a link: six rows of nv forces, and six rows of nv accelerations for each
    /// place in a path.
    pub unit_force: Vec<S>,
    pub unit_acceleration: Vec<S>,
    pub derivatives: DerivativeMemory<S>,
}

/// Memory that is not asked about, in bytes.
const ALWAYS_AVAILABLE: u64 = 1 << 30;

/// Whether so many bytes can be allocated.
pub(super) fn is_available(bytes: u64) -> bool {
    let mut memory = Vec::<u8>::new();
    let made = usize::try_from(bytes)
        .is_ok_and(|len| bytes <= ALWAYS_AVAILABLE || memory.try_reserve_exact(len).is_ok());
    // Else the compiler may leave out an allocation that nobody uses.
    std::hint::black_box(&memory);
    made
}

/// A square matrix of zeros, in pages that take physical memory when they are written to.
pub(super) fn zero_square<S: Scalar>(rows: usize) -> DMatrix<S> {
    DMatrix::from_vec(rows, rows, filled(S::zero(), rows * rows).into())
}

/// The lengths of `inverse_tiles`, `response`, `unit_force` and `unit_acceleration`.
pub(super) fn inverse_memory<S: Scalar>(model: &Model) -> [usize; 4] {
    if model.inverts_factor() {
        return [model.elimination_tree().inverse_tiles_len::<S>(), 0, 0, 0];
    }
    let nv = model.nv();
    let places = model.place_in_path.iter().max().map_or(0, |last| last + 1);
    [0, nv * nv, 6 * nv, 6 * nv * places]
}
