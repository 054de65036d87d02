//! Other inertias.

use super::error::SurgeryError;
use crate::model::validation::{check_inertia, figures_too_large, joints_that_move_nothing};
use crate::model::{Built, JointId, Model};
use crate::spatial::Inertia;

impl Model {
    /// The robot in which the body that a joint moves has another inertia, given in the joint's
    /// output frame, with everything that is fixed to it. Coordinates stay as they are. Cost O(n).
    ///
    /// To add a load, give the [`sum`](Inertia::sum) of what there is and the load's.
    ///
    /// # Errors
    /// [`SurgeryError::Model`] for an inertia that is not finite or not positive;
    /// [`SurgeryError::Universe`], whose inertia a model does not have; [`SurgeryError::Input`] for
    /// a joint of another model.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline::spatial::{Inertia, Se3, Vec3};
    ///
    /// // A ball of 0.5 kg at the tip of the lower rod.
    /// let model = samples::double_pendulum();
    /// let elbow = model.joint_id("elbow")?;
    /// let tip = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
    /// let ball = tip.act_inertia(&Inertia::sphere(0.5, 0.05));
    /// let loaded = model.with_inertia(elbow, &model.joint(elbow).inertia.sum(&ball))?.model;
    /// assert!((loaded.total_mass() - model.total_mass() - 0.5).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_inertia(
        &self,
        joint: JointId,
        inertia: &Inertia<f64>,
    ) -> Result<Built, SurgeryError> {
        self.check_joint(joint)?;
        if joint == JointId::UNIVERSE {
            let what = "given an inertia";
            return Err(SurgeryError::Universe { what });
        }
        let mut data = self.data.clone();
        let name = &self.joint(joint).name;
        let mut warnings = Vec::from_iter(check_inertia(name, inertia, inertia)?);
        data.joints[joint.index()].inertia = *inertia;
        warnings.extend(joints_that_move_nothing(&data.joints));
        let bodies = [(name.as_str(), inertia)];
        warnings.extend(figures_too_large(bodies.into_iter(), &[], &[], &[]));
        let model = Self::from_valid(data);
        Ok(Built { model, warnings })
    }
}
