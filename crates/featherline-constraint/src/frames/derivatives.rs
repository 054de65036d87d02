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
//! constant for held frames. The inverse of the matrix solves all columns. In other coordinates
//! than those of the held frame, λ' = A⁻ᵀ λ changes with them, too: dλ' = A⁻ᵀ (dλ + δ ×* λ), δ
//! being what they move by.
//!
//! Source: J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained
//! dynamic equations", RSS 2021; Singh, Russell and Wensing 2022.

use super::dynamics::{ConstrainedDynamics, solve};
use super::inverse::{KktInverse, Limb, RightHandSides, limbs, solve_by_inverse};
use super::reference::{Side, force_of, state_rows};
use super::workspace::{ConstraintWorkspace, Settings};
use crate::loops::constraint_change::End;
use crate::loops::derivatives::differentiate_loop;
use crate::loops::end_columns::{EndColumns, read_ends, still_ends};
use crate::loops::rows::transmitted;
use crate::loops::workspace::Loop;
use crate::loops::{LoopError, Result, Stabilisation, check_finite};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::{
    derivative_memory, elimination_tree, inverse_after_ltdl, last_ltdl, scratch,
};
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Motion, Vec3};
use nalgebra::{DMatrix, DMatrixView};
use std::ops::Range;

/// The derivatives of [`constrained_dynamics`](crate::constrained_dynamics): the result of
/// [`constrained_dynamics_derivatives`].
///
/// Multipliers have one row for each row that acts, in their order and coordinates: see
/// [`multipliers`](ConstrainedDynamics::multipliers).
#[derive(Clone, Copy, Debug)]
pub struct ConstrainedDynamicsDerivatives<'w> {
    /// The dynamics that are differentiated.
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
/// As [`constrained_dynamics`](crate::constrained_dynamics), and
/// [`Overflow`](featherline::Error::Overflow) where a derivative is not finite.
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
) -> Result<ConstrainedDynamicsDerivatives<'w>> {
    let residual = solve(model, ws, (q, v), (tau, forces))?;
    ws.state_forces();
    invert(model, ws, q)?;
    add_constraint_forces(ws, model, forces);
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&ws.derivatives.external);
    let a = &ws.accelerations;
    let by = model.inverse_dynamics_derivatives(&mut ws.tree, q, v, a, options)?;
    if ws.derivatives.is_coupled {
        ws.derivatives.by_q.copy_from(by.dq);
    }
    differentiate_constraints(model, ws, true)?;
    let by_q = if ws.derivatives.is_coupled {
        Sides::Whole
    } else {
        Sides::Motion
    };
    solve_columns(model, ws, [by_q, Sides::Velocity])?;
    write_force_columns(ws)?;
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
    /// Whether constraint forces that move with another body couple coordinates of two branches.
    pub is_coupled: bool,
    /// The right-hand sides −b by q, if they are not those of inverse dynamics.
    pub by_q: DMatrix<f64>,
    /// k by q and by v: as many numbers as there are rows for each coordinate.
    pub targets: Vec<f64>,
    /// As many numbers as rows, squared.
    pub room: Vec<f64>,
    /// The change of λ with the coordinates in which it is given: as many numbers by q.
    reference_change: Vec<f64>,
    pub inverse: KktInverse,
    /// dT λ of a loop joint.
    loop_forces: DMatrix<f64>,
    /// By q, v and τ.
    pub accelerations: [DMatrix<f64>; 3],
    pub multipliers: [Vec<f64>; 3],
    /// Coordinates by what of inverse dynamics they have a part in, and all coordinates as one.
    limbs: Vec<Limb>,
    whole: Limb,
}

impl DerivativeMemory {
    pub(super) fn new(model: &Model, held: &[Loop], rows: usize) -> Self {
        let n = model.nv();
        Self {
            external: vec![Force::zero(); model.joints().len()],
            ends: held.iter().map(|held| still_ends(&held.joint)).collect(),
            columns: [EndColumns::new(n), EndColumns::new(n)],
            is_coupled: false,
            by_q: DMatrix::zeros(n, n),
            targets: vec![0.0; 2 * n * rows],
            room: vec![0.0; rows * rows],
            reference_change: vec![0.0; n * rows],
            inverse: KktInverse::new(n, rows),
            loop_forces: DMatrix::zeros(6, n),
            accelerations: [(); 3].map(|()| DMatrix::zeros(n, n)),
            multipliers: [(); 3].map(|()| vec![0.0; n * rows]),
            limbs: limbs(elimination_tree(model).parents()),
            whole: Limb {
                columns: 0..n,
                related: std::iter::once(0..n).collect(),
            },
        }
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        self.ends.swap(a, b);
    }

