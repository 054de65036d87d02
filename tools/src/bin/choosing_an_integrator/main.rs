//! Runs every method on the same motions, and writes the figures and tables of the book's page
//! about choosing one.
//!
//! `cargo run --release -p featherline-tools --bin choosing_an_integrator -- FOLDER [TABLE]`
//! writes to that folder, in which `integrators.md` stands: all tables and the figure, or one of
//! them by the name in its marks; `energy` is the figure.

mod linkages;

use featherline::Model;
use featherline::samples;
use featherline_constraint::project_velocity;
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_sim::integrator::{
    DormandPrince, ImplicitMidpoint, IntegratorError, RungeKutta4, SymplecticEuler, Tolerance,
};
use featherline_sim::simulation::{
    Conservation, LoopKeeping, Method, Recorder, Sample, Simulation, SimulationError, Simulator,
};
use featherline_tools::chart::{Axis, Chart, Curve, SeriesLabelPosition};
use featherline_tools::page::{grouped, replace_table};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A method by its name, its order, and how it is made for steps of a length.
struct Choice {
    name: &'static str,
    order: usize,
    make: for<'m> fn(&'m Model, f64) -> Outcome<Method<'m>>,
}

const CHOICES: [Choice; 6] = [
    Choice {
        name: "symplectic Euler",
        order: 1,
        make: |model, h| Ok(Method::steps(SymplecticEuler::new(model), h)?),
    },
    Choice {
        name: "variational",
        order: 2,
        make: |_, h| Ok(Method::variational(h)?),
    },
    Choice {
        name: "variational, maximal",
        order: 2,
        make: |_, h| Ok(Method::maximal_variational(h)?),
    },
    Choice {
        name: "implicit midpoint",
        order: 2,
        make: |model, h| Ok(Method::steps(ImplicitMidpoint::new(model), h)?),
    },
    Choice {
        name: "Runge-Kutta 4",
        order: 4,
        make: |model, h| Ok(Method::steps(RungeKutta4::new(model), h)?),
    },
    Choice {
        name: "Dormand-Prince 5, equal steps",
        order: 5,
        make: |model, h| {
            let method = DormandPrince::new(model, Tolerance::default())?;
            Ok(Method::steps(method, h)?)
        },
    },
];

/// A motion that methods are compared on.
struct Motion {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Of the long run.
    step: f64,
    seconds: f64,
    /// The longest step at which errors are compared.
    coarse: f64,
}

impl Motion {
    fn begin<'m>(&'m self, method: Method<'m>) -> Outcome<Simulation<'m>> {
        Ok(Simulator::new(&self.model, method).start(0.0, &self.q, &self.v)?)
    }
}

fn double_pendulum() -> Motion {
    Motion {
        model: samples::double_pendulum(),
        q: vec![1.0, 0.5],
        v: vec![0.0, 0.0],
        step: 0.01,
        seconds: 1000.0,
        coarse: 0.05,
    }
}

