//! Fields of a setup that have no effect, and numbers that can't be.

use super::decide::RobotParts;
use super::{DrivesName, Ground, Setup, SetupError, SetupField};
use crate::integrator::forces::{self, ForceModel};
use crate::simulation::{ControllerName, MethodName};
use featherline::model::Joint;
use featherline::words::Words;

const OTHER_METHOD: &str = "leave it out, or take the method `time-stepping`";
const LEAVE_OUT: &str = "leave it out";

impl Setup {
    /// Refuses numbers that mean nothing.
    pub(super) fn check_numbers(&self) -> Result<(), SetupError> {
        let positive = [
            (SetupField::Step, self.step),
            (SetupField::Tolerance, self.tolerance),
            (SetupField::Frequency, self.frequency),
        ];
        for (what, value) in positive {
            if let Some(value) = value.filter(|it| !(it.is_finite() && *it > 0.0)) {
                let need = "a positive number is expected";
                return Err(SetupError::BadNumber { what, value, need });
            }
        }
        if let Some(value) = self.friction.filter(|it| !(it.is_finite() && *it >= 0.0)) {
            let what = SetupField::Friction;
            let need = "a finite number not below zero is expected";
            return Err(SetupError::BadNumber { what, value, need });
        }
        match self.ground {
            Ground::At(value) if !value.is_finite() => {
                let (what, need) = (SetupField::Ground, "a finite height in m is expected");
                Err(SetupError::BadNumber { what, value, need })
            }
            Ground::At(_) | Ground::Auto | Ground::None => Ok(()),
        }
    }

    /// Refuses what has no effect beside the rest, or on the robot.
    pub(super) fn check_effects(
        &self,
        found: &RobotParts<'_>,
        method: MethodName,
    ) -> Result<(), SetupError> {
        match method == MethodName::TimeStepping {
            true => self.check_time_stepping(found)?,
            false => self.check_other_method(method)?,
        }
        self.check_joints(found)?;
        self.check_controller(found)?;
        self.check_loops(found, method)
    }

    fn check_joints(&self, found: &RobotParts<'_>) -> Result<(), SetupError> {
        let model = &found.robot.model;
        let passive = forces::passive(model, forces::FRICTION_TRANSITION)?;
        let is_free = |joint: &Joint| {
            let mut bounds = joint.limits.lower.iter().chain(&joint.limits.upper);
            bounds.all(|bound| bound.is_infinite())
        };
        let resists_not = self.passive == Some(true) && passive.is_nothing();
        let stops_not = self.stops.is_some() && model.joints().iter().all(is_free);
        let resistance = "damping, no dry friction and no springs";
        for (what, is_idle, lacks) in [
            (SetupField::Passive, resists_not, resistance),
            (SetupField::Stops, stops_not, "limits of joints"),
        ] {
            if is_idle {
                let why = format!("`{}` has no {lacks}", model.name());
                let instead = "leave it out, or add them to the robot's description";
                return idle(what, why, instead);
            }
        }
        Ok(())
    }

    fn check_time_stepping(&self, found: &RobotParts<'_>) -> Result<(), SetupError> {
        let own = "time-stepping has the limits, dampers, springs and friction of the joints itself, \
                   exactly";
        for (what, is_said) in [
            (SetupField::Passive, self.passive == Some(false)),
            (SetupField::Stops, self.stops.is_some()),
        ] {
            if is_said {
                return idle(what, own, "leave it out, or take another method");
            }
        }
        if matches!(self.ground, Ground::At(_)) && found.robot.description.disabled.contacts {
            let why = "the file disables contact";
            let instead = "leave it out, or change `<flag>` in the file";
            return idle(SetupField::Ground, why, instead);
        }
        if let (Ground::At(_), Some(contact)) = (self.ground, &found.contact) {
            // The ground that was added is the last shape, and has no link.
            let is_ground = |shape: &usize| contact.links[*shape].is_none();
            let pairs = contact.collision.pairs();
            if !pairs.iter().flatten().any(is_ground) {
                let why = "no link that moves has a collision shape that could touch it";
                let instead = "leave it out, or add such shapes to the robot's file";
                return idle(SetupField::Ground, why, instead);
            }
        }
        if self.friction.is_some() && !found.touches {
            let why = "nothing can touch anything";
            return idle(SetupField::Friction, why, "leave it out, or add a ground");
        }
        if self.asked_drives() == Some(DrivesName::Actuators) && !found.has_actuators() {
            let name = found.robot.model.name();
            let why = format!("`{name}` has no actuators that act");
            return idle(SetupField::Drives, why, "leave it out, or take `hold`");
        }
        Ok(())
    }

