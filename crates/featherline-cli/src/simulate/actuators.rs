//! Actuators that a robot's file has.

use super::arguments::SimulateArguments;
use crate::message::warn;
use crate::robot::{Robot, RobotArguments, grouped};
use featherline_formats::description::Actuation;
use featherline_sim::contact::Drives;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::simulation::ControllerName;

/// What the actuators do with the controls of the configuration that is begun with, unless another
/// controller was asked for.
pub fn of(arguments: &SimulateArguments, robot: &Robot) -> Option<Actuation> {
    if !matches!(arguments.controller, None | Some(ControllerName::Actuators)) {
        return None;
    }
    let named = arguments.state.configuration.as_deref();
    let start = robot.start().map(|it| it.name.as_str());
    Some(robot.actuation(named.or(start)))
}

/// Warns of actuators that do nothing.
pub fn warn_of(actuation: &Actuation, robot: &RobotArguments) {
    let list = robot.check_command();
    for message in grouped(&actuation.warnings, &list) {
        warn(&message);
    }
}

/// The actuators as drives; the other robots of a scene are held where they begin.
pub fn drives(
    arguments: &SimulateArguments,
    robot: &Robot,
    q: &[f64],
) -> Result<Drives, IntegratorError> {
    let model = &robot.model;
    let actuation = of(arguments, robot).unwrap_or_default();
    let drives = Drives::of_actuators(model, &actuation);
    match robot.is_scene() {
        true => Ok(drives.and_held(model, Drives::holding(model, q)?)),
        false => Ok(drives),
    }
}
