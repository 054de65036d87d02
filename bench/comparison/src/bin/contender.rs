//! featherline as a contender in the side-by-side benchmark.

use anyhow::Result;
use featherline_bench_protocol::server::serve;
use featherline_comparison::batches::BATCHES;
use featherline_comparison::calls::CALLS;
use featherline_comparison::closed_loops::LOOPS;
use featherline_comparison::programs::PROGRAMS;
use featherline_comparison::stepping::STEPS;

/// Told by the command that builds this program for a comparison.
const COMPILER: &str = match option_env!("FEATHERLINE_COMPILER") {
    Some(version) => version,
    None => "compiler not known",
};

fn main() -> Result<()> {
    let version = format!("featherline {}, {COMPILER}", env!("CARGO_PKG_VERSION"));
    let calls: Vec<_> = [CALLS, BATCHES, PROGRAMS, STEPS, LOOPS]
        .into_iter()
        .flatten()
        .collect();
    serve(&version, &calls)
}
