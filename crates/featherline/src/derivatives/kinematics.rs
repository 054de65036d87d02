//! Derivatives of the velocities and accelerations of joints and frames.
//!
//! A coordinate displaces a frame that it carries by its Jacobian column J. The components of a
//! motion change by what the frame moves relative to the coordinates in which they are given, Δ =
//! J less the displacement of these, and by ψ̇ and ψ̈ of [`columns`](super::columns):
//!
//! * ∂v/∂q = ψ̇ + Δ × v, ∂a/∂q = ψ̈ + ψ̇ × v + Δ × a, ∂a/∂v = ξ + J × v,
//! * ∂v/∂v = ∂a/∂a = J.
//!
//! Source: Singh, Russell and Wensing 2022.

use super::columns::columns_in_motion;
use crate::error::Error;
use crate::kinematics::ReferenceFrame;
use crate::kinematics::columns::Columns;
use crate::kinematics::target::Target;
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Motion, Vec3};
use crate::workspace::{DerivativeView, MotionColumn, Scratch, Workspace};
use nalgebra::DMatrixViewMut;

kernel!(
    fn move_columns<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        q: &[S],
        v: &[S],
        a: &[S],
        memory: DerivativeView<'_, S>,
    ) {
        let mut memory = memory;
        columns_in_motion(model, ws, (q, v, a), &mut memory);
    }
);

/// Which motion is differentiated.
#[derive(Clone, Copy, PartialEq)]
enum MotionKind {
    Velocity,
    Acceleration,
    ClassicalAcceleration,
}

kernel!(
    /// Writes the derivatives of a frame's motion by q, and by v if there is place for them.
    fn differentiate_motion<S: Scalar>(
        model: &Model,
        ws: &Scratch<S>,
        columns: &[MotionColumn<S>],
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        #[plain] motion: MotionKind,
        by_q: Columns<'_, S, 6>,
        by_v: Option<Columns<'_, S, 6>>,
        jacobian: Columns<'_, S, 6>,
    ) {
        let (mut by_q, mut by_v, mut jacobian) = (by_q, by_v, jacobian);
        let (i, in_link) = target.in_link(model);
        let frame = ws.world[i].compose(&in_link);
        // The point that linear parts belong to, in the aligned frame.
        let point = match reference {
            ReferenceFrame::World => -ws.origin,
            ReferenceFrame::Local | ReferenceFrame::LocalWorldAligned => frame.translation,
        };
        let (v, a) = (at(&ws.velocity[i], point), at(&ws.acceleration[i], point));
        by_q.clear();
        if let Some(by_v) = &mut by_v {
            by_v.clear();
        }
        jacobian.clear();
        let mut above = i;
        while above != 0 {
            let link = &model.links[above];
            for k in 0..link.columns {
                let column = &columns[link.column + k];
                let (j, psi) = (at(&column.jacobian(), point), at(&column.psi(), point));
                let delta = j - reference.velocity(&j);
                let v_by_q = psi + delta.cross(&v);
                let (result, result_by_v);
                if motion == MotionKind::Velocity {
                    (result, result_by_v) = (v_by_q, j);
                } else {
                    let psi_rate = at(&column.psi_rate(), point);
                    let mut a_by_q = psi_rate + psi.cross(&v) + delta.cross(&a);
                    let mut a_by_v = at(&column.xi(), point) + j.cross(&v);
                    if motion == MotionKind::ClassicalAcceleration {
                        a_by_q.linear += turned(&v_by_q, &v);
                        a_by_v.linear += turned(&j, &v);
                    }
                    (result, result_by_v) = (a_by_q, a_by_v);
                }
                let k = link.idx_v + k;
                by_q.add(k, reference.along_axes(&frame, &result).to_array());
                if let Some(by_v) = &mut by_v {
                    by_v.add(k, reference.along_axes(&frame, &result_by_v).to_array());
                }
                jacobian.add(k, reference.along_axes(&frame, &j).to_array());
            }
            above = link.parent;
        }
    }
);

/// A motion given at the origin, at another point.
#[inline(always)]
fn at<S: Scalar>(motion: &Motion<S>, point: Vec3<S>) -> Motion<S> {
    let linear = motion.angular.cross_add(point, motion.linear);
    Motion::new(linear, motion.angular)
}

/// The change of ω × v.
#[inline(always)]
fn turned<S: Scalar>(change: &Motion<S>, v: &Motion<S>) -> Vec3<S> {
    let by_linear = v.angular.cross(change.linear);
    change.angular.cross_add(v.linear, by_linear)
}

/// The derivatives of the motion of all joints and frames: the result of
/// [`Model::kinematics_derivatives`].
///
/// Each is the derivative of the components that the views of [`kinematics`](crate::kinematics)
/// return for the same frame and [reference](ReferenceFrame), by changes of q in the tangent space,
/// by v and by a.
#[derive(Clone, Copy, Debug)]
pub struct KinematicsDerivatives<'w, S: Scalar> {
    model: &'w Model,
    scratch: &'w Scratch<S>,
    columns: &'w [MotionColumn<S>],
}

