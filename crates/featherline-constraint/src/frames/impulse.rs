//! Impacts: frames that are caught.
//!
//! ```text
//! ⎡ M  Kᵀ ⎤ ⎡  v⁺ ⎤   ⎡    M v⁻  ⎤
//! ⎣ K  0  ⎦ ⎣ −Λ  ⎦ = ⎣ −e K v⁻  ⎦
//! ```
//!
//! With x = v⁺ + e v⁻, which the rows hold at zero, and w = v⁺ − v⁻, the right-hand sides of the
//! derivatives are those of constrained dynamics at rest and without gravity, for the acceleration
//! w in the first row and x in the second.

use super::derivatives::{
    Sides, add_constraint_forces, differentiate_constraints, invert, solve_columns,
};
use super::dynamics::write_rows;
use super::workspace::ConstraintWorkspace;
use crate::loops::{LoopError, Result, check_finite};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::check_size;
use featherline::model::Model;
use featherline::spatial::Force;
use nalgebra::{DMatrix, DMatrixView};

/// The velocity after an impact, and its impulses: the result of [`impulse_dynamics`].
#[derive(Clone, Copy, Debug)]
pub struct ImpulseDynamics<'w> {
    /// v⁺, nv entries.
    pub velocities: &'w [f64],
    /// Λ, one for each row that acts, as
    /// [`multipliers`](crate::ConstrainedDynamics::multipliers): in N·s and N·m·s.
    pub multipliers: &'w [f64],
    /// The impulse on the link of each frame constraint, in its reference; zero for those that do
    /// not act.
    pub impulses: &'w [Force<f64>],
    /// The impulse of each loop joint on its successor, in its output frame.
    pub loop_impulses: &'w [Force<f64>],
    /// The largest entry of K (v⁺ + e v⁻), in m/s and rad/s.
    pub residual: f64,
    /// How many rows are redundant. Λ is then the shortest of those with the same effect.
    pub redundant: usize,
}

/// The derivatives of [`impulse_dynamics`]: the result of [`impulse_dynamics_derivatives`].
#[derive(Clone, Copy, Debug)]
pub struct ImpulseDynamicsDerivatives<'w> {
    /// The impact that is differentiated.
    pub impact: ImpulseDynamics<'w>,
    /// ∂v⁺/∂q, nv × nv, by changes of q in the tangent space.
    pub dq: &'w DMatrix<f64>,
    /// ∂v⁺/∂v⁻, nv × nv.
    pub dv: &'w DMatrix<f64>,
    /// ∂Λ/∂q, m × nv.
    pub multipliers_dq: DMatrixView<'w, f64>,
    /// ∂Λ/∂v⁻, m × nv.
    pub multipliers_dv: DMatrixView<'w, f64>,
}

/// An impact: the velocity v⁺ after the frames that act have been caught at the velocity `v`, and
/// the impulses Λ at them.
///
/// Their velocities turn into −e times what they were, with e the coefficient of `restitution`: at
/// 0 they stop, at 1 the kinetic energy stays. As in
/// [`constrained_dynamics`](crate::constrained_dynamics) they hold and do not push; gains have no
/// part. The model's loop joints take part with the same e, which does not matter where they are
/// closed and stay so.
///
/// `q` has nq entries, `v` has nv. Cost as `constrained_dynamics`; allocates nothing.
///
/// # Errors
/// [`LoopError::Restitution`]; [`LoopError::Tree`] as [`ltdl`](Model::ltdl) has;
/// [`LoopError::DependentMotions`].
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{ConstraintWorkspace, FrameConstraint, impulse_dynamics};
///
/// // The elbow, 1 m below the shoulder, is caught while it swings at 2 m/s.
/// let model = samples::double_pendulum();
/// let mut ws = ConstraintWorkspace::new(&model, &[FrameConstraint::point(&model, "elbow")?])?;
/// let found = impulse_dynamics(&model, &mut ws, &[0.0; 2], &[2.0, 0.0], 0.0)?;
/// assert!(found.velocities[0].abs() < 1e-12);
/// assert!(found.impulses[0].linear.x > 0.0);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn impulse_dynamics<'w>(
    model: &Model,
    ws: &'w mut ConstraintWorkspace,
    q: &[f64],
    v: &[f64],
    restitution: f64,
) -> Result<ImpulseDynamics<'w>> {
    let residual = solve(model, ws, q, v, restitution)?;
    ws.state_forces();
    Ok(ws.impact(residual))
}

