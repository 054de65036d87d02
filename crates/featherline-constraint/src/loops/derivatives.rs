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
//! [`kinematics_derivatives`](Model::kinematics_derivatives) for both bodies, in the output frame
//! (those that the derivatives of inverse dynamics leave, with gravity in both accelerations):
//!
//! | | by q | by v |
//! |---|---|---|
//! | dv_s | ψ̇_s | J_s |
//! | du | ψ̇_s − ψ̇_p + Δ × v_p | Δ |
//! | da | (ψ̈ + ψ̇ × v)_s − (ψ̈ + ψ̇ × v)_p + Δ × a_p | (ξ + J × v)_s − (ξ + J × v)_p |
//!
//! The joint's coordinates x, read from the placements, satisfy Sᵀ e = 0 with e = log(E(x)⁻¹ A) for
//! the placement A of one body on the other:
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
use super::end_columns::{EndColumns, read_ends, still_ends};
use super::rows::transmitted;
use super::workspace::Loop;
use super::{LoopError, LoopWorkspace, Result, Stabilisation, check_finite};
use crate::delassus::find_multipliers;
use featherline::dynamics::DynamicsOptions;
use featherline::kernel;
use featherline::kernel::{derivative_memory, scratch};
use featherline::model::Model;
use featherline::spatial::Force;
use nalgebra::{DMatrix, Vector6};

/// The derivatives of forward dynamics with loops: the result of [`loop_dynamics_derivatives`].
///
/// Loop forces have six rows for each loop joint, in the order of
/// [`loop_joints`](Model::loop_joints): linear, then angular, in the joint's output frame.
#[derive(Clone, Copy, Debug)]
pub struct LoopDynamicsDerivatives<'w> {
    /// The dynamics that are differentiated.
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
/// As [`loop_dynamics`], and [`Overflow`](featherline::Error::Overflow) where a derivative is not
/// finite.
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
) -> Result<LoopDynamicsDerivatives<'w>> {
    let residual = loop_dynamics(model, ws, q, v, tau, forces, stabilisation)?.residual;
    differentiate_tree(model, ws, q, v, forces)?;
    differentiate_loops(model, ws, stabilisation)?;
    solve_columns(model, ws, q)?;
    let memory = &ws.derivatives;
    for matrix in memory.accelerations.iter().chain(&memory.loop_forces) {
        check_finite("a derivative", matrix.as_slice())?;
    }
    let [dq, dv, dtau] = &memory.accelerations;
    let [loop_forces_dq, loop_forces_dv, loop_forces_dtau] = &memory.loop_forces;
    Ok(LoopDynamicsDerivatives {
        dynamics: ws.dynamics(residual),
        dq,
        dv,
        dtau,
        loop_forces_dq,
        loop_forces_dv,
        loop_forces_dtau,
    })
}

/// The memory of [`loop_dynamics_derivatives`].
#[derive(Clone, Debug, Default)]
pub(super) struct DerivativeMemory {
    /// External forces with those of the loop joints, one for each joint.
    external: Vec<Force<f64>>,
    /// Predecessor and successor of each loop joint, in motion.
    ends: Vec<[End; 2]>,
    /// The derivatives of both.
    columns: [EndColumns; 2],
    /// The first row's right sides by q, v and τ, then M⁻¹ times them: nv × 3 nv by rows.
    sides: Vec<f64>,
    /// Those of the second row: as many columns, with a number for each constraint.
    targets: Vec<f64>,
    /// dλ of one column.
    multipliers: Vec<f64>,
    /// By q, v and τ.
    accelerations: [DMatrix<f64>; 3],
    loop_forces: [DMatrix<f64>; 3],
}

