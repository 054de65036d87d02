//! Kinematics of many states.

use super::method::batch_methods;
use super::output_frames::{Finite, PLACEMENT, begin, place_joint, placement};
use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Input, Output, Precision};
use crate::error::Error;
use crate::kinematics::target::Target;
use crate::kinematics::{Positions, ReferenceFrame};
use crate::model::{Class, FrameId, Model};
use crate::scalar::kernel;
use crate::spatial::{Motion, Vec3};
use crate::workspace::Workspace;
use nalgebra::DMatrixViewMut;

kernel!(
    /// Places all joints in the world, and writes each placement to its rows while it is still at
    /// hand. Returns whether all are finite.
    fn place_joints<S: Pack>(
        model: &Model,
        columns: &mut [Motion<S>],
        q: &[S],
        room: &mut [S],
        rows: &mut [S::Element],
    ) -> bool {
        let mut finite = Finite::new();
        let n = model.mounts.len();
        let mut written = 0;
        begin(room);
        for i in 1..n {
            let placements = room.as_chunks_mut::<PLACEMENT>().0;
            place_joint(model, i, q, placements, columns);
            finite.watch(&model.mounts[i], &placements[i]);
            let end = PLACEMENT * i;
            if end.is_multiple_of(S::LANES) || i + 1 == n {
                S::scatter(&room[PLACEMENT..], rows, written..end);
                written = end;
            }
        }
        finite.is_kept()
    }
);

kernel!(
    /// Writes the placements of some frames.
    fn write_placements<S: Scalar>(
        view: Positions<'_, S>,
        #[plain] frames: &[FrameId],
        room: &mut [S],
    ) {
        let rows = room.chunks_exact_mut(PLACEMENT);
        for (&frame, row) in frames.iter().zip(rows) {
            let (i, in_link) = Target::Frame(frame).in_link(view.model);
            view.ws.world[i].compose(&in_link).write_columns(row);
        }
    }
);

kernel!(
    /// Places all joints' columns in the world and writes them; returns whether all are finite.
    fn place_columns<S: Pack>(
        model: &Model,
        columns: &mut [Motion<S>],
        q: &[S],
        placements: &mut [S],
        room: &mut [S],
        rows: &mut [S::Element],
    ) -> bool {
        let mut finite = Finite::new();
        let n = model.mounts.len();
        let (mut known, mut written) = (0, 0);
        begin(placements);
        let placements = placements.as_chunks_mut::<PLACEMENT>().0;
        for i in 1..n {
            let axis = place_joint(model, i, q, placements, columns);
            let own = &placements[i];
            finite.watch(&model.mounts[i], own);
            let origin = Vec3::new(own[9], own[10], own[11]);
            let own = match model.mounts[i].class {
                Class::General => {
                    let world = placement(own);
                    for column in &columns[model.links[i].column_range()] {
                        let column = world.act_motion(column).to_array();
                        room[known..known + 6].copy_from_slice(&column);
                        known += 6;
                    }
                    None
                }
                Class::Prismatic => Some(Motion::new(axis, Vec3::zero())),
                Class::Revolute | Class::Unbounded => Some(Motion::new(origin.cross(axis), axis)),
            };
            if let Some(own) = own {
                room[known..known + 6].copy_from_slice(&own.to_array());
                known += 6;
            }
            // Whole squares; the last one ends with the rows.
            let end = if i + 1 == n {
                known
            } else {
                known - known % S::LANES
            };
            if written < end {
                S::scatter(room, rows, written..end);
                written = end;
            }
        }
        finite.is_kept()
    }
);

