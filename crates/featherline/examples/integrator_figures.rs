//! What the methods of integration keep over long motions, and what they cost: the tables of the guide.
//!
//! ```text
//! cargo run --release -p featherline --example integrator_figures -- [STEPS] [ROBOT] [METHOD]
//! ```
//!
//! Every robot moves without friction under steps of 0.01 s. Floating robots are free of gravity, have no linear momentum, and
//! their joints are held by springs, each tuned to 5 rad/s: without any, a wrist of three hinges passes through its
//! singularity again and again at any speed, which no fixed step follows. The energy error is relative to the greatest kinetic
//! energy of the motion; its slope is that of the line through the means of a hundred equal parts of the motion, with its
//! standard error where neighbouring parts are alike (`Drift::through`).

use featherline::integrator::forces::{Controller, ForceLaw};
use featherline::integrator::{
    CrouchGrossman, DenseOutput, DormandPrince, ForwardDynamics, ImplicitMidpoint, IntegratorError,
    RungeKutta4, Stepper, SymplecticEuler, Tolerance, VariationalIntegrator,
};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::simulation::Drift;
use featherline::spatial::{Force, Inertia, Se3, Sym3, Vec3};
use featherline::{Model, Workspace, samples};
use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;
use std::time::Instant;

const STEP: f64 = 0.01;
const PARTS: usize = 100;
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
            vec![1.5, -0.5],
        ),
        hinged("snake of 20 links", samples::snake(20), hanging),
        floating("quadruped", featherline_robots::quadruped())?,
        floating("humanoid", featherline_robots::humanoid())?,
    ])
}

