//! Conservation by the methods of integration over long motions: the guide's table of a million
//! steps.
//!
//! ```text
//! cargo run --release -p featherline-tools --bin integrator_figures -- [STEPS] [ROBOT] [METHOD]
//!     [--page PAGE]
//! ```
//!
//! Rows are written to the page between its marks as they come, each in the place of the one that
//! it replaces, so that a long motion can be run again alone. `cargo xtask figures --integrators
//! --table million` runs all.
//!
//! Every robot moves without friction under steps of 0.01 s. Floating robots are free of gravity,
//! have no linear momentum, and their joints are held by springs, each tuned to 5 rad/s: without
//! any, a wrist of three hinges passes through its singularity again and again at any speed, which
//! no fixed step follows. The energy error is relative to the greatest kinetic energy of the
//! motion; its slope is that of the line through the means of a hundred equal parts of the motion,
//! with its standard error where neighbouring parts are alike (`Drift::through`).

use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Se3, Sym3, Vec3};
use featherline::{Model, Workspace, samples};
use featherline_sim::integrator::forces::{ForceModel, TorqueFunction};
use featherline_sim::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, ImplicitMidpoint, IntegratorError, RungeKutta4,
    Stepper, SymplecticEuler, Tolerance, VariationalIntegrator,
};
use featherline_sim::simulation::Drift;
use featherline_tools::page::change_table;
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

const STEP: f64 = 0.01;
const PARTS: usize = 100;
/// The name in the page's marks around the table's rows.
const MARK: &str = "million";
const HEAD: &str = "| robot | method | peak energy error | its slope, 1/s | in standard errors | momentum error, linear and angular | \
                    order | s |\n|---|---|---|---|---|---|---|---|";
const VARIATIONAL: &str = "variational";

/// A robot, its springs, and where its motion begins.
struct Motion {
    name: &'static str,
    model: Model,
    springs: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    floats: bool,
}

fn pendulum() -> Result<Model, Box<dyn Error>> {
    let mut builder = ModelBuilder::new("pendulum");
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let hinge = builder.add_joint(hinge);
    let moment = Sym3::diagonal(Vec3::new(1.0 / 12.0, 1.0 / 12.0, 1e-4));
    let rod = Inertia::new(1.0, Vec3::new(0.0, 0.0, -0.5), moment);
    builder.add_body(hinge, "rod", Se3::identity(), rod);
    Ok(builder.build()?.model)
}

/// A robot on the ground, under gravity.
fn hinged(name: &'static str, model: Model, q: Vec<f64>) -> Motion {
    let none = vec![0.0; model.nv()];
    Motion {
        name,
        springs: none.clone(),
        q,
        v: none,
        model,
        floats: false,
    }
}

/// A robot that tumbles in free flight, without linear momentum.
fn floating(name: &'static str, model: Model) -> Result<Motion, Box<dyn Error>> {
    let model = model.with_gravity(Vec3::zero())?;
    let mut ws = Workspace::new(&model);
    let q: Vec<f64> = model.neutral_configuration();
    let mass = model.crba(&mut ws, &q)?;
    let springs = (0..model.nv()).map(|k| if k < 6 { 0.0 } else { 25.0 * mass[(k, k)] });
    let springs = springs.collect();
    let mut v: Vec<f64> = (0..model.nv())
        .map(|k| 0.3 * (2.3 * k as f64).cos())
        .collect();
    let drift = model.centroidal_momentum(&mut ws, &q, &v)?.linear * (1.0 / model.total_mass());
    // In the neutral configuration the base is aligned with the world.
    for (own, surplus) in v.iter_mut().zip(drift.to_array()) {
        *own -= surplus;
    }
    Ok(Motion {
        name,
        model,
        springs,
        q,
        v,
        floats: true,
    })
}

fn motions() -> Result<Vec<Motion>, Box<dyn Error>> {
    // The snake hangs down, a little bent.
    let mut hanging: Vec<f64> = (0..20).map(|k| 0.15 * (1.3 * k as f64).sin()).collect();
    hanging[0] += FRAC_PI_2;
    Ok(vec![
        hinged("pendulum", pendulum()?, vec![2.0]),
        hinged(
            "double pendulum",
            samples::double_pendulum(),
            vec![1.0, 0.5],
        ),
        hinged("snake of 20 links", samples::snake(20), hanging),
        floating("quadruped", featherline_robots::quadruped())?,
        floating("humanoid", featherline_robots::humanoid())?,
    ])
}

