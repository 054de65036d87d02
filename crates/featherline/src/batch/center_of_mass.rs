//! Centres of mass of many states.

use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Output, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::workspace::Workspace;
use nalgebra::DMatrixViewMut;

struct CenterOfMass;

impl Task for CenterOfMass {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let center = model.center_of_mass(ws, q)?;
        room.clear();
        room.extend_from_slice(&center.to_array());
        results.put(0, room);
        Ok(())
    }
}

struct CenterOfMassJacobian;

impl Task for CenterOfMassJacobian {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        [q, ..]: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        let nv = model.nv();
        let centers = model.centers_of_mass(ws, q)?;
        room.resize(3 * (nv + 1), S::zero());
        let (center, jacobian) = room.split_at_mut(3);
        center.copy_from_slice(&centers.center_of_mass()?.to_array());
        centers.center_of_mass_jacobian_into(DMatrixViewMut::from_slice(jacobian, 3, nv))?;
        results.put(0, center);
        results.put(1, jacobian);
        Ok(())
    }
}

impl<T: Precision> Batch<T> {
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
    pub fn center_of_mass(
        &mut self,
        q: &[T],
        center: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        self.run(&CenterOfMass, inputs, [center_rows(center)], status)
    }

    /// The centre of mass in the world, three numbers a state, and its Jacobian, 3 × nv, as
    /// [`Model::centers_of_mass`] gives them.
    ///
    /// # Errors
    /// As all [calls](Self).
    pub fn center_of_mass_jacobian(
        &mut self,
        q: &[T],
        center: &mut [T],
        jacobian: &mut [T],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let inputs = [self.q(q)];
        let jacobian = Output {
            name: "jacobian",
            rows: jacobian,
            length: 3 * self.model.nv(),
        };
        let outputs = [center_rows(center), jacobian];
        self.run(&CenterOfMassJacobian, inputs, outputs, status)
    }
}

/// Rows of centres of mass.
pub(super) fn center_rows<T>(rows: &mut [T]) -> Output<'_, T> {
    let (name, length) = ("center", 3);
    Output { name, rows, length }
}
