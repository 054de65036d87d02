//! Names.

use crate::model::{Joint, Model};

impl Model {
    /// The robot with a prefix before the names of its joints, loop joints and frames.
    ///
    /// The universe and its frame keep their names, and so do the robot and its reference
    /// configurations. Coordinates stay as they are. Cost O(n).
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let left = samples::double_pendulum().with_prefix("left_");
    /// assert!(left.joint_id("left_elbow").is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        let universe = Joint::universe();
        for joint in &mut self.data.joints[1..] {
            joint.name.insert_str(0, prefix);
        }
        for frame in &mut self.data.frames {
            let is_universe = frame.joint.index() == 0 && frame.is_of_joint(&universe);
            if !is_universe {
                frame.name.insert_str(0, prefix);
            }
        }
        for closing in &mut self.data.loop_joints {
            closing.name.insert_str(0, prefix);
        }
        self
    }
}
