//! Commands that are not part of this build.

use crate::failure::Failure;
use crate::status::Status;
use clap::Args;
use std::ffi::OsString;

/// The arguments of a command that is left out: all are accepted, for the answer is the same.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct LeftOut {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

/// Fails with how to get the command.
pub fn refuse(command: &str, feature: &'static str) -> Result<Status, Failure> {
    let what = format!("`featherline {command}`");
    Err(Failure::not_built(what, feature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Parser, Subcommand};

    #[derive(Parser)]
    struct Program {
        #[command(subcommand)]
        command: Command,
    }

    #[derive(Subcommand)]
    enum Command {
        System(LeftOut),
    }

    #[test]
    fn a_command_that_is_left_out_takes_any_arguments() {
        for arguments in [
            &["p", "system"][..],
            &["p", "system", "panda", "--known", "tau", "-x"],
            &["p", "system", "--help"],
        ] {
            let Command::System(left_out) = Program::try_parse_from(arguments).unwrap().command;
            assert_eq!(left_out.rest.len(), arguments.len() - 2);
        }
    }

    #[test]
    fn how_to_get_it_is_one_line() {
        let failure = refuse("run", "compile").unwrap_err().to_string();
        assert_eq!(
            failure,
            "`featherline run` is not part of this build; `cargo install --path crates/featherline-cli \
             --features compile` adds it, and `--features full` adds everything"
        );
    }
}
