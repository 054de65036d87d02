//! The KKT system of a tree, eliminated body by body.
//!
//! From the leaves to the root, body i and the constraints of its joint are expressed by the acceleration of the body
//! above: λᵢ = Sᵢ v̇λ + sᵢ and v̇ᵢ = Wᵢ λᵢ + wᵢ. What is left goes to the body above as inertia and force. Back from the
//! root to the leaves the accelerations and constraint forces follow.
//!
//! Two things are added to the textbook's recursion. The drive's armature D resists the joint's acceleration: its force
//! −D q̈ is one more multiplier, with D⁻¹ on the diagonal of the system. And a massless body has no inverse inertia: the
//! constraints times a penalty ρ are added to its equation, which changes λ by a known amount and nothing else.

use super::small_matrix::{Factors, Row, Rows, add_scaled};
use super::state::{Pose, refuse_followers};
use super::{MaximalError, MaximalState};
use crate::Error;
use crate::error::check_size;
use crate::joint::{ConstraintBasis, follow};
use crate::model::{Joint, JointId, Model};
use crate::scalar::{Kernel, dispatch};
use crate::spatial::{Force, Motion, Se3, Vec3};

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
    /// The joint's forces: constant for most kinds of joints.
    forces: JointForces,
    /// The body's own inertia.
    own_inertia: Rows,
    /// The inertia that the body shows with everything beyond it, and the force on it.
    inertia: Rows,
    force: Row,
    /// ρ for rigid constraints, 0 for others.
    penalty: Row,
    /// The constraints' rows for the acceleration of the body above, and what the constraints sum to.
    above: Rows,
    constraint: Row,
    /// −W and w: v̇ = W λ + w.
    response: Rows,
    free: Row,
    /// S and s: λ = S v̇λ + s.
    carried: Rows,
    offset: Row,
    /// The force of the drive on the body, and on the one above, armature apart.
    drive: Row,
    recoil: Row,
}

/// The forces that a joint transmits, as [`ConstraintBasis`] has them.
#[derive(Clone, Debug)]
struct JointForces {
    /// How many of them are constraints.
    rigid: usize,
    /// By columns: those of constraint, then those of the drive.
    basis: Rows,
    /// The same as constraints on the body's acceleration, by rows. That of a drive is weighted by the root of its
    /// armature, so that its multiplier resists as one; without armature there is none.
    constraints: Rows,
}

impl JointForces {
    #[inline(always)]
    fn new(joint: &Joint, basis: &ConstraintBasis) -> Self {
        let rigid = basis.rigid();
        let mut columns = Rows::zero();
        for r in 0..6 {
            for c in 0..6 {
                columns.0[r][c] = basis.columns[(r, c)];
            }
        }
        let mut constraints = columns.transposed();
        for k in 0..basis.freedom {
            let weight = joint.drive.reflected_inertia(k).sqrt();
            for l in 0..6 {
                constraints.0[rigid + k][l] *= weight;
            }
        }
        Self {
            rigid,
            basis: columns,
            constraints,
        }
    }
}

impl Body {
    fn new(joint: &Joint, forces: JointForces) -> Self {
        let (matrix, vector) = (Rows::zero(), [0.0; 8]);
        Self {
            forces,
            own_inertia: Rows::of(&joint.inertia.to_matrix()),
            inertia: matrix,
            force: vector,
            penalty: vector,
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
            bodies: model
                .joints()
                .iter()
                .map(prepared)
                .collect::<Result<_, _>>()?,
            coordinates: vec![0.0; model.nq()],
            accelerations: vec![Motion::zero(); bodies],
            joint_forces: vec![Force::zero(); bodies],
        })
    }
}

