//! Contact beside MuJoCo: writes the scenes, has both simulate them, and writes the report.

use crate::{ci, paths, python};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare these scenes only (`quadruped`, `pile_27`, ...), and print the report.
    #[arg(long, num_args = 1.., value_name = "SCENE")]
    only: Vec<String>,
    /// Where to write the report of all scenes.
    #[arg(long, default_value = "bench/CONTACT.md")]
    out: PathBuf,
}

/// Builds featherline's program, writes the scenes as MJCF, and compares.
pub fn run(arguments: &Arguments) -> Result<()> {
    let interpreter = python::formats_environment()?;
    let folder = paths::target().join("bench-contact");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = "contact_bench";
    let package = ["--package", "featherline-tools", "--bin", name];
    python::run(ci::cargo().args(["build", "--release"]).args(package))?;
    let program = paths::target().join("release").join(name);
    python::run(Command::new(&program).arg("write").arg(&folder))?;
    let mut compare = Command::new(interpreter);
    compare
        .arg(paths::root().join("bench/contact/compare.py"))
        .args([&program, &folder])
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if arguments.only.is_empty() {
        compare.arg("--out").arg(paths::root().join(&arguments.out));
    } else {
        compare.arg("--only").args(&arguments.only);
    }
    python::run(&mut compare)
}
