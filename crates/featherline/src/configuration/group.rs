//! Integrating a velocity, and its reverse.

use super::{moves_itself, own_ranges};
use crate::Error;
use crate::error::check_size;
use crate::model::Model;
use crate::scalar::{Scalar, all_finite, kernel};

kernel!(
    fn integrate<S: Scalar>(model: &Model, q: &[S], v: &[S], out: &mut [S]) {
        for joint in model.joints() {
            if moves_itself(joint) {
                let (own_q, own_v) = own_ranges(joint);
                let own = &q[own_q.clone()];
                joint.kind.integrate(own, &v[own_v], &mut out[own_q]);
            }
        }
    }
);

kernel!(
    fn difference<S: Scalar>(model: &Model, q0: &[S], q1: &[S], out: &mut [S]) {
        for joint in model.joints() {
            if moves_itself(joint) {
                let (q, v) = own_ranges(joint);
                let (q0, q1) = (&q0[q.clone()], &q1[q]);
                joint.kind.difference(q0, q1, &mut out[v]);
            }
        }
    }
);

kernel!(
    fn interpolate<S: Scalar>(model: &Model, q0: &[S], q1: &[S], t: S, out: &mut [S]) {
        for joint in model.joints() {
            if moves_itself(joint) {
                let (q, _) = own_ranges(joint);
                let (q0, q1) = (&q0[q.clone()], &q1[q.clone()]);
                joint.kind.interpolate(q0, q1, t, &mut out[q]);
            }
        }
    }
);

kernel!(
    fn squared_distance<S: Scalar>(model: &Model, q0: &[S], q1: &[S]) -> S {
        let mut sum = S::zero();
        for joint in model.joints() {
            if moves_itself(joint) {
                let (q, _) = own_ranges(joint);
                sum += joint.kind.squared_distance(&q0[q.clone()], &q1[q]);
            }
        }
        sum
    }
);

