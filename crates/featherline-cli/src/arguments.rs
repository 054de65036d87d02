//! What can be asked on the command line.

use crate::file;
use crate::simulate::{self, SimulateArguments};
use crate::system::count;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use featherline_formats::urdf;
use std::path::PathBuf;
use std::time::Duration;

/// Rigid-body dynamics of robots.
///
/// ROBOT is the path of a robot file, or the name of an embedded robot; a file of that name goes first. Of robots with closed
/// loops (four_bar, parallelogram, six_bar, bennett, delta, stewart) every command but `simulate` and `system` sees the spanning tree
/// alone, and says so.
#[derive(Debug, Parser)]
#[command(name = "featherline", version, max_term_width = 100, after_long_help = MAIN_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const MAIN_HELP: &str = "\
Exit codes:
  0  done (for `check`: nothing found)
  1  `check` found something
  2  not done: the arguments, the robot or a state can't be read, there is no memory for what was asked, or the output can't
     be written

Examples:
  featherline info panda
  featherline check my_robot.urdf
  featherline eval panda
  featherline eval quadruped --random 1000 --seed 7 --compute tau,mass_matrix > numbers.jsonl
  featherline compile panda --quantity rnea --output panda.rnea
  featherline simulate double_pendulum --seconds 1000";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Draw the robot's tree of joints, or describe it as JSON
    #[command(after_long_help = INFO_HELP)]
    Info(InfoArguments),
    /// Say in plain words what is physically wrong or doubtful about a robot
    #[command(after_long_help = CHECK_HELP)]
    Check(CheckArguments),
    /// Compute dynamics and kinematics, state by state
    #[command(after_long_help = EVAL_HELP)]
    Eval(EvalArguments),
    /// Look at the dynamics as one sparse linear system: what sensors determine, and what they don't
    #[command(after_long_help = SYSTEM_HELP)]
    System(SystemArguments),
    /// Compile an algorithm for one robot into a program without branches, and count its operations
    #[command(after_long_help = COMPILE_HELP)]
    Compile(CompileArguments),
    /// Let a robot move: integrate, record, draw
    #[command(after_long_help = simulate::HELP)]
    Simulate(SimulateArguments),
    /// Run a compiled program, state by state, or describe it
    #[command(after_long_help = RUN_HELP)]
    Run(RunArguments),
}

const INFO_HELP: &str = "\
In the tree, a line without a branch mark hangs on the line above it; bodies that are fixed to the body of a joint stand
below it after a dot.

The JSON has name, nq, nv, total_mass (of what moves), gravity; joints with name, type, parent (null: the world), idx_q,
nq, idx_v, nv, mimic, limits; loop_joints, which close loops and have no coordinates; bodies; frames. A joint that mimics has
nq = nv = 0 and its master's idx_q and idx_v.

Examples:
  featherline info humanoid
  featherline info my_robot.urdf --floating-base --json | jq '.joints[] | {name, idx_q, idx_v}'";

const CHECK_HELP: &str = "\
Found are all warnings of the reader, with line and column, and what only numbers show: a mass matrix that is singular or
badly conditioned at the neutral or a random configuration, with the joint that causes it; limits of zero.
Noted, but not counted, are parts of the file that mean nothing for dynamics, such as colours, and joints whose neutral
configuration lies outside their limits.

Exit codes:
  0  nothing found
  1  something found
  2  no model can be made of the file; the error says where and why

Examples:
  featherline check my_robot.urdf
  featherline check my_robot.urdf --floating-base";

