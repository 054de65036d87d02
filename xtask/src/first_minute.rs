//! The first build of a newcomer: the program with default features. Here a debug build, which
//! shares the crates of others with the tests.

use crate::ci::cargo;
use crate::paths;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{PathBuf, absolute};
use std::process::{Command, Output};

/// Arguments that need a feature, and which one.
const LEFT_OUT: [(&[&str], &str); 6] = [
    (&["system", "panda", "--known", "tau"], "system"),
    (&["compile", "panda", "--quantity", "tau"], "compile"),
    (&["run", "panda.rnea"], "compile"),
    (
        &[
            "simulate",
            "panda",
            "--seconds",
            "0.01",
            "--plot",
            "target/x.svg",
        ],
        "plots",
    ),
    (
        &[
            "simulate",
            "panda",
            "--seconds",
            "0.01",
            "--record",
            "target/x.parquet",
        ],
        "parquet",
    ),
    (
        &[
            "simulate",
            "panda",
            "--seconds",
            "0.01",
            "--record",
            "target/x.mcap",
        ],
        "mcap",
    ),
];

/// Builds the program, computes with it, and reads what it says of the commands that it leaves out.
pub fn check() -> Result<()> {
    let status = cargo().arg("build").status()?;
    ensure!(status.success(), "`cargo build` failed ({status})");
    // The tests build the program again, with all features.
    fs::copy(paths::target().join("debug/featherline"), program())?;
    for command in [
        &["eval", "panda"][..],
        &["info", "panda"],
        &["check", "panda"],
        &["view", "panda", "--html", "target/panda.html"],
    ] {
        let output = run(command)?;
        ensure!(
            output.status.success(),
            "`featherline {}` failed",
            command.join(" ")
        );
    }
    for (arguments, feature) in LEFT_OUT {
        let line = arguments.join(" ");
        let output = run(arguments)?;
        let error = String::from_utf8_lossy(&output.stderr);
        let remedy = format!("cargo install --path crates/featherline-cli --features {feature}");
        ensure!(
            output.status.code() == Some(2)
                && error.lines().count() == 1
                && error.contains(&remedy),
            "`featherline {line}` does not say in one line how to get it, but: {error}"
        );
    }
    Ok(())
}

/// The program with default features.
pub fn program() -> PathBuf {
    paths::target().join("featherline-default")
}

fn run(arguments: &[&str]) -> Result<Output> {
    let program = absolute(program())?;
    let mut command = Command::new(&program);
    command.args(arguments).current_dir(paths::root());
    command
        .output()
        .with_context(|| format!("cannot run {}", program.display()))
}
