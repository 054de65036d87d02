//! The arguments of `view`.

use crate::file;
use crate::list::List;
use crate::robot::RobotArguments;
use clap::{ArgGroup, Args};
use std::path::PathBuf;
use std::str::FromStr;

pub const HELP: &str = "\
The page is served on this machine alone (127.0.0.1), at an address with a secret token, until \
Ctrl-C. It shows links, joints, masses and warnings, moves joints within their limits, and computes \
kinematics and dynamics itself. Nothing is loaded from elsewhere. Whoever has the address and an \
account on this machine sees the robot.

When the robot's file changes, it is read again, and the page shows it. A file that can't be read \
is shown as an error with its line.

--html writes one file with everything inside, which needs no server and no network.

--png writes a picture of the robot, without the page's panels, and --gif one that moves, of --play. \
A browser without a window draws it: Chromium, Chrome, Edge or Brave, as found on PATH or where it is \
usually installed; FEATHERLINE_BROWSER names another one. Nothing is served then.

Examples:
  featherline view panda
  featherline view my_robot.urdf --package-folder ~/ros/src
  featherline view my_robot.urdf --html my_robot.html
  featherline simulate panda --record run.csv
  featherline view panda --play run.csv
  featherline view panda --png panda.png --size 1200x900
  featherline view panda --play run.csv --gif panda.gif";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("picture").args(["png", "gif"]).multiple(true).conflicts_with_all(["html", "port", "open", "no_open"]))]
pub struct ViewArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Write the page with the robot inside to a file, and serve nothing
    #[arg(long, value_name = "FILE", value_parser = file::written(), conflicts_with_all = ["port", "open", "no_open"])]
    pub html: Option<PathBuf>,

    /// Write a picture of the robot to a PNG file, and serve nothing
    #[arg(long, value_name = "FILE", value_parser = file::written())]
    pub png: Option<PathBuf>,

    /// Write the motion of --play to a GIF file, and serve nothing
    #[arg(long, value_name = "FILE", value_parser = file::written(), requires = "play")]
    pub gif: Option<PathBuf>,

    /// Width and height of the picture in pixels [default: 960x600; of a GIF 480x300]
    #[arg(long, value_name = "WxH", requires = "picture")]
    pub size: Option<Size>,

    /// The direction to look from, three numbers [default: 1,-0.75,0.45]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    #[arg(requires = "picture")]
    pub from: Option<List>,

    /// The configuration of the picture, nq numbers separated by commas [default: where a
    /// simulation begins]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    #[arg(requires = "png", conflicts_with = "play")]
    pub q: Option<List>,

    /// The named configuration of the picture
    #[arg(long, value_name = "NAME", requires = "png", conflicts_with_all = ["q", "play"])]
    pub configuration: Option<String>,

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

/// Width and height of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides = text
            .split_once(['x', 'X', '×'])
            .and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
        Ok(Self(sides.ok_or(
            "a width and a height are needed, such as 1200x900",
        )?))
    }
}
