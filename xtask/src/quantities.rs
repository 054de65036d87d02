//! The page of the book that lists quantities.

use anyhow::{Context, Result, ensure};
use std::process::Command;

/// Writes it: the test that compares it with the catalogue does so when it is asked to.
pub fn run() -> Result<()> {
    let status = Command::new("cargo")
        .args(["test", "--package", "featherline", "--test", "suite"])
        .arg("the_page_of_quantities")
        .env("FEATHERLINE_WRITE_PAGES", "1")
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the page can't be written");
    Ok(())
}
