//! Passive forces of the joints, and the dynamics of the robot with them.

use super::ExternalForce;
use crate::error::Error;
use crate::joint::configuration::Group;
use crate::kinematics::joint_pass::mimic_displacement;
use crate::model::{Joint, Model};
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::Force;
use crate::workspace::{Scratch, Workspace};

/// The terms that [`inverse_dynamics`](Model::inverse_dynamics) and
/// [`forward_dynamics`](Model::forward_dynamics) count besides the bodies, the armature and
/// gravity.
///
/// The default counts passive forces, and no external ones.
///
/// ```
/// use featherline::dynamics::DynamicsOptions;
/// use featherline::spatial::Force;
///
/// let forces = vec![Force::<f64>::zero(); 3];
/// let options = DynamicsOptions::default().without_passive_forces().with_forces(&forces);
/// assert!(!options.passive_forces);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicsOptions<'f, S: Scalar> {
    /// Whether damping, dry friction and springs act.
    pub passive_forces: bool,
    /// [External forces](crate::dynamics#external-forces); empty for none.
    pub external_forces: &'f [Force<S>],
    /// Forces on joints and frames, each constant in its reference; empty for none. They add to the
    /// external forces.
    pub frame_forces: &'f [ExternalForce<S>],
}

impl<S: Scalar> Default for DynamicsOptions<'_, S> {
    fn default() -> Self {
        Self {
            passive_forces: true,
            external_forces: &[],
            frame_forces: &[],
        }
    }
}

impl<'f, S: Scalar> DynamicsOptions<'f, S> {
    /// Leaves out damping, dry friction and springs, as [`rnea`](Model::rnea) and
    /// [`aba`](Model::aba) do.
    pub fn without_passive_forces(mut self) -> Self {
        self.passive_forces = false;
        self
    }

    /// Adds [external forces](crate::dynamics#external-forces).
    pub fn with_forces(mut self, forces: &'f [Force<S>]) -> Self {
        self.external_forces = forces;
        self
    }

    /// Adds forces on joints and frames, each constant in its reference, as its derivatives by q
    /// have it.
    pub fn with_frame_forces(mut self, forces: &'f [ExternalForce<S>]) -> Self {
        self.frame_forces = forces;
        self
    }
}

kernel!(
    fn passive_forces<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S], v: &[S]) {
        let (forces, rest) = (&mut ws.passive, &mut ws.configuration);
        for joint in &model.joints()[1..] {
            if joint.mimic.is_none() {
                let range = joint.idx_v..joint.idx_v + joint.nv;
                own_forces(
                    joint,
                    &q[joint.idx_q..joint.idx_q + joint.nq],
                    &v[range.clone()],
                    &mut rest[joint.idx_q..joint.idx_q + joint.nq],
                    &mut forces[range],
                );
            }
        }
        // A mimic joint may come before the mimicked joint, so these are added when all mimicked
        // joints' own forces stand.
        for joint in &model.joints()[1..] {
            if let Some(mimic) = &joint.mimic {
                let ratio = S::constant(mimic.ratio);
                let displacement = mimic_displacement(model, mimic, &q[joint.idx_q..]);
                let stretch = mimic_stretch(joint, displacement);
                let force = resistance(joint, 0, ratio * v[joint.idx_v], stretch);
                forces[joint.idx_v] = ratio.mul_add(force, forces[joint.idx_v]);
            }
        }
    }
);

kernel!(
    /// Writes what the joints' springs do to the coordinates in the configuration `q`; `rest`
    /// receives the configuration in which they are at rest.
    pub fn spring_forces<S: Scalar>(model: &Model, q: &[S], rest: &mut [S], forces: &mut [S]) {
        for joint in &model.joints()[1..] {
            if joint.mimic.is_none() {
                let entries = joint.idx_q..joint.idx_q + joint.nq;
                let own = &mut forces[joint.idx_v..joint.idx_v + joint.nv];
                own_stretch(joint, &q[entries.clone()], &mut rest[entries], own);
                for k in 0..own.len() {
                    own[k] = S::constant(-joint.drive.stiffness[k]) * own[k];
                }
            }
        }
        for joint in &model.joints()[1..] {
            if let Some(mimic) = &joint.mimic {
                let displacement = mimic_displacement(model, mimic, &q[joint.idx_q..]);
                let stretch = mimic_stretch(joint, displacement);
                let factor = S::constant(-joint.drive.stiffness[0] * mimic.ratio);
                forces[joint.idx_v] = factor.mul_add(stretch, forces[joint.idx_v]);
            }
        }
    }
);

