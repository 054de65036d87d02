//! The recursive Newton-Euler algorithm: inverse dynamics in O(n).
//!
//! Featherstone 2008, table 5.1; Luh, Walker and Paul 1980. Velocities and accelerations go from
//! the root to the leaves, forces come back. The acceleration of the universe is minus gravity,
//! which accounts for all weights at once.

use super::external;
use crate::error::{Error, check_size};
use crate::kinematics::hinge::{into_link, out_of_link, turn_or_place};
use crate::kinematics::joint_pass::{add_components, add_joint_motion, move_link};
use crate::model::link_parameters;
use crate::model::{Class, Model};
use crate::scalar::{Form, InstructionSet, Kernel, Scalar, dispatch, seen_as};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{Scratch, Workspace, all_finite};

pub(super) struct Rnea<'a, S: Scalar> {
    pub model: &'a Model,
    pub ws: &'a mut Scratch<S>,
    pub q: &'a [S],
    pub v: &'a [S],
    pub a: Option<&'a [S]>,
    pub forces: Option<&'a [Force<S>]>,
    pub gravity: Vec3<f64>,
}

impl<'a, S: Scalar> Rnea<'a, S> {
    #[inline(always)]
    fn seen_as<F: Form>(self, form: F) -> Rnea<'a, F::Of<S>> {
        Rnea {
            model: self.model,
            ws: self.ws.seen_as(form),
            q: seen_as(self.q, form),
            v: seen_as(self.v, form),
            a: match self.a {
                Some(a) => Some(seen_as(a, form)),
                None => None,
            },
            forces: match self.forces {
                Some(forces) => Some(seen_as(forces, form)),
                None => None,
            },
            gravity: self.gravity,
        }
    }
}

impl<S: Scalar> Rnea<'_, S> {
    /// Places the links, and finds the forces that they need; adds what they move with to twice the
    /// kinetic energy.
    #[inline(always)]
    pub(super) fn carry_motion(&mut self, mut twice_energy: Option<&mut S>) {
        let (model, ws) = (self.model, &mut *self.ws);
        let (q, v) = (self.q, self.v);
        // Slices of one length: what is checked for one index is checked for all.
        let links = &model.links[..];
        let n = links.len();
        let places = &model.place_in_path[..n];
        turn_or_place(
            model,
            q,
            &mut ws.turn,
            &mut ws.placement,
            &mut ws.subspaces.column,
        );
        let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
        let velocity = &mut ws.velocity[..n];
        let acceleration = &mut ws.acceleration[..n];
        let force = &mut ws.force[..n];
        let parameters = &ws.parameters[..];
        let subspaces = &mut ws.subspaces;
        let base = Motion::new(-Vec3::<S>::constant(self.gravity), Vec3::zero());
        for i in 1..n {
            let link = &links[i];
            let parent = link.parent.min(i - 1);
            let (turned, own) = (&turn[i], &placement[i]);
            // A link's motion is needed by its children alone; the last of them takes over its
            // place.
            let (above, here) = (places[parent], places[i]);
            let (moving, accelerating) = if parent == 0 {
                (Motion::zero(), base)
            } else {
                (velocity[above], acceleration[above])
            };
            let carried = into_link(link, turned, own, &moving);
            let (moving, bias) = move_link(model, i, link, (q, v), carried, subspaces);
            let mut accelerating = into_link(link, turned, own, &accelerating) + bias;
            if let Some(a) = self.a {
                accelerating = add_joint_motion(link, &subspaces.column, a, accelerating);
            }
            let inertia = link_parameters(parameters, i, link);
            let mut needed = inertia.newton_euler(&moving, &accelerating);
            if let Some(forces) = self.forces {
                needed = needed - model.force_in_link(i, &forces[i]);
            }
            if let Some(twice) = twice_energy.as_deref_mut() {
                *twice += inertia.mul_motion(&moving).dot(&moving);
            }
            velocity[here] = moving;
            acceleration[here] = accelerating;
            force[i] = needed;
        }
    }

    /// Carries the forces to the root; each joint gives its component.
    #[inline(always)]
    pub(super) fn carry_forces(&mut self) {
        let (model, ws) = (self.model, &mut *self.ws);
        let links = &model.links[..];
        let n = links.len();
        let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
        let force = &mut ws.force[..n];
        let tau = &mut ws.vector[..];
        for k in 0..tau.len() {
            tau[k] = match self.a {
                Some(a) => S::constant(model.reflected_inertia[k]) * a[k],
                None => S::zero(),
            };
        }
        for i in (1..n).rev() {
            let link = &links[i];
            let transmitted = force[i];
            add_components(link, &ws.subspaces.column, &transmitted, tau);
            if link.parent != 0 {
                let parent = link.parent.min(i - 1);
                force[parent] += out_of_link(link, &turn[i], &placement[i], &transmitted);
            }
        }
    }
}

impl<S: Scalar> Kernel for Rnea<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(mut self) {
        self.carry_motion(None);
        self.carry_forces();
    }

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        self.seen_as(form).run();
    }
}

impl Model {
    /// A force given in a joint's output frame, in the link frame.
    #[inline(always)]
    pub(crate) fn force_in_link<S: Scalar>(&self, i: usize, force: &Force<S>) -> Force<S> {
        match self.links[i].class {
            Class::General => *force,
            _ => crate::spatial::Se3::<S>::constant(&self.links[i].frame).inverse_act_force(force),
        }
    }

    /// Inverse dynamics: the joint forces τ that cause the accelerations `a` in the state (`q`,
    /// `v`).
    ///
    /// Of a model with [loops](crate::model::LoopJoint) it sees the spanning tree.
    ///
    /// τ = M(q) a + C(q, v), armature and reflected rotor inertia included, passive forces not: for
    /// those see [`inverse_dynamics`](Self::inverse_dynamics). `q` has nq entries; `v`, `a` and the
    /// result have nv, in rad, m, s, N. Cost O(n). Source: Featherstone 2008, table 5.1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let tau = model.rnea(&mut ws, &[0.3, -0.2], &[0.0, 0.0], &[0.0, 0.0])?;
    /// assert_eq!(tau.len(), 2);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn rnea<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<&'w [S], Error> {
        self.run_rnea(ws, q, v, Some(a), None, self.gravity())
    }

    /// [`rnea`](Self::rnea) with [external forces](crate::dynamics#external-forces).
    pub(crate) fn rnea_with_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w [S], Error> {
        self.run_rnea(ws, q, v, Some(a), external(forces), self.gravity())
    }

    /// The bias force C(q, v): what keeps all joint accelerations zero, against gravity, Coriolis
    /// and centrifugal forces.
    ///
    /// Cost O(n).
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn bias<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<&'w [S], Error> {
        self.run_rnea(ws, q, v, None, None, self.gravity())
    }

    fn run_rnea<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
        forces: Option<&[Force<S>]>,
        gravity: Vec3<f64>,
    ) -> Result<&'w [S], Error> {
        ws.check(self)?;
        self.check_q(q)?;
        self.check_tangent("v", v)?;
        if let Some(a) = a {
            self.check_tangent("a", a)?;
        }
        if let Some(forces) = forces {
            check_size("external forces", self.links.len(), forces.len())?;
        }
        dispatch(Rnea {
            model: self,
            ws: &mut ws.scratch,
            q,
            v,
            a,
            forces,
            gravity,
        });
        if !all_finite(&ws.scratch.vector) {
            let tangents = [("v", v), ("a", a.unwrap_or(&[]))];
            return Err(self.explain_not_finite("the joint force", q, &tangents, forces));
        }
        Ok(&ws.scratch.vector)
    }
}
