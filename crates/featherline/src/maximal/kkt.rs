//! The KKT system of a tree, eliminated body by body.
//!
//! From the leaves to the root, body i and the constraints of its joint are expressed by the acceleration of the body
//! above: λᵢ = Sᵢ v̇λ + sᵢ and v̇ᵢ = Wᵢ λᵢ + wᵢ. What is left goes to the body above as inertia and force. Back from the
//! root to the leaves the accelerations and constraint forces follow.
//!
//! Two things are added to the textbook's recursion. The drive's armature D resists the joint's acceleration: its force
//! −D q̈ is one more multiplier, with D⁻¹ on the diagonal of the system. And a massless body has no inverse inertia: the
//! constraints times a penalty ρ are added to its equation, which changes λ by a known amount and nothing else.

use super::constraint_basis::ConstraintBasis;
use super::joint_coordinates::follow;
use super::state::refuse_followers;
use super::{MaximalError, MaximalState};
use crate::Error;
use crate::error::check_size;
use crate::model::{Joint, JointId, Model};
use crate::scalar::{Kernel, dispatch};
use crate::spatial::{Force, Motion, Se3, Vec3};
use nalgebra::{Matrix6, Vector6};

/// The memory of [`Model::maximal_dynamics`]: O(n).
#[derive(Clone, Debug)]
pub struct MaximalWorkspace {
    bodies: Vec<Body>,
    coordinates: Vec<f64>,
    accelerations: Vec<Motion<f64>>,
    joint_forces: Vec<Force<f64>>,
}

/// A body and the joint that carries it.
#[derive(Clone, Debug)]
struct Body {
    /// The inertia that the body shows with everything beyond it, and the force on it.
    inertia: Matrix6<f64>,
    force: Vector6<f64>,
    /// How many of the constraints are rigid.
    rigid: usize,
    /// ρ, the penalty of rigid constraints.
    penalty: f64,
    /// The constraints' rows for this body's acceleration and for the parent's, and what they sum to.
    own: Matrix6<f64>,
    above: Matrix6<f64>,
    constraint: Vector6<f64>,
    /// −W and w: v̇ = W λ + w.
    response: Matrix6<f64>,
    free: Vector6<f64>,
    /// S and s: λ = S v̇λ + s.
    carried: Matrix6<f64>,
    offset: Vector6<f64>,
    /// The force of the drive on the body, and on the one above, armature apart.
    drive: Vector6<f64>,
    recoil: Vector6<f64>,
}

impl Body {
    fn new() -> Self {
        let (matrix, vector) = (Matrix6::zeros(), Vector6::zeros());
        Self {
            inertia: matrix,
            force: vector,
            rigid: 0,
            penalty: 0.0,
            own: matrix,
            above: matrix,
            constraint: vector,
            response: matrix,
            free: vector,
            carried: matrix,
            offset: vector,
            drive: vector,
            recoil: vector,
        }
    }
}

impl MaximalWorkspace {
    /// Memory for a model.
    ///
    /// # Errors
    /// [`MaximalError::Follower`] for models in which a joint follows another, [`MaximalError::DependentMotions`] for
    /// composite joints of more than six degrees of freedom.
    pub fn new(model: &Model) -> Result<Self, MaximalError> {
        refuse_followers(model)?;
        let bodies = model.joints().len();
        Ok(Self {
            bodies: vec![Body::new(); bodies],
            coordinates: vec![0.0; model.nq()],
            accelerations: vec![Motion::zero(); bodies],
            joint_forces: vec![Force::zero(); bodies],
        })
    }
}

/// What the forces do to the bodies.
#[derive(Clone, Copy, Debug)]
pub struct BodyAccelerations<'w> {
    /// Spatial accelerations, each in its body's joint frame; the universe's, which stands still, first.
    pub accelerations: &'w [Motion<f64>],
    /// The force that each joint passes on to its body, in the body's joint frame: constraint and drive together. The
    /// universe has none.
    pub joint_forces: &'w [Force<f64>],
}

