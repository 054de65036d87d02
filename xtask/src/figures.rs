//! The figures and tables of the book that programs write.

use crate::{ci, paths};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Only those of the page about integrators.
    #[arg(long)]
    integrators: bool,
    /// Only that of a dense KKT system.
    #[arg(long, conflicts_with = "integrators")]
    dense: bool,
}

/// Runs the programs, and puts what they make into the book's folder.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = paths::root().join("book/src");
    if arguments.dense {
        return write_into(&folder, "featherline-bench", "dense_kkt");
    }
    if !arguments.integrators {
        write_into(&folder, "featherline-system", "elimination_figures")?;
        torque_estimate(&folder)?;
        programs(&folder)?;
        write_into(&folder, "featherline-bench", "dense_kkt")?;
    }
    write_into(&folder, "featherline", "choosing_an_integrator")?;
    println!("written to {}", folder.display());
    Ok(())
}

/// Runs an example that writes into the folder itself.
fn write_into(folder: &Path, package: &str, name: &str) -> Result<()> {
    let status = example(package, name)
        .arg("--")
        .arg(folder)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the figures of {name} were not written");
    }
    Ok(())
}

/// The table of compiled programs, counted and timed.
fn programs(folder: &Path) -> Result<()> {
    let status = example("featherline-bench", "compiled_programs")
        .args(["--", "--write"])
        .arg(folder.join("compiled_programs.md"))
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the table of compiled programs was not written");
    }
    Ok(())
}

fn torque_estimate(folder: &Path) -> Result<()> {
    let drawn = example("featherline-system", "torque_estimate")
        .output()
        .context("cannot start cargo")?;
    if !drawn.status.success() {
        bail!("{}", String::from_utf8_lossy(&drawn.stderr));
    }
    let picture = folder.join("torque_estimate.svg");
    std::fs::write(&picture, drawn.stdout)
        .with_context(|| format!("cannot write {}", picture.display()))
}

/// An example, optimised.
fn example(package: &str, name: &str) -> Command {
    let mut cargo = ci::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", package]);
    cargo.args(["--example", name]);
    cargo
}
