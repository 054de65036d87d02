//! Compares featherline with other libraries: draws states, makes sure that all give the same answers, times them in
//! turns on one core, and writes the report.

use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use featherline::Model;
use featherline_bench::footprint::Footprint;
use featherline_bench::machine::{self, Caches};
use featherline_bench::scaling::Scaling;
use featherline_bench::threads::Threads;
use featherline_bench::{affinity, peak, states};
use featherline_bench_protocol::states as states_file;
use featherline_comparison::calls::{COUNTS, Count};
use featherline_comparison::contender::Contender;
use featherline_comparison::contest::{Contest, Effort, Files, Peer};
use featherline_comparison::figure;
use featherline_comparison::report::{Measured, Report, RobotResult};
use featherline_comparison::robots::{self, Layout};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fs};

#[derive(Parser)]
#[command(about = "Compare featherline with other libraries, robot by robot and call by call")]
struct Arguments {
    /// A peer: NAME,PROGRAM,ENDING, the last being that of the models it loads. The first peer is the reference.
    #[arg(long = "peer", required = true, value_parser = peer)]
    peers: Vec<Peer>,
    /// featherline's program; by default `featherline-contender` beside this one.
    #[arg(long)]
    own: Option<PathBuf>,
    /// The folder with the peers' models NAME.ENDING and the layouts NAME.json; ours are written there.
    #[arg(long)]
    models: PathBuf,
    /// A robot: NAME,URDF,fixed or NAME,URDF,floating.
    #[arg(long = "robot", required = true)]
    robots: Vec<Robot>,
    /// Compare these calls only.
    #[arg(long, num_args = 1.., value_name = "CALL")]
    calls: Vec<String>,
    /// States of each robot.
    #[arg(long, default_value_t = 256)]
    states: usize,
    /// Processes of each contender.
    #[arg(long, default_value_t = 5)]
    processes: usize,
    /// How often the contenders take turns in each process.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Passes over all states in a turn.
    #[arg(long, default_value_t = 3)]
    samples: usize,
    /// The core to run on; by default the last.
    #[arg(long)]
    core: Option<usize>,
    /// Where to write the report; without it, it is printed.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Where to draw the ratios, as SVG.
    #[arg(long)]
    figure: Option<PathBuf>,
    /// A line for the report, such as how a peer was built.
    #[arg(long = "note", value_name = "TEXT")]
    notes: Vec<String>,
}

fn peer(text: &str) -> Result<Peer, String> {
    match text.split(',').collect::<Vec<_>>()[..] {
        [name, program, ending] => Ok(Peer {
            name: name.to_owned(),
            program: program.into(),
            model_ending: ending.to_owned(),
        }),
        _ => Err("must be NAME,PROGRAM,ENDING".to_owned()),
    }
}

#[derive(Clone)]
struct Robot {
    name: String,
    urdf: PathBuf,
    floating_base: bool,
}

impl FromStr for Robot {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let floating_base = |base| match base {
            "fixed" => Some(false),
            "floating" => Some(true),
            _ => None,
        };
        let robot = match text.split(',').collect::<Vec<_>>()[..] {
            [name, urdf, base] => floating_base(base).map(|floating_base| Self {
                name: name.to_owned(),
                urdf: urdf.into(),
                floating_base,
            }),
            _ => None,
        };
        robot.ok_or_else(|| "must be NAME,URDF,fixed or NAME,URDF,floating".to_owned())
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let calls = chosen_calls(&arguments.calls)?;
    let threads = Threads::measure()?;
    affinity::pin(arguments.core)?;
    let own = match &arguments.own {
        Some(path) => path.clone(),
        None => env::current_exe()?.with_file_name("featherline-contender"),
    };
    let peers = &arguments.peers;
    let mut versions = vec![Contender::start(&own)?.ask("version")?];
    for peer in peers {
        versions.push(Contender::start(&peer.program)?.ask("version")?);
    }
    versions.extend(arguments.notes.iter().cloned());

