//! Derivatives of forward dynamics with closed loops.
//!
//! With F = T λ the force of a loop joint in its output frame, and Δ = J_s − J_p how its successor
//! moves relative to its predecessor, seen from there, the accelerations solve
//!
//! ```text
//! ID(q, v, q̈) − Σ Δᵀ F = τ,    Tᵀ g = 0,    g = a − v_s × w − Ṡ ρ + 2α u + β² e,
//! ```
//!
//! where u and a are relative velocity and acceleration, ρ = Uᵀ u the joint's rates, w = S ρ, and e
//! its gap. Both rows are differentiated at the solution, which gives for each column the system of
//! [`loop_dynamics`] again, with other right-hand sides:
//!
//! ```text
//! ⎡ M  Kᵀ ⎤ ⎡  dq̈ ⎤   ⎡ dτ − dID − J_pᵀ (Δ dq ×* F) + Δᵀ dT λ ⎤
//! ⎣ K  0  ⎦ ⎣ −dλ ⎦ = ⎣ −dTᵀ g − Tᵀ dg                         ⎦,    dF = T dλ + dT λ.
//! ```
//!
//! dID is that of [inverse dynamics](Model::inverse_dynamics_derivatives) with F as external forces
//! on both bodies. They stay as they are in the frames of their bodies; for the predecessor, F
//! moves with the other body, by Δ dq. With ψ̇, ψ̈ and ξ of
//! [`kinematics_derivatives`](Model::kinematics_derivatives) for both bodies, in the output frame:
//!
//! | | by q | by v |
//! |---|---|---|
//! | dv_s | ψ̇_s | J_s |
//! | du | ψ̇_s − ψ̇_p + Δ × v_p | Δ |
//! | da | (ψ̈ + ψ̇ × v)_s − (ψ̈ + ψ̇ × v)_p + Δ × a_p | (ξ + J × v)_s − (ξ + J × v)_p |
//!
//! What the joint reads, x, satisfies Sᵀ e = 0 with e = log(E(x)⁻¹ A) for the placement A of one
//! body on the other:
//!
//! * de = Jᵣ⁻¹ Δ dq − Jₗ⁻¹ S dx, so (Sᵀ Jₗ⁻¹ S − [eᵀ ∂S]) dx = Sᵀ Jᵣ⁻¹ Δ dq, Jᵣ and Jₗ at e,
//! * dρ = Uᵀ du + Uᵀ U dSᵀ T Tᵀ u − Uᵀ dS ρ, from Sᵀ S ρ = Sᵀ u.
//!
//! ∂S and ∂(Ṡ ρ) are computed in dual numbers, ∂T from ∂S. They are zero for most kinds of joints.
//!
//! Sources: J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of constrained
//! dynamic equations", RSS 2021; R. Featherstone, *Rigid Body Dynamics Algorithms*, 2008, sections
//! 3.5 and 8.2; S. Singh, R. P. Russell, P. M. Wensing, 2022, section III, for ψ̇, ψ̈ and ξ.

use super::constraint_change::{End, JointChange, Row};
use super::dynamics::{LoopDynamics, loop_dynamics};
use super::rows::transmitted;
use super::workspace::Loop;
use super::{LoopError, LoopWorkspace, Stabilisation};
use crate::delassus::find_multipliers;
use featherline::derivatives::KinematicsDerivatives;
use featherline::dynamics::DynamicsOptions;
use featherline::kernel;
use featherline::kernel::all_finite;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Motion, Se3};
use featherline::{Error, Workspace};
use nalgebra::{DMatrix, Vector6};

