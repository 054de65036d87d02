//! The placements and motions of all joints, mapped from the frames that kernels work in.

use super::jacobian::place_column;
use super::{Accelerations, Positions, Velocities};
use crate::error::{Error, check_size};
use crate::scalar::{Scalar, kernel};
use crate::spatial::{Motion, Se3};

kernel!(
    fn place_all<S: Scalar>(view: Positions<'_, S>, placements: &mut [Se3<S>]) {
        let Positions { model, ws } = view;
        let links = model.links.iter().zip(&ws.world);
        for ((link, world), placement) in links.zip(placements) {
            *placement = link.output_frame(world);
        }
    }
);

impl<S: Scalar> Positions<'_, S> {
    /// The placements of all joints' output frames in the world, in the order of [`Model::joints`],
    /// the universe's first.
    ///
    /// `placements` has one entry a joint, the universe's included. Cost O(n): less than
    /// [`placement`](Self::placement) of each.
    ///
    /// [`Model::joints`]: crate::Model::joints
    ///
    /// # Errors
    /// [`Error::Size`].
    ///
    /// ```
    /// use featherline::spatial::Se3;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let positions = model.forward_kinematics(&mut ws, &[0.0, 0.0])?;
    /// let mut placements = [Se3::identity(); 3];
    /// positions.joint_placements_into(&mut placements)?;
    /// assert_eq!(placements[2].translation.to_array(), [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_placements_into(&self, placements: &mut [Se3<S>]) -> Result<(), Error> {
        check_size("placements", self.model.links.len(), placements.len())?;
        place_all(*self, placements);
        Ok(())
    }
}

kernel!(
    fn move_all<S: Scalar>(
        view: Positions<'_, S>,
        // Whether spatial accelerations are written, in place of velocities.
        #[plain] accelerations: bool,
        motions: &mut [Motion<S>],
    ) {
        let Positions { model, ws } = view;
        let of_links = match accelerations {
            true => &ws.acceleration,
            false => &ws.velocity,
        };
        let links = model.links.iter().zip(of_links.iter());
        for ((link, motion), out) in links.zip(&mut *motions) {
            *out = Se3::constant(&link.frame).act_motion(motion);
        }
        motions[0] = Motion::zero();
    }
);

kernel!(
    fn rates_of_all<S: Scalar>(view: Positions<'_, S>, columns: &mut [Motion<S>]) {
        let Positions { model, ws } = view;
        columns.fill(Motion::zero());
        for (i, link) in model.links.iter().enumerate().skip(1) {
            let world = &ws.world[i];
            let velocity = world.act_motion(&ws.velocity[i]);
            for k in 0..link.columns {
                let own = link.column + k;
                // d(X S)/dt = ν × X S + X Ṡ.
                let column = place_column(link, world, &ws.subspaces.column[own]);
                let mut rate = velocity.cross(&column);
                if link.is_varying {
                    rate += world.act_motion(&ws.subspaces.rate[own]);
                }
                columns[link.idx_v + k] += rate;
            }
        }
    }
);

impl<S: Scalar> Velocities<'_, S> {
    /// The velocities of all joints' output frames, each in its own coordinates, in the order of
    /// [`Model::joints`], the universe's first.
    ///
    /// `velocities` has one entry a joint, the universe's included. Cost O(n): less than
    /// [`velocity`](Self::velocity) of each.
    ///
    /// [`Model::joints`]: crate::Model::joints
    ///
    /// # Errors
    /// [`Error::Size`].
    ///
    /// ```
    /// use featherline::spatial::Motion;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let view = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
    /// let mut velocities = [Motion::zero(); 3];
    /// view.joint_velocities_into(&mut velocities)?;
    /// assert_eq!(velocities[2].linear.to_array(), [-1.0, 0.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_velocities_into(&self, velocities: &mut [Motion<S>]) -> Result<(), Error> {
        check_size("velocities", self.model.links.len(), velocities.len())?;
        move_all(**self, false, velocities);
        Ok(())
    }

    /// The rates of all columns of all Jacobians in the world's coordinates, one for each
    /// coordinate: those of the columns of [`joint_jacobians`](crate::Model::joint_jacobians).
    /// Joints that share a coordinate add up. Cost O(n).
    ///
    /// # Errors
    /// [`Error::Size`] unless `rates` has nv entries.
    ///
    /// ```
    /// use featherline::spatial::Motion;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let view = model.forward_kinematics_velocities(&mut ws, &[0.0, 0.0], &[1.0, 0.0])?;
    /// let mut rates = [Motion::zero(); 2];
    /// view.joint_jacobian_rates_into(&mut rates)?;
    /// // The elbow's axis moves with its origin, at -1 m/s along x.
    /// assert_eq!(rates[1].linear.to_array(), [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_jacobian_rates_into(&self, rates: &mut [Motion<S>]) -> Result<(), Error> {
        check_size("rates of columns", self.model.nv(), rates.len())?;
        rates_of_all(**self, rates);
        Ok(())
    }
}

impl<S: Scalar> Accelerations<'_, S> {
    /// The spatial accelerations of all joints' output frames, each in its own coordinates, in the
    /// order of [`Model::joints`], the universe's first.
    ///
    /// `accelerations` has one entry a joint, the universe's included. Cost O(n): less than
    /// [`acceleration`](Self::acceleration) of each.
    ///
    /// [`Model::joints`]: crate::Model::joints
    ///
    /// # Errors
    /// [`Error::Size`].
    ///
    /// ```
    /// use featherline::spatial::Motion;
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// let (q, v, a) = ([0.0, 0.0], [0.0, 0.0], [1.0, 0.0]);
    /// let view = model.forward_kinematics_accelerations(&mut ws, &q, &v, &a)?;
    /// let mut accelerations = [Motion::zero(); 3];
    /// view.joint_accelerations_into(&mut accelerations)?;
    /// assert_eq!(accelerations[2].linear.to_array(), [-1.0, 0.0, 0.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn joint_accelerations_into(&self, accelerations: &mut [Motion<S>]) -> Result<(), Error> {
        check_size("accelerations", self.model.links.len(), accelerations.len())?;
        move_all(***self, true, accelerations);
        Ok(())
    }
}
