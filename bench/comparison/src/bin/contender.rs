//! featherline as a contender in the side-by-side benchmark. An argument limits its instructions,
//! by name.

use anyhow::{Result, bail};
use featherline::scalar::InstructionSet;
use featherline_bench::instructions;
use featherline_bench_protocol::server::serve;
use featherline_comparison::batches::BATCHES;
use featherline_comparison::calls::CALLS;
use featherline_comparison::closed_loops::LOOPS;
use featherline_comparison::held::HELD_CALLS;
use featherline_comparison::programs::PROGRAMS;
use featherline_comparison::stepping::STEPS;

/// Told by the command that builds this program for a comparison.
const COMPILER: &str = match option_env!("FEATHERLINE_COMPILER") {
    Some(version) => version,
    None => "compiler not known",
};

fn main() -> Result<()> {
    match &std::env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => {}
        [name] => instructions::limit(name)?,
        more => bail!("one argument at most, not {}", more.len()),
    }
    let version = format!("featherline {}, {COMPILER}", env!("CARGO_PKG_VERSION"));
    // Machine code is made of AVX2 and AVX-512.
    let programs = match InstructionSet::in_use() {
        InstructionSet::Baseline => &[],
        InstructionSet::Avx2 | InstructionSet::Avx512 => PROGRAMS,
    };
    let calls: Vec<_> = [CALLS, BATCHES, programs, STEPS, LOOPS, HELD_CALLS]
        .into_iter()
        .flatten()
        .collect();
    serve(&version, &calls)
}
