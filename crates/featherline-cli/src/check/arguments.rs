//! The arguments of `check`.

use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::Args;
use featherline_formats::repair::RepairOptions;
use std::path::{Path, PathBuf};

pub const HELP: &str = "\
Warnings are those of the reader and of limits of zero, with the line and what is doubtful in it; \
and a mass matrix that is singular or ill-conditioned at the neutral or a random configuration, \
with the joint that causes it.

Notes, which do not count, are parts of the file that mean nothing for dynamics, such as colours, \
and joints whose neutral configuration is outside their limits. --quiet leaves them out, and the \
lines of the file. A model file has no lines: only its numbers are checked. Doubtful figures, such \
as masses in g and limits or rpy in degrees, are reported, too.

Of a URDF that can't be read, the first error of each link and each joint is reported, and of an MJCF file \
the first of all. Others may follow once these are mended.

--diff and --fix repair the text of the file, of what has to change alone: comments, order and layout stay. \
Each repair has its reason; what needs a choice, such as an axis of zero length, is only reported. What is \
misspelt is renamed, and nothing is put in its place. --fix ends with what it wrote. A file that would \
still not be readable is not written. Files that an MJCF file includes are repaired, too. Of a xacro \
file, repairs are those of its expansion, which --fix writes with --output. A file in another folder names \
meshes and textures from there. What --diff writes, \
`patch` and `git apply -p0` take.

--self-collision samples configurations within the limits of the joints, and reports the pairs of links \
whose collision shapes always overlap, overlap at the neutral configuration, or never do. Pairs that \
always overlap or overlap at the neutral configuration are warnings. Below them are lines for an SRDF \
that exclude them, those that never touch and those that joints connect; --write-srdf writes them to a file, \
with the exclusions that there are. Sampling proves nothing: a pair that overlaps in a share p of the configurations is missed \
with probability (1 − p)^N.

--format jsonl has one line for each finding (severity, code, message, file, line, column, end, \
element, repair), and a last one with the counts. A file that can't be read is a finding of \
severity `error`.

Exit codes:
  0  no warnings; with --fix, none is left; with --diff, nothing to repair
     either
  1  warnings; with --fix, some are left; with --diff, also repairs
  2  no model can be made of the file; the error says where and why

Examples:
  featherline check my_robot.urdf
  featherline check my_robot.urdf --diff
  featherline check my_robot.urdf --fix --density 2700
  featherline check my_robot.urdf --fix --output repaired.urdf
  featherline check my_robot.urdf --floating-base --format jsonl
  featherline check my_robot.urdf --self-collision
  featherline check my_robot.urdf --self-collision --write-srdf my_robot.srdf";

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Repair the file in place, show what was repaired as a diff, and report what is left
    #[arg(long)]
    pub fix: bool,

    /// Show repairs as a diff with their reasons, and write nothing
    #[arg(long, conflicts_with = "fix")]
    pub diff: bool,

    /// With --fix: write the repaired text to this file, and leave the robot's own as it is
    #[arg(long, short, value_name = "FILE", requires = "fix", value_parser = file::written())]
    pub output: Option<PathBuf>,

    /// The density of shapes, in kg/m³, for the inertia of moving links that have none
    #[arg(long, value_name = "DENSITY", default_value_t = 1000.0, value_parser = density)]
    pub density: f64,

    /// Report which pairs of links overlap at the neutral configuration, and in all or none of the
    /// random ones
    #[arg(long, conflicts_with_all = ["fix", "diff"])]
    pub self_collision: bool,

    /// Of --self-collision: the number of configurations [default: 10000]
    #[arg(long, value_name = "N", requires = "self_collision", value_parser = clap::value_parser!(u32).range(1..))]
    pub samples: Option<u32>,

    /// Of --self-collision: write an SRDF with the pairs that need not be tested
    #[arg(long, value_name = "FILE", requires = "self_collision", value_parser = file::written())]
    pub write_srdf: Option<PathBuf>,

    /// Text, or lines of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl CheckArguments {
    /// How repairs are made.
    pub fn repair_options(&self) -> RepairOptions {
        let load = self.robot.load_options(self.robot.floats());
        let options = RepairOptions::new().load(load).density(self.density);
        match &self.output {
            Some(output) => options.folder(output.parent().unwrap_or(Path::new(""))),
            None => options,
        }
    }
}

/// A density, in kg/m³.
fn density(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(density) if density > 0.0 && density.is_finite() => Ok(density),
        _ => Err("a density is a number above zero, in kg/m³".to_owned()),
    }
}
