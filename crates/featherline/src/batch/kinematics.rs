//! Kinematics of many states.

use super::queue::RESULTS;
use super::worker::{INPUTS, Task};
use super::{Batch, Output, Precision, Status};
use crate::error::Error;
use crate::kinematics::anchor::Anchor;
use crate::kinematics::{Positions, ReferenceFrame};
use crate::model::{FrameId, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::workspace::Workspace;
use nalgebra::DMatrixViewMut;

/// The numbers of a placement.
const PLACEMENT: usize = 12;

struct JointPlacements;

impl Task for JointPlacements {
    fn run<'w, S: Scalar>(
        &self,
        model: &'w Model,
        ws: &'w mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        room: &'w mut Vec<S>,
    ) -> Result<[&'w [S]; RESULTS], Error> {
        let view = model.forward_kinematics(ws, q)?;
        room.resize(PLACEMENT * (model.joints().len() - 1), S::zero());
        let frames = None;
        dispatch(WritePlacements { view, frames, room });
        Ok([room, &[], &[], &[]])
    }
}

struct FramePlacements<'a>(&'a [FrameId]);

impl Task for FramePlacements<'_> {
    fn run<'w, S: Scalar>(
        &self,
        model: &'w Model,
        ws: &'w mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        room: &'w mut Vec<S>,
    ) -> Result<[&'w [S]; RESULTS], Error> {
        let view = model.forward_kinematics(ws, q)?;
        room.resize(PLACEMENT * self.0.len(), S::zero());
        let frames = Some(self.0);
        dispatch(WritePlacements { view, frames, room });
        Ok([room, &[], &[], &[]])
    }
}

/// Writes the placements of some frames, or else of all joints.
struct WritePlacements<'a, S: Scalar> {
    view: Positions<'a, S>,
    frames: Option<&'a [FrameId]>,
    room: &'a mut [S],
}

impl<S: Scalar> Kernel for WritePlacements<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let rows = self.room.chunks_exact_mut(PLACEMENT);
        match self.frames {
            None => {
                for (joint, row) in self.view.model.joint_ids().zip(rows) {
                    write_placement(&self.view, Anchor::Joint(joint), row);
                }
            }
            Some(frames) => {
                for (&frame, row) in frames.iter().zip(rows) {
                    write_placement(&self.view, Anchor::Frame(frame), row);
                }
            }
        }
    }
}

/// Writes the 3 × 4 matrix \[R p\], column by column.
#[inline(always)]
fn write_placement<S: Scalar>(view: &Positions<'_, S>, anchor: Anchor, row: &mut [S]) {
    let (i, in_link) = anchor.in_link(view.model);
    let placement = view.ws.world[i].compose(&in_link);
    let r = &placement.rotation;
    let columns = [r.x, r.y, r.z, placement.translation];
    for k in 0..4 {
        (row[3 * k], row[3 * k + 1], row[3 * k + 2]) = (columns[k].x, columns[k].y, columns[k].z);
    }
}

struct JointJacobians;

impl Task for JointJacobians {
    fn run<'w, S: Scalar>(
        &self,
        model: &'w Model,
        ws: &'w mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        room: &'w mut Vec<S>,
    ) -> Result<[&'w [S]; RESULTS], Error> {
        let jacobians = model.joint_jacobians(ws, q)?;
        room.resize(6 * model.columns(), S::zero());
        let mut rows = room.chunks_exact_mut(6);
        for joint in model.joint_ids() {
            for (column, row) in jacobians.joint_columns(joint).iter().zip(&mut rows) {
                row.copy_from_slice(&column.to_array());
            }
        }
        Ok([room, &[], &[], &[]])
    }
}

struct FrameJacobians<'a>(&'a [FrameId], ReferenceFrame);

impl Task for FrameJacobians<'_> {
    fn run<'w, S: Scalar>(
        &self,
        model: &'w Model,
        ws: &'w mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        room: &'w mut Vec<S>,
    ) -> Result<[&'w [S]; RESULTS], Error> {
        let Self(frames, reference) = *self;
        let nv = model.nv();
        let positions = model.forward_kinematics(ws, q)?;
        room.resize(6 * nv * frames.len(), S::zero());
        // A robot that cannot move has no columns to write.
        for (&frame, row) in frames.iter().zip(room.chunks_exact_mut((6 * nv).max(1))) {
            positions.frame_jacobian_into(
                frame,
                reference,
                DMatrixViewMut::from_slice(row, 6, nv),
            )?;
        }
        Ok([room, &[], &[], &[]])
    }
}

struct CenterOfMass;

