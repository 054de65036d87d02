//! Batches in several threads beside one.

use crate::robots;
use crate::states;
use anyhow::{Result, ensure};
use featherline::batch::{Batch, BatchStatus};
use featherline::{Error, Model};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

/// The speed of two threads to be reached, times one.
pub const AIM: f64 = 1.9;
/// So many states at once: the first take half a millisecond in one thread, and to wake a thread
/// that sleeps takes a twentieth of that.
const STATES: [usize; 2] = [4096, 16_384];
const ROUNDS: usize = 15;
const ROBOT: &str = "humanoid";

/// Inputs of many states and room for one result of each.
struct Rows {
    q: Vec<f64>,
    v: Vec<f64>,
    w: Vec<f64>,
    out: Vec<f64>,
    status: Vec<BatchStatus>,
}

impl Rows {
    fn draw(model: &Model, count: usize) -> Self {
        let drawn = states::draw(model, count, 11);
        let flat = |row: fn(&states::State) -> &Vec<f64>| -> Vec<f64> {
            drawn.iter().flat_map(row).copied().collect()
        };
        Self {
            q: flat(|s| &s.q),
            v: flat(|s| &s.v),
            w: flat(|s| &s.tau),
            out: vec![0.0; count * model.nv()],
            status: vec![BatchStatus::default(); count],
        }
    }
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

/// The throughput of several threads.
#[derive(Clone, Debug)]
pub struct Threads {
    /// How many threads.
    pub counts: Vec<usize>,
    /// Each call and number of states with the states a second for each of those counts.
    pub rates: Vec<(&'static str, usize, Vec<f64>)>,
}

impl Threads {
    /// Measures on the embedded humanoid, in turns; each time is the fastest. To be called before
    /// the process is kept on one core. Without a second core there is nothing to measure, and no
    /// rate.
    ///
    /// # Errors
    /// If the robot is not embedded, a thread can't be started, or a state has no result.
    pub fn measure(counts: &[usize]) -> Result<Self> {
        let mut threads = Self {
            counts: counts.to_vec(),
            rates: Vec::new(),
        };
        if std::thread::available_parallelism()?.get() < 2 {
            return Ok(threads);
        }
        let model = robots::embedded(ROBOT)?;
        let batches = counts.iter().map(|count| Batch::new(&model, *count));
        let mut batches = batches.collect::<Result<Vec<_>, Error>>()?;
        for states in STATES {
            let mut rows = Rows::draw(&model, states);
            for (name, run) in CALLS {
                let mut fastest = vec![f64::INFINITY; counts.len()];
                for _ in 0..ROUNDS {
                    for (batch, fastest) in batches.iter_mut().zip(&mut fastest) {
                        let begin = Instant::now();
                        let failed = black_box(run(batch, &mut rows)?);
                        *fastest = fastest.min(begin.elapsed().as_secs_f64());
                        ensure!(failed == 0, "{failed} states have no result");
                    }
                }
                let rates = fastest.iter().map(|time| states as f64 / time).collect();
                threads.rates.push((name, states, rates));
            }
        }
        Ok(threads)
    }

    /// Calls of which two threads miss the aim: name, states, and the rate by that of the first
    /// count.
    pub fn missed(&self) -> impl Iterator<Item = (&'static str, usize, f64)> {
        self.ratios()
            .filter(|&(.., count, ratio)| is_missed(count, ratio))
            .map(|(name, states, _, ratio)| (name, states, ratio))
    }

    /// Each call, its states and a number of threads, with the rate by that of the first number.
    fn ratios(&self) -> impl Iterator<Item = (&'static str, usize, usize, f64)> {
        self.rates.iter().flat_map(|(name, states, rates)| {
            let counts = self.counts.iter().zip(rates);
            counts.map(move |(&count, rate)| (*name, *states, count, rate / rates[0]))
        })
    }

    /// The rates beside that of the first count, in words.
    pub fn markdown(&self) -> String {
        if self.rates.is_empty() {
            return "This machine runs one thread at a time.\n".to_owned();
        }
        let mut text = format!(
            "States of the {ROBOT}, f64, fastest of {ROUNDS} turns; the aim for two threads is {AIM} times one; bold: it is missed. To wake a thread that sleeps is \
             a greater part of the smaller batches.\n\n\
             | call | states | threads | million states a second | by {} |\n|---|---:|---:|---:|---:|\n",
            self.counts.first().copied().unwrap_or(1)
        );
        let rates = self.rates.iter().flat_map(|(.., rates)| rates);
        for ((name, states, count, ratio), rate) in self.ratios().zip(rates) {
            let millions = rate * 1e-6;
            let mark = if is_missed(count, ratio) { "**" } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "| `{name}` | {states} | {count} | {millions:.2} | {mark}{ratio:.2}{mark} |"
            );
        }
        text
    }
}

/// Whether so many threads have an aim, and miss it.
fn is_missed(count: usize, ratio: f64) -> bool {
    count == 2 && ratio < AIM
}
