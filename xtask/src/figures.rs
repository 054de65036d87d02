//! The figures and tables of the book that programs write.

use crate::{ci, paths};
use anyhow::{Context, Result, bail};

/// Runs the programs, which write into the book's folder.
pub fn run() -> Result<()> {
    let folder = paths::root().join("book/src");
    let status = ci::cargo()
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "featherline-system",
        ])
        .args(["--example", "elimination_figures", "--"])
        .arg(&folder)
        .status()
        .context("cannot start cargo")?;
    if !status.success() {
        bail!("the figures were not written");
    }
    println!("written to {}", folder.display());
    Ok(())
}