impl Model {
    /// The derivatives of the velocities and accelerations of all joints and frames by q, v and a:
    /// one pass over the tree, and then O(d) for each frame that is asked for.
    ///
    /// `q` has nq entries, `v` and `a` have nv. Cost O(n), no allocation. Source: Singh, Russell
    /// and Wensing 2022.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for inputs that have no finite result.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0]);
    /// let derivatives = model.kinematics_derivatives(&mut ws, &q, &v, &a)?;
    /// let (mut by_q, mut by_v) = (DMatrix::zeros(6, 2), DMatrix::zeros(6, 2));
    /// let (elbow, reference) = (model.frame_id("elbow")?, ReferenceFrame::LocalWorldAligned);
    /// derivatives.velocity_into(elbow, reference, &mut by_q, &mut by_v)?;
    /// // The elbow's velocity (−2 cos q, 0, 2 sin q) turns with the shoulder.
    /// assert_eq!((by_q[(0, 0)], by_q[(2, 0)], by_v[(0, 0)]), (0.0, 2.0, -1.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn kinematics_derivatives<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
        v: &[S],
        a: &[S],
    ) -> Result<KinematicsDerivatives<'w, S>, Error> {
        let (scratch, matrices) = ws.parts(self)?;
        self.check_state(q, v)?;
        self.check_tangent("a", a)?;
        let memory = matrices.derivatives.view(&mut matrices.jacobian);
        move_columns(self, scratch, q, v, a, memory);
        let mut finite = true;
        for i in 1..self.links.len() {
            finite &= scratch.acceleration[i].is_finite();
            finite &= scratch.world[i].translation.is_finite();
        }
        let tangents = [("v", v), ("a", a)];
        self.check_finite(finite, "a derivative", q, &tangents)?;
        Ok(KinematicsDerivatives {
            model: self,
            scratch,
            columns: &matrices.derivatives.columns,
        })
    }
}

impl<S: Scalar> KinematicsDerivatives<'_, S> {
    /// Writes the derivatives of the [velocity](crate::kinematics::Velocities::velocity) of a
    /// joint's output frame, or of a frame, by q and by v, 6 × nv each. That by v is the Jacobian.
    /// Cost O(d), d the depth, and O(nv) zeros.
    ///
    /// # Errors
    /// [`Error::Size`] unless the matrices are 6 × nv; [`Error::ForeignId`].
    pub fn velocity_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        by_q: impl Into<DMatrixViewMut<'o, S>>,
        by_v: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (frame, motion) = ((target.into(), reference), MotionKind::Velocity);
        self.write(frame, motion, by_q.into(), None, by_v.into())
    }

    /// Writes the derivatives of the spatial
    /// [acceleration](crate::kinematics::Accelerations::acceleration) of a joint's output frame, or
    /// of a frame, by q, v and a, 6 × nv each. That by a is the Jacobian. Cost O(d), d the depth,
    /// and O(nv) zeros.
    ///
    /// # Errors
    /// As [`velocity_into`](Self::velocity_into).
    pub fn acceleration_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        by_q: impl Into<DMatrixViewMut<'o, S>>,
        by_v: impl Into<DMatrixViewMut<'o, S>>,
        by_a: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (frame, motion) = ((target.into(), reference), MotionKind::Acceleration);
        self.write(frame, motion, by_q.into(), Some(by_v.into()), by_a.into())
    }

    /// Writes the derivatives of the [classical
    /// acceleration](crate::kinematics::Accelerations::classical_acceleration) of a joint's output
    /// frame, or of a frame, by q, v and a, 6 × nv each. That by a is the Jacobian. Cost O(d), d
    /// the depth, and O(nv) zeros.
    ///
    /// # Errors
    /// As [`velocity_into`](Self::velocity_into).
    pub fn classical_acceleration_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        by_q: impl Into<DMatrixViewMut<'o, S>>,
        by_v: impl Into<DMatrixViewMut<'o, S>>,
        by_a: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (frame, motion) = (
            (target.into(), reference),
            MotionKind::ClassicalAcceleration,
        );
        self.write(frame, motion, by_q.into(), Some(by_v.into()), by_a.into())
    }

    fn write(
        &self,
        (target, reference): (Target, ReferenceFrame),
        motion: MotionKind,
        mut by_q: DMatrixViewMut<'_, S>,
        mut by_v: Option<DMatrixViewMut<'_, S>>,
        mut jacobian: DMatrixViewMut<'_, S>,
    ) -> Result<(), Error> {
        let model = self.model;
        target.check(model)?;
        let by_q = Columns::new(model, &mut by_q)?;
        let by_v = by_v.as_mut().map(|by_v| Columns::new(model, by_v));
        let by_v = by_v.transpose()?;
        let jacobian = Columns::new(model, &mut jacobian)?;
        differentiate_motion(
            model,
            self.scratch,
            self.columns,
            target,
            reference,
            motion,
            by_q,
            by_v,
            jacobian,
        );
        Ok(())
    }
}
