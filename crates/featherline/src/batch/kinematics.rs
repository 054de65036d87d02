//! Kinematics of many states.

use super::output_frames::{Finite, PLACEMENT, begin, place_joint, placement};
use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Output, Precision};
use crate::error::Error;
use crate::kinematics::target::Target;
use crate::kinematics::{Positions, ReferenceFrame};
use crate::model::{Class, FrameId, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch, kernel};
use crate::spatial::{Motion, Se3, Vec3};
use crate::workspace::Workspace;
use nalgebra::DMatrixViewMut;

struct JointPlacements;

impl Task for JointPlacements {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        model.check_q(q)?;
        room.resize(PLACEMENT * model.joints().len(), S::zero());
        let rows = results.of(0);
        if dispatch(PlaceJoints {
            model,
            columns: &mut ws.scratch.subspaces.column,
            q,
            room,
            rows,
        }) {
            Ok(())
        } else {
            Err(model.explain_not_finite("a placement", q, &[], None))
        }
    }
}

/// Places all joints in the world, and writes each placement to its rows while it is still at hand.
/// Returns whether all are finite.
struct PlaceJoints<'a, S: Pack> {
    model: &'a Model,
    columns: &'a mut [Motion<S>],
    q: &'a [S],
    room: &'a mut [S],
    rows: &'a mut [S::Element],
}

impl<S: Pack> Kernel for PlaceJoints<'_, S> {
    type Output = bool;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> bool {
        let Self {
            model,
            columns,
            q,
            room,
            rows,
        } = self;
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
}

struct FramePlacements<'a>(&'a [FrameId]);

impl Task for FramePlacements<'_> {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let view = model.forward_kinematics(ws, q)?;
        room.resize(PLACEMENT * self.0.len(), S::zero());
        let frames = self.0;
        write_placements(view, frames, room);
        results.put(0, room);
        Ok(())
    }
}

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
            write_placement(&view.ws.world[i].compose(&in_link), row);
        }
    }
);

/// Writes the 3 × 4 matrix \[R p\], column by column.
#[inline(always)]
fn write_placement<S: Scalar>(placement: &Se3<S>, row: &mut [S]) {
    let r = &placement.rotation;
    let columns = [r.x, r.y, r.z, placement.translation];
    for k in 0..4 {
        (row[3 * k], row[3 * k + 1], row[3 * k + 2]) = (columns[k].x, columns[k].y, columns[k].z);
    }
}

struct JointJacobians;

impl Task for JointJacobians {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        model.check_q(q)?;
        let placements = PLACEMENT * model.joints().len();
        room.resize(placements + 6 * model.columns(), S::zero());
        let (placements, room) = room.split_at_mut(placements);
        let rows = results.of(0);
        if dispatch(PlaceColumns {
            model,
            columns: &mut ws.scratch.subspaces.column,
            q,
            placements,
            room,
            rows,
        }) {
            Ok(())
        } else {
            Err(model.explain_not_finite("a Jacobian", q, &[], None))
        }
    }
}

/// Places the columns of all joints in the world, and writes each to its rows while it is still at
/// hand. Returns whether all placements are finite.
struct PlaceColumns<'a, S: Pack> {
    model: &'a Model,
    columns: &'a mut [Motion<S>],
    q: &'a [S],
    placements: &'a mut [S],
    room: &'a mut [S],
    rows: &'a mut [S::Element],
}

impl<S: Pack> Kernel for PlaceColumns<'_, S> {
    type Output = bool;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> bool {
        let Self {
            model,
            columns,
            q,
            placements,
            room,
            rows,
        } = self;
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
}

struct FrameJacobians<'a>(&'a [FrameId], ReferenceFrame);

impl Task for FrameJacobians<'_> {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let Self(frames, reference) = *self;
        let nv = model.nv();
        let positions = model.forward_kinematics(ws, q)?;
        room.resize(6 * nv * frames.len(), S::zero());
        // A robot that cannot move has no columns to write.
        for (&frame, row) in frames.iter().zip(room.chunks_exact_mut((6 * nv).max(1))) {
            positions.jacobian_into(frame, reference, DMatrixViewMut::from_slice(row, 6, nv))?;
        }
        results.put(0, room);
        Ok(())
    }
}

impl<T: Precision> Batch<T> {
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
        &mut self,
        q: &[T],
        placements: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let length = PLACEMENT * (self.model.joints().len() - 1);
        let inputs = [self.q(q)];
        self.run(
            &JointPlacements,
            inputs,
            [Output {
                name: "placements",
                rows: placements,
                length,
            }],
            status,
        )
    }

    /// The placements of some frames in the world, each as in
    /// [`joint_placements`](Self::joint_placements).
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_placements(
        &mut self,
        q: &[T],
        frames: &[FrameId],
        placements: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        self.check_frames(frames)?;
        let length = PLACEMENT * frames.len();
        let inputs = [self.q(q)];
        let outputs = [Output {
            name: "placements",
            rows: placements,
            length,
        }];
        self.run(&FramePlacements(frames), inputs, outputs, status)
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
    pub fn joint_jacobians(
        &mut self,
        q: &[T],
        columns: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let length = 6 * self.model.columns();
        let inputs = [self.q(q)];
        self.run(
            &JointJacobians,
            inputs,
            [Output {
                name: "columns",
                rows: columns,
                length,
            }],
            status,
        )
    }

    /// The Jacobians of some frames, 6 × nv each, as [`Positions::jacobian_into`] writes
    /// them.
    ///
    /// [`Positions::jacobian_into`]: crate::kinematics::Positions::jacobian_into
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_jacobians(
        &mut self,
        q: &[T],
        frames: &[FrameId],
        reference: ReferenceFrame,
        jacobians: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        self.check_frames(frames)?;
        let length = 6 * self.model.nv() * frames.len();
        let inputs = [self.q(q)];
        let outputs = [Output {
            name: "jacobians",
            rows: jacobians,
            length,
        }];
        self.run(&FrameJacobians(frames, reference), inputs, outputs, status)
    }

    fn check_frames(&self, frames: &[FrameId]) -> Result<(), Error> {
        for &frame in frames {
            Target::Frame(frame).check(&self.model)?;
        }
        Ok(())
    }
}
