//! featherline beside its peers: prepares contenders and robots, and has them compared.

mod packages;
mod peers;
mod robots;

use crate::{paths, python};
use anyhow::{Context, Result};
use featherline_bench_protocol::calls;
use peers::{Instructions, Peer, Workshop};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare these robots only.
    #[arg(long, num_args = 1.., value_name = "ROBOT")]
    robots: Vec<String>,
    /// Compare these calls only.
    #[arg(long, num_args = 1.., value_name = "CALL")]
    calls: Vec<String>,
    /// Compare with these libraries only; Pinocchio always takes part.
    #[arg(long, value_enum, num_args = 1.., default_values = ["mujoco", "dynibo"], value_name = "PEER")]
    peers: Vec<Peer>,
    /// Processes of each contender.
    #[arg(long, default_value_t = 5)]
    processes: usize,
    /// How often the contenders take turns in each process.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Limit featherline to these instructions, and build Pinocchio and dynibo for processors that
    /// have no more.
    #[arg(long, value_enum, value_name = "SET")]
    instructions: Option<Instructions>,
    /// The core to run on; by default the last.
    #[arg(long)]
    core: Option<usize>,
    /// Install packages of the system that are missing, with apt-get, as root.
    #[arg(long)]
    install: bool,
    /// Where to write the report; by default a whole comparison goes to bench/RESULTS.md with
    /// bench/ratios.svg, and a part of it, or one of limited instructions, below target/.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Installs what is missing if that is asked for, builds the contenders, exports the robots,
/// compares, and writes the report.
pub fn run(arguments: &Arguments) -> Result<()> {
    calls::check(&arguments.calls)?;
    let (robots, linkages) = robots::chosen(&arguments.robots)?;
    packages::require(arguments.install)?;
    let interpreter = python::environment()?;
    let prefix = package_prefix(&interpreter)?;
    let folder = paths::target().join("bench-peers");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let rustc = python::output(
        Command::new("rustc")
            .arg("--version")
            .current_dir(paths::root()),
    )?;
    let programs = build_own(&rustc)?;
    let workshop = Workshop {
        prefix: &prefix,
        folder: &folder,
        rustc: &rustc,
        processor: arguments
            .instructions
            .map_or("native", Instructions::processor),
    };
    let mut compare = Command::new(programs.join("featherline-compare"));
    compare.arg("--models").arg(&folder);
    compare.args([
        "--note",
        "featherline's was built with the profile `bench` for its architecture's baseline; it chooses instructions at run time",
    ]);
    let mut exporters = Vec::new();
    let others = arguments.peers.iter().copied();
    for peer in [Peer::Pinocchio]
        .into_iter()
        .chain(others.filter(|peer| *peer != Peer::Pinocchio))
    {
        let built = peer.build(&workshop)?;
        compare.args(["--peer", &built.argument, "--note", &built.note]);
        exporters.extend(built.exporter);
    }
    for robot in robots {
        let urdf = robot.urdf(&prefix, &folder)?;
        robot.export(&interpreter, &urdf, &folder, &exporters)?;
        compare.args(["--robot", &robot.description(&urdf)]);
    }
    if !linkages.is_empty() {
        python::run(Command::new(programs.join("featherline-linkages")).arg(&folder))?;
    }
    for name in linkages {
        robots::export_linkage(name, &interpreter, &folder)?;
        compare.args(["--linkage", name]);
    }
    for call in &arguments.calls {
        compare.args(["--calls", call]);
    }
    compare.args(["--processes", &arguments.processes.to_string()]);
    compare.args(["--rounds", &arguments.rounds.to_string()]);
    if let Some(instructions) = arguments.instructions {
        let name = instructions.name();
        compare.args(["--instructions", name]);
        compare.args(["--note", &format!("featherline was limited to {name}")]);
    }
    if let Some(core) = arguments.core {
        compare.args(["--core", &core.to_string()]);
    }
    let is_whole = arguments.robots.is_empty()
        && arguments.calls.is_empty()
        && arguments.instructions.is_none();
    let bench = paths::root().join("bench");
    if let Some(out) = &arguments.out {
        compare.arg("--out").arg(out);
        compare.arg("--figure").arg(out.with_extension("svg"));
    } else if is_whole {
        compare.arg("--out").arg(bench.join("RESULTS.md"));
        compare.arg("--figure").arg(bench.join("ratios.svg"));
    } else {
        compare.arg("--out").arg(folder.join("part.md"));
    }
    python::run(&mut compare)
}

/// The folder of the Python environment with headers, libraries and robots.
pub fn package_prefix(interpreter: &Path) -> Result<PathBuf> {
    let path = python::output(Command::new(interpreter).args([
        "-c",
        "import sysconfig; print(sysconfig.get_path('purelib'))",
    ]))?;
    Ok(PathBuf::from(path).join("cmeel.prefix"))
}

/// Builds featherline's contender and the program that compares, and gives their folder.
fn build_own(rustc: &str) -> Result<PathBuf> {
    let package = ["--package", "featherline-comparison", "--bins"];
    println!("Building featherline's contender: a few minutes the first time");
    python::run_quietly(
        crate::ci::cargo()
            .args(["build", "--profile", "bench"])
            .args(package)
            .env("FEATHERLINE_COMPILER", rustc),
    )?;
    // Cargo puts what the profile `bench` builds where that of `release` goes.
    Ok(paths::target().join("release"))
}
