//! The list of commands.

use crate::check::{self, CheckArguments};
#[cfg(feature = "compile")]
use crate::compile::{self, CompileArguments};
use crate::convert::{self, ConvertArguments};
use crate::eval::{self, EvalArguments};
use crate::info::{self, InfoArguments};
#[cfg(not(all(feature = "system", feature = "compile", feature = "view")))]
use crate::left_out::LeftOut;
#[cfg(feature = "compile")]
use crate::run::{self, RunArguments};
use crate::simulate::{self, SimulateArguments};
#[cfg(feature = "system")]
use crate::system::{self, SystemArguments};
#[cfg(feature = "view")]
use crate::view::{self, ViewArguments};
use clap::{Parser, Subcommand};

/// Rigid-body dynamics of robots.
///
/// ROBOT is the path of a robot file or of a scene of several robots and bodies (.toml), or the
/// name of an embedded robot; a file of that name comes first. Of robots with closed loops
/// (four_bar, parallelogram, six_bar, bennett, delta, stewart), every command except `simulate` and
/// `system` uses the spanning tree alone, and warns of it; `eval --compute maximal_dynamics` closes
/// them.
#[derive(Debug, Parser)]
#[command(name = "featherline", version, max_term_width = 100, after_long_help = HELP)]
pub struct Arguments {
    /// Leave out warnings and notes; of `check`, whose answer is warnings, the notes
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,

    #[command(subcommand)]
    pub command: Command,
}

const HELP: &str = "\
Exit codes:
  0  done (of `check`: no warnings)
  1  `check` has warnings, `convert` lost something, or `system` has
     undetermined unknowns
  2  not done: the arguments, the robot or a state can't be read, memory is
     too small, or the output can't be written

Examples:
  featherline info panda
  featherline check my_robot.urdf
  featherline convert ur5 ur5.urdf
  featherline eval panda
  featherline eval quadruped --random 9 --compute tau,crba --format jsonl
  featherline simulate double_pendulum --q 1,0.5 --seconds 1000 --integrator variational
  featherline compile panda --quantity tau --output panda.tau
  featherline view panda";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draw the robot's tree of joints, describe it as JSON, or save its model
    #[command(after_long_help = info::HELP)]
    Info(InfoArguments),
    /// Report what is physically wrong or doubtful about a robot
    #[command(after_long_help = check::HELP)]
    Check(CheckArguments),
    /// Write a robot to a file of another format, and report what that kept
    #[command(after_long_help = convert::HELP)]
    Convert(ConvertArguments),
    /// Compute dynamics and kinematics, state by state
    #[command(after_long_help = eval::help())]
    Eval(EvalArguments),
    /// Let a robot move: integrate, record, draw
    #[command(after_long_help = simulate::HELP)]
    Simulate(SimulateArguments),
    /// Treat the dynamics as one sparse linear system: what sensors determine, solutions, estimates
    #[cfg(feature = "system")]
    #[command(after_long_help = system::HELP)]
    System(SystemArguments),
    /// Compile an algorithm for one robot into a program without branches, and count its operations
    #[cfg(feature = "compile")]
    #[command(after_long_help = compile::help())]
    Compile(CompileArguments),
    /// Run a compiled program, state by state, or describe it
    #[cfg(feature = "compile")]
    #[command(after_long_help = run::HELP)]
    Run(RunArguments),
    /// Show a robot in the browser, or write a page that shows it
    #[cfg(feature = "view")]
    #[command(after_long_help = view::HELP)]
    View(ViewArguments),
    /// (not part of this build)
    #[cfg(not(feature = "system"))]
    System(LeftOut),
    /// (not part of this build)
    #[cfg(not(feature = "compile"))]
    Compile(LeftOut),
    /// (not part of this build)
    #[cfg(not(feature = "compile"))]
    Run(LeftOut),
    /// (not part of this build)
    #[cfg(not(feature = "view"))]
    View(LeftOut),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    /// The long help of the program and of every command, at a width.
    fn helps(width: usize) -> Vec<String> {
        let command = Arguments::command().term_width(width);
        let own = command.clone().render_long_help().to_string();
        let names = command.get_subcommands().map(|it| it.get_name().to_owned());
        let names: Vec<String> = names.collect();
        let of_command = |name: &String| {
            let mut command = command.clone();
            let found = command.find_subcommand_mut(name).expect("it is listed");
            found
                .clone()
                .term_width(width)
                .render_long_help()
                .to_string()
        };
        std::iter::once(own)
            .chain(names.iter().map(of_command))
            .collect()
    }

    #[test]
    fn help_is_wrapped_once() {
        let length = |line: &str| line.chars().count();
        for width in [80, 100, 120] {
            for help in helps(width) {
                let lines: Vec<&str> = help.lines().collect();
                for pair in lines.windows(2) {
                    assert!(length(pair[0]) <= width, "{width}: {}", pair[0]);
                    let is_text = |line: &str| !line.is_empty() && !line.starts_with(' ');
                    if !is_text(pair[0]) || !is_text(pair[1]) {
                        continue;
                    }
                    // A line ends where the next word does not fit.
                    let next = pair[1].split(' ').next().unwrap_or_default();
                    let joined = length(pair[0]) + 1 + length(next);
                    assert!(joined > width, "{width}: {}\n{}", pair[0], pair[1]);
                }
            }
        }
    }
}
