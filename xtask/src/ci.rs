//! The checks that a change must pass, one after the other; two of them side by side.

use crate::{first_minute, layers, paths, viewer, words};
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use std::io::{Read, pipe};
use std::process::{Command, Stdio};
use std::thread;
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
    /// All tests but those in documentation.
    Test,
    /// The examples in documentation.
    Doctest,
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
            // Not the examples, which clippy compiles as far as a mistake can be seen.
            Self::Test => &["test", "--workspace", "--tests"],
            Self::Doctest => &["test", "--workspace", "--doc"],
            Self::Python => &["xtask", "python"],
            Self::Conformance => &["xtask", "conformance", "--quick", "--as-tested"],
        }
    }

    /// Environment variables that the step sets.
    fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Doc => &[("RUSTDOCFLAGS", "-D warnings")],
            _ => &[],
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
            _ => {}
        }
        let line = self.command_line();
        println!("$ {line}");
        let status = self.command().status().context("cannot start cargo")?;
        if !status.success() {
            bail!("`{line}` failed ({status})");
        }
        Ok(())
    }

    fn command(self) -> Command {
        let mut command = cargo();
        command
            .args(self.arguments())
            .envs(self.environment().iter().copied());
        command
    }

    /// Whether the step runs beside the one that follows it. Examples in documentation are compiled
    /// a crate at a time, on one core, while the Python package waits for downloads and tests on
    /// one core, too.
    fn is_beside_next(self) -> bool {
        matches!(self, Self::Doctest)
    }

    /// Runs the step without a word; what it says comes with the outcome.
    fn run_silently(self) -> Result<String> {
        let line = self.command_line();
        let (mut reader, writer) = pipe()?;
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(writer.try_clone()?);
        let mut child = command
            .stderr(writer)
            .spawn()
            .context("cannot start cargo")?;
        // It holds ends of the pipe, which ends when the last of them is closed.
        drop(command);
        let mut said = Vec::new();
        reader.read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        let status = child.wait()?;
        if !status.success() {
            bail!("{said}`{line}` failed ({status})");
        }
        Ok(format!("$ {line}\n{said}"))
    }
}

/// Runs the steps; stops at the first that fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let asked = |step: &Step| arguments.only.is_empty() || arguments.only.contains(step);
    let steps: Vec<_> = Step::value_variants()
        .iter()
        .copied()
        .filter(asked)
        .collect();
    let start = Instant::now();
    let mut times = Vec::new();
    let mut beside = None;
    for (i, &step) in steps.iter().enumerate() {
        if step.is_beside_next() && i + 1 < steps.len() {
            beside = Some((step, thread::spawn(move || timed(|| step.run_silently()))));
            continue;
        }
        println!("\n=== {}", name(step));
        let (outcome, time) = timed(|| step.run());
        let mut done = vec![(step, outcome, time)];
        if let Some((step, thread)) = beside.take() {
            println!("\n=== {}", name(step));
            let (outcome, time) = thread.join().map_err(|_| anyhow!("a thread panicked"))?;
            done.push((step, outcome.map(|said| print!("{said}")), time));
        }
        for (step, outcome, time) in done {
            let name = name(step);
            if let Err(error) = outcome {
                print_times(&times, start);
                let seconds = time.as_secs_f64();
                bail!(
                    "{error:#}\n{name} failed after {seconds:.1} s; repeat it with: cargo xtask ci --only {name}"
                );
            }
            times.push((name, time));
        }
    }
    print_times(&times, start);
    Ok(())
}

/// What a call returns, and how long it takes.
fn timed<T>(call: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (call(), start.elapsed())
}

fn name(step: Step) -> String {
    let value = step.to_possible_value();
    // No variant is skipped, so each has a name.
    value.map_or_else(String::new, |v| v.get_name().to_owned())
}

fn print_times(times: &[(String, Duration)], start: Instant) {
    if times.is_empty() {
        return;
    }
    println!();
    for (name, time) in times {
        println!("{name:<12} passed {:>7.1} s", time.as_secs_f64());
    }
    println!(
        "{:<12}        {:>7.1} s",
        "all",
        start.elapsed().as_secs_f64()
    );
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