impl Model {
    /// The accelerations of bodies in maximal coordinates, and the forces in the joints that hold them together.
    ///
    /// `tau` has nv entries: the joint forces, as for [`aba`](Self::aba). `external` has a force on each body, the
    /// universe's included, in the body's joint frame; or none for no forces. Gravity, armature and reflected rotor
    /// inertia act, passive forces do not. Bodies that are not quite where their joints would have them (see
    /// [`MaximalState::to_joints`]) are taken as they are: nothing pulls them back.
    ///
    /// Cost O(n), some ten times the articulated-body algorithm's operations; allocates nothing. Sources: see
    /// [`maximal`](crate::maximal).
    ///
    /// # Errors
    /// [`MaximalError::Argument`] for sizes and for numbers that are not finite; [`MaximalError::DependentMotions`] where
    /// a joint is singular; [`MaximalError::SingularInertia`].
    ///
    /// ```
    /// use featherline::maximal::{MaximalState, MaximalWorkspace};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let state = MaximalState::from_joints(&model, &mut ws, &[0.0, 0.0], &[0.0, 0.0])?;
    /// let mut kkt = MaximalWorkspace::new(&model)?;
    /// let result = model.maximal_dynamics(&mut kkt, &state, &[0.0, 0.0], &[])?;
    /// // Hanging at rest, the upper hinge carries the weight of both rods.
    /// let weight = 9.81 * model.total_mass();
    /// let carried = result.joint_forces[1].linear.norm();
    /// assert!((carried - weight).abs() < 1e-12 * weight);
    /// # Ok::<(), featherline::maximal::MaximalError>(())
    /// ```
    pub fn maximal_dynamics<'w>(
        &self,
        ws: &'w mut MaximalWorkspace,
        state: &MaximalState,
        tau: &[f64],
        external: &[Force<f64>],
    ) -> Result<BodyAccelerations<'w>, MaximalError> {
        let bodies = self.joints().len();
        if ws.bodies.len() != bodies || ws.coordinates.len() != self.nq() {
            return Err(Error::WorkspaceMismatch.into());
        }
        state.check(self)?;
        check_size("tau", self.nv(), tau.len())?;
        if !external.is_empty() {
            check_size("external", bodies, external.len())?;
        }
        let finite = |what, mut numbers: std::slice::Iter<'_, f64>| {
            let index = numbers.position(|x| !x.is_finite());
            index.map_or(Ok(()), |index| Err(Error::NotFinite { what, index }))
        };
        finite("tau", tau.iter())?;
        if let Some(index) = external.iter().position(|f| !f.is_finite()) {
            let what = "external";
            return Err(Error::NotFinite { what, index }.into());
        }
        dispatch(Recursion {
            model: self,
            ws,
            state,
            tau,
            external,
        })?;
        if !ws.accelerations.iter().all(Motion::is_finite) {
            let what = "an acceleration";
            return Err(Error::Overflow { what }.into());
        }
        Ok(BodyAccelerations {
            accelerations: &ws.accelerations,
            joint_forces: &ws.joint_forces,
        })
    }
}

/// A pivot that is this part of its diagonal element is rounding, and no inertia.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

struct Recursion<'a, 'w> {
    model: &'a Model,
    ws: &'w mut MaximalWorkspace,
    state: &'a MaximalState,
    tau: &'a [f64],
    external: &'a [Force<f64>],
}

impl Kernel for Recursion<'_, '_> {
    type Output = Result<(), MaximalError>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Self {
            model,
            ws,
            state,
            tau,
            external,
        } = self;
        ws.coordinates.copy_from_slice(&state.coordinates);
        for id in model.joint_ids() {
            let i = id.index();
            let joint = model.joint(id);
            let (body, velocity) = (&mut ws.bodies[i], &state.velocities[i]);
            body.inertia = inertia_matrix(joint);
            body.force = free_force(model, joint, &state.poses[i].placement(), velocity);
            if let Some(force) = external.get(i) {
                body.force += Vector6::from(*force);
            }
            let own_q = &mut ws.coordinates[joint.idx_q..joint.idx_q + joint.nq];
            let own_tau = &tau[joint.idx_v..joint.idx_v + joint.nv];
            constrain(joint, state, i, own_q, own_tau, body)?;
        }
        for id in model.joint_ids().rev() {
            let (i, parent) = (id.index(), model.parent(id).index());
            let (before, from) = ws.bodies.split_at_mut(i);
            let singular = || MaximalError::SingularInertia {
                joint: model.joint(id).name.clone(),
            };
            let above = (parent != JointId::UNIVERSE.index()).then(|| &mut before[parent]);
            eliminate(&mut from[0], above).ok_or_else(singular)?;
        }
        ws.accelerations[0] = Motion::zero();
        ws.joint_forces[0] = Force::zero();
        for id in model.joint_ids() {
            let (i, parent) = (id.index(), model.parent(id).index());
            let above = Vector6::from(ws.accelerations[parent]);
            let (acceleration, force) = back_substitute(&ws.bodies[i], &above);
            ws.accelerations[i] = acceleration.into();
            ws.joint_forces[i] = force.into();
        }
        Ok(())
    }
}

fn inertia_matrix(joint: &Joint) -> Matrix6<f64> {
    let rows = joint.inertia.to_matrix();
    Matrix6::from_fn(|r, c| rows[r][c])
}

/// What acts on a body apart from its joints: gravity, and the inertia of its own motion.
fn free_force(
    model: &Model,
    joint: &Joint,
    placement: &Se3<f64>,
    velocity: &Motion<f64>,
) -> Vector6<f64> {
    let fall = Motion::new(placement.rotation.tr_mul_vec(model.gravity()), Vec3::zero());
    let weight = joint.inertia.mul_motion(&fall);
    Vector6::from(weight) - Vector6::from(joint.inertia.velocity_force(velocity))
}

