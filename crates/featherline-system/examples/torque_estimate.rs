//! Draws estimated against true torque of a joint without a torque sensor, with a band of two
//! standard deviations: `cargo run --example torque_estimate > torque.svg`.

use featherline::Model;
use featherline::spatial::{Force, Vec3};
use featherline_system::{
    AssemblyMemory, Estimator, EstimatorOptions, GeneralLu, Given, Noise, Problem, Sensor,
    SensorKind, System,
};
use plotters::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;

const SAMPLES: usize = 300;
const DURATION: f64 = 4.0;
/// The coordinate that has no torque sensor.
const WATCHED: usize = 1;
const ACCELERATION: f64 = 0.5;
const WRIST: f64 = 2.0;
const TORQUE: f64 = 1.0;
const BAND: RGBColor = RGBColor(166, 206, 227);
const ESTIMATE: RGBColor = RGBColor(31, 120, 180);
const TRUTH: RGBColor = RGBColor(227, 26, 28);

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
    let mut problem = Problem::new(model.clone()).external_forces_except(&[hand], Given::Zero);
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
        .joint_accelerations(Given::Input)
        .external_forces(Given::Input);
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

fn draw(samples: &[Sample]) -> Result<String, Box<dyn Error>> {
    let band = |s: &Sample, times: f64| (s.time, s.estimate + times * s.sigma);
    let heights = |times: f64| samples.iter().map(move |s| band(s, times).1);
    let low = heights(-3.0).fold(f64::INFINITY, f64::min);
    let high = heights(3.0).fold(f64::NEG_INFINITY, f64::max);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (720, 320)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(54)
            .build_cartesian_2d(0.0..DURATION, low..high)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.12))
            .label_style(("sans-serif", 12))
            .x_desc("time in s")
            .y_desc("torque in N·m")
            .y_label_formatter(&|torque| format!("{torque:.0}"))
            .draw()?;
        let above = samples.iter().map(|s| band(s, 2.0));
        let below = samples.iter().rev().map(|s| band(s, -2.0));
        let outline: Vec<(f64, f64)> = above.chain(below).collect();
        chart
            .draw_series([Polygon::new(outline, BAND)])?
            .label("± 2σ")
            .legend(|(x, y)| Rectangle::new([(x, y - 5), (x + 24, y + 5)], BAND.filled()));
        let estimate: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.estimate)).collect();
        let truth: Vec<(f64, f64)> = samples.iter().map(|s| (s.time, s.truth)).collect();
        for (name, line, colour) in [("estimated", estimate, ESTIMATE), ("true", truth, TRUTH)] {
            chart
                .draw_series([PathElement::new(line, colour)])?
                .label(name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .label_font(("sans-serif", 12))
            .legend_area_size(32)
            .margin(8)
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}

fn main() -> Result<(), Box<dyn Error>> {
    let samples = samples(&featherline_robots::panda())?;
    let within = |s: &&Sample| (s.estimate - s.truth).abs() < 2.0 * s.sigma;
    let within = samples.iter().filter(within).count();
    eprintln!("{within} of {} true torques lie within ± 2σ", samples.len());
    print!("{}", draw(&samples)?);
    Ok(())
}
