//! Forward dynamics while frames are held.

use super::reference;
use super::workspace::ConstraintWorkspace;
use crate::loops::rows::write_loop_rows;
use crate::loops::{LoopError, Result, check_finite};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::{check_size, link_kinematics, scratch};
use featherline::model::Model;
use featherline::spatial::Force;

/// The motion and the forces of a robot whose frames are held: the result of
/// [`constrained_dynamics`].
#[derive(Clone, Copy, Debug)]
pub struct ConstrainedDynamics<'w> {
    /// Accelerations q̈, nv entries.
    pub accelerations: &'w [f64],
    /// λ, one for each row that acts: loop joints first, then the active constraints in their
    /// order, each in its [reference](crate::FrameConstraint::reference). In N and N·m.
    pub multipliers: &'w [f64],
    /// The force on the link of each frame constraint, active or not, in its reference: those that
    /// do not act are zero. The base takes the opposite.
    pub forces: &'w [Force<f64>],
    /// The force of each loop joint on its successor, in its output frame.
    pub loop_forces: &'w [Force<f64>],
    /// The largest entry of K q̈ − k, in m/s² and rad/s². It is rounding unless rows contradict
    /// each other.
    pub residual: f64,
    /// How many rows are redundant. λ is then the shortest of those with the same effect.
    pub redundant: usize,
}

/// Forward dynamics while frames are held: the accelerations q̈ that the joint forces `tau` cause
/// in the state (`q`, `v`), and the forces λ at the frames that act.
///
/// ```text
/// ⎡ M  Kᵀ ⎤ ⎡  q̈ ⎤   ⎡ τ − C ⎤
/// ⎣ K  0  ⎦ ⎣ −λ ⎦ = ⎣   k   ⎦
/// ```
///
/// Rows of a [`Frame`](crate::FrameConstraintKind::Frame) hold the relative spatial acceleration of
/// the held frame, those of a [`Point`](crate::FrameConstraintKind::Point) the acceleration of its
/// origin as a point: at zero, or at −kp e − kd u with gap e and velocity u for constraints that
/// are [stabilised](crate::Stabilisation::with_gains). They hold, they do not push: whether the
/// ground can give the forces is for the caller to check.
///
/// `q` has nq entries, `v` and `tau` have nv; `forces` are
/// [external forces](featherline::dynamics#external-forces), or empty. Gravity, armature and
/// reflected rotor inertia act, passive forces do not. Loop joints of the model are assumed closed:
/// [`loop_gap`](crate::loop_gap) tells.
///
/// Redundant rows are no error, as of a robot that stands on four flat feet: see
/// [`redundant`](ConstrainedDynamics::redundant). Cost O(n d² + m n d + m³) for m rows and depth d,
/// less by what branches don't share; allocates nothing. Sources: Featherstone 2008, sections 6.5
/// and 8.2; J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained
/// dynamic equations", RSS 2021, for the problem with redundant rows.
///
/// # Errors
/// [`LoopError::Tree`] as [`bias`](Model::bias) and [`ltdl`](Model::ltdl) have;
/// [`LoopError::DependentMotions`].
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{ConstraintWorkspace, FrameConstraint, constrained_dynamics};
///
/// // The lower rod's hinge is held to the world; a torque of 1 N·m at the shoulder.
/// let model = samples::double_pendulum();
/// let mut ws = ConstraintWorkspace::new(&model, &[FrameConstraint::point(&model, "elbow")?])?;
/// let rest = [0.0; 2];
/// let found = constrained_dynamics(&model, &mut ws, &rest, &rest, &[1.0, 0.0], &[])?;
/// // A force of 1 N, 1 m below, bears it. Two of the three rows hold what the shoulder holds.
/// assert!((found.forces[0].linear.norm() - 1.0).abs() < 1e-12);
/// assert_eq!(found.redundant, 2);
/// assert!(found.accelerations[0].abs() < 1e-12);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn constrained_dynamics<'w>(
    model: &Model,
    ws: &'w mut ConstraintWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    forces: &[Force<f64>],
) -> Result<ConstrainedDynamics<'w>> {
    let residual = solve(model, ws, (q, v), (tau, forces))?;
    ws.state_forces();
    Ok(ws.dynamics(residual))
}

impl ConstraintWorkspace {
    pub(super) fn dynamics(&self, residual: f64) -> ConstrainedDynamics<'_> {
        let (loop_forces, forces) = self.forces.split_at(self.loop_joints);
        ConstrainedDynamics {
            accelerations: &self.accelerations,
            multipliers: &self.stated[..self.system.rows],
            forces,
            loop_forces,
            residual,
            redundant: self.system.redundant(),
        }
    }
}

/// Writes q̈ and λ in the held frames; returns the residual.
pub(super) fn solve(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    (q, v): (&[f64], &[f64]),
    (tau, forces): (&[f64], &[Force<f64>]),
) -> Result<f64> {
    ws.check(model)?;
    check_size("tau", model.nv(), tau.len())?;
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(forces);
    let bias = model.inverse_dynamics(&mut ws.tree, q, v, &ws.still, options)?;
    for ((b, tau), bias) in ws.accelerations.iter_mut().zip(tau).zip(bias) {
        *b = tau - bias;
    }
    write_rows(model, ws, q, Some(v), ws.needs_gaps())?;
    for (held, settings) in ws.held[..ws.acting].iter().zip(&ws.settings) {
        let stabilisation = &settings.stabilisation;
        let pulls = stabilisation.pulls(&held.basis, &held.gap, &held.velocity);
        for (k, row) in held.rows().enumerate() {
            ws.system.target[row] = held.acceleration[k] - pulls[k];
        }
    }
    let rows = ws.system.rows;
    let factors = model.ltdl(&mut ws.tree, q)?;
    ws.system.factorise(&factors, &ws.held[..ws.acting])?;
    let multipliers = &mut ws.multipliers[..rows];
    let residual = ws
        .system
        .solve(&factors, multipliers, &mut ws.accelerations)?;
    check_finite("an acceleration", &ws.accelerations)?;
    Ok(residual)
}

/// Places the links, and writes Kᵀ and what belongs to it.
pub(super) fn write_rows(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    q: &[f64],
    v: Option<&[f64]>,
    gaps: bool,
) -> Result<()> {
    link_kinematics(model, &mut ws.tree, q, v.unwrap_or(&ws.still))?;
    let acting = ws.acting;
    let rows = ws.system.rows;
    let held = &mut ws.held[..acting];
    let scratch = scratch(&ws.tree);
    if rows > 0 {
        write_loop_rows(
            model,
            scratch,
            held,
            &mut ws.system.jacobian[..model.nv() * rows],
            rows,
            &mut ws.system.independence.moved,
            v,
            gaps,
        )
        .map_err(|index| LoopError::dependent(&ws.held[index].joint.name))?;
    }
    let settings = &mut ws.settings[..acting];
    reference::place(model, scratch, &ws.held[..acting], settings);
    Ok(())
}
