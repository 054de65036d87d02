//! Centres of mass of many states.

use super::pack::Pack;
use super::queue::Rows;
use super::worker::{INPUTS, Room, Task};
use super::{Batch, Output, Precision, Status};
use crate::error::Error;
use crate::kinematics::joint_pass::place_one;
use crate::model::{Class, JointId, Model};
use crate::scalar::{InstructionSet, Kernel, Scalar, dispatch};
use crate::spatial::{Se3, Vec3};
use crate::workspace::{Scratch, Workspace, link_parameters};
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
        model.check_q(q)?;
        let ws = &mut ws.scratch;
        let center = dispatch(CarryMoments { model, ws, q });
        if !center.is_finite() {
            let error = model.explain_not_finite("a placement", q, &[], None);
            return Err(match error {
                Error::Overflow { .. } => model.explain_no_center(ws, JointId::UNIVERSE),
                error => error,
            });
        }
        room.clear();
        room.extend_from_slice(&center.to_array());
        results.put(0, room);
        Ok(())
    }
}

/// The centre of mass from the first moments of subtrees, each handed on to what carries it: in one pass from the leaves to
/// the root, which stores no placement.
struct CarryMoments<'a, S: Scalar> {
    model: &'a Model,
    ws: &'a mut Scratch<S>,
    q: &'a [S],
}

impl<S: Scalar> Kernel for CarryMoments<'_, S> {
    type Output = Vec3<S>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Vec3<S> {
        let Self { model, ws, q } = self;
        let links = &model.links[..];
        let n = links.len();
        let places = &model.place_in_path[..n];
        let subtrees = &mut ws.composite[..n];
        let column = &mut ws.subspaces.column[..];
        let (mut mass, mut moment) = (S::zero(), Vec3::zero());
        for i in (1..n).rev() {
            let link = &links[i];
            let own = link_parameters(&ws.parameters, i, link);
            let (mut m, mut h) = (own.mass, own.first_moment);
            if i + 1 < n && links[i + 1].parent == i {
                let carried = &subtrees[places[i]];
                m += carried.mass;
                h += carried.first_moment;
            }
            let mut placement = Se3::<S>::constant(&link.placement);
            if link.class == Class::Revolute {
                let (sin, cos) = q[link.idx_q].sin_cos();
                let x = cos.mul_add(h.x, -(sin * h.y));
                h = Vec3::new(x, sin.mul_add(h.x, cos * h.y), h.z);
            } else {
                place_one(model, i, q, &mut placement, column);
            }
            let h = placement.rotation.mul_vec_add(h, placement.translation * m);
            if link.parent == 0 {
                mass += m;
                moment += h;
                continue;
            }
            let above = &mut subtrees[places[link.parent]];
            if model.is_last_child(i) {
                (above.mass, above.first_moment) = (m, h);
            } else {
                above.mass += m;
                above.first_moment += h;
            }
        }
        moment * mass.recip()
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
    /// use featherline::batch::{Batch, Status};
    /// use featherline::samples;
    ///
    /// let mut batch = Batch::<f64>::new(&samples::double_pendulum(), 1)?;
    /// let (mut center, mut status) = ([0.0; 3], [Status::default(); 1]);
    /// batch.center_of_mass(&[0.0, 0.0], &mut center, &mut status)?;
    /// // Two equal rods of 1 m hang down, one from the other.
    /// assert_eq!(center, [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass(
        &mut self,
        q: &[T],
        center: &mut [T],
        status: &mut [Status],
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
        status: &mut [Status],
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
