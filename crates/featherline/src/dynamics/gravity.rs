//! Joint forces of a robot at rest: against gravity, and against external forces, in O(n).
//!
//! The Newton-Euler recursion without velocities and accelerations: what a subtree weighs about its
//! joint follows from its mass and first moment alone, so that neither rotational inertia nor
//! moments have to be carried along.

use super::external;
use crate::error::{Error, check_size};
use crate::kinematics::center_of_mass::sum_first_moments;
use crate::kinematics::joint_pass::{add_components, place_links};
use crate::model::{Class, Link, Model};
use crate::scalar::{Scalar, all_finite, kernel};
use crate::spatial::{DynamicParameters, Force, Motion, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    fn gravity_torque<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        forces: Option<&[Force<S>]>,
    ) {
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        sum_first_moments(model, ws);
        // A body at rest accelerates upwards, seen from one in free fall.
        ws.acceleration[0].linear = -Vec3::<S>::constant(model.gravity());
        ws.vector.fill(S::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let above = ws.acceleration[link.parent].linear;
            let up = ws.placement[i].rotation.tr_mul_vec(above);
            ws.acceleration[i].linear = up;
            let (own, columns) = (&ws.composite[i], &ws.subspaces.column);
            add_weight(link, up, own, columns, &mut ws.vector);
        }
        if let Some(forces) = forces {
            subtract_external(model, ws, forces);
        }
    }
);

/// Adds what a joint must give to carry its subtree upwards.
#[inline(always)]
pub(super) fn add_weight<S: Scalar>(
    link: &Link,
    up: Vec3<S>,
    subtree: &DynamicParameters<S>,
    column: &[Motion<S>],
    tau: &mut [S],
) {
    let h = subtree.first_moment;
    match link.class {
        Class::Revolute | Class::Unbounded => {
            tau[link.idx_v] += h.x.mul_add(up.y, -(h.y * up.x));
        }
        Class::Prismatic => tau[link.idx_v] += subtree.mass * up.z,
        Class::General => {
            let weight = Force::new(up * subtree.mass, h.cross(up));
            for (k, c) in column[link.column_range()].iter().enumerate() {
                tau[link.idx_v + k] += c.dot(&weight);
            }
        }
    }
}

/// Subtracts the joint forces that external forces stand for.
#[inline(always)]
fn subtract_external<S: Scalar>(model: &Model, ws: &mut Scratch<S>, forces: &[Force<S>]) {
    for i in 1..model.links.len() {
        ws.force[i] = model.links[i].force_in_link(&forces[i]);
    }
    let tau = &mut ws.vector;
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        let force = ws.force[i];
        add_components(link, &ws.subspaces.column, &-force, tau);
        if link.parent != 0 {
            let carried = ws.placement[i].act_force(&force);
            ws.force[link.parent] += carried;
        }
    }
}

impl Model {
    /// The gravity torque g(q): the joint forces that hold the robot at rest against its weight.
    ///
    /// Equal to [`bias`](Self::bias) at velocity zero, and several times cheaper. `q` has nq
    /// entries, the result nv, in N·m (N). Springs are not counted: they are [passive
    /// forces](Self::passive_forces). Cost O(n). Source: Featherstone 2008, table 5.1, with
    /// velocities and accelerations zero.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for a configuration that has no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Stretched out horizontally, 2 kg weigh down one metre from the hinge.
    /// let gravity = model.gravity_torque(&mut ws, &[std::f64::consts::FRAC_PI_2, 0.0])?;
    /// assert!((gravity[0].abs() - 2.0 * 9.81).abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn gravity_torque<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<&'w [S], Error> {
        self.run_rest(ws, q, None)
    }

    /// The static torque: the joint forces that hold the robot at rest against its weight and
    /// external forces.
    ///
    /// `forces` are [external forces](crate::dynamics#external-forces), or empty. The result is
    /// g(q) − Σ Jᵀf. Cost O(n).
    ///
    /// # Errors
    /// As [`gravity_torque`](Self::gravity_torque).
    ///
    /// ```
    /// use featherline::spatial::{Force, Vec3};
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // A force that carries each rod at its centre leaves nothing to hold.
    /// let up = Vec3::new(0.0, 0.0, 9.81_f64);
    /// let carry = Force::new(up, Vec3::new(0.0, 0.0, -0.5).cross(up));
    /// let tau = model.static_torque(&mut ws, &[0.0, 0.0], &[Force::zero(), carry, carry])?;
    /// assert!(tau[0].abs() < 1e-12 && tau[1].abs() < 1e-12);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn static_torque<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        forces: &[Force<S>],
    ) -> Result<&'w [S], Error> {
        self.run_rest(ws, q, external(forces))
    }

    fn run_rest<'w, S: Scalar>(
        &self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        forces: Option<&[Force<S>]>,
    ) -> Result<&'w [S], Error> {
        ws.check(self)?;
        self.check_q(q)?;
        if let Some(forces) = forces {
            check_size("external forces", self.links.len(), forces.len())?;
        }
        gravity_torque(self, &mut ws.scratch, q, forces);
        if !all_finite(&ws.scratch.vector) {
            return Err(self.explain_not_finite("the joint force", q, &[], forces));
        }
        Ok(&ws.scratch.vector)
    }
}