/// The derivatives of [`impulse_dynamics`] by q and v, and its result. Arguments are the same.
///
/// Column k by q is the change for q ⊕ ε eₖ by ε, with ⊕ of [`integrate`](Model::integrate). Where
/// rows are redundant, they are as those of
/// [`constrained_dynamics_derivatives`](crate::constrained_dynamics_derivatives). Cost O(n² (d +
/// m)) for m rows and depth d; allocates nothing.
///
/// # Errors
/// As [`impulse_dynamics`], and [`Overflow`](featherline::Error::Overflow) where a derivative is
/// not finite.
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{
///     ConstraintWorkspace, FrameConstraint, impulse_dynamics_derivatives,
/// };
///
/// let model = samples::double_pendulum();
/// let mut ws = ConstraintWorkspace::new(&model, &[FrameConstraint::point(&model, "elbow")?])?;
/// let found = impulse_dynamics_derivatives(&model, &mut ws, &[0.0; 2], &[2.0, 0.0], 0.0)?;
/// // Whatever the shoulder's velocity was, it is zero.
/// assert!(found.dv[(0, 0)].abs() < 1e-12);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn impulse_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut ConstraintWorkspace,
    q: &[f64],
    v: &[f64],
    restitution: f64,
) -> Result<ImpulseDynamicsDerivatives<'w>> {
    let residual = solve(model, ws, q, v, restitution)?;
    ws.state_forces();
    let (n, rows) = (model.nv(), ws.system.rows);
    invert(model, ws, q)?;
    add_constraint_forces(ws, model, &[]);
    // ∂(M w)/∂q − ∂(Kᵀ)/∂q Λ, from inverse dynamics at rest, less gravity's part.
    let memory = &mut ws.derivatives;
    for ((w, after), before) in ws.change.iter_mut().zip(&ws.accelerations).zip(v) {
        *w = after - before;
    }
    let by_weight = &mut memory.accelerations[0];
    by_weight.copy_from(model.gravity_torque_derivative(&mut ws.tree, q)?);
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&memory.external);
    let still = &ws.still;
    let by = model.inverse_dynamics_derivatives(&mut ws.tree, q, still, &ws.change, options)?;
    memory.by_q.copy_from(by.dq);
    memory.by_q -= &*by_weight;
    // x
    for ((x, after), before) in ws.change.iter_mut().zip(&ws.accelerations).zip(v) {
        *x = restitution.mul_add(*before, *after);
    }
    model.kinematics_derivatives(&mut ws.tree, q, still, &ws.change)?;
    differentiate_constraints(model, ws, false)?;
    // By v⁻: w = −(1 + e) M⁻¹ Kᵀ G⁻¹ K v⁻.
    let memory = &mut ws.derivatives;
    let targets = &mut memory.targets[n * rows..2 * n * rows];
    for (target, k) in targets.iter_mut().zip(ws.system.jacobian()) {
        *target = -(1.0 + restitution) * k;
    }
    solve_columns(model, ws, [Sides::Whole, Sides::Rows])?;
    let [_, dv, _] = &mut ws.derivatives.accelerations;
    for k in 0..n {
        dv[(k, k)] += 1.0;
    }
    let [dq, dv, _] = &ws.derivatives.accelerations;
    let [multipliers_dq, multipliers_dv, _] = ws.derivatives.multipliers(rows);
    Ok(ImpulseDynamicsDerivatives {
        impact: ws.impact(residual),
        dq,
        dv,
        multipliers_dq,
        multipliers_dv,
    })
}

impl ConstraintWorkspace {
    fn impact(&self, residual: f64) -> ImpulseDynamics<'_> {
        let (loop_impulses, impulses) = self.forces.split_at(self.loop_joints);
        ImpulseDynamics {
            velocities: &self.accelerations,
            multipliers: &self.stated[..self.system.rows],
            impulses,
            loop_impulses,
            residual,
            redundant: self.system.redundant(),
        }
    }
}

/// Writes v⁺ and Λ in the held frames; returns the residual.
fn solve(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    q: &[f64],
    v: &[f64],
    restitution: f64,
) -> Result<f64> {
    ws.check(model)?;
    check_size("v", model.nv(), v.len())?;
    if !(0.0..=1.0).contains(&restitution) {
        return Err(LoopError::Restitution { restitution });
    }
    write_rows(model, ws, q, None, false)?;
    let rows = ws.system.rows;
    ws.system.target[..rows].fill(0.0);
    ws.system.add_velocity(v, -(1.0 + restitution));
    let factors = model.ltdl(&mut ws.tree, q)?;
    ws.system.factorise(&factors, &ws.held[..ws.acting])?;
    ws.accelerations.fill(0.0);
    let multipliers = &mut ws.multipliers[..rows];
    let residual = ws
        .system
        .solve(&factors, multipliers, &mut ws.accelerations)?;
    for (x, v) in ws.accelerations.iter_mut().zip(v) {
        *x += v;
    }
    check_finite("a velocity", &ws.accelerations)?;
    Ok(residual)
}
