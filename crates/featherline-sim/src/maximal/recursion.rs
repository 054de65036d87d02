//! The KKT system of a tree, eliminated body by body.
//!
//! From the leaves to the root, a body and the constraints of its joint are expressed by the
//! acceleration of the body above. The block of body i and its joint is [M T; Tᵀ 0]. Eliminating it
//! by its null space takes v̇ᵢ = X v̇λ + S q̈ + c, which solves the constraints, and finds q̈ from
//! SᵀM S; by its range space it takes TᵀM⁻¹T. Both give the same numbers (J. Nocedal, S. J. Wright,
//! *Numerical Optimization*, Springer 2006, section 16.2), and the first is smaller for joints of
//! few freedoms, needs no inverse of the inertia, and is the step of the articulated-body
//! algorithm, whose arithmetic it therefore shares. Only the bodies differ: they are free, with
//! poses and velocities of their own, which need not be quite those that their joints allow. λ
//! follows from each body's equation.
//!
//! q̈ itself is not asked for, so that where motions vary, and may come to nearly depend on each
//! other, any others that span the same take their place.
//!
//! Where loops tie bodies together, the recursion goes over what lies between the
//! [clusters](super::clusters).

use super::MaximalError;
use super::joint_bias::joint_bias;
use super::mimic::mimic_gap_of_bodies;
use super::state::{MaximalState, Pose};
use featherline::kernel;
use featherline::kernel::articulated::{
    accelerate, cross_bias, cross_inertia, eliminate_base, empty_fronts, solve_base, transmitted,
};
use featherline::kernel::{
    Class, ConstraintBasis, Form, Kernel, Link, Scratch, force_in_link, links, seen_as, seen_mut_as,
};
use featherline::model::{Joint, Model};
use featherline::scalar::Scalar;
use featherline::spatial::{Force, Mat3, Motion, Quaternion, Se3, Vec3};
use featherline_constraint::Stabilisation;
use std::ops::Range;

/// A pass of the recursion.
#[derive(Clone)]
pub(super) enum Pass {
    /// Velocities and the forces that they take, to the leaves, over all links.
    Outward,
    /// Articulated inertias and bias forces of some links, to the root.
    Inward(Range<usize>),
    /// The universe's acceleration, which stands for gravity.
    Base,
    /// Accelerations of some links, to the leaves.
    Accelerations(Range<usize>),
    /// The forces that the joints transmit, where mimic joints share a coordinate with others.
    Balance,
}

/// The recursion over a tree, generic for the sake of wide registers.
pub(super) struct Recursion<'a, S: Scalar> {
    pub model: &'a Model,
    pub pass: Pass,
    /// Which links belong to clusters, and so to others; none for a tree.
    pub is_tied: &'a [bool],
    pub scratch: &'a mut Scratch<S>,
    pub state: &'a MaximalState,
    pub velocities: &'a [Motion<S>],
    pub tau: &'a [S],
    pub external: &'a [Force<S>],
    pub joints: &'a mut JointMemory,
    pub accelerations: &'a mut [Motion<S>],
    pub joint_forces: &'a mut [Force<S>],
}

/// Memory for joints other than plain hinges and sliders.
#[derive(Clone, Debug)]
pub(super) struct JointMemory {
    /// The forces that each joint transmits: constant for most kinds.
    pub bases: Vec<ConstraintBasis>,
    pub coordinates: Vec<f64>,
    pub stabilisation: Stabilisation,
}

impl<'a, S: Scalar> Recursion<'a, S> {
    #[inline(always)]
    fn seen_as<F: Form>(self, form: F) -> Recursion<'a, F::Of<S>> {
        Recursion {
            model: self.model,
            pass: self.pass,
            is_tied: self.is_tied,
            scratch: self.scratch.seen_as(form),
            state: self.state,
            velocities: seen_as(self.velocities, form),
            tau: seen_as(self.tau, form),
            external: seen_as(self.external, form),
            joints: self.joints,
            accelerations: seen_mut_as(self.accelerations, form),
            joint_forces: seen_mut_as(self.joint_forces, form),
        }
    }
}

impl<S: Scalar> Kernel for Recursion<'_, S> {
    type Output = Result<(), MaximalError>;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) -> Self::Output {
        self.seen_as(form).run()
    }

    #[inline(always)]
    fn run(mut self) -> Self::Output {
        match self.pass.clone() {
            Pass::Outward => self.outward()?,
            Pass::Inward(links) => self.inward(links),
            Pass::Base => self.base(),
            Pass::Accelerations(links) => self.accelerate(links),
            Pass::Balance => balance(self.model, self.external, self.joint_forces, self.scratch),
        }
        Ok(())
    }
}