impl DerivativeMemory {
    pub(super) fn new(model: &Model, constraints: usize) -> Self {
        let (n, loops) = (model.nv(), model.loop_joints().len());
        let columns = || EndColumns::new(n);
        let matrices = |rows| [(); 3].map(|()| DMatrix::zeros(rows, n));
        Self {
            external: vec![Force::zero(); model.joints().len()],
            ends: model.loop_joints().iter().map(still_ends).collect(),
            columns: [columns(), columns()],
            sides: vec![0.0; 3 * n * n],
            targets: vec![0.0; 3 * n * constraints],
            multipliers: vec![0.0; constraints],
            accelerations: matrices(n),
            loop_forces: matrices(6 * loops),
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
) -> Result<()> {
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

/// Adds what loop forces do as loops move to the right sides; writes those of constraints.
fn differentiate_loops(
    model: &Model,
    ws: &mut LoopWorkspace,
    stabilisation: &Stabilisation,
) -> Result<()> {
    let LoopWorkspace {
        tree,
        loops,
        multipliers,
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
    targets.fill(0.0);
    loop_forces[0].fill(0.0);
    let (moving, links) = (derivative_memory(tree)?, scratch(tree));
    for (index, (closing, ends)) in loops.iter().zip(ends).enumerate() {
        read_ends(model, links, &moving.columns, closing, ends, columns);
        let own = &multipliers[closing.rows()];
        differentiate_loop(
            closing,
            ends,
            own,
            stabilisation,
            columns,
            sides,
            (3 * model.nv(), 1),
            1.0,
            multipliers.len(),
            targets,
            &mut loop_forces[0],
            6 * index,
        )
        .ok_or_else(|| LoopError::dependent(&closing.joint.name))?;
    }
    Ok(())
}

kernel!(
    /// The contribution of one loop to the right-hand sides of both rows, and dT λ. None if the
    /// loop joint's coordinates do not follow its bodies.
    pub(crate) fn differentiate_loop(
        closing: &Loop,
        ends: &[End; 2],
        // λ.
        multipliers: &[f64],
        stabilisation: &Stabilisation,
        columns: &[EndColumns; 2],
        sides: &mut [f64],
        // How far rows and columns of `sides` are apart, and what is added is multiplied by.
        strides: (usize, usize),
        factor: f64,
        // How many constraints there are: as many numbers has each column of `targets`, one for
        // each coordinate, and again by v; zeros at first.
        constraints: usize,
        targets: &mut [f64],
        loop_forces_dq: &mut DMatrix<f64>,
        // The loop's first row there.
        first: usize,
    ) -> Option<()> {
        let (basis, rows) = (&closing.basis, closing.rows());
        let force = transmitted(basis, multipliers);
        let row = Row::of(closing, ends, stabilisation);
        let joint = JointChange::of(closing, &row, multipliers)?;
        let n = loop_forces_dq.ncols();
        let [from, to] = columns;
        let moving = to.support.len();
        for index in 0..moving + from.support.len() {
            let k = if index < moving {
                to.support[index]
            } else {
                from.support[index - moving]
            };
            if index >= moving && to.is_moving[k] {
                continue;
            }
            let (p, s) = (&from.columns[k], &to.columns[k]);
            let (j_p, j_s, psi_p, psi_s) = (p.jacobian, s.jacobian, p.psi, s.psi);
            let (by_q, by_v) = (s.by_q - p.by_q, s.by_v - p.by_v);
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
                targets[k * constraints + row] = -change;
            }
            // By v: du = Δ, da = (ξ + J × v)_s − (ξ + J × v)_p
            let dg = row.change(basis, &joint, &j_s, &delta, &by_v);
            for (row, change) in rows.clone().zip(basis.work(&dg)) {
                targets[(n + k) * constraints + row] = -change;
            }
            // dT λ
            for (r, entry) in turned.to_array().into_iter().enumerate() {
                loop_forces_dq[(first + r, k)] = entry;
            }
            // −J_pᵀ (Δ ×* F) + Δᵀ dT λ
            let moved = turned + delta.cross_force(&force);
            // Δᵀ = J_sᵀ − J_pᵀ
            for &i in &from.support {
                let work = -from.columns[i].jacobian.dot(&moved);
                sides[i * strides.0 + k * strides.1] += factor * work;
            }
            if joint.count == 0 {
                continue;
            }
            for &i in &to.support {
                let work = to.columns[i].jacobian.dot(&turned);
                sides[i * strides.0 + k * strides.1] += factor * work;
            }
        }
        Some(())
    }
);

/// Solves the system of [`loop_dynamics`] for each column.
fn solve_columns(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Result<()> {
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