/// A quadruped that tumbles in the air, every joint moving; for two seconds, in which nothing is
/// stretched out so fast that the implicit methods lose it.
fn quadruped() -> Motion {
    let model = featherline_robots::quadruped();
    Motion {
        q: model.neutral_configuration(),
        v: (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect(),
        model,
        step: 0.005,
        seconds: 2.0,
        coarse: 0.025,
    }
}

/// A four-bar linkage from where it was drawn, its crank pushed as far as the loop lets it.
fn four_bar() -> Outcome<Motion> {
    let model = samples::four_bar();
    let q = model.neutral_configuration();
    let mut v = vec![1.0; model.nv()];
    project_velocity(&model, &mut LoopWorkspace::new(&model)?, &q, &mut v)?;
    Ok(Motion {
        model,
        q,
        v,
        step: 0.01,
        seconds: 10_000.0,
        coarse: 0.0125,
    })
}

/// A table by the name in its marks, and what writes it.
type Table = (&'static str, fn() -> Outcome<String>);

const TABLES: [Table; 5] = [
    ("double pendulum", || table(&double_pendulum())),
    ("quadruped", || table(&quadruped())),
    ("four-bar linkage", || table(&four_bar()?)),
    ("loops", loops),
    ("linkages", linkages::table),
];

/// The name of the figure, which stands in no marks.
const FIGURE: &str = "energy";

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let folder: PathBuf = arguments
        .next()
        .ok_or("usage: choosing_an_integrator FOLDER [TABLE]")?
        .into();
    let only = arguments.next();
    let mut names: Vec<_> = TABLES.iter().map(|(name, _)| *name).collect();
    names.push(FIGURE);
    if let Some(only) = only.as_deref().filter(|only| !names.contains(only)) {
        return Err(format!(
            "there is no table `{only}`; there are: {}",
            names.join(", ")
        )
        .into());
    }
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let page = folder.join("integrators.md");
    for (name, table) in TABLES.iter().filter(|(name, _)| wanted(name)) {
        let table = table()?;
        replace_table(&page, name, &table)?;
        println!("{table}");
    }
    if wanted(FIGURE) {
        energy_figure(&folder)?;
    }
    Ok(())
}

/// Every method on one motion: observed order, what is kept over the long run, and steps a second.
fn table(motion: &Motion) -> Outcome<String> {
    let has_loops = !motion.model.loop_joints().is_empty();
    // Robots with loops stand on the ground here, which takes their momentum.
    let kept = if has_loops {
        "in standard errors | loop error [m, rad]"
    } else {
        "momentum [N·s] | angular [N·m·s]"
    };
    let mut table = format!(
        "| method | order, observed | peak relative energy error | energy drift [1/s] | {kept} | steps a second |\n\
         |---|---|---|---|---|---|---|\n",
    );
    // The variational one for trees, or for loops.
    let other = if has_loops {
        "variational"
    } else {
        "variational, maximal"
    };
    let moves = |choice: &&Choice| choice.name != other;
    for choice in CHOICES.iter().filter(moves) {
        let order = observed_order(motion, choice)?;
        let mut simulation = motion.begin((choice.make)(&motion.model, motion.step)?)?;
        let mut account = Conservation::new(&motion.model);
        let (name, due) = (choice.name, choice.order);
        if let Err(error) = simulation.run(motion.seconds, motion.step, &mut account) {
            let lost = lost(&error, simulation.time());
            writeln!(table, "| {name} | {due}, {order:.2} | {lost} | | | | |")?;
            continue;
        }
        let drift = account.energy_drift();
        let kept = if has_loops {
            let (loop_error, _) = account.loop_error();
            [
                format!("{:.1}", drift.slope.abs() / drift.error),
                format!("{loop_error:.1e}"),
            ]
        } else if account.floats_freely() {
            let errors = [
                account.linear_momentum_error(),
                account.angular_momentum_error(),
            ];
            errors.map(|x| format!("{x:.1e}"))
        } else {
            Default::default()
        };
        writeln!(
            table,
            "| {name} | {due}, {order:.2} | {:.1e} | {:.1e} ± {:.1e} | {} | {} |",
            account.peak_energy_error(),
            drift.slope,
            drift.error,
            kept.join(" | "),
            steps_a_second(motion, choice)?
        )?;
    }
    writeln!(
        table,
        "\n{} in steps of {} ms over {} s, sampled at each.",
        motion.model.name(),
        1e3 * motion.step,
        motion.seconds
    )?;
    Ok(table)
}

/// The text for a motion that was lost.
fn lost(error: &SimulationError, t: f64) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "of many errors")]
    let what = match error {
        SimulationError::Integrator(IntegratorError::Diverged { .. }) => "diverged",
        SimulationError::LoopsOpened { .. } => "the loops came open",
        _ => "no step found",
    };
    format!("{what} at t = {t:.2} s")
}

/// States along a motion that errors are taken at.
const STATES: usize = 10;

/// Errors below this are not the method's, where so many steps are made. The reference's tolerance
/// is a hundredth of the first. Where projection closes loops, it leaves gaps of 10⁻¹⁴ m alone;
/// they add up, and a tenth of an error may be theirs.
fn rounding(model: &Model, steps: f64) -> f64 {
    if model.loop_joints().is_empty() {
        1e-13
    } else {
        10.0 * 1e-14 * steps
    }
}

/// How many powers of two an error loses where the step loses one, between the two shortest steps
/// whose errors are not rounding, of some that halve each other: only there has the leading term of
/// the error outgrown all others. An error is the root of the mean square over coordinates and
/// velocities of states along half a second: that of one state may happen to have no leading term.
fn observed_order(motion: &Motion, choice: &Choice) -> Outcome<f64> {
    let end = 0.5;
    let reach = |method| -> Outcome<Vec<(Vec<f64>, Vec<f64>)>> {
        let mut states = Vec::new();
        motion
            .begin(method)?
            .run(end, end / STATES as f64, &mut |sample: &Sample<'_>| {
                states.push((sample.q.to_vec(), sample.v.to_vec()))
            })?;
        Ok(states)
    };
    let reference = reach(Method::tolerance(DormandPrince::new(
        &motion.model,
        Tolerance::of(1e-15),
    )?))?;
    let error = |h: f64| -> Outcome<f64> {
        let own = reach((choice.make)(&motion.model, h)?)?;
        let mut squares = 0.0;
        for (own, exact) in own.iter().zip(&reference) {
            let apart = motion.model.difference(&exact.0, &own.0)?;
            let faster = own.1.iter().zip(&exact.1).map(|(own, exact)| own - exact);
            squares += apart.into_iter().chain(faster).map(|x| x * x).sum::<f64>();
        }
        let count = STATES * 2 * motion.model.nv();
        Ok((squares / count as f64).sqrt())
    };
    let mut h = motion.coarse;
    let (mut last, mut order) = (error(h)?, f64::NAN);
    for _ in 0..7 {
        h *= 0.5;
        let own = error(h)?;
        if own < rounding(&motion.model, end / h) && order.is_finite() {
            break;
        }
        order = (last / own).log2();
        last = own;
    }
    Ok(order)
}