impl<S: Scalar> Recursion<'_, S> {
    #[inline(always)]
    fn is_tied(&self, link: usize) -> bool {
        self.is_tied.get(link).is_some_and(|tied| *tied)
    }

    #[inline(always)]
    fn outward(&mut self) -> Result<(), MaximalError> {
        empty_fronts(self.model, self.scratch);
        self.scratch.velocity[0] = Motion::zero();
        self.scratch.second.copy_from_slice(self.tau);
        let model = self.model;
        for (i, link) in links(model).iter().enumerate().skip(1) {
            self.place(i, link);
            self.join(i, link)?;
        }
        Ok(())
    }

    /// Writes how a body is placed and moves, its inertia, and the force that it takes.
    #[inline(always)]
    fn place(&mut self, i: usize, link: &Link) {
        let ws = &mut *self.scratch;
        let turn = &Mat3::constant(&link.frame.rotation);
        let velocity = into_link(turn, &self.velocities[i]);
        ws.world[i] = world(turn, &self.state.poses[i]);
        ws.velocity[i] = velocity;
        let parameters = ws.parameters_of(i, link);
        ws.articulated[i] = parameters.to_articulated();
        let mut force = parameters.velocity_force(&velocity);
        if let Some(external) = self.external.get(i) {
            force = force - force_in_link(self.model, i, external);
        }
        ws.force[i] = force;
    }

    /// Writes what the joint between two bodies that are placed has to know.
    #[inline(always)]
    fn join(&mut self, i: usize, link: &Link) -> Result<(), MaximalError> {
        let (model, state) = (self.model, self.state);
        let is_tied = self.is_tied(i);
        let ws = &mut *self.scratch;
        let world = ws.world[i];
        let placement = if link.parent == 0 {
            world
        } else {
            ws.world[link.parent].inverse_compose(&world)
        };
        let velocity = ws.velocity[i];
        let carried = placement.inverse_act_motion(&ws.velocity[link.parent]);
        let relative = velocity - carried;
        ws.placement[i] = placement;
        let plain = self.joints.stabilisation == Stabilisation::NONE;
        let turned = turned(link.class, &velocity, &relative);
        ws.bias_acceleration[i] = match turned {
            Some(bias) if plain => bias,
            // The cluster finds it.
            _ if is_tied => Motion::zero(),
            _ => any_bias(model, i, link, state, self.joints, ws)?,
        };
        Ok(())
    }

    #[inline(always)]
    fn inward(&mut self, links: Range<usize>) {
        let model = self.model;
        // It can't be borrowed from the workspace while its other parts are being written.
        let tau = std::mem::take(&mut self.scratch.second);
        for (i, link) in links.clone().zip(&kernel::links(model)[links]).rev() {
            if !self.is_tied(i) {
                cross_inertia(model, i, link, None, self.scratch);
                cross_bias(model, i, link, None, &tau, self.scratch);
            }
        }
        self.scratch.second = tau;
    }

    #[inline(always)]
    fn base(&mut self) {
        let (model, ws) = (self.model, &mut *self.scratch);
        let gravity = Vec3::<S>::constant(model.gravity());
        let base = Motion::new(-gravity, Vec3::zero());
        ws.acceleration[0] = base;
        self.accelerations[0] = Motion::zero();
        self.joint_forces[0] = Force::zero();
        eliminate_base(model, None, ws);
        let mut rates = std::mem::take(&mut ws.vector);
        solve_base(model, None, self.tau, &base, &mut rates, &mut [], ws);
        ws.vector = rates;
    }

    #[inline(always)]
    fn accelerate(&mut self, links: Range<usize>) {
        let model = self.model;
        let gravity = Vec3::<S>::constant(model.gravity());
        let has_mimic_joints = model.has_mimic_joints();
        let mut rates = std::mem::take(&mut self.scratch.vector);
        for (i, link) in links.clone().zip(&kernel::links(model)[links]) {
            if self.is_tied(i) {
                continue;
            }
            let ws = &mut *self.scratch;
            accelerate(model, i, link, None, &mut rates, &mut [], ws);
            if !has_mimic_joints {
                let force = transmitted(model, i, link, ws.acceleration[i], &rates, ws);
                self.joint_forces[i] = out_of_link(&Mat3::constant(&link.frame.rotation), &force);
            }
            let mut acceleration = ws.acceleration[i];
            acceleration.linear += ws.world[i].rotation.tr_mul_vec(gravity);
            self.accelerations[i] =
                motion_out_of_link(&Mat3::constant(&link.frame.rotation), &acceleration);
        }
        self.scratch.vector = rates;
    }
}

/// Joint forces at given accelerations, by Newton's and Euler's equations, leaf to root.
#[inline(always)]
fn balance<S: Scalar>(
    model: &Model,
    external: &[Force<S>],
    joint_forces: &mut [Force<S>],
    ws: &mut Scratch<S>,
) {
    for (i, link) in links(model).iter().enumerate().skip(1) {
        let parameters = ws.parameters_of(i, link);
        let mut force =
            parameters.mul_motion(&ws.acceleration[i]) + parameters.velocity_force(&ws.velocity[i]);
        if let Some(external) = external.get(i) {
            force = force - force_in_link(model, i, external);
        }
        ws.force[i] = force;
    }
    for (i, link) in links(model).iter().enumerate().skip(1).rev() {
        joint_forces[i] = out_of_link(&Mat3::constant(&link.frame.rotation), &ws.force[i]);
        if link.parent != 0 {
            let carried = ws.placement[i].act_force(&ws.force[i]);
            ws.force[link.parent] += carried;
        }
    }
}