/// The derivatives of forward dynamics with loops: the result of [`loop_dynamics_derivatives`].
///
/// Loop forces have six rows for each loop joint, in the order of
/// [`loop_joints`](Model::loop_joints): linear, then angular, in the joint's output frame.
#[derive(Clone, Copy, Debug)]
pub struct LoopDynamicsDerivatives<'w> {
    /// What is differentiated.
    pub dynamics: LoopDynamics<'w>,
    /// ∂q̈/∂q, nv × nv, by changes of q in the tangent space.
    pub dq: &'w DMatrix<f64>,
    /// ∂q̈/∂v, nv × nv.
    pub dv: &'w DMatrix<f64>,
    /// ∂q̈/∂τ, nv × nv: symmetric, and of the rank that the loops leave.
    pub dtau: &'w DMatrix<f64>,
    /// The derivatives of the loop forces by q, 6 l × nv for l loop joints: of their components in
    /// the output frame, which moves.
    pub loop_forces_dq: &'w DMatrix<f64>,
    /// The derivatives of the loop forces by v, 6 l × nv.
    pub loop_forces_dv: &'w DMatrix<f64>,
    /// The derivatives of the loop forces by τ, 6 l × nv.
    pub loop_forces_dtau: &'w DMatrix<f64>,
}

/// The derivatives of [`loop_dynamics`] by q, v and τ, and its result. Arguments and options are
/// the same.
///
/// Column k by q is the change for q ⊕ ε eₖ by ε, with ⊕ of [`integrate`](Model::integrate).
/// The tree's coordinates change one by one, so most columns open loops: they are the derivatives
/// of what `loop_dynamics` would compute there, if it did not refuse open loops. External forces
/// stay as they are in the frames of their joints. A stabilisation pulls at the gaps as they
/// change.
///
/// **Open loops.** A loop joint whose motions depend on its configuration reads, in a loop that is
/// open, what leaves the least gap; `loop_dynamics` finds it but for squares of the gap. The
/// derivatives are those of the exact reading.
///
/// **Along closed loops** the derivative for a change δq, δv that keeps loops closed, in first
/// order, is `dq` δq + `dv` δv: such changes of q are the velocities that
/// [`project_velocity`](crate::project_velocity) leaves as they are.
///
/// **Redundant constraints.** Those that hold are kept, as `loop_dynamics` chose them. Along closed
/// loops, where the number of independent constraints stays, the derivatives of q̈ depend on no
/// choice; nor do they where redundant constraints stay redundant in open loops, as in planar
/// linkages. In directions that open a linkage in space, such as Bennett's, they are those for the
/// constraints chosen. So are, always, those of the forces: redundant constraints have no unique
/// ones.
///
/// **In a singular configuration** the number of independent constraints changes, and q̈ has no
/// derivative in directions that leave it. The matrices are those for the independent constraints.
/// Near one they lose more digits than the loop forces do: see
/// [`condition`](LoopDynamics::condition).
///
/// Cost O(n² (d + m) + n m²) for m constraints and depth d, beyond `loop_dynamics`; allocates
/// nothing. Sources: J. Carpentier, R. Budhiraja, N. Mansard, "Proximal and sparse resolution of
/// constrained dynamic equations", RSS 2021; Featherstone 2008, section 8.2.
///
/// # Errors
/// As [`loop_dynamics`], and [`Error::Overflow`] where a derivative is not finite.
///
/// ```
/// use featherline::samples;
/// use featherline_constraint::{LoopWorkspace, Stabilisation};
/// use featherline_constraint::{assemble, loop_dynamics, loop_dynamics_derivatives};
///
/// let model = samples::four_bar();
/// let mut ws = LoopWorkspace::new(&model)?;
/// let mut q = [0.4, 0.0, 0.0];
/// assemble(&model, &mut ws, &mut q)?;
/// let (v, none) = ([0.0; 3], Stabilisation::NONE);
/// let torque = |torque: f64| [torque, 0.0, 0.0];
/// let result = loop_dynamics_derivatives(&model, &mut ws, &q, &v, &torque(0.0), &[], &none)?;
/// let (still, by_torque) = (result.dynamics.accelerations[0], result.dtau[(0, 0)]);
/// // Accelerations are linear in the joint forces.
/// let pushed = loop_dynamics(&model, &mut ws, &q, &v, &torque(2.0), &[], &none)?;
/// assert!((pushed.accelerations[0] - still - 2.0 * by_torque).abs() < 1e-9);
/// # Ok::<(), featherline_constraint::LoopError>(())
/// ```
pub fn loop_dynamics_derivatives<'w>(
    model: &Model,
    ws: &'w mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    forces: &[Force<f64>],
    stabilisation: &Stabilisation,
) -> Result<LoopDynamicsDerivatives<'w>, LoopError> {
    let residual = loop_dynamics(model, ws, q, v, tau, forces, stabilisation)?.residual;
    differentiate_tree(model, ws, q, v, forces)?;
    differentiate_loops(model, ws, q, v, stabilisation)?;
    solve_columns(model, ws, q)?;
    let memory = &ws.derivatives;
    for matrix in memory.accelerations.iter().chain(&memory.loop_forces) {
        if !all_finite(matrix.as_slice()) {
            let what = "a derivative";
            return Err(Error::Overflow { what }.into());
        }
    }
    let [dq, dv, dtau] = &memory.accelerations;
    let [loop_forces_dq, loop_forces_dv, loop_forces_dtau] = &memory.loop_forces;
    Ok(LoopDynamicsDerivatives {
        dynamics: LoopDynamics {
            accelerations: &ws.tangent,
            loop_forces: &ws.forces,
            residual,
            redundant: ws.independence.redundant(),
            condition: ws.independence.condition(),
        },
        dq,
        dv,
        dtau,
        loop_forces_dq,
        loop_forces_dv,
        loop_forces_dtau,
    })
}

