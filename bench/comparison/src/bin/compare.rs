//! featherline beside another library: the same states, the same answers, and then time.

use anyhow::{Context, Result, anyhow, bail};
use clap::Parser;
use featherline::Model;
use featherline_bench::states;
use featherline_comparison::calls::CALLS;
use featherline_comparison::comparison::{Effort, Files, Pair};
use featherline_comparison::contender::Contender;
use featherline_comparison::report::{Report, Row};
use featherline_comparison::robots::{self, Layout};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::{env, fs};

#[derive(Parser)]
#[command(about = "Compare featherline with another library, robot by robot and call by call")]
struct Arguments {
    /// The peer's program.
    #[arg(long)]
    peer: PathBuf,
    /// featherline's program; by default `featherline-contender` beside this one.
    #[arg(long)]
    own: Option<PathBuf>,
    /// The folder with the peer's models NAME.bin and their layouts NAME.json; ours are written there.
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
    /// Pairs of processes.
    #[arg(long, default_value_t = 5)]
    processes: usize,
    /// How often the processes of a pair take turns.
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
    /// A line for the report, such as how the peer was built.
    #[arg(long = "note", value_name = "TEXT")]
    notes: Vec<String>,
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
    pin(arguments.core)?;
    let own = match &arguments.own {
        Some(path) => path.clone(),
        None => env::current_exe()?.with_file_name("featherline-contender"),
    };
    let peer = &arguments.peer;
    let mut versions = vec![
        Contender::start(&own)?.ask("version")?,
        Contender::start(peer)?.ask("version")?,
    ];
    versions.extend(arguments.notes.iter().cloned());

    let (mut sizes, mut files, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let mut refused = Vec::new();
    for robot in &arguments.robots {
        let model = match robots::read(&robot.urdf, robot.floating_base) {
            Ok(model) => model,
            Err(reason) => {
                refused.push(format!("{}: {reason:#}", robot.name));
                continue;
            }
        };
        let prepared = prepare(robot, &model, &arguments)?;
        let mut pair = Pair::start(&own, peer, &prepared)?;
        for &call in &calls {
            let difference = pair.agree(call).with_context(|| robot.name.clone())?;
            rows.push(Row {
                robot: robot.name.clone(),
                call,
                difference,
                times: Vec::new(),
            });
        }
        eprintln!("{}: answers agree", robot.name);
        sizes.push((robot.name.clone(), model.nv()));
        files.push(prepared);
    }

    let effort = Effort {
        processes: arguments.processes,
        rounds: arguments.rounds,
        samples: arguments.samples,
    };
    for process in 1..=effort.processes {
        for (files, rows) in files.iter().zip(rows.chunks_mut(calls.len())) {
            let mut pair = Pair::start(&own, peer, files)?;
            for row in rows {
                row.times.push(pair.time(row.call, &effort)?);
            }
        }
        eprintln!("{process} of {} pairs of processes timed", effort.processes);
    }

    let report = Report {
        rows: &rows,
        sizes: &sizes,
        refused: &refused,
        versions: &versions,
        effort,
        states: arguments.states,
    };
    match &arguments.out {
        Some(path) => fs::write(path, report.markdown())
            .with_context(|| format!("cannot write {}", path.display())),
        None => {
            print!("{}", report.markdown());
            Ok(())
        }
    }
}

fn chosen_calls(asked: &[String]) -> Result<Vec<&'static str>> {
    let known: Vec<&str> = CALLS.iter().map(|call| call.name).collect();
    if let Some(name) = asked.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("unknown call `{name}`; there are: {}", known.join(", "));
    }
    let is_asked = |name: &&str| asked.is_empty() || asked.iter().any(|a| a == name);
    Ok(known.into_iter().filter(is_asked).collect())
}

/// Keeps this process and its children on one core.
fn pin(core: Option<usize>) -> Result<()> {
    let cores = core_affinity::get_core_ids().ok_or_else(|| anyhow!("cannot list the cores"))?;
    let chosen = match core {
        Some(id) => cores.into_iter().find(|core| core.id == id),
        None => cores.into_iter().next_back(),
    };
    let chosen = chosen.ok_or_else(|| anyhow!("there is no such core"))?;
    if !core_affinity::set_for_current(chosen) {
        bail!("cannot pin this process to core {}", chosen.id);
    }
    Ok(())
}

/// Writes our model and the states of a robot, after making sure that the peer has the same coordinates.
fn prepare(robot: &Robot, model: &Model, arguments: &Arguments) -> Result<Files> {
    let path = |ending: &str| arguments.models.join(format!("{}.{ending}", robot.name));
    let layout = Layout::read(&path("json"))?;
    layout.check(model).with_context(|| robot.name.clone())?;
    let files = Files {
        own_model: path("featherline.json"),
        peer_model: path("bin"),
        states: path("states"),
    };
    write(&files.own_model, &serde_json::to_string(model)?)?;
    let drawn = states::draw(model, arguments.states, 7);
    states::write(&files.states, model, &drawn)?;
    Ok(files)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
