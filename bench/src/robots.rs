//! The robots that are timed.

use featherline::Model;
use featherline_formats::LoadOptions;
use featherline_robots::{ROBOTS, RobotError};

/// An embedded robot, on a floating base if it is made for one.
///
/// # Errors
/// If no robot of that name is embedded.
pub fn embedded(name: &str) -> Result<Model, RobotError> {
    let described = ROBOTS.iter().find(|robot| robot.name == name);
    let floating_base = described.is_some_and(|robot| robot.floating_base);
    featherline_robots::model(name, &LoadOptions::default().floating_base(floating_base))
}
