//! The arguments of `check`.

use crate::format::Format;
use crate::robot::RobotArguments;
use clap::Args;

pub const HELP: &str = "\
Warnings are those of the reader and of limits of zero, with line and column; and a mass matrix \
that is singular or ill-conditioned at the neutral or a random configuration, with the joint that \
causes it.

Notes, which do not count, are parts of the file that mean nothing for dynamics, such as colours, \
and joints whose neutral configuration is outside their limits. --quiet leaves them out. A model \
file has no lines: only its numbers are checked.

Exit codes:
  0  no warnings
  1  warnings
  2  no model can be made of the file; the error says where and why

Examples:
  featherline check my_robot.urdf
  featherline check my_robot.urdf --floating-base --format jsonl";

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Text, or one line of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