    fn check_other_method(&self, method: MethodName) -> Result<(), SetupError> {
        let name = method.name();
        if self.tolerance.is_some() && method != MethodName::DormandPrince {
            let why = format!("{name} takes steps of given length");
            let instead =
                "say by the step how long they are, or take `dormand-prince` or `time-stepping`";
            return idle(SetupField::Tolerance, why, instead);
        }
        for (what, is_said) in [
            (SetupField::Ground, matches!(self.ground, Ground::At(_))),
            (SetupField::Friction, self.friction.is_some()),
            (SetupField::FrictionLaw, self.friction_law.is_some()),
            (SetupField::ImpactLaw, self.impact_law.is_some()),
        ] {
            if is_said {
                return idle(what, format!("{name} has no contacts"), OTHER_METHOD);
            }
        }
        let why = format!("{name} has no drives");
        if self.controls.is_some() {
            return idle(SetupField::Controls, why, OTHER_METHOD);
        }
        let instead = "take the method `time-stepping`, or the controller `pd`";
        match self.asked_drives() {
            Some(DrivesName::Hold | DrivesName::Actuators) => {
                idle(SetupField::Drives, why, instead)
            }
            Some(DrivesName::None) | None => Ok(()),
        }
    }

    fn check_controller(&self, found: &RobotParts<'_>) -> Result<(), SetupError> {
        let controller = self.controller.unwrap_or_default();
        for (what, is_said) in [
            (SetupField::Goal, self.goal.is_some()),
            (SetupField::Frequency, self.frequency.is_some()),
        ] {
            if is_said && controller != ControllerName::Pd {
                let why = format!("the controller is {}", controller.name());
                return idle(what, why, "take the controller `pd`, or leave it out");
            }
        }
        if controller != ControllerName::None && !found.can_be_driven() {
            let name = found.robot.model.name();
            let why = format!("`{name}` has no joint but its floating base");
            return idle(SetupField::Controller, why, LEAVE_OUT);
        }
        Ok(())
    }

    pub(super) fn check_controls(
        &self,
        found: &RobotParts<'_>,
        drives: DrivesName,
    ) -> Result<(), SetupError> {
        if self.controls.is_none() || drives == DrivesName::Actuators {
            return Ok(());
        }
        let is_replaced =
            self.asked_drives().is_some() || self.is_driven || self.controller.is_some();
        let why = match found.has_actuators() || is_replaced {
            true => "other drives or a controller are in the place of the actuators".to_owned(),
            false => format!("`{}` has no actuators that act", found.robot.model.name()),
        };
        idle(SetupField::Controls, why, LEAVE_OUT)
    }

    fn check_loops(&self, found: &RobotParts<'_>, method: MethodName) -> Result<(), SetupError> {
        let model = &found.robot.model;
        if model.loop_joints().is_empty() {
            for (what, is_said) in [
                (SetupField::Loops, self.loops.is_some()),
                (SetupField::Assemble, self.assemble == Some(true)),
            ] {
                if is_said {
                    let why = format!("`{}` has no loops to keep closed", model.name());
                    return idle(what, why, LEAVE_OUT);
                }
            }
        } else if self.loops.is_some() && method == MethodName::MaximalVariational {
            let why = "maximal-variational closes the loops itself, in each step";
            let instead = "leave it out, or take another method";
            return idle(SetupField::Loops, why, instead);
        }
        Ok(())
    }
}

fn idle(what: SetupField, why: impl Into<String>, instead: &'static str) -> Result<(), SetupError> {
    let why = why.into();
    Err(SetupError::Idle { what, why, instead })
}
