//! The figures and tables of the book that programs write.

use crate::{ci, paths};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// Runs the programs, and puts what they make into the book's folder.
pub fn run() -> Result<()> {
    let folder = paths::root().join("book/src");
    let status = example("elimination_figures")
        .arg("--")
        .arg(&folder)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the figures were not written");
    }
    let drawn = example("torque_estimate")
        .output()
        .context("cannot start cargo")?;
    if !drawn.status.success() {
        bail!("{}", String::from_utf8_lossy(&drawn.stderr));
    }
    let picture = folder.join("torque_estimate.svg");
    std::fs::write(&picture, drawn.stdout)
        .with_context(|| format!("cannot write {}", picture.display()))?;
    println!("written to {}", folder.display());
    Ok(())
}

/// An example of the sparse system, optimised.
fn example(name: &str) -> Command {
    let mut cargo = ci::cargo();
    cargo.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "featherline-system",
    ]);
    cargo.args(["--example", name]);
    cargo
}
