//! The mass matrix by pairs of joints, as in the textbook: Featherstone 2008, table 6.2.

use super::storage::MassMatrix;
use super::{component, unit_momentum};
use crate::model::{Class, Model};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Motion, Se3};
use crate::workspace::link_parameters;

/// Sums composite inertias and fills the mass matrix.
///
/// Both go from the leaves to the root: each sum waits for the one before it, and rows of links that are done fill the time.
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

/// Fills the rows of a link's coordinates: for each column of its motion subspace, the momentum of the composite body is carried
/// up to the root, and each joint on the way takes its component.
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
    let placement = &placement[..links.len()];
    let link = &links[i];
    let own = &column[link.column_range()];
    for (c, own_column) in own.iter().enumerate() {
        let k = link.idx_v + c;
        let mut force = unit_momentum(link, composite, own_column);
        for d in 0..c {
            mass.put::<ADD>(k, link.idx_v + d, own[d].dot(&force));
        }
        let reflected = if link.owns_coordinates {
            S::constant(model.reflected_inertia[k])
        } else {
            S::zero()
        };
        mass.put_diagonal::<ADD>(k, component(link, own_column, &force) + reflected);
        let mut below = i;
        let mut j = link.parent;
        while j != 0 {
            force = placement[below].act_force(&force);
            let above = &links[j];
            let l = above.idx_v;
            match above.class {
                Class::Revolute | Class::Unbounded => mass.put_any::<ADD>(k, l, force.angular.z),
                Class::Prismatic => mass.put_any::<ADD>(k, l, force.linear.z),
                Class::General if above.is_free_flyer => {
                    mass.put_six::<ADD>(k, l, force.to_array());
                }
                Class::General => {
                    for (d, other) in column[above.column_range()].iter().enumerate() {
                        mass.put_any::<ADD>(k, l + d, other.dot(&force));
                    }
                }
            }
            below = j;
            j = above.parent;
        }
    }
}