/// v × S q̇ of an axial joint, in its link frame, by the relative velocity; `None` for others.
#[inline(always)]
fn turned<S: Scalar>(
    class: Class,
    velocity: &Motion<S>,
    relative: &Motion<S>,
) -> Option<Motion<S>> {
    let Motion { linear, angular } = velocity;
    match class {
        Class::Revolute | Class::Unbounded => {
            let rate = relative.angular.z;
            let spin = angular.cross_along_z(rate);
            Some(Motion::new(linear.cross_along_z(rate), spin))
        }
        Class::Prismatic => {
            let rate = relative.linear.z;
            Some(Motion::new(angular.cross_along_z(rate), Vec3::zero()))
        }
        Class::General => None,
    }
}

/// Where a link frame is in the world, that has these axes in its joint's output frame.
#[inline(always)]
fn world<S: Scalar>(turn: &Mat3<S>, pose: &Pose) -> Se3<S> {
    let Quaternion { x, y, z, w } = pose.orientation;
    let c = S::constant;
    let rotation = Quaternion::new(c(x), c(y), c(z), c(w))
        .normalised()
        .to_rotation();
    Se3::new(rotation.mul_mat(turn), Vec3::constant(pose.position))
}

/// A motion given in the joint's output frame, in a link frame that has these axes in it.
#[inline(always)]
pub(super) fn into_link<S: Scalar>(turn: &Mat3<S>, motion: &Motion<S>) -> Motion<S> {
    let angular = turn.tr_mul_vec(motion.angular);
    Motion::new(turn.tr_mul_vec(motion.linear), angular)
}

/// The other way.
#[inline(always)]
fn motion_out_of_link<S: Scalar>(turn: &Mat3<S>, motion: &Motion<S>) -> Motion<S> {
    Motion::new(turn.mul_vec(motion.linear), turn.mul_vec(motion.angular))
}

/// The same for a force.
#[inline(always)]
pub(super) fn out_of_link<S: Scalar>(turn: &Mat3<S>, force: &Force<S>) -> Force<S> {
    Force::new(turn.mul_vec(force.linear), turn.mul_vec(force.angular))
}

/// Replaces joint forces by those that do the same along other motions of the joint.
#[inline(always)]
fn drive_along<S: Scalar>(basis: &ConstraintBasis, motions: &[Motion<f64>], tau: &mut [S]) {
    let mut drive = Force::<S>::zero();
    for (k, own) in tau.iter().enumerate() {
        let along: Force<f64> = basis.columns.column(basis.rigid() + k).into_owned().into();
        drive = Force::constant(&along).mul_add(*own, &drive);
    }
    for (own, motion) in tau.iter_mut().zip(motions) {
        *own = Motion::constant(motion).dot(&drive);
    }
}

/// The bias acceleration of any joint in its link frame; writes motions that vary to `ws`.
#[inline(always)]
fn any_bias<S: Scalar>(
    model: &Model,
    i: usize,
    link: &Link,
    state: &MaximalState,
    joints: &mut JointMemory,
    ws: &mut Scratch<S>,
) -> Result<Motion<S>, MaximalError> {
    let joint = &model.joints()[i];
    let own = joint.idx_q..joint.idx_q + joint.nq;
    let mut subspace = [Motion::zero(); 6];
    let relative = state.relative(joint, i);
    let dependent = |joint: &Joint| MaximalError::dependent(&joint.name);
    // A mimic joint is held to its place, also along its motion.
    let own_stabilisation = match joint.mimic {
        None => &joints.stabilisation,
        Some(_) => &Stabilisation::NONE,
    };
    let bias = joint_bias(
        joint,
        &relative,
        &state.velocities[i],
        &mut joints.coordinates[own],
        &mut joints.bases[i],
        &mut subspace[..joint.nv],
        own_stabilisation,
    );
    let mut bias = bias.ok_or_else(|| dependent(joint))?;
    if let Some(mimic) = &joint.mimic
        && joints.stabilisation != Stabilisation::NONE
    {
        let left = mimic_gap_of_bodies(model, joint, mimic, &relative, state);
        let [gap, velocity] = left.ok_or_else(|| dependent(model.joint(mimic.source)))?;
        bias = bias - joints.stabilisation.pull(&gap, &velocity);
    }
    if link.is_varying {
        let coordinates = joint.idx_v..joint.idx_v + joint.nv;
        let drives = &kernel::reflected_inertias(model)[coordinates.clone()];
        // Armature belongs to the joint's own rates, and keeps their equations regular.
        if joint.nv > 1 && drives.iter().all(|inertia| *inertia == 0.0) {
            let basis = &joints.bases[i];
            subspace = basis.orthonormal_motions();
            drive_along(basis, &subspace[..joint.nv], &mut ws.second[coordinates]);
        }
        let columns = &mut ws.subspaces.column[link.column_range()];
        for (column, found) in columns.iter_mut().zip(&subspace) {
            *column = Motion::constant(found);
        }
    }
    let turn = Mat3::constant(&link.frame.rotation);
    Ok(into_link(&turn, &Motion::constant(&bias)))
}