batch_methods!(
    /// The placements of all joints' output frames in the world, as [`Positions::placement`]
    /// gives them.
    ///
    /// Twelve numbers for each joint but the universe: the 3 × 4 matrix \[R p\] column by column,
    /// the axes of the frame first and its origin last.
    ///
    /// [`Positions::placement`]: crate::kinematics::Positions::placement
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut placements, mut status) = ([0.0; 24], [BatchStatus::default(); 1]);
    /// batch.joint_placements(&[0.0, 0.0], &mut placements, &mut status)?;
    /// // The elbow hangs 1 m below the hinge.
    /// assert_eq!(placements[21..], [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_placements(
        q: Model::nq
        => placements: |model: &Model| PLACEMENT * (model.joints().len() - 1)
    )
    |model, ws, Room { numbers: room, .. }, results| {
        model.check_q(q)?;
        room.resize(PLACEMENT * model.joints().len(), S::zero());
        let columns = &mut ws.scratch.subspaces.column;
        let is_finite = place_joints(model, columns, q, room, results.of(0));
        model.check_finite(is_finite, "a placement", q, &[])?;
    }

    /// The placements of some frames in the world, each as in
    /// [`joint_placements`](Self::joint_placements).
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_placements(
        q: Model::nq; frames[check_frames]: &[FrameId]
        => placements: |_: &Model| PLACEMENT * frames.len()
    )
    |model, ws, Room { numbers: room, .. }, results| {
        let view = model.forward_kinematics(ws, q)?;
        room.resize(PLACEMENT * frames.len(), S::zero());
        write_placements(view, frames, room);
        results.put(0, room);
    }

    /// The columns of all joints' Jacobians in the world's coordinates, as
    /// [`JointJacobians::joint_columns`] gives them: for each joint but the universe, six numbers
    /// for each degree of freedom of its kind.
    ///
    /// Without mimic joints that is the 6 × nv matrix of all columns, column by column.
    ///
    /// [`JointJacobians::joint_columns`]: crate::kinematics::JointJacobians::joint_columns
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn joint_jacobians(q: Model::nq => columns: |model: &Model| 6 * model.columns())
    |model, ws, Room { numbers: room, .. }, results| {
        model.check_q(q)?;
        let placements = PLACEMENT * model.joints().len();
        room.resize(placements + 6 * model.columns(), S::zero());
        let (placements, room) = room.split_at_mut(placements);
        let columns = &mut ws.scratch.subspaces.column;
        let is_finite = place_columns(model, columns, q, placements, room, results.of(0));
        model.check_finite(is_finite, "a Jacobian", q, &[])?;
    }

    /// The Jacobians of some frames, 6 × nv each, as [`Positions::jacobian_into`] writes
    /// them.
    ///
    /// [`Positions::jacobian_into`]: crate::kinematics::Positions::jacobian_into
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_jacobians(
        q: Model::nq; frames[check_frames]: &[FrameId], reference: ReferenceFrame
        => jacobians: |model: &Model| 6 * model.nv() * frames.len()
    )
    |model, ws, Room { numbers: room, .. }, results| {
        let nv = model.nv();
        let positions = model.forward_kinematics(ws, q)?;
        room.resize(6 * nv * frames.len(), S::zero());
        // A robot that cannot move has no columns to write.
        for (&frame, row) in frames.iter().zip(room.chunks_exact_mut((6 * nv).max(1))) {
            positions.jacobian_into(frame, reference, DMatrixViewMut::from_slice(row, 6, nv))?;
        }
        results.put(0, room);
    }

    /// The centre of mass in the world, three numbers a state, as
    /// [`Positions::center_of_mass`](crate::kinematics::Positions::center_of_mass) gives it.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut center, mut status) = ([0.0; 3], [BatchStatus::default(); 1]);
    /// batch.center_of_mass(&[0.0, 0.0], &mut center, &mut status)?;
    /// // Two equal rods of 1 m hang down, one from the other.
    /// assert_eq!(center, [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass(q: Model::nq => center: |_: &Model| 3)
    |model, ws, _, results| {
        results.put(0, &model.center_of_mass(ws, q)?.to_array());
    }

    /// The centre of mass in the world, three numbers a state, and its Jacobian, 3 × nv, as
    /// [`Model::centers_of_mass`] gives them.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn center_of_mass_jacobian(
        q: Model::nq
        => center: |_: &Model| 3, jacobian: |model: &Model| 3 * model.nv()
    )
    |model, ws, Room { numbers: jacobian, .. }, results| {
        let nv = model.nv();
        let centers = model.centers_of_mass(ws, q)?;
        results.put(0, &centers.center_of_mass()?.to_array());
        jacobian.resize(3 * nv, S::zero());
        centers.center_of_mass_jacobian_into(DMatrixViewMut::from_slice(jacobian, 3, nv))?;
        results.put(1, jacobian);
    }
);

fn check_frames(model: &Model, frames: &[FrameId]) -> Result<(), Error> {
    frames
        .iter()
        .try_for_each(|&frame| Target::Frame(frame).check(model))
}
