//! The comparison with Pinocchio on the robots of `example-robot-data`, on those described in JSON
//! and on random trees.

use crate::{ci, estimator, formats, motion, paths, python};
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::path::{PathBuf, absolute};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Arguments {
    /// Random states of each robot.
    #[arg(long, default_value_t = 50)]
    states: usize,
    /// The seed of the states.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Compare robots only whose name contains one of these words; the report is printed, not
    /// written.
    #[arg(long, num_args = 1.., value_name = "ROBOT")]
    only: Vec<String>,
    /// Five states; the report is printed, not written.
    #[arg(long, conflicts_with = "states")]
    quick: bool,
    /// Compare with the program that the workspace's tests run, instead of an optimised one.
    #[arg(long, conflicts_with_all = ["estimator", "formats"])]
    as_tested: bool,
    /// Compare these groups of quantities only; the report is printed, not written.
    #[arg(long = "group", num_args = 1.., value_name = "GROUP")]
    groups: Vec<String>,
    /// Compare derivatives and regressors only, and joint forces and accelerations, which tell
    /// their scale.
    #[arg(long, conflicts_with = "groups")]
    derivatives: bool,
    /// Compare estimates with iDynTree's BERDY instead, and time both.
    #[arg(long, conflicts_with_all = ["only", "groups", "derivatives"])]
    estimator: bool,
    /// Compare robot files with the libraries that their formats come from instead, in 20 states;
    /// writes a page of the book.
    #[arg(long, conflicts_with_all = ["only", "groups", "derivatives", "estimator"])]
    formats: bool,
    /// Compare motions of MJCF files with MuJoCo's instead, attribute by attribute; writes a page
    /// of the book. A quick run compares the page, with the Python package that is installed.
    #[arg(long, conflicts_with_all = ["only", "groups", "derivatives", "estimator", "formats"])]
    motion: bool,
    /// Compare motions of the robots in packages instead; prints a table.
    #[arg(long, requires = "motion")]
    robots: bool,
}

impl Arguments {
    /// The groups asked for; none for all.
    fn groups(&self) -> Vec<&str> {
        if self.derivatives {
            // The first two tell how large the terms are that cancel in some derivatives.
            let scales = ["inverse_dynamics", "forward_dynamics"];
            [&scales[..], &["derivatives", "regressors"]].concat()
        } else {
            self.groups.iter().map(String::as_str).collect()
        }
    }

    /// Whether the comparison is whole, and goes to the report.
    fn is_whole(&self) -> bool {
        self.only.is_empty() && self.groups().is_empty() && !self.quick
    }
}

/// Random states of each file in the comparison of formats.
const FORMAT_STATES: usize = 20;
/// How many robots the printed table has.
const ROWS: &str = "20";

/// Pipes the reference's numbers into the comparison, and fails if it does.
pub fn run(arguments: &Arguments) -> Result<()> {
    let states = if arguments.quick { 5 } else { arguments.states };
    if arguments.estimator {
        return estimator::run(arguments.seed, states, arguments.quick);
    }
    if arguments.formats {
        let states = if arguments.quick { 5 } else { FORMAT_STATES };
        return formats::run(arguments.seed, states, arguments.quick);
    }
    if arguments.robots {
        return motion::robots(arguments.quick);
    }
    if arguments.motion {
        return motion::run(arguments.quick);
    }
    let interpreter = python::environment()?;
    let program = build(arguments.as_tested)?;
    let start = Instant::now();
    let mut reference = python::reference(&interpreter);
    reference
        .args(["stream", "--states", &states.to_string()])
        .args(["--seed", &arguments.seed.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if !arguments.only.is_empty() {
        reference.arg("--only").args(&arguments.only);
    }
    if !arguments.groups().is_empty() {
        reference.arg("--quantities").args(arguments.groups());
    }
    let mut reference = reference
        .spawn()
        .with_context(|| format!("cannot start {}", interpreter.display()))?;
    // The reference's libraries say a lot about files; it is of interest only if the reference
    // fails.
    let mut pipe = reference
        .stderr
        .take()
        .context("the reference has no standard error")?;
    let said = thread::spawn(move || {
        let mut said = Vec::new();
        let read = pipe.read_to_end(&mut said);
        read.map(|_| String::from_utf8_lossy(&said).into_owned())
    });
    let numbers = reference
        .stdout
        .take()
        .context("the reference has no standard output")?;

    let mut comparison = Command::new(&program);
    comparison.current_dir(paths::root()).args(["--rows", ROWS]);
    if arguments.is_whole() {
        let report = paths::root().join("conformance/REPORT.md");
        comparison.arg("--report").arg(report);
    }
    let agreed = comparison
        .stdin(numbers)
        .status()
        .context("cannot start the comparison")?;
    // The pipe is closed by now, so that the reference ends, too.
    let finished = reference.wait().context("cannot wait for the reference")?;
    let said = said
        .join()
        .map_err(|_| anyhow::anyhow!("cannot read what the reference says"))?;
    if !agreed.success() {
        if !finished.success() {
            eprintln!("{}", said?);
        }
        bail!("the comparison failed ({agreed}); the reference ended with {finished}");
    }
    if !finished.success() {
        bail!("the reference failed ({finished}):\n{}", said?);
    }
    println!("Compared in {:.1} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// The program that compares, compiled.
fn build(as_tested: bool) -> Result<PathBuf> {
    let (arguments, profile) = if as_tested {
        // A test of the program's package, and with it the program; all packages' features, so that
        // no crate is compiled that `cargo test --workspace` has compiled.
        let arguments = ["test", "--workspace", "--no-run", "--test", "golden"];
        (arguments, "debug")
    } else {
        let package = "featherline-conformance";
        (
            ["build", "--quiet", "--release", "--package", package],
            "release",
        )
    };
    let status = ci::cargo().args(arguments).status();
    if !status.context("cannot start cargo")?.success() {
        bail!("the comparison does not compile");
    }
    let program = format!("{profile}/featherline-conformance");
    // It is started in the repository, where a relative path may mean another.
    Ok(absolute(paths::target().join(program))?)
}
