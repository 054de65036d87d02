//! The command line of featherline: describes, checks, evaluates, simulates and compiles robots. It holds no mathematics.

mod arguments;
mod check;
mod compile;
mod coordinates;
mod eval;
mod failure;
mod file;
mod info;
mod memory;
mod number;
mod numbers;
mod robot;
mod run;
mod simulate;
mod suggestion;
mod system;
mod tree;
mod warning;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.command {
        Command::Info(options) => info::run(options),
        Command::Check(options) => check::run(options),
        Command::Eval(options) => eval::run(options),
        Command::System(options) => system::run(options),
        Command::Compile(options) => compile::run(options),
        Command::Run(options) => run::run(options),
        Command::Simulate(options) => simulate::run(options),
    };
    match done {
        Ok(code) => code,
        // Whoever read the output has seen enough.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            warning::error(&failure.to_string());
            ExitCode::from(Failure::EXIT_CODE)
        }
    }
}
