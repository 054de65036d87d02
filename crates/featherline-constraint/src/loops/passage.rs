//! Detects that a motion passed through a singularity of its loops between two configurations.
//!
//! Where a robot goes straight on through a singular configuration, a combination of constraints
//! holds less and less of a motion, nothing, and then the same motion with the opposite sign. The
//! determinant of K K'ᵀ, of the independent constraints, with K here and K' before, is then
//! negative, and positive between neighbours on a regular way: it shows a passage that no
//! configuration on either side does (a test function for simple branch points, E. L. Allgower and
//! K. Georg, *Introduction to Numerical Continuation Methods*, 2003, section 8.1).

use super::LoopWorkspace;
use featherline::kernel::row::add_scaled;
use nalgebra::Matrix6;

/// The constraints of loops in a regular configuration.
#[derive(Clone, Debug)]
pub struct PassageTest {
    /// Kᵀ by rows, one for each coordinate.
    jacobian: Box<[f64]>,
    /// The bases of the forces of loop joints.
    bases: Box<[Matrix6<f64>]>,
    /// One of the rows, of independent constraints now.
    row: Box<[f64]>,
    is_known: bool,
}

impl PassageTest {
    /// Of no configuration yet. The workspace knows the generic redundancy.
    pub fn new(ws: &LoopWorkspace) -> Self {
        Self {
            jacobian: vec![0.0; ws.jacobian.len()].into(),
            bases: vec![Matrix6::zeros(); ws.loops.len()].into(),
            row: vec![0.0; Self::count(ws)].into(),
            is_known: false,
        }
    }

    /// How many constraints hold in a regular configuration.
    pub fn count(ws: &LoopWorkspace) -> usize {
        ws.multipliers.len().saturating_sub(ws.generic_redundancy)
    }

    /// Takes the constraints of the last call of [`regularity`](crate::kernel::regularity) in place
    /// of its own, and writes K K'ᵀ of new and old ones to a square matrix of
    /// [`count`](Self::count) rows. Whether there is one: not from the first configuration on, nor
    /// to a singular one, which is not taken.
    pub fn compare(&mut self, ws: &LoopWorkspace, product: &mut [f64]) -> bool {
        let independent = ws.independence.independent();
        if independent.is_empty() || independent.len() != self.row.len() {
            return false;
        }
        let constraints = ws.multipliers.len();
        let was_known = std::mem::replace(&mut self.is_known, true);
        if was_known {
            self.see_in_present_bases(ws);
            product.fill(0.0);
            let columns = ws.response.chunks_exact(independent.len());
            for (old, column) in self.jacobian.chunks_exact(constraints).zip(columns) {
                for (entry, &k) in self.row.iter_mut().zip(independent) {
                    *entry = old[k];
                }
                let rows = product.chunks_exact_mut(independent.len());
                for (row, entry_now) in rows.zip(column) {
                    // Most joints move few loops.
                    if *entry_now != 0.0 {
                        add_scaled(row, *entry_now, &self.row);
                    }
                }
            }
        }
        self.jacobian.copy_from_slice(&ws.jacobian);
        for (basis, closing) in self.bases.iter_mut().zip(&ws.loops) {
            *basis = closing.basis.columns;
        }
        was_known
    }

    /// Writes old constraints of joints whose bases change as combinations along the present ones.
    fn see_in_present_bases(&mut self, ws: &LoopWorkspace) {
        let constraints = ws.multipliers.len();
        for (basis, closing) in self.bases.iter().zip(&ws.loops) {
            if closing.joint.kind.has_constant_subspace() {
                continue;
            }
            let turned = closing.basis.columns.tr_mul(basis);
            let own = closing.rows();
            for row in self.jacobian.chunks_exact_mut(constraints) {
                let mut seen = [0.0; 6];
                for (a, seen) in seen.iter_mut().enumerate().take(own.len()) {
                    for (b, old) in row[own.clone()].iter().enumerate() {
                        *seen += turned[(a, b)] * old;
                    }
                }
                row[own.clone()].copy_from_slice(&seen[..own.len()]);
            }
        }
    }
}
