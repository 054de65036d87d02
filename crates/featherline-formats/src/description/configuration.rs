//! Named configurations.

use super::{Configuration, Description, Joint, Robot};

/// The names of configurations that a robot begins in where nobody names another, the first of
/// them that it has: the start state of a [scene](crate::scene), the reference configuration of
/// [MJCF](crate::mjcf), that in which the loops of a generated linkage are closed, and `home`, as
/// an [SRDF](crate::srdf) may call the pose in which a robot stands.
pub const START_CONFIGURATIONS: [&str; 4] = [SCENE, MJCF, "closed", "home"];

const SCENE: &str = "start";
const MJCF: &str = "qpos0";

impl Robot {
    /// The configuration that the robot begins in where nobody names another: the first of
    /// [`START_CONFIGURATIONS`] that its description has. None for a robot that begins at its
    /// neutral configuration. Cost: linear in the number of configurations.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body pos='0 0 2'><freejoint/><geom size='0.1'/></body>
    ///     </worldbody></mujoco>";
    /// let ball = featherline_formats::load_str(text)?;
    /// let start = ball.start().expect("MJCF has a reference configuration");
    /// assert_eq!(start.name, "qpos0");
    /// assert_eq!(ball.model.reference_configurations()[&start.name][2], 2.0);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn start(&self) -> Option<&Configuration> {
        first_of(&self.description.configurations)
    }

    /// Whether the robot is a [scene](crate::scene): it has a start state.
    pub fn is_scene(&self) -> bool {
        self.start().is_some_and(|it| it.name == SCENE)
    }

    /// Whether the description has a world of its own, which says what the robot stands on: it is a
    /// scene, or MJCF. Other robots may be put on a ground.
    ///
    /// ```
    /// let body = "<body><freejoint/><geom size='0.1'/></body>";
    /// let text = format!("<mujoco><worldbody>{body}</worldbody></mujoco>");
    /// // Nothing holds the body, and it falls.
    /// assert!(featherline_formats::load_str(&text)?.is_world());
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn is_world(&self) -> bool {
        self.start()
            .is_some_and(|it| [SCENE, MJCF].contains(&it.name.as_str()))
    }
}

/// The first of [`START_CONFIGURATIONS`] among configurations.
pub(crate) fn first_of(configurations: &[Configuration]) -> Option<&Configuration> {
    let named = |name: &&str| configurations.iter().find(|it| it.name == *name);
    START_CONFIGURATIONS.iter().find_map(named)
}

impl Description {
    /// All configurations but the neutral `qpos0`, which MJCF has in every file.
    pub(crate) fn stated_configurations(&self) -> impl Iterator<Item = &Configuration> {
        let all = self.configurations.iter();
        all.filter(|it| it.name != MJCF || !self.is_neutral(it))
    }

    /// The joints with a rotor inertia that an SRDF can state.
    pub(crate) fn rotors(&self) -> impl Iterator<Item = &Joint> {
        let joints = self.joints.iter();
        let driven = joints.filter(|it| it.motion.has_one_displacement());
        driven.filter(|it| it.drive.rotor_inertia.iter().any(|it| *it != 0.0))
    }

    /// Whether a configuration is the one of the neutral configuration of every joint.
    pub(crate) fn is_neutral(&self, configuration: &Configuration) -> bool {
        configuration.joints.iter().all(|(index, values)| {
            let joint = self.joints.get(*index);
            joint.is_some_and(|it| it.motion.neutral() == *values)
        })
    }
}
