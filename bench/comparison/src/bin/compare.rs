//! Compares featherline with other libraries: draws states, makes sure that all give the same
//! answers, times them in turns on one core, and writes the report.

use anyhow::{Context, Result, anyhow};
use clap::Parser;
use featherline::Model;
use featherline::scalar::InstructionSet;
use featherline_bench::footprint::{Footprint, of_batch};
use featherline_bench::machine::{self, Caches};
use featherline_bench::scaling::Scaling;
use featherline_bench::threads::Threads;
use featherline_bench::{affinity, instructions, peak, states};
use featherline_bench_protocol::{calls as call_names, states as states_file};
use featherline_comparison::calls::{COUNTS, Count};
use featherline_comparison::contender::Contender;
use featherline_comparison::contest::{Contest, Effort, Files, Own, Peer};
use featherline_comparison::figure;
use featherline_comparison::programs::Arithmetic;
use featherline_comparison::report::{HeldResult, LinkageResult, Measured, Report, RobotResult};
use featherline_comparison::robots::{self, Layout};
use featherline_comparison::{closed_loops, held, stepping};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fs};

#[derive(Parser)]
#[command(about = "Compare featherline with other libraries, robot by robot and call by call")]
struct Arguments {
    /// A peer: NAME,PROGRAM,ENDING, the last being that of the models it loads. The first peer is
    /// the reference.
    #[arg(long = "peer", required = true, value_parser = peer)]
    peers: Vec<Peer>,
    /// featherline's program; by default `featherline-contender` beside this one.
    #[arg(long)]
    own: Option<PathBuf>,
    /// The folder with the peers' models NAME.ENDING and the layouts NAME.json; ours are written
    /// there.
    #[arg(long)]
    models: PathBuf,
    /// A robot: NAME,URDF,fixed or NAME,URDF,floating.
    #[arg(long = "robot", required_unless_present = "linkages")]
    robots: Vec<Robot>,
    /// A robot with closed loops, by name; its models are in the folder, featherline's as
    /// NAME.featherline.json. Only the reference takes part.
    #[arg(long = "linkage", value_name = "NAME")]
    linkages: Vec<String>,
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
    /// The instructions that featherline is limited to: sse2, avx2 or avx512.
    #[arg(long, value_name = "SET")]
    instructions: Option<String>,
    /// The core to run on; by default the last.
    #[arg(long)]
    core: Option<usize>,
    /// Where to write the report; the ratios beside the reference are printed in any case.
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
    call_names::check(&arguments.calls)?;
    let calls = arguments.chosen(&[COUNTS, stepping::NAMES]);
    let loop_calls = arguments.chosen(&[closed_loops::NAMES]);
    if let Some(name) = &arguments.instructions {
        instructions::limit(name)?;
    }
    let threads = Threads::measure(&[1, 2])?;
    affinity::pin(arguments.core)?;
    let own = Own {
        program: match &arguments.own {
            Some(path) => path.clone(),
            None => env::current_exe()?.with_file_name("featherline-contender"),
        },
        arguments: arguments.instructions.iter().cloned().collect(),
    };
    let peers = &arguments.peers;
    let mut versions = vec![Contender::start(&own.program, &own.arguments)?.ask("version")?];
    for peer in peers {
        versions.push(Contender::start(&peer.program, &[])?.ask("version")?);
    }
    versions.extend(arguments.notes.iter().cloned());

