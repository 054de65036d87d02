//! The change of external forces with the configuration, by their change of components.
//!
//! In the frame of its target a force that is constant in a reference changes by −νₖ ×* f, νₖ the
//! motion of the target relative to the reference for a unit of coordinate k (Featherstone 2008,
//! section 2.9). In the axes of the world, ν is the whole Jacobian column for `World`, its angular
//! part for `LocalWorldAligned`, and zero for `Local`.

use crate::dynamics::ExternalForce;
use crate::dynamics::aligned::place;
use crate::error::{Error, check_size};
use crate::kinematics::{ReferenceFrame, Target};
use crate::model::Model;
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Force, Motion};
use crate::workspace::{Scratch, Workspace};
use nalgebra::DMatrix;

kernel!(
    /// Adds a factor times Jᵀ ∂f/∂q of links in the aligned frame to an nv × nv matrix. Cost O(d²).
    pub(super) fn add_change_of_components<S: Scalar>(
        model: &Model,
        ws: &Scratch<S>,
        jacobian: &[Motion<S>],
        #[plain] target: Target,
        #[plain] reference: ReferenceFrame,
        force: Force<S>,
        #[plain] factor: f64,
        out: &mut [S],
    ) {
        let (i, in_link) = target.in_link(model);
        // The point that the moment is about, in the aligned frame.
        let point = match reference {
            ReferenceFrame::Local => return,
            ReferenceFrame::World => -ws.origin,
            ReferenceFrame::LocalWorldAligned => ws.world[i].compose(&in_link).translation,
        };
        let mut above = i;
        while above != 0 {
            let carrier = &model.links[above];
            for (k, column) in jacobian[carrier.column_range()].iter().enumerate() {
                let linear = column.angular.cross_add(point, column.linear);
                let moved = Motion::new(linear, column.angular);
                let relative = moved - reference.velocity(&moved);
                // ∂f/∂q_k = −ν_k ×* f, then about the aligned frame's origin
                let mut change = relative.cross_force(&force) * S::constant(-factor);
                change.angular = point.cross_add(change.linear, change.angular);
                let row = &mut out[(carrier.idx_v + k) * model.nv()..][..model.nv()];
                let mut j = i;
                while j != 0 {
                    let link = &model.links[j];
                    for (r, own) in jacobian[link.column_range()].iter().enumerate() {
                        row[link.idx_v + r] += own.dot(&change);
                    }
                    j = link.parent;
                }
            }
            above = carrier.parent;
        }
    }
);

/// Adds to a derivative by q what joint forces that change with q cause: the derivative by τ times
/// ∂τ/∂q, such as [`Model::external_forces_derivative_into`] writes.
///
/// Both derivatives are matrices of so many rows and nv columns by columns, one or several after
/// the other.
///
/// ```
/// use featherline::derivatives::add_by_joint_forces;
/// use nalgebra::DMatrix;
///
/// let (mut dq, dtau) = ([1.0, 0.0], [2.0, 0.5]); // one row
/// add_by_joint_forces(1, &DMatrix::from_diagonal_element(2, 2, 3.0), &dtau, &mut dq);
/// assert_eq!(dq, [7.0, 1.5]);
/// ```
pub fn add_by_joint_forces<S: Scalar>(rows: usize, change: &DMatrix<S>, dtau: &[S], dq: &mut [S]) {
    let (n, block) = (change.nrows(), (rows * change.nrows()).max(1));
    for (dq, dtau) in dq.chunks_exact_mut(block).zip(dtau.chunks_exact(block)) {
        for (k, dq) in dq.chunks_exact_mut(rows).enumerate() {
            for l in 0..n {
                for (x, &by_tau) in dq.iter_mut().zip(&dtau[rows * l..]) {
                    *x += by_tau * change[(l, k)];
                }
            }
        }
    }
}

impl Model {
    /// Writes how the joint forces Jᵀ f of forces on joints and frames change with q by the change
    /// of their components in the joints' frames: Σ Jᵀ ∂f/∂q, nv × nv, in the tangent space.
    ///
    /// It is what derivatives leave out that hold external forces in the joints' frames. To a
    /// derivative by q add the same one by τ, times this matrix; from one of inverse dynamics
    /// subtract this matrix. [`DynamicsOptions::with_frame_forces`] does so by itself. Cost O(n),
    /// and O(d²) a force. Source: Featherstone 2008, section 2.9.
    ///
    /// [`DynamicsOptions::with_frame_forces`]: crate::dynamics::DynamicsOptions::with_frame_forces
    ///
    /// # Errors
    /// As [`external_forces_into`](Self::external_forces_into), [`Error::Size`] unless `out` is nv
    /// × nv, and [`Error::NoMatrices`].
    ///
    /// ```
    /// use featherline::dynamics::ExternalForce;
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::spatial::Force;
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// // A pull along the rod: as the rod turns by ε, 5 ε are across it, 1 m from the shoulder.
    /// let model = samples::double_pendulum();
    /// let pull = ExternalForce {
    ///     target: model.joint_id("elbow")?.into(),
    ///     reference: ReferenceFrame::LocalWorldAligned,
    ///     force: Force::from_array([0.0, 0.0, -5.0_f64, 0.0, 0.0, 0.0]),
    /// };
    /// let (mut ws, mut change) = (Workspace::new(&model), DMatrix::zeros(2, 2));
    /// model.external_forces_derivative_into(&mut ws, &[0.0; 2], &[pull], &mut change)?;
    /// assert!((change[(0, 0)] + 5.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn external_forces_derivative_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        given: &[ExternalForce<S>],
        out: &mut DMatrix<S>,
    ) -> Result<(), Error> {
        check_size("the rows of the derivative", self.nv(), out.nrows())?;
        check_size("the columns of the derivative", self.nv(), out.ncols())?;
        self.forward_kinematics(ws, q)?;
        let (scratch, matrices) = ws.parts(self)?;
        for (i, link) in self.links.iter().enumerate().skip(1) {
            place(i, link, scratch, &mut matrices.jacobian);
        }
        out.fill(S::zero());
        self.add_changes(scratch, &matrices.jacobian, given, 1.0, out.as_mut_slice())
    }

    /// Adds the change of forces on frames, times a factor, of links placed in the aligned frame.
    pub(super) fn add_changes<S: Scalar>(
        &self,
        scratch: &Scratch<S>,
        jacobian: &[Motion<S>],
        given: &[ExternalForce<S>],
        factor: f64,
        out: &mut [S],
    ) -> Result<(), Error> {
        for external in given {
            let ExternalForce {
                target,
                reference,
                force,
            } = *external;
            target.check(self)?;
            add_change_of_components(
                self, scratch, jacobian, target, reference, force, factor, out,
            );
        }
        Ok(())
    }
}
