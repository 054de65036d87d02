//! The comparison of motions of MJCF files with those of MuJoCo; it writes the page of the book
//! that says which attributes act.

use crate::package::{self, Build};
use crate::{formats, paths, python};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

const PAGE: &str = "book/src/mjcf_motion.md";

/// Writes the page; a quick run compares it instead, with the Python package that is installed.
pub fn run(is_quick: bool) -> Result<()> {
    let mut script = script(is_quick, "table.py")?;
    script.arg(if is_quick { "--check" } else { "--page" });
    python::run(script.arg(paths::root().join(PAGE)))
}

/// Prints how far robots of packages are from those of MuJoCo.
pub fn robots(is_quick: bool) -> Result<()> {
    let mut script = script(is_quick, "robots.py")?;
    let interpreter = python::package_environment(false)?;
    script.args(formats::robot_packages(&interpreter)?);
    python::run(&mut script)
}

/// A call of a script in an environment with MuJoCo and our Python package.
fn script(is_quick: bool, name: &str) -> Result<Command> {
    let interpreter = python::package_environment(false)?;
    if !is_quick {
        let wheel = package::build(Build::Tested)?;
        python::install_wheel(&interpreter, &wheel)?;
    }
    let script: PathBuf = paths::root().join("conformance/motion").join(name);
    let mut command = Command::new(interpreter);
    // Where libraries leave their logs.
    command.current_dir(paths::target()).arg(script);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}
