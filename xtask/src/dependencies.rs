//! Licences, sources and duplicates of dependencies, by cargo-deny.

use crate::{ci::cargo, paths, python};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::Command;

/// The digests of the files that decide the answer, as they were when it was last yes. To compile
/// cargo-deny takes a minute, and dependencies change rarely.
const CHECKED: &str = "xtask/dependencies.sha256";

/// Asks cargo-deny, unless it has said yes to the same files. Not for `advisories`: their database
/// is a git repository, and the checks need package registries only.
pub fn check() -> Result<()> {
    let sha256sum = || {
        let mut command = Command::new("sha256sum");
        command.current_dir(paths::root());
        command
    };
    let unchanged = sha256sum().args(["--check", "--status", CHECKED]).status();
    if unchanged.context("cannot start sha256sum")?.success() {
        println!("as they were when cargo-deny last passed them ({CHECKED})");
        return Ok(());
    }
    let version = cargo().args(["deny", "--version"]).output();
    if !version.is_ok_and(|version| version.status.success()) {
        bail!("cargo-deny is missing; `.ci/run` shows which version to install, and how");
    }
    python::run(cargo().args(["deny", "check", "licenses", "bans", "sources"]))?;
    let digests = python::output(sha256sum().args(["Cargo.lock", "deny.toml"]))?;
    fs::write(paths::root().join(CHECKED), digests + "\n")?;
    println!("{CHECKED} is new: commit it with Cargo.lock");
    Ok(())
}
