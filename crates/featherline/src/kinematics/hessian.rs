//! The kinematic Hessian: how the Jacobian of a frame changes with each coordinate.
//!
//! When coordinate k moves, it carries the column of coordinate j along if its joint lies above
//! (the derivative is J_k × J_j), and turns the coordinates of the frame if these move with it. A
//! joint's own motion subspace may change with its configuration, too.

use super::joint_pass::rate_columns;
use super::reference_frame::{ReferenceFrame, at_origin};
use super::target::Target;
use crate::error::{Error, check_size};
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Motion, Se3, Vec3};
use crate::workspace::{Scratch, Workspace};

struct Hessian<'a, 'o, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Workspace<S>,
    q: &'a [S],
    target: Target,
    reference: ReferenceFrame,
    out: &'o mut [S],
}

impl<S: Scalar> Kernel for Hessian<'_, '_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self {
            model,
            ws,
            q,
            target,
            reference,
            out,
        } = self;
        let nv = model.nv();
        let (i, in_link) = target.in_link(model);
        let frame = ws.scratch.world[i].compose(&in_link);
        let origin = reference.origin(&frame);
        out.fill(S::zero());
        let Some(matrices) = ws.matrices.as_mut() else {
            return;
        };
        // The columns at the reference's origin, kept where another algorithm keeps their rates.
        let columns = &mut matrices.jacobian_rate;
        let mut j = i;
        while j != 0 {
            let link = &model.links[j];
            for k in link.column_range() {
                let Motion { linear, angular } = matrices.jacobian[k];
                columns[k] = Motion::new(angular.cross_add(origin, linear), angular);
            }
            j = link.parent;
        }
        let mut j = i;
        while j != 0 {
            let link = &model.links[j];
            let mut b = i;
            while b != 0 {
                let moving = &model.links[b];
                for c in 0..link.columns {
                    for d in 0..moving.columns {
                        let (own, other) = (&columns[link.column + c], &columns[moving.column + d]);
                        let derivative = carried(reference, own, other, b <= j);
                        let derivative = reference.along_axes(&frame, &derivative);
                        add(out, nv, link.idx_v + c, moving.idx_v + d, &derivative);
                    }
                }
                b = moving.parent;
            }
            j = link.parent;
        }
        add_changes_of_subspaces(model, &mut ws.scratch, q, i, reference, &frame, out);
    }
}

/// The derivative of a column along another coordinate that carries it (whose joint lies above, or
/// is its own) or does not, both columns at the reference's origin in the world's axes.
#[inline(always)]
fn carried<S: Scalar>(
    reference: ReferenceFrame,
    column: &Motion<S>,
    along: &Motion<S>,
    is_above: bool,
) -> Motion<S> {
    // Always J_k × J_j if it is carried, less the motion of the coordinates: J_k for `Local`, its
    // linear part for `LocalWorldAligned`.
    match (reference, is_above) {
        (ReferenceFrame::World, true) => along.cross(column),
        (ReferenceFrame::World, false) | (ReferenceFrame::Local, true) => Motion::zero(),
        (ReferenceFrame::Local, false) => column.cross(along),
        (ReferenceFrame::LocalWorldAligned, true) => Motion::new(
            along.angular.cross(column.linear),
            along.angular.cross(column.angular),
        ),
        (ReferenceFrame::LocalWorldAligned, false) => {
            Motion::new(column.angular.cross(along.linear), Vec3::zero())
        }
    }
}

/// Adds ∂S/∂q of the joints whose motion subspace depends on their configuration.
#[inline(always)]
fn add_changes_of_subspaces<S: Scalar>(
    model: &Model,
    ws: &mut Scratch<S>,
    q: &[S],
    i: usize,
    reference: ReferenceFrame,
    frame: &Se3<S>,
    out: &mut [S],
) {
    let mut unit = std::mem::take(&mut ws.zeros);
    let mut j = i;
    while j != 0 {
        let link = &model.links[j];
        if link.is_varying {
            let here = at_origin(&ws.world[j], reference.origin(frame));
            for d in 0..link.columns {
                unit[link.idx_v + d] = S::one();
                rate_columns(model, j, link, q, &unit, &mut ws.subspaces);
                unit[link.idx_v + d] = S::zero();
                for c in 0..link.columns {
                    let derivative = here.act_motion(&ws.subspaces.rate[link.column + c]);
                    let derivative = reference.along_axes(frame, &derivative);
                    add(out, model.nv(), link.idx_v + c, link.idx_v + d, &derivative);
                }
            }
        }
        j = link.parent;
    }
    ws.zeros = unit;
}

/// Adds the derivative of column `j` along coordinate `k`.
#[inline(always)]
fn add<S: Scalar>(out: &mut [S], nv: usize, j: usize, k: usize, derivative: &Motion<S>) {
    let begin = 6 * (j + nv * k);
    let entries = &mut out[begin..begin + 6];
    for (entry, value) in entries.iter_mut().zip(derivative.to_array()) {
        *entry += value;
    }
}

impl Model {
    /// Writes the kinematic Hessian of a frame, 6 × nv × nv: the derivative of its Jacobian along
    /// each coordinate.
    ///
    /// Entry (row, j, k) is the derivative of J\[row, j\] along coordinate k of the tangent space,
    /// at `out[row + 6 * (j + nv * k)]`: for each k a 6 × nv matrix ∂J/∂q_k by columns. Contracted
    /// with v over k it is [J̇](crate::kinematics::Velocities::jacobian_rate_into). Motion
    /// subspaces that depend on q count. It is not symmetric in j and k, except for the linear rows
    /// in `LocalWorldAligned` where all joints have one degree of freedom.
    ///
    /// `q` has nq entries, `out` 6 nv². Cost O(d²), d the depth, and O(nv²) zeros. Source: J.
    /// Haviland and P. Corke, *Manipulator differential kinematics, part 2*, IEEE Robotics and
    /// Automation Magazine 2023, for `LocalWorldAligned` and joints of one degree of freedom.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMatrices`], [`Error::ForeignId`],
    /// and [`Error::NotFinite`] or [`Error::ZeroRotation`] for a configuration that places nothing.
    ///
    /// ```
    /// use featherline::kinematics::ReferenceFrame;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let mut hessian = [0.0; 6 * 2 * 2];
    /// let elbow = model.frame_id("elbow")?;
    /// let reference = ReferenceFrame::LocalWorldAligned;
    /// model.hessian_into(&mut ws, &[0.0, 0.0], elbow, reference, &mut hessian)?;
    /// // The first column is (−cos q, 0, sin q), its derivative at q = 0 (0, 0, 1).
    /// assert_eq!(hessian[..3], [0.0, 0.0, 1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn hessian_into<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
        target: impl Into<Target>,
        reference: ReferenceFrame,
        out: &mut [S],
    ) -> Result<(), Error> {
        let target = target.into();
        target.check(self)?;
        check_size("the Hessian", 6 * self.nv() * self.nv(), out.len())?;
        self.joint_jacobians(ws, q)?;
        dispatch(Hessian {
            model: self,
            ws,
            q,
            target,
            reference,
            out,
        });
        Ok(())
    }
}
