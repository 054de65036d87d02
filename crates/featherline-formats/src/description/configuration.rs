//! Named configurations.

use super::{Configuration, Description};

impl Description {
    /// Whether a configuration is the one of the neutral configuration of every joint.
    pub(crate) fn is_neutral(&self, configuration: &Configuration) -> bool {
        configuration.joints.iter().all(|(index, values)| {
            self.joints.get(*index).is_some_and(|joint| {
                let kind = joint.motion.kind();
                let mut neutral = vec![0.0; kind.nq()];
                kind.neutral(&mut neutral);
                neutral == *values
            })
        })
    }
}
