//! Draws estimated against true torque of a joint without a torque sensor, with a band of two
//! standard deviations.
//!
//! `cargo run --release -p featherline-tools --bin torque_estimate -- FOLDER`

use featherline::Model;
use featherline::spatial::{Force, Vec3};
use featherline_system::{
    AssemblyMemory, Estimator, EstimatorOptions, GeneralLu, KnownValue, Noise, Problem, Sensor,
    SensorKind, System,
};
use featherline_tools::chart::{Axis, Band, Chart, Curve, SeriesLabelPosition};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::path::{Path, PathBuf};

const SAMPLES: usize = 300;
const DURATION: f64 = 4.0;
/// The coordinate that has no torque sensor.
const WATCHED: usize = 1;
const ACCELERATION: f64 = 0.5;
const WRIST: f64 = 2.0;
const TORQUE: f64 = 1.0;

/// A torque, its estimate, and the estimate's standard deviation.
struct Sample {
    time: f64,
    truth: f64,
    estimate: f64,
    sigma: f64,
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

/// Encoders everywhere, torque sensors behind the watched joint, a force sensor in the last one, a
/// hand that is pushed.
fn instrumented(model: &Model) -> Result<Problem, Box<dyn Error>> {
    let hand = model.joint_ids().last().ok_or("the robot has joints")?;
    let mut problem = Problem::new(model.clone()).external_forces_except(&[hand], KnownValue::Zero);
    for joint in model.joint_ids() {
        let name = &model.joint(joint).name;
        let kind = SensorKind::JointAcceleration { joint };
        let sensor = Sensor::new(
            format!("{name} encoder"),
            kind,
            Noise::Deviation(ACCELERATION),
        );
        problem.add_sensor(sensor)?;
        if model.joint(joint).idx_v > WATCHED {
            let kind = SensorKind::JointForce { joint };
            let sensor = Sensor::new(format!("{name} torque"), kind, Noise::Deviation(TORQUE));
            problem.add_sensor(sensor)?;
        }
    }
    let mut frames = model.frame_ids();
    let frame = frames.find(|&frame| model.frame(frame).joint == hand);
    let frame = frame.ok_or("the hand has a frame")?;
    let kind = SensorKind::ForceTorque {
        frame,
        reaction: false,
    };
    problem.add_sensor(Sensor::new("wrist", kind, Noise::Deviation(WRIST)))?;
    Ok(problem)
}

fn samples(model: &Model) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut estimator = Estimator::new(
        System::new(instrumented(model)?)?,
        &EstimatorOptions::default(),
    )?;
    let exact = Problem::new(model.clone())
        .joint_accelerations(KnownValue::Input)
        .external_forces(KnownValue::Input);
    let exact = System::new(exact)?;
    let mut memory = AssemblyMemory::<f64>::new(&exact);
    let mut solver = GeneralLu::new(exact.sparsity().clone())?;
    let mut values = vec![0.0; exact.sparsity().entries()];
    let mut rhs = vec![0.0; exact.sparsity().rows()];
    let mut unknowns = vec![0.0; exact.unknowns().count()];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let column = exact.unknowns().joint_forces().start + WATCHED;
    let mut samples = Vec::with_capacity(SAMPLES);
    for k in 0..SAMPLES {
        let time = DURATION * k as f64 / SAMPLES as f64;
        let wave = |i: usize| (0.6, 1.5 + 0.3 * i as f64, 0.7 * i as f64);
        let each = |term: &dyn Fn(f64, f64, f64) -> f64| -> Vec<f64> {
            (0..model.nv())
                .map(|i| {
                    let (amplitude, rate, phase) = wave(i);
                    term(amplitude, rate, rate * time + phase)
                })
                .collect()
        };
        let q = each(&|amplitude, _, angle| amplitude * angle.sin());
        let v = each(&|amplitude, rate, angle| amplitude * rate * angle.cos());
        let a = each(&|amplitude, rate, angle| -amplitude * rate * rate * angle.sin());
        // The hand is pushed for a second.
        let push = if (1.5..2.5).contains(&time) {
            30.0
        } else {
            0.0
        };
        let mut inputs = a.clone();
        inputs.resize(exact.input_count() - 6, 0.0);
        inputs.extend(Force::new(Vec3::new(push, 0.0, push), Vec3::zero()).to_array());
        exact.assemble(&mut memory, &q, &v, &inputs, &mut values, &mut rhs)?;
        solver.solve(&values, &rhs, &mut unknowns)?;
        let truth = exact.solution(&unknowns)?;
        let mut readings = Vec::with_capacity(estimator.system().input_count());
        for sensor in estimator.system().problem().sensors() {
            match sensor.kind {
                SensorKind::JointAcceleration { joint } => {
                    readings.push(a[model.joint(joint).idx_v] + ACCELERATION * normal(&mut random));
                }
                SensorKind::JointForce { joint } => {
                    let torque = truth.joint_forces()[model.joint(joint).idx_v];
                    readings.push(torque + TORQUE * normal(&mut random));
                }
                SensorKind::ForceTorque { frame, .. } => {
                    let force = truth.transmitted_force(model.frame(frame).joint);
                    let force = model.frame(frame).placement.inverse_act_force(&force);
                    let noisy = force.to_array().map(|x| x + WRIST * normal(&mut random));
                    readings.extend(noisy);
                }
                SensorKind::ExternalForce { .. }
                | SensorKind::Accelerometer { .. }
                | SensorKind::Gyroscope { .. }
                | SensorKind::AngularAccelerometer { .. }
                | SensorKind::LoadCells { .. }
                | SensorKind::TactileNormal { .. }
                | SensorKind::Contact { .. }
                | SensorKind::CentroidalMomentumRate { .. }
                | SensorKind::LoopForce { .. }
                | SensorKind::Linear { .. }
                | SensorKind::Sum { .. } => return Err("a sensor that is not simulated".into()),
            }
        }
        let mut estimate = estimator.update(&q, &v, &readings)?;
        let torque = estimate.solution().joint_forces()[WATCHED];
        samples.push(Sample {
            time,
            truth: truth.joint_forces()[WATCHED],
            estimate: torque,
            sigma: estimate.posterior().variances()[column].sqrt(),
        });
    }
    Ok(samples)
}

fn draw(samples: &[Sample], path: &Path) -> Result<(), Box<dyn Error>> {
    let curve = |name, torque: fn(&Sample) -> f64| Curve {
        name,
        points: samples.iter().map(|s| (s.time, torque(s))).collect(),
    };
    let band = |s: &Sample| {
        let reach = 2.0 * s.sigma;
        (s.time, s.estimate - reach, s.estimate + reach)
    };
    let chart = Chart {
        title: "",
        height: 320,
        x: Axis::from_zero("time [s]"),
        y: Axis::linear("torque [N·m]"),
        curves: &[
            curve("estimated", |s| s.estimate),
            curve("true", |s| s.truth),
        ],
        band: Some(Band {
            name: "± 2σ",
            points: samples.iter().map(band).collect(),
        }),
        has_dots: false,
        legend: SeriesLabelPosition::UpperRight,
    };
    Ok(chart.write(path)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("usage: torque_estimate FOLDER")?;
    let samples = samples(&featherline_robots::panda())?;
    let within = |s: &&Sample| (s.estimate - s.truth).abs() < 2.0 * s.sigma;
    let within = samples.iter().filter(within).count();
    println!("{within} of {} true torques lie within ± 2σ", samples.len());
    draw(&samples, &folder.join("torque_estimate.svg"))
}
