//! Random input to the readers, guided by coverage: libFuzzer, by `cargo-fuzz` on the nightly
//! toolchain.

use crate::paths;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;

/// One target for each format.
const TARGETS: [&str; 14] = [
    "urdf",
    "mjcf",
    "srdf",
    "model_file",
    "stl",
    "obj",
    "collada",
    "gltf",
    "msh",
    "xacro",
    "scene",
    "recording",
    "program",
    "request",
];
/// The most memory of a run, in MB, and the longest time of one input, in seconds.
const LIMITS: (usize, usize) = (512, 1);
/// The same of xacro, whose files may take all that is accepted.
const LIMITS_OF_XACRO: (usize, usize) = (2048, 10);
const TOOL: &str = "rustup toolchain install nightly; cargo install cargo-fuzz@0.13.2 --locked";

#[derive(clap::Args)]
pub struct Arguments {
    /// Minutes for each format.
    #[arg(long, default_value_t = 10)]
    minutes: usize,
    /// These formats only.
    #[arg(long = "format", num_args = 1.., value_name = "FORMAT", value_parser = TARGETS)]
    formats: Vec<String>,
}

/// Fails if an input makes a reader crash, take longer than a second, or take too much memory. The
/// input is kept below `fuzz/artifacts`.
pub fn run(arguments: &Arguments) -> Result<()> {
    let version = nightly().args(["fuzz", "--version"]).output();
    let is_there = version.is_ok_and(|it| it.status.success());
    ensure!(is_there, "cargo-fuzz is missing: {TOOL}");
    let is_asked =
        |it: &&str| arguments.formats.is_empty() || arguments.formats.iter().any(|f| f == it);
    let mut failed = Vec::new();
    for target in TARGETS.into_iter().filter(is_asked) {
        println!("{target}: {} minutes", arguments.minutes);
        if !fuzz(target, arguments.minutes)? {
            failed.push(target);
        }
    }
    if !failed.is_empty() {
        bail!(
            "inputs were found for {}; they are in fuzz/artifacts",
            failed.join(", ")
        );
    }
    Ok(())
}

/// Whether no input was found that fails.
fn fuzz(target: &str, minutes: usize) -> Result<bool> {
    let fuzz = paths::root().join("fuzz");
    let corpus = fuzz.join("corpus").join(target);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    let mut run = nightly();
    // Memory that is freed must not count: the sanitizer keeps 256 MB of it otherwise.
    run.env("ASAN_OPTIONS", "quarantine_size_mb=8")
        .args(["fuzz", "run", target])
        .arg(corpus);
    run.args(seeds(target));
    let (memory, time) = if target == "xacro" {
        LIMITS_OF_XACRO
    } else {
        LIMITS
    };
    run.arg("--")
        .arg(format!("-max_total_time={}", 60 * minutes))
        .arg(format!("-rss_limit_mb={memory}"))
        .arg(format!("-timeout={time}"))
        .arg("-print_final_stats=1");
    let words = fuzz.join("words").join(target).with_extension("txt");
    if words.exists() {
        run.arg(format!("-dict={}", words.display()));
    }
    Ok(run.status().context("cannot start cargo-fuzz")?.success())
}

/// Folders of files to start from.
fn seeds(target: &str) -> Vec<std::path::PathBuf> {
    let root = paths::root();
    let folders = match target {
        "urdf" => vec![root.join("robots"), root.join("fuzz/seeds/urdf")],
        other => vec![root.join("fuzz/seeds").join(other)],
    };
    folders
        .into_iter()
        .filter(|it: &std::path::PathBuf| Path::is_dir(it))
        .collect()
}

pub fn nightly() -> Command {
    let mut cargo = Command::new("rustup");
    cargo
        .args(["run", "nightly", "cargo"])
        .current_dir(paths::root());
    cargo
}
