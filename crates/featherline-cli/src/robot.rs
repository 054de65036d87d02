//! Finding and reading the robot that a command is about.

use crate::arguments::RobotArguments;
use crate::failure::Failure;
use featherline::Model;
use featherline_formats::urdf::{self, Loaded, UrdfOptions, Warning, WarningCause};
use featherline_robots::ROBOTS;
use std::io::{Write, stderr};

/// A robot that has been read.
#[derive(Debug)]
pub struct Robot {
    pub model: Model,
    /// What is doubtful about its file, or not used.
    pub warnings: Vec<Warning>,
}

/// Reads the robot from its file, or takes the embedded one.
pub fn load(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let path = &arguments.robot;
    let Loaded { model, warnings } = match path.to_str() {
        Some(name) if !path.exists() && !looks_like_path(name) => {
            let floats = ROBOTS.iter().any(|r| r.name == name && r.floating_base);
            let read = featherline_robots::load(name, &options(arguments, floats));
            read.map_err(|error| Failure::Robot(error.to_string()))?
        }
        _ => {
            let read = urdf::read_file(path, &options(arguments, false));
            read.map_err(|error| Failure::Robot(error.to_string()))?
        }
    };
    Ok(Robot { model, warnings })
}

/// Whether a robot that is no file was meant to be one.
fn looks_like_path(robot: &str) -> bool {
    robot.contains(['/', '\\', '.'])
}

/// [`load`], with the warnings on standard error.
pub fn load_and_warn(arguments: &RobotArguments) -> Result<Robot, Failure> {
    let robot = load(arguments)?;
    let label = console::style("warning:").for_stderr().yellow().bold();
    let (unused, doubtful): (Vec<_>, Vec<_>) = robot.warnings.iter().partition(|w| is_unused(w));
    let mut lines: Vec<String> = doubtful.iter().map(|w| format!("{label} {w}\n")).collect();
    if !unused.is_empty() && arguments.robot.exists() {
        let note = console::style("note:").for_stderr().bold();
        let robot = arguments.robot.display();
        lines.push(format!(
            "{note} some of the file is not used; `featherline check {robot}` lists it\n"
        ));
    }
    // Results are worth having where nobody reads the warnings.
    let _ = stderr().write_all(lines.concat().as_bytes());
    Ok(robot)
}

/// Whether a warning only says that something has no meaning for dynamics, such as a colour.
pub fn is_unused(warning: &Warning) -> bool {
    matches!(warning.cause, WarningCause::Unused { .. })
}

fn options(arguments: &RobotArguments, floats: bool) -> UrdfOptions {
    let kept = arguments.keep_fixed_joint.iter();
    kept.fold(UrdfOptions::new(), UrdfOptions::keep_fixed_joint)
        .floating_base(arguments.floating_base || (floats && !arguments.fixed_base))
        .mimic(arguments.mimic.into())
        .continuous(arguments.continuous.into())
        .sibling_order(arguments.sibling_order.into())
}
