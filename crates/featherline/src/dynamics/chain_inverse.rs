//! The inverse of a chain's mass matrix for scalars that fill registers of their own.
//!
//! The recursion for all unit forces (Carpentier 2018), four of them at a time: what they do to the
//! link at hand are 24 numbers, which stay in registers all the way to the root and back. Each
//! column of the inverse is complete before the next ones are begun, and only its elements up to
//! the diagonal are kept.

use super::aba::eliminate_at_rest;
use crate::kinematics::hinge::place_on;
use crate::kinematics::jacobian::place_column;
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Motion, Se3};
use crate::workspace::{Matrices, Scratch};

/// Unit forces at a time.
const TILE: usize = 4;

/// Whether a model is a chain of joints with one freedom.
#[inline(always)]
pub(super) fn is_chain(model: &Model) -> bool {
    let follows = |i: usize| {
        let link = &model.links[i];
        model.coordinates.fronts[i].simple && link.parent + 1 == i && link.idx_v + 1 == i
    };
    !model.has_mimic_joints() && model.nv() >= TILE && (1..model.links.len()).all(follows)
}

/// Writes the inverse, packed without padding, to the memory for responses.
pub(super) fn invert<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    matrices: &mut Matrices<S>,
) {
    let Matrices {
        unit_force: column,
        unit_acceleration: force,
        inverse: own,
        response: packed,
        ..
    } = matrices;
    invert_chain(model, ws, q, column, force, own.as_mut_slice(), packed);
}

kernel!(
    /// `column`, `force` and `own` are room for the axes of all joints, for the forces that their
    /// accelerations take, and for the responses of joints to four forces.
    fn invert_chain<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        column: &mut [S],
        force: &mut [S],
        own: &mut [S],
        packed: &mut [S],
    ) {
        let n = model.nv();
        let columns = &mut column.as_chunks_mut::<6>().0[..n];
        let forces = &mut force.as_chunks_mut::<6>().0[..n];
        let own = own.as_chunks_mut::<TILE>().0;
        eliminate_at_rest(model, q, ws);
        let mut world = Se3::identity();
        for k in 0..n {
            let (link, front) = (&model.links[k + 1], &model.coordinates.fronts[k + 1]);
            let inverse = ws.fronts.square[front.square];
            world = place_on(&world, link, &ws.turn[k + 1], &ws.placement[k + 1]);
            let axis: Motion<S> = place_column(link, &world, &ws.subspaces.column[link.column]);
            let force = world.act_force(&ws.fronts.force[front.offset]);
            columns[k] = axis.to_array();
            forces[k] = (force * inverse).to_array();
        }
        for first in (0..n).step_by(TILE) {
            let end = if first + TILE < n { first + TILE } else { n };
            let (columns, forces) = (&columns[..end], &forces[..end]);
            let own = &mut own[..end];
            // The forces on the links above, from the last joint that feels one of them to the
            // root.
            let mut six = [[S::zero(); TILE]; 6];
            for k in (0..end).rev() {
                let mut felt = [S::zero(); TILE];
                if k >= first {
                    felt[k - first] = S::one();
                }
                for c in 0..6 {
                    for l in 0..TILE {
                        felt[l] = (-columns[k][c]).mul_add(six[c][l], felt[l]);
                    }
                }
                for c in 0..6 {
                    for l in 0..TILE {
                        six[c][l] = forces[k][c].mul_add(felt[l], six[c][l]);
                    }
                }
                own[k] = felt;
            }
            // The accelerations of the links, and back.
            let mut six = [[S::zero(); TILE]; 6];
            for k in 0..end {
                let front = &model.coordinates.fronts[k + 1];
                let inverse = ws.fronts.square[front.square];
                let mut rate = own[k];
                for l in 0..TILE {
                    rate[l] = rate[l] * inverse;
                }
                for c in 0..6 {
                    for l in 0..TILE {
                        rate[l] = (-forces[k][c]).mul_add(six[c][l], rate[l]);
                    }
                }
                for c in 0..6 {
                    for l in 0..TILE {
                        six[c][l] = columns[k][c].mul_add(rate[l], six[c][l]);
                    }
                }
                for l in 0..end - first {
                    let row = first + l;
                    if k <= row {
                        packed[row * (row + 1) / 2 + k] = rate[l];
                    }
                }
            }
        }
    }
);
