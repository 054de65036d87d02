//! The centre of mass of the robot and of its subtrees: position, velocity, acceleration and
//! Jacobian.
//!
//! All are sums over bodies of mass and first moment h = m c: the moment of a subtree about the
//! world's origin is Σ R h + m p, and its mass times the velocity of its centre is the linear
//! momentum Σ R (m v + ω × h). The Jacobian follows from the first moments of subtrees, as the mass
//! matrix does from their inertias (D. Orin and A. Goswami, *Centroidal momentum matrix of a
//! humanoid robot*, IROS 2008).

use super::columns::Columns;
use super::jacobian::place_column;
use super::joint_pass::place_in_world;
use super::reference_frame::at_origin;
use super::views::shows_positions;
use super::{Accelerations, Positions, Velocities};
use crate::error::{Error, check_size};
use crate::model::{Class, JointId, Link, Model};
use crate::scalar::{Form, InForm, Scalar, kernel};
use crate::spatial::{DynamicParameters, Motion, Se3, Vec3};
use crate::workspace::{Scratch, Workspace};
use nalgebra::DMatrixViewMut;
use std::ops::Deref;

/// The order of the time derivative that is asked for.
#[derive(Clone, Copy)]
enum Order {
    Position,
    Velocity,
    Acceleration,
}

kernel!(
    fn center_of_mass<S: Scalar>(
        view: Positions<'_, S>,
        #[plain] root: JointId,
        #[plain] order: Order,
    ) -> Vec3<S> {
        let Positions { model, ws } = view;
        let root = root.index();
        let (mut mass, mut moment) = (S::zero(), Vec3::zero());
        for i in root.max(1)..model.subtree_end(root) {
            let own = ws.parameters_of(i, &model.links[i]);
            mass += own.mass;
            moment = add_moment(ws, i, &own, order, moment);
        }
        moment * mass.recip()
    }
);

/// Adds a body's mass times the position, velocity or acceleration of its centre, in the world.
#[inline(always)]
fn add_moment<S: Scalar>(
    ws: &Scratch<S>,
    i: usize,
    own: &DynamicParameters<S>,
    order: Order,
    moment: Vec3<S>,
) -> Vec3<S> {
    let (m, h, world) = (own.mass, own.first_moment, &ws.world[i]);
    let (own, carried) = match order {
        Order::Position => (h, world.translation.mul_add(m, moment)),
        Order::Velocity => {
            let Motion { linear, angular } = ws.velocity[i];
            (angular.cross_add(h, linear * m), moment)
        }
        Order::Acceleration => {
            let (velocity, acceleration) = (&ws.velocity[i], &ws.acceleration[i]);
            let momentum = velocity.angular.cross_add(h, velocity.linear * m);
            let rate = acceleration.angular.cross_add(h, acceleration.linear * m);
            (velocity.angular.cross_add(momentum, rate), moment)
        }
    };
    world.rotation.mul_vec_add(own, carried)
}

kernel!(
    /// The masses of all subtrees and the results of [`center_of_mass`] for them, in one pass.
    fn all_centers<S: Scalar>(
        view: Positions<'_, S>,
        #[plain] order: Order,
        masses: &mut [S],
        centers: &mut [Vec3<S>],
    ) {
        let Positions { model, ws } = view;
        (masses[0], centers[0]) = (S::zero(), Vec3::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let own = ws.parameters_of(i, link);
            masses[i] = own.mass;
            centers[i] = add_moment(ws, i, &own, order, Vec3::zero());
        }
        for (i, link) in model.links.iter().enumerate().skip(1).rev() {
            let (mass, moment) = (masses[i], centers[i]);
            masses[link.parent] += mass;
            centers[link.parent] += moment;
        }
        for (mass, center) in masses.iter().zip(centers) {
            *center = *center * mass.recip();
        }
    }
);

kernel!(
    /// Mass and first moment of every subtree, in link frames.
    fn subtree_moments<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S]) {
        place_in_world(model, ws, q);
        sum_first_moments(model, ws);
    }
);

/// Sums mass and first moment of each subtree in the link frame of its root, and of the whole robot
/// in the world. Needs the links' placements in their parents.
#[inline(always)]
pub(crate) fn sum_first_moments<S: Scalar>(model: &Model, ws: &mut Scratch<S>) {
    ws.composite[0] = DynamicParameters::zero();
    for (i, link) in model.links.iter().enumerate().skip(1) {
        let own = ws.parameters_of(i, link);
        ws.composite[i].mass = own.mass;
        ws.composite[i].first_moment = own.first_moment;
    }
    for (i, link) in model.links.iter().enumerate().skip(1).rev() {
        let own = ws.composite[i];
        carry_first_moment(&ws.placement[i], &own, &mut ws.composite[link.parent]);
    }
}

