//! Forward dynamics of a robot with loops, in the coordinates of its tree.

use super::independent_rows::find_independent_rows;
use super::rows::{transmitted, write_loop_rows};
use super::{LoopError, LoopWorkspace, Result, Stabilisation, check_finite};
use crate::delassus::{REDUNDANT, factorise_delassus, find_multipliers};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::scratch;
use featherline::model::Model;
use featherline::spatial::Force;

/// Forward dynamics of a robot with loops: accelerations, loop forces and the regularity of the
/// loops.
#[derive(Clone, Copy, Debug)]
pub struct LoopDynamics<'w> {
    /// Accelerations q̈ of the tree's coordinates, nv entries.
    pub accelerations: &'w [f64],
    /// The force that each loop joint passes on to its successor, in the joint's output frame; the
    /// predecessor takes the opposite. Where constraints are redundant their forces are not unique;
    /// their effect is.
    pub loop_forces: &'w [Force<f64>],
    /// The largest entry of K q̈ − k, in m/s² and rad/s². It is zero but for rounding if
    /// accelerations exist that keep all loops closed. It is not where the loops are open or move
    /// apart, in some singular configurations, and where [`redundant`](Self::redundant) counts a
    /// constraint that is in truth independent.
    pub residual: f64,
    /// How many constraints are redundant: they restrict no motion that the others leave free. A
    /// planar four-bar linkage has three.
    ///
    /// **In a singular configuration** the count is larger than elsewhere. Where the bars of a
    /// linkage lie in one line, for instance, one constraint less is independent, and the linkage
    /// may move in one more direction. Not every velocity in that direction can be continued;
    /// [`residual`](Self::residual) shows it.
    ///
    /// **How it is decided.** Rows of K are scaled: angles are in rad, lengths are divided by the
    /// size of their loop (the distance of its farthest joint, or the largest radius of gyration of
    /// its bodies if that is more). Neither masses nor the size of a linkage then matter. K Kᵀ is
    /// factorised with pivoting. A constraint whose pivot is below 6·10⁻⁹ is redundant: it
    /// restricts less than √(6·10⁻⁹) ≈ 8·10⁻⁵ of a motion that the others leave free.
    ///
    /// **Why so large a limit.** Files give joint axes with five or six digits. Axes that are meant
    /// to be parallel are then parallel to about 10⁻⁵, and without the limit these errors would
    /// count as constraints and lock the linkage. The price: a lever shorter than 8·10⁻⁵ of its
    /// loop is ignored. The motion that it alone restricts is then free; `redundant` and
    /// `condition` do not show this, `residual` does. `featherline_sim::maximal::maximal_dynamics`
    /// keeps such constraints.
    pub redundant: usize,
    /// How close the independent constraints are to redundancy: one over the smallest pivot of
    /// K Kᵀ among them, scaled as above, and 1 at least.
    ///
    /// The pivot is a square: at a condition of 10⁶ the weakest constraint restricts 10⁻³ of a
    /// motion that the others leave free. From there on a configuration is nearly singular, and the
    /// loop forces lose as many digits as the condition has. In an exactly singular configuration
    /// the lost constraint counts as redundant, and the condition of the others may be small: look
    /// at both.
    pub condition: f64,
}

/// Forward dynamics with closed loops: the accelerations q̈ that the joint forces `tau` cause in
/// the state (`q`, `v`), and the forces that keep the loops closed.
///
/// `q` has nq entries, `v` and `tau` have nv; `forces` are
/// [external forces](featherline::dynamics#external-forces), or empty. Gravity, armature and
/// reflected rotor inertia act, passive forces do not. Mimic joints count as in the tree.
///
/// The loops of the configuration must be closed, as [`assemble`](crate::assemble) closes them, to
/// 10⁻⁶ in rad and in lengths of their loop (10⁻⁹ m for the smallest): accelerations change by
/// about this part, and rounding and one step of an integrator stay far below. Redundant
/// constraints may be open by 1.6·10⁻⁴, which joint axes rounded to five digits leave. With a
/// `stabilisation` loops may be open by any gap, which it closes: so an integrator's drift is no
/// error. A velocity that opens loops is taken as it is;
/// [`project_velocity`](crate::project_velocity) corrects it.
///
/// Cost O(n d + m n d + m² n + m³) for m constraints and depth d; allocates nothing. Sources: see
/// the page of the [crate](crate).
///
/// # Errors
/// [`LoopError::Tree`] as [`aba`](Model::aba) and [`ltdl`](Model::ltdl) have, so also where the
/// tree alone has a singular mass matrix; [`LoopError::OpenLoop`] for a configuration whose loops
/// are open; [`LoopError::DependentMotions`].
///
/// ```
/// use featherline_constraint::loop_dynamics;
/// use featherline_constraint::{LoopWorkspace, Stabilisation};
/// use featherline::samples;
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let (q, v, tau) = ([0.0; 3], [0.0; 3], [0.0; 3]);
/// let result = loop_dynamics(&model, &mut ws, &q, &v, &tau, &[], &Stabilisation::NONE)?;
/// // The linkage is planar: three of the five constraints of the hinge are redundant.
/// assert_eq!(result.redundant, 3);
/// assert!(result.residual < 1e-10);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn loop_dynamics<'w>(
    model: &Model,
    ws: &'w mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    forces: &[Force<f64>],
    stabilisation: &Stabilisation,
) -> Result<LoopDynamics<'w>> {
    let must_be_closed = *stabilisation == Stabilisation::NONE;
    solve(
        model,
        ws,
        (q, v),
        (tau, forces),
        stabilisation,
        must_be_closed,
    )
}

