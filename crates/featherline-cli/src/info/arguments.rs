//! The arguments of `info`.

use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
In the tree, a line without a branch mark is a child of the line above it; bodies that are fixed \
to the body of a joint are listed below it after a dot.

The JSON has name, nq, nv, total_mass (of the moving bodies), gravity; joints with name, type, \
parent (null: the world), idx_q, nq, idx_v, nv, mimic, limits; loop_joints, which close loops and \
have no coordinates; bodies; frames; reference_configurations, groups and end_effectors, which an \
SRDF has. A mimic joint has nq = nv = 0 and idx_q and \
idx_v of the joint that it mimics.

A saved model has everything that the reader made of the file and the options. Every command reads \
it as it reads a URDF. It is also read and written by `featherline_formats::model_file`.

Examples:
  featherline info humanoid
  featherline info humanoid --json | jq '.joints[] | {name, idx_q, idx_v}'
  featherline info my_robot.urdf --pinocchio --save my_robot.json
  featherline info talos.urdf --floating-base --srdf talos.srdf
  featherline check my_robot.json";

#[derive(Debug, Args)]
pub struct InfoArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Write JSON, indented
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// Save the model, to be read by every command
    #[arg(long, value_name = "FILE.json", value_parser = file::model())]
    pub save: Option<PathBuf>,

    /// The tree, or one line of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
