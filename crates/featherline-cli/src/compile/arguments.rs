//! The arguments of `compile`.

use crate::file;
use crate::names;
use crate::robot::RobotArguments;
use clap::Args;
use featherline::quantity::CATALOGUE;
use std::path::PathBuf;

const HELP: &str = "\
Quantities, with their inputs and the other names that are accepted; FRAME is local, world or aligned:
{quantities}
The table has the operations (multiplications, additions, …) of one state: of the textbook, if it \
has a formula for such a robot (chains of single joints on a fixed base; Featherstone 2008, table \
10.1; without sines and cosines); of the library's kernel, traced with the robot's constants; and \
of the program. `featherline run FILE` describes a program.

Examples:
  featherline compile panda --quantity tau --output panda.tau
  featherline compile my_robot.urdf --quantity qdd --fma --output robot.qdd";

/// The help, with the quantities of the catalogue.
pub fn help() -> String {
    let quantities = CATALOGUE.iter().map(|it| names::description(&it.entry));
    HELP.replace("{quantities}\n", &quantities.collect::<String>())
}

#[derive(Debug, Args)]
pub struct CompileArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Quantity to compute
    #[arg(long, value_name = "NAME")]
    pub quantity: String,

    /// The file of the program
    #[arg(long, short, value_name = "FILE", value_parser = file::written())]
    pub output: PathBuf,

    /// Fuse products into sums: fewer instructions, and other last digits
    #[arg(long)]
    pub fma: bool,
}