/// A body whose joint's constraints are known as far as they do not depend on the configuration.
fn prepared(joint: &Joint) -> Result<Body, MaximalError> {
    let mut basis = ConstraintBasis::of(&[]);
    if joint.kind.has_constant_subspace() {
        let (mut q, mut subspace) = (vec![0.0; joint.kind.nq()], vec![Motion::zero(); joint.nv]);
        joint.kind.neutral(&mut q);
        joint.kind.evaluate(&q, &mut subspace);
        basis = ConstraintBasis::of(&subspace);
    }
    let dependent = || MaximalError::DependentMotions {
        joint: joint.name.clone(),
    };
    let basis = basis.ok_or_else(dependent)?;
    Ok(Body::new(joint, JointForces::new(joint, &basis)))
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
            body.inertia = body.own_inertia;
            let mut force = free_force(model, joint, &state.poses[i], velocity);
            if let Some(external) = external.get(i) {
                force += *external;
            }
            body.force = row(force.to_array());
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
            let above = row(ws.accelerations[parent].to_array());
            let (acceleration, force) = back_substitute(&ws.bodies[i], &above);
            ws.accelerations[i] = Motion::from_array(acceleration);
            ws.joint_forces[i] = Force::from_array(force);
        }
        Ok(())
    }
}

#[inline(always)]
fn row([a, b, c, d, e, f]: [f64; 6]) -> Row {
    [a, b, c, d, e, f, 0.0, 0.0]
}

#[inline(always)]
fn six([a, b, c, d, e, f, ..]: Row) -> [f64; 6] {
    [a, b, c, d, e, f]
}

/// What acts on a body apart from its joints: gravity, and the inertia of its own motion.
#[inline(always)]
fn free_force(model: &Model, joint: &Joint, pose: &Pose, velocity: &Motion<f64>) -> Force<f64> {
    let rotation = pose.placement().rotation;
    let fall = Motion::new(rotation.tr_mul_vec(model.gravity()), Vec3::zero());
    joint.inertia.mul_motion(&fall) - joint.inertia.velocity_force(velocity)
}

/// Writes the constraints of a joint, and the force of its drive.
#[inline(always)]
fn constrain(
    joint: &Joint,
    state: &MaximalState,
    i: usize,
    q: &mut [f64],
    tau: &[f64],
    body: &mut Body,
) -> Result<(), MaximalError> {
    let relative = state.relative(joint, i);
    let varies = !joint.kind.has_constant_subspace();
    if varies {
        let basis = dispatch(BasisAt {
            joint,
            placement: &relative.placement,
            q,
        });
        let dependent = || MaximalError::DependentMotions {
            joint: joint.name.clone(),
        };
        body.forces = JointForces::new(joint, &basis.ok_or_else(dependent)?);
    }
    let JointForces {
        rigid,
        basis,
        constraints,
    } = &body.forces;
    // What the joint allows of the relative velocity is S q̇.
    let relative_velocity = row(relative.velocity.to_array());
    let rates = basis.transposed_times(&relative_velocity);
    let mut own_velocity = relative_velocity;
    for k in 0..*rigid {
        for r in 0..6 {
            own_velocity[r] -= basis.0[r][k] * rates[k];
        }
    }
    // c = v × S q̇ + Ṡ q̇, Featherstone 2008, equation 3.42.
    let mut bias = state.velocities[i].cross(&Motion::from_array(six(own_velocity)));
    if varies {
        bias += dispatch(RateOfSubspace {
            joint,
            q,
            v: &rates[*rigid..6],
        });
    }
    let mut forces = [0.0; 8];
    forces[*rigid..6].copy_from_slice(tau);
    for r in 0..6 {
        body.drive[r] = 0.0;
        for k in 0..6 {
            body.drive[r] = basis.0[r][k].mul_add(forces[k], body.drive[r]);
        }
    }
    let bias = row(bias.to_array());
    for k in 0..6 {
        body.constraint[k] = 0.0;
        for c in 0..6 {
            body.constraint[k] = constraints.0[k][c].mul_add(bias[c], body.constraint[k]);
        }
    }
    let carry = Rows::of(&relative.in_parent.inverse().action_matrix());
    body.above = constraints.times(&carry);
    body.recoil = carry.transposed_times(&body.drive);
    for r in 0..6 {
        body.recoil[r] = -body.recoil[r];
        for l in 0..8 {
            body.above.0[r][l] = -body.above.0[r][l];
        }
    }
    Ok(())
}

/// The forces of a joint whose motions depend on the configuration, which is sought from `q` and written there.
///
/// A kernel of its own: the code for every kind of joint is large.
struct BasisAt<'a> {
    joint: &'a Joint,
    placement: &'a Se3<f64>,
    q: &'a mut [f64],
}