/// [`loop_dynamics`] of a state whose loops may be open, as it is within the step of an integrator.
///
/// # Errors
/// As [`loop_dynamics`], but for [`LoopError::OpenLoop`].
pub fn loop_dynamics_within_step<'w>(
    model: &Model,
    ws: &'w mut LoopWorkspace,
    state: (&[f64], &[f64]),
    forces: (&[f64], &[Force<f64>]),
    stabilisation: &Stabilisation,
) -> Result<LoopDynamics<'w>> {
    solve(model, ws, state, forces, stabilisation, false)
}

fn solve<'w>(
    model: &Model,
    ws: &'w mut LoopWorkspace,
    (q, v): (&[f64], &[f64]),
    (tau, forces): (&[f64], &[Force<f64>]),
    stabilisation: &Stabilisation,
    must_be_closed: bool,
) -> Result<LoopDynamics<'w>> {
    ws.check(model)?;
    let options = DynamicsOptions::default().without_passive_forces();
    model.forward_dynamics(&mut ws.tree, q, v, tau, options.with_forces(forces))?;
    ws.tangent.copy_from_slice(&scratch(&ws.tree).vector);
    let needs_gaps = must_be_closed || *stabilisation != Stabilisation::NONE;
    constrain(model, ws, Some(v), needs_gaps)?;
    respond(model, ws, q)?;
    if must_be_closed {
        ws.check_closed()?;
    }
    for closing in &ws.loops {
        let pulls = stabilisation.pulls(&closing.basis, &closing.gap, &closing.velocity);
        for (k, row) in closing.rows().enumerate() {
            ws.residual.target[row] = closing.acceleration[k] - pulls[k];
        }
    }
    let residual = correct(ws);
    check_finite("an acceleration", &ws.tangent)?;
    for (closing, force) in ws.loops.iter().zip(&mut ws.forces) {
        *force = transmitted(&closing.basis, &ws.multipliers[closing.rows()]);
    }
    Ok(ws.dynamics(residual))
}

impl LoopWorkspace {
    pub(super) fn dynamics(&self, residual: f64) -> LoopDynamics<'_> {
        LoopDynamics {
            accelerations: &self.tangent,
            loop_forces: &self.forces,
            residual,
            redundant: self.independence.redundant(),
            condition: self.independence.condition(),
        }
    }
}

/// Writes K and what belongs to it. The tree's pass over the joints has been made.
pub(super) fn constrain(
    model: &Model,
    ws: &mut LoopWorkspace,
    v: Option<&[f64]>,
    gaps: bool,
) -> Result<()> {
    let dependent = |index: usize| LoopError::dependent(&model.loop_joints()[index].name);
    write_loop_rows(
        model,
        scratch(&ws.tree),
        &mut ws.loops,
        &mut ws.jacobian,
        ws.multipliers.len(),
        &mut ws.independence.moved,
        v,
        gaps,
    )
    .map_err(dependent)
}

/// Finds the independent constraints, and writes their columns of Kᵀ.
pub(super) fn hold(model: &Model, ws: &mut LoopWorkspace) {
    if model.nv() > 0 && !ws.multipliers.is_empty() {
        let (independence, held) = (&mut ws.independence, &mut ws.response);
        find_independent_rows(&ws.loops, &ws.jacobian, independence, REDUNDANT, held);
    }
}

/// Finds the independent constraints, writes their M⁻¹ Kᵀ and factorises K M⁻¹ Kᵀ.
pub(super) fn respond(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<()> {
    if model.nv() == 0 || ws.multipliers.is_empty() {
        return Ok(());
    }
    hold(model, ws);
    let independent = ws.independence.independent();
    let response = &mut ws.response[..model.nv() * independent.len()];
    let factors = model.ltdl(&mut ws.tree, q)?;
    factors.solve_rows(response, independent.len())?;
    let (rows, delassus) = (ws.multipliers.len(), &mut ws.delassus);
    factorise_delassus(&ws.jacobian, response, rows, independent, delassus);
    Ok(())
}

/// Adds M⁻¹ Kᵀ λ to a tangent vector to make K times it the target; returns what is left.
pub(super) fn correct(ws: &mut LoopWorkspace) -> f64 {
    if ws.multipliers.is_empty() {
        return 0.0;
    }
    find_multipliers(
        &ws.jacobian,
        &ws.response,
        ws.independence.independent(),
        &ws.delassus,
        &mut ws.residual,
        &mut ws.multipliers,
        &mut ws.tangent,
    )
}
