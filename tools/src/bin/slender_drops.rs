//! Slender bodies that fall on a plane in any orientation, gyroscopes and tops: how much energy a
//! run makes from nothing, and whether it is reported.
//!
//! ```console
//! cargo run --release -p featherline-tools --bin slender_drops -- 40 2
//! cargo run --release -p featherline-tools --bin slender_drops -- 40 2 needle
//! ```
//!
//! The runs of each kind, step and spin, their time in s, and the kinds whose names begin so, else
//! all. A run is within its bound if the account's gain is at most a thousandth of the greatest
//! kinetic energy. `raw` is the greatest rise of kinetic and potential energy above their least
//! before, relative to the same. Then free bodies of many shapes, without gravity.

use featherline::Workspace;
use featherline::model::Model;
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::TimeStepping;
use featherline_sim::setup::{self, Setup};
use featherline_sim::simulation::Bookkeeper;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::time::Instant;

/// The gain that is asked, in parts of the greatest kinetic energy.
const BOUND: f64 = 1e-3;
/// Steps in s.
const STEPS: [f64; 4] = [5e-4, 1e-3, 2e-3, 5e-3];

/// How a kind begins.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// Anywhere, half a metre above the plane, with a spin about a random axis in rad/s.
    Dropped,
    /// Within half a radian of upright, its tip a millimetre above the plane, spinning about its
    /// own axis.
    Top,
    /// On its ball joint in any orientation, spinning about its own axis.
    Gyroscope,
}

/// A kind of body: its name, its geoms, and how fast it spins, in rad/s.
struct Kind {
    name: &'static str,
    geoms: &'static str,
    start: Start,
    spins: &'static [f64],
}

const DROPS: &[f64] = &[0.0, 3.0, 30.0, 100.0, 300.0];
const SPINS: &[f64] = &[50.0, 100.0, 200.0, 300.0];

const KINDS: [Kind; 13] = [
    dropped(
        "needle 6 cm x 1 mm",
        "<geom type='capsule' size='.0005 .03'/>",
    ),
    dropped("needle, box", "<geom type='box' size='.0005 .0005 .03'/>"),
    dropped(
        "blade 30 x 3 x 0.2 cm",
        "<geom type='box' size='.15 .015 .001'/>",
    ),
    dropped(
        "sheet A4 x 1 mm",
        "<geom type='box' size='.15 .105 .0005'/>",
    ),
    dropped(
        "pencil 18 cm x 7 mm",
        "<geom type='capsule' size='.0035 .09'/>",
    ),
    dropped(
        "pencil, cylinder",
        "<geom type='cylinder' size='.0035 .09'/>",
    ),
    dropped(
        "screwdriver",
        "<geom type='cylinder' size='.003 .1'/><geom type='cylinder' size='.012 .05' pos='0 0 .13'/>",
    ),
    dropped(
        "brick 20 x 10 x 6 cm",
        "<geom type='box' size='.1 .05 .03'/>",
    ),
    dropped("coin 24 x 2 mm", "<geom type='cylinder' size='.012 .001'/>"),
    dropped(
        "drone, 4 arms",
        "<geom type='box' size='.15 .01 .005'/><geom type='box' size='.01 .15 .005'/>",
    ),
    Kind {
        name: "top, cone",
        geoms: "<geom type='cylinder' size='.03 .005' pos='0 0 .03'/>\
                <geom type='capsule' size='.003 .02' pos='0 0 .023'/>",
        start: Start::Top,
        spins: SPINS,
    },
    Kind {
        name: "gyroscope, small",
        geoms: "<geom type='cylinder' size='.03 .006' pos='0 0 .05' mass='.1' contype='0' conaffinity='0'/>",
        start: Start::Gyroscope,
        spins: SPINS,
    },
    Kind {
        name: "gyroscope",
        geoms: "<geom type='cylinder' size='.05 .005' pos='0 0 .1' contype='0' conaffinity='0'/>",
        start: Start::Gyroscope,
        spins: SPINS,
    },
];