/// The speed of a run that nobody looks at, the best of some.
fn steps_a_second(motion: &Motion, choice: &Choice) -> Outcome<String> {
    let seconds = motion.seconds.min(20.0);
    let count = seconds / motion.step;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let mut simulation = motion.begin((choice.make)(&motion.model, motion.step)?)?;
        let clock = Instant::now();
        simulation.run(seconds, seconds, &mut ())?;
        best = best.min(clock.elapsed().as_secs_f64());
    }
    Ok(grouped((count / best).round() as u64))
}

/// Ways to keep loops closed, on a linkage that turns for ten seconds.
fn loops() -> Outcome<String> {
    let model = samples::four_bar();
    let step = 1e-3;
    let ways = [
        (
            "nothing",
            LoopKeeping {
                projection: false,
                ..LoopKeeping::default()
            },
        ),
        (
            "stabilisation over ten steps",
            LoopKeeping::stabilised(Stabilisation::critical(10.0 * step)),
        ),
        ("projection after each step", LoopKeeping::default()),
    ];
    let mut table = String::from(
        "| loops kept closed by | loop error [m, rad] | peak relative energy error | steps a second |\n|---|---|---|---|\n",
    );
    for (name, keeping) in ways {
        let begin = || -> Outcome<Simulation<'_>> {
            let method = Method::steps(RungeKutta4::new(&model), step)?;
            let simulator = Simulator::new(&model, method).with_loops_kept(keeping);
            Ok(simulator.start_assembled(0.0, &[0.0; 3], &[10.0, 0.0, 0.0])?)
        };
        let mut account = Conservation::new(&model);
        begin()?.run(10.0, 0.01, &mut account)?;
        let clock = Instant::now();
        begin()?.run(10.0, 10.0, &mut ())?;
        let speed = 10.0 / step / clock.elapsed().as_secs_f64();
        writeln!(
            table,
            "| {name} | {:.1e} | {:.1e} | {} |",
            account.loop_error().0,
            account.peak_energy_error(),
            grouped(speed.round() as u64)
        )?;
    }
    writeln!(
        table,
        "\n{} by Runge-Kutta 4 in steps of {} ms over 10 s, the crank pushed to some 10 rad/s.",
        model.name(),
        1e3 * step
    )?;
    Ok(table)
}

/// The greatest energy error of each second.
#[derive(Default)]
struct Peaks {
    start: Option<f64>,
    greatest_kinetic: f64,
    points: Vec<(f64, f64)>,
}

impl Recorder for Peaks {
    fn record(
        &mut self,
        sample: &Sample<'_>,
    ) -> Result<std::ops::ControlFlow<()>, featherline_sim::simulation::RecorderError> {
        let start = *self.start.get_or_insert(sample.energy());
        let error = (sample.energy() - start).abs();
        self.greatest_kinetic = self.greatest_kinetic.max(sample.kinetic_energy);
        let second = sample.t.floor();
        match self.points.last_mut() {
            Some(last) if last.0 == second => last.1 = last.1.max(error),
            _ => self.points.push((second, error)),
        }
        Ok(std::ops::ControlFlow::Continue(()))
    }
}

/// Draws how the energy error of each method grows, or does not.
fn energy_figure(folder: &Path) -> Outcome<()> {
    let motion = double_pendulum();
    let mut curves = Vec::new();
    for choice in &CHOICES {
        let mut simulation = motion.begin((choice.make)(&motion.model, motion.step)?)?;
        let mut peaks = Peaks::default();
        simulation.run(motion.seconds, motion.step, &mut peaks)?;
        let scale = peaks.greatest_kinetic;
        let points = peaks.points.iter().map(|&(t, error)| (t, error / scale));
        curves.push(Curve {
            name: choice.name,
            points: points.filter(|p| p.1 > 0.0).collect(),
        });
    }
    let chart = Chart {
        title: "double pendulum, steps of 10 ms: peak relative energy error of each second",
        height: 560,
        x: Axis::from_zero("time [s]"),
        y: Axis::logarithmic(""),
        curves: &curves,
        band: None,
        has_dots: false,
        legend: SeriesLabelPosition::LowerRight,
    };
    Ok(chart.write(&folder.join("integrators_energy.svg"))?)
}
