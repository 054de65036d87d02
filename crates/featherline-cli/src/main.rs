//! The program `featherline`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(featherline_cli::main(std::env::args_os()))
}