const EVAL_HELP: &str = "\
A state is a line of JSON with any of q, v, a, tau; what is missing is neutral (q) or zero:
  {\"q\": [0, -0.8, 0, -2.4, 0, 1.6, 0.8], \"tau\": [0, 0, 0, 0, 0, 0, 0]}
Empty lines are skipped. `featherline info ROBOT --json` tells which entry belongs to which joint. Without states, the
neutral one at rest is evaluated.

Quantities (SI units, radians; matrices are arrays of rows; 6-vectors are [linear, angular]):
  tau                     inverse dynamics: the joint forces that cause a, without passive forces
  bias                    tau where a is zero
  gravity                 tau where v and a are zero
  mass_matrix             M(q), armature and reflected rotor inertia included
  mass_matrix_inverse     its inverse
  passive                 damping, dry friction and springs
  qdd_aba, qdd_crba       forward dynamics of q, v, tau, by two algorithms, without passive forces
  placements              link name -> 4x4 placement in the world, for every link
  jacobian:LINK:FRAME     6 x nv; FRAME is local, world or aligned (axes of the world, at the link's origin)
  com                     centre of mass of what moves
  centroidal_momentum     [linear, angular] about the centre of mass
  kinetic_energy, potential_energy
  operation_counts        arithmetic operations of rnea, crba, aba and ltdl (the factorisation alone)
  state                   the state itself
  all                     all of these, but the Jacobians, which need a link
Without --compute: all, operation_counts in the first table only; the state only where you didn't write it.

What does not exist for a state is null, with the reason under `errors`; everything else still comes. So are matrices that would
take more than 1 GB, unless you name one: then nothing is computed. Lines come out one by one as they are read. One that is not
a state gets {\"error\": {\"line\": …, \"column\": …, \"reason\": …}} as its answer, the next ones theirs, and the exit code is 2.

Examples:
  featherline eval panda
  featherline eval panda --states states.jsonl --compute tau,bias,jacobian:panda_link8:aligned
  echo '{\"v\": [1, 0]}' | featherline eval double_pendulum --states - --compute all
  featherline eval my_robot.urdf --floating-base --random 1000 --seed 7 --format jsonl";

const SYSTEM_HELP: &str = "\
Unknowns are the accelerations and forces of all bodies and joints; equations are those of Newton and Euler, what is known, and
what sensors measure. The diagnosis says in words what is determined and what is not, which measurement is missing, and which
one says nothing new; it looks at the structure, and at numbers in the neutral and in random configurations.

What is known (--known, or `known` in the file of sensors; several separated by commas):
  joint-accelerations, joint-forces          every q\u{0308}, every tau
  joint-acceleration:JOINT, joint-force:JOINT
  free-base                                  nothing holds the floating base
  external-force:JOINT                       the external force on one body is given
  no-external-forces, external-forces        none act, or they are given, on bodies that have no sensor of external forces, no
                                             contact, and no word of their own
Two words that say something of the same quantity are refused.

Sensors are read from TOML: see robots/humanoid-feet.toml and robots/panda-wrist.toml. Readings, `sigma` and `covariance` come in the
order in which `components` are named. Terms of a linear sensor are components in the joint's output frame, as in --want:
  terms = [{ of = \"transmitted-force\", joint = \"JOINT\", component = \"my\", factor = 1.0 }]
What is assumed of some unknowns before anything is measured may stand there, too, for --estimate, in place of --prior:
  [[prior]]
  of = \"external-force:JOINT\"   # a word of --want
  mean = 0                         # or a list
  sigma = 1e6                      # or a list, or `covariance` as rows
A force sensor in a fixed joint needs
--keep-fixed-joint: without it, the links on that joint are one body.

A sample (--solve, --estimate) is a line of JSON with q, v, what is known by its word, and the readings by their sensors' names;
t, the time in s, may stand there too:
  {\"t\": 0.02, \"q\": [0, -0.8, …], \"v\": [0, 0, …], \"joint-accelerations\": [0, 0, …], \"wrist\": [0, 0, 9.8, 0, 0, 0], \"cell\": 3.1}
An estimate goes without the sensors whose readings are null. Empty lines are skipped; a line that is not a sample has its error
for an answer, as in `featherline eval`. --simulate writes such lines.

What is wanted (--want):
  joint-forces, joint-accelerations          every tau, every q\u{0308}, in the order of v
  joint-force:JOINT, joint-acceleration:JOINT
  external-forces                            those that are not known
  external-force:JOINT, transmitted-force:JOINT, acceleration:JOINT
                                             six-vectors [linear, angular] in the joint's output frame
  loop-forces, loop-force:JOINT              what joints that close loops pass on to their successors, also six-vectors
  loop-acceleration:JOINT                    along the degrees of freedom of such a joint

--count counts one factorisation and one solve in each order (--orders); putting the equations together comes on top. With --plot
the robot is cut to its first N bodies, N from 1 to all of them: parents come before their children, so that a tree is left. What
is known of bodies that are cut off goes with them, and so do sensors on them, which a warning names. Beside the orders
stand the formulas of inverse and forward dynamics of a chain of N joints (Featherstone 2008, table 10.1), which include everything,
and a program that does, too: the cheapest order's, compiled for what is wanted of the robot. Where there are more or fewer equations
than unknowns, an estimate is counted instead: its normal equations, their factorisation and solution, and its program.

An estimate comes with standard deviations; with each sensor's residuals in their own standard deviations (null where nothing else
tells what the sensor tells), the largest of them (an outlier from 4 on), a chi-square test of each sensor's residuals together,
and one of all, of priors and of equations with a deviation, too; priors a thousand times as broad as the robot's weight makes
likely, as the default one is, say nothing and don't count. Where normal equations leave rounding of it alone, that is said instead.

--solve searches for an order of elimination and compiles it, once: the result is kept under a hash of robot, question and search.
Every result is checked; where the compiled order loses digits, a general factorisation solves.

States of robots with closed loops have to fit these: those that don't are answered by an error that says how far the loops are
open. Where loops repeat each other's constraints, as in every planar linkage, components of forces are not determined; --solve then
solves state by state for what is, and answers null for what is not.

Exit codes:
  0  everything is determined; or all samples are answered
  1  something is not determined
  2  not done: the arguments, the robot, the sensors or a sample can't be read

Examples:
  featherline system humanoid --sensors robots/humanoid-feet.toml --diagnose
  featherline system panda --known joint-forces,no-external-forces --diagnose --spy panda.svg
  featherline system panda --known joint-forces,no-external-forces --count
  featherline system snake --known joint-forces,no-external-forces --count --orders aba,markowitz --plot counts.svg
  featherline system panda --sensors robots/panda-wrist.toml --simulate 200 > samples.jsonl
  featherline system panda --sensors robots/panda-wrist.toml --estimate samples.jsonl --want joint-forces --plot torques.svg
  featherline system panda --known joint-accelerations,no-external-forces --simulate 9 |
    featherline system panda --known joint-accelerations,no-external-forces --solve -";

const COMPILE_HELP: &str = "\
Quantities, with their inputs and output:
  rnea                    q, v, a -> tau      inverse dynamics
  bias, gravity           q, v -> bias; q -> gravity
  aba                     q, v, tau -> qdd    forward dynamics by articulated bodies
  forward_dynamics_crba   q, v, tau -> qdd    forward dynamics by the mass matrix
  crba                    q -> mass_matrix
  mass_matrix_inverse     q -> mass_matrix_inverse
  centroidal_map          q -> centroidal_map, 6 x nv
  forward_kinematics      q -> placement:LINK, 3 x 4, for every link
  com                     q -> com
  joint_placements        q -> joint_placements, 3 x 4 for every joint, one below the other
  joint_jacobians         q -> joint_jacobians, 6 x nv, in the world
  crba_packed             q -> mass_matrix, each row from the root on, without what is always zero
  mass_matrix_solve       q, tau -> qdd       at rest, without gravity
  centroidal_momentum     q, v -> centroidal_map, centroidal_momentum
  all_terms               q, v -> mass_matrix, bias, gravity, centroidal_map, centroidal_momentum,
                                  centroidal_drift, com, energies
  jacobian:LINK:FRAME     q -> jacobian, 6 x nv; FRAME is local, world or aligned
Passive forces are in none of them.

The table counts multiplications, additions and so on for one state: of the textbook, where it has a formula for such a robot
(chains of single joints on a fixed base; Featherstone 2008, table 10.1; sines and cosines not counted); of the library's
kernel, traced with the robot's constants; and of the program. What the instructions are is told by `featherline run FILE`.

Examples:
  featherline compile panda --quantity rnea --output panda.rnea
  featherline compile my_robot.urdf --floating-base --quantity aba --fma --output aba.program";

const RUN_HELP: &str = "\
Without states, the program is described: inputs, outputs, instructions, operations.

A state is a line of JSON with all inputs of the program:
  {\"q\": [0, -0.8], \"v\": [0, 0], \"a\": [1, 0]}
Empty lines are skipped. Each answer is a line of JSON with the outputs; matrices are arrays of rows. An output that the
robot does not have in a state is null, with the reason under `errors`. A line that is not a state, or whose numbers are so
large that an output overflows, gets {\"error\": {\"line\": …, \"column\": …, \"reason\": …}} as its answer, the next ones
theirs, and the exit code is 2.

Examples:
  featherline run panda.rnea
  featherline run panda.rnea --states states.jsonl > torques.jsonl";

/// The robot, and how to read it.
#[derive(Clone, Debug, Args)]
pub struct RobotArguments {
    /// Path of a robot file, or name of an embedded robot
    #[arg(value_name = "ROBOT")]
    pub robot: PathBuf,

    /// Let the root link move freely, by a joint `root_joint` (the default for `quadruped` and `humanoid`; `humanoid_40` has one of its own)
    #[arg(long, conflicts_with = "fixed_base")]
    pub floating_base: bool,

    /// Fix the root link in the world (the default for files)
    #[arg(long)]
    pub fixed_base: bool,

    /// What becomes of joints that mimic others: they follow and add nothing to q and v, or they move freely [default: follow]
    #[arg(long, value_enum, value_name = "HOW")]
    pub mimic: Option<Mimic>,

    /// How q has continuous joints: as an angle, or as its cosine and sine [default: angle]
    #[arg(long, value_enum, value_name = "HOW")]
    pub continuous: Option<Continuous>,

    /// In which order joints on one link are numbered: that of the file, or that of their names [default: document]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub sibling_order: Option<SiblingOrder>,

    /// Keep a fixed joint as a joint, so that a force sensor may sit in it; may be given several times
    #[arg(long, value_name = "JOINT")]
    pub keep_fixed_joint: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Mimic {
    #[default]
    Follow,
    Free,
}

impl From<Mimic> for urdf::Mimic {
    fn from(mimic: Mimic) -> Self {
        match mimic {
            Mimic::Follow => Self::Follow,
            Mimic::Free => Self::Free,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Continuous {
    #[default]
    Angle,
    CosSin,
}

impl From<Continuous> for urdf::Continuous {
    fn from(continuous: Continuous) -> Self {
        match continuous {
            Continuous::Angle => Self::Angle,
            Continuous::CosSin => Self::CosSin,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum SiblingOrder {
    #[default]
    Document,
    Alphabetical,
}

impl From<SiblingOrder> for urdf::SiblingOrder {
    fn from(order: SiblingOrder) -> Self {
        match order {
            SiblingOrder::Document => Self::Document,
            SiblingOrder::Alphabetical => Self::Alphabetical,
        }
    }
}

#[derive(Debug, Args)]
pub struct InfoArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub robot: RobotArguments,
}

#[derive(Debug, Args)]
pub struct EvalArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Read states, one a line, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with = "random")]
    pub states: Option<PathBuf>,

    /// Draw N states within the limits (without limits: angles within a turn, lengths, rates and forces within ±1)
    #[arg(long, value_name = "N")]
    pub random: Option<u64>,

    /// What the random numbers begin with; the same seed gives the same states
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub seed: u64,

    /// What to compute, separated by commas; may be given several times
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub compute: Vec<String>,

    /// Tables to read, or one line of JSON for each state [default: table on a terminal, else jsonl]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("planned").multiple(true))]
pub struct SystemArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// What is known, separated by commas; may be given several times. Joint forces hold the damping and friction of a file
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub known: Vec<String>,

    /// Read sensors and contacts from a file
    #[arg(long, value_name = "FILE")]
    pub sensors: Option<PathBuf>,

    /// Cut closed loops: look at the spanning tree of a robot that has some, without the forces that close them
    #[arg(long)]
    pub cut_loops: bool,

    /// Say what is determined and what is not (the default)
    #[arg(long)]
    pub diagnose: bool,

    /// Count the operations of eliminating the system, order by order
    #[arg(long, conflicts_with = "diagnose", group = "ordered", group = "drawn")]
    pub count: bool,

    /// Which orders to count, separated by commas, or all [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "count")]
    #[arg(conflicts_with_all = ["diagnose", "solve", "estimate", "simulate"])]
    #[arg(value_parser = count::words())]
    pub orders: Vec<String>,

    /// Solve for what is unknown, sample by sample, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["diagnose", "count"])]
    #[arg(groups = ["ordered", "planned", "answered", "drawn"])]
    pub solve: Option<PathBuf>,

    /// Estimate what is most probable, sample by sample, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["diagnose", "count", "solve"])]
    #[arg(groups = ["answered", "drawn"])]
    pub estimate: Option<PathBuf>,

    /// Write N samples of a robot that swings about its neutral configuration, with the sensors' errors; loops stay closed
    #[arg(long, value_name = "N", conflicts_with_all = ["diagnose", "count", "solve", "estimate"])]
    pub simulate: Option<u64>,

    /// What the simulation's random numbers begin with; the same seed gives the same samples
    #[arg(long, value_name = "S", default_value_t = 0, requires = "simulate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "estimate"])]
    pub seed: u64,

    /// What to solve for or estimate, separated by commas; may be given several times [default: what is not known]
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        requires = "answered"
    )]
    #[arg(conflicts_with_all = ["diagnose", "count", "simulate"])]
    pub want: Vec<String>,

    /// Draw what was solved for or estimated, with bands of two standard deviations (of more than 16,384 samples, evenly spaced
    /// ones); with --count, the operations of the robot
    /// cut to its first body, its first two, and so on
    #[arg(long, value_name = "FILE.svg", value_parser = file::written(), requires = "drawn")]
    #[arg(conflicts_with_all = ["diagnose", "simulate"])]
    pub plot: Option<PathBuf>,

    /// Search so long for an order with few operations [default for --solve: until 20,000 changes are tried, at most 10 s]; with
    /// --count, add it to the table. What is found in a time depends on the machine
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "ordered", group = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate"])]
    pub search: Option<Duration>,

    /// Search until so many changes of the order are tried, however long that takes: the same order on every machine
    #[arg(long, value_name = "N", requires = "ordered", group = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate", "search"])]
    pub search_changes: Option<u32>,

    /// Keep what --solve or --search found in this folder, or nowhere (none) [default: the user's cache folder]
    #[arg(long, value_name = "DIR|none", requires = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate"])]
    pub cache: Option<PathBuf>,

    /// The standard deviation of every unknown about zero before anything is measured, in N, N·m, m/s² and rad/s²; or none. Moments
    /// of external forces are about the first sensor or contact on a body, be its readings null or not, else about its joint
    /// [default: a thousand times what the robot's own weight brings about]
    #[arg(long, value_name = "SIGMA|none", value_parser = prior, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub prior: Option<Prior>,

    /// The standard deviation of equations, of what is known, and of exact sensors, for models that are not right [default: they
    /// hold exactly]
    #[arg(long, value_name = "SIGMA", value_parser = deviation, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub equation: Option<f64>,

    /// How to estimate: by orthogonal transformations of the rows, which square nothing; or by normal equations, which take less
    /// time and lose the digits of a square, and where equations need a deviation, too [default: orthogonal]
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        requires = "estimate",
        requires_if("normal-equations", "equation")
    )]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub method: Option<EstimateMethod>,

    /// Give the covariance matrix of each wanted quantity, too; in lines of JSON
    #[arg(long, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub covariance: bool,

    /// Leave out the search for additions that would help
    #[arg(long, conflicts_with_all = ["count", "solve", "estimate", "simulate"])]
    pub no_advice: bool,

    /// Draw the matrix before and after its permutation to block triangular form; alone, nothing else is done
    #[arg(long, value_name = "FILE.svg", value_parser = file::written())]
    pub spy: Option<PathBuf>,

    /// Text to read, or one line of JSON [default: table on a terminal, else jsonl]
    #[arg(long, value_enum, conflicts_with = "simulate")]
    pub format: Option<Format>,
}

impl SystemArguments {
    /// Whether a search is asked for by name.
    pub fn searches(&self) -> bool {
        self.search.is_some() || self.search_changes.is_some()
    }

    /// Whether anything is asked for by name beside the picture of the matrix.
    pub fn wants_more_than_pictures(&self) -> bool {
        let samples = self.solve.is_some() || self.estimate.is_some() || self.simulate.is_some();
        let diagnosis = self.diagnose || self.no_advice || self.format.is_some();
        diagnosis || self.count || samples
    }
}

/// How an estimate is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EstimateMethod {
    Orthogonal,
    NormalEquations,
}

/// What is assumed of unknowns: a standard deviation, or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior(pub Option<f64>);

fn prior(text: &str) -> Result<Prior, String> {
    if text == "none" {
        return Ok(Prior(None));
    }
    let sigma = deviation(text)
        .map_err(|reason| reason.replacen("a positive number", "a positive number, or `none`", 1));
    sigma.map(|sigma| Prior(Some(sigma)))
}

/// A standard deviation, of whose square, a variance, the inverse is needed.
fn deviation(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(sigma)
            if sigma > 0.0
                && (sigma * sigma).is_normal()
                && (sigma * sigma).recip().is_normal() =>
        {
            Ok(sigma)
        }
        _ => Err("a positive number; its square has to be a number, too, so that it is between 1e-153 and 1e153".to_owned()),
    }
}

/// The longest search, in s: some thirty years.
const LONGEST: f64 = 1e9;

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=LONGEST).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("a number of seconds from 0 to 1e9".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct CompileArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// What to compute
    #[arg(long, value_name = "NAME")]
    pub quantity: String,

    /// Where to write the program
    #[arg(long, short, value_name = "FILE", value_parser = file::written())]
    pub output: PathBuf,

    /// Fuse products into sums: fewer instructions, and another last digit
    #[arg(long)]
    pub fma: bool,
}

#[derive(Debug, Args)]
pub struct RunArguments {
    /// A program that `featherline compile` wrote
    #[arg(value_name = "FILE")]
    pub program: PathBuf,

    /// Read states, one a line, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with = "random")]
    pub states: Option<PathBuf>,

    /// Draw N states: numbers within ±1, quaternions and (cos, sin) pairs of length one
    #[arg(long, value_name = "N")]
    pub random: Option<u64>,

    /// What the random numbers begin with; the same seed gives the same states
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Jsonl,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
