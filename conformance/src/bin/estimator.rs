//! Compares estimates with BERDY's, and times both in turns.

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use featherline_conformance::estimator::description::State;
use featherline_conformance::estimator::estimates::{by_dense_qr, ours, theirs};
use featherline_conformance::estimator::posed::Posed;
use featherline_conformance::estimator::report::{Outcome, markdown};
use featherline_conformance::record::Records;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Instant;

#[derive(Parser)]
#[command(about = "Compares featherline's estimates with those of iDynTree's BERDY")]
struct Arguments {
    /// The Python interpreter that has iDynTree.
    #[arg(long, value_name = "FILE")]
    python: PathBuf,
    /// The reference's program.
    #[arg(long, value_name = "FILE")]
    reference: PathBuf,
    /// Random states of each problem.
    #[arg(long, default_value_t = 20)]
    states: usize,
    /// The seed of problems and states.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How often each side estimates all states for its times.
    #[arg(long, default_value_t = 30)]
    rounds: usize,
    /// Write the report to this file.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// How many states of a problem are also solved by dense QR, which is slow.
const DENSE_QR_STATES: usize = 2;

/// The reference's first line.
#[derive(Deserialize)]
struct Preamble {
    versions: BTreeMap<String, String>,
    problems: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: the estimates differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool> {
    let mut reference = Command::new(&arguments.python)
        .arg(&arguments.reference)
        .args(["--states", &arguments.states.to_string()])
        .args(["--seed", &arguments.seed.to_string()])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", arguments.python.display()))?;
    let stdout = reference.stdout.take().context("no standard output")?;
    let mut stdin = reference.stdin.take().context("no standard input")?;
    let mut records = Records::new(BufReader::new(stdout));
    let compared = compare_and_time(arguments, &mut records, &mut stdin);
    // Without input the reference ends.
    drop(stdin);
    let ended = reference.wait().context("cannot wait for the reference")?;
    let (outcomes, versions) = compared?;
    ensure!(ended.success(), "the reference failed ({ended})");

    let report = markdown(&outcomes, &versions, arguments.seed);
    println!("{report}");
    if let Some(path) = &arguments.report {
        std::fs::write(path, report).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(outcomes.iter().all(Outcome::passes))
}

fn compare_and_time(
    arguments: &Arguments,
    records: &mut Records<BufReader<ChildStdout>>,
    stdin: &mut ChildStdin,
) -> Result<(Vec<Outcome>, String)> {
    let preamble = records.read()?;
    if preamble.kind != "estimator" {
        bail!("the reference begins with a record `{}`", preamble.kind);
    }
    let preamble: Preamble = serde_json::from_value(preamble.header)?;
    let mut problems = Vec::new();
    for _ in 0..preamble.problems {
        let mut posed = Posed::new(&records.read()?)?;
        let mut outcome = Outcome {
            name: posed.description.name.clone(),
            prior: posed.description.prior,
            unknowns: [posed.description.unknowns, posed.unknowns()],
            readings: posed.description.measurements,
            states: 0,
            errors: BTreeMap::new(),
            from_dense_qr: [0.0; 2],
            times: [const { Vec::new() }; 3],
        };
        let mut states = Vec::new();
        for _ in 0..posed.description.states {
            let state = State::new(records.read()?, &posed.description)?;
            let found = ours(&mut posed, &state)?;
            let expected = theirs(&state, &found)?;
            outcome.add(&found, &expected);
            if states.len() < DENSE_QR_STATES {
                outcome.add_dense_qr(&by_dense_qr(&mut posed)?, &found, &expected);
            }
            states.push(state);
        }
        problems.push((posed, states, outcome));
    }
    for (number, (posed, states, outcome)) in problems.iter_mut().enumerate() {
        for _ in 0..arguments.rounds {
            writeln!(stdin, "time {number}")?;
            stdin.flush()?;
            for time in records.line()?.split_whitespace() {
                outcome.times[0].push(time.parse()?);
            }
            for state in &*states {
                let start = Instant::now();
                black_box(posed.update(black_box(state))?.mean());
                outcome.times[1].push(start.elapsed().as_nanos() as u64);
            }
            for state in &*states {
                let start = Instant::now();
                black_box(posed.update_exactly(black_box(state))?.mean());
                outcome.times[2].push(start.elapsed().as_nanos() as u64);
            }
        }
    }
    let versions = preamble.versions.iter();
    let versions: Vec<String> = versions.map(|(name, v)| format!("{name} {v}")).collect();
    let outcomes = problems.into_iter().map(|(_, _, outcome)| outcome);
    Ok((outcomes.collect(), versions.join(", ")))
}