impl Motion {
    /// The springs as a force model. All joints of floating robots are hinges, so that q and v
    /// differ by one entry.
    fn law(&self) -> impl ForceModel + '_ {
        let shift = self.model.nq() - self.model.nv();
        TorqueFunction::new(move |_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
            for (k, stiffness) in self.springs.iter().enumerate() {
                tau[k] -= stiffness * q[k + shift];
            }
        })
    }

    fn energies(
        &self,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<[f64; 2], featherline::Error> {
        let shift = self.model.nq() - self.model.nv();
        let stored = |(k, stiffness): (usize, &f64)| 0.5 * stiffness * q[k + shift] * q[k + shift];
        let springs: f64 = self.springs.iter().enumerate().map(stored).sum();
        let kinetic = self.model.kinetic_energy(ws, q, v)?;
        Ok([
            kinetic,
            kinetic + self.model.potential_energy(ws, q)? + springs,
        ])
    }

    /// The momentum about the world's origin.
    fn momentum(
        &self,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<Force<f64>, featherline::Error> {
        let about_com = self.model.centroidal_momentum(ws, q, v)?;
        let com = self.model.forward_kinematics(ws, q)?.center_of_mass()?;
        Ok(Force::new(
            about_com.linear,
            about_com.angular + com.cross(about_com.linear),
        ))
    }
}

/// The record of a long motion.
#[derive(Default)]
struct Record {
    energy: Vec<f64>,
    kinetic: f64,
    momentum: Option<[Force<f64>; 2]>,
    seconds: f64,
}

impl Record {
    fn take(&mut self, [kinetic, total]: [f64; 2]) {
        self.kinetic = self.kinetic.max(kinetic);
        self.energy.push(total);
    }

    fn peak(&self) -> f64 {
        let error = |e: &f64| (e - self.energy[0]).abs() / self.kinetic;
        self.energy.iter().map(error).fold(0.0, f64::max)
    }

    /// The slope of the relative energy error a second, and its standard error.
    fn slope(&self, time: f64) -> Drift {
        let size = (self.energy.len() / PARTS).max(1);
        let means: Vec<f64> = self
            .energy
            .chunks_exact(size)
            .map(|part| {
                part.iter()
                    .map(|e| (e - self.energy[0]) / self.kinetic)
                    .sum::<f64>()
                    / size as f64
            })
            .collect();
        let width = time / means.len() as f64;
        let points: Vec<[f64; 2]> = means
            .iter()
            .enumerate()
            .map(|(k, mean)| [(k as f64 + 0.5) * width, *mean])
            .collect();
        Drift::through(&points)
    }

    fn row(&self, motion: &Motion, name: &str, order: &str, time: f64) -> String {
        let Drift { slope, error } = self.slope(time);
        let momentum = match self.momentum {
            Some([from, to]) => {
                let impulse = (2.0 * motion.model.total_mass() * self.kinetic).sqrt();
                let linear = (to.linear - from.linear).norm() / impulse;
                let angular = (to.angular - from.angular).norm() / from.angular.norm();
                format!("{linear:.1e}, {angular:.1e}")
            }
            None => String::from("–"),
        };
        format!(
            "| {} | {name} | {:.1e} | {slope:+.1e} ± {error:.0e} | {:.1} | {momentum} | {order} | {:.0} |",
            motion.name,
            self.peak(),
            slope.abs() / error,
            self.seconds,
        )
    }
}

/// Energies are read this often.
fn stride(steps: usize) -> usize {
    (steps / 100_000).max(1)
}

fn follow(
    motion: &Motion,
    stepper: &mut dyn Stepper,
    steps: usize,
) -> Result<Record, IntegratorError> {
    let (mut ws, mut record) = (Workspace::new(&motion.model), Record::default());
    let mut field = ForwardDynamics::with_forces(&motion.model, motion.law());
    let (mut q, mut v) = (motion.q.clone(), motion.v.clone());
    let before = motion.momentum(&mut ws, &q, &v)?;
    let begin = Instant::now();
    for k in 0..steps {
        if k % stride(steps) == 0 {
            record.take(motion.energies(&mut ws, &q, &v)?);
        }
        stepper.step(&mut field, STEP * k as f64, &mut q, &mut v, STEP)?;
    }
    record.seconds = begin.elapsed().as_secs_f64();
    if motion.floats {
        record.momentum = Some([before, motion.momentum(&mut ws, &q, &v)?]);
    }
    Ok(record)
}

fn follow_variational(motion: &Motion, steps: usize) -> Result<Record, Box<dyn Error>> {
    let (mut ws, mut record) = (Workspace::new(&motion.model), Record::default());
    let mut moving = VariationalIntegrator::with_forces(&motion.model, motion.law());
    moving.start(0.0, &motion.q, &motion.v)?;
    let before = moving.momentum()?;
    let (mut q, mut v) = (motion.q.clone(), motion.v.clone());
    let begin = Instant::now();
    for k in 0..steps {
        if k % stride(steps) == 0 {
            v.copy_from_slice(moving.velocity()?);
            q.copy_from_slice(moving.configuration());
            record.take(motion.energies(&mut ws, &q, &v)?);
        }
        moving.step(STEP)?;
    }
    record.seconds = begin.elapsed().as_secs_f64();
    if motion.floats {
        record.momentum = Some([before, moving.momentum()?]);
    }
    Ok(record)
}

/// How long the motion is on which orders are observed, and states along it.
const SHORT: f64 = 1.0;
const STATES: usize = 10;

/// Coordinates and velocities.
type State = (Vec<f64>, Vec<f64>);

/// States along it, exact beside any step.
fn exact(motion: &Motion) -> Result<Vec<State>, IntegratorError> {
    let mut field = ForwardDynamics::with_forces(&motion.model, motion.law());
    let (mut t, mut q, mut v) = (0.0, motion.q.clone(), motion.v.clone());
    let mut method = DormandPrince::new(&motion.model, Tolerance::of(1e-15))?;
    let mut states = Vec::new();
    for k in 1..=STATES {
        let end = SHORT * k as f64 / STATES as f64;
        let go_on = |_: &mut DenseOutput<'_>| Ok(ControlFlow::Continue(()));
        method.integrate(&mut field, &mut t, &mut q, &mut v, end, go_on)?;
        states.push((q.clone(), v.clone()));
    }
    Ok(states)
}

/// The order observed between the two shortest steps, of some that halve each other, whose errors
/// are not rounding. An error is the root of the mean square over coordinates and velocities of the
/// states that `run` comes to in so many steps between them.
fn observed(
    motion: &Motion,
    exact: &[State],
    mut run: impl FnMut(usize) -> Result<Vec<State>, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    /// A thousand times the tolerance of what is exact.
    const ROUNDING: f64 = 1e-12;
    /// Of steps between two states, at first.
    const FEWEST: usize = 16;
    let mut errors: Vec<f64> = Vec::new();
    for k in 0..7 {
        let mut squares = 0.0;
        for (own, exact) in run(FEWEST << k)?.iter().zip(exact) {
            let apart = motion.model.difference(&exact.0, &own.0)?;
            let faster = own.1.iter().zip(&exact.1).map(|(own, exact)| own - exact);
            squares += apart.into_iter().chain(faster).map(|x| x * x).sum::<f64>();
        }
        let error = (squares / (2 * STATES * motion.model.nv()) as f64).sqrt();
        if errors.len() >= 2 && error < ROUNDING {
            break;
        }
        errors.push(error);
    }
    let last = &errors[errors.len() - 2..];
    Ok(format!("{:.2}", (last[0] / last[1]).log2()))
}

/// The text for a motion that was lost.
fn lost(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref() {
        Some(IntegratorError::Diverged { t, .. }) => format!("diverged at t = {t:.0} s"),
        Some(IntegratorError::NotConverged { t, .. } | IntegratorError::HalfTurn { t, .. }) => {
            format!("no step from t = {t:.0} s")
        }
        _ => error.to_string(),
    }
}

fn table(
    motion: &Motion,
    steps: usize,
    wanted: impl Fn(&str) -> bool,
    mut write: impl FnMut(&str) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (time, model) = (STEP * steps as f64, &motion.model);
    let exact = exact(motion)?;
    let failed = |name: &str, order: &str, error: &(dyn Error + 'static)| {
        let (robot, error) = (motion.name, lost(error));
        format!("| {robot} | {name} | {error} | | | | {order} | |")
    };
    let methods: [Box<dyn Stepper + '_>; 4] = [
        Box::new(SymplecticEuler::new(model)),
        Box::new(ImplicitMidpoint::new(model)),
        Box::new(RungeKutta4::new(model)),
        Box::new(DormandPrince::new(model, Tolerance::default())?),
    ];
    for mut method in methods.into_iter().filter(|method| wanted(method.name())) {
        let order = observed(motion, &exact, |count| {
            let mut field = ForwardDynamics::with_forces(model, motion.law());
            let (mut q, mut v) = (motion.q.clone(), motion.v.clone());
            let h = SHORT / (STATES * count) as f64;
            let mut states = Vec::new();
            for k in 0..STATES * count {
                method.step(&mut field, h * k as f64, &mut q, &mut v, h)?;
                if (k + 1) % count == 0 {
                    states.push((q.clone(), v.clone()));
                }
            }
            Ok(states)
        })?;
        // An evaluation for each joint makes long motions of large robots long to wait for.
        let steps = if method.order() == 2 && model.nv() > 10 {
            steps / 20
        } else {
            steps
        };
        let name = method.name();
        write(&match follow(motion, &mut *method, steps) {
            Ok(record) => record.row(motion, name, &order, STEP * steps as f64),
            Err(error) => failed(name, &order, &error),
        })?;
    }
    if wanted(VARIATIONAL) {
        let name = VARIATIONAL;
        let order = observed(motion, &exact, |count| {
            let mut moving = VariationalIntegrator::with_forces(model, motion.law());
            moving.start(0.0, &motion.q, &motion.v)?;
            let mut states = Vec::new();
            for k in 0..STATES * count {
                moving.step(SHORT / (STATES * count) as f64)?;
                if (k + 1) % count == 0 {
                    let v = moving.velocity()?.to_vec();
                    states.push((moving.configuration().to_vec(), v));
                }
            }
            Ok(states)
        })?;
        write(&match follow_variational(motion, steps) {
            Ok(record) => record.row(motion, name, &order, time),
            Err(error) => failed(name, &order, &*error),
        })?;
    }
    Ok(())
}

/// Puts a row between a page's marks, in the place of that for the same robot and method if there
/// is one.
fn put(page: &str, row: &str) -> Result<(), Box<dyn Error>> {
    let key = |row: &str| -> Vec<String> { row.split('|').take(3).map(str::to_owned).collect() };
    let with_row = |table: &str| {
        let mut rows: Vec<&str> = table.lines().collect();
        match rows.iter().position(|old| key(old) == key(row)) {
            Some(at) => rows[at] = row,
            None => rows.push(row),
        }
        rows.join("\n") + "\n"
    };
    Ok(change_table(Path::new(page), MARK, with_row)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let page = match arguments.iter().position(|argument| argument == "--page") {
        Some(at) => {
            arguments.remove(at);
            Some(arguments.remove(at))
        }
        None => None,
    };
    let mut arguments = arguments.into_iter();
    let steps = arguments.next().map_or(Ok(1_000_000), |s| s.parse())?;
    let (only, method) = (arguments.next(), arguments.next());
    let mut motions = motions()?;
    if let Some(only) = only {
        motions.retain(|motion| motion.name == only);
    }
    println!("{steps} steps of {STEP} s\n{HEAD}");
    for motion in &motions {
        table(
            motion,
            steps,
            |name| method.as_deref().is_none_or(|only| only == name),
            |row| {
                println!("{row}");
                page.as_deref().map_or(Ok(()), |page| put(page, row))
            },
        )?;
    }
    Ok(())
}
