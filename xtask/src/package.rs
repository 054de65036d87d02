//! The Python package: built, installed in an environment of its own, and tested.

use crate::{paths, python};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Build it as it is released: slow to compile, fast to run.
    #[arg(long)]
    release: bool,
    /// Time calls beside Pinocchio's, too.
    #[arg(long)]
    times: bool,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let interpreter = python::package_environment()?;
    let folder = paths::root().join("python");
    build(&interpreter, &folder, arguments.release)?;
    let tool = |module: &str| {
        let mut command = Command::new(&interpreter);
        command
            .current_dir(&folder)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // -P: what is installed, not the folder that it was built from.
            .args(["-P", "-m", module]);
        command
    };
    python::run(tool("pytest").args(["-q", "-p", "no:cacheprovider"]))?;
    python::run(tool("mypy").args([
        "--strict",
        "--no-incremental",
        "featherline",
        "examples",
        "times.py",
    ]))?;
    python::run(tool("mypy.stubtest").args([
        "--allowlist",
        "stubtest.txt",
        "featherline._native",
    ]))?;
    if arguments.times {
        python::run(Command::new(&interpreter).arg(folder.join("times.py")))?;
    }
    Ok(())
}

/// Compiles the package to a wheel, and installs that in the environment.
fn build(interpreter: &Path, folder: &Path, release: bool) -> Result<()> {
    let wheels = paths::target().join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)?;
    }
    let mut maturin = Command::new(interpreter);
    maturin
        .args(["-m", "maturin", "build", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--out")
        .arg(&wheels)
        .arg("--interpreter")
        .arg(interpreter);
    if release {
        maturin.arg("--release");
    }
    python::run(&mut maturin)?;
    let wheel = fs::read_dir(&wheels)?
        .next()
        .context("maturin left no wheel")??
        .path();
    let size = fs::metadata(&wheel)?.len() as f64 / 1e6;
    println!("{}: {size:.1} MB", wheel.display());
    python::install_wheel(interpreter, &wheel)
}