/// Writes the constraints of a joint, and the force of its drive.
fn constrain(
    joint: &Joint,
    state: &MaximalState,
    i: usize,
    q: &mut [f64],
    tau: &[f64],
    body: &mut Body,
) -> Result<(), MaximalError> {
    let dependent = || MaximalError::DependentMotions {
        joint: joint.name.clone(),
    };
    let relative = state.relative(joint, i);
    let mut subspace = [Motion::zero(); 6];
    let subspace = &mut subspace[..joint.nv];
    if !joint.kind.has_constant_subspace() {
        follow(&joint.kind, &relative.placement, q).ok_or_else(dependent)?;
    }
    joint.kind.evaluate(q, subspace);
    let basis = ConstraintBasis::of(subspace).ok_or_else(dependent)?;
    let rigid = 6 - basis.freedom;
    body.rigid = rigid;

    let rates = basis.columns.tr_mul(&Vector6::from(relative.velocity));
    let mut v = [0.0; 6];
    v[..joint.nv].copy_from_slice(&rates.as_slice()[rigid..]);
    let v = &v[..joint.nv];
    // c = v × S q̇ + Ṡ q̇, Featherstone 2008, equation 3.42.
    let mut own_velocity = Motion::zero();
    for k in 0..joint.nv {
        own_velocity = subspace[k].mul_add(v[k], &own_velocity);
    }
    let mut bias = state.velocities[i].cross(&own_velocity);
    if !joint.kind.has_constant_subspace() {
        joint.kind.subspace_rates(q, v, subspace);
        for k in 0..joint.nv {
            bias = subspace[k].mul_add(v[k], &bias);
        }
    }

    body.own = basis.columns.transpose();
    body.drive = Vector6::zeros();
    for k in 0..joint.nv {
        let column = basis.columns.column(rigid + k);
        body.drive += column * tau[k];
        let armature = joint.drive.reflected_inertia(k);
        // A multiplier in units in which its own resistance is one; without armature there is none.
        let scaled = column.transpose() * armature.sqrt();
        body.own.set_row(rigid + k, &scaled);
    }
    body.constraint = body.own * Vector6::from(bias);
    let rows = relative.in_parent.inverse().action_matrix();
    let carry = Matrix6::from_fn(|r, c| rows[r][c]);
    body.above = -body.own * carry;
    body.recoil = -carry.tr_mul(&body.drive);
    Ok(())
}

/// Expresses a body by the acceleration of the one above, to which it adds its inertia and force. None if the body's
/// acceleration is not determined.
fn eliminate(body: &mut Body, above: Option<&mut Body>) -> Option<()> {
    let rigid = body.own.rows(0, body.rigid);
    // As large as the inertia itself, so that neither drowns the other.
    body.penalty = body.inertia.trace() / 6.0;
    let penalised = body.inertia + rigid.tr_mul(&rigid) * body.penalty;
    let inverse = penalised.cholesky()?;
    for k in 0..6 {
        let pivot = inverse.l_dirty()[(k, k)];
        if pivot * pivot < ROUNDING * penalised[(k, k)] {
            return None;
        }
    }
    body.response = inverse.solve(&body.own.transpose());
    body.free = inverse.solve(&(body.force + body.drive));

    let mut compliance = body.own * body.response;
    for k in body.rigid..6 {
        compliance[(k, k)] += 1.0;
    }
    let stiffness = compliance.cholesky()?;
    body.carried = stiffness.solve(&body.above);
    body.offset = stiffness.solve(&(body.own * body.free - body.constraint));
    if let Some(above) = above {
        let rigid = body.above.rows(0, body.rigid);
        let penalty = rigid.tr_mul(&rigid) * body.penalty;
        let inertia = body.above.tr_mul(&body.carried) - penalty;
        above.inertia += (inertia + inertia.transpose()) * 0.5;
        let rest = rigid.tr_mul(&body.constraint.rows(0, body.rigid)) * body.penalty;
        above.force += body.recoil - body.above.tr_mul(&body.offset) - rest;
    }
    Some(())
}

/// The acceleration of a body below one whose acceleration is known, and the force that its joint passes on to it.
fn back_substitute(body: &Body, above: &Vector6<f64>) -> (Vector6<f64>, Vector6<f64>) {
    let mut multiplier = body.carried * above + body.offset;
    let acceleration = body.free - body.response * multiplier;
    for k in 0..body.rigid {
        let known = body.constraint[k] - body.above.row(k).transpose().dot(above);
        multiplier[k] += body.penalty * known;
    }
    (acceleration, body.drive - body.own.tr_mul(&multiplier))
}
