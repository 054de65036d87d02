//! The checks that a change must pass, one after the other.

use crate::{first_minute, layers, paths, viewer, words};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Arguments {
    /// Run these steps only.
    #[arg(long, value_enum, num_args = 1.., value_name = "STEP")]
    only: Vec<Step>,
}

/// In the order in which they run: what fails fast comes first.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// Formatting.
    Fmt,
    /// Modules and crates use what is below them: xtask/layers.toml.
    Layers,
    /// Phrases that are never right, and comments that are too wide: xtask/words.txt.
    Words,
    /// The viewer's page is made of the sources that are there.
    Page,
    /// Lints of all crates and targets.
    Clippy,
    /// Documentation, with working links.
    Doc,
    /// Licences, sources and duplicates of dependencies.
    Deny,
    /// The program with default features, and what it says of what it leaves out.
    FirstMinute,
    /// All tests.
    Test,
    /// The Python package: built, installed and tested.
    Python,
    /// A few states of every robot against Pinocchio.
    Conformance,
}

impl Step {
    /// What cargo is called with, where the step is not in this program.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Layers | Self::Words | Self::Page | Self::FirstMinute => &[],
            Self::Fmt => &["fmt", "--all", "--check"],
            Self::Clippy => &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--all-features",
                "--",
                "-D",
                "warnings",
            ],
            Self::Doc => &["doc", "--workspace", "--all-features", "--no-deps"],
            // Not `advisories`: their database is a git repository, and the checks need package
            // registries only.
            Self::Deny => &["deny", "check", "licenses", "bans", "sources"],
            Self::Test => &["test", "--workspace"],
            Self::Python => &["xtask", "python"],
            Self::Conformance => &["xtask", "conformance", "--quick", "--as-tested"],
        }
    }

    /// Environment variables that the step sets.
    fn environment(self) -> &'static [(&'static str, &'static str)] {
        if self == Self::Doc {
            &[("RUSTDOCFLAGS", "-D warnings")]
        } else {
            &[]
        }
    }

    /// What to type to do the same by hand.
    fn command_line(self) -> String {
        let variables = self.environment().iter();
        let mut line: String = variables
            .map(|(name, value)| format!("{name}=\"{value}\" "))
            .collect();
        line.push_str("cargo ");
        line.push_str(&self.arguments().join(" "));
        line
    }

    fn run(self) -> Result<()> {
        match self {
            Self::Layers => return layers::check(paths::root()),
            Self::Words => return words::check(paths::root()),
            Self::Page => return viewer::check_page(),
            Self::FirstMinute => return first_minute::check(),
            Self::Deny => require_cargo_deny()?,
            Self::Fmt
            | Self::Clippy
            | Self::Doc
            | Self::Test
            | Self::Python
            | Self::Conformance => {}
        }
        let line = self.command_line();
        println!("$ {line}");
        let status = cargo()
            .args(self.arguments())
            .envs(self.environment().iter().copied())
            .status()
            .context("cannot start cargo")?;
        if !status.success() {
            bail!("`{line}` failed ({status})");
        }
        Ok(())
    }
}

/// Runs the steps; stops at the first that fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let asked = |step: &Step| arguments.only.is_empty() || arguments.only.contains(step);
    let mut times = Vec::new();
    for step in Step::value_variants().iter().filter(|s| asked(s)) {
        let name = name(*step);
        let start = Instant::now();
        println!("\n=== {name}");
        if let Err(error) = step.run() {
            print_times(&times);
            let seconds = start.elapsed().as_secs_f64();
            bail!(
                "{error:#}\n{name} failed after {seconds:.1} s; repeat it with: cargo xtask ci --only {name}"
            );
        }
        times.push((name, start.elapsed()));
    }
    print_times(&times);
    Ok(())
}

fn name(step: Step) -> String {
    let value = step.to_possible_value();
    // No variant is skipped, so each has a name.
    value.map_or_else(String::new, |v| v.get_name().to_owned())
}

fn print_times(times: &[(String, Duration)]) {
    if times.is_empty() {
        return;
    }
    println!();
    for (name, time) in times {
        println!("{name:<12} passed {:>7.1} s", time.as_secs_f64());
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    println!("{:<12}        {:>7.1} s", "", total.as_secs_f64());
}

/// The cargo that runs this program, in the repository.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(paths::root());
    command
}

fn require_cargo_deny() -> Result<()> {
    let version = cargo().args(["deny", "--version"]).output();
    if version.is_ok_and(|v| v.status.success()) {
        return Ok(());
    }
    bail!("cargo-deny is missing; `.ci/run` shows which version to install, and how");
}
