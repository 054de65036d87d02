//! The recursion of the KKT system of a tree, block by block, as a lecture writes it.
//!
//! [`maximal_dynamics`](super::maximal_dynamics) gives the same accelerations and forces, and is
//! fast: it eliminates each joint by the null space of its constraints. Here every block of the
//! elimination has its letter, to be read, printed and checked.

#![expect(
    non_snake_case,
    reason = "blocks have the letters that the equations have"
)]

use super::MaximalError;
use super::dynamics::MaximalWorkspace;
use super::equations::Equations;
use super::recursion::JointMemory;
use super::state::{MaximalState, refuse_mimic_joints};
use featherline::kernel::check_size;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Motion, Vec3};
use nalgebra::{DMatrix, DVector, Matrix6, Vector6};

/// The blocks of a body n and the joint that carries it, in the body's joint frame.
///
/// The body's own equation and that of its joint are, with λ the multipliers of constraints, p the
/// body above, and c the bodies that body n carries,
///
/// ```text
/// Mₙ v̇ₙ + Cₙᵀ λₙ + Σ C_cᵀ λ_c = fₙ
/// Cₙ v̇ₙ + C_p v̇_p − E λₙ = dₙ
/// ```
///
/// where E is one for the rows of drives and zero for constraints. The force that a joint passes on
/// is −Cᵀ λ beside that of its drive. Elimination from the leaves to the root leaves
/// v̇ₙ = Wₙ λₙ + wₙ and λₙ = Sₙ v̇_p + sₙ.
#[derive(Clone, Debug, PartialEq)]
pub struct KktBlocks {
    /// The joint that carries the body.
    pub joint: JointId,
    /// The joint that carries the body above; the universe for a root.
    pub above: JointId,
    /// How many of the rows of C are constraints. The others are drives with armature.
    pub constraints: usize,
    /// The body's inertia.
    pub M: Matrix6<f64>,
    /// The total force on the body, in N and N·m: gravity, gyroscopic, external forces, and those
    /// of drives.
    pub f: Vector6<f64>,
    /// The constraints on the body's acceleration, one a row, and below them drives with armature,
    /// weighted by its root.
    pub C: DMatrix<f64>,
    /// The same rows for the acceleration of the body above.
    pub C_above: DMatrix<f64>,
    /// The right-hand sides of the constraints.
    pub d: DVector<f64>,
    /// The body's acceleration for each multiplier.
    pub W: DMatrix<f64>,
    /// The body's acceleration without multipliers.
    pub w: Vector6<f64>,
    /// The multipliers for the acceleration of the body above.
    pub S: DMatrix<f64>,
    /// The multipliers where the body above does not accelerate.
    pub s: DVector<f64>,
}

/// The accelerations and multipliers of all bodies, in the order of the blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct KktSolution {
    /// v̇: spatial accelerations, in the bodies' joint frames.
    pub accelerations: Vec<Vector6<f64>>,
    /// λ: the multipliers of constraints and drives.
    pub multipliers: Vec<DVector<f64>>,
}

