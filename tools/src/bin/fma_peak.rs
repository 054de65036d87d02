//! How fast this core multiplies and adds at most, by kind of instruction: `cargo run --release -p
//! featherline-tools --bin fma_peak`.

use anyhow::Result;
use featherline_bench::{affinity, machine, peak};

fn main() -> Result<()> {
    affinity::pin(None)?;
    println!("{}", machine::description());
    let rates = peak::rates();
    let clock = machine::clock();
    if let Some(clock) = clock {
        println!("Clock: {clock:.2} GHz");
    }
    println!(
        "\n{:<14}{:<8}{:>6}{:>10}{:>14}",
        "", "", "lanes", "GFLOP/s", "FLOP a cycle"
    );
    for rate in rates {
        let a_cycle = clock.map_or(f64::NAN, |clock| rate.gigaflops / clock);
        println!(
            "{:<14}{:<8}{:>6}{:>10.1}{a_cycle:>14.1}",
            rate.instructions,
            rate.precision.to_string(),
            rate.lanes,
            rate.gigaflops
        );
    }
    Ok(())
}
