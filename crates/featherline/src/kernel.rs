//! The machinery behind the algorithms, for crates that add algorithms of their own.
//!
//! Everything here may change in any release: it stands outside semantic versioning.

pub use crate::configuration::sampling::unit_entries;
pub use crate::configuration::tangent::{displacement_rate, displacement_velocity};
pub use crate::dynamics::crba::crba_packed;
pub use crate::dynamics::ltdl::last_ltdl;
pub use crate::dynamics::mass_matrix_inverse::inverse_after_ltdl;
pub use crate::dynamics::passive::spring_forces;
pub use crate::dynamics::singular::ArticulatedElimination;
pub use crate::error::check_size;
pub use crate::joint::composite::SimpleJoints;
pub use crate::joint::configuration::Group;
pub use crate::joint::constraint_basis::ConstraintBasis;
pub use crate::joint::follow::{MOST_ENTRIES, follow, follow_closed};
pub use crate::kinematics::joint_pass::{joint_motion, mimic_displacement, place_links};
pub use crate::kinematics::links::{
    LinkKinematics, frame_in_link, link_frame, link_kinematics, link_parameters, link_placement,
};
pub use crate::model::coordinates::{Coordinates, Front};
pub use crate::model::hinge::{Hinge, Order};
pub use crate::model::link::{Class, Link, Step};
pub use crate::model::regions::{Region, Regions};
pub use crate::overflow_source::overflow_source;
pub use crate::scalar::dispatch::{Kernel, dispatch};
pub use crate::scalar::finite::all_finite;
pub use crate::scalar::form::{
    Form, InForm, InPlaceOf, Plain, SeenAs, WithoutFusion, seen_as, seen_back, seen_mut_as,
};
pub use crate::scalar::symmetric::{Columns, Symmetric, Triangle};
pub use crate::scalar::triple::{Padded, Triple, TripleComponents};
pub use crate::scalar::unfused::Unfused;
pub use crate::spatial::axial_rotation::AxialRotation;
pub use crate::spatial::hinged_inertia::HingedInertia;
pub use crate::spatial::inertia_bound::InertiaBound;
pub use crate::workspace::pivot_rounding::PivotRounding;
pub use crate::workspace::{DerivativeMemory, Fronts, MotionColumn, Scratch, Subspaces, filled};

use crate::Error;
use crate::model::{EliminationTree, JointId, Model};
use crate::scalar::Scalar;
use crate::spatial::Force;
use crate::workspace::Workspace;

/// Evaluation, integration, subspace rates and variation of joints of any kind, as kernels of their
/// own.
pub mod joint {
    pub use crate::joint::dispatched::{evaluate, integrate, subspace_rates, variation};
}

/// Rows of numbers: a vector times a number, and its sum with another one.
pub mod row {
    pub use crate::scalar::row::{add_rows, add_scaled, scale};
}

/// Steps of the articulated-body recursion.
pub mod articulated {
    pub use crate::dynamics::articulated::{
        accelerate, begin, cross_bias, cross_inertia, eliminate_base, empty_fronts, solve_base,
        transmitted,
    };
}

/// The links of a model, in link frames; the universe first.
#[inline(always)]
pub fn links(model: &Model) -> &[Link] {
    &model.links
}

/// The coordinates of a model, and the order of their elimination.
#[inline(always)]
pub fn coordinates(model: &Model) -> &Coordinates {
    &model.coordinates
}

/// Which elements of the mass matrix can differ from zero, and the order of their elimination.
#[inline(always)]
pub fn elimination_tree(model: &Model) -> &EliminationTree {
    model.elimination_tree()
}

/// Armature plus reflected rotor inertia of each degree of freedom, mimic joints included.
pub fn reflected_inertias(model: &Model) -> &[f64] {
    model.reflected_inertias()
}

/// The number of joints on the longest path from the root.
pub fn depth(model: &Model) -> usize {
    model.depth()
}

/// The joint of the base, if nothing but forces can act on the robot from outside.
pub fn free_base(model: &Model) -> Option<JointId> {
    model.free_base()
}

/// The scratch memory of a workspace.
#[inline(always)]
pub fn scratch<S: Scalar>(ws: &Workspace<S>) -> &Scratch<S> {
    &ws.scratch
}

/// The scratch memory of a workspace, to be written to.
#[inline(always)]
pub fn scratch_mut<S: Scalar>(ws: &mut Workspace<S>) -> &mut Scratch<S> {
    &mut ws.scratch
}

/// The results and intermediate quantities that the last derivatives of inverse dynamics or of
/// kinematics left in a workspace.
///
/// # Errors
/// [`Error::NoMatrices`].
#[inline(always)]
pub fn derivative_memory<S: Scalar>(ws: &Workspace<S>) -> Result<&DerivativeMemory<S>, Error> {
    let matrices = ws.matrices.as_ref().ok_or(Error::NoMatrices)?;
    Ok(&matrices.derivatives)
}

/// Fails unless a workspace fits a model.
#[inline(always)]
pub fn check_workspace<S: Scalar>(ws: &Workspace<S>, model: &Model) -> Result<(), Error> {
    ws.check(model)
}

/// Fails if a pivot of the last articulated-body elimination is zero within rounding.
#[inline(always)]
pub fn check_pivots<S: Scalar>(
    model: &Model,
    ws: &mut Workspace<S>,
    elimination: ArticulatedElimination<'_>,
) -> Result<(), Error> {
    model.check_pivots(ws, elimination)
}

/// The diagonal of the inverse of the mass matrix, nv entries: the acceleration of each coordinate
/// by a unit of its own force. Memory and cost O(n) without mimic joints; allocates.
///
/// # Errors
/// As [`Model::mass_matrix_inverse`].
pub fn mass_matrix_inverse_diagonal(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
) -> Result<Vec<f64>, Error> {
    model.mass_matrix_inverse_diagonal(ws, q)
}

/// The force on body i, given in its joint's frame, in its link frame.
#[inline(always)]
pub fn force_in_link<S: Scalar>(model: &Model, i: usize, force: &Force<S>) -> Force<S> {
    model.links[i].force_in_link(force)
}

/// Compiles the largest kernels for f64 in this crate; nobody need call it.
///
/// Crates built for size use what the crates below them have compiled. Without this, two crates
/// side by side have a copy each, and a WebAssembly module has both.
///
/// # Errors
/// As those of [`Model::ltdl`].
#[cfg(target_family = "wasm")]
pub fn compile_for_f64(model: &Model, ws: &mut Workspace<f64>, q: &[f64]) -> Result<f64, Error> {
    let trace = model.crba(ws, q)?.trace();
    model.forward_kinematics(ws, q)?;
    model.aba(ws, q, q, q)?;
    model.mass_matrix_inverse(ws, q)?;
    model.ltdl(ws, q)?;
    Ok(trace)
}