/// Adds mass and first moment of a subtree, placed as given, to those of what carries it.
#[inline(always)]
pub(crate) fn carry_first_moment<S: Scalar>(
    placement: &Se3<S>,
    own: &DynamicParameters<S>,
    above: &mut DynamicParameters<S>,
) {
    above.mass += own.mass;
    let carried = placement.translation.mul_add(own.mass, above.first_moment);
    above.first_moment = placement.rotation.mul_vec_add(own.first_moment, carried);
}

/// The linear momentum of a subtree for a unit rate of its root, in link coordinates.
#[inline(always)]
fn unit_momentum<S: Scalar>(
    link: &Link,
    subtree: &DynamicParameters<S>,
    column: &Motion<S>,
) -> Vec3<S> {
    let (mass, moment) = (subtree.mass, subtree.first_moment);
    match link.class {
        Class::Revolute | Class::Unbounded => Vec3::new(-moment.y, moment.x, S::zero()),
        Class::Prismatic => Vec3::new(S::zero(), S::zero(), mass),
        Class::General => column.angular.cross_add(moment, column.linear * mass),
    }
}

kernel!(
    fn jacobian<S: Scalar>(
        view: CentersOfMass<'_, S>,
        #[plain] root: usize,
        out: Columns<'_, S, 3>,
    ) {
        let mut out = out;
        let Positions { model, ws } = view.positions;
        out.clear();
        let share = ws.composite[root].mass.recip();
        for i in root.max(1)..model.subtree_end(root) {
            let link = &model.links[i];
            for (k, column) in ws.subspaces.column[link.column_range()].iter().enumerate() {
                let momentum = unit_momentum(link, &ws.composite[i], column);
                let velocity = ws.world[i].rotation.mul_vec(momentum) * share;
                out.add(link.idx_v + k, velocity.to_array());
            }
        }
        // The joints above carry the subtree as one body.
        let center = ws.world[root].act_point(ws.composite[root].first_moment * share);
        let mut j = model.links[root].parent;
        while j != 0 {
            let link = &model.links[j];
            let here = at_origin(&ws.world[j], center);
            for (k, column) in ws.subspaces.column[link.column_range()].iter().enumerate() {
                let velocity = place_column(link, &here, column).linear;
                out.add(link.idx_v + k, velocity.to_array());
            }
            j = link.parent;
        }
    }
);

impl Model {
    #[cold]
    pub(crate) fn explain_no_center<S: Scalar>(&self, ws: &Scratch<S>, root: JointId) -> Error {
        let bodies = root.index().max(1)..self.subtree_end(root.index());
        let mut mass = S::zero();
        for i in bodies {
            mass += ws.parameters_of(i, &self.links[i]).mass;
        }
        let any = S::select(S::zero().less(mass.abs()), S::one(), S::zero());
        if any.all_between(-1.0, 1.0) {
            Error::NoMass {
                joint: self.joint(root).name.clone(),
            }
        } else {
            Error::Overflow {
                what: "the centre of mass",
            }
        }
    }

    /// The centres of mass of all subtrees in one pass, from which their Jacobians follow.
    ///
    /// `q` has nq entries. Cost O(n). For a position only, [`Positions::center_of_mass`] is enough.
    /// Source: Orin and Goswami 2008.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], and [`Error::NotFinite`] or
    /// [`Error::ZeroRotation`] for a configuration that places nothing.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let centers = model.centers_of_mass(&mut ws, &[0.0, 0.0])?;
    /// // Two equal rods of 1 m hang down, one from the other.
    /// assert_eq!(centers.center_of_mass()?.to_array(), [0.0, 0.0, -1.0]);
    /// let mut jacobian = DMatrix::zeros(3, 2);
    /// centers.center_of_mass_jacobian_into(&mut jacobian)?;
    /// assert_eq!((jacobian[(0, 0)], jacobian[(0, 1)]), (-1.0, -0.25));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn centers_of_mass<'w, S: Scalar>(
        &'w self,
        ws: &'w mut Workspace<S>,
        q: &[S],
    ) -> Result<CentersOfMass<'w, S>, Error> {
        ws.check(self)?;
        self.check_q(q)?;
        subtree_moments(self, &mut ws.scratch, q);
        let is_finite = self.leaves_are_finite(&ws.scratch, 0);
        self.check_finite(is_finite, "a placement", q, &[])?;
        Ok(CentersOfMass::of(self, &ws.scratch))
    }
}

