//! The arguments of `run`.

use crate::format::Format;
use clap::Args;
use std::path::PathBuf;

pub const HELP: &str = "\
Without states, the program is described: inputs, outputs, instructions, operations.

A state is a line of JSON with all inputs of the program:
  {\"q\": [0, -0.8], \"v\": [0, 0], \"a\": [1, 0]}
or an output of `eval` with a field `state`, of which the inputs are read. Fields that are no \
inputs are ignored, and so are empty lines.

With --format jsonl, each answer is a line of JSON with the outputs, and of random states also \
with the inputs as `state`; matrices are arrays of rows. An output that the robot does not have in \
a state is null, with the reason under `errors`. A line that is not a state, or with numbers so \
large that an output overflows, is answered by {\"error\": {\"line\": …, \"column\": …, \
\"reason\": …}}, and the exit code is 2.

Examples:
  featherline run panda.tau
  featherline run panda.tau --states states.jsonl --format jsonl
  featherline eval panda --random 100 --compute state --format jsonl |
    featherline run panda.tau --states - --format jsonl";

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

    /// The seed of the random states; the same seed gives the same states
    #[arg(long, value_name = "S", default_value_t = 0, requires = "random")]
    pub seed: u64,

    /// Tables, or one line of JSON for each state
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
