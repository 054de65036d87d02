//! The arguments of `system`.

use super::count;
use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
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