/// The centres of mass of all subtrees: the result of [`Model::centers_of_mass`]. It shows
/// [positions](Positions), too.
///
/// ```
/// use featherline::{Workspace, samples};
///
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::new(&model);
/// let centers = model.centers_of_mass(&mut ws, &[0.0, 0.0])?;
/// let lower = model.joint_id("elbow")?;
/// assert_eq!(centers.center_of_mass()?.z, -1.0);
/// assert_eq!(centers.subtree_center_of_mass(lower)?.z, -1.5);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CentersOfMass<'w, S: Scalar> {
    positions: Positions<'w, S>,
}

shows_positions!(CentersOfMass);

impl<'w, S: Scalar> CentersOfMass<'w, S> {
    /// Writes the Jacobian of the robot's centre of mass, 3 × nv: its product with v is the
    /// centre's velocity in the world.
    ///
    /// `out` is a matrix, or a view of three rows of a larger one; all its entries are written.
    /// Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 3 × nv; [`Error::NoMass`] if the robot has none.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let centers = model.centers_of_mass(&mut ws, &[0.0, 0.0])?;
    /// let mut jacobian = DMatrix::zeros(3, 2);
    /// centers.center_of_mass_jacobian_into(&mut jacobian)?;
    /// assert_eq!((jacobian[(0, 0)], jacobian[(0, 1)]), (-1.0, -0.25));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass_jacobian_into<'o>(
        &self,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        self.subtree_center_of_mass_jacobian_into(JointId::UNIVERSE, out)
    }

    /// Writes the Jacobian of the centre of mass of everything that a joint carries, 3 × nv: its
    /// product with v is the centre's velocity in the world, as the joints above and within the
    /// subtree move it.
    ///
    /// `out` is a matrix, or a view of three rows of a larger one; all its entries are written,
    /// unless there is an error. Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`] unless `out` is 3 × nv; [`Error::NoMass`] if the subtree has none;
    /// [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    /// use nalgebra::DMatrix;
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let centers = model.centers_of_mass(&mut ws, &[0.0, 0.0])?;
    /// let mut jacobian = DMatrix::zeros(3, 2);
    /// centers.subtree_center_of_mass_jacobian_into(model.joint_id("elbow")?, &mut jacobian)?;
    /// assert_eq!((jacobian[(0, 0)], jacobian[(0, 1)]), (-1.5, -0.5));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn subtree_center_of_mass_jacobian_into<'o>(
        &self,
        root: JointId,
        out: impl Into<DMatrixViewMut<'o, S>>,
    ) -> Result<(), Error> {
        let mut out = out.into();
        let out = Columns::new(self.model, &mut out)?;
        self.subtree_center_of_mass(root)?;
        jacobian(*self, root.index(), out);
        Ok(())
    }
}

impl<'w, S: Scalar> Positions<'w, S> {
    /// The centre of mass of all moving bodies, in the world, in m. Cost O(n).
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// assert_eq!(positions.center_of_mass()?.to_array(), [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass(&self) -> Result<Vec3<S>, Error> {
        self.subtree_center_of_mass(JointId::UNIVERSE)
    }

    /// The centre of mass of everything that a joint carries, in the world, in m. Cost O(size of
    /// the subtree).
    ///
    /// # Errors
    /// [`Error::NoMass`] if nothing there has mass; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// let lower = positions.subtree_center_of_mass(model.joint_id("elbow")?)?;
    /// assert_eq!(lower.z, -1.5);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn subtree_center_of_mass(&self, root: JointId) -> Result<Vec3<S>, Error> {
        self.center(root, Order::Position)
    }

    /// The masses and centres of mass of the subtrees of all joints, in the order of
    /// [`Model::joints`], the whole robot's first, in kg and in the world in m. The centre of a
    /// subtree without mass is not a number. Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`] unless both have one entry a joint, the universe's included.
    ///
    /// ```
    /// use featherline::spatial::Vec3;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// let (mut masses, mut centers) = ([0.0; 3], [Vec3::zero(); 3]);
    /// positions.subtree_centers_of_mass_into(&mut masses, &mut centers)?;
    /// assert_eq!((centers[0].z, centers[2].z), (-1.0, -1.5));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn subtree_centers_of_mass_into(
        &self,
        masses: &mut [S],
        centers: &mut [Vec3<S>],
    ) -> Result<(), Error> {
        self.all_centers(Order::Position, masses, centers)
    }

    #[inline(always)]
    fn all_centers(
        &self,
        order: Order,
        masses: &mut [S],
        centers: &mut [Vec3<S>],
    ) -> Result<(), Error> {
        check_size("masses", self.model.links.len(), masses.len())?;
        check_size("centres of mass", self.model.links.len(), centers.len())?;
        all_centers(*self, order, masses, centers);
        Ok(())
    }

    #[inline(always)]
    fn center(&self, root: JointId, order: Order) -> Result<Vec3<S>, Error> {
        self.model.check_joint(root)?;
        let center = center_of_mass(*self, root, order);
        if center.is_finite() {
            Ok(center)
        } else {
            Err(self.model.explain_no_center(self.ws, root))
        }
    }
}

