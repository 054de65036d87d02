//! One joint by itself.

use super::joint_pass::place_by_joint;
use crate::error::Error;
use crate::joint::dispatched::subspace_rates;
use crate::model::{JointId, Model};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3};

/// The motion of a joint's output frame relative to its input frame, in the output frame:
/// Featherstone 2008, section 4.4. [`Model::evaluate_joint`] finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMotion<S: Scalar> {
    /// M: the output frame in the input frame, which the joint's constant
    /// [placement](crate::model::Joint::placement) puts on the parent.
    pub placement: Se3<S>,
    /// S: the columns of the motion subspace, as many as the joint's kind has coordinates.
    pub subspace: Vec<Motion<S>>,
    /// c = S̊ q̇, in m/s² and rad/s²: zero where S is constant. The c of the articulated-body
    /// algorithm also has v × S q̇.
    pub bias: Motion<S>,
    /// S q̇, in m/s and rad/s.
    pub velocity: Motion<S>,
}

impl Model {
    /// A joint by itself in the state (`q`, `v`) of the whole robot: placement, motion subspace,
    /// bias acceleration and velocity.
    ///
    /// The subspace of a mimic joint is along the mimicked joint's coordinate, its own column times
    /// the ratio. Cost O(1); allocates the subspace.
    ///
    /// # Errors
    /// [`Error::Size`], and [`Error::NotFinite`] or [`Error::ZeroRotation`] for a state that has no
    /// finite result.
    ///
    /// # Panics
    /// If there is no such joint.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let elbow = model.joint_id("elbow")?;
    /// let joint = model.evaluate_joint(elbow, &[0.3, -0.2], &[1.0, 0.5_f64])?;
    /// assert_eq!(joint.subspace[0].to_array(), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    /// assert_eq!(joint.velocity.angular.y, 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn evaluate_joint<S: Scalar>(
        &self,
        joint: JointId,
        q: &[S],
        v: &[S],
    ) -> Result<JointMotion<S>, Error> {
        self.check_state(q, v)?;
        let link = &self.links[joint.index()];
        let kind = &self.joint(joint).kind;
        let mut subspace = vec![Motion::zero(); link.columns];
        let placement = place_by_joint(self, joint.index(), q, &mut subspace);
        let product = |columns: &[Motion<S>]| {
            let rates = v[link.idx_v..].iter();
            (columns.iter().zip(rates)).fold(Motion::zero(), |sum, (it, &v)| it.mul_add(v, &sum))
        };
        let velocity = product(&subspace);
        let mut bias = Motion::zero();
        if link.is_varying {
            // Never a mimic joint.
            let mut rates = subspace.clone();
            let own = (&q[link.idx_q..][..kind.nq()], &v[link.idx_v..][..kind.nv()]);
            subspace_rates(kind, own.0, own.1, &mut rates);
            bias = product(&rates);
        }
        let is_finite = placement.is_finite() && velocity.is_finite() && bias.is_finite();
        self.check_finite(is_finite, "the joint's motion", q, &[("v", v)])?;
        Ok(JointMotion {
            placement,
            subspace,
            bias,
            velocity,
        })
    }
}
