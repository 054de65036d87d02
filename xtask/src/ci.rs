//! The checks that a change must pass, one after the other.

use crate::{budget, dependencies, first_minute, layers, metadata, paths, viewer, words};
use anyhow::{Context, Result, bail, ensure};
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
    /// The tests of all crates, but for those of the next step.
    Test,
    /// Batches, and kernels with every instruction set, of which the other tests have one.
    InstructionSets,
    /// The examples that users read, as the tests left them built.
    Examples,
    /// The Python package: built, installed and tested.
    Python,
    /// A few states of every robot against Pinocchio.
    Conformance,
    /// Which attributes of MJCF act, as the page says, beside MuJoCo.
    Motion,
    /// Sizes and counts, beside xtask/budget.toml; after the steps that build what is measured.
    Budget,
}

impl Step {
    /// The arguments of cargo, where the step is not in this program.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Layers
            | Self::Words
            | Self::Page
            | Self::Deny
            | Self::FirstMinute
            | Self::Examples
            | Self::Budget => &[],
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
            Self::Test => &["test", "--workspace"],
            Self::InstructionSets => &[
                "test",
                "--package",
                "featherline-instruction-sets",
                "--all-features",
                "--target-dir",
                "target/instruction-sets",
            ],
            Self::Python => &["xtask", "python"],
            Self::Conformance => &["xtask", "conformance", "--quick", "--as-tested"],
            Self::Motion => &["xtask", "conformance", "--motion", "--quick"],
        }
    }

    /// Environment variables that the step sets.
    fn environment(self) -> &'static [(&'static str, &'static str)] {
        if self == Self::Doc {
            &[("RUSTDOCFLAGS", "-D warnings")]
        } else if self == Self::InstructionSets {
            &[("FEATHERLINE_DEBUG_SET", "all")]
        } else {
            &[]
        }
    }

    /// The command line that does the same by hand.
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
            Self::Examples => return examples(),
            Self::Budget => return budget::check(),
            Self::Deny => return dependencies::check(),
            Self::Fmt
            | Self::Clippy
            | Self::Doc
            | Self::Test
            | Self::Python
            | Self::InstructionSets
            | Self::Conformance
            | Self::Motion => {}
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

/// Runs every example to its end. The folder is for those that write files.
fn examples() -> Result<()> {
    let folder = paths::target().join("examples-output");
    std::fs::create_dir_all(&folder)?;
    for example in metadata::examples()? {
        println!("$ {example}");
        let program = paths::target().join("debug/examples").join(&example);
        let output = Command::new(&program).arg(&folder).output();
        let output = output.with_context(|| format!("cannot run {}", program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "the example {example} failed:\n{said}"
        );
    }
    Ok(())
}

/// The tests with all cases of those that have many, and with kernels for all instruction sets.
pub fn soak() -> Result<()> {
    let arguments = Step::Test.arguments();
    let mut tests = cargo();
    tests.args(arguments).env("FEATHERLINE_SOAK", "1");
    tests.env("FEATHERLINE_DEBUG_SET", "all");
    let status = tests.status().context("cannot start cargo")?;
    ensure!(
        status.success(),
        "`cargo {}` failed ({status})",
        arguments.join(" ")
    );
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
    println!("\n{}", processor());
    for (name, time) in times {
        println!("{name:<16} passed {:>7.1} s", time.as_secs_f64());
    }
    let total: Duration = times.iter().map(|(_, time)| *time).sum();
    println!("{:<16}        {:>7.1} s", "", total.as_secs_f64());
}

/// The processor, for the table of times in CONTRIBUTING.md.
fn processor() -> String {
    let about = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = about.lines().find(|line| line.starts_with(key));
        line.and_then(|line| Some(line.split_once(": ")?.1))
            .unwrap_or("unknown")
    };
    let cores = about
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    format!(
        "{} (family {}, model {}), {cores} cores",
        value("model name"),
        value("cpu family"),
        value("model\t"),
    )
}

/// The cargo that runs this program, in the repository.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(paths::root());
    command
}