impl<'w, S: Scalar> Velocities<'w, S> {
    /// The velocity of the centre of mass of all moving bodies, in the world, in m/s. Cost O(n).
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
    /// assert_eq!(velocities.center_of_mass_velocity()?.to_array(), [-1.0, 0.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass_velocity(&self) -> Result<Vec3<S>, Error> {
        self.subtree_center_of_mass_velocity(JointId::UNIVERSE)
    }

    /// The velocity of the centre of mass of everything that a joint carries, in the world, in m/s.
    /// Cost O(size of the subtree).
    ///
    /// # Errors
    /// [`Error::NoMass`] if nothing there has mass; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let velocities = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
    /// let lower = model.joint_id("elbow")?;
    /// assert_eq!(velocities.subtree_center_of_mass_velocity(lower)?.x, -1.5);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn subtree_center_of_mass_velocity(&self, root: JointId) -> Result<Vec3<S>, Error> {
        self.center(root, Order::Velocity)
    }

    /// As [`subtree_centers_of_mass_into`](Positions::subtree_centers_of_mass_into), with the
    /// velocities of the centres, in the world in m/s.
    ///
    /// # Errors
    /// [`Error::Size`] unless both have one entry a joint, the universe's included.
    pub fn subtree_center_of_mass_velocities_into(
        &self,
        masses: &mut [S],
        velocities: &mut [Vec3<S>],
    ) -> Result<(), Error> {
        self.all_centers(Order::Velocity, masses, velocities)
    }
}

impl<'w, S: Scalar> Accelerations<'w, S> {
    /// The acceleration of the centre of mass of all moving bodies, in the world, in m/s²: the
    /// second time derivative of its position, without gravity. Cost O(n).
    ///
    /// # Errors
    /// [`Error::NoMass`] if the robot has none.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0]);
    /// let kinematics = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// assert_eq!(kinematics.center_of_mass_acceleration()?.to_array(), [0.0, 0.0, 4.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass_acceleration(&self) -> Result<Vec3<S>, Error> {
        self.subtree_center_of_mass_acceleration(JointId::UNIVERSE)
    }

    /// The acceleration of the centre of mass of everything that a joint carries, in the world, in
    /// m/s². Cost O(size of the subtree).
    ///
    /// # Errors
    /// [`Error::NoMass`] if nothing there has mass; [`Error::ForeignId`].
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [2.0, 0.0], [0.0, 0.0]);
    /// let kinematics = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// let lower = model.joint_id("elbow")?;
    /// assert_eq!(kinematics.subtree_center_of_mass_acceleration(lower)?.z, 6.0);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn subtree_center_of_mass_acceleration(&self, root: JointId) -> Result<Vec3<S>, Error> {
        self.center(root, Order::Acceleration)
    }

    /// As [`subtree_centers_of_mass_into`](Positions::subtree_centers_of_mass_into), with the
    /// accelerations of the centres, in the world in m/s².
    ///
    /// # Errors
    /// [`Error::Size`] unless both have one entry a joint, the universe's included.
    pub fn subtree_center_of_mass_accelerations_into(
        &self,
        masses: &mut [S],
        accelerations: &mut [Vec3<S>],
    ) -> Result<(), Error> {
        self.all_centers(Order::Acceleration, masses, accelerations)
    }
}
