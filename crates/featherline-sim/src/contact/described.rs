//! Contacts, their laws and drives, as a description states them.

use super::drives::Response;
use super::{CollisionContacts, ContactLaws, Coupling, Drives, MovedBodies, Softness, Surface};
use featherline::model::Model;
use featherline_formats::Robot;
use featherline_formats::description::{self, Actuation, ContactDefaults, ContactModel};

impl From<ContactModel> for CollisionContacts {
    /// The shapes, the pairs that may touch, and friction, restitution and softness of each.
    fn from(contact: ContactModel) -> Self {
        let own = || contact.surfaces.iter();
        let softness = own().map(|it| {
            it.softness.map(|own| Softness {
                stiffness: own.stiffness,
                damping: own.damping,
            })
        });
        let across = own().map(|it| it.friction_across).collect();
        let surfaces = own().map(|it| Surface {
            friction: it.friction,
            restitution: it.restitution,
        });
        Self::new(contact.collision, surfaces.collect())
            .with_softness(softness.collect())
            .with_friction_across(across)
    }
}

impl From<ContactDefaults> for ContactLaws {
    /// The laws of friction and of impacts.
    fn from(own: ContactDefaults) -> Self {
        Self::default()
            .with_cone(own.friction_law)
            .with_impact(own.impact_law)
    }
}

impl From<description::Response> for Response {
    fn from(own: description::Response) -> Self {
        match own {
            description::Response::Direct => Self::Direct,
            description::Response::Filter {
                start,
                time_constant,
                bounds,
            } => Self::Filter {
                start,
                time_constant,
                bounds,
            },
            description::Response::Integrator { rate, bounds } => Self::Integrator { rate, bounds },
        }
    }
}

impl MovedBodies {
    /// The moved bodies of a robot, where a configuration puts them, and what they pull.
    ///
    /// ```
    /// use featherline_sim::contact::MovedBodies;
    ///
    /// let text = "<mujoco><worldbody><body name='hand' mocap='true'/></worldbody></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// assert_eq!(MovedBodies::of(&robot, None).names(), ["hand"]);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn of(robot: &Robot, configuration: Option<&str>) -> Self {
        let bodies = robot.moved_bodies(configuration).into_iter();
        let moved = bodies.fold(Self::none(), |moved, it| {
            moved.and_body(it.name, it.reference, it.start)
        });
        robot.couplings().into_iter().fold(moved, |moved, it| {
            moved.and_coupling(Coupling {
                moved: it.moved,
                target: it.target,
                joint: it.joint,
                placement: it.placement,
                is_weld: it.is_weld,
                stiffness: it.law.stiffness,
                damping: it.law.damping,
                impedance: it.law.impedance,
            })
        })
    }
}

impl Drives {
    /// Actuators of a description as drives, with the state of their filters and integrators. Cost:
    /// linear in their number.
    ///
    /// ```
    /// use featherline_sim::contact::Drives;
    ///
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <actuator><position joint='j' kp='10' kv='1'/></actuator></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// let drives = Drives::of_actuators(&robot.model, &robot.actuation(None));
    /// assert_eq!(drives.len(), 1);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn of_actuators(model: &Model, actuation: &Actuation) -> Self {
        let mut drives = Self::none();
        for it in &actuation.joints {
            let (asked, gains) = ((it.force, it.response.into()), (it.stiffness, it.damping));
            drives = drives.and_responding(model, it.joint, asked, gains, it.range);
        }
        for it in &actuation.lengths {
            let (asked, gains) = ((it.force, it.response.into()), (it.stiffness, it.damping));
            let length = it.length.clone();
            drives = drives.and_responding_along(length, asked, gains, it.range);
        }
        drives
    }
}
