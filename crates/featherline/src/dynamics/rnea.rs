//! The recursive Newton-Euler algorithm: inverse dynamics in O(n).
//!
//! Featherstone 2008, table 5.1; Luh, Walker and Paul 1980. Velocities and accelerations go from
//! the root to the leaves, forces come back. The acceleration of the universe is minus gravity,
//! which accounts for all weights at once.
//!
//! | equation | line |
//! |---|---|
//! | vᵢ = ᵢXλ v_λ + Sᵢ q̇ᵢ | [`motions`] |
//! | aᵢ = ᵢXλ a_λ + Ṡᵢ q̇ᵢ + vᵢ × Sᵢ q̇ᵢ + Sᵢ q̈ᵢ | [`motions`] |
//! | fᵢ = Iᵢ aᵢ + vᵢ ×* Iᵢ vᵢ − fᵢˣ | [`motions`] |
//! | τᵢ = Sᵢᵀ fᵢ, f_λ += λXᵢ* fᵢ | [`joint_forces`] |

use super::{DynamicsOptions, external};
use crate::error::{Error, check_size};
use crate::kinematics::hinge::{into_link, out_of_link, turn_or_place};
use crate::kinematics::joint_pass::{add_components, add_joint_motion, move_link};
use crate::model::Model;
use crate::model::link_parameters;
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{Force, Motion, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    /// Featherstone 2008, table 5.1: τ = M a + C, in `ws.vector`. No `a` stands for zeros.
    fn recursive_newton_euler<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
        forces: Option<&[Force<S>]>,
        #[plain] gravity: Vec3<f64>,
    ) {
        motions(model, ws, (q, v, a), forces, gravity);
        joint_forces(model, ws, a);
    }
);

/// From the root to the leaves: vᵢ, aᵢ, and in `ws.force` the force fᵢ that each link needs.
#[inline(always)]
fn motions<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    (q, v, a): (&[S], &[S], Option<&[S]>),
    forces: Option<&[Force<S>]>,
    gravity: Vec3<f64>,
) {
    let subspaces = &mut ws.subspaces;
    turn_or_place(
        model,
        q,
        &mut ws.turn,
        &mut ws.placement,
        &mut subspaces.column,
    );
    // Slices of one length: what is checked for one index is checked for all.
    let links = &model.links[..];
    let n = links.len();
    let places = &model.place_in_path[..n];
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let velocity = &mut ws.velocity[..n];
    let acceleration = &mut ws.acceleration[..n];
    let force = &mut ws.force[..n];
    // v_0 = 0, a_0 = −g
    let base = (
        Motion::zero(),
        Motion::new(-Vec3::<S>::constant(gravity), Vec3::zero()),
    );
    for i in 1..n {
        let (link, own) = (&links[i], (&turn[i], &placement[i]));
        let parent = link.parent.min(i - 1);
        // The last child of a link takes over its place in memory.
        let (v_parent, a_parent) = if parent == 0 {
            base
        } else {
            (velocity[places[parent]], acceleration[places[parent]])
        };
        // v_i = iX_λ v_λ + S_i q̇_i, and Ṡ_i q̇_i + v_i × S_i q̇_i
        let carried = into_link(link, own.0, own.1, &v_parent);
        let (v_i, bias) = move_link(model, i, link, (q, v), carried, subspaces);
        // a_i = iX_λ a_λ + Ṡ_i q̇_i + v_i × S_i q̇_i + S_i q̈_i
        let mut a_i = into_link(link, own.0, own.1, &a_parent) + bias;
        if let Some(a) = a {
            a_i = add_joint_motion(link, &subspaces.column, a, a_i);
        }
        // f_i = I_i a_i + v_i ×* I_i v_i − f_i^x
        let mut f_i = link_parameters(&ws.parameters, i, link).newton_euler(&v_i, &a_i);
        if let Some(forces) = forces {
            f_i = f_i - link.force_in_link(&forces[i]);
        }
        (velocity[places[i]], acceleration[places[i]]) = (v_i, a_i);
        force[i] = f_i;
    }
}

/// From the leaves to the root: transmitted forces in `ws.force`, τ with rotors in `ws.vector`.
#[inline(always)]
pub(super) fn joint_forces<S: Scalar>(model: &Model, ws: &mut Scratch<S>, a: Option<&[S]>) {
    let links = &model.links[..];
    let n = links.len();
    let (turn, placement) = (&ws.turn[..n], &ws.placement[..n]);
    let force = &mut ws.force[..n];
    let tau = &mut ws.vector[..];
    for k in 0..tau.len() {
        tau[k] = match a {
            Some(a) => S::constant(model.reflected_inertia[k]) * a[k],
            None => S::zero(),
        };
    }
    // The force of the link after stays in registers: a sum in memory that is read at once would be
    // waited for.
    let mut from_next = Force::zero();
    for i in (1..n).rev() {
        let link = &links[i];
        let f_i = force[i] + std::mem::replace(&mut from_next, Force::zero());
        force[i] = f_i;
        // τ_i = S_iᵀ f_i
        add_components(link, &ws.subspaces.column, &f_i, tau);
        // f_λ = f_λ + λX_i* f_i
        if link.parent != 0 {
            let parent = link.parent.min(i - 1);
            let f = out_of_link(link, &turn[i], &placement[i], &f_i);
            if parent + 1 == i {
                from_next = f;
            } else {
                force[parent] += f;
            }
        }
    }
}

impl Model {
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

    /// [`bias`](Self::bias) with the external forces of `options`, and less the [passive
    /// forces](Self::passive_forces) if they count: [`inverse_dynamics`](Self::inverse_dynamics) at
    /// zero acceleration.
    ///
    /// Cost O(n).
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    ///
    /// ```
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    ///
    /// // 3 N along x at the elbow turn the shoulder by 3 N·m.
    /// let model = samples::double_pendulum();
    /// let push = Force::from_array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0_f64]);
    /// let forces = model.external_forces([(model.joint_id("elbow")?.into(), push)]);
    /// let options = DynamicsOptions::default().with_forces(&forces);
    /// let (mut ws, zero) = (Workspace::new(&model), [0.0; 2]);
    /// let bias = model.bias_with_options(&mut ws, &zero, &zero, options)?;
    /// assert!((bias[0] - 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bias_with_options<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        options: DynamicsOptions<'_, S>,
    ) -> Result<&'w [S], Error> {
        self.with_joint_forces(ws, q, options, |ws, options| {
            let forces = external(options.external_forces);
            self.run_rnea(ws, q, v, None, forces, self.gravity())
                .map(drop)
        })?;
        self.subtract_passive_forces(ws, q, v, options)?;
        Ok(&ws.scratch.vector)
    }

    pub(crate) fn run_rnea<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: Option<&[S]>,
        forces: Option<&[Force<S>]>,
        gravity: Vec3<f64>,
    ) -> Result<&'w [S], Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        if let Some(a) = a {
            self.check_tangent("a", a)?;
        }
        if let Some(forces) = forces {
            check_size("external forces", self.links.len(), forces.len())?;
        }
        recursive_newton_euler(self, &mut ws.scratch, q, v, a, forces, gravity);
        if !all_finite(&ws.scratch.vector) {
            let tangents = [("v", v), ("a", a.unwrap_or(&[]))];
            return Err(self.explain_not_finite("the joint force", q, &tangents, forces));
        }
        Ok(&ws.scratch.vector)
    }
}
