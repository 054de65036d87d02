//! Contact beside MuJoCo: writes the scenes, has both simulate them, and writes the report.

use crate::{ci, formats, package, paths, python};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare these scenes only (`quadruped_trots`, `dm_dog`, `pile_27`, ...; `motion` and `rest`
    /// are all of a kind), and print the report.
    #[arg(long, num_args = 1.., value_name = "SCENE")]
    only: Vec<String>,
    /// The most wall time in s for an engine in a scene in motion; it is stopped then.
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    budget: f64,
    /// Where to write the report of all scenes.
    #[arg(long, default_value = "bench/CONTACT.md")]
    out: PathBuf,
}

/// Builds featherline's program and Python package, writes the scenes at rest as MJCF, and
/// compares.
pub fn run(arguments: &Arguments) -> Result<()> {
    let interpreter = python::package_environment(false)?;
    python::install_wheel(&interpreter, &package::build(package::Build::Fast)?)?;
    let models = formats::dm_control()?.join("suite");
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
        .args([&program, &folder, &models])
        .args(["--budget", &arguments.budget.to_string()])
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if arguments.only.is_empty() {
        compare.arg("--out").arg(paths::root().join(&arguments.out));
    } else {
        compare.arg("--only").args(&arguments.only);
    }
    python::run(&mut compare)
}
