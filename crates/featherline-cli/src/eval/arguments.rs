//! The arguments of `eval`.

use super::evaluation::not_of_a_state;
use super::quantity::USUAL;
use crate::format::Format;
use crate::list::List;
use crate::names;
use crate::robot::RobotArguments;
use crate::states::StateArguments;
use clap::Args;
use featherline::quantity::CATALOGUE;
use std::path::PathBuf;

const HELP: &str = "\
A state is a line of JSON with any of q, v, a, tau, external_forces, forces_in; a missing q is neutral, the \
others are zero:
  {\"q\": [0, -0.8, 0, -2.4, 0, 1.6, 0.8], \"tau\": [0, 0, 0, 0, 0, 0, 0]}
External forces act on bodies, [force, moment] in the axes of a link, frame or joint, about its \
origin; a name of several is the link's:
  {\"external_forces\": {\"panda_link8\": [0, 0, -10, 0, 0, 0]}}
With \"forces_in\": \"aligned\" they are along the axes of the world, with \"world\" also about its \
origin; derivatives along q hold them there. \
They act in quantities that take f, below, and in maximal_dynamics. A state may also be an output of `eval` with a field `state`, \
of which the other fields are ignored. Empty lines are skipped. `featherline info ROBOT --json` lists which entry belongs to which joint. \
--q, --v, --a and --tau, or --configuration, give one state; without states, the neutral one at rest \
is evaluated.

Quantities (SI units, radians; matrices are arrays of rows; 6-vectors are [linear, angular]), with \
the other names that are accepted. The answer has the first name:
{usual}
  operation_counts
      Arithmetic operations of rnea, crba, aba and ltdl (the factorisation alone).
  state
      The state itself.
  all
      All of these.

By name only; FRAME is local, world or aligned (the axes of the world, at the link's origin):
{others}
  maximal_dynamics (q, v, tau)
      Every body free, every joint a constraint, loops closed: accelerations of bodies and forces
      in joints.

Derivatives along q are by changes in the tangent space, one column for each coordinate of v. tau \
stands for b, external forces for f.

Without --compute: all, operation_counts in the first table only. JSON has the state of each \
random state, and of other states if you ask for it.

A quantity that a state does not have is null, with the reason under `errors`; the others are \
computed. The same holds for matrices of more than 1 GB, unless you name one: then nothing is \
computed. Answers are written one by one. A line that is not a state is answered by {\"error\": \
{\"line\": …, \"column\": …, \"reason\": …}}, and the exit code is 2.

Examples:
  featherline eval panda
  featherline eval panda --q 0,-0.8,0,-2.4,0,1.6,0.8 --compute g,M
  featherline eval panda --compute tau,bias,jacobian:panda_link8:aligned
  echo '{\"v\": [1, 0]}' | featherline eval double_pendulum --states -
  featherline eval my_robot.urdf --floating-base --random 9 --format jsonl";

/// The help, with the quantities of the catalogue.
pub fn help() -> String {
    let mut usual = String::new();
    let mut others = String::new();
    for listed in CATALOGUE.iter().filter(|it| not_of_a_state(it).is_none()) {
        let text = match USUAL.contains(&listed.entry.key) {
            true => &mut usual,
            false => &mut others,
        };
        text.push_str(&names::description(&listed.entry));
    }
    let help = HELP.replace("{usual}\n", &usual);
    help.replace("{others}\n", &others)
}

#[derive(Debug, Args)]
pub struct EvalArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    #[command(flatten)]
    pub state: StateArguments,

    /// The acceleration, nv numbers separated by commas
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub a: Option<List>,

    /// The joint forces, nv numbers separated by commas
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub tau: Option<List>,

    /// Read states, one a line, from a file or from standard input (-)
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["random", "configuration", "q", "v", "a", "tau"])]
    pub states: Option<PathBuf>,

    /// Draw N states within the limits (without limits: angles within a turn, lengths, rates and
    /// forces within ±1)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["configuration", "q", "v", "a", "tau"])]
    pub random: Option<u64>,

    /// The seed of the random states; the same seed gives the same states
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub seed: u64,

    /// Quantities to compute, separated by commas (a comma of a name is written \,); may be given
    /// several times
    #[arg(long, value_name = "LIST")]
    pub compute: Vec<String>,

    /// Tables, or one line of JSON for each state
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
