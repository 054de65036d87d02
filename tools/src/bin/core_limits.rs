//! Bounds of a call on this machine: instructions a cycle, chains of operations, lines of results,
//! and what two cores do at once: `cargo run --release -p featherline-tools --bin core_limits`.

use anyhow::{Result, anyhow};
use featherline_bench::limits::{self, Figure};
use featherline_bench::{affinity, machine, peak};
use std::sync::Barrier;
use std::thread;

/// A multiply-add at the greatest rate, and lines of results.
fn sustained() -> Vec<Figure> {
    let multiply_add = Figure {
        what: "multiply-add, f64",
        value: peak::peak(&peak::rates(), peak::Precision::Double),
        unit: "GFLOP/s",
    };
    let mut figures = vec![multiply_add];
    figures.extend(limits::lines());
    figures
}

/// The same on one core and on two at once.
fn two_cores() -> Result<()> {
    if thread::available_parallelism()?.get() < 2 {
        return Ok(());
    }
    let begin = Barrier::new(2);
    let begin = &begin;
    let run = move |core| {
        move || -> Result<Vec<Figure>> {
            affinity::pin(Some(core))?;
            begin.wait();
            Ok(sustained())
        }
    };
    let together = thread::scope(|scope| {
        let threads = [scope.spawn(run(0)), scope.spawn(run(1))];
        threads.map(|thread| thread.join().map_err(|_| anyhow!("a thread panicked")))
    });
    let [first, second] = together;
    let (first, second) = (first??, second??);
    affinity::pin(None)?;
    let alone = sustained();
    println!("\n| | alone | two at once | | |\n|---|---:|---:|---:|---|");
    for ((a, b), c) in alone.iter().zip(&first).zip(&second) {
        println!(
            "| {} | {:.2} | {:.2} | {:.2} | {} |",
            a.what, a.value, b.value, c.value, a.unit
        );
    }
    Ok(())
}

fn main() -> Result<()> {
    println!("{}", machine::description());
    two_cores()?;
    affinity::pin(None)?;
    if let Some(clock) = machine::clock() {
        println!("\nClock: {clock:.2} GHz\n\n| | | |\n|---|---:|---|");
    }
    for figure in limits::instructions() {
        println!(
            "| {} | {:.2} | {} |",
            figure.what, figure.value, figure.unit
        );
    }
    Ok(())
}
