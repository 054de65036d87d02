//! The articulated-body algorithm: forward dynamics in O(n).
//!
//! Featherstone 2008, table 7.1; Featherstone 1983. Three passes: velocities to the leaves,
//! articulated-body inertias and bias forces to the root, accelerations to the leaves.
//!
//! | equation | pass |
//! |---|---|
//! | vᵢ = ᵢXλ v_λ + Sᵢ q̇ᵢ, cᵢ = Ṡᵢ q̇ᵢ + vᵢ × Sᵢ q̇ᵢ, pᵢ = vᵢ ×* Iᵢ vᵢ − fᵢˣ | [`velocities`] |
//! | Uᵢ = Iᵢᴬ Sᵢ, Dᵢ = Sᵢᵀ Uᵢ, uᵢ = τᵢ − Sᵢᵀ pᵢᴬ | [`articulated_bodies`] |
//! | Iᵃ = Iᵢᴬ − Uᵢ Dᵢ⁻¹ Uᵢᵀ, pᵃ = pᵢᴬ + Iᵃ cᵢ + Uᵢ Dᵢ⁻¹ uᵢ | [`articulated_bodies`] |
//! | I_λᴬ += λXᵢ* Iᵃ ᵢXλ, p_λᴬ += λXᵢ* pᵃ | [`articulated_bodies`] |
//! | a' = ᵢXλ a_λ + cᵢ, q̈ᵢ = Dᵢ⁻¹ (uᵢ − Uᵢᵀ a'), aᵢ = a' + Sᵢ q̈ᵢ | [`accelerations`] |
//!
//! A joint's U, D⁻¹ and u are kept in its front. A joint of several freedoms is eliminated one
//! coordinate after the other, by the steps of [`articulated`](super::articulated). Mimic joints,
//! and coordinates whose acceleration is known, are [hybrid dynamics](super::hybrid).

use super::articulated::{axial_force, back_substitute, eliminate, join_bias, join_columns};
use super::external;
use super::singular::ArticulatedElimination;
use crate::error::{Error, check_size};
use crate::kinematics::hinge::{hinge_of, into_link, out_of_link, placed, turn_or_place};
use crate::kinematics::joint_pass::{axial_component, joint_motion, move_link};
use crate::model::{Class, Model, Order, link_parameters};
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{ArticulatedInertia, Force, HingedInertia, InertiaBound, Motion, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    avx512:
    /// Featherstone 2008, table 7.1: q̈ = M⁻¹ (τ − C), in `ws.vector`. Without mimic joints.
    fn articulated_body<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        forces: Option<&[Force<S>]>,
    ) {
        let column = &mut ws.subspaces.column;
        turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
        velocities(model, ws, q, v, forces);
        articulated_bodies(model, ws, tau);
        accelerations(model, ws);
    }
);

/// From the root to the leaves: vᵢ, cᵢ and, in `ws.force`, pᵢ. Needs the links' placements.
#[inline(always)]
fn velocities<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    v: &[S],
    forces: Option<&[Force<S>]>,
) {
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let velocity = &mut ws.velocity[..n];
    let bias_acceleration = &mut ws.bias_acceleration[..n];
    let force = &mut ws.force[..n];
    velocity[0] = Motion::zero();
    for i in 1..n {
        let link = &links[i];
        let parent = link.parent.min(i - 1);
        // v_i = iX_λ v_λ + S_i q̇_i, c_i = Ṡ_i q̇_i + v_i × S_i q̇_i
        let carried = into_link(link, &turn[i], &placement[i], &velocity[parent]);
        let (v_i, c_i) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
        // p_i = v_i ×* I_i v_i − f_i^x
        let mut p_i = link_parameters(&ws.parameters, i, link).velocity_force(&v_i);
        if let Some(forces) = forces {
            p_i = p_i - link.force_in_link(&forces[i]);
        }
        velocity[i] = v_i;
        bias_acceleration[i] = c_i;
        force[i] = p_i;
    }
}

