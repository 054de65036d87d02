//! Maximal coordinates and variational steps beside the articulated-body algorithm, and what loops
//! cost: fastest of many samples, one thread. Fails where a variational step of the humanoid takes
//! more than [`MOST_ABAS`], where maximal coordinates of a tree take more than [`MOST_OF_ABA`], and
//! where its accelerations are not those of the articulated-body algorithm.
//!
//! `cargo bench --bench maximal -- 100000` measures chains and random trees of up to so many
//! bodies; 10,000 without an argument.

use anyhow::{Context, Result, ensure};
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples::{RandomTree, random_tree};
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};
use featherline::{Model, Workspace, samples};
use featherline_bench::robots;
use featherline_bench::states::{self, State};
use featherline_constraint::{LoopWorkspace, Stabilisation};
use featherline_constraint::{loop_dynamics, project_velocity};
use featherline_sim::integrator::{
    ImplicitMidpoint, RungeKutta4, SymplecticEuler, VariationalIntegrator,
};
use featherline_sim::maximal::maximal_dynamics;
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use featherline_sim::simulation::{Method, SimulationError, Simulator};
use std::hint::black_box;
use std::time::{Duration, Instant};

const SAMPLES: usize = 25;
/// Each sample takes about as long, so that the clock's grain does not show.
const SAMPLE: Duration = Duration::from_millis(4);
/// How many times the articulated-body algorithm a variational step of the humanoid may take.
const MOST_ABAS: f64 = 5.0;
/// How many times as long maximal coordinates of a tree may take.
const MOST_OF_ABA: f64 = 2.5;
/// How many times as long as in the quickest tree of its kind a body may take in maximal
/// coordinates.
const FLAT: f64 = 1.5;
/// How many steps a second the humanoid is to make by Runge-Kutta 4.
const STEPS_A_SECOND: f64 = 20_000.0;
/// How much the accelerations of bodies may differ between the two ways, relative to the largest.
const AGREEMENT: f64 = 1e-9;
/// Hinges about any axis: half of them hang on the one before, half on any that was there.
const RANDOM: RandomTree = RandomTree {
    joints: 0,
    branching: 0.5,
    every_kind: false,
    mimic_joints: false,
    floating: false,
};
/// The steps of robots in flight, in s.
const STEPS: [f64; 2] = [0.003, 0.01];
/// How long they fly, in s.
const FLIGHT: f64 = 0.3;

