//! The page of the viewer: its wasm, the page itself, its tests in Chromium; and the npm package.

use crate::{budget, paths, python};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Build the page, and leave out the tests.
    #[arg(long)]
    build_only: bool,
    /// Write the pictures that tests compare with, instead of comparing.
    #[arg(long)]
    update: bool,
}

/// Needed: Node, Chromium, wasm-bindgen's program of the version in `Cargo.lock`, and the target
/// `wasm32-unknown-unknown` of the Rust toolchain.
pub fn run(arguments: &Arguments) -> Result<()> {
    for script in ["wasm", "check", "build"] {
        python::run(&mut npm(script)?)?;
    }
    if arguments.build_only {
        return Ok(());
    }
    let mut test = npm("test")?;
    if arguments.update {
        test.env("UPDATE", "1");
    }
    python::run(&mut test)?;
    for script in ["package", "test-package"] {
        python::run(&mut npm(script)?)?;
    }
    budget::check_release(budget::NPM, npm_bytes()?)
}

/// A script of the page's `package.json`, with what it needs installed.
pub fn npm(script: &str) -> Result<Command> {
    let folder = paths::root().join("viewer");
    let npm = |words: &[&str]| {
        let mut command = Command::new("npm");
        command.current_dir(&folder).args(words);
        command
    };
    if !folder.join("node_modules").exists() {
        python::run(&mut npm(&["ci"]))?;
    }
    Ok(npm(&["run", script]))
}

/// The files that Node or a browser loads, in bytes after gzip.
pub fn npm_bytes() -> Result<BTreeMap<String, u64>> {
    let mut figures = BTreeMap::new();
    for part in ["core", "simulation"] {
        let wasm = format!("viewer/npm/pkg/{part}/glue_bg.wasm");
        let mut gzip = Command::new("gzip");
        gzip.args(["-9", "-c", &wasm]).current_dir(paths::root());
        let zipped = gzip.output().context("cannot start gzip")?;
        ensure!(zipped.status.success(), "{wasm} was not built");
        figures.insert(format!("{part}-gzip-bytes"), zipped.stdout.len() as u64);
    }
    Ok(figures)
}

/// Whether the page is made of the sources of `viewer/` as they are. The algorithms below it are
/// not among these: each release builds the page.
pub fn check_page() -> Result<()> {
    let list = "crates/featherline-viewer/dist/SOURCES";
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--quiet", list]);
    let status = check.current_dir(paths::root()).status();
    ensure!(
        status.context("cannot start sha256sum")?.success(),
        "the page is older than its sources; build it: cargo xtask viewer --build-only"
    );
    Ok(())
}
