//! The placements of all joints, mapped from the frames that kernels work in.

use super::Positions;
use crate::error::{Error, check_size};
use crate::scalar::{Form, InstructionSet, Kernel, Scalar, dispatch, seen_mut_as};
use crate::spatial::Se3;

struct PlaceAll<'a, S: Scalar> {
    view: Positions<'a, S>,
    placements: &'a mut [Se3<S>],
}

impl<S: Scalar> Kernel for PlaceAll<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run_as<F: Form>(self, form: F) {
        let view = self.view.seen_as(form);
        let placements = seen_mut_as(self.placements, form);
        PlaceAll { view, placements }.run();
    }

    #[inline(always)]
    fn run(self) {
        let Positions { model, ws } = self.view;
        let links = model.links.iter().zip(&ws.world);
        for ((link, world), placement) in links.zip(self.placements) {
            *placement = link.output_frame(world);
        }
    }
}

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
        dispatch(PlaceAll {
            view: *self,
            placements,
        });
        Ok(())
    }
}
