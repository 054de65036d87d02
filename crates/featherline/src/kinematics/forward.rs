//! Forward kinematics: one pass from the root to the leaves, in O(n).
//!
//! Featherstone 2008, table 5.1, first half. Placements are kept in the parent and in the world,
//! velocities and accelerations in link coordinates, where they lose no accuracy far from the
//! world's origin.

use super::joint_pass::{add_joint_motion, move_link, place_links};
use super::{Accelerations, Positions, Velocities};
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::Motion;
use crate::workspace::{Scratch, Workspace};

kernel!(
    /// Positions, velocities and accelerations are the orders 0, 1 and 2.
    fn forward_kinematics<S: Scalar, const ORDER: usize>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) {
        ws.velocity[0] = Motion::zero();
        // Kinematics has no gravity: the universe does not accelerate.
        ws.acceleration[0] = Motion::zero();
        place_links(model, q, &mut ws.placement, &mut ws.subspaces.column);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let placement = ws.placement[i];
            ws.world[i] = ws.world[link.parent].compose(&placement);
            if ORDER == 0 {
                continue;
            }
            let carried = placement.inverse_act_motion(&ws.velocity[link.parent]);
            let (velocity, bias) = move_link(model, i, link, (q, v), carried, &mut ws.subspaces);
            ws.velocity[i] = velocity;
            if ORDER == 1 {
                continue;
            }
            let mut acceleration =
                placement.inverse_act_motion(&ws.acceleration[link.parent]) + bias;
            acceleration = add_joint_motion(link, &ws.subspaces.column, a, acceleration);
            ws.acceleration[i] = acceleration;
        }
    }
);

impl Model {
    /// Forward kinematics of order 0: where all joints and frames are.
    ///
    /// `q` has nq entries. Frames are computed where they are read. Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for a configuration that places nothing.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let elbow = model.joint_id("elbow")?;
    /// // Raised to the horizontal, the upper rod of 1 m points along −x.
    /// let positions = model.forward_kinematics(&mut ws, &[std::f64::consts::FRAC_PI_2, 0.0])?;
    /// let elbow = positions.placement(elbow).translation;
    /// assert!((elbow.x + 1.0).abs() < 1e-15 && elbow.z.abs() < 1e-15);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_kinematics<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<Positions<'w, S>, Error> {
        ws.check(self)?;
        self.check_q(q)?;
        forward_kinematics::<S, 0>(self, &mut ws.scratch, q, &[], &[]);
        let is_finite = self.leaves_are_finite(&ws.scratch, 0);
        self.check_finite(is_finite, "a placement", q, &[])?;
        Ok(Positions::of(self, &ws.scratch))
    }

    /// Forward kinematics of order 1: where all joints and frames are, and how fast they move.
    ///
    /// `q` has nq entries, `v` has nv. Cost O(n).
    ///
    /// # Errors
    /// As [`forward_kinematics`](Self::forward_kinematics); [`Error::Overflow`] also for velocities
    /// whose squares, of which accelerations are made, come within 10¹⁸ of the largest number.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let elbow = model.joint_id("elbow")?;
    /// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[2.0, 0.0])?;
    /// let velocity = velocities.velocity(elbow, ReferenceFrame::LocalWorldAligned);
    /// assert_eq!(velocity.linear.to_array(), [-2.0, 0.0, 0.0]);
    /// assert_eq!(velocity.angular.to_array(), [0.0, 2.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_kinematics_velocities<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
    ) -> Result<Velocities<'w, S>, Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        forward_kinematics::<S, 1>(self, &mut ws.scratch, q, v, &[]);
        let is_finite = self.leaves_are_finite(&ws.scratch, 1) && leave_room(v, 2);
        self.check_finite(is_finite, "a velocity", q, &[("v", v)])?;
        Ok(Velocities::of(self, &ws.scratch))
    }

    /// Forward kinematics of order 2: where all joints and frames are, how fast they move and how
    /// they accelerate.
    ///
    /// `q` has nq entries, `v` and `a` have nv. Gravity plays no part: a robot at rest does not
    /// accelerate. Cost O(n).
    ///
    /// # Errors
    /// As [`forward_kinematics_velocities`](Self::forward_kinematics_velocities), and for
    /// accelerations as for the squares of velocities.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let elbow = model.frame_id("elbow")?;
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0]);
    /// let kinematics = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// // The elbow goes round on a circle of 1 m: centripetal acceleration ω² r, up to the hinge.
    /// let reference = ReferenceFrame::LocalWorldAligned;
    /// let acceleration = kinematics.classical_acceleration(elbow, reference);
    /// assert_eq!(acceleration.linear.to_array(), [0.0, 0.0, 4.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn forward_kinematics_accelerations<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<Accelerations<'w, S>, Error> {
        ws.check(self)?;
        self.check_state(q, v)?;
        self.check_tangent("a", a)?;
        forward_kinematics::<S, 2>(self, &mut ws.scratch, q, v, a);
        let tangents = [("v", v), ("a", a)];
        let is_finite =
            self.leaves_are_finite(&ws.scratch, 2) && leave_room(v, 2) && leave_room(a, 1);
        self.check_finite(is_finite, "an acceleration", q, &tangents)?;
        Ok(Accelerations::of(self, &ws.scratch))
    }

    /// Whether the results of forward kinematics are finite. What is not finite in a link is not
    /// finite in any link that it carries, so that looking at the leaves is enough; and a rotation
    /// that is not finite has such a first row.
    #[inline(always)]
    pub(crate) fn leaves_are_finite<S: Scalar>(&self, ws: &Scratch<S>, order: usize) -> bool {
        let mut finite = true;
        for i in (1..self.links.len()).filter(|&i| self.subtree_end(i) == i + 1) {
            let r = &ws.world[i].rotation;
            finite &= r.x.x.is_finite() & r.y.x.is_finite() & r.z.x.is_finite();
            finite &= ws.world[i].translation.is_finite();
            if order > 0 {
                finite &= ws.velocity[i].is_finite();
            }
            if order > 1 {
                finite &= ws.acceleration[i].is_finite();
            }
        }
        finite
    }
}

/// Whether rates, to a power, are so far from overflowing that every frame's motion is finite.
/// Views compute that when it is read, and have no way to fail: what they multiply rates with,
/// lever arms and numbers of joints, is taken to be less than 2⁶⁰.
#[inline(always)]
pub(crate) fn leave_room<S: Scalar>(rates: &[S], power: i32) -> bool {
    // The largest numbers are close to 2¹²⁸ and 2¹⁰²⁴.
    let exponent = if S::EPSILON > 1e-10 { 128 } else { 1024 };
    let bound = 2.0_f64.powi((exponent - 60) / power);
    rates.iter().all(|rate| rate.all_between(-bound, bound))
}