impl Kernel for BasisAt<'_> {
    type Output = Option<ConstraintBasis>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let kind = &self.joint.kind;
        follow(kind, self.placement, self.q)?;
        let mut subspace = [Motion::zero(); 6];
        let subspace = &mut subspace[..self.joint.nv];
        kind.evaluate(self.q, subspace);
        ConstraintBasis::of(subspace)
    }
}

/// Ṡ q̇ of such a joint.
struct RateOfSubspace<'a> {
    joint: &'a Joint,
    q: &'a [f64],
    v: &'a [f64],
}

impl Kernel for RateOfSubspace<'_> {
    type Output = Motion<f64>;

    #[inline(always)]
    fn run(self) -> Motion<f64> {
        let mut rates = [Motion::zero(); 6];
        let rates = &mut rates[..self.joint.nv];
        self.joint.kind.subspace_rates(self.q, self.v, rates);
        let mut bias = Motion::zero();
        for k in 0..self.joint.nv {
            bias = rates[k].mul_add(self.v[k], &bias);
        }
        bias
    }
}

/// Expresses a body by the acceleration of the one above, to which it adds its inertia and force. None if the body's
/// acceleration is not determined.
#[inline(always)]
fn eliminate(body: &mut Body, above: Option<&mut Body>) -> Option<()> {
    let constraints = &body.forces.constraints;
    // As large as the inertia itself, so that neither drowns the other.
    let mut trace = 0.0;
    for k in 0..6 {
        trace += body.inertia.0[k][k];
    }
    body.penalty = [0.0; 8];
    body.penalty[..body.forces.rigid].fill(trace / 6.0);
    let mut penalised = body.inertia;
    penalised.add_gram(constraints, &body.penalty);
    let factors = Factors::of(&penalised)?;
    let half = factors.solve_lower(&constraints.transposed());
    body.response = factors.solve_upper(&half);
    let mut force = body.force;
    add_scaled(&mut force, 1.0, &body.drive);
    body.free = factors.solve(&force);

    let mut compliance = Rows::zero();
    compliance.add_gram(&half, &factors.inverse);
    for k in body.forces.rigid..6 {
        compliance.0[k][k] += 1.0;
    }
    let stiffness = Factors::of(&compliance)?;
    let half = stiffness.solve_lower(&body.above);
    body.carried = stiffness.solve_upper(&half);
    let mut missed = body.constraint;
    for k in 0..6 {
        missed[k] = -missed[k];
        for c in 0..6 {
            missed[k] = constraints.0[k][c].mul_add(body.free[c], missed[k]);
        }
    }
    body.offset = stiffness.solve(&missed);
    if let Some(above) = above {
        above.inertia.add_gram(&half, &stiffness.inverse);
        let (mut taken, mut multiplier) = ([0.0; 8], body.offset);
        for k in 0..6 {
            taken[k] = -body.penalty[k];
            multiplier[k] = body.penalty[k].mul_add(body.constraint[k], multiplier[k]);
        }
        above.inertia.add_gram(&body.above, &taken);
        add_scaled(&mut above.force, 1.0, &body.recoil);
        let reaction = body.above.transposed_times(&multiplier);
        add_scaled(&mut above.force, -1.0, &reaction);
    }
    Some(())
}

/// The acceleration of a body below one whose acceleration is known, and the force that its joint passes on to it.
#[inline(always)]
fn back_substitute(body: &Body, above: &Row) -> ([f64; 6], [f64; 6]) {
    let (mut multiplier, mut acceleration) = (body.offset, body.free);
    for k in 0..6 {
        for c in 0..6 {
            multiplier[k] = body.carried.0[k][c].mul_add(above[c], multiplier[k]);
        }
    }
    for r in 0..6 {
        for k in 0..6 {
            acceleration[r] = (-body.response.0[r][k]).mul_add(multiplier[k], acceleration[r]);
        }
    }
    for k in 0..body.forces.rigid {
        let mut known = body.constraint[k];
        for c in 0..6 {
            known = (-body.above.0[k][c]).mul_add(above[c], known);
        }
        multiplier[k] = body.penalty[k].mul_add(known, multiplier[k]);
    }
    let constrained = body.forces.constraints.transposed_times(&multiplier);
    let mut force = body.drive;
    add_scaled(&mut force, -1.0, &constrained);
    (six(acceleration), six(force))
}
