//! Derivatives of constrained dynamics.
//!
//! As in [`loop_dynamics_derivatives`](crate::loop_dynamics_derivatives), both rows of the system
//! are differentiated at the solution:
//!
//! ```text
//! ⎡ M  Kᵀ ⎤ ⎡  dq̈ ⎤   ⎡ dτ − dID − J_bᵀ (Δ dq ×* F) + Δᵀ dT λ ⎤
//! ⎣ K  0  ⎦ ⎣ −dλ ⎦ = ⎣ −dTᵀ g − Tᵀ dg                         ⎦
//! ```
//!
//! with dID the derivative of inverse dynamics under the forces λ, fixed in the frames of their
//! bodies, Δ the motion of the held frame relative to its base J_b, and g what the rows hold. T is
//! constant for held frames. All columns are solved at once. In other coordinates than those of the
//! held frame, λ' = A⁻ᵀ λ changes with them, too: dλ' = A⁻ᵀ (dλ + δ ×* λ), δ being what they move
//! by.
//!
//! Source: J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained
//! dynamic equations", RSS 2021; Singh, Russell and Wensing 2022.

use super::dynamics::{ConstrainedDynamics, solve};
use super::kkt::inverse_reach;
use super::reference::{Side, force_of, turn_rows};
use super::transpose::{write_columns, write_rows};
use super::workspace::{ConstraintWorkspace, Settings};
use crate::loops::constraint_change::End;
use crate::loops::derivatives::{EndColumns, column, differentiate_loop, move_ends};
use crate::loops::rows::transmitted;
use crate::loops::workspace::Loop;
use crate::loops::{LoopError, Stabilisation};
use featherline::Error;
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::{all_finite, elimination_tree, last_ltdl};
use featherline::kinematics::ReferenceFrame;
use featherline::model::Model;
use featherline::spatial::{Force, Motion, Se3, Vec3};
use nalgebra::{DMatrix, DMatrixView};
use std::ops::Range;

/// The derivatives of [`constrained_dynamics`](crate::constrained_dynamics): the result of
/// [`constrained_dynamics_derivatives`].
///
/// Multipliers have one row for each row that acts, in their order and coordinates: see
/// [`multipliers`](ConstrainedDynamics::multipliers).
#[derive(Clone, Copy, Debug)]
pub struct ConstrainedDynamicsDerivatives<'w> {
    /// What is differentiated.
    pub dynamics: ConstrainedDynamics<'w>,
    /// ∂q̈/∂q, nv × nv, by changes of q in the tangent space.
    pub dq: &'w DMatrix<f64>,
    /// ∂q̈/∂v, nv × nv.
    pub dv: &'w DMatrix<f64>,
    /// ∂q̈/∂τ, nv × nv: symmetric, and of the rank that the constraints leave.
    pub dtau: &'w DMatrix<f64>,
    /// ∂λ/∂q, m × nv.
    pub multipliers_dq: DMatrixView<'w, f64>,
    /// ∂λ/∂v, m × nv.
    pub multipliers_dv: DMatrixView<'w, f64>,
    /// ∂λ/∂τ, m × nv.
    pub multipliers_dtau: DMatrixView<'w, f64>,
}

