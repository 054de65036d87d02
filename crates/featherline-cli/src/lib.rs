//! The command line of featherline as a library: it describes, checks, evaluates, simulates and
//! compiles robots. It holds no mathematics.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-cli = "0.2"
//! featherline-cli = { path = "../featherline/crates/featherline-cli" }
//! ```
//!
//! [`main`] runs one command. The program `featherline` is this function, and so is the command of
//! the Python package.
//!
//! ```
//! // Prints that panda is sound.
//! assert_eq!(featherline_cli::main(["featherline", "check", "panda"]), 0);
//! // Prints why there is no robot of this name.
//! assert_eq!(featherline_cli::main(["featherline", "info", "pandora"]), 2);
//! ```
//!
//! Features: `parquet` and `mcap` (recordings), `plots` (charts), `system`, `compile` (the commands
//! `compile` and `run`), `view` (on by default), `xacro`, and `full`, which is all of them. Without
//! features there are `info`, `check`, `convert`, `eval` and `simulate`. What is left out prints in
//! one line how to get it.

// Layers, bottom to top; a module uses only those before it: status, choice, message, failure,
// file, format, numbers, memory, names, table, operations, snippet, robot, states, live, info,
// check, convert, eval, simulate, system, compile, run, view, left_out, arguments.
mod arguments;
mod check;
mod choice;
#[cfg(feature = "compile")]
mod compile;
mod convert;
mod eval;
mod failure;
mod file;
mod format;
mod info;
#[cfg(any(
    test,
    not(all(feature = "system", feature = "compile", feature = "view"))
))]
mod left_out;
mod list;
#[cfg(feature = "view")]
mod live;
mod memory;
mod message;
pub mod names;
#[cfg(any(feature = "system", feature = "compile"))]
mod numbers;
mod operations;
mod robot;
#[cfg(feature = "compile")]
mod run;
mod simulate;
mod snippet;
mod states;
mod status;
#[cfg(feature = "system")]
mod system;
mod table;
#[cfg(feature = "view")]
mod view;

use arguments::{Arguments, Command};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use failure::Failure;
use std::ffi::OsString;

/// Runs a command with the given arguments, of which the first is the program's name; output goes
/// to standard output, and warnings and errors go to standard error.
///
/// Returns the exit code: 0 for done, 1 if `check` or `system` found something, 2 if the command
/// was not done.
pub fn main<I, T>(arguments: I) -> u8
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let given: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let arguments = match Arguments::try_parse_from(&given) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = value_after_equals(error, &given);
            // Nothing can be done where the message can't be written.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(Failure::EXIT_CODE);
        }
    };
    message::set_quiet(arguments.quiet);
    let done = match &arguments.command {
        Command::Info(options) => info::run(options),
        Command::Check(options) => check::run(options),
        Command::Convert(options) => convert::run(options),
        Command::Eval(options) => eval::run(options),
        Command::Simulate(options) => simulate::run(options),
        #[cfg(feature = "system")]
        Command::System(options) => system::run(options),
        #[cfg(feature = "compile")]
        Command::Compile(options) => compile::run(options),
        #[cfg(feature = "compile")]
        Command::Run(options) => run::run(options),
        #[cfg(feature = "view")]
        Command::View(options) => view::run(options),
        #[cfg(not(feature = "system"))]
        Command::System(_) => left_out::refuse("system", "system"),
        #[cfg(not(feature = "compile"))]
        Command::Compile(_) => left_out::refuse("compile", "compile"),
        #[cfg(not(feature = "compile"))]
        Command::Run(_) => left_out::refuse("run", "compile"),
        #[cfg(not(feature = "view"))]
        Command::View(_) => left_out::refuse("view", "view"),
    };
    match done {
        Ok(status) => status.code(),
        // The reader of the output has gone, as `head` does.
        Err(failure) if failure.is_broken_pipe() => 0,
        Err(Failure::Load(error)) => {
            snippet::error(&error);
            Failure::EXIT_CODE
        }
        Err(failure) => {
            message::error(&failure.to_string());
            Failure::EXIT_CODE
        }
    }
}

/// The error of a value that nothing takes, with how the option before it takes its value: some
/// take it only after `=`, because they may also stand alone.
fn value_after_equals(mut error: clap::Error, given: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let value = value.clone();
    // Only names of robots and files stand alone, and none begins with a hyphen.
    if error.kind() == ErrorKind::UnknownArgument {
        error.remove(ContextKind::Suggested);
    }
    let pairs = given.windows(2).filter(|pair| pair[1] == *value);
    let options = pairs.filter_map(|pair| pair[0].to_str()?.strip_prefix("--"));
    let command = Arguments::command();
    let needs_equals = |option: &&str| {
        let arguments = command.get_subcommands().flat_map(|it| it.get_arguments());
        let mut own = arguments.filter(|it| it.get_long() == Some(*option));
        own.any(|it| it.is_require_equals_set())
    };
    let mut options = options.filter(needs_equals);
    if let Some(option) = options.next() {
        let tip = format!("the value of --{option} follows `=`: write `--{option}={value}`");
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}
