//! The command `featherline`.

use pyo3::prelude::*;

/// Runs a command with the given arguments, the program's name first; returns the exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<String>) -> PyResult<u8> {
    // Ctrl-C ends the program, as it ends every program: nothing of Python runs in a command.
    let signal = py.import("signal")?;
    signal.call_method1(
        "signal",
        (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?),
    )?;
    Ok(py.detach(|| featherline_cli::main(arguments)))
}
