//! The arguments of `convert`.

use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
The file is written from what the robot's file states. It is then read again, and both are \
compared: masses, inertias, limits, drives, and at random states joint forces, mass matrices and \
the placements of frames. What the format of the new file can't express is named, with its line in \
the old one.

A URDF keeps what the other file holds beside the motion: shapes, materials, transmissions, \
sensors. A model file (.json) keeps every number of the model, and nothing else; the options of the \
reader are part of it.

Exit codes:
  0  the new file is the same robot
  1  something is missing, or differs by more than rounding
  2  the new file can't be written

Examples:
  featherline convert panda panda.urdf
  featherline convert my_robot.urdf my_robot.json --floating-base";

#[derive(Debug, Args)]
pub struct ConvertArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// The file to write; its extension, urdf or json, is the format
    #[arg(value_name = "FILE", value_parser = file::robot())]
    pub output: PathBuf,

    /// At how many random states both are compared
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub states: usize,

    /// Text, or one line of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