impl Model {
    /// The configuration that the velocity `v` leads to from `q` in one unit of time: q ⊕ v.
    ///
    /// For a step of Δt seconds pass v Δt. Joints with rotations move on their Lie groups (SO(2),
    /// SE(2), SO(3), SE(3)), with the velocity in the child's frame; the result's quaternions and
    /// (cos, sin) pairs have length one. `q` and the result have nq entries, `v` nv. Cost O(n), and
    /// one allocation; [`configuration::integrate_into`](integrate_into) has none.
    ///
    /// # Errors
    /// [`Error::Size`]; [`Error::NotFinite`], [`Error::ZeroRotation`] or [`Error::Overflow`] where
    /// there is no finite result.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let q = model.integrate(&[0.5, 1.0], &[0.25, -1.0])?;
    /// assert_eq!(q, [0.75, 0.0]);
    /// assert_eq!(model.difference(&[0.5, 1.0], &q)?, [0.25, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn integrate<S: Scalar>(&self, q: &[S], v: &[S]) -> Result<Vec<S>, Error> {
        let mut out = vec![S::zero(); self.nq()];
        integrate_into(self, q, v, &mut out)?;
        Ok(out)
    }

    /// The velocity that leads from `q0` to `q1` in one unit of time: q1 ⊖ q0.
    ///
    /// Rotations go the shorter way, by at most π; angles of revolute joints are plain numbers and
    /// are not wrapped. `q0` and `q1` have nq entries, the result nv. Cost O(n), and one
    /// allocation; [`configuration::difference_into`](difference_into) has none.
    ///
    /// # Errors
    /// As [`integrate`](Self::integrate).
    pub fn difference<S: Scalar>(&self, q0: &[S], q1: &[S]) -> Result<Vec<S>, Error> {
        let mut out = vec![S::zero(); self.nv()];
        difference_into(self, q0, q1, &mut out)?;
        Ok(out)
    }

    /// The configuration at the fraction `t` of the way from `q0` to `q1`, at constant velocity:
    /// q0 ⊕ t (q1 ⊖ q0).
    ///
    /// Values of `t` outside \[0, 1\] extrapolate. All configurations have nq entries. Cost O(n),
    /// and one allocation; [`configuration::interpolate_into`](interpolate_into) has none.
    ///
    /// # Errors
    /// As [`integrate`](Self::integrate).
    pub fn interpolate<S: Scalar>(&self, q0: &[S], q1: &[S], t: S) -> Result<Vec<S>, Error> {
        let mut out = vec![S::zero(); self.nq()];
        interpolate_into(self, q0, q1, t, &mut out)?;
        Ok(out)
    }

    /// The length of the difference between two configurations, metres and radians together: the
    /// square root of the sum of squares of [`difference`](Self::difference). Cost O(n), no
    /// allocation.
    ///
    /// # Errors
    /// As [`integrate`](Self::integrate).
    pub fn distance<S: Scalar>(&self, q0: &[S], q1: &[S]) -> Result<S, Error> {
        self.check_ends(q0, q1)?;
        let squared = squared_distance(self, q0, q1);
        if squared.is_finite() {
            Ok(squared.sqrt())
        } else {
            Err(self.explain_ends("the distance", q0, q1))
        }
    }

    /// Fails unless both ends of a way have the model's length.
    pub(super) fn check_ends<S>(&self, q0: &[S], q1: &[S]) -> Result<(), Error> {
        check_size("q0", self.nq(), q0.len())?;
        check_size("q1", self.nq(), q1.len())
    }

    /// Finds out why something that follows from two configurations is not finite.
    #[cold]
    pub(super) fn explain_ends<S: Scalar>(&self, what: &'static str, q0: &[S], q1: &[S]) -> Error {
        for (name, q) in [("q0", q0), ("q1", q1)] {
            #[expect(clippy::wildcard_enum_match_arm, reason = "the others name no entry")]
            match self.explain_not_finite(what, q, &[], None) {
                Error::NotFinite { index, .. } => return Error::NotFinite { what: name, index },
                Error::Overflow { .. } => {}
                other => return other,
            }
        }
        Error::Overflow { what }
    }
}

/// [`integrate`](Model::integrate) into the caller's nq entries.
///
/// # Errors
/// As [`integrate`](Model::integrate).
pub fn integrate_into<S: Scalar>(
    model: &Model,
    q: &[S],
    v: &[S],
    out: &mut [S],
) -> Result<(), Error> {
    model.check_state(q, v)?;
    check_size("the configuration to be written", model.nq(), out.len())?;
    integrate(model, q, v, out);
    model.check_finite(all_finite(out), "the configuration", q, &[("v", v)])
}

/// [`difference`](Model::difference) into the caller's nv entries.
///
/// # Errors
/// As [`integrate`](Model::integrate).
pub fn difference_into<S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    out: &mut [S],
) -> Result<(), Error> {
    model.check_ends(q0, q1)?;
    check_size("the velocity to be written", model.nv(), out.len())?;
    difference(model, q0, q1, out);
    if all_finite(out) {
        Ok(())
    } else {
        Err(model.explain_ends("the difference", q0, q1))
    }
}

/// [`interpolate`](Model::interpolate) into the caller's nq entries.
///
/// # Errors
/// As [`integrate`](Model::integrate).
pub fn interpolate_into<S: Scalar>(
    model: &Model,
    q0: &[S],
    q1: &[S],
    t: S,
    out: &mut [S],
) -> Result<(), Error> {
    model.check_ends(q0, q1)?;
    check_size("the configuration to be written", model.nq(), out.len())?;
    interpolate(model, q0, q1, t, out);
    if all_finite(out) {
        Ok(())
    } else if t.is_finite() {
        Err(model.explain_ends("the interpolated configuration", q0, q1))
    } else {
        Err(Error::NotFinite {
            what: "t",
            index: 0,
        })
    }
}
