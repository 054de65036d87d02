//! Other drives of joints.

use crate::model::validation::check_drive;
use crate::model::{Drive, JointId, Model, ModelError};

impl Model {
    /// The same robot in which a joint has another drive: armature, rotor, damping, friction and
    /// spring. Coordinates stay as they are. Cost O(n).
    ///
    /// # Errors
    /// [`ModelError::Length`] for lists that do not fit the kind of the joint;
    /// [`ModelError::NotFinite`], [`ModelError::Negative`] and [`ModelError::NotNormalised`] for
    /// their values; [`ModelError::Damaged`] for a joint of another model.
    ///
    /// ```
    /// let model = featherline::samples::double_pendulum();
    /// let elbow = model.joint_id("elbow")?;
    /// let mut drive = model.joint(elbow).drive.clone();
    /// drive.rotor_inertia.fill(1e-5);
    /// drive.gear_ratio.fill(100.0);
    /// let driven = model.with_drive(elbow, drive)?;
    /// assert!((driven.joint(elbow).drive.reflected_inertia(0) - 0.1).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_drive(mut self, joint: JointId, drive: Drive) -> Result<Self, ModelError> {
        let index = joint.index();
        let Some(changed) = self.data.joints.get_mut(index) else {
            let reason = "the model does not have it";
            return Err(ModelError::Damaged {
                joint: index,
                reason,
            });
        };
        changed.drive = drive;
        check_drive(changed)?;
        Ok(Self::from_valid(self.data))
    }
}