impl Motion {
    /// The springs as a law of forces. All joints of floating robots are hinges, so that q and v differ by one entry.
    fn law(&self) -> impl ForceLaw + '_ {
        let shift = self.model.nq() - self.model.nv();
        Controller::new(move |_: f64, q: &[f64], _: &[f64], tau: &mut [f64]| {
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

/// What a long motion shows.
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
            "| {} | {name} | {:.1e} | {slope:+.1e} ± {error:.0e} | {momentum} | {order} | {:.0} |",
            motion.name,
            self.peak(),
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

fn follow_variational(motion: &Motion, steps: usize) -> Result<Record, IntegratorError> {
    let (mut ws, mut record) = (Workspace::new(&motion.model), Record::default());
    let mut moving = VariationalIntegrator::with_forces(&motion.model, motion.law());
    moving.start(0.0, &motion.q, &motion.v)?;
    let before = moving.momentum()?;
    let mut v = motion.v.clone();
    let begin = Instant::now();
    for k in 0..steps {
        if k % stride(steps) == 0 {
            v.copy_from_slice(moving.velocity()?);
            record.take(motion.energies(&mut ws, moving.configuration(), &v)?);
        }
        moving.step(STEP)?;
    }
    record.seconds = begin.elapsed().as_secs_f64();
    if motion.floats {
        record.momentum = Some([before, moving.momentum()?]);
    }
    Ok(record)
}

/// The configuration after half a second, exact beside any step.
fn exact(motion: &Motion) -> Result<Vec<f64>, IntegratorError> {
    let mut field = ForwardDynamics::with_forces(&motion.model, motion.law());
    let (mut t, mut q, mut v) = (0.0, motion.q.clone(), motion.v.clone());
    let mut method = DormandPrince::new(&motion.model, Tolerance::of(1e-13))?;
    let go_on = |_: &mut DenseOutput<'_>| Ok(ControlFlow::Continue(()));
    method.integrate(&mut field, &mut t, &mut q, &mut v, 0.5, go_on)?;
    Ok(q)
}

/// The order observed between steps of 1, ½ and ¼ of a length, the shortest ones whose errors are not rounding, by what `run`
/// leaves after half a second in so many of them. The error's term of the next order (by `gap`), which blurs the slope, is taken
/// out by each two of them.
fn observed(
    motion: &Motion,
    exact: &[f64],
    (order, gap): (usize, usize),
    mut run: impl FnMut(usize) -> Result<Vec<f64>, IntegratorError>,
) -> Result<String, IntegratorError> {
    const ROUNDING: f64 = 1e-11;
    let first = match order {
        1 => 500,
        2 | 3 => 100,
        4 => 50,
        _ => 20,
    };
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut errors: Vec<Vec<f64>> = Vec::new();
    for k in 0..6 {
        let error = motion.model.difference(exact, &run(first << k)?)?;
        if errors.len() >= 3 && norm(&error) < ROUNDING {
            break;
        }
        errors.push(error);
    }
    let next = 2.0_f64.powi((order + gap) as i32);
    let leading = |pair: &[Vec<f64>]| {
        let parts = pair[0].iter().zip(&pair[1]);
        norm(
            &parts
                .map(|(at_h, at_half)| next * at_half - at_h)
                .collect::<Vec<_>>(),
        )
    };
    let leading: Vec<f64> = errors.windows(2).map(leading).collect();
    let last = &leading[leading.len() - 2..];
    Ok(format!("{:.2}", (last[0] / last[1]).log2()))
}

fn table(
    motion: &Motion,
    steps: usize,
    wanted: impl Fn(&str) -> bool,
) -> Result<(), Box<dyn Error>> {
    let (time, model) = (STEP * steps as f64, &motion.model);
    let exact = exact(motion)?;
    let methods: [Box<dyn Stepper + '_>; 6] = [
        Box::new(SymplecticEuler::new(model)),
        Box::new(ImplicitMidpoint::new(model)),
        Box::new(CrouchGrossman::third(model)),
        Box::new(CrouchGrossman::fourth(model)),
        Box::new(RungeKutta4::new(model)),
        Box::new(DormandPrince::new(model, Tolerance::default())?),
    ];
    for mut method in methods.into_iter().filter(|method| wanted(method.name())) {
        let orders = (method.order(), 1);
        let order = observed(motion, &exact, orders, |count| {
            let mut field = ForwardDynamics::with_forces(model, motion.law());
            let (mut q, mut v) = (motion.q.clone(), motion.v.clone());
            let h = 0.5 / count as f64;
            for k in 0..count {
                method.step(&mut field, h * k as f64, &mut q, &mut v, h)?;
            }
            Ok(q)
        })?;
        // An evaluation for each joint makes long motions of large robots long to wait for.
        let steps = if method.order() == 2 && model.nv() > 10 {
            steps / 20
        } else {
            steps
        };
        match follow(motion, &mut *method, steps) {
            Ok(record) => println!(
                "{}",
                record.row(motion, method.name(), &order, STEP * steps as f64)
            ),
            Err(error) => println!(
                "| {} | {} | {error} | | | {order} | |",
                motion.name,
                method.name()
            ),
        }
    }
    if !wanted(VARIATIONAL) {
        return Ok(());
    }
    let order = observed(motion, &exact, (2, 2), |count| {
        let mut moving = VariationalIntegrator::with_forces(model, motion.law());
        moving.start(0.0, &motion.q, &motion.v)?;
        for _ in 0..count {
            moving.step(0.5 / count as f64)?;
        }
        Ok(moving.configuration().to_vec())
    })?;
    match follow_variational(motion, steps) {
        Ok(record) => println!("{}", record.row(motion, VARIATIONAL, &order, time)),
        Err(error) => println!(
            "| {} | {VARIATIONAL} | {error} | | | {order} | |",
            motion.name
        ),
    }
    Ok(())
}

/// The least time of one call in µs, over batches.
fn least_time(
    mut work: impl FnMut() -> Result<(), IntegratorError>,
) -> Result<f64, IntegratorError> {
    const BATCH: u32 = 200;
    let mut least = f64::INFINITY;
    for _ in 0..50 {
        let begin = Instant::now();
        for _ in 0..BATCH {
            work()?;
        }
        least = least.min(begin.elapsed().as_secs_f64() / f64::from(BATCH));
    }
    Ok(1e6 * least)
}

fn speed(motion: &Motion) -> Result<(), Box<dyn Error>> {
    let model = &motion.model;
    let mut ws = Workspace::new(model);
    let tau = vec![0.0; model.nv()];
    let aba = least_time(|| {
        std::hint::black_box(model.aba(&mut ws, &motion.q, &motion.v, &tau)?);
        Ok(())
    })?;
    let mut field = ForwardDynamics::new(model);
    let mut stepper = RungeKutta4::new(model);
    let (mut q, mut v) = (motion.q.clone(), motion.v.clone());
    let runge_kutta = least_time(|| stepper.step(&mut field, 0.0, &mut q, &mut v, 1e-4))?;
    let mut moving = VariationalIntegrator::new(model);
    moving.start(0.0, &motion.q, &motion.v)?;
    let mut iterations = (0, 0);
    let variational = least_time(|| {
        // From the same state again and again, so that no chaos enters.
        if iterations.1 % 500 == 0 {
            moving.start(0.0, &motion.q, &motion.v)?;
        }
        moving.step(STEP)?;
        iterations = (iterations.0 + moving.iterations(), iterations.1 + 1);
        Ok(())
    })?;
    println!(
        "| {} | {} | {aba:.2} | {:.0} | {variational:.2} | {:.2} | {:.2} |",
        motion.name,
        model.joints().len() - 1,
        1e6 / runge_kutta,
        variational / aba,
        iterations.0 as f64 / f64::from(iterations.1 as u32),
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let steps = arguments.next().map_or(Ok(1_000_000), |s| s.parse())?;
    let (only, method) = (arguments.next(), arguments.next());
    let mut motions = motions()?;
    if let Some(only) = only {
        motions.retain(|motion| motion.name == only);
    }
    println!("{steps} steps of {STEP} s\n");
    println!(
        "| robot | method | peak energy error | its slope, 1/s | momentum error, linear and angular | order | s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for motion in &motions {
        table(motion, steps, |name| {
            method.as_deref().is_none_or(|only| only == name)
        })?;
    }
    println!(
        "\n| robot | joints | ABA, µs | Runge-Kutta 4, steps/s | variational step, µs | in ABAs | iterations |"
    );
    println!("|---|---|---|---|---|---|---|");
    for motion in &motions {
        speed(motion)?;
    }
    Ok(())
}