    let mut clocks: Vec<f64> = machine::clock().into_iter().collect();
    let rates = peak::rates();
    let (mut files, mut results, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for robot in &arguments.robots {
        let model = match robots::read(&robot.urdf, robot.floating_base) {
            Ok(model) => model,
            Err(reason) => {
                refused.push(format!("{} by featherline: {reason:#}", robot.name));
                continue;
            }
        };
        let prepared = prepare(robot, &model, &arguments)?;
        let mut contest = Contest::start(&own, peers, &prepared)?;
        let by_whom = contest.refusals().iter();
        refused.extend(by_whom.map(|reason| format!("{} by {reason}", robot.name)));
        let measured = agree(&mut contest, &model, &calls).with_context(|| robot.name.clone())?;
        results.push(RobotResult {
            name: robot.name.clone(),
            nv: model.nv(),
            bodies: model.joints().len() - 1,
            footprint: Footprint::of(&model, |work| {
                allocation_counter::measure(work).bytes_current
            }),
            calls: measured,
        });
        eprintln!("{}: answers agree", robot.name);
        files.push(prepared);
    }

    let effort = Effort {
        processes: arguments.processes,
        rounds: arguments.rounds,
        samples: arguments.samples,
    };
    for process in 1..=effort.processes {
        for (files, result) in files.iter().zip(&mut results) {
            let mut contest = Contest::start(&own, peers, files)?;
            for measured in &mut result.calls {
                contest.time(&mut measured.row, &effort)?;
            }
            clocks.extend(machine::clock());
        }
        eprintln!("{process} of {} processes timed", effort.processes);
    }
    let scaling = Scaling::measure(|work| allocation_counter::measure(work).bytes_current)?;

    let names: Vec<String> = peers.iter().map(|peer| peer.name.clone()).collect();
    let report = Report {
        robots: &results,
        peers: &names,
        refused: &refused,
        versions: &versions,
        effort,
        states: arguments.states,
        rates: &rates,
        clocks: &clocks,
        caches: Caches::of_this_machine(),
        scaling: &scaling,
        threads: &threads,
    };
    match &arguments.out {
        Some(path) => write(path, &report.markdown())?,
        None => print!("{}", report.markdown()),
    }
    if let Some(path) = &arguments.figure {
        let reference = names.first().map_or("", String::as_str);
        write(path, &figure::svg(&results, reference)?)?;
    }
    scaling.check()
}

/// Compares all answers, and counts the arithmetic.
fn agree(contest: &mut Contest, model: &Model, calls: &[&'static Count]) -> Result<Vec<Measured>> {
    // How much arithmetic a call does is the same in every state.
    let state = states::draw(model, 1, 7);
    let state = state.first().ok_or_else(|| anyhow!("no state was drawn"))?;
    let measure = |call: &&'static Count| {
        Ok(Measured {
            row: contest.agree(call.name)?,
            operations: (call.count)(model, state)?,
        })
    };
    calls.iter().map(measure).collect()
}

fn chosen_calls(asked: &[String]) -> Result<Vec<&'static Count>> {
    let is_known = |name: &&String| COUNTS.iter().any(|call| call.name == *name);
    if let Some(name) = asked.iter().find(|name| !is_known(name)) {
        let known: Vec<&str> = COUNTS.iter().map(|call| call.name).collect();
        bail!("unknown call `{name}`; there are: {}", known.join(", "));
    }
    let is_asked = |call: &&Count| asked.is_empty() || asked.iter().any(|a| a == call.name);
    Ok(COUNTS.iter().filter(is_asked).collect())
}

/// Writes our model and the states of a robot, after making sure that the peers have the same coordinates.
fn prepare(robot: &Robot, model: &Model, arguments: &Arguments) -> Result<Files> {
    let path = |ending: &str| arguments.models.join(format!("{}.{ending}", robot.name));
    let layout = Layout::read(&path("json"))?;
    layout.check(model).with_context(|| robot.name.clone())?;
    let files = Files {
        own_model: path("featherline.json"),
        peer_models: arguments
            .peers
            .iter()
            .map(|peer| path(&peer.model_ending))
            .collect(),
        states: path("states"),
    };
    write(&files.own_model, &serde_json::to_string(model)?)?;
    let drawn = states::draw(model, arguments.states, 7);
    states_file::write(&files.states, model.nq(), model.nv(), &drawn)?;
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