/// The blocks of the KKT system of a tree, and of its elimination from the leaves to the root; the
/// bodies in the order of the model.
///
/// `tau` and `external` as for [`maximal_dynamics`](super::maximal_dynamics). Cost O(n); it
/// allocates every block. Source: J. Brüdigam and Z. Manchester 2020; the letters are those of
/// Manchester's lectures on maximal-coordinate dynamics.
///
/// # Errors
/// [`MaximalError::ClosedLoop`] for robots with loops, where blocks fill in and the recursion
/// breaks; [`MaximalError::MimicJoint`]; [`MaximalError::SingularInertia`] where a body has no
/// inertia in some direction, or a joint none to hold; else as `maximal_dynamics`.
///
/// ```
/// use featherline_sim::maximal::{MaximalState, MaximalWorkspace, kkt_recursion, substitute};
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut tree = Workspace::new(&model);
/// let state = MaximalState::from_joints(&model, &mut tree, &[0.3, -0.2], &[1.0, 0.5])?;
/// let mut ws = MaximalWorkspace::new(&model)?;
/// let blocks = kkt_recursion(&model, &mut ws, &state, &[0.0, 0.0], &[])?;
/// assert_eq!(blocks[0].C.shape(), (5, 6)); // a hinge has five constraints
///
/// let found = substitute(&blocks);
/// let qdd = model.aba(&mut tree, &[0.3, -0.2], &[1.0, 0.5], &[0.0, 0.0])?;
/// assert!((found.accelerations[0][4] - qdd[0]).abs() < 1e-9);
/// # Ok::<(), featherline_sim::maximal::MaximalError>(())
/// ```
pub fn kkt_recursion(
    model: &Model,
    ws: &mut MaximalWorkspace,
    state: &MaximalState,
    tau: &[f64],
    external: &[Force<f64>],
) -> Result<Vec<KktBlocks>, MaximalError> {
    if let Some(closing) = model.loop_joints().first() {
        let joint = closing.name.clone();
        return Err(MaximalError::ClosedLoop { joint });
    }
    refuse_mimic_joints(model)?;
    state.check_sizes(model)?;
    check_size("tau", model.nv(), tau.len())?;
    if !external.is_empty() {
        check_size("external", model.joints().len(), external.len())?;
    }
    let mut blocks = assemble(model, ws.joint_memory(state), state, tau, external)?;
    // A = M + Σ C_cᵀ S_c and b = f − Σ C_cᵀ s_c: the articulated bodies.
    let mut articulated: Vec<(Matrix6<f64>, Vector6<f64>)> =
        blocks.iter().map(|own| (own.M, own.f)).collect();
    for n in (0..blocks.len()).rev() {
        let singular = || MaximalError::SingularInertia {
            joint: model.joint(blocks[n].joint).name.clone(),
        };
        let (A, b) = articulated[n];
        let A = A.lu();
        let own = &blocks[n];
        // W = −A⁻¹ Cᵀ, w = A⁻¹ b
        let W = -A.solve(&own.C.transpose()).ok_or_else(singular)?;
        let w = A.solve(&b).ok_or_else(singular)?;
        // S = −(C W − E)⁻¹ C_p, s = (C W − E)⁻¹ (d − C w)
        let mut held = &own.C * &W;
        for row in own.constraints..own.C.nrows() {
            held[(row, row)] -= 1.0;
        }
        let rest = &own.d - &own.C * w;
        let (S, s) = if rest.is_empty() {
            // A joint that moves freely.
            (own.C_above.clone(), rest)
        } else {
            let held = held.lu();
            let S = -held.solve(&own.C_above).ok_or_else(singular)?;
            (S, held.solve(&rest).ok_or_else(singular)?)
        };
        if let Some(above) = own.above.index().checked_sub(1) {
            articulated[above].0 += own.C_above.tr_mul(&S);
            articulated[above].1 -= own.C_above.tr_mul(&s);
        }
        (blocks[n].W, blocks[n].w, blocks[n].S, blocks[n].s) = (W, w, S, s);
    }
    Ok(blocks)
}

/// From the root to the leaves: λₙ = Sₙ v̇_p + sₙ, v̇ₙ = Wₙ λₙ + wₙ.
pub fn substitute(blocks: &[KktBlocks]) -> KktSolution {
    let mut found = KktSolution {
        accelerations: Vec::with_capacity(blocks.len()),
        multipliers: Vec::with_capacity(blocks.len()),
    };
    for own in blocks {
        let multipliers = match own.above {
            // The universe does not accelerate.
            JointId::UNIVERSE => own.s.clone(),
            above => &own.S * found.accelerations[above.index() - 1] + &own.s,
        };
        found.accelerations.push(&own.W * &multipliers + own.w);
        found.multipliers.push(multipliers);
    }
    found
}

/// M, f, C and d of all bodies.
fn assemble(
    model: &Model,
    joints: &mut JointMemory,
    state: &MaximalState,
    tau: &[f64],
    external: &[Force<f64>],
) -> Result<Vec<KktBlocks>, MaximalError> {
    let mut blocks: Vec<KktBlocks> = Vec::with_capacity(model.joints().len() - 1);
    for id in model.joint_ids() {
        let (i, joint) = (id.index(), model.joint(id));
        let mut own = Equations::new(joint, &joints.bases[i]);
        own.update(model, i, state, tau, joints)?;
        // Rows without armature hold nothing.
        let holds = |k: &usize| *k < own.rigid || own.constraints.0[*k] != [0.0; 8];
        let rows: Vec<usize> = (0..6).filter(holds).collect();
        let block =
            |of: &super::block::Block| DMatrix::from_fn(rows.len(), 6, |r, c| of.0[rows[r]][c]);
        // The weight, less v ×* I v.
        let rotation = state.poses[i].placement().rotation;
        let fall = rotation.tr_mul_vec(model.gravity());
        let fall = Motion::new(-fall, Vec3::zero());
        let mut f = -joint.inertia.newton_euler(&state.velocities[i], &fall);
        if let Some(external) = external.get(i) {
            f += *external;
        }
        let six = |row: &super::block::Row| Vector6::from_column_slice(&row[..6]);
        if let Some(above) = joint.parent.index().checked_sub(1) {
            blocks[above].f += six(&own.recoil);
        }
        let none = || DMatrix::zeros(0, 0);
        blocks.push(KktBlocks {
            joint: id,
            above: joint.parent,
            constraints: own.rigid,
            M: Matrix6::from_fn(|r, c| own.inertia.0[r][c]),
            f: Vector6::from_column_slice(&f.to_array()) + six(&own.drive),
            C: block(&own.constraints),
            C_above: block(&own.above),
            d: DVector::from_iterator(rows.len(), rows.iter().map(|&r| own.constraint[r])),
            W: none(),
            w: Vector6::zeros(),
            S: none(),
            s: DVector::zeros(0),
        });
    }
    Ok(blocks)
}