fn main() -> Result<()> {
    let longest = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(10_000);
    println!(
        "| tree | bodies | deepest | ABA, ns a body | maximal, ns a body | ratio | accelerations differ by |\n\
         |---|---:|---:|---:|---:|---:|---:|"
    );
    for name in ["ur5", "panda", "quadruped", "humanoid"] {
        let model = robots::embedded(name).with_context(|| format!("{name} is not embedded"))?;
        compare(name, &model)?;
    }
    let sizes = || {
        [10, 100, 1_000, 10_000, 100_000]
            .into_iter()
            .filter(|&bodies| bodies <= longest)
    };
    let (mut chains, mut trees) = (Vec::new(), Vec::new());
    for bodies in sizes() {
        chains.push(compare("snake", &samples::snake(bodies))?);
    }
    for joints in sizes() {
        let tree = random_tree(7, &RandomTree { joints, ..RANDOM });
        trees.push(compare("random tree", &tree)?);
    }
    println!("\nslowest by fastest, of {FLAT} aimed at:");
    for (name, times) in [("snake", chains), ("random tree", trees)] {
        let slowest = times.iter().copied().fold(0.0, f64::max);
        let fastest = times.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{name} {:.2}", slowest / fastest);
    }
    println!(
        "\n| tree | bodies | variational steps of | in ABAs | iterations |\n\
         |---|---:|---:|---:|---:|"
    );
    let mut humanoid: f64 = 0.0;
    for name in ["quadruped", "humanoid"] {
        let model = robots::embedded(name).with_context(|| format!("{name} is not embedded"))?;
        for step in STEPS {
            let most = variational(name, &model, &lively(&model), step)?;
            if name == "humanoid" {
                humanoid = humanoid.max(most);
            }
        }
    }
    for bodies in [10, 100, 1_000, 10_000] {
        if bodies <= longest {
            variational("snake", &samples::snake(bodies), &winding(bodies), STEPS[0])?;
        }
    }
    println!(
        "\n| simulation of | bodies | steps of | symplectic Euler, steps a second | in ABAs | Runge-Kutta 4, steps a second | in ABAs | \
         implicit midpoint, steps a second | in ABAs |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    );
    let model = robots::embedded("humanoid").context("humanoid is not embedded")?;
    let speed = simulations("humanoid", &model, &lively(&model), STEPS[0])?;
    simulations("humanoid", &model, &lively(&model), STEPS[1])?;
    for bodies in [20, 50, 100] {
        simulations("snake", &samples::snake(bodies), &winding(bodies), STEPS[1])?;
    }
    println!(
        "\nhumanoid by Runge-Kutta 4: {speed:.0} steps a second, of {STEPS_A_SECOND:.0} aimed at"
    );
    println!("\n| linkage | by coordinates, µs | by bodies, µs |\n|---|---:|---:|");
    for model in [
        samples::four_bar(),
        samples::six_bar(),
        samples::bennett(),
        samples::stewart(),
        samples::delta(),
    ] {
        linkage(&model)?;
    }
    println!(
        "\n| chain of | loop over | by bodies, µs | more than without, µs |\n|---:|---:|---:|---:|"
    );
    for bodies in [100, 1_000, 10_000] {
        if bodies > longest {
            continue;
        }
        let tree = winding_chain(bodies, None)?;
        for length in [4, 16, 64, 256, 1_024, 4_096] {
            if length > bodies {
                continue;
            }
            let looped = winding_chain(bodies, Some(length))?;
            let (mut first, mut second) = (by_bodies(&tree)?, by_bodies(&looped)?);
            let [without, with] = fastest([&mut first, &mut second]);
            println!(
                "| {bodies} | {length} | {:.1} | {:.1} |",
                with * 1e6,
                (with - without) * 1e6
            );
        }
    }
    ensure!(
        humanoid <= MOST_ABAS,
        "a variational step of the humanoid takes {humanoid:.2} times the articulated-body algorithm, and may take {MOST_ABAS}"
    );
    Ok(())
}

/// Seconds a call, of calls that take turns, so that what else the machine does meets all of them.
fn fastest<const N: usize>(mut calls: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut times = [f64::INFINITY; N];
    let mut counts = [1_usize; N];
    for (call, count) in calls.iter_mut().zip(&mut counts) {
        call();
        let begin = Instant::now();
        call();
        let once = begin.elapsed().as_secs_f64().max(1e-8);
        *count = ((SAMPLE.as_secs_f64() / once) as usize).max(1);
    }
    for _ in 0..SAMPLES {
        for ((call, count), time) in calls.iter_mut().zip(&counts).zip(&mut times) {
            let begin = Instant::now();
            for _ in 0..*count {
                call();
            }
            *time = time.min(begin.elapsed().as_secs_f64() / *count as f64);
        }
    }
    times
}

/// Prints a line; returns how long a body takes in maximal coordinates, in ns.
fn compare(name: &str, model: &Model) -> Result<f64> {
    let states = states::draw(model, 1, 7);
    let drawn = states.first().context("a state")?;
    let State { q, v, tau, .. } = drawn;
    let mut tree = Workspace::recursive(model);
    let state = MaximalState::from_joints(model, &mut tree, q, v)?;
    let mut kkt = MaximalWorkspace::new(model)?;
    let difference = disagreement(model, &state, drawn)?;
    ensure!(
        difference <= AGREEMENT,
        "{name} of {} bodies: accelerations differ by {difference:.1e}",
        model.joints().len() - 1
    );
    let [aba, maximal] = fastest([
        &mut || {
            let found = model.aba(&mut tree, black_box(q), v, tau);
            black_box(found.is_ok());
        },
        &mut || {
            let found = maximal_dynamics(model, &mut kkt, black_box(&state), tau, &[]);
            black_box(found.is_ok());
        },
    ]);
    let bodies = model.joints().len() - 1;
    let each = |time: f64| time * 1e9 / bodies as f64;
    let (first, second) = (each(aba), each(maximal));
    println!(
        "| {name} | {bodies} | {} | {first:.1} | {second:.1} | {:.2} | {difference:.1e} |",
        depth(model),
        maximal / aba
    );
    ensure!(
        maximal <= MOST_OF_ABA * aba,
        "{name} of {bodies} bodies takes {:.2} times the articulated-body algorithm, and may take {MOST_OF_ABA}",
        maximal / aba
    );
    Ok(second)
}

/// How much the accelerations of bodies differ between the articulated-body algorithm and maximal
/// coordinates, relative to the largest.
fn disagreement(model: &Model, state: &MaximalState, drawn: &State) -> Result<f64> {
    let State { q, v, tau, .. } = drawn;
    let mut tree = Workspace::recursive(model);
    let a = model.aba(&mut tree, q, v, tau)?.to_vec();
    let found = model.forward_kinematics_accelerations(&mut tree, q, v, &a)?;
    let mut kkt = MaximalWorkspace::new(model)?;
    let bodies = maximal_dynamics(model, &mut kkt, state, tau, &[])?.accelerations;
    let (mut largest, mut difference) = (0.0_f64, 0.0_f64);
    for joint in model.joint_ids() {
        let by_joints = found.acceleration(joint, ReferenceFrame::Local);
        let apart = (bodies[joint.index()] - by_joints).to_array();
        for (own, apart) in by_joints.to_array().iter().zip(apart) {
            largest = largest.max(own.abs());
            difference = difference.max(apart.abs());
        }
    }
    Ok(difference / largest)
}

/// The most joints between a body and the world.
fn depth(model: &Model) -> usize {
    let mut depths = vec![0];
    for joint in &model.joints()[1..] {
        depths.push(depths[joint.parent.index()] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Rates with which links of a snake turn to and fro, however many there are.
fn winding(bodies: usize) -> Vec<f64> {
    let turning = |pair: usize| 0.5 * (2.3 * pair as f64).cos();
    let rate = |k: usize| match k / 2 {
        0 => turning(0),
        pair => turning(pair) - turning(pair - 1),
    };
    (0..bodies).map(rate).collect()
}

/// Steps of the variational integrator without gravity, from 0.3 s of the flight to 0.6 s: a chain
/// of thousands that is let go at once first trembles. Returns how many ABAs one takes.
fn variational(name: &str, model: &Model, v: &[f64], step: f64) -> Result<f64> {
    let steps = (FLIGHT / step).round() as usize;
    let model = model.clone().with_gravity(Vec3::zero())?;
    let q = model.neutral_configuration();
    let mut begun = VariationalIntegrator::new(&model);
    begun.start(0.0, &q, v)?;
    for _ in 0..steps {
        begun.step(step)?;
    }
    let (mut motion, mut iterations) = (begun.clone(), 0);
    let mut tree = Workspace::recursive(&model);
    let tau = vec![0.0; model.nv()];
    let [aba, flight] = fastest([
        &mut || {
            let found = model.aba(&mut tree, black_box(&q), v, &tau);
            black_box(found.is_ok());
        },
        &mut || {
            motion.clone_from(&begun);
            iterations = 0;
            for _ in 0..steps {
                black_box(motion.step(step).is_ok());
                iterations += motion.iterations();
            }
        },
    ]);
    let in_abas = flight / steps as f64 / aba;
    println!(
        "| {name} | {} | {} ms | {in_abas:.2} | {:.2} |",
        model.joints().len() - 1,
        step * 1e3,
        iterations as f64 / steps as f64
    );
    Ok(in_abas)
}

/// Joints of up to 0.7 rad/s, those of the wrists of up to 2 before long.
fn lively(model: &Model) -> Vec<f64> {
    let rate = |k: usize| 0.7 * (2.3 * k as f64).cos();
    (0..model.nv()).map(rate).collect()
}

/// Simulations by methods that move joints alone, without gravity, from the start of the flight and
/// with what that costs. Returns how many steps a second Runge-Kutta 4 makes.
fn simulations(name: &str, model: &Model, v: &[f64], step: f64) -> Result<f64> {
    let model = model.clone().with_gravity(Vec3::zero())?;
    let q = model.neutral_configuration();
    let fly = |method: Method<'_>| -> Result<(), SimulationError> {
        let mut simulation = Simulator::new(&model, method).start(0.0, &q, v)?;
        simulation.run(FLIGHT, FLIGHT, &mut ())
    };
    let euler = || fly(Method::steps(SymplecticEuler::new(&model), step)?);
    let runge_kutta = || fly(Method::steps(RungeKutta4::new(&model), step)?);
    let midpoint = || fly(Method::steps(ImplicitMidpoint::new(&model), step)?);
    // Once, for their errors.
    euler()?;
    runge_kutta()?;
    midpoint()?;
    let mut tree = Workspace::recursive(&model);
    let tau = vec![0.0; model.nv()];
    let [aba, flights @ ..] = fastest([
        &mut || {
            let found = model.aba(&mut tree, black_box(&q), v, &tau);
            black_box(found.is_ok());
        },
        &mut || drop(black_box(euler())),
        &mut || drop(black_box(runge_kutta())),
        &mut || drop(black_box(midpoint())),
    ]);
    let each = flights.map(|time| time * step / FLIGHT);
    let columns = each.map(|time| format!("{:.0} | {:.2}", 1.0 / time, time / aba));
    println!(
        "| {name} | {} | {} ms | {} |",
        model.joints().len() - 1,
        step * 1e3,
        columns.join(" | ")
    );
    Ok(1.0 / each[1])
}

fn linkage(model: &Model) -> Result<()> {
    let mut ws = LoopWorkspace::new(model)?;
    // Where it was drawn, in motion.
    let q = match model.reference_configurations().get("closed") {
        Some(closed) => closed.clone(),
        None => model.neutral_configuration(),
    };
    let (mut v, tau) = (vec![0.5; model.nv()], vec![1.0; model.nv()]);
    project_velocity(model, &mut ws, &q, &mut v)?;
    let mut tree = Workspace::recursive(model);
    let state = MaximalState::from_joints(model, &mut tree, &q, &v)?;
    let mut kkt = MaximalWorkspace::new(model)?;
    let none = Stabilisation::NONE;
    let [coordinates, bodies] = fastest([
        &mut || {
            let found = loop_dynamics(model, &mut ws, black_box(&q), &v, &tau, &[], &none);
            black_box(found.is_ok());
        },
        &mut || {
            let found = maximal_dynamics(model, &mut kkt, black_box(&state), &tau, &[]);
            black_box(found.is_ok());
        },
    ]);
    println!(
        "| {} | {:.2} | {:.2} |",
        model.name(),
        coordinates * 1e6,
        bodies * 1e6
    );
    Ok(())
}

fn by_bodies(model: &Model) -> Result<impl FnMut()> {
    let mut tree = Workspace::recursive(model);
    let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
    let state = MaximalState::from_joints(model, &mut tree, &q, &v)?;
    let mut kkt = MaximalWorkspace::new(model)?;
    let tau = vec![1.0; model.nv()];
    Ok(move || {
        let found = maximal_dynamics(model, &mut kkt, black_box(&state), &tau, &[]);
        black_box(found.is_ok());
    })
}

/// A winding chain of hinges, of which a stretch in the middle may be closed by a ball.
fn winding_chain(bodies: usize, length: Option<usize>) -> Result<Model> {
    let mut builder = ModelBuilder::new(format!("chain_{bodies}"));
    let body = Inertia::cuboid(1.0, Vec3::new(0.2, 0.05, 0.03));
    let turn = Mat3::from_roll_pitch_yaw(0.2, -0.3, 0.4);
    let step = Se3::new(turn, Vec3::new(0.2, 0.02, 0.01));
    let mut joints = Vec::new();
    for i in 0..bodies {
        let above = joints.last().copied().unwrap_or(ModelBuilder::UNIVERSE);
        let kind = JointKind::revolute(Vec3::unit(i % 3));
        let hinge = JointSpec::new(format!("hinge_{i}"), above, kind);
        joints.push(builder.add_joint(hinge.placement(step)));
        builder.add_body(joints[i], format!("body_{i}"), step, body);
    }
    if let Some(length) = length {
        let first = (bodies - length) / 2;
        let last = first + length - 1;
        let reached = (first..last).fold(Se3::identity(), |here, _| here.compose(&step));
        let ends = ((joints[first], reached), (joints[last], Se3::identity()));
        builder.close_loop("ball", JointKind::Spherical, ends.0, ends.1);
    }
    Ok(builder.build()?.model)
}
