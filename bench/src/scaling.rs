//! Time per link on chains of 10 to 10,000 links: the recursions cost O(n), and nothing else grows.

use crate::footprint::{BytesKept, Footprint};
use crate::machine::Caches;
use crate::states::{self, State};
use anyhow::{Result, bail};
use featherline::{Error, Model, Workspace, samples};
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

/// Three to a decade, so that several chains lie within each cache.
pub const LINKS: [usize; 10] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
/// While the second cache holds model and workspace, the slowest chain may take so many times as
/// long per link as the fastest.
pub const BOUND: f64 = 1.5;
/// The library's aim in place of [`BOUND`].
pub const AIM: f64 = 1.3;
/// Links to pass in one sample, so that each sample takes about a millisecond whatever the chain.
const LINKS_IN_A_SAMPLE: usize = 20_000;
const SAMPLES: usize = 51;
const STATES: usize = 2;

type Run = fn(&Model, &mut Workspace<f64>, &State) -> Result<(), Error>;

const ALGORITHMS: [(&str, Run); 3] = [
    ("RNEA", |m, ws, s| {
        m.rnea(ws, &s.q, &s.v, &s.a).map(|tau| {
            black_box(tau);
        })
    }),
    ("ABA", |m, ws, s| {
        m.aba(ws, &s.q, &s.v, &s.tau).map(|a| {
            black_box(a);
        })
    }),
    ("FK", |m, ws, s| {
        m.forward_kinematics(ws, &s.q).map(|p| {
            black_box(p);
        })
    }),
];

/// The measurements.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// Links of each chain, and bytes of its model and workspace.
    pub chains: Vec<(usize, usize)>,
    /// For each algorithm its name, and nanoseconds a link on each chain.
    pub times: Vec<(&'static str, Vec<f64>)>,
    /// The sizes of the core's caches, if known.
    pub caches: Option<Caches>,
}

impl Scaling {
    /// Measures all algorithms on all chains, in one thread. Takes some seconds.
    ///
    /// # Errors
    /// Those of the algorithms.
    pub fn measure(kept: BytesKept) -> Result<Self, Error> {
        let mut chains = Vec::new();
        let mut times: Vec<_> = ALGORITHMS.iter().map(|(name, _)| (*name, vec![])).collect();
        for links in LINKS {
            let model = samples::snake(links);
            chains.push((links, Footprint::of(&model, kept).of_recursion()));
            for ((_, times), (_, run)) in times.iter_mut().zip(ALGORITHMS) {
                times.push(time_per_link(&model, run)?);
            }
        }
        Ok(Self {
            chains,
            times,
            caches: Caches::of_this_machine(),
        })
    }

    /// For each algorithm its name, and the time per link on the slowest chain by that on the
    /// fastest, of those chains that the second cache holds; of all chains where the caches are not
    /// known.
    pub fn unevenness(&self) -> Vec<(&'static str, f64)> {
        let is_held = |bytes: usize| self.caches.is_none_or(|caches| bytes <= caches.l2);
        let of_one = |times: &[f64]| {
            let held = self.chains.iter().zip(times);
            let held = held.filter(|((_, bytes), _)| is_held(*bytes));
            let (least, greatest) = held.fold((f64::INFINITY, 0.0_f64), |(low, high), (_, t)| {
                (low.min(*t), high.max(*t))
            });
            greatest / least
        };
        let times = self.times.iter();
        times.map(|(name, times)| (*name, of_one(times))).collect()
    }

    /// Fails if the time per link grows with the chain while the second cache holds it.
    ///
    /// # Errors
    /// Names the algorithms for which [`BOUND`] is broken.
    pub fn check(&self) -> Result<()> {
        let uneven = self.unevenness();
        let broken: Vec<String> = uneven
            .iter()
            .filter(|(_, ratio)| *ratio > BOUND)
            .map(|(name, ratio)| format!("{name}: {ratio:.2}"))
            .collect();
        if broken.is_empty() {
            return Ok(());
        }
        bail!(
            "the time per link differs by more than a factor of {BOUND} between chains in cache ({})",
            broken.join(", ")
        )
    }

    /// The measurement as a table in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("| links |");
        // Writing to a string does not fail.
        for (name, _) in &self.times {
            let _ = write!(text, " {name}, ns a link |");
        }
        text.push_str(" model and workspace | held by |\n|---:|");
        text.push_str(&"---:|".repeat(self.times.len() + 1));
        text.push_str("---|\n");
        for (k, (links, bytes)) in self.chains.iter().enumerate() {
            let _ = write!(text, "| {links} |");
            for (_, times) in &self.times {
                let _ = write!(text, " {:.1} |", times[k]);
            }
            let cache = self.caches.map_or("?", |caches| caches.holding(*bytes));
            let _ = writeln!(text, " {} kB | {cache} |", bytes.div_ceil(1000));
        }
        text.push_str("| **slowest / fastest, up to L2** |");
        for (_, ratio) in self.unevenness() {
            let _ = write!(text, " **{ratio:.2}** |");
        }
        text.push_str(" | |\n");
        text
    }
}

fn time_per_link(model: &Model, run: Run) -> Result<f64, Error> {
    let states = states::draw(model, STATES, 7);
    let mut workspace = Workspace::<f64>::recursive(model);
    let links = model.nv();
    let passes = LINKS_IN_A_SAMPLE.div_ceil(links * STATES);
    // Other work on the machine only adds to a time.
    let mut fastest = f64::INFINITY;
    // The first sample warms the caches and is not counted.
    for sample in 0..=SAMPLES {
        let begin = Instant::now();
        for _ in 0..passes {
            for state in &states {
                run(black_box(model), &mut workspace, state)?;
            }
        }
        let time = begin.elapsed().as_secs_f64() * 1e9;
        if sample > 0 {
            fastest = fastest.min(time / (passes * STATES * links) as f64);
        }
    }
    Ok(fastest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaling(times: [f64; 3]) -> Scaling {
        Scaling {
            chains: vec![(10, 100), (100, 1_000), (1_000, 10_000)],
            times: vec![("RNEA", times.to_vec())],
            caches: Some(Caches { l1: 500, l2: 5_000 }),
        }
    }

    #[test]
    fn only_chains_in_cache_must_be_even() {
        let even = scaling([10.0, 12.0, 40.0]);
        assert_eq!(even.unevenness(), [("RNEA", 1.2)]);
        assert!(even.check().is_ok());
        let uneven = scaling([10.0, 16.0, 40.0]).check();
        assert!(uneven.is_err_and(|error| error.to_string().contains("RNEA: 1.60")));
    }

    #[test]
    fn the_table_tells_where_a_chain_lies() {
        let text = scaling([10.0, 12.0, 40.0]).markdown();
        assert!(text.contains("| 10 | 10.0 | 1 kB | L1 |"), "{text}");
        assert!(
            text.contains("| 1000 | 40.0 | 10 kB | beyond L2 |"),
            "{text}"
        );
    }
}