impl Task for CenterOfMass {
    fn run<'w, S: Scalar>(
        &self,
        model: &'w Model,
        ws: &'w mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        room: &'w mut Vec<S>,
    ) -> Result<[&'w [S]; RESULTS], Error> {
        let nv = model.nv();
        let centers = model.centers_of_mass(ws, q)?;
        room.resize(3 * (nv + 1), S::zero());
        let (center, jacobian) = room.split_at_mut(3);
        center.copy_from_slice(&centers.center_of_mass()?.to_array());
        centers.center_of_mass_jacobian_into(DMatrixViewMut::from_slice(jacobian, 3, nv))?;
        Ok([center, jacobian, &[], &[]])
    }
}

impl<T: Precision> Batch<T> {
    /// The placements of all joints' output frames in the world, as [`Positions::joint_placement`] gives them.
    ///
    /// Twelve numbers for each joint but the universe: the 3 × 4 matrix \[R p\] column by column, the axes of the frame
    /// first and its origin last.
    ///
    /// [`Positions::joint_placement`]: crate::kinematics::Positions::joint_placement
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, Status};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut placements, mut status) = ([0.0; 24], [Status::default(); 1]);
    /// batch.joint_placements(&[0.0, 0.0], &mut placements, &mut status)?;
    /// // The elbow hangs 1 m below the hinge.
    /// assert_eq!(placements[21..], [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_placements(
        &mut self,
        q: &[T],
        placements: &mut [T],
        status: &mut [Status],
    ) -> Result<usize, Error> {
        let length = PLACEMENT * (self.model.joints().len() - 1);
        let inputs = [self.q(q), None, None];
        self.run(
            &JointPlacements,
            inputs,
            only("placements", placements, length),
            status,
        )
    }

    /// The placements of some frames in the world, each as in [`joint_placements`](Self::joint_placements).
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_placements(
        &mut self,
        q: &[T],
        frames: &[FrameId],
        placements: &mut [T],
        status: &mut [Status],
    ) -> Result<usize, Error> {
        self.check_frames(frames)?;
        let length = PLACEMENT * frames.len();
        let inputs = [self.q(q), None, None];
        let outputs = only("placements", placements, length);
        self.run(&FramePlacements(frames), inputs, outputs, status)
    }

    /// The columns of all joints' Jacobians in the world's coordinates, as [`JointJacobians::joint_columns`] gives them:
    /// for each joint but the universe, six numbers for each degree of freedom of its kind.
    ///
    /// Without followers that is the 6 × nv matrix of all columns, column by column.
    ///
    /// [`JointJacobians::joint_columns`]: crate::kinematics::JointJacobians::joint_columns
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn joint_jacobians(
        &mut self,
        q: &[T],
        columns: &mut [T],
        status: &mut [Status],
    ) -> Result<usize, Error> {
        let length = 6 * self.model.columns();
        let inputs = [self.q(q), None, None];
        self.run(
            &JointJacobians,
            inputs,
            only("columns", columns, length),
            status,
        )
    }

    /// The Jacobians of some frames, 6 × nv each, as [`Positions::frame_jacobian_into`] writes them.
    ///
    /// [`Positions::frame_jacobian_into`]: crate::kinematics::Positions::frame_jacobian_into
    ///
    /// # Errors
    /// As all [calls](Self), and [`Error::ForeignId`].
    pub fn frame_jacobians(
        &mut self,
        q: &[T],
        frames: &[FrameId],
        reference: ReferenceFrame,
        jacobians: &mut [T],
        status: &mut [Status],
    ) -> Result<usize, Error> {
        self.check_frames(frames)?;
        let length = 6 * self.model.nv() * frames.len();
        let inputs = [self.q(q), None, None];
        let outputs = only("jacobians", jacobians, length);
        self.run(&FrameJacobians(frames, reference), inputs, outputs, status)
    }

    /// The centre of mass in the world, three numbers a state, and its Jacobian, 3 × nv, as
    /// [`Model::centers_of_mass`] gives them.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn center_of_mass(
        &mut self,
        q: &[T],
        center: &mut [T],
        jacobian: &mut [T],
        status: &mut [Status],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q), None, None];
        let [center, ..] = only("center", center, 3);
        let [jacobian, ..] = only("jacobian", jacobian, 3 * self.model.nv());
        self.run(
            &CenterOfMass,
            inputs,
            [center, jacobian, None, None],
            status,
        )
    }

    fn check_frames(&self, frames: &[FrameId]) -> Result<(), Error> {
        for &frame in frames {
            Anchor::Frame(frame).check(&self.model)?;
        }
        Ok(())
    }
}

/// A single result.
fn only<'a, T>(
    name: &'static str,
    rows: &'a mut [T],
    length: usize,
) -> [Option<Output<'a, T>>; RESULTS] {
    [Some(Output { name, rows, length }), None, None, None]
}