/// The memory of [`loop_dynamics_derivatives`].
#[derive(Clone, Debug)]
pub(super) struct DerivativeMemory {
    /// External forces with those of the loop joints, one for each joint.
    external: Vec<Force<f64>>,
    /// Predecessor and successor of each loop joint, in motion.
    ends: Vec<[End; 2]>,
    /// The derivatives of both.
    columns: [EndColumns; 2],
    /// The right-hand sides of the first row by q, v and τ, and then M⁻¹ times them: nv × 3 nv by
    /// rows.
    sides: Vec<f64>,
    /// Those of the second row: as many columns, with a number for each constraint.
    targets: Vec<f64>,
    /// dλ of one column.
    multipliers: Vec<f64>,
    /// By q, v and τ.
    accelerations: [DMatrix<f64>; 3],
    loop_forces: [DMatrix<f64>; 3],
}

/// Derivatives of the motion of a body in its own frame, 6 × nv each.
#[derive(Clone, Debug)]
pub(crate) struct EndColumns {
    /// ψ̇.
    psi: DMatrix<f64>,
    pub(crate) jacobian: DMatrix<f64>,
    /// ψ̈ + ψ̇ × v and ξ + J × v.
    acceleration: [DMatrix<f64>; 2],
}

impl DerivativeMemory {
    pub(super) fn new(model: &Model, constraints: usize) -> Self {
        let (n, loops) = (model.nv(), model.loop_joints().len());
        let columns = || EndColumns::new(n);
        let matrices = |rows| [(); 3].map(|()| DMatrix::zeros(rows, n));
        let end = |body, output: &Se3<f64>| End {
            body,
            output: *output,
            velocity: Motion::zero(),
            acceleration: Motion::zero(),
        };
        let ends = model.loop_joints().iter().map(|joint| {
            [
                end(joint.predecessor, &joint.predecessor_placement),
                end(joint.successor, &joint.successor_placement),
            ]
        });
        Self {
            external: vec![Force::zero(); model.joints().len()],
            ends: ends.collect(),
            columns: [columns(), columns()],
            sides: vec![0.0; 3 * n * n],
            targets: vec![0.0; 3 * n * constraints],
            multipliers: vec![0.0; constraints],
            accelerations: matrices(n),
            loop_forces: matrices(6 * loops),
        }
    }

