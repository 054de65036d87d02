//! The composite-rigid-body algorithm as the textbook has it: Featherstone 2008, table 6.2.
//!
//! ```text
//! from the leaves to the root:
//!     Iᶜ_λ += λXᵢ* Iᶜᵢ ᵢXλ
//!     F = Iᶜᵢ Sᵢ,  Hᵢᵢ = Sᵢᵀ F
//!     for each joint j above i:
//!         F = λXⱼ* F,  Hᵢⱼ = Fᵀ Sⱼ = Hⱼᵢᵀ
//! ```

use super::storage::MassMatrix;
use crate::kinematics::joint_pass::component;
use crate::model::{Class, Link, Model, link_parameters};
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Motion, Se3, Vec3};
use crate::workspace::Scratch;

/// Sums composite inertias and fills the mass matrix, of links that have been placed.
#[inline(always)]
pub(super) fn sum_and_fill<S: Scalar, M: MassMatrix<S>>(
    model: &Model,
    ws: &mut Scratch<S>,
    mass: &mut M,
) {
    if model.has_mimic_joints() {
        // Mimic joints share coordinates, so that several pairs of joints add up in one element.
        mass.clear();
        table_6_2::<S, M, true>(model, ws, mass);
    } else {
        table_6_2::<S, M, false>(model, ws, mass);
    }
}

/// Sums and rows go to the root together: rows of finished links fill the time of waiting sums.
#[inline(always)]
fn table_6_2<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
    model: &Model,
    ws: &mut Scratch<S>,
    mass: &mut M,
) {
    let links = &model.links[..];
    let n = links.len();
    let (placement, composite) = (&ws.placement[..n], &mut ws.composite[..n]);
    let column = &ws.subspaces.column;
    for i in 1..n {
        composite[i] = link_parameters(&ws.parameters, i, &links[i]);
    }
    for i in (1..n).rev() {
        // I^c_λ += λX_i* I^c_i iX_λ
        let own = composite[i];
        let parent = links[i].parent.min(i - 1);
        if parent != 0 {
            composite[parent] += own.transformed_by(&placement[i]);
        }
        fill_rows::<S, M, ADD>(model, i, placement, column, &own, mass);
    }
}

/// Fills the mass matrix, after links are placed and composite inertias summed.
#[inline(always)]
pub(super) fn fill<S: Scalar, M: MassMatrix<S>>(model: &Model, ws: &Scratch<S>, mass: &mut M) {
    let n = model.links.len();
    let (placement, composite) = (&ws.placement[..n], &ws.composite[..n]);
    let column = &ws.subspaces.column;
    if model.has_mimic_joints() {
        mass.clear();
        for i in 1..n {
            fill_rows::<S, M, true>(model, i, placement, column, &composite[i], mass);
        }
    } else {
        for i in 1..n {
            fill_rows::<S, M, false>(model, i, placement, column, &composite[i], mass);
        }
    }
}

/// Adds to the rows of a link's coordinates, or else sets them.
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
        // F = I^c_i S_i
        let mut force = unit_momentum(link, composite, own_column);
        // H_ii = S_iᵀ F
        for d in 0..c {
            mass.put_in_row::<ADD>(row, k, link.idx_v + d, own[d].dot(&force));
        }
        let reflected = if link.owns_coordinates {
            S::constant(model.reflected_inertia[k])
        } else {
            S::zero()
        };
        mass.put_diagonal::<ADD>(row, k, component(link, own_column, &force) + reflected);
        // F = λX_j* F, H_ij = Fᵀ S_j
        let (mut step, mut below) = (steps[i], &placement[i]);
        while step.parent != 0 {
            force = below.act_force(&force);
            let j = step.parent as usize;
            (step, below) = (steps[j], &placement[j]);
            put_components::<S, M, ADD>(model, j, column, k, row, &force, mass);
        }
    }
}

/// The elements of coordinate k and a joint above it, which take components of a force.
#[inline(always)]
pub(super) fn put_components<S: Scalar, M: MassMatrix<S>, const ADD: bool>(
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

/// Sums the inertias of each subtree in the link frame of its root.
#[inline(always)]
pub(crate) fn composite_inertias<S: Scalar>(
    model: &Model,
    placement: &[Se3<S>],
    parameters: &[DynamicParameters<S>],
    composite: &mut [DynamicParameters<S>],
) {
    let links = &model.links[..];
    let n = links.len();
    let (placement, composite) = (&placement[..n], &mut composite[..n]);
    for i in 1..n {
        composite[i] = link_parameters(parameters, i, &links[i]);
    }
    for i in (1..n).rev() {
        let parent = links[i].parent.min(i - 1);
        if parent != 0 {
            let carried = composite[i].transformed_by(&placement[i]);
            composite[parent] += carried;
        }
    }
}

/// The momentum of a composite body for a unit rate of one coordinate.
#[inline(always)]
pub(crate) fn unit_momentum<S: Scalar>(
    link: &Link,
    composite: &DynamicParameters<S>,
    column: &Motion<S>,
) -> Force<S> {
    let (h, j) = (composite.first_moment, &composite.second_moment);
    match link.class {
        Class::Revolute | Class::Unbounded => Force::new(-h.cross_along_z(S::one()), j.z()),
        Class::Prismatic => Force::new(
            Vec3::new(S::zero(), S::zero(), composite.mass),
            Vec3::new(h.y, -h.x, S::zero()),
        ),
        Class::General => composite.mul_motion(column),
    }
}