const fn dropped(name: &'static str, geoms: &'static str) -> Kind {
    Kind {
        name,
        geoms,
        start: Start::Dropped,
        spins: DROPS,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, duration, only @ ..] = &arguments[..] else {
        return Err("the runs and the time are needed, such as `40 2`".into());
    };
    let (runs, duration): (u64, f64) = (runs.parse()?, duration.parse()?);
    println!(
        "{:22} {:>5} {:>6} {:>5} {:>7} {:>8} {:>8} {:>9} {:>9} {:>7}",
        "kind", "ms", "rad/s", "runs", "within", "flagged", "silent", "worst", "raw", "us/step"
    );
    let mut all = Counts::default();
    let mut short = Counts::default();
    for kind in KINDS {
        if !only.is_empty() && !only.iter().any(|it| kind.name.starts_with(&**it)) {
            continue;
        }
        for step in STEPS {
            let mut of_step = Counts::default();
            for &spin in kind.spins {
                let counts = many(&kind, (step, spin), (runs, duration))?;
                counts.print(kind.name, step, &format!("{spin:.0}"));
                of_step.add(&counts);
            }
            of_step.print(kind.name, step, "all");
            if step <= 1e-3 {
                short.add(&of_step);
            }
            all.add(&of_step);
        }
    }
    short.print("all, steps of <= 1 ms", 1e-3, "all");
    all.print("all", f64::NAN, "all");
    if only.is_empty() || only.iter().any(|it| it == "free") {
        free_bodies(runs)?;
    }
    Ok(())
}

/// Counts of the runs of a kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    runs: u64,
    within: u64,
    flagged: u64,
    /// Beyond the bound, without a report.
    silent: u64,
    worst: f64,
    raw: f64,
    steps: f64,
    time: f64,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.within += other.within;
        self.flagged += other.flagged;
        self.silent += other.silent;
        self.worst = self.worst.max(other.worst);
        self.raw = self.raw.max(other.raw);
        self.steps += other.steps;
        self.time += other.time;
    }

    fn print(&self, name: &str, step: f64, spin: &str) {
        let part = |count: u64| 100.0 * count as f64 / self.runs as f64;
        println!(
            "{name:22} {:5.1} {spin:>6} {:5} {:5.1} % {:6.1} % {:6.1} % {:9.1e} {:9.1e} {:7.1}",
            step * 1e3,
            self.runs,
            part(self.within),
            part(self.flagged),
            part(self.silent),
            self.worst,
            self.raw,
            self.time / self.steps * 1e6
        );
    }
}

/// Runs of a kind with a step and a spin.
fn many(kind: &Kind, (step, spin): (f64, f64), (runs, duration): (u64, f64)) -> Outcome<Counts> {
    let (plane, joint) = match kind.start {
        Start::Gyroscope => ("", "<joint type='ball'/>"),
        Start::Dropped | Start::Top => ("<geom type='plane' size='9 9 1'/>", "<freejoint/>"),
    };
    let text = format!(
        "<mujoco><default><geom friction='.5 0 0' density='1000'/></default><worldbody>{plane}\
         <body pos='0 0 .6'>{joint}{}</body></worldbody></mujoco>",
        kind.geoms
    );
    let robot = load_str_with(&text, &LoadOptions::new())?;
    let begin = Setup::default().decide(&robot)?;
    let mut counts = Counts::default();
    for run in 0..runs {
        let mut rng = ChaCha8Rng::seed_from_u64(run);
        let (q, v) = start(kind.start, &begin, &mut rng, spin);
        one(
            &begin,
            (q, v),
            (step, duration),
            &mut counts,
            (kind.name, spin, run),
        )?;
    }
    Ok(counts)
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The state in which a run begins.
fn start(
    kind: Start,
    begin: &setup::Start<'_>,
    rng: &mut ChaCha8Rng,
    spin: f64,
) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut v) = (begin.q.clone(), begin.v.clone());
    let (first, joint) = (q.len() - 4, v.len() - 3);
    let mut axis = [0.0; 4].map(|_: f64| normal(rng));
    if kind == Start::Top {
        // Half a radian at most.
        let tilt = rng.random_range(0.0..0.5_f64);
        let about = axis[0].hypot(axis[1]);
        axis = [axis[0] / about, axis[1] / about, 0.0, 1.0];
        axis[0] *= (0.5 * tilt).tan();
        axis[1] *= (0.5 * tilt).tan();
        q[2] = 0.004;
    }
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (q, x) in q[first..].iter_mut().zip(axis) {
        *q = x / length;
    }
    match kind {
        Start::Dropped => {
            let about = [0.0; 3].map(|_: f64| normal(rng));
            let length = about.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (v, x) in v[joint..].iter_mut().zip(about) {
                *v = spin * x / length;
            }
        }
        Start::Top | Start::Gyroscope => {
            v[joint] = 0.1 * normal(rng);
            v[joint + 2] = spin;
        }
    }
    (q, v)
}

