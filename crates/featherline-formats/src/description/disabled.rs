//! Parts of the physics that a file switches off.

use featherline::model::Drive;

/// Parts of the physics that a file switches off in simulations, as `<flag>` of MJCF does.
///
/// Limits and shapes stay in the robot: inverse kinematics, random configurations and distances
/// have them. Springs, dampers, dry friction and closed loops are no part of the
/// [model](super::Robot::model).
///
/// ```
/// let text = "<mujoco><option><flag damper='disable' limit='disable'/></option>
///     <worldbody><body><joint damping='1' range='-10 10'/><geom size='0.1'/></body></worldbody></mujoco>";
/// let robot = featherline_formats::load_str(text)?;
/// assert_eq!(robot.description.disabled.names(), ["damper", "limit"]);
/// let joint = &robot.model.joints()[1];
/// assert_eq!(joint.drive.damping, [0.0]);
/// assert!(joint.limits.upper[0].is_finite());
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disabled {
    /// The actuators.
    pub actuation: bool,
    /// The ranges of the actuators' controls.
    pub control_ranges: bool,
    /// All contacts.
    pub contacts: bool,
    /// The dampers of the joints and the tendons.
    pub dampers: bool,
    /// Joints that close loops, mimic joints, and equalities of lengths.
    pub equalities: bool,
    /// The rule that shapes of a link do not touch those of its parent.
    pub parent_filter: bool,
    /// The dry friction of the joints and the tendons.
    pub friction_losses: bool,
    /// The limits of the joints and the tendons.
    pub limits: bool,
    /// The springs of the joints and the tendons.
    pub springs: bool,
}

impl Disabled {
    /// Each part, by its flag of MJCF.
    pub(crate) fn flags(&mut self) -> [(&'static str, &mut bool); 9] {
        [
            ("actuation", &mut self.actuation),
            ("clampctrl", &mut self.control_ranges),
            ("contact", &mut self.contacts),
            ("damper", &mut self.dampers),
            ("equality", &mut self.equalities),
            ("filterparent", &mut self.parent_filter),
            ("frictionloss", &mut self.friction_losses),
            ("limit", &mut self.limits),
            ("spring", &mut self.springs),
        ]
    }

    /// The parts that are switched off, by the flags of MJCF.
    pub fn names(mut self) -> Vec<&'static str> {
        let off = self.flags().into_iter().filter(|(_, is_off)| **is_off);
        off.map(|(name, _)| name).collect()
    }

    /// Whether all passive forces are switched off, gravity compensation among them: springs and
    /// dampers are.
    pub fn passive_forces(self) -> bool {
        self.springs && self.dampers
    }

    /// A joint's own forces without those that are switched off.
    pub(crate) fn left_of(self, drive: &Drive) -> Drive {
        let mut left = drive.clone();
        for (is_off, values) in [
            (self.dampers, &mut left.damping),
            (self.springs, &mut left.stiffness),
            (self.friction_losses, &mut left.friction),
        ] {
            if is_off {
                values.fill(0.0);
            }
        }
        left
    }
}
