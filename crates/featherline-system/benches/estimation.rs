//! The time of an estimate on a humanoid with encoders, inertial and force sensors, and soles.

use featherline::Model;
use featherline::model::{FrameId, JointId};
use featherline_compile::{Interpreter, Program};
use featherline_system::{
    Check, Components, EstimateCheck, EstimateProgram, EstimateRun, EstimateStatus, Estimator,
    EstimatorOptions, GuardedProgram, GuardedRun, KnownSet, KnownValue, Noise, Problem, Sensor,
    SensorFile, SensorKind, SolveStatus, System, SystemError, order,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::time::{Duration, Instant};

const ROUNDS: usize = 500;

/// An encoder and a torque sensor at every joint, an inertial unit and an angular accelerometer on
/// the base, force sensors and soles at the ends of the legs.
fn instrumented(model: &Model) -> Result<Problem, SystemError> {
    let is_end = |id: &JointId| {
        model
            .joint_ids()
            .all(|other| model.joint(other).parent != *id)
    };
    let ends: Vec<JointId> = model.joint_ids().filter(is_end).collect();
    let mut problem = Problem::new(model.clone()).external_forces_except(&ends, KnownValue::Zero);
    let mut add = |name: String, kind, sigma| {
        problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(sigma)))
    };
    let frame = |id: JointId| -> Option<FrameId> {
        let mut frames = model.frame_ids();
        frames.find(|&frame| model.frame(frame).joint == id)
    };
    for id in model.joint_ids() {
        let joint = model.joint(id);
        if joint.nv == 1 {
            let kind = SensorKind::JointAcceleration { joint: id };
            add(format!("{} encoder", joint.name), kind, 0.2)?;
            let kind = SensorKind::JointForce { joint: id };
            add(format!("{} torque", joint.name), kind, 0.1)?;
        }
        let Some(frame) = frame(id) else { continue };
        if joint.parent == JointId::UNIVERSE {
            let kind = SensorKind::Accelerometer { frame };
            add(format!("{} accelerometer", joint.name), kind, 0.05)?;
            let kind = SensorKind::AngularAccelerometer { frame };
            add(format!("{} angular", joint.name), kind, 0.5)?;
        }
        if ends.contains(&id) {
            let reaction = false;
            let kind = SensorKind::ForceTorque { frame, reaction };
            add(format!("{} force", joint.name), kind, 0.4)?;
            let components = Components::ALL;
            let kind = SensorKind::ExternalForce { frame, components };
            add(format!("{} contact", joint.name), kind, 1.0)?;
        }
    }
    Ok(problem)
}

fn median(mut run: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

/// The accelerations of all joints and the external forces on all bodies: as many readings as
/// BERDY's sensors have when none is named.
fn accelerations_and_skins(model: &Model) -> Result<Problem, SystemError> {
    let mut problem = Problem::new(model.clone());
    for id in model.joint_ids() {
        let joint = model.joint(id);
        if joint.nv == 1 {
            let kind = SensorKind::JointAcceleration { joint: id };
            let name = format!("{} encoder", joint.name);
            problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(0.1)))?;
        }
        let mut frames = model.frame_ids();
        if let Some(frame) = frames.find(|&frame| model.frame(frame).joint == id) {
            let components = Components::ALL;
            let kind = SensorKind::ExternalForce { frame, components };
            let name = format!("{} skin", joint.name);
            problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(0.1)))?;
        }
    }
    Ok(problem)
}

/// Four load cells under each foot, on a floor without friction, and all accelerations known.
fn two_feet(model: &Model) -> Result<Problem, Box<dyn Error>> {
    let mut text = include_str!("../../../robots/humanoid-feet.toml").to_owned();
    for foot in ["left", "right"] {
        text += &format!(
            "\n[[sensor]]\nname = \"{foot}_contact\"\ntype = \"contact\"\nframe = \"{foot}_sole\"\n\
             contact = \"frictionless\"\n"
        );
    }
    Ok(SensorFile::read(&text, model)?.problem(model.clone(), &[])?)
}

