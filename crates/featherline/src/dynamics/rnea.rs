//! The recursive Newton-Euler algorithm: inverse dynamics in O(n).
//!
//! Featherstone 2008, table 5.1; Luh, Walker and Paul 1980. Velocities and accelerations go from the root to the leaves,
//! forces come back. The acceleration of the universe is minus gravity, which accounts for all weights at once.

use crate::error::{Error, check_size};
use crate::kinematics::joint_pass::{move_link, place_link};
use crate::model::{Class, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{Workspace, all_finite};

struct Rnea<'a, S> {
    model: &'a Model,
    ws: &'a mut Workspace<S>,
    q: &'a [S],
    v: &'a [S],
    a: Option<&'a [S]>,
    forces: Option<&'a [Force<S>]>,
    gravity: Vec3<f64>,
}

impl<S: Scalar> Kernel for Rnea<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            q,
            v,
            a,
            forces,
            gravity,
        } = self;
        ws.velocity[0] = Motion::zero();
        ws.acceleration[0] = Motion::new(-Vec3::<S>::constant(gravity), Vec3::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            ws.placement[i] = place_link(model, i, link, q, &mut ws.column);
            let (velocity, bias) = move_link(model, i, link, q, v, ws);
            let mut acceleration =
                ws.placement[i].inverse_act_motion(&ws.acceleration[link.parent]) + bias;
            if let Some(a) = a {
                match link.class {
                    Class::Revolute | Class::Unbounded => acceleration.angular.z += a[link.idx_v],
                    Class::Prismatic => acceleration.linear.z += a[link.idx_v],
                    Class::General => {
                        for (k, c) in ws.column[link.column_range()].iter().enumerate() {
                            acceleration = c.mul_add(a[link.idx_v + k], &acceleration);
                        }
                    }
                }
            }
            let parameters = ws.parameters_of(i, link);
            let mut force = parameters.newton_euler(&velocity, &acceleration);
            if let Some(forces) = forces {
                force = force - model.force_in_link(i, &forces[i]);
            }
            ws.velocity[i] = velocity;
            ws.acceleration[i] = acceleration;
            ws.force[i] = force;
        }
        let tau = &mut ws.vector;
        for k in 0..tau.len() {
            tau[k] = match a {
                Some(a) => S::constant(model.reflected_inertia[k]) * a[k],
                None => S::zero(),
            };
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let force = ws.force[i];
            match link.class {
                Class::Revolute | Class::Unbounded => tau[link.idx_v] += force.angular.z,
                Class::Prismatic => tau[link.idx_v] += force.linear.z,
                Class::General => {
                    for (k, c) in ws.column[link.column_range()].iter().enumerate() {
                        tau[link.idx_v + k] += c.dot(&force);
                    }
                }
            }
            if link.parent != 0 {
                let carried = ws.placement[i].act_force(&force);
                ws.force[link.parent] += carried;
            }
        }
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

    /// Inverse dynamics: the joint forces τ that cause the accelerations `a` in the state (`q`, `v`).
    ///
    /// τ = M(q) a + C(q, v), armature and reflected rotor inertia included, passive forces not: for those see
    /// [`inverse_dynamics`](Self::inverse_dynamics). `q` has nq entries; `v`, `a` and the result have nv, in rad, m, s, N.
    /// Cost O(n). Source: Featherstone 2008, table 5.1.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that
    /// have no finite result.
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

    /// Inverse dynamics with external forces: one for each joint (the universe's first, unused), acting on the body that
    /// the joint moves, in the joint's output frame.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn rnea_with_forces<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w [S], Error> {
        self.run_rnea(ws, q, v, Some(a), Some(forces), self.gravity())
    }

    /// The bias force C(q, v): what keeps all joint accelerations zero, against gravity, Coriolis and centrifugal forces.
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
            ws,
            q,
            v,
            a,
            forces,
            gravity,
        });
        if !all_finite(&ws.vector) {
            let tangents = [("v", v), ("a", a.unwrap_or(&[]))];
            return Err(self.explain_not_finite("the joint force", q, &tangents, forces));
        }
        Ok(&ws.vector)
    }
}