    pub(super) fn multipliers(&self, rows: usize) -> [DMatrixView<'_, f64>; 3] {
        let n = self.by_q.nrows();
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
    memory.is_coupled = false;
    for (held, ends) in ws.held[..ws.acting].iter().zip(&mut memory.ends) {
        let [base, body] = ends;
        base.output = held.joint.predecessor_placement.compose(&held.apart);
        memory.is_coupled |=
            base.body != JointId::UNIVERSE || !held.joint.kind.has_constant_subspace();
        let force = transmitted(&held.basis, &ws.multipliers[held.rows()]);
        memory.external[body.body.index()] += body.output.act_force(&force);
        memory.external[base.body.index()] += base.output.act_force(&-force);
    }
}

/// The inverse of the KKT matrix of the last solution.
pub(super) fn invert(model: &Model, ws: &mut ConstraintWorkspace, q: &[f64]) -> Result<()> {
    ws.system.find_inverse();
    let inverse = &mut ws.derivatives.inverse;
    inverse.respond(&ws.system, &last_ltdl(model, &mut ws.tree)?)?;
    let mass_inverse = inverse_after_ltdl(model, &mut ws.tree, q)?;
    inverse.complete(&ws.system, mass_inverse.as_slice(), model.nv());
    Ok(())
}

/// Adds what the constraint forces do as frames move to the right-hand sides, and writes those of
/// the rows, from the motion of the last derivatives of inverse dynamics or of kinematics.
pub(super) fn differentiate_constraints(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    // Whether gains have a part.
    is_stabilised: bool,
) -> Result<()> {
    let (n, rows) = (model.nv(), ws.system.rows);
    let DerivativeMemory {
        ends,
        columns,
        by_q,
        targets,
        reference_change,
        loop_forces,
        ..
    } = &mut ws.derivatives;
    let held = &ws.held[..ws.acting];
    let targets = &mut targets[..2 * n * rows];
    targets.fill(0.0);
    reference_change[..n * rows].fill(0.0);
    let (moving, links) = (derivative_memory(&ws.tree)?, scratch(&ws.tree));
    for ((held, settings), ends) in held.iter().zip(&ws.settings).zip(ends) {
        read_ends(model, links, &moving.columns, held, ends, columns);
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
            by_q.as_mut_slice(),
            (1, n),
            -1.0,
            rows,
            targets,
            loop_forces,
            0,
        )
        .ok_or_else(|| LoopError::dependent(&held.joint.name))?;
        differentiate_reference(held, settings, &columns[1], own, rows, reference_change);
    }
    Ok(())
}

/// δ ×* λ, for coordinates that are not those of the held frame.
fn differentiate_reference(
    held: &Loop,
    settings: &Settings,
    columns: &EndColumns,
    multipliers: &[f64],
    rows: usize,
    reference_change: &mut [f64],
) {
    let force = force_of(multipliers);
    for (k, j) in columns.jacobian() {
        let delta = match settings.reference {
            ReferenceFrame::Local => return,
            ReferenceFrame::LocalWorldAligned => Motion::new(Vec3::zero(), j.angular),
            ReferenceFrame::World => *j,
        };
        let change = delta.cross_force(&force).to_array();
        for (r, entry) in held.rows().zip(change) {
            reference_change[k * rows + r] = entry;
        }
    }
}

/// Which right-hand sides are solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sides {
    /// By q, of inverse dynamics.
    Motion,
    /// By v, of inverse dynamics.
    Velocity,
    /// By q, of forces in `by_q`.
    Whole,
    /// By v, without forces.
    Rows,
}

/// Solves for all columns by q and by v, and writes the derivatives.
pub(super) fn solve_columns(
    model: &Model,
    ws: &mut ConstraintWorkspace,
    sides: [Sides; 2],
) -> Result<()> {
    let (n, rows) = (model.nv(), ws.system.rows);
    let DerivativeMemory {
        by_q,
        targets,
        reference_change,
        inverse,
        is_coupled,
        limbs,
        whole,
        accelerations,
        multipliers,
        ..
    } = &mut ws.derivatives;
    let moving = derivative_memory(&ws.tree)?;
    for (x, own) in sides.into_iter().enumerate() {
        let minus_forces = match own {
            Sides::Motion => Some(&moving.force_dq),
            Sides::Whole => Some(&*by_q),
            Sides::Velocity => Some(&moving.force_dv),
            Sides::Rows => None,
        };
        let limbs = match own {
            Sides::Whole if *is_coupled => std::slice::from_ref(&*whole),
            Sides::Motion | Sides::Velocity | Sides::Whole | Sides::Rows => &limbs[..],
        };
        let own = RightHandSides {
            minus_forces: minus_forces.map(DMatrix::as_slice),
            targets: &targets[x * n * rows..(x + 1) * n * rows],
            limbs,
            reach: &ws.system.paths,
            rows,
        };
        let out = &mut multipliers[x][..n * rows];
        let accelerations = accelerations[x].as_mut_slice();
        solve_by_inverse(inverse, &own, accelerations, out);
    }
    for (entry, change) in multipliers[0].iter_mut().zip(&reference_change[..n * rows]) {
        *entry += change;
    }
    state_columns(ws, 0..2)
}

/// Writes the derivatives by τ: columns of the inverse.
fn write_force_columns(ws: &mut ConstraintWorkspace) -> Result<()> {
    let rows = ws.system.rows;
    let memory = &mut ws.derivatives;
    let (out, rest) = (&mut memory.accelerations[2], &mut memory.multipliers[2]);
    let n = out.nrows();
    for (k, own) in out.as_mut_slice().chunks_exact_mut(n.max(1)).enumerate() {
        let column = memory.inverse.column(k);
        own.copy_from_slice(&column[..n]);
        rest[k * rows..(k + 1) * rows].copy_from_slice(&column[n..n + rows]);
    }
    state_columns(ws, 2..3)
}

/// Gives the derivatives of λ in the references, and fails unless all are finite.
fn state_columns(ws: &mut ConstraintWorkspace, by: Range<usize>) -> Result<()> {
    let rows = ws.system.rows;
    let (held, settings) = (&ws.held[..ws.acting], &ws.settings[..ws.acting]);
    for x in by {
        let accelerations = &ws.derivatives.accelerations[x];
        let n = accelerations.nrows();
        let multipliers = &mut ws.derivatives.multipliers[x][..n * rows];
        state_rows(held, settings, Side::Force, multipliers, n, (1, rows));
        check_finite("a derivative", accelerations.as_slice())?;
        check_finite("a derivative", multipliers)?;
    }
    Ok(())
}