/// A number of the normal distribution.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (a, b): (f64, f64) = (rng.random_range(1e-300..1.0), rng.random());
    (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

/// A run, counted.
fn one(
    begin: &setup::Start<'_>,
    (mut q, mut v): (Vec<f64>, Vec<f64>),
    (step, duration): (f64, f64),
    counts: &mut Counts,
    run: (&str, f64, u64),
) -> Outcome<()> {
    let model = begin.model;
    let mut stepping = begin.time_stepping()?;
    let (mut books, mut ws) = (Bookkeeper::new(model), Workspace::new(model));
    let (mut least, mut raw, mut failed) = (f64::INFINITY, 0.0_f64, false);
    let clock = Instant::now();
    for k in 0..(duration / step).round() as u32 {
        let t = step * f64::from(k);
        let made = books.step(&mut stepping, |_| (&[], &[]), t, (&mut q, &mut v), step);
        counts.steps += 1.0;
        if made.is_err() {
            failed = true;
            break;
        }
        let energy = model.mechanical_energy(&mut ws, &q, &v)?;
        least = least.min(energy);
        raw = raw.max(energy - least);
    }
    counts.time += clock.elapsed().as_secs_f64();
    let account = books.account();
    let gain = account.energy_gain / account.kinetic_energy;
    let is_within = gain <= BOUND && !failed;
    let is_flagged = failed || account.gains_energy() || account.inexact_steps > 0;
    counts.runs += 1;
    counts.within += u64::from(is_within);
    counts.flagged += u64::from(is_flagged);
    counts.silent += u64::from(!is_within && !is_flagged);
    counts.worst = counts.worst.max(gain);
    counts.raw = counts.raw.max(raw / account.kinetic_energy);
    if std::env::var("SHOW").is_ok() && (!is_within || is_flagged) {
        println!(
            "    {run:?}: gain {gain:.1e}, {} inexact of {}, residual {:.1e}, failed {failed}",
            account.inexact_steps, account.steps, account.residual
        );
    }
    Ok(())
}

/// Bodies that nothing touches and nothing pulls, thrown about any axis.
fn free_bodies(runs: u64) -> Outcome<()> {
    println!("free bodies, 1000 steps: the largest change of energy and momentum, relative");
    println!(
        "{:>8} {:>8} {:>5} {:>9} {:>9} {:>8}",
        "Imax/min", "rad/step", "runs", "energy", "momentum", "flagged"
    );
    for slender in [1.0, 4.0, 24.0, 69.0_f64] {
        for turn in [0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0] {
            let [a, b, c] = [0.05, 0.055 / slender, 0.045 / slender];
            let text = format!(
                "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/>\
                 <geom type='box' size='{a} {b} {c}'/></body></worldbody></mujoco>"
            );
            let robot = load_str_with(&text, &LoadOptions::new())?;
            let (mut energy, mut momentum, mut flagged) = (0.0_f64, 0.0_f64, 0);
            for run in 0..runs {
                let mut rng = ChaCha8Rng::seed_from_u64(run);
                let found = free(&robot.model, turn, &mut rng)?;
                energy = energy.max(found.0);
                momentum = momentum.max(found.1);
                flagged += u64::from(found.2);
            }
            let moments = [a * a + b * b, b * b + c * c, c * c + a * a];
            let kappa = moments.into_iter().fold(0.0, f64::max)
                / moments.into_iter().fold(f64::INFINITY, f64::min);
            println!("{kappa:8.0} {turn:8.2} {runs:5} {energy:9.1e} {momentum:9.1e} {flagged:8}");
        }
    }
    Ok(())
}

/// The relative changes of a body's energy and momentum, and whether a step was flagged.
fn free(model: &Model, turn: f64, rng: &mut ChaCha8Rng) -> Outcome<(f64, f64, bool)> {
    const STEP: f64 = 1e-3;
    let mut stepping = TimeStepping::new(model)?;
    let mut ws = Workspace::new(model);
    let mut q = model.neutral_configuration();
    let mut v: Vec<f64> = (0..6).map(|_| normal(rng)).collect();
    let length = v[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
    for v in &mut v[3..] {
        *v *= turn / STEP / length;
    }
    let mut books = Bookkeeper::new(model);
    let begin = model.kinetic_energy(&mut ws, &q, &v)?;
    let first = model.centroidal_momentum(&mut ws, &q, &v)?.to_array();
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
    for k in 0..1000 {
        let t = STEP * f64::from(k);
        books.step(&mut stepping, |()| (&[], &[]), t, (&mut q, &mut v), STEP)?;
        energy = energy.max((model.kinetic_energy(&mut ws, &q, &v)? / begin - 1.0).abs());
        let now = model.centroidal_momentum(&mut ws, &q, &v)?.to_array();
        let change: Vec<f64> = now.iter().zip(first).map(|(a, b)| a - b).collect();
        for part in [0..3, 3..6] {
            momentum = momentum.max(length(&change[part.clone()]) / length(&first[part]));
        }
    }
    let account = books.account();
    Ok((
        energy,
        momentum,
        account.inexact_steps > 0 || account.gains_energy(),
    ))
}
