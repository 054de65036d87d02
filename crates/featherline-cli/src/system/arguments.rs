//! The arguments of `system`.

use super::count;
use crate::file;
use crate::format::Format;
use crate::robot::RobotArguments;
use clap::{ArgGroup, Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub const HELP: &str = "\
Unknowns are the accelerations and forces of all bodies and joints; equations are those of Newton \
and Euler, known quantities, and sensors. The diagnosis reports what is determined and what is \
not, which measurements are missing, and which are redundant; it uses the structure, and numbers \
at the neutral and at random configurations.

Known quantities (--known, or `known` in the file of sensors; several separated by commas, a \
comma of a name is written \\,):
  qdd, tau                      joint accelerations, joint forces
                                (joint-accelerations, joint-forces)
  qdd:JOINT, tau:JOINT          those of one joint
                                (joint-acceleration:JOINT, joint-force:JOINT)
  free-base                     no force acts in the floating base
  external-force:BODY           the external force on one body is given
  unknown-external-force:BODY   it is not, whatever is said of other bodies
  no-external-forces            none acts on bodies without a sensor of external
                                forces, a contact, or a word of their own
  external-forces               those on these bodies are given

BODY is the name of the joint that moves the body, or of a link or frame on it. Answers have the \
joint's name. Two words for the same quantity are an error.

Sensors are read from TOML: see robots/humanoid-feet.toml and robots/panda-wrist.toml. Readings, \
`sigma` and `covariance` are in the order of `components`. Terms of a linear sensor are components \
in the joint's output frame, as in --want:
  terms = [{ of = \"transmitted-force\", joint = \"JOINT\", component = \"my\",
             factor = 1.0 }]

Priors of single unknowns for --estimate, in place of --prior:
  [[prior]]
  of = \"external-force:BODY\"  # a word of --want
  mean = 0                    # or a list
  sigma = 1e6                 # or a list, or `covariance` as rows

A force sensor in a fixed joint needs --keep-fixed-joint: without it, the links on that joint are \
one body.

A sample (--solve, --estimate) is a line of JSON with q, v, the known quantities by their words (a \
or qdd, tau), and readings by the names of sensors; the time t, in s, is optional:
  {\"t\": 0.02, \"q\": [0, -0.8, …], \"v\": [0, 0, …], \"qdd\": [0, 0, …],
   \"wrist\": [0, 0, 9.8, 0, 0, 0]}
Other fields are ignored, as in what `eval`, `run` and `simulate` write; of a line with a field \
`state`, that field is read. An estimate leaves out sensors whose readings are null. Empty lines \
are skipped; a line that is not a sample is answered by its error, as in `featherline eval`. \
--simulate writes such lines.

Requested outputs (--want):
  tau, qdd                  every joint force, every joint acceleration, in the
                            order of v (joint-forces, joint-accelerations)
  tau:JOINT, qdd:JOINT      (joint-force:JOINT, joint-acceleration:JOINT)
  external-forces           those that are not known
  external-force:BODY,
  transmitted-force:JOINT,
  acceleration:BODY         six-vectors [linear, angular] in the output frame
                            of the joint
  loop-forces               what all loop joints transmit to their successors
  loop-force:JOINT          what one transmits, a six-vector
  loop-acceleration:JOINT   along the degrees of freedom of a loop joint

--count counts one factorisation and one solve in each order (--orders), without the assembly of \
the equations. With more or fewer equations than unknowns, the program of the \
estimate of all unknowns is counted instead, and that of its check.

An estimate has standard deviations; the residuals of each sensor in their standard deviations \
(null where no other equation tests the sensor) and the largest of them (an outlier from 4 on); a \
chi-square test of each sensor's residuals together, and one of all, with priors and equations \
that have a deviation. Priors with a thousand times the scale of the robot's weight, as the \
default prior has, do not count.

--solve searches for an order of elimination and compiles it, once: the result is kept under a \
hash of robot, problem and search. Every result is checked; where the compiled order loses digits, \
a general factorisation solves.

States of robots with closed loops must close them: the answer to another state is an error that \
says how far the loops are open. With redundant loop constraints, as in every planar linkage, \
components of forces are not determined; --solve then solves state by state for what is, and \
answers null for the rest.

Exit codes:
  0  everything is determined; or all samples are answered
  1  something is not determined
  2  not done: the arguments, the robot, the sensors or a sample can't be read

Examples:
  featherline system humanoid --sensors robots/humanoid-feet.toml
  featherline system panda --known tau,no-external-forces --spy panda.svg
  featherline system humanoid --spy-of mass-matrix
  featherline system panda --known tau,no-external-forces --count
  featherline system snake --known tau,no-external-forces --count \\
    --orders aba,markowitz
  featherline system panda --sensors robots/panda-wrist.toml \\
    --simulate 200 > samples.jsonl
  featherline system panda --sensors robots/panda-wrist.toml \\
    --estimate samples.jsonl --want tau --plot torques.svg
  featherline system panda --known qdd,no-external-forces --simulate 9 |
    featherline system panda --known qdd,no-external-forces --solve -";

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("planned").multiple(true))]
pub struct SystemArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// Known quantities, separated by commas; may be given several times. Joint forces include the
    /// damping and friction of a file
    #[arg(long, value_name = "LIST")]
    pub known: Vec<String>,

    /// Write the system of one state to a folder: D and b of D y = b, the names of rows and
    /// columns, the order of elimination, its factors, and y
    #[arg(long, value_name = "DIR", value_parser = file::written())]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "estimate", "simulate"])]
    #[arg(groups = ["ordered", "planned", "listed"])]
    pub export: Option<PathBuf>,

    /// The state of --export, the first sample of a file or of standard input (-) [default: a
    /// simulated one, in the midst of a swing]
    #[arg(long, value_name = "FILE|-", requires = "export")]
    pub sample: Option<PathBuf>,

    /// Read sensors and contacts from a file
    #[arg(long, value_name = "FILE")]
    pub sensors: Option<PathBuf>,

    /// Cut closed loops: use the spanning tree, without the forces in loop joints
    #[arg(long)]
    pub cut_loops: bool,

    /// Report what is determined and what is not (the default)
    #[arg(long)]
    pub diagnose: bool,

    /// Count the operations of eliminating the system, order by order
    #[arg(long, conflicts_with = "diagnose", groups = ["ordered", "listed", "answered"])]
    pub count: bool,

    /// Which orders to count, separated by commas, or all [default: all]; of --export, one
    /// [default: the first accurate one of markowitz, minimum_degree, aba, crba_ltdl]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "listed")]
    #[arg(conflicts_with_all = ["diagnose", "solve", "estimate", "simulate"])]
    #[arg(value_parser = count::words())]
    pub orders: Vec<String>,

    /// Solve for the unknowns, sample by sample, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["diagnose", "count"])]
    #[arg(groups = ["ordered", "planned", "answered", "drawn"])]
    pub solve: Option<PathBuf>,

    /// Compute the most probable unknowns, sample by sample, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["diagnose", "count", "solve"])]
    #[arg(groups = ["answered", "drawn"])]
    pub estimate: Option<PathBuf>,

    /// Write N samples of a robot that swings, with the sensors' errors; on load cells and contacts
    /// a free base stands, and loops stay closed
    #[arg(long, value_name = "N", conflicts_with_all = ["diagnose", "count", "solve", "estimate"])]
    pub simulate: Option<u64>,

    /// The seed of the simulation; the same seed gives the same samples
    #[arg(long, value_name = "S", default_value_t = 0, requires = "simulate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "estimate"])]
    pub seed: u64,

    /// Requested outputs, separated by commas; may be given several times [default: what is not
    /// known]
    #[arg(long, value_name = "LIST", requires = "answered")]
    #[arg(conflicts_with_all = ["diagnose", "simulate"])]
    pub want: Vec<String>,

    /// Draw the requested outputs, with bands of two standard deviations (of more than 16,384
    /// samples, evenly spaced ones)
    #[arg(long, value_name = "FILE.svg", value_parser = file::written(), requires = "drawn")]
    #[arg(conflicts_with_all = ["diagnose", "count", "simulate"])]
    pub plot: Option<PathBuf>,

    /// Search for an order with few operations for so long [default for --solve: until 20,000
    /// changes are tried, at most 10 s]; with --count, add it to the table. The result depends on
    /// the machine
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "ordered", group = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate"])]
    pub search: Option<Duration>,

    /// Search until so many changes of the order are tried: the same order on every machine
    #[arg(long, value_name = "N", requires = "ordered", group = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate", "search"])]
    pub search_changes: Option<u32>,

    /// Keep the orders that --solve or --search found in this folder, or nowhere (none)
    /// [default: the user's cache folder]
    #[arg(long, value_name = "DIR|none", requires = "planned")]
    #[arg(conflicts_with_all = ["diagnose", "estimate", "simulate"])]
    pub cache: Option<PathBuf>,

    /// The prior standard deviation of every unknown about zero, in N, N·m, m/s² and rad/s²; or
    /// none. Moments of external forces are about the first sensor or contact on a body, else about
    /// its joint [default: a thousand times the scale of the robot's weight]
    #[arg(long, value_name = "SIGMA|none", value_parser = prior, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub prior: Option<Prior>,

    /// The standard deviation of equations, known quantities and exact sensors, for models with
    /// errors [default: they hold exactly]
    #[arg(long, value_name = "SIGMA", value_parser = deviation, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub equation: Option<f64>,

    /// Add the covariance matrix of each requested output, in lines of JSON
    #[arg(long, requires = "estimate")]
    #[arg(conflicts_with_all = ["diagnose", "count", "solve", "simulate"])]
    pub covariance: bool,

    /// Leave out the search for measurements that would help
    #[arg(long, conflicts_with_all = ["count", "solve", "estimate", "simulate"])]
    pub no_advice: bool,

    /// Draw the matrix before and after its permutation to block triangular form, or the one of
    /// --spy-of; alone, nothing else is done
    #[arg(long, value_name = "FILE.svg", value_parser = file::written())]
    pub spy: Option<PathBuf>,

    /// Which pattern --spy draws; without --spy it is printed [default: system]
    #[arg(long, value_enum, value_name = "MATRIX")]
    pub spy_of: Option<Picture>,

    /// Text, or lines of JSON [default: text]
    #[arg(long, value_enum, conflicts_with = "simulate")]
    pub format: Option<Format>,
}

