//! The offline step for a humanoid of 40 joints, and what it is good for: search and compilation of
//! its forward dynamics, kept in a folder under the plan's key, one state solved, and an estimate
//! from its sensors.
//!
//! `cargo run --release -p featherline-system --example forty_joints -- FOLDER`. The second run
//! with the same folder finds the plan there.

use anyhow::{Context, Result, ensure};
use featherline::model::JointId;
use featherline::samples::humanoid;
use featherline::{Model, Workspace};
use featherline_system::{
    Check, Components, Estimator, EstimatorOptions, GuardedRun, KnownValue, Noise, Plan, Problem,
    SearchOptions, Sensor, SensorKind, SensorSimulation, SolveStatus, Stage, System,
};
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .context("usage: forty_joints FOLDER")?;
    forward_dynamics(Path::new(&folder))?;
    estimate()
}

/// Forward dynamics by a plan, against the articulated-body algorithm.
fn forward_dynamics(folder: &Path) -> Result<()> {
    let system = System::new(Problem::forward_dynamics(humanoid()))?;
    let model = system.model();
    println!(
        "{}: {} coordinates, {} equations",
        model.name(),
        model.nv(),
        system.sparsity().rows()
    );
    let start = Instant::now();
    let (plan, origin) = plan(&system, folder)?;
    println!(
        "{origin} in {:.2} s: {} operations a state",
        start.elapsed().as_secs_f64(),
        plan.operations()
    );

    let q = model.neutral_configuration();
    let (v, tau) = (vec![0.1; model.nv()], vec![0.5; model.nv()]);
    let mut ws = Workspace::new(model);
    let expected = model.aba(&mut ws, &q, &v, &tau)?;
    let state = [&q[..], &v, &tau].concat();
    let mut found = vec![0.0; model.nv()];
    let mut checks = [Check::default()];
    let mut run = GuardedRun::new(&system, plan.program())?;
    run.run(&state, &mut found, &mut checks)?;
    ensure!(checks[0].status != SolveStatus::Singular, "no solution");
    let largest = expected.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let error = differences.fold(0.0, f64::max) / largest;
    println!("against the articulated-body algorithm: {error:.1e} of the greatest acceleration");
    ensure!(error < 1e-9, "the plan solves something else");
    Ok(())
}

/// The plan that is kept in the folder, or a new one, which is then kept.
fn plan(system: &System, folder: &Path) -> Result<(Plan, &'static str)> {
    let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
    let options = SearchOptions {
        time: Duration::from_secs(20),
        ..SearchOptions::default()
    };
    let key = Plan::key_of(system, &requested, &options);
    let path = folder.join(format!("{key:032x}.plan"));
    if let Ok(bytes) = std::fs::read(&path) {
        return Ok((Plan::from_bytes(&bytes, system, key)?, "plan read"));
    }
    let mut tenth = 0;
    let plan = Plan::new(system, &requested, &options, |stage| {
        if let Stage::Search(progress) = stage
            && progress.done * 10.0 >= f64::from(tenth)
        {
            println!(
                "  {:>3.0} %: {} operations",
                progress.done * 100.0,
                progress.best
            );
            tenth = (progress.done * 10.0) as i32 + 1;
        }
    })?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(&path, plan.to_bytes())?;
    Ok((plan, "searched and compiled"))
}

/// Encoders and torque sensors at every joint, an inertial unit on the pelvis, force sensors in the
/// ankles, and contact at the feet.
fn instrumented(model: &Model) -> Result<Problem> {
    let feet = ["left_ankle_roll", "right_ankle_roll"].map(|name| model.joint_id(name));
    let [left, right] = feet;
    let feet: [JointId; 2] = [left?, right?];
    let mut problem = Problem::new(model.clone()).external_forces_except(&feet, KnownValue::Zero);
    let mut add = |name: String, kind, deviation| {
        problem.add_sensor(Sensor::new(name, kind, Noise::Deviation(deviation)))
    };
    for joint in model.joint_ids() {
        let name = &model.joint(joint).name;
        if model.joint(joint).nv == 1 {
            let encoder = SensorKind::JointAcceleration { joint };
            add(format!("{name} encoder"), encoder, 0.2)?;
            add(
                format!("{name} torque"),
                SensorKind::JointForce { joint },
                0.1,
            )?;
        }
    }
    let frame = model.frame_id("pelvis")?;
    add(
        "accelerometer".to_owned(),
        SensorKind::Accelerometer { frame },
        0.05,
    )?;
    let angular = SensorKind::AngularAccelerometer { frame };
    add("angular accelerometer".to_owned(), angular, 0.5)?;
    for foot in feet {
        let name = &model.joint(foot).name;
        let frame = model.frame_id(&format!("{name}_body"))?;
        let reaction = false;
        add(
            format!("{name} force"),
            SensorKind::ForceTorque { frame, reaction },
            0.4,
        )?;
        let components = Components::ALL;
        add(
            format!("{name} contact"),
            SensorKind::ExternalForce { frame, components },
            1.0,
        )?;
    }
    Ok(problem)
}

/// The most probable torques given simulated readings.
fn estimate() -> Result<()> {
    let system = System::new(instrumented(&humanoid())?)?;
    let sample = SensorSimulation::new(&system, 1)?.advance()?;
    // The base's six coordinates come first.
    let torque = system.unknowns().joint_forces().start + 6;
    let start = Instant::now();
    let mut estimator = Estimator::new(system, &EstimatorOptions::default())?;
    println!(
        "estimator made in {:.3} s: {} readings",
        start.elapsed().as_secs_f64(),
        estimator.system().input_count()
    );
    let start = Instant::now();
    let mut estimate = estimator.update(&sample.q, &sample.v, &sample.inputs)?;
    let time = start.elapsed().as_secs_f64();
    let mean = estimate.mean()[torque];
    let deviation = estimate.posterior().variances()[torque].sqrt();
    println!(
        "estimate in {:.0} µs; the first torque is {mean:.2} N·m ± {:.2}, and in truth {:.2}",
        time * 1e6,
        2.0 * deviation,
        sample.unknowns[torque]
    );
    Ok(())
}