#[inline(always)]
fn has_spring(joint: &Joint) -> bool {
    joint.drive.stiffness.iter().any(|&k| k != 0.0)
}

/// Writes how far a joint that mimics no other is from where its springs are at rest, or zeros
/// where it has none; `rest` receives the springs' configuration.
#[inline(always)]
fn own_stretch<S: Scalar>(joint: &Joint, q: &[S], rest: &mut [S], stretch: &mut [S]) {
    if has_spring(joint) {
        for (r, &constant) in rest.iter_mut().zip(&joint.drive.spring_reference) {
            *r = S::constant(constant);
        }
        joint.kind.difference(rest, q, stretch);
    } else {
        stretch.fill(S::zero());
    }
}

/// Writes the forces of a joint that mimics no other; `rest` receives the springs' configuration.
#[inline(always)]
fn own_forces<S: Scalar>(joint: &Joint, q: &[S], v: &[S], rest: &mut [S], forces: &mut [S]) {
    own_stretch(joint, q, rest, forces);
    for k in 0..v.len() {
        forces[k] = resistance(joint, k, v[k], forces[k]);
    }
}

/// The force of one degree of freedom's damper, friction and spring at the given speed and stretch.
#[inline(always)]
fn resistance<S: Scalar>(joint: &Joint, degree: usize, speed: S, stretch: S) -> S {
    let drive = &joint.drive;
    let spring = S::constant(-drive.stiffness[degree]) * stretch;
    let viscous = S::constant(-drive.damping[degree]).mul_add(speed, spring);
    S::constant(-drive.friction[degree]).mul_add(sign(speed), viscous)
}

/// −1, 0 or 1.
#[inline(always)]
fn sign<S: Scalar>(x: S) -> S {
    let positive = S::select(S::zero().less(x), S::one(), S::zero());
    S::select(x.less(S::zero()), -S::one(), positive)
}

/// How far a mimic joint is from where its spring is at rest.
#[inline(always)]
fn mimic_stretch<S: Scalar>(joint: &Joint, displacement: S) -> S {
    let reference = &joint.drive.spring_reference;
    match joint.kind.group() {
        // Turns by 2π are the same configuration.
        Group::So2 => {
            let (sin, cos) = displacement.sin_cos();
            let rest = [S::constant(reference[0]), S::constant(reference[1])];
            let mut stretch = [S::zero()];
            joint.kind.difference(&rest, &[cos, sin], &mut stretch);
            stretch[0]
        }
        Group::Vector | Group::Se2 | Group::So3 | Group::Se3 => {
            displacement - S::constant(reference[0])
        }
    }
}

