//! The arguments of `view`.

use crate::file;
use crate::robot::RobotArguments;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
The page is served on this machine alone (127.0.0.1), at an address with a secret token, until \
Ctrl-C. It shows links, joints, masses and warnings, moves joints within their limits, and computes \
kinematics and dynamics itself. Nothing is loaded from elsewhere. Whoever has the address and an \
account on this machine sees the robot.

When the robot's file changes, it is read again, and the page shows it. A file that can't be read \
is shown as an error with its line.

--html writes one file with everything inside, which needs no server and no network.

Examples:
  featherline view panda
  featherline view my_robot.urdf --package-folder ~/ros/src
  featherline view my_robot.urdf --html my_robot.html
  featherline simulate panda --record run.csv
  featherline view panda --play run.csv";

#[derive(Debug, Args)]
pub struct ViewArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Write the page with the robot inside to a file, and serve nothing
    #[arg(long, value_name = "FILE", value_parser = file::written(), conflicts_with_all = ["port", "open", "no_open"])]
    pub html: Option<PathBuf>,

    /// Play a recording of `simulate --record`: .csv or .jsonl; .parquet and .mcap in builds with
    /// these features
    #[arg(long, value_name = "RECORDING")]
    pub play: Option<PathBuf>,

    /// The port [default: one that is free]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Open the page in the browser (the default if standard output is a terminal)
    #[arg(long, conflicts_with = "no_open")]
    pub open: bool,

    /// Print the address, and open nothing
    #[arg(long)]
    pub no_open: bool,
}
