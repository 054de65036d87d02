//! featherline beside its peers: prepares contenders and robots, and has them compared.

use crate::{paths, python};
use anyhow::{Context, Result, bail};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

#[derive(clap::Args)]
pub struct Arguments {
    /// Compare these robots only.
    #[arg(long, num_args = 1.., value_name = "ROBOT")]
    robots: Vec<String>,
    /// Compare these calls only.
    #[arg(long, num_args = 1.., value_name = "CALL")]
    calls: Vec<String>,
    /// Pairs of processes.
    #[arg(long, default_value_t = 5)]
    processes: usize,
    /// How often the processes of a pair take turns.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// The core to run on; by default the last.
    #[arg(long)]
    core: Option<usize>,
    /// Where to write the report; by default a whole comparison goes to bench/RESULTS.md, and a part of it is printed.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Where a robot's description is.
enum Source {
    /// In `robots/`.
    Embedded(&'static str),
    /// Among the robots of the Python package example-robot-data.
    Example(&'static str),
}

struct Robot {
    name: &'static str,
    source: Source,
    floating_base: bool,
}

const fn fixed(name: &'static str, source: Source) -> Robot {
    Robot {
        name,
        source,
        floating_base: false,
    }
}

const fn floating(name: &'static str, source: Source) -> Robot {
    Robot {
        name,
        source,
        floating_base: true,
    }
}

const ROBOTS: &[Robot] = &[
    fixed("ur5", Source::Example("ur_description/urdf/ur5_robot.urdf")),
    fixed(
        "panda",
        Source::Example("panda_description/urdf/panda.urdf"),
    ),
    floating(
        "solo12",
        Source::Example("solo_description/robots/solo12.urdf"),
    ),
    floating(
        "g1",
        Source::Example("g1_description/urdf/g1_29dof_rev_1_0.urdf"),
    ),
    floating(
        "talos_reduced",
        Source::Example("talos_data/robots/talos_reduced.urdf"),
    ),
    floating("icub", Source::Example("icub_description/robots/icub.urdf")),
    fixed("ur5-embedded", Source::Embedded("ur5.urdf")),
    fixed("panda-embedded", Source::Embedded("panda.urdf")),
    floating("quadruped-embedded", Source::Embedded("quadruped.urdf")),
    floating("humanoid-embedded", Source::Embedded("humanoid.urdf")),
];

const COMPILER: &str = "clang++-19";
const EIGEN: &str = "/usr/include/eigen3";
/// The last four are what the package's own CMake files ask for.
const FLAGS: [&str; 8] = [
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
];

/// Builds the contenders, exports the robots, compares, and writes the report.
pub fn run(arguments: &Arguments) -> Result<()> {
    let robots = chosen(&arguments.robots)?;
    require_packages()?;
    let interpreter = python::environment()?;
    let prefix = package_prefix(&interpreter)?;
    let folder = paths::target().join("bench-peers");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let peer = build_peer(&prefix, &folder)?;
    let mut compare = Command::new(build_own()?);
    compare.arg("--peer").arg(peer).arg("--models").arg(&folder);
    for robot in robots {
        let urdf = match robot.source {
            Source::Embedded(file) => paths::root().join("robots").join(file),
            Source::Example(file) => prefix.join("share/example-robot-data/robots").join(file),
        };
        export(&interpreter, robot, &urdf, &folder)?;
        let base = if robot.floating_base {
            "floating"
        } else {
            "fixed"
        };
        let description = format!("{},{},{base}", robot.name, urdf.display());
        compare.args(["--robot", &description]);
    }
    for call in &arguments.calls {
        compare.args(["--calls", call]);
    }
    compare.args(["--processes", &arguments.processes.to_string()]);
    compare.args(["--rounds", &arguments.rounds.to_string()]);
    if let Some(core) = arguments.core {
        compare.args(["--core", &core.to_string()]);
    }
    let flags = FLAGS.join(" ");
    let peer_note = format!("Pinocchio's contender was built with `{COMPILER} {flags}`");
    let own_note = "featherline's with the profile `bench` for its architecture's baseline; it chooses instructions at run time";
    compare.args(["--note", &peer_note, "--note", own_note]);
    let is_whole = arguments.robots.is_empty() && arguments.calls.is_empty();
    let results = is_whole.then(|| paths::root().join("bench/RESULTS.md"));
    if let Some(out) = arguments.out.clone().or(results) {
        compare.arg("--out").arg(out);
    }
    python::run(&mut compare)
}

fn chosen(asked: &[String]) -> Result<Vec<&'static Robot>> {
    if let Some(unknown) = asked
        .iter()
        .find(|name| ROBOTS.iter().all(|robot| robot.name != *name))
    {
        let known: Vec<&str> = ROBOTS.iter().map(|robot| robot.name).collect();
        bail!(
            "no robot is named `{unknown}`; there are: {}",
            known.join(", ")
        );
    }
    let is_asked = |robot: &&Robot| asked.is_empty() || asked.iter().any(|name| name == robot.name);
    Ok(ROBOTS.iter().filter(is_asked).collect())
}

fn require_packages() -> Result<()> {
    let compiler = Command::new(COMPILER)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !compiler.is_ok_and(|status| status.success())
        || !Path::new(EIGEN).join("Eigen/Core").exists()
    {
        bail!(
            "{COMPILER} or {EIGEN} is missing; on Debian: apt-get install clang-19 libeigen3-dev"
        );
    }
    Ok(())
}

/// The folder of the Python environment with headers, libraries and robots.
fn package_prefix(interpreter: &Path) -> Result<PathBuf> {
    let path = output(Command::new(interpreter).args([
        "-c",
        "import sysconfig; print(sysconfig.get_path('purelib'))",
    ]))?;
    Ok(PathBuf::from(path).join("cmeel.prefix"))
}

/// Builds Pinocchio's contender, unless the same source was built before with the same flags.
fn build_peer(prefix: &Path, folder: &Path) -> Result<PathBuf> {
    let source = paths::root().join("bench/peers/pinocchio/peer.cpp");
    let text = fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
    let requirements = fs::read(paths::root().join("conformance/requirements.txt"))?;
    let compiler = output(Command::new(COMPILER).arg("--version"))?;
    let mut hasher = DefaultHasher::new();
    (text, requirements, compiler, FLAGS, prefix).hash(&mut hasher);
    let program = folder.join(format!("pinocchio-{:016x}", hasher.finish()));
    if program.exists() {
        return Ok(program);
    }
    println!("Building Pinocchio's contender: a few minutes, over 2 GB of memory");
    let library = prefix.join("lib");
    // Only a finished program gets its name.
    let unfinished = program.with_extension("unfinished");
    python::run(
        Command::new(COMPILER)
            .args(FLAGS)
            .arg("-isystem")
            .arg(prefix.join("include"))
            .args(["-isystem", EIGEN])
            .arg(&source)
            .arg("-o")
            .arg(&unfinished)
            .arg("-L")
            .arg(&library)
            .arg(format!("-Wl,-rpath,{}", library.display()))
            .arg("-lboost_serialization"),
    )?;
    fs::rename(&unfinished, &program)?;
    Ok(program)
}

/// Builds featherline's contender and the program that compares, and gives the latter's path.
fn build_own() -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let compiler = output(
        Command::new("rustc")
            .arg("--version")
            .current_dir(paths::root()),
    )?;
    python::run(
        Command::new(cargo)
            .args([
                "build",
                "--profile",
                "bench",
                "--package",
                "featherline-comparison",
                "--bins",
            ])
            .env("FEATHERLINE_COMPILER", compiler)
            .current_dir(paths::root()),
    )?;
    // Cargo puts what the profile `bench` builds where that of `release` goes.
    Ok(paths::target().join("release/featherline-compare"))
}

/// Writes a robot's model and layout as Pinocchio has them.
fn export(interpreter: &Path, robot: &Robot, urdf: &Path, folder: &Path) -> Result<()> {
    let path = |ending: &str| folder.join(format!("{}.{ending}", robot.name));
    let mut exporter = Command::new(interpreter);
    exporter
        .arg(paths::root().join("bench/peers/pinocchio/export_model.py"))
        .arg(urdf)
        .arg(path("bin"))
        .arg(path("json"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if robot.floating_base {
        exporter.arg("--floating-base");
    }
    python::run(&mut exporter)
}

/// What a command prints, without the end of the last line.
fn output(command: &mut Command) -> Result<String> {
    let done = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !done.status.success() {
        bail!("{command:?} failed ({})", done.status);
    }
    let text = String::from_utf8(done.stdout).context("the output is not UTF-8")?;
    Ok(text.trim_end().to_owned())
}