    /// Of a workspace without matrices.
    pub(super) fn none() -> Self {
        let empty = || DMatrix::zeros(0, 0);
        let columns = || EndColumns::new(0);
        Self {
            external: Vec::new(),
            ends: Vec::new(),
            columns: [columns(), columns()],
            sides: Vec::new(),
            targets: Vec::new(),
            multipliers: Vec::new(),
            accelerations: [empty(), empty(), empty()],
            loop_forces: [empty(), empty(), empty()],
        }
    }
}

/// Writes dτ − dID, with the loop forces as external ones, to the right-hand sides.
fn differentiate_tree(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    forces: &[Force<f64>],
) -> Result<(), LoopError> {
    let memory = &mut ws.derivatives;
    memory.external.fill(Force::zero());
    // Either none, or one for each joint: that has been checked.
    for (own, force) in memory.external.iter_mut().zip(forces) {
        *own = *force;
    }
    for ((closing, ends), force) in ws.loops.iter().zip(&mut memory.ends).zip(&ws.forces) {
        let [from, to] = ends;
        let joint = &closing.joint;
        from.output = joint.predecessor_placement.compose(&closing.apart);
        memory.external[to.body.index()] += to.output.act_force(force);
        memory.external[from.body.index()] += from.output.act_force(&-*force);
    }
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&memory.external);
    let tree = model.inverse_dynamics_derivatives(&mut ws.tree, q, v, &ws.tangent, options)?;
    let n = model.nv();
    for i in 0..n {
        let row = &mut memory.sides[i * 3 * n..(i + 1) * 3 * n];
        for k in 0..n {
            row[k] = -tree.dq[(i, k)];
            row[n + k] = -tree.dv[(i, k)];
            row[2 * n + k] = f64::from(u8::from(i == k));
        }
    }
    Ok(())
}

/// Adds what the loop forces do as loops move to the right-hand sides, and writes those of the
/// constraints.
fn differentiate_loops(
    model: &Model,
    ws: &mut LoopWorkspace,
    q: &[f64],
    v: &[f64],
    stabilisation: &Stabilisation,
) -> Result<(), LoopError> {
    let LoopWorkspace {
        tree,
        loops,
        multipliers,
        tangent,
        derivatives,
        ..
    } = ws;
    let DerivativeMemory {
        ends,
        columns,
        sides,
        targets,
        loop_forces,
        ..
    } = derivatives;
    if loops.is_empty() {
        return Ok(());
    }
    move_ends(model, tree, ends, (q, v, tangent))?;
    let moving = model.kinematics_derivatives(tree, q, v, tangent)?;
    for (index, (closing, ends)) in loops.iter().zip(&*ends).enumerate() {
        for (columns, end) in columns.iter_mut().zip(ends) {
            columns.read(&moving, end)?;
        }
        let own = &multipliers[closing.rows()];
        differentiate_loop(
            closing,
            ends,
            own,
            stabilisation,
            columns,
            3 * model.nv(),
            sides,
            (multipliers.len(), 1),
            targets,
            &mut loop_forces[0],
            6 * index,
        )
        .ok_or_else(|| LoopError::DependentMotions {
            joint: closing.joint.name.clone(),
        })?;
    }
    Ok(())
}