impl Model {
    /// The passive forces of the joints: what damping, dry friction and springs do to the
    /// coordinates in the state (`q`, `v`).
    ///
    /// For each degree of freedom −d v − f sign(v) − k δ, with damping d, friction f and stiffness
    /// k of the joint's [`Drive`](crate::model::Drive) and δ the way from the spring's reference to
    /// `q` in the tangent space ([`difference`](crate::joint::JointKind::difference)), nv entries
    /// in N·m (N). sign(0) is 0: a joint at rest has no dry friction, whether it sticks is for a
    /// simulator to decide. A mimic joint's forces act on the mimicked joint's coordinate with the
    /// ratio; its friction opposes the mimic joint's own motion. `q` has nq entries, `v` nv.
    /// Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::joint::JointKind;
    /// use featherline::model::{JointSpec, ModelBuilder};
    /// use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
    /// use featherline::Workspace;
    ///
    /// let mut builder = ModelBuilder::new("door");
    /// let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_z())
    ///     .damping(2.0)
    ///     .friction(0.5)
    ///     .stiffness(10.0);
    /// let hinge = builder.add_joint(hinge);
    /// let moments = Sym3::diagonal(Vec3::new(3.0, 4.0, 1.0));
    /// let leaf = Inertia::new(20.0, Vec3::new(0.4, 0.0, 0.0), moments);
    /// builder.add_body(hinge, "leaf", Se3::identity(), leaf);
    /// let door = builder.build()?.model;
    /// let mut ws = Workspace::new(&door);
    /// let force = door.passive_forces(&mut ws, &[0.2], &[-1.5])?;
    /// assert_eq!(force, [2.0 * 1.5 + 0.5 - 10.0 * 0.2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn passive_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<&'w [S], Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        passive_forces(self, &mut ws.scratch, q, v);
        let is_finite = all_finite(&ws.scratch.passive);
        self.check_finite(is_finite, "the passive force", q, &[("v", v)])?;
        Ok(&ws.scratch.passive)
    }

    /// Inverse dynamics of the whole robot: the joint forces that actuators must give for the
    /// accelerations `a` in the state (`q`, `v`).
    ///
    /// [`rnea`](Self::rnea) minus [`passive_forces`](Self::passive_forces), with the external
    /// forces of `options`. Inverse to [`forward_dynamics`](Self::forward_dynamics) with the same
    /// options. Cost O(n).
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.3, -0.2], [0.1, 0.4], [1.0_f64, 2.0]);
    /// let options = DynamicsOptions::default();
    /// let tau = model.inverse_dynamics(&mut ws, &q, &v, &a, options)?.to_vec();
    /// let back = model.forward_dynamics(&mut ws, &q, &v, &tau, options)?;
    /// assert!((back[0] - a[0]).abs() < 1e-12 && (back[1] - a[1]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn inverse_dynamics<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<&'w [S], Error> {
        self.with_joint_forces(ws, q, options, |ws, options| {
            self.rnea_with_forces(ws, q, v, a, options.external_forces)
                .map(drop)
        })?;
        self.subtract_passive_forces(ws, q, v, options)?;
        Ok(&ws.scratch.vector)
    }

    /// Subtracts the passive forces, if they count, from the joint forces in `ws.vector`.
    pub(crate) fn subtract_passive_forces<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<(), Error> {
        if options.passive_forces {
            self.passive_forces(ws, q, v)?;
            for (t, &p) in ws.scratch.vector.iter_mut().zip(&ws.scratch.passive) {
                *t -= p;
            }
        }
        Ok(())
    }

    /// Forward dynamics of the whole robot: the accelerations q̈ that the actuators' joint forces
    /// `tau` cause in the state (`q`, `v`).
    ///
    /// Of a model with [loops](crate::model::LoopJoint) it sees the spanning tree.
    ///
    /// [`aba`](Self::aba) with [`passive_forces`](Self::passive_forces) added to `tau`, and the
    /// external forces of `options`. Cost O(n).
    ///
    /// # Errors
    /// As [`aba`](Self::aba).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let zero = [0.0, 0.0];
    /// let options = DynamicsOptions::default();
    /// let a = model.forward_dynamics(&mut ws, &zero, &zero, &zero, options)?;
    /// assert_eq!(a, [0.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_dynamics<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<&'w [S], Error> {
        self.with_joint_forces(ws, q, options, |ws, options| {
            self.run_forward_dynamics(ws, q, v, tau, options)
        })?;
        Ok(&ws.scratch.vector)
    }

    #[inline(always)]
    fn run_forward_dynamics<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<(), Error> {
        let forces = options.external_forces;
        if !options.passive_forces {
            return self.aba_with_forces(ws, q, v, tau, forces).map(drop);
        }
        self.check_tangent("tau", tau)?;
        self.passive_forces(ws, q, v)?;
        // The total cannot be borrowed from the workspace while the algorithm writes to its other
        // parts.
        let mut total = std::mem::take(&mut ws.scratch.passive);
        for (p, &t) in total.iter_mut().zip(tau) {
            *p += t;
        }
        let outcome = self.aba_with_forces(ws, q, v, &total, forces).map(drop);
        ws.scratch.passive = total;
        outcome
    }
}