/// The same with encoders and an inertial unit, which have errors, in place of the known
/// accelerations, and slippery floors.
fn two_feet_with_encoders(model: &Model) -> Result<Problem, Box<dyn Error>> {
    let mut text = include_str!("../../../robots/humanoid-feet.toml").replace("\"qdd\", ", "");
    for foot in ["left", "right"] {
        text += &format!(
            "\n[[sensor]]\nname = \"{foot}_contact\"\ntype = \"contact\"\nframe = \"{foot}_sole\"\n\
             contact = \"slippery\"\n"
        );
    }
    let mut problem = SensorFile::read(&text, model)?.problem(model.clone(), &[])?;
    for joint in model.joint_ids() {
        let kind = SensorKind::JointAcceleration { joint };
        let name = format!("{} encoder", model.joint(joint).name);
        problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(0.1)))?;
    }
    Ok(problem)
}

/// Load cells on slippery floors with all accelerations known but those of the ankles: as many rows
/// as unknowns.
fn two_feet_square(model: &Model) -> Result<Problem, Box<dyn Error>> {
    let mut text = include_str!("../../../robots/humanoid-feet.toml").replace("\"qdd\", ", "");
    for foot in ["left", "right"] {
        text += &format!(
            "\n[[sensor]]\nname = \"{foot}_contact\"\ntype = \"contact\"\nframe = \"{foot}_sole\"\n\
             contact = \"slippery\"\n"
        );
    }
    let ids = model.joint_ids();
    let others = ids.filter(|&joint| !model.joint(joint).name.contains("ankle"));
    let known: Vec<KnownSet> = others.map(KnownSet::JointAcceleration).collect();
    Ok(SensorFile::read(&text, model)?.problem(model.clone(), &known)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let humanoid = featherline_robots::humanoid();
    report("sensors of many kinds", instrumented(&humanoid)?, 0.1)?;
    report(
        "accelerations and skins",
        accelerations_and_skins(&humanoid)?,
        0.1,
    )?;
    // At rest, for without friction no force could move it sideways.
    report("two feet on load cells", two_feet(&humanoid)?, 0.0)?;
    report(
        "two feet on load cells, encoders",
        two_feet_with_encoders(&humanoid)?,
        0.1,
    )?;
    solved(&humanoid)
}

/// The torques of two feet where nothing is redundant, beside which the estimates above stand.
fn solved(model: &Model) -> Result<(), Box<dyn Error>> {
    let system = System::new(two_feet_square(model)?)?;
    let torques = system.unknowns().joint_forces();
    let requested = (0..system.unknowns().count()).map(|column| torques.contains(&column));
    let template = system.template()?.requesting(requested.collect())?;
    let program = GuardedProgram::new(&system, &template, &order::markowitz(&template)?)?;
    println!(
        "humanoid, two feet on load cells, nothing redundant, solved: {} unknowns, {} operations and {} of the check",
        system.unknowns().count(),
        program.solve().program().count().total(),
        program.check().count().total()
    );
    let bent = model.random_configuration(&mut ChaCha8Rng::seed_from_u64(1));
    let (v, inputs) = (vec![0.1; model.nv()], vec![0.5; system.input_count()]);
    let state = [bent, v, inputs].concat();
    let mut run = GuardedRun::new(&system, &program)?;
    for count in [1, MANY] {
        let states = state.repeat(count);
        let mut found = vec![0.0; count * program.requested().len()];
        let mut checks = vec![Check::default(); count];
        let time = median(|| {
            run.run(&states, &mut found, &mut checks)?;
            Ok(())
        })?;
        let accepted = checks
            .iter()
            .filter(|check| check.status == SolveStatus::Accepted);
        println!(
            "{count} a call: {:?} each, {} accepted; backward error {:.1e}",
            time / count as u32,
            accepted.count(),
            checks[0].backward_error
        );
    }
    interpreted("solve", program.solve().program(), &state)?;
    interpreted("check", program.check(), &state)
}

/// The time of a program for one state without machine code. What it finds is of no account.
fn interpreted(name: &str, program: &Program, state: &[f64]) -> Result<(), Box<dyn Error>> {
    let mut interpreter = Interpreter::new(program);
    let mut inputs = state.to_vec();
    inputs.resize(program.input_count(), 0.5);
    let mut outputs = vec![0.0; program.output_count()];
    let time = median(|| {
        interpreter.evaluate(&inputs, &mut outputs)?;
        Ok(())
    })?;
    println!("{name} by the interpreter, 1 a call: {time:?}");
    Ok(())
}

/// Measures in a state in which all rates, accelerations and readings are alike.
fn report(name: &str, problem: Problem, rate: f64) -> Result<(), Box<dyn Error>> {
    let model = problem.model().clone();
    let start = Instant::now();
    let system = System::new(problem)?;
    let equations = system.equations();
    let rows = equations.count();
    let sensors = (0..rows)
        .filter(|&row| system.variance(row).is_some())
        .count();
    println!(
        "humanoid, {name}: {} joints, {} unknowns, {rows} rows, {sensors} of them of sensors",
        model.joint_ids().count(),
        system.unknowns().count(),
    );
    println!("equations: {:?}", start.elapsed());
    let exact = EstimatorOptions::default();
    measure("exact equations", system.clone(), &exact, rate)?;
    compiled("exact equations", &system, &exact, rate)?;
    let weighted = exact.equation_variance(1e-10);
    compiled("weighted equations", &system, &weighted, rate)?;
    measure("weighted equations", system, &weighted, rate)
}

fn measure(
    name: &str,
    system: System,
    options: &EstimatorOptions,
    rate: f64,
) -> Result<(), Box<dyn Error>> {
    let (model, inputs) = (system.model().clone(), system.input_count());
    let start = Instant::now();
    let mut estimator = Estimator::new(system, options)?;
    println!("{name}, offline: {:?}", start.elapsed());
    println!(
        "factor: {} entries, {} multiplications",
        estimator.factor_entries(),
        estimator.factor_multiplications()
    );
    let (q, v) = (model.neutral_configuration(), vec![rate; model.nv()]);
    let inputs = vec![rate; inputs];
    let update = median(|| {
        estimator.update(&q, &v, &inputs)?;
        Ok(())
    })?;
    println!("update: {update:?}");
    let variances = median(|| {
        let mut estimate = estimator.update(&q, &v, &inputs)?;
        std::hint::black_box(estimate.posterior().variances());
        Ok(())
    })?;
    println!("update with all variances: {variances:?}");
    let tested = median(|| {
        let mut estimate = estimator.update(&q, &v, &inputs)?;
        std::hint::black_box(estimate.residuals().largest());
        Ok(())
    })?;
    println!("update with residual tests: {tested:?}\n");
    Ok(())
}

/// How many states a call may have.
const MANY: usize = 256;

/// The torques alone, by a program.
fn compiled(
    name: &str,
    system: &System,
    options: &EstimatorOptions,
    rate: f64,
) -> Result<(), Box<dyn Error>> {
    let (model, inputs) = (system.model(), system.input_count());
    let requested: Vec<usize> = system.unknowns().joint_forces().collect();
    let start = Instant::now();
    let program = match EstimateProgram::new(system, options, &requested) {
        Ok(program) => program,
        Err(error) => {
            println!("{name}, compiled: {error}\n");
            return Ok(());
        }
    };
    println!(
        "{name}, compiled, offline: {:?}, {} operations and {} of the check",
        start.elapsed(),
        program.solve().count().total(),
        program.check().count().total()
    );
    let mut run = EstimateRun::new(system, &program)?;
    let state: Vec<f64> = model
        .neutral_configuration()
        .into_iter()
        .chain(std::iter::repeat_n(rate, model.nv() + inputs))
        .collect();
    for count in [1, MANY] {
        let states = state.repeat(count);
        let mut means = vec![0.0; count * program.requested().len()];
        let mut checks = vec![EstimateCheck::default(); count];
        let time = median(|| {
            run.run(&states, &mut means, &mut checks)?;
            Ok(())
        })?;
        let accepted = checks
            .iter()
            .filter(|check| check.status == EstimateStatus::Accepted);
        println!(
            "{count} a call: {:?} each, {} accepted; backward error {:.1e}, correction {:.1e}",
            time / count as u32,
            accepted.count(),
            checks[0].backward_error,
            checks[0].correction
        );
    }
    interpreted("estimate", program.solve(), &state)?;
    interpreted("check", program.check(), &state)?;
    println!();
    Ok(())
}
