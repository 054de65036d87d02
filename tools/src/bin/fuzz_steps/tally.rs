//! The results of the fuzzing, counted.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Seeds that are listed of each kind of failure.
const LISTED: usize = 20;

/// The names of a failure that the library reports itself.
pub const REPORTED: [&str; 2] = ["error", REPORTED_GAIN];

/// Energy from nothing of which the account tells.
pub const REPORTED_GAIN: &str = "reported energy";

/// Counts over all scenes.
#[derive(Default)]
pub struct Tally {
    pub scenes: u64,
    pub steps: u64,
    /// Contacts that push, over all steps.
    pub contacts: u64,
    /// Steps that the solver flags.
    pub inexact: u64,
    /// The largest natural map of a step that claims to be exact, beside what it may be.
    pub worst_law: f64,
    /// The worst imbalance of momentum, relative.
    pub worst_momentum: f64,
    /// For each kind of scene: scenes, steps, flagged steps, small steps, flagged ones of them.
    kinds: BTreeMap<&'static str, [u64; 5]>,
    /// For each kind of failure, how many and the first seeds.
    failures: BTreeMap<&'static str, (u64, Vec<u64>)>,
    /// Messages of errors, with their count.
    errors: BTreeMap<String, u64>,
    /// Whether failures are told one by one.
    pub is_verbose: bool,
}

impl Tally {
    pub fn scene(&mut self, kind: &'static str) {
        self.scenes += 1;
        self.kinds.entry(kind).or_default()[0] += 1;
    }

    pub fn step(&mut self, kind: &'static str, is_exact: bool, is_small: bool) {
        let own = self.kinds.entry(kind).or_default();
        self.steps += 1;
        own[1] += 1;
        own[3] += u64::from(is_small);
        if !is_exact {
            self.inexact += 1;
            own[2] += 1;
            own[4] += u64::from(is_small);
        }
    }

    /// Counts a failure in the scene of a seed, with how large it is.
    pub fn count(&mut self, failure: &'static str, seed: u64, size: f64) {
        if self.is_verbose {
            eprintln!("step {}: {failure}, {size:.3e}", self.steps);
        }
        let (count, seeds) = self.failures.entry(failure).or_default();
        *count += 1;
        if seeds.len() < LISTED && seeds.last() != Some(&seed) {
            seeds.push(seed);
        }
    }

    /// Counts an error that a step returned.
    pub fn error(&mut self, error: &dyn std::error::Error, seed: u64) {
        // Numbers differ from scene to scene.
        let text = error.to_string();
        if self.is_verbose {
            eprintln!("{text}");
        }
        let kind: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
        *self.errors.entry(kind).or_default() += 1;
        self.count(REPORTED[0], seed, 1.0);
    }

    pub fn add(&mut self, other: Self) {
        self.scenes += other.scenes;
        self.steps += other.steps;
        self.contacts += other.contacts;
        self.inexact += other.inexact;
        self.worst_law = self.worst_law.max(other.worst_law);
        self.worst_momentum = self.worst_momentum.max(other.worst_momentum);
        for (kind, counts) in other.kinds {
            let own = self.kinds.entry(kind).or_default();
            for (own, count) in own.iter_mut().zip(counts) {
                *own += count;
            }
        }
        for (failure, (count, seeds)) in other.failures {
            let own = self.failures.entry(failure).or_default();
            own.0 += count;
            own.1.extend(seeds);
            own.1.truncate(LISTED);
        }
        for (error, count) in other.errors {
            *self.errors.entry(error).or_default() += count;
        }
    }

    /// How many failures nobody reported.
    pub fn unreported(&self) -> u64 {
        let silent = self.failures.iter();
        let silent = silent.filter(|(failure, _)| !REPORTED.contains(failure));
        silent.map(|(_, (count, _))| count).sum()
    }

    pub fn json(&self) -> Value {
        let kinds = self.kinds.iter().map(|(kind, counts)| {
            let [scenes, steps, inexact, small, small_inexact] = counts;
            let own = json!({
                "scenes": scenes,
                "steps": steps,
                "inexact": inexact,
                "small_steps": small,
                "inexact_small_steps": small_inexact,
            });
            ((*kind).to_owned(), own)
        });
        let failures = self.failures.iter().map(|(failure, (count, seeds))| {
            let own = json!({ "count": count, "seeds": seeds });
            ((*failure).to_owned(), own)
        });
        json!({
            "scenes": self.scenes,
            "steps": self.steps,
            "contacts": self.contacts,
            "inexact": self.inexact,
            "unreported": self.unreported(),
            "worst_law": self.worst_law,
            "worst_momentum": self.worst_momentum,
            "kinds": Value::Object(kinds.collect()),
            "failures": Value::Object(failures.collect()),
            "errors": self.errors,
        })
    }
}
