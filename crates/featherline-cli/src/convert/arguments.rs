//! The arguments of `convert`.

use crate::choice::words;
use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::Args;
use featherline_formats::FileFormat;
use std::path::PathBuf;

pub const HELP: &str = "\
The file is written from what the robot's file states. It is read again before, and both are \
compared: masses, inertias, limits, drives, frames, actuators, and at random states joint forces, \
mass matrices and the placements of frames. What the format of the new file can't express is named, \
with its line in the old one; a file that can't be read again is not written.

The extension of FILE is the format: .urdf, .xml or .mjcf for MJCF, .json for a model file. --to \
says it for files of other names. A URDF and an MJCF file keep what the other file holds beside the \
motion, as far as they can: shapes, materials, frames, sensors. Named configurations, groups and pairs \
of links that do not collide are in an SRDF beside a URDF: arm.srdf for arm.urdf. MJCF is MuJoCo's 4.0; what MuJoCo \
refuses, such as moving bodies without mass, is written and named. A base that floats (\
--floating-base) is a free joint in MJCF; a URDF does not say it. MJCF keeps what else an MJCF file \
states, such as the friction of contacts and the options of the solver; for other formats it is named. \
Mesh files stay where they are, and are named from the folder of the new file. Those of formats that \
MuJoCo does not read, COLLADA and glTF, are written as OBJ files: those of arm.xml in the folder \
arm_meshes beside it. Beside FILE, no file of another origin is replaced. A model file \
keeps every number of the model, and nothing else, which counts as the same robot.

With --format jsonl, the report is one line: `file`; `format`; `is_same`; `missing`, what the new \
file can't express or MuJoCo refuses; `left_out` and `parts_left_out`, what the reader left out of \
the robot's file, such as malformed shapes; `notes`, which do not count; `differences`, parts that only \
one file has and joints of another kind; `quantities`, each with `quantity`, `relative_difference` \
and, where it has a place, `at`.

Exit codes:
  0  the new file is the same robot
  1  something is missing, differs by more than rounding, or is refused by MuJoCo
  2  no file is written

Examples:
  featherline convert ur5 ur5.urdf
  featherline convert my_robot.urdf my_robot.xml
  featherline convert my_robot.xml my_robot.urdf --format jsonl
  featherline convert my_robot.urdf my_robot.json --floating-base";

#[derive(Debug, Args)]
pub struct ConvertArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// The file to write; its extension, urdf, xml, mjcf or json, is the format
    #[arg(value_name = "FILE", value_parser = file::written())]
    pub output: PathBuf,

    /// The format, whatever the extension
    #[arg(long, value_parser = words::<FileFormat>(), value_name = "FORMAT")]
    pub to: Option<FileFormat>,

    /// At how many random states both are compared
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = states)]
    pub states: usize,

    /// Text, or one line of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The most states at which robots are compared: more take hours, and show no more.
const MOST_STATES: usize = 100_000;

/// A number of states.
fn states(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count) if count <= MOST_STATES => Ok(count),
        _ => Err(format!(
            "a number of states is at most {MOST_STATES}; 20 show what differs"
        )),
    }
}