/// Writes the motions of the bodies that loop joints connect.
pub(crate) fn move_ends(
    model: &Model,
    tree: &mut Workspace<f64>,
    ends: &mut [[End; 2]],
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Result<(), LoopError> {
    let moving = model.forward_kinematics_accelerations(tree, q, v, a)?;
    for end in ends.as_flattened_mut() {
        if end.body != JointId::UNIVERSE {
            let reference = ReferenceFrame::Local;
            let (velocity, acceleration) = (
                moving.velocity(end.body, reference),
                moving.acceleration(end.body, reference),
            );
            end.velocity = end.output.inverse_act_motion(&velocity);
            end.acceleration = end.output.inverse_act_motion(&acceleration);
        }
    }
    Ok(())
}

kernel!(
    /// What one loop adds to the right-hand sides of both rows, and dT λ. None if the loop joint's
    /// coordinates do not follow its bodies.
    pub(crate) fn differentiate_loop(
        closing: &Loop,
        ends: &[End; 2],
        // λ.
        multipliers: &[f64],
        stabilisation: &Stabilisation,
        // In the bodies' own frames, and then in the output frame.
        columns: &mut [EndColumns; 2],
        // How far rows of `sides` are apart: nv rows, with a column for each coordinate first.
        width: usize,
        sides: &mut [f64],
        // How far columns and rows of `targets` are apart: a row for each constraint, a column for
        // each coordinate, and again by v.
        strides: (usize, usize),
        targets: &mut [f64],
        loop_forces_dq: &mut DMatrix<f64>,
        // The loop's first row there.
        first: usize,
    ) -> Option<()> {
        for (columns, end) in columns.iter_mut().zip(ends) {
            columns.see_from(&end.output);
        }
        let (basis, rows) = (&closing.basis, closing.rows());
        let force = transmitted(basis, multipliers);
        let row = Row::of(closing, ends, stabilisation);
        let joint = JointChange::of(closing, &row, multipliers)?;
        let n = loop_forces_dq.ncols();
        let [from, to] = &*columns;
        for k in 0..n {
            let (j_p, j_s) = (column(&from.jacobian, k), column(&to.jacobian, k));
            let (psi_p, psi_s) = (column(&from.psi, k), column(&to.psi, k));
            if [j_p, j_s, psi_p, psi_s]
                .iter()
                .all(|m| *m == Motion::zero())
            {
                // It moves neither body.
                for row in closing.row..closing.row + basis.rigid() {
                    targets[k * strides.0 + row * strides.1] = 0.0;
                    targets[(n + k) * strides.0 + row * strides.1] = 0.0;
                }
                for row in first..first + 6 {
                    loop_forces_dq[(row, k)] = 0.0;
                }
                continue;
            }
            let [by_q, by_v] =
                [0, 1].map(|x| column(&to.acceleration[x], k) - column(&from.acceleration[x], k));
            let delta = j_s - j_p;
            // du = ψ̇_s − ψ̇_p + Δ × v_p, da = (ψ̈ + ψ̇ × v)_s − (ψ̈ + ψ̇ × v)_p + Δ × a_p
            let du = psi_s - psi_p + delta.cross(&ends[0].velocity);
            let da = by_q + delta.cross(&ends[0].acceleration);
            let mut dg = row.change(basis, &joint, &psi_s, &du, &da);
            if stabilisation.stiffness != 0.0 {
                dg += joint.gap(&delta);
            }
            let mut change = basis.work(&dg);
            let mut turned = Force::zero();
            let dx = if joint.count > 0 {
                joint.reading * Vector6::from(delta)
            } else {
                Vector6::zeros()
            };
            for j in 0..joint.count {
                for r in 0..basis.rigid() {
                    change[r] = joint.rows[j][r].mul_add(dx[j], change[r]);
                }
                turned = joint.forces[j].mul_add(dx[j], &turned);
            }
            // −dTᵀ g − Tᵀ dg
            for (row, change) in rows.clone().zip(change) {
                targets[k * strides.0 + row * strides.1] = -change;
            }
            // By v: du = Δ, da = (ξ + J × v)_s − (ξ + J × v)_p
            let dg = row.change(basis, &joint, &j_s, &delta, &by_v);
            for (row, change) in rows.clone().zip(basis.work(&dg)) {
                targets[(n + k) * strides.0 + row * strides.1] = -change;
            }
            // dT λ
            for (r, entry) in turned.to_array().into_iter().enumerate() {
                loop_forces_dq[(first + r, k)] = entry;
            }
            // −J_pᵀ (Δ ×* F) + Δᵀ dT λ
            let moved = turned + delta.cross_force(&force);
            if ends[0].body == JointId::UNIVERSE && turned == Force::zero() {
                continue;
            }
            for i in 0..n {
                let (j_p, j_s) = (column(&from.jacobian, i), column(&to.jacobian, i));
                // Δᵀ = J_sᵀ − J_pᵀ
                sides[i * width + k] += j_s.dot(&turned) - j_p.dot(&moved);
            }
        }
        Some(())
    }
);

/// A column of a 6 × nv matrix.
#[inline(always)]
pub(crate) fn column(matrix: &DMatrix<f64>, k: usize) -> Motion<f64> {
    let mut entries = [0.0; 6];
    entries.copy_from_slice(&matrix.as_slice()[6 * k..6 * k + 6]);
    Motion::from_array(entries)
}

impl EndColumns {
    pub(crate) fn new(n: usize) -> Self {
        let zeros = || DMatrix::zeros(6, n);
        Self {
            psi: zeros(),
            jacobian: zeros(),
            acceleration: [zeros(), zeros()],
        }
    }

    /// Reads the derivatives of a body, in its own frame.
    pub(crate) fn read(
        &mut self,
        moving: &KinematicsDerivatives<'_, f64>,
        end: &End,
    ) -> Result<(), Error> {
        let Self {
            psi,
            jacobian,
            acceleration: [by_q, by_v],
        } = self;
        if end.body == JointId::UNIVERSE {
            for matrix in [psi, jacobian, by_q, by_v] {
                matrix.fill(0.0);
            }
            return Ok(());
        }
        let reference = ReferenceFrame::Local;
        moving.velocity_into(end.body, reference, psi, &mut *jacobian)?;
        moving.acceleration_into(end.body, reference, by_q, by_v, jacobian)
    }

    /// Gives motions of the body's frame in a frame that is fixed to it.
    #[inline(always)]
    fn see_from(&mut self, frame: &Se3<f64>) {
        let [by_q, by_v] = &mut self.acceleration;
        for k in 0..self.jacobian.ncols() {
            let is_still = |matrix: &DMatrix<f64>| column(matrix, k) == Motion::zero();
            if is_still(&self.jacobian) && is_still(&self.psi) {
                // A coordinate of another branch.
                continue;
            }
            for matrix in [&mut self.psi, &mut self.jacobian, &mut *by_q, &mut *by_v] {
                let seen = frame.inverse_act_motion(&column(matrix, k));
                matrix.as_mut_slice()[6 * k..6 * k + 6].copy_from_slice(&seen.to_array());
            }
        }
    }
}

/// Solves the system of [`loop_dynamics`] for each column.
fn solve_columns(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<(), LoopError> {
    let LoopWorkspace {
        tree,
        loops,
        jacobian,
        independence,
        response,
        delassus,
        residual,
        step,
        derivatives,
        ..
    } = ws;
    let n = model.nv();
    let DerivativeMemory {
        sides,
        targets,
        multipliers,
        accelerations,
        loop_forces,
        ..
    } = derivatives;
    model.ltdl(tree, q)?.solve_rows(sides, 3 * n)?;
    let constraints = multipliers.len();
    for column in 0..3 * n {
        let (x, k) = (column / n, column % n);
        for (i, entry) in step.iter_mut().enumerate() {
            *entry = sides[i * 3 * n + column];
        }
        if constraints > 0 {
            let own = column * constraints;
            residual
                .target
                .copy_from_slice(&targets[own..own + constraints]);
            let independent = independence.independent();
            find_multipliers(
                jacobian,
                response,
                independent,
                delassus,
                residual,
                multipliers,
                step,
            );
        }
        accelerations[x].column_mut(k).copy_from_slice(step);
        for (index, closing) in loops.iter().enumerate() {
            // dF = T dλ + dT λ, of which the last part has been written by q.
            let force = transmitted(&closing.basis, &multipliers[closing.rows()]).to_array();
            for (r, entry) in force.into_iter().enumerate() {
                let place = &mut loop_forces[x][(6 * index + r, k)];
                *place = if x == 0 { *place + entry } else { entry };
            }
        }
    }
    Ok(())
}