    let mut clocks: Vec<f64> = machine::clock().into_iter().collect();
    let mut rates = peak::rates();
    let limit = InstructionSet::in_use();
    rates.retain(|rate| match rate.instructions {
        "AVX-512" => limit == InstructionSet::Avx512,
        "AVX2" => limit >= InstructionSet::Avx2,
        _ => true,
    });
    let held_calls = arguments.chosen(&[held::NAMES]);
    let (mut held_files, mut held_results) = (Vec::new(), Vec::new());
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
        let measured = agree(&mut contest, &model, &calls).with_context(|| robot.name.clone())?;
        if held::lines(&robot.name).is_some() && !held_calls.is_empty() {
            let rows = held_calls.iter().map(|call| contest.agree(call.name));
            held_results.push(HeldResult {
                name: robot.name.clone(),
                nv: model.nv(),
                constraints: held::rows(&robot.name),
                rows: rows
                    .collect::<Result<_>>()
                    .with_context(|| robot.name.clone())?,
            });
            held_files.push(prepared.clone());
        }
        // Those of single calls are among them.
        let by_whom = contest.refusals().iter();
        refused.extend(by_whom.map(|reason| format!("{} by {reason}", robot.name)));
        results.push(RobotResult {
            name: robot.name.clone(),
            nv: model.nv(),
            bodies: model.joints().len() - 1,
            footprint: Footprint::of(&model, |work| {
                allocation_counter::measure(work).bytes_current
            }),
            batches: [of_batch::<f64>(&model)?, of_batch::<f32>(&model)?],
            calls: measured,
        });
        eprintln!("{}: answers agree", robot.name);
        files.push(prepared);
    }
    // Other peers close no loops, or as springs do.
    let reference = &peers[..1];
    let (mut linkage_files, mut linkages) = (Vec::new(), Vec::new());
    for name in &arguments.linkages {
        let (model, prepared) = prepare_linkage(name, &arguments)?;
        let mut contest = Contest::start(&own, reference, &prepared)?;
        let rows = loop_calls.iter().map(|call| contest.agree(call.name));
        linkages.push(LinkageResult {
            name: name.clone(),
            nv: model.nv(),
            loops: model.loop_joints().len(),
            rows: rows.collect::<Result<_>>().with_context(|| name.clone())?,
        });
        eprintln!("{name}: answers agree");
        linkage_files.push(prepared);
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
        for (files, result) in held_files.iter().zip(&mut held_results) {
            let mut contest = Contest::start(&own, &peers[..1], files)?;
            for row in &mut result.rows {
                contest.time(row, &effort)?;
            }
        }
        for (files, result) in linkage_files.iter().zip(&mut linkages) {
            let mut contest = Contest::start(&own, reference, files)?;
            for row in &mut result.rows {
                contest.time(row, &effort)?;
            }
        }
        eprintln!("{process} of {} processes timed", effort.processes);
    }
    let scaling = Scaling::measure(|work| allocation_counter::measure(work).bytes_current)?;

    let names: Vec<String> = peers.iter().map(|peer| peer.name.clone()).collect();
    let report = Report {
        robots: &results,
        linkages: &linkages,
        held: &held_results,
        peers: &names,
        refused: &refused,
        versions: &versions,
        limited: arguments.instructions.as_deref(),
        effort,
        states: arguments.states,
        rates: &rates,
        clocks: &clocks,
        caches: Caches::of_this_machine(),
        scaling: &scaling,
        threads: &threads,
    };
    if let Some(path) = &arguments.out {
        write(path, &report.markdown())?;
    }
    if let Some(path) = &arguments.figure {
        let reference = names.first().map_or("", String::as_str);
        write(path, &figure::svg(&results, reference)?)?;
    }
    print!("{}", report.summary());
    if let Some(path) = &arguments.out {
        println!("All that was measured: {}", path.display());
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
            operations: call.count.map(|count| count(model, state)).transpose()?,
            program: Arithmetic::of(call.name, model)?,
        })
    };
    calls.iter().map(measure).collect()
}

impl Arguments {
    /// Those of the given calls that are to be compared.
    fn chosen(&self, calls: &[&'static [Count]]) -> Vec<&'static Count> {
        let asked = &self.calls;
        let is_asked = |call: &&Count| asked.is_empty() || asked.iter().any(|a| a == call.name);
        calls.iter().copied().flatten().filter(is_asked).collect()
    }
}

/// Writes our model and the states of a robot, after making sure that the peers have the same
/// coordinates.
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
    if let Some(lines) = held::lines(&robot.name) {
        write(&path("held"), &lines)?;
    }
    Ok(files)
}

/// Writes the states of a linkage, after making sure that the reference has the same coordinates.
fn prepare_linkage(name: &str, arguments: &Arguments) -> Result<(Model, Files)> {
    let path = |ending: &str| arguments.models.join(format!("{name}.{ending}"));
    let own_model = path("featherline.json");
    let text = fs::read_to_string(&own_model)
        .with_context(|| format!("cannot read {}", own_model.display()))?;
    let model: Model = serde_json::from_str(&text)
        .with_context(|| format!("{} is no model", own_model.display()))?;
    let layout = Layout::read(&path("json"))?;
    layout.check(&model).with_context(|| name.to_owned())?;
    let files = Files {
        own_model,
        peer_models: vec![path(&arguments.peers[0].model_ending)],
        states: path("states"),
    };
    let drawn = states::draw_closed(&model, arguments.states, 7)?;
    states_file::write(&files.states, model.nq(), model.nv(), &drawn)?;
    Ok((model, files))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