/// From the leaves to the root: Uᵢ, Dᵢ⁻¹ and uᵢ of each joint, in its front.
#[inline(always)]
fn articulated_bodies<S: Scalar>(model: &Model, ws: &mut Scratch<S>, tau: &[S]) {
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let all_fronts = &model.coordinates.fronts[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let bias_acceleration = &ws.bias_acceleration[..n];
    let articulated = &mut ws.articulated[..n];
    let force = &mut ws.force[..n];
    let (column, fronts) = (&ws.subspaces.column, &mut ws.fronts);
    let noted = &mut ws.rounding.carried[..n];
    // The contribution of the link after stays in registers: a sum in memory that is read at once
    // would be waited for.
    let mut from_next = (ArticulatedInertia::zero(), Force::zero());
    for i in (1..n).rev() {
        let (link, front) = (&links[i], &all_fronts[i]);
        // I_i^A and p_i^A: those of the body, and what its children have handed on.
        let own = link_parameters(&ws.parameters, i, link);
        let (mut inertia, mut bias);
        if i + 1 < n && links[i + 1].parent == i {
            inertia = from_next.0.plus_body(&own);
            bias = force[i] + from_next.1;
            if !model.is_last_child(i + 1) {
                inertia += articulated[places[i]];
            }
        } else {
            inertia = own.to_articulated();
            bias = force[i];
        }
        noted[i] = InertiaBound::of(&inertia);
        // A hinge without armature leaves no moment about its axis.
        let free = match hinge_of::<S>(link) {
            Some(hinge) if model.reflected_inertia[link.idx_v] == 0.0 => Some(hinge),
            _ => None,
        };
        if front.simple {
            // U_i = I_i^A S_i, D_i = S_iᵀ U_i, u_i = τ_i − S_iᵀ p_i^A
            let k = link.idx_v;
            let (along, component) = axial_force(link.class, &inertia);
            let inverse = (component + S::constant(model.reflected_inertia[k])).recip();
            let side = tau[k] - axial_component(link.class, &bias);
            fronts.force[front.offset] = along;
            fronts.square[front.square] = inverse;
            fronts.side[front.offset] = side;
            // I^a = I_i^A − U_i D_i⁻¹ U_iᵀ, p^a = p_i^A + U_i D_i⁻¹ u_i + I^a c_i
            bias = along.mul_add(side * inverse, &bias);
            if free.is_none() {
                inertia = inertia.sub_outer(&along, inverse);
            }
        } else {
            join_columns(front, link, &inertia, column, fronts);
            inertia = eliminate(model, front, None, link.parent != 0, inertia, fronts);
            bias = join_bias(front, link, None, tau, bias, column, fronts);
        }
        if link.parent == 0 {
            continue;
        }
        let c_i = &bias_acceleration[i];
        // λX_i* I^a iX_λ
        let inertia = if let Some(hinge) = free {
            let (along, inverse) = (&fronts.force[front.offset], fronts.square[front.square]);
            let left = HingedInertia::new(&inertia, along, inverse);
            bias += left.mul_planar(c_i.linear, c_i.angular);
            let turned = left.turned(turn[i].sin, turn[i].cos);
            let shifted = turned.shifted(Vec3::constant(hinge.offset));
            match hinge.order {
                Order::Same => shifted,
                Order::Next => shifted.cycled(),
                Order::Previous => shifted.cycled().cycled(),
            }
        } else {
            bias += inertia.mul_motion(c_i);
            inertia.transformed_by(&placed(link, &turn[i], &placement[i]))
        };
        // λX_i* p^a
        let bias = out_of_link(link, &turn[i], &placement[i], &bias);
        let parent = link.parent.min(i - 1);
        if parent + 1 == i {
            from_next = (inertia, bias);
            continue;
        }
        force[parent] += bias;
        let above = &mut articulated[places[parent]];
        if model.is_last_child(i) {
            *above = inertia;
        } else {
            *above += inertia;
        }
    }
}

/// From the root to the leaves: aᵢ and, in `ws.vector`, q̈ᵢ.
#[inline(always)]
fn accelerations<S: Scalar>(model: &Model, ws: &mut Scratch<S>) {
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let all_fronts = &model.coordinates.fronts[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let bias_acceleration = &ws.bias_acceleration[..n];
    let acceleration = &mut ws.acceleration[..n];
    let (column, fronts) = (&ws.subspaces.column, &ws.fronts);
    let rates = &mut ws.vector[..];
    // a_0 = −g
    let base = Motion::new(-Vec3::<S>::constant(model.gravity()), Vec3::zero());
    for i in 1..n {
        let (link, front) = (&links[i], &all_fronts[i]);
        // a' = iX_λ a_λ + c_i; the last child of a link takes over its place in memory.
        let above = match link.parent {
            0 => base,
            parent => acceleration[places[parent.min(i - 1)]],
        };
        let mut a_i = into_link(link, &turn[i], &placement[i], &above) + bias_acceleration[i];
        // q̈_i = D_i⁻¹ (u_i − U_iᵀ a'), a_i = a' + S_i q̈_i
        if front.simple {
            let sum = a_i.dot(&fronts.force[front.offset]);
            let k = link.idx_v;
            let rate = (fronts.side[front.offset] - sum) * fronts.square[front.square];
            rates[k] = rate;
            match link.class {
                Class::Prismatic => a_i.linear.z += rate,
                Class::Revolute | Class::Unbounded | Class::General => a_i.angular.z += rate,
            }
        } else {
            back_substitute(front, None, &a_i, rates, &mut [], fronts);
            a_i += joint_motion(link, column, rates);
        }
        acceleration[places[i]] = a_i;
    }
}

/// Places links and eliminates all coordinates at rest; the rest of each body is in its front.
#[inline(always)]
pub(super) fn eliminate_at_rest<S: Scalar>(model: &Model, q: &[S], ws: &mut Scratch<S>) {
    let column = &mut ws.subspaces.column;
    turn_or_place(model, q, &mut ws.turn, &mut ws.placement, column);
    ws.bias_acceleration.fill(Motion::zero());
    ws.force.fill(Force::zero());
    // It can't be borrowed from the workspace while its other parts are being written.
    let mut none = std::mem::take(&mut ws.vector);
    none.fill(S::zero());
    articulated_bodies(model, ws, &none);
    ws.vector = none;
}

impl Model {
    /// Forward dynamics: the accelerations q̈ that the joint forces `tau` cause in the state (`q`,
    /// `v`).
    ///
    /// Of a model with [loops](crate::model::LoopJoint) it sees the spanning tree.
    ///
    /// Armature and reflected rotor inertia are included, passive forces are not: for those see
    /// [`forward_dynamics`](Self::forward_dynamics). Cost O(n). Source: Featherstone 2008, table
    /// 7.1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::SingularInertia`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, tau) = ([0.3, -0.2], [0.1, 0.4], [1.0_f64, 2.0]);
    /// let a = model.aba(&mut ws, &q, &v, &tau)?.to_vec();
    /// let back = model.rnea(&mut ws, &q, &v, &a)?;
    /// assert!((back[0] - tau[0]).abs() < 1e-12 && (back[1] - tau[1]).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn aba<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
    ) -> Result<&'w [S], Error> {
        self.aba_with_forces(ws, q, v, tau, &[])
    }

    /// [`aba`](Self::aba) with [external forces](crate::dynamics#external-forces).
    pub(crate) fn aba_with_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        tau: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w [S], Error> {
        if self.has_mimic_joints() {
            self.run_hybrid(ws, q, v, tau, None, external(forces))?;
            return Ok(&ws.scratch.vector);
        }
        let forces = external(forces);
        self.check_forward_inputs(ws, q, v, tau, forces)?;
        articulated_body(self, &mut ws.scratch, q, v, tau, forces);
        let is_finite = all_finite(&ws.scratch.vector);
        let elimination = ArticulatedElimination {
            by_turns: true,
            ..Default::default()
        };
        self.check_accelerations(ws, is_finite, (q, v, tau), forces, elimination)?;
        Ok(&ws.scratch.vector)
    }

    /// Fails unless all inputs of forward dynamics have the model's sizes.
    #[inline(always)]
    pub(crate) fn check_forward_inputs<S: Scalar>(
        &self,
        ws: &Workspace<S>,
        q: &[S],
        v: &[S],
        values: &[S],
        forces: Option<&[Force<S>]>,
    ) -> Result<(), Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        self.check_tangent("tau", values)?;
        match forces {
            Some(forces) => check_size("external forces", self.links.len(), forces.len()),
            None => Ok(()),
        }
    }

    /// Fails unless accelerations are finite and the inertia behind them is not singular.
    #[inline(always)]
    pub(super) fn check_accelerations<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        is_finite: bool,
        (q, v, values): (&[S], &[S], &[S]),
        forces: Option<&[Force<S>]>,
        elimination: ArticulatedElimination<'_>,
    ) -> Result<(), Error> {
        if is_finite {
            return self.check_pivots(ws, elimination);
        }
        let error =
            self.explain_not_finite("the acceleration", q, &[("v", v), ("tau", values)], forces);
        if let Error::Overflow { .. } = error {
            // The inputs are sound, so a pivot has vanished.
            self.check_pivots(ws, elimination).and(Err(error))
        } else {
            Err(error)
        }
    }
}
