//! The unknowns' values, in the user's frames.

use crate::error::SystemError;
use crate::problem::WrenchBasis;
use crate::system::{System, check_size};
use featherline::Model;
use featherline::kernel;
use featherline::model::{JointId, LoopId};
use featherline::scalar::Scalar;
use featherline::spatial::{Force, Motion, Se3};

/// The solution of a system, read in the frames of the model.
///
/// Its methods panic for the universe, and where the model has no such joint.
#[derive(Clone, Copy, Debug)]
pub struct Solution<'a, S> {
    system: &'a System,
    x: &'a [S],
}

impl System {
    /// The numbers of all unknowns, to be read by name.
    ///
    /// # Errors
    /// [`SystemError::Size`].
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Problem, System};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let zeros = vec![0.0; system.unknowns().count()];
    /// assert_eq!(system.solution(&zeros)?.joint_forces(), [0.0, 0.0]);
    /// # Ok::<(), featherline_system::SystemError>(())
    /// ```
    pub fn solution<'a, S: Scalar>(&'a self, x: &'a [S]) -> Result<Solution<'a, S>, SystemError> {
        check_size("the solution", self.unknowns().count(), x.len())?;
        Ok(Solution { system: self, x })
    }
}

impl<'a, S: Scalar> Solution<'a, S> {
    /// The solution of a system with so many unknowns.
    pub(crate) fn of(system: &'a System, x: &'a [S]) -> Self {
        Self { system, x }
    }

    fn model(&self) -> &'a Model {
        self.system.model()
    }

    /// The joint forces τ, nv of them, in N·m or N.
    pub fn joint_forces(&self) -> &'a [S] {
        &self.x[self.system.unknowns().joint_forces()]
    }

    /// The joint accelerations q̈, nv of them, in rad/s² or m/s².
    pub fn joint_accelerations(&self) -> &'a [S] {
        &self.x[self.system.unknowns().joint_accelerations()]
    }

    /// The spatial acceleration of a body less gravity, in its joint's output frame: a robot at
    /// rest accelerates upwards.
    pub fn acceleration(&self, joint: JointId) -> Motion<S> {
        let x = &self.x[self.system.unknowns().acceleration(joint)];
        let motion = Motion::from_array([x[0], x[1], x[2], x[3], x[4], x[5]]);
        Se3::constant(kernel::link_frame(self.model(), joint)).act_motion(&motion)
    }

    /// The force that a joint transmits to its body, in the joint's output frame.
    pub fn transmitted_force(&self, joint: JointId) -> Force<S> {
        let force = six(&self.x[self.system.unknowns().force(joint)]);
        Se3::constant(kernel::link_frame(self.model(), joint)).act_force(&force)
    }

    /// The external force on a body: in its joint's output frame, or in the world frame where the
    /// unknown's [basis](WrenchBasis) is the world.
    pub fn external_force(&self, joint: JointId) -> Force<S> {
        let force = six(&self.x[self.system.unknowns().external_force(joint)]);
        let model = self.model();
        let in_link = match self.system.wrench_basis(joint) {
            WrenchBasis::World => return force,
            WrenchBasis::Link => force,
            WrenchBasis::Frame(frame) => {
                Se3::constant(kernel::frame_in_link(model, frame)).act_force(&force)
            }
        };
        Se3::constant(kernel::link_frame(model, joint)).act_force(&in_link)
    }

    /// The force that a loop joint passes on to its successor, in the joint's output frame, as
    /// [`LoopDynamics`](featherline_constraint::LoopDynamics) has it.
    pub fn loop_force(&self, joint: LoopId) -> Force<S> {
        six(&self.x[self.system.unknowns().loop_force(joint)])
    }

    /// The accelerations along a loop joint's degrees of freedom, in rad/s² or m/s².
    pub fn loop_acceleration(&self, joint: LoopId) -> &'a [S] {
        &self.x[self.system.unknowns().loop_acceleration(joint)]
    }
}

fn six<S: Scalar>(x: &[S]) -> Force<S> {
    Force::from_array([x[0], x[1], x[2], x[3], x[4], x[5]])
}
