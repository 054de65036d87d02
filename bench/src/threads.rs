//! Batches in two threads beside one.

use crate::robots;
use crate::states;
use anyhow::{Result, ensure};
use featherline::Error;
use featherline::batch::{Batch, Status};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

/// What two threads are to reach, times one.
pub const AIM: f64 = 1.9;
/// Enough that starting the threads does not count.
const STATES: usize = 4096;
const ROUNDS: usize = 15;
const ROBOT: &str = "humanoid";

/// Inputs of many states and room for one result of each.
struct Rows {
    q: Vec<f64>,
    v: Vec<f64>,
    w: Vec<f64>,
    out: Vec<f64>,
    status: Vec<Status>,
}

type Run = fn(&mut Batch<f64>, &mut Rows) -> Result<usize, Error>;

const CALLS: [(&str, Run); 2] = [
    ("rnea", |batch, r| {
        batch.rnea(&r.q, &r.v, &r.w, &mut r.out, &mut r.status)
    }),
    ("aba", |batch, r| {
        batch.aba(&r.q, &r.v, &r.w, &mut r.out, &mut r.status)
    }),
];

/// The throughput of two threads by that of one.
#[derive(Clone, Debug)]
pub struct Threads {
    /// Each call with its ratio.
    pub ratios: Vec<(&'static str, f64)>,
}

impl Threads {
    /// Measures on the embedded humanoid, in turns; each time is the fastest. To be called before the process is kept on
    /// one core. Without a second core there is nothing to measure, and no ratio.
    ///
    /// # Errors
    /// If the robot is not embedded, a thread can't be started, or a state has no result.
    pub fn measure() -> Result<Self> {
        if std::thread::available_parallelism()?.get() < 2 {
            return Ok(Self { ratios: Vec::new() });
        }
        let model = robots::embedded(ROBOT)?;
        let drawn = states::draw(&model, STATES, 11);
        let flat = |row: fn(&states::State) -> &Vec<f64>| -> Vec<f64> {
            drawn.iter().flat_map(row).copied().collect()
        };
        let mut rows = Rows {
            q: flat(|s| &s.q),
            v: flat(|s| &s.v),
            w: flat(|s| &s.tau),
            out: vec![0.0; STATES * model.nv()],
            status: vec![Status::default(); STATES],
        };
        let mut batches = [Batch::new(&model, 1)?, Batch::new(&model, 2)?];
        let mut ratios = Vec::new();
        for (name, run) in CALLS {
            let mut fastest = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                for (batch, fastest) in batches.iter_mut().zip(&mut fastest) {
                    let begin = Instant::now();
                    let failed = black_box(run(batch, &mut rows)?);
                    *fastest = fastest.min(begin.elapsed().as_secs_f64());
                    ensure!(failed == 0, "{failed} states have no result");
                }
            }
            ratios.push((name, fastest[0] / fastest[1]));
        }
        Ok(Self { ratios })
    }

    /// The ratios in words.
    pub fn markdown(&self) -> String {
        if self.ratios.is_empty() {
            return "This machine runs one thread at a time.\n".to_owned();
        }
        let mut text = format!(
            "Throughput of two threads by that of one, {STATES} states of the {ROBOT}, f64, fastest of {ROUNDS} turns; the aim is \
             {AIM}.\n\n| call | two threads by one |\n|---|---:|\n"
        );
        for (name, ratio) in &self.ratios {
            // Writing to a string does not fail.
            let _ = writeln!(text, "| `{name}` | {ratio:.2} |");
        }
        text
    }
}
