//! Jacobians of joints and frames, and their time derivatives.
//!
//! The Jacobian J(q) gives a frame's velocity ν = J q̇. Its column for a coordinate is the motion
//! that the coordinate causes: X S, for the joints on the path to the root, and zero for all others
//! (R. Murray, Z. Li and S. Sastry, *A Mathematical Introduction to Robotic Manipulation*, 1994,
//! section 3.4).

use super::columns::Columns;
use super::reference_frame::{ReferenceFrame, at_origin};
use super::target::Target;
use super::{Positions, Velocities};
use crate::error::Error;
use crate::model::{Class, Link};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Motion, Se3, Vec3};
use nalgebra::DMatrixViewMut;

/// A column of a motion subspace where its link is placed.
#[inline(always)]
pub(crate) fn place_column<S: Scalar>(
    link: &Link,
    placement: &Se3<S>,
    column: &Motion<S>,
) -> Motion<S> {
    let axis = placement.rotation.z;
    match link.class {
        Class::Revolute | Class::Unbounded => Motion::new(placement.translation.cross(axis), axis),
        Class::Prismatic => Motion::new(axis, Vec3::zero()),
        Class::General => placement.act_motion(column),
    }
}

kernel!(
    fn jacobian<S: Scalar>(
        view: Positions<'_, S>,
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        out: Columns<'_, S, 6>,
    ) {
        let mut out = out;
        let Positions { model, ws } = view;
        let (i, in_link) = target.in_link(model);
        let frame = ws.world[i].compose(&in_link);
        let origin = reference.origin(&frame);
        out.clear();
        let mut j = i;
        while j != 0 {
            let link = &model.links[j];
            let here = at_origin(&ws.world[j], origin);
            for (k, own) in ws.subspaces.column[link.column_range()].iter().enumerate() {
                let column = place_column(link, &here, own);
                let column = reference.along_axes(&frame, &column);
                out.add(link.idx_v + k, column.to_array());
            }
            j = link.parent;
        }
    }
);

kernel!(
    fn jacobian_rate<S: Scalar>(
        view: Velocities<'_, S>,
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        out: Columns<'_, S, 6>,
    ) {
        let mut out = out;
        let Positions { model, ws } = *view;
        let (i, in_link) = target.in_link(model);
        let frame = ws.world[i].compose(&in_link);
        let origin = reference.origin(&frame);
        let carrier = at_origin(&ws.world[i], origin).act_motion(&ws.velocity[i]);
        // The coordinates themselves move with this velocity.
        let moving = reference.velocity(&carrier);
        out.clear();
        let mut j = i;
        while j != 0 {
            let link = &model.links[j];
            let here = at_origin(&ws.world[j], origin);
            let relative = here.act_motion(&ws.velocity[j]) - moving;
            for k in 0..link.columns {
                let own = link.column + k;
                let column = place_column(link, &here, &ws.subspaces.column[own]);
                let mut rate = relative.cross(&column);
                if link.is_varying {
                    rate += here.act_motion(&ws.subspaces.rate[own]);
                }
                let rate = reference.along_axes(&frame, &rate);
                out.add(link.idx_v + k, rate.to_array());
            }
            j = link.parent;
        }
    }
);

impl<'w, S: Scalar> Positions<'w, S> {
    /// Writes the Jacobian of a joint's output frame, or of a frame, 6 × nv: its product with v is
    /// the frame's velocity in the same reference.
    ///
    /// `out` is a matrix, or a view of six rows of a larger one; all its entries are written. Cost
    /// O(d), d the depth, and O(nv) zeros. Source: Murray, Li and Sastry 1994, section 3.4.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 6 × nv; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let kinematics = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// let (upper, lower) = (model.frame_id("shoulder")?, model.frame_id("elbow")?);
    /// // Two tasks, one above the other, in one matrix.
    /// let mut tasks = DMatrix::zeros(12, 2);
    /// let reference = ReferenceFrame::LocalWorldAligned;
    /// kinematics.jacobian_into(upper, reference, &mut tasks.rows_mut(0, 6))?;
    /// kinematics.jacobian_into(lower, reference, &mut tasks.rows_mut(6, 6))?;
    /// assert_eq!((tasks[(6, 0)], tasks[(6, 1)]), (-1.0, 0.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn jacobian_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (target, mut out) = (target.into(), out.into());
        target.check(self.model)?;
        let out = Columns::new(self.model, &mut out)?;
        jacobian(*self, target, reference, out);
        Ok(())
    }
}

impl<'w, S: Scalar> Velocities<'w, S> {
    /// Writes the time derivative J̇ of the Jacobian of a joint's output frame, or of a frame, 6 ×
    /// nv, along the velocity of this state.
    ///
    /// It is the derivative of the matrix that
    /// [`jacobian_into`](Positions::jacobian_into) writes, entry by entry: motion
    /// subspaces that depend on q and the motion of the reference count. `out` is a matrix, or a
    /// view of six rows of a larger one. For the product J̇ v alone see
    /// [`bias_acceleration`](Self::bias_acceleration). Cost O(d), d the depth, and
    /// O(nv) zeros.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 6 × nv; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let kinematics = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[2.0, 0.0])?;
    /// let mut rate = DMatrix::zeros(6, 2);
    /// let elbow = model.frame_id("elbow")?;
    /// kinematics.jacobian_rate_into(elbow, ReferenceFrame::LocalWorldAligned, &mut rate)?;
    /// // d/dt of (−cos q, 0, sin q) is (0, 0, q̇) at q = 0.
    /// assert_eq!((rate[(0, 0)], rate[(2, 0)]), (0.0, 2.0));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn jacobian_rate_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (target, mut out) = (target.into(), out.into());
        target.check(self.model)?;
        let out = Columns::new(self.model, &mut out)?;
        jacobian_rate(*self, target, reference, out);
        Ok(())
    }
}