/// The derivatives of [`constrained_dynamics`](crate::constrained_dynamics) by q, v and τ, and its
/// result. Arguments are the same.
///
/// Column k by q is the change for q ⊕ ε eₖ by ε, with ⊕ of [`integrate`](Model::integrate).
/// External forces stay as they are in the frames of their joints; a stabilisation pulls at the
/// gaps as they change. Multipliers are those of the rows: of loop joints in the axes of their
/// forces. For the loop forces see
/// [`loop_dynamics_derivatives`](crate::loop_dynamics_derivatives).
///
/// Where rows are redundant, the derivatives of q̈ are those along the constraints, and those of λ
/// the shortest that the differentiated equations have.
///
/// Cost O(n² (d + m)) for m rows and depth d; allocates nothing.
///
/// # Errors
/// As [`constrained_dynamics`](crate::constrained_dynamics), and [`Error::Overflow`] where a
/// derivative is not finite.
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{
///     ConstraintWorkspace, FrameConstraint, constrained_dynamics_derivatives,
/// };
///
/// let model = samples::humanoid();
/// let foot = FrameConstraint::frame(&model, "left_ankle_roll")?;
/// let mut ws = ConstraintWorkspace::new(&model, &[foot])?;
/// let (q, still) = (model.neutral_configuration(), vec![0.0; model.nv()]);
/// let found = constrained_dynamics_derivatives(&model, &mut ws, &q, &still, &still, &[])?;
/// assert_eq!(found.multipliers_dtau.shape(), (6, model.nv()));
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn constrained_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut ConstraintWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    forces: &[Force<f64>],
) -> Result<ConstrainedDynamicsDerivatives<'w>, LoopError> {
    let residual = solve(model, ws, (q, v), (tau, forces))?;
    ws.state_forces();
    let n = model.nv();
    let width = 3 * n;
    add_constraint_forces(ws, model, forces);
    let ConstraintWorkspace {
        tree,
        accelerations,
        derivatives,
        ..
    } = &mut *ws;
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&derivatives.external);
    let by = model.inverse_dynamics_derivatives(tree, q, v, accelerations, options)?;
    let sides = &mut derivatives.sides[..n * width];
    write_rows(by.dq.as_slice(), n, n, -1.0, sides, width);
    write_rows(by.dv.as_slice(), n, n, -1.0, &mut sides[n..], width);
    for (k, row) in sides.chunks_exact_mut(width.max(1)).enumerate() {
        row[2 * n..].fill(0.0);
        row[2 * n + k] = 1.0;
    }
    ws.derivatives.motion.copy_from_slice(&ws.accelerations);
    differentiate_constraints(model, ws, (q, v), width, true)?;
    solve_columns(model, ws, 3)?;
    let [dq, dv, dtau] = &ws.derivatives.accelerations;
    let [multipliers_dq, multipliers_dv, multipliers_dtau] = ws.derivatives.multipliers(ws.rows());
    Ok(ConstrainedDynamicsDerivatives {
        dynamics: ws.dynamics(residual),
        dq,
        dv,
        dtau,
        multipliers_dq,
        multipliers_dv,
        multipliers_dtau,
    })
}

/// The memory of derivatives.
#[derive(Clone, Debug)]
pub(super) struct DerivativeMemory {
    /// External forces with those of the constraints, one for each joint.
    pub external: Vec<Force<f64>>,
    /// The base and the held body of each of the constraints, in motion.
    ends: Vec<[End; 2]>,
    columns: [EndColumns; 2],
    /// Right-hand sides and then solutions, by rows: up to 3 nv numbers for each coordinate.
    pub sides: Vec<f64>,
    /// The same for each row.
    pub targets: Vec<f64>,
    pub room: Vec<f64>,
    /// What λ changes by with the coordinates in which it is given: nv numbers for each row.
    turned: Vec<f64>,
    /// Accelerations, or velocities, of which the constraints are the rows.
    pub motion: Vec<f64>,
    /// dT λ of a loop joint.
    loop_forces: DMatrix<f64>,
    /// By q, v and τ.
    pub accelerations: [DMatrix<f64>; 3],
    pub multipliers: [Vec<f64>; 3],
    /// The columns in which L⁻ᵀ has entries.
    pub inverse_reach: Vec<Range<usize>>,
    /// All columns, for each coordinate.
    whole: Vec<Range<usize>>,
}

impl DerivativeMemory {
    pub(super) fn new(model: &Model, held: &[Loop], rows: usize) -> Self {
        let n = model.nv();
        let end = |body, output: &Se3<f64>| End {
            body,
            output: *output,
            velocity: Motion::zero(),
            acceleration: Motion::zero(),
        };
        let ends = held.iter().map(|held| {
            let joint = &held.joint;
            [
                end(joint.predecessor, &joint.predecessor_placement),
                end(joint.successor, &joint.successor_placement),
            ]
        });
        Self {
            external: vec![Force::zero(); model.joints().len()],
            ends: ends.collect(),
            columns: [EndColumns::new(n), EndColumns::new(n)],
            sides: vec![0.0; 3 * n * n],
            targets: vec![0.0; 3 * n * rows],
            room: vec![0.0; (3 * n * rows).max(rows * rows)],
            turned: vec![0.0; n * rows],
            motion: vec![0.0; n],
            loop_forces: DMatrix::zeros(6, n),
            accelerations: [(); 3].map(|()| DMatrix::zeros(n, n)),
            multipliers: [(); 3].map(|()| vec![0.0; n * rows]),
            inverse_reach: inverse_reach(elimination_tree(model).parents()),
            whole: vec![0..0; n],
        }
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.ends.swap(a, b);
    }

    pub(super) fn multipliers(&self, rows: usize) -> [DMatrixView<'_, f64>; 3] {
        let n = self.motion.len();
        [0, 1, 2].map(|x| DMatrixView::from_slice(&self.multipliers[x][..rows * n], rows, n))
    }
}

