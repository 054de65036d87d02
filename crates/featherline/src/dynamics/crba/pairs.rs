//! The mass matrix by pairs of joints, as in the textbook: Featherstone 2008, table 6.2.

use super::storage::MassMatrix;
use super::{component, unit_momentum};
use crate::dynamics::momentum_columns::momenta_in_links;
use crate::kinematics::hinge::{out_of_link, turn_or_place};
use crate::model::link_parameters;
use crate::model::{Class, Model};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Motion, Se3};
use crate::workspace::Scratch;

/// Sums composite inertias and fills the mass matrix.
///
/// Both go from the leaves to the root: each sum waits for the one before it, and rows of links
/// that are done fill the time.
#[inline(always)]
pub(super) fn sum_and_fill<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
    model: &Model,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    parameters: &[DynamicParameters<S>],
    composite: &mut [DynamicParameters<S>],
    mass: &mut M,
) {
    let links = &model.links[..];
    let n = links.len();
    let (placement, composite) = (&placement[..n], &mut composite[..n]);
    for i in 1..n {
        composite[i] = link_parameters(parameters, i, &links[i]);
    }
    for i in (1..n).rev() {
        let own = composite[i];
        let parent = links[i].parent.min(i - 1);
        if parent != 0 {
            composite[parent] += own.transformed_by(&placement[i]);
        }
        fill_rows::<S, M, ADD>(model, i, placement, column, &own, mass);
    }
}

/// Fills the mass matrix of links whose composite inertias have been summed.
#[inline(always)]
pub(super) fn fill<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
    model: &Model,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    composite: &[DynamicParameters<S>],
    mass: &mut M,
) {
    let n = model.links.len();
    let (placement, composite) = (&placement[..n], &composite[..n]);
    for i in 1..n {
        fill_rows::<S, M, ADD>(model, i, placement, column, &composite[i], mass);
    }
}

/// Fills the rows of a link's coordinates: for each column of its motion subspace, the momentum of
/// the composite body is carried up to the root, and each joint on the way takes its component.
#[inline(always)]
fn fill_rows<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
    model: &Model,
    i: usize,
    placement: &[Se3<S>],
    column: &[Motion<S>],
    composite: &DynamicParameters<S>,
    mass: &mut M,
) {
    let links = &model.links[..];
    let n = links.len();
    let (steps, placement) = (&model.steps[..n], &placement[..n]);
    let link = &links[i];
    let own = &column[link.column_range()];
    for (c, own_column) in own.iter().enumerate() {
        let k = link.idx_v + c;
        let row = mass.row(k);
        let mut force = unit_momentum(link, composite, own_column);
        for d in 0..c {
            mass.put_in_row::<ADD>(row, k, link.idx_v + d, own[d].dot(&force));
        }
        let reflected = if link.owns_coordinates {
            S::constant(model.reflected_inertia[k])
        } else {
            S::zero()
        };
        mass.put_diagonal::<ADD>(row, k, component(link, own_column, &force) + reflected);
        let (mut step, mut below) = (steps[i], &placement[i]);
        while step.parent != 0 {
            force = below.act_force(&force);
            let j = step.parent as usize;
            (step, below) = (steps[j], &placement[j]);
            put_force::<S, M, ADD>(model, j, column, k, row, &force, mass);
        }
    }
}

/// Fills the mass matrix for lanes, without mimic joints: hinges are turns, and momenta those of
/// composite bodies in their own frames.
#[inline(always)]
pub(super) fn fill_by_turns<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    momenta: &mut [[S; 6]],
    mass: &mut M,
) {
    let column = &mut ws.subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    momenta_in_links(model, ws, None, momenta);
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
                put_force::<S, M, false>(model, j, column, k, row, &force, mass);
                below = j;
            }
        }
    }
}

/// The elements of coordinate k and those of a joint above it, which take their components of a
/// force.
#[inline(always)]
fn put_force<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
    model: &Model,
    j: usize,
    column: &[Motion<S>],
    k: usize,
    row: usize,
    force: &Force<S>,
    mass: &mut M,
) {
    let step = model.steps[j];
    let l = step.idx_v as usize;
    match step.class {
        Class::Revolute | Class::Unbounded => mass.put_any::<ADD>(row, k, l, force.angular.z),
        Class::Prismatic => mass.put_any::<ADD>(row, k, l, force.linear.z),
        Class::General if step.is_free_flyer => {
            mass.put_six::<ADD>(row, k, l, force.to_array());
        }
        Class::General => {
            for (d, other) in column[model.links[j].column_range()].iter().enumerate() {
                mass.put_any::<ADD>(row, k, l + d, other.dot(force));
            }
        }
    }
}
