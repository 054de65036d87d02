//! The mass matrix by pairs of joints for lanes: hinges are turns, and a momentum that a hinge
//! hands on takes a turn in place of a rotation matrix.

use super::storage::MassMatrix;
use super::textbook::put_components;
use crate::dynamics::momentum_columns::momenta_in_links;
use crate::kinematics::hinge::{out_of_link, turn_or_place};
use crate::kinematics::joint_pass::component;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::spatial::Force;
use crate::workspace::Scratch;

/// Fills the mass matrix without mimic joints; `momenta` has six numbers of each coordinate.
#[inline(always)]
pub(super) fn fill<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    momenta: &mut [S],
    mass: &mut M,
) {
    let momenta = momenta.as_chunks_mut::<6>().0;
    let column = &mut ws.subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    momenta_in_links(model, ws, None, momenta);
    fill_rows(model, ws, momenta, mass);
}

/// Fills the mass matrix from `momenta`, each in its link's frame, of links that have been placed.
#[inline(always)]
pub(super) fn fill_rows<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &Scratch<S>,
    momenta: &[[S; 6]],
    mass: &mut M,
) {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let column = &ws.subspaces.column[..];
    for i in 1..n {
        let link = &links[i];
        let own = &column[link.column_range()];
        for (c, own_column) in own.iter().enumerate() {
            let k = link.idx_v + c;
            let row = mass.row(k);
            let mut force = Force::from_array(momenta[k]);
            for d in 0..c {
                mass.put_in_row::<false>(row, k, link.idx_v + d, own[d].dot(&force));
            }
            let reflected = S::constant(model.reflected_inertia[k]);
            let diagonal = component(link, own_column, &force) + reflected;
            mass.put_diagonal::<false>(row, k, diagonal);
            let mut below = i;
            while links[below].parent != 0 {
                let j = links[below].parent.min(n - 1);
                force = out_of_link(&links[below], &turn[below], &placement[below], &force);
                put_components::<S, M, false>(model, j, column, k, row, &force, mass);
                below = j;
            }
        }
    }
}