/// Sums the external forces and those of the constraints.
pub(super) fn add_constraint_forces(
    ws: &mut ConstraintWorkspace,
    model: &Model,
    forces: &[Force<f64>],
) {
    let memory = &mut ws.derivatives;
    memory.external.fill(Force::zero());
    // Either none, or one for each joint: that has been checked.
    for (own, force) in memory.external.iter_mut().zip(forces) {
        *own = *force;
    }
    debug_assert_eq!(memory.external.len(), model.joints().len());
    for (held, ends) in ws.held[..ws.acting].iter().zip(&mut memory.ends) {
        let [base, body] = ends;
        base.output = held.joint.predecessor_placement.compose(&held.apart);
        let force = transmitted(&held.basis, &ws.multipliers[held.rows()]);
        memory.external[body.body.index()] += body.output.act_force(&force);
        memory.external[base.body.index()] += base.output.act_force(&-force);
    }
}

/// Adds what the constraint forces do as frames move to the right-hand sides, and writes those of
/// the rows. `width` numbers belong to each coordinate and row: by q, by v, and the rest.
pub(super) fn differentiate_constraints(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    (q, v): (&[f64], &[f64]),
    width: usize,
    // Whether gains have a part.
    is_stabilised: bool,
) -> Result<(), LoopError> {
    let rows = ws.system.rows;
    if rows == 0 {
        return Ok(());
    }
    let n = model.nv();
    let DerivativeMemory {
        ends,
        columns,
        sides,
        targets,
        turned,
        motion,
        loop_forces,
        ..
    } = &mut ws.derivatives;
    let held = &ws.held[..ws.acting];
    move_ends(model, &mut ws.tree, &mut ends[..ws.acting], (q, v, motion))?;
    let moving = model.kinematics_derivatives(&mut ws.tree, q, v, motion)?;
    let targets = &mut targets[..rows * width];
    targets.fill(0.0);
    turned[..rows * n].fill(0.0);
    for ((held, settings), ends) in held.iter().zip(&ws.settings).zip(&*ends) {
        for (columns, end) in columns.iter_mut().zip(ends) {
            columns.read(&moving, end)?;
        }
        let own = &ws.multipliers[held.rows()];
        differentiate_loop(
            held,
            ends,
            own,
            if is_stabilised {
                &settings.stabilisation
            } else {
                &Stabilisation::NONE
            },
            columns,
            width,
            sides,
            (1, width),
            targets,
            loop_forces,
            0,
        )
        .ok_or_else(|| LoopError::DependentMotions {
            joint: held.joint.name.clone(),
        })?;
        turn_with(held, settings, &columns[1], own, turned);
    }
    Ok(())
}

/// δ ×* λ, for coordinates that are not those of the held frame.
fn turn_with(
    held: &Loop,
    settings: &Settings,
    columns: &EndColumns,
    multipliers: &[f64],
    turned: &mut [f64],
) {
    let n = columns.jacobian.ncols();
    let force = force_of(multipliers);
    for k in 0..n {
        let j = column(&columns.jacobian, k);
        let delta = match settings.reference {
            ReferenceFrame::Local => return,
            ReferenceFrame::LocalWorldAligned => Motion::new(Vec3::zero(), j.angular),
            ReferenceFrame::World => j,
        };
        let change = delta.cross_force(&force).to_array();
        for (r, entry) in held.rows().zip(change) {
            turned[r * n + k] = entry;
        }
    }
}

/// Solves for all columns, and writes the derivatives: `count` matrices of nv columns.
pub(super) fn solve_columns(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    count: usize,
) -> Result<(), LoopError> {
    let (n, rows) = (model.nv(), ws.system.rows);
    let width = count * n;
    let DerivativeMemory {
        sides,
        targets,
        room,
        turned,
        whole,
        accelerations,
        multipliers,
        ..
    } = &mut ws.derivatives;
    let (sides, targets) = (&mut sides[..n * width], &mut targets[..rows * width]);
    ws.system.find_inverse();
    whole.fill(0..width);
    // Derivatives leave the factor of the solution as it was.
    let factors = last_ltdl(model, &mut ws.tree)?;
    ws.system
        .solve_columns(&factors, sides, targets, room, width, whole)?;
    for (own, turned) in targets
        .chunks_exact_mut(width.max(1))
        .zip(turned.chunks_exact(n.max(1)))
    {
        for (x, y) in own.iter_mut().zip(turned) {
            *x += y;
        }
    }
    let (held, settings) = (&ws.held[..ws.acting], &ws.settings[..ws.acting]);
    turn_rows(held, settings, Side::Force, targets, width, (width, 1));
    for x in 0..count {
        let out = accelerations[x].as_mut_slice();
        write_columns(&sides[x * n..], width, n, n, 1.0, out);
        let rest = &mut multipliers[x][..rows * n];
        if rows > 0 {
            write_columns(&targets[x * n..], width, rows, n, 1.0, rest);
        }
        if !all_finite(out) || !all_finite(rest) {
            let what = "a derivative";
            return Err(Error::Overflow { what }.into());
        }
    }
    Ok(())
}
