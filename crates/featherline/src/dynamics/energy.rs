//! Kinetic, potential and mechanical energy in O(n).

use crate::error::Error;
use crate::kinematics::center_of_mass::sum_first_moments;
use crate::kinematics::joint_pass::{joint_motion, place_links};
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Motion, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    /// The kinetic energy of velocities, if given, plus the potential energy, if asked for.
    fn energy<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: Option<&[S]>,
        #[plain] potential: bool,
    ) -> S {
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        let mut energy = S::zero();
        if let Some(v) = v {
            energy = kinetic(model, ws, v);
        }
        if potential {
            sum_first_moments(model, ws);
            let gravity = Vec3::<S>::constant(model.gravity());
            energy -= gravity.dot(ws.composite[0].first_moment);
        }
        energy
    }
);

/// Twice the kinetic energy that reflected rotor inertias add: Σ I v².
#[inline(always)]
pub(super) fn twice_rotor_energy<S: Scalar>(model: &Model, v: &[S]) -> S {
    let mut twice = S::zero();
    for k in 0..v.len() {
        twice = (v[k] * v[k]).mul_add(S::constant(model.reflected_inertia[k]), twice);
    }
    twice
}

#[inline(always)]
fn kinetic<S: Scalar>(model: &Model, ws: &mut Scratch<S>, v: &[S]) -> S {
    ws.velocity[0] = Motion::zero();
    let mut twice = twice_rotor_energy(model, v);
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let carried = ws.placement[i].inverse_act_motion(&ws.velocity[link.parent]);
        let velocity = carried + joint_motion(link, &ws.subspaces.column, v);
        let parameters = ws.parameters_of(i, link);
        twice += parameters.mul_motion(&velocity).dot(&velocity);
        ws.velocity[i] = velocity;
    }
    twice * S::constant(0.5)
}

impl Model {
    /// The kinetic energy ½ vᵀ M(q) v, in J, armature and reflected rotor inertia included.
    ///
    /// `q` has nq entries, `v` nv. Cost O(n), without the mass matrix: the sum of ½ νᵀ Y ν over the
    /// bodies (Featherstone 2008, eq. 2.67) and of ½ v² times the reflected inertia over the
    /// degrees of freedom.
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
    /// // Both rods swing as one of 2 kg and 2 m: the moment of inertia about its end is m l² / 3.
    /// let energy = model.kinetic_energy(&mut ws, &[0.4, 0.0], &[3.0_f64, 0.0])?;
    /// assert!((energy - 0.5 * (8.0 / 3.0) * 9.0).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn kinetic_energy<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<S, Error> {
        self.run_energy(ws, q, Some(v), false)
    }

    /// The potential energy −Σ m g·c in the model's gravity, in J; zero for masses at the world's
    /// origin.
    ///
    /// Springs store energy of their own, which is not counted: they are [passive
    /// forces](Self::passive_forces). `q` has nq entries. Cost O(n).
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Hanging down, the rods' centres are half a metre and one and a half below the hinge.
    /// let energy = model.potential_energy(&mut ws, &[0.0_f64, 0.0])?;
    /// assert!((energy + 9.81 * (0.5 + 1.5)).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn potential_energy<S: Scalar>(&self, ws: &mut Workspace<S>, q: &[S]) -> Result<S, Error> {
        self.run_energy(ws, q, None, true)
    }

    /// The mechanical energy, in J: [kinetic](Self::kinetic_energy) plus
    /// [potential](Self::potential_energy), in one pass.
    ///
    /// It changes by the power τ·v of the joint forces, passive ones included, and of external
    /// forces. Cost O(n).
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy).
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v) = ([0.4, -0.1], [1.0_f64, 2.0]);
    /// let total = model.mechanical_energy(&mut ws, &q, &v)?;
    /// let parts = model.kinetic_energy(&mut ws, &q, &v)? + model.potential_energy(&mut ws, &q)?;
    /// assert!((total - parts).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn mechanical_energy<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<S, Error> {
        self.run_energy(ws, q, Some(v), true)
    }

    fn run_energy<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        v: Option<&[S]>,
        potential: bool,
    ) -> Result<S, Error> {
        ws.check(self)?;
        self.check_q(q)?;
        if let Some(v) = v {
            self.check_tangent("v", v)?;
        }
        let energy = energy(self, &mut ws.scratch, q, v, potential);
        let tangents = [("v", v.unwrap_or(&[]))];
        self.check_finite(energy.is_finite(), "the energy", q, &tangents)?;
        Ok(energy)
    }
}
