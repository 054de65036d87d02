//! Simulates random scenes, and counts the steps that are not what they claim to be.
//!
//! Each scene follows from its seed. After each step the laws of contact are checked anew from the
//! impulses and velocities that were reported, momentum is balanced, and penetration and energy
//! must not grow. A step that the solver itself flags is counted, and is no failure.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin fuzz_steps -- SEED THREADS SECONDS
//! cargo run --release -p featherline-tools --bin fuzz_steps -- SEED
//! ```
//!
//! The second form runs the scene of one seed, and says what is wrong with it. The result is a line
//! of JSON; the program fails if a step failed without a report.

mod checks;
mod drive;
mod robots;
mod scene;
mod shapes;
mod tally;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tally::Tally;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    std::panic::set_hook(Box::new(|_| {}));
    let tally = match numbers[..] {
        [seed] => one(seed, true),
        [seed, threads, seconds] => many(seed, threads, Duration::from_secs(seconds)),
        _ => return Err("usage: fuzz_steps SEED [THREADS SECONDS]".into()),
    };
    println!("{}", tally.json());
    match tally.unreported() {
        0 => Ok(()),
        count => Err(format!("{count} failures without a report").into()),
    }
}

/// The scene of a seed.
fn one(seed: u64, is_verbose: bool) -> Tally {
    let mut tally = Tally::default();
    tally.is_verbose = is_verbose;
    let run = catch_unwind(AssertUnwindSafe(|| drive::run(seed, &mut tally)));
    if run.is_err() {
        tally.count("panic", seed, 1.0);
    }
    tally
}

/// The scenes from a seed on, until the time is over.
fn many(first: u64, threads: u64, time: Duration) -> Tally {
    let next = AtomicU64::new(first);
    let end = Instant::now() + time;
    let work = || {
        let mut all = Tally::default();
        while Instant::now() < end {
            all.add(one(next.fetch_add(1, Ordering::Relaxed), false));
        }
        all
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut all = Tally::default();
        for worker in workers {
            // Scenes that panic are caught; a worker has nothing else that could.
            all.add(worker.join().unwrap_or_default());
        }
        all
    })
}
