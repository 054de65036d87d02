//! Stacks of ten boxes that are shoved: more contacts than what carries them is determined by.

use featherline_constraint::nonsmooth::SolverOptions;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::setup::Setup;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Boxes of a stack.
const BOXES: usize = 10;
/// Steps in which it rests, and steps after the shove.
const REST: usize = 3;
pub const AFTER: usize = 20;
/// The step, in s.
const STEP: f64 = 2e-3;
/// The shove in m/s: of one box, or the greatest of all boxes.
const SHOVE: f64 = 0.5;

/// How a stack was solved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shoved {
    /// Whether the step of the shove was exact.
    pub is_first_exact: bool,
    /// How many steps after the shove were exact.
    pub exact: usize,
    /// The worst residual relative to that of no impulses.
    pub worst: f64,
    /// How many matrices were factorised.
    pub factorisations: usize,
}

/// A stack of a seed: its mass ratio is 1, 10, 100 or 1000 from the lightest box to the heaviest,
/// which is below, above or anywhere; one box is shoved sideways, or all are.
pub fn shove(seed: u64) -> Shoved {
    shove_with(seed, SolverOptions::default())
}

fn shove_with(seed: u64, options: SolverOptions) -> Shoved {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ratio = 10_f64.powi((seed % 4) as i32);
    let mut masses: Vec<f64> = (0..BOXES)
        .map(|k| ratio.powf(k as f64 / (BOXES - 1) as f64))
        .collect();
    match rng.random_range(0..3) {
        0 => masses.reverse(),
        1 => {
            for k in (1..BOXES).rev() {
                masses.swap(k, rng.random_range(0..=k));
            }
        }
        _ => {}
    }
    let mut text = "[ground]\n".to_owned();
    for (k, mass) in masses.iter().enumerate() {
        let z = 0.05 + 0.1 * k as f64;
        writeln!(
            text,
            "[[body]]\nname = 'box_{k}'\nbox = [0.1, 0.1, 0.1]\nmass = {mass:?}\nposition = [0, 0, {z:?}]"
        )
        .unwrap();
    }
    let scene = load_str_with(&text, &LoadOptions::new()).unwrap();
    let start = Setup::default().decide(&scene).unwrap();
    let start = start.with_friction(rng.random_range(0.3..1.0));
    let mut stepping = start.time_stepping().unwrap();
    let (mut q, mut v) = (start.q, start.v);
    for _ in 0..REST {
        let report = stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
        assert!(report.outcome.has_converged, "seed {seed}: {report:?}");
    }
    if rng.random() {
        let angle = rng.random_range(0.0..std::f64::consts::TAU);
        let first = 6 * rng.random_range(0..BOXES);
        v[first] += SHOVE * angle.cos();
        v[first + 1] += SHOVE * angle.sin();
    } else {
        for k in 0..BOXES {
            v[6 * k] += SHOVE * rng.random_range(-1.0..1.0);
            v[6 * k + 1] += SHOVE * rng.random_range(-1.0..1.0);
        }
    }
    let mut stepping = stepping.with_options(options);
    let mut found = Shoved::default();
    for k in 0..AFTER {
        let outcome = stepping.step(0.0, &mut q, &mut v, STEP).unwrap().outcome;
        found.exact += usize::from(outcome.has_converged);
        found.is_first_exact |= k == 0 && outcome.has_converged;
        let relative = outcome.residual / outcome.scale.max(f64::MIN_POSITIVE);
        found.worst = found.worst.max(relative);
        found.factorisations += outcome.factorisations;
    }
    found
}

/// Inexact steps are flagged, and are rare: one stack of each mass ratio.
#[test]
fn most_steps_of_shoved_stacks_are_exact() {
    let (mut exact, mut steps) = (0, 0);
    for seed in 0..4 {
        exact += shove(seed).exact;
        steps += AFTER;
    }
    println!("{exact} of {steps} steps exact");
    assert!(4 * exact >= 3 * steps, "{exact} of {steps}");
}

/// A solution that is cut short is flagged, with its residual.
#[test]
fn steps_that_are_cut_short_are_flagged() {
    let options = SolverOptions {
        most_factorisations: 1,
        ..SolverOptions::default()
    };
    let found = shove_with(0, options);
    assert!(!found.is_first_exact && found.worst > 1e-6, "{found:?}");
}