impl SystemArguments {
    /// Whether a search is asked for by name.
    pub fn searches(&self) -> bool {
        self.search.is_some() || self.search_changes.is_some()
    }

    /// Whether anything but the picture of the matrix is asked for by name.
    pub fn wants_more_than_pictures(&self) -> bool {
        let samples = self.solve.is_some() || self.estimate.is_some() || self.simulate.is_some();
        let diagnosis = self.diagnose || self.no_advice || self.format.is_some();
        diagnosis || self.count || samples || self.export.is_some()
    }
}

/// A matrix whose pattern is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Picture {
    /// D of D y = b
    #[default]
    System,
    /// The joint-space mass matrix H
    MassMatrix,
    /// L of H = LᵀDL, with the elements that the factorisation touches
    Ltdl,
    /// Masses and constraints of maximal coordinates, from the leaves to the root
    Kkt,
}

/// The prior of unknowns: a standard deviation, or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior(pub Option<f64>);

fn prior(text: &str) -> Result<Prior, String> {
    if text == "none" {
        return Ok(Prior(None));
    }
    let sigma = deviation(text).map_err(|reason| format!("{reason}; or `none`"));
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
        _ => {
            Err("a number between 1e-153 and 1e153, so that its square is a number, too".to_owned())
        }
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
