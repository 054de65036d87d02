//! How the throughput of batches grows with the number of threads: `cargo run --release -p
//! featherline-tools --bin batch_threads [COUNT]...`, by default with 1, 2, 4, 8 and 16. The robot
//! is embedded in the program.

use anyhow::Result;
use featherline_bench::machine;
use featherline_bench::threads::Threads;

fn main() -> Result<()> {
    let mut counts = Vec::new();
    for argument in std::env::args().skip(1) {
        counts.push(argument.parse()?);
    }
    if counts.is_empty() {
        counts = vec![1, 2, 4, 8, 16];
    }
    println!("{}\n", machine::description());
    print!("{}", Threads::measure(&counts)?.markdown());
    Ok(())
}
