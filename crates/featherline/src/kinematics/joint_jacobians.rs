//! All columns of all Jacobians in one pass.

use super::Positions;
use super::columns::Columns;
use super::jacobian::place_column;
use super::joint_pass::place_in_world;
use super::reference_frame::ReferenceFrame;
use super::target::Target;
use crate::error::Error;
use crate::model::{JointId, Model, require};
use crate::scalar::{Form, InForm, Scalar, kernel, seen_as};
use crate::spatial::Motion;
use crate::workspace::{Scratch, Workspace};
use nalgebra::DMatrixViewMut;
use std::ops::Deref;

/// The columns of all Jacobians in the world's coordinates: the result of
/// [`Model::joint_jacobians`].
///
/// The Jacobian of any frame is made of these columns, those of the joints on its path to the root.
/// The view shows [positions](Positions), too.
///
/// ```
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let jacobians = model.joint_jacobians(&mut ws, &[0.0, 0.0])?;
/// let lower = model.joint_id("elbow")?;
/// assert_eq!(jacobians.placement(lower).translation.z, -1.0);
/// assert_eq!(jacobians.joint_columns(lower)[0].angular.y, 1.0);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JointJacobians<'w, S: Scalar> {
    positions: Positions<'w, S>,
    columns: &'w [Motion<S>],
}

impl<'w, S: Scalar> Deref for JointJacobians<'w, S> {
    type Target = Positions<'w, S>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.positions
    }
}

kernel!(
    fn all_columns<S: Scalar>(
        model: &Model,
        ws: &mut Scratch<S>,
        jacobian: &mut [Motion<S>],
        q: &[S],
    ) {
        place_in_world(model, ws, q);
        for (i, link) in model.links.iter().enumerate().skip(1) {
            for k in link.column_range() {
                jacobian[k] = place_column(link, &ws.world[i], &ws.subspaces.column[k]);
            }
        }
    }
);

impl<'w, S: Scalar> InForm for JointJacobians<'w, S> {
    type As<F: Form> = JointJacobians<'w, F::Of<S>>;

    #[inline(always)]
    fn in_form<F: Form>(self, form: F) -> Self::As<F> {
        JointJacobians {
            positions: self.positions.in_form(form),
            columns: seen_as(self.columns, form),
        }
    }
}

kernel!(
    fn extract<S: Scalar>(
        view: JointJacobians<'_, S>,
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        out: Columns<'_, S, 6>,
    ) {
        let mut out = out;
        let Positions { model, ws } = view.positions;
        let (i, in_link) = target.in_link(model);
        let frame = ws.world[i].compose(&in_link);
        let origin = reference.origin(&frame);
        out.clear();
        let mut j = i;
        while j != 0 {
            let link = &model.links[j];
            for k in 0..link.columns {
                let column = &view.columns[link.column + k];
                let linear = column.angular.cross_add(origin, column.linear);
                let column = Motion::new(linear, column.angular);
                let column = reference.along_axes(&frame, &column);
                out.add(link.idx_v + k, column.to_array());
            }
            j = link.parent;
        }
    }
);

impl Model {
    /// The columns of all Jacobians, in the world's coordinates, with all placements: one pass over
    /// the tree.
    ///
    /// `q` has nq entries. Cost O(n). To write the Jacobians of a few frames only,
    /// [`forward_kinematics`](Self::forward_kinematics) is enough.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], and
    /// [`Error::NotFinite`] or [`Error::ZeroRotation`] for a configuration that places nothing.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let jacobians = model.joint_jacobians(&mut ws, &[0.0, 0.0])?;
    /// let mut tip = DMatrix::zeros(6, 2);
    /// let lower = model.frame_id("elbow")?;
    /// jacobians.jacobian_into(lower, ReferenceFrame::LocalWorldAligned, &mut tip)?;
    /// assert_eq!(tip[(0, 0)], -1.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_jacobians<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<JointJacobians<'w, S>, Error> {
        let (ws, matrices) = ws.parts(self)?;
        self.check_q(q)?;
        all_columns(self, ws, &mut matrices.jacobian, q);
        self.check_finite(self.leaves_are_finite(ws, 0), "a Jacobian", q, &[])?;
        Ok(JointJacobians {
            positions: Positions::of(self, ws),
            columns: &matrices.jacobian,
        })
    }
}

impl<'w, S: Scalar> JointJacobians<'w, S> {
    /// The columns that a joint contributes to the Jacobian of everything that it carries: its
    /// motion subspace in the world's coordinates, one motion for each of its kind's degrees of
    /// freedom. For a mimic joint, times its ratio. Cost O(1).
    ///
    /// # Panics
    /// If the model has no such joint.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let jacobians = model.joint_jacobians(&mut ws, &[0.0, 0.0])?;
    /// // The elbow, 1 m below, rotates about y: the point at the origin moves along x.
    /// let elbow = &jacobians.joint_columns(model.joint_id("elbow")?)[0];
    /// assert_eq!(elbow.to_array(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    #[track_caller]
    pub fn joint_columns(&self, joint: JointId) -> &'w [Motion<S>] {
        require(self.model.check_joint(joint));
        &self.columns[self.model.links[joint.index()].column_range()]
    }

    /// Writes the Jacobian of a frame, as [`Positions::jacobian_into`] does, from columns
    /// already computed.
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 6 × nv; [`Error::ForeignId`].
    pub fn jacobian_into<'o>(
        &self,
        target: impl Into<Target>,
        reference: ReferenceFrame,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let (target, mut out) = (target.into(), out.into());
        target.check(self.model)?;
        let out = Columns::new(self.model, &mut out)?;
        extract(*self, target, reference, out);
        Ok(())
    }
}
