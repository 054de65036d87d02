//! Simulated readings against inverse dynamics and their own statistics.

use crate::common::close;
use featherline::dynamics::DynamicsOptions;
use featherline::{Model, Workspace};
use featherline_system::{
    Estimator, EstimatorOptions, KnownSet, SensorFile, SensorSimulation, SimulatedState, System,
    Unknown,
};

/// Equations are satisfied up to rounding, and forces are some hundred N.
const TOLERANCE: f64 = 1e-8;

fn system(model: Model, sensors: &str, known: &[KnownSet]) -> System {
    let file = SensorFile::read(sensors, &model).expect("valid sensors");
    System::new(file.problem(model, known).expect("a problem")).expect("a system")
}

fn panda() -> System {
    let sensors = include_str!("../../../../robots/panda-wrist.toml");
    system(featherline_robots::panda(), sensors, &[])
}

fn feet() -> System {
    let sensors = include_str!("../../../../robots/humanoid-feet.toml");
    system(featherline_robots::humanoid(), sensors, &[])
}

fn samples(system: &System, seed: u64, count: usize) -> Vec<SimulatedState> {
    let mut simulation = SensorSimulation::new(system, seed).expect("a valid system");
    let samples = (0..count).map(|_| simulation.advance());
    samples.collect::<Result<_, _>>().expect("regular")
}

#[test]
fn what_is_simulated_is_inverse_dynamics() {
    for system in [panda(), feet()] {
        let model = system.model();
        let mut ws = Workspace::new(model);
        for sample in samples(&system, 1, 20) {
            let truth = system.solution(&sample.unknowns).expect("sizes agree");
            let forces: Vec<_> = std::iter::once(Default::default())
                .chain(model.joint_ids().map(|joint| truth.external_force(joint)))
                .collect();
            let tau = model
                .inverse_dynamics(
                    &mut ws,
                    &sample.q,
                    &sample.v,
                    truth.joint_accelerations(),
                    DynamicsOptions::default()
                        .without_passive_forces()
                        .with_forces(&forces),
                )
                .expect("finite");
            close(model.name(), truth.joint_forces(), tau, TOLERANCE);
        }
    }
}

#[test]
fn what_is_assumed_holds() {
    let system = feet();
    let model = system.model();
    let base = 0..6;
    for sample in samples(&system, 2, 10) {
        let truth = system.solution(&sample.unknowns).expect("sizes agree");
        let scale = truth
            .joint_forces()
            .iter()
            .fold(1.0, |m: f64, x| m.max(x.abs()));
        for &force in &truth.joint_forces()[base.clone()] {
            assert!(force.abs() < TOLERANCE * scale, "{force}");
        }
        // The feet bear the robot, and nothing else does.
        let mut normal = 0.0;
        for joint in model.joint_ids() {
            let force = truth.external_force(joint).to_array();
            let name = &model.joint(joint).name;
            if name.ends_with("ankle_roll") {
                normal += force.iter().map(|x| x.abs()).sum::<f64>();
            } else {
                assert!(force.iter().all(|x| x.abs() < TOLERANCE * scale), "{name}");
            }
        }
        assert!(normal > 0.5 * 9.81 * model.total_mass(), "{normal}");
    }
}

/// A robot on the load cells under its feet, and on floors where these slip.
fn on_feet(robot: Model) -> Vec<System> {
    let cells = include_str!("../../../../robots/humanoid-feet.toml");
    let floor = |side: &str, contact: &str| {
        format!(
            "[[sensor]]\nname = \"{side}_floor\"\ntype = \"contact\"\nframe = \"{side}_sole\"\ncontact = \"{contact}\"\n"
        )
    };
    let with = |contact: &str| {
        format!(
            "{cells}\n{}{}",
            floor("left", contact),
            floor("right", contact)
        )
    };
    let files = [cells.to_owned(), with("slippery"), with("frictionless")];
    files.map(|file| system(robot.clone(), &file, &[])).into()
}

#[test]
fn a_robot_that_stands_pushes_on_its_feet() {
    // Without its reference configuration, too: an SRDF is not always there.
    let plain = featherline_robots::ROBOTS
        .iter()
        .find(|robot| robot.name == "humanoid");
    let options = featherline_formats::LoadOptions::default().floating_base(true);
    let plain = featherline_formats::load_str_with(plain.expect("embedded").urdf, &options);
    let plain = on_feet(plain.expect("a robot").model);
    // Soles that are not parallel find no balance without all friction.
    let systems = on_feet(featherline_robots::humanoid()).into_iter();
    for system in systems.chain(plain.into_iter().take(2)) {
        let model = system.model();
        let named = !model.reference_configurations().is_empty();
        for seed in 0..5 {
            for (k, sample) in samples(&system, seed, 40).iter().enumerate() {
                let cells = &sample.inputs[model.nv()..];
                let weight = 9.81 * model.total_mass();
                let carried: f64 = cells.iter().sum();
                let least = cells
                    .iter()
                    .fold(f64::INFINITY, |least, &cell| least.min(cell));
                // The centre of mass accelerates by some tenths of a metre a second squared.
                assert!(
                    (carried - weight).abs() < 0.2 * weight,
                    "{named} {seed} {k}: {carried}"
                );
                assert!(least > 0.0, "{named} {seed} {k}: a cell pulls by {least} N");
            }
        }
    }
}

#[test]
fn a_robot_begins_away_from_singular_postures() {
    for (model, tool) in [
        (featherline_robots::ur5(), "tool0"),
        (featherline_robots::panda(), "panda_link8"),
    ] {
        let frame = model.frame_id(tool).expect("a tool");
        let system = System::new(featherline_system::Problem::inverse_dynamics(model.clone()));
        let system = system.expect("a system");
        let mut ws = Workspace::new(&model);
        let mut least = |q: &[f64]| {
            let local = featherline::kinematics::ReferenceFrame::Local;
            let mut jacobian = nalgebra::DMatrix::zeros(6, model.nv());
            let placed = model.forward_kinematics(&mut ws, q).expect("valid");
            placed
                .jacobian_into(frame, local, &mut jacobian)
                .expect("a frame");
            jacobian.singular_values().min()
        };
        let neutral = least(&model.neutral_configuration());
        assert!(neutral < 1e-9, "{tool}: {neutral}");
        for seed in 0..10 {
            let first = &samples(&system, seed, 1)[0];
            assert!(least(&first.q) > 1e-3, "{tool} {seed}: {}", least(&first.q));
            // Limits hold.
            for joint in model.joints() {
                let own = joint.idx_q..joint.idx_q + joint.nq;
                let bounds = joint.limits.lower.iter().zip(&joint.limits.upper);
                for (q, (lower, upper)) in first.q[own].iter().zip(bounds) {
                    assert!((lower..=upper).contains(&q), "{}", joint.name);
                }
            }
        }
    }
}

#[test]
fn known_inputs_are_the_truth() {
    let system = panda();
    let column = |coordinate| {
        let unknowns = system.unknowns();
        unknowns.column(Unknown::JointAcceleration { coordinate })
    };
    for sample in samples(&system, 3, 5) {
        let truth: Vec<f64> = (0..7).map(|k| sample.unknowns[column(k)]).collect();
        close("q̈", &sample.inputs[..7], &truth, TOLERANCE);
    }
}

#[test]
fn an_estimate_of_what_is_simulated_is_as_good_as_it_says() {
    let system = panda();
    // So broad that links of some kilograms do not count as improbable.
    let options = EstimatorOptions::default().prior_variance(9e6);
    let mut estimator = Estimator::new(system.clone(), &options).expect("sound variances");
    let (mut statistic, mut degrees, mut within, mut count) = (0.0, 0.0, 0, 0);
    for sample in samples(&system, 4, 200) {
        let estimate = estimator.update(&sample.q, &sample.v, &sample.inputs);
        let mut estimate = estimate.expect("observable");
        let test = estimate.residuals().chi_square();
        statistic += test.statistic;
        degrees += test.degrees_of_freedom;
        let mean = estimate.mean().to_vec();
        let variances = estimate.posterior().variances().to_vec();
        for k in system.unknowns().joint_forces() {
            let error = (mean[k] - sample.unknowns[k]).abs();
            if variances[k] == 0.0 {
                // No contact is outside of this joint, and its acceleration is known.
                assert!(error < TOLERANCE, "{error}");
                continue;
            }
            within += usize::from(error < 2.0 * variances[k].sqrt());
            count += 1;
        }
    }
    // A sum of χ² with n degrees of freedom has the deviation √(2n); 95.4 % of normal errors lie
    // within 2σ.
    assert!(
        (statistic - degrees).abs() < 5.0 * (2.0 * degrees).sqrt(),
        "{statistic} {degrees}"
    );
    let share = within as f64 / count as f64;
    assert!((share - 0.954).abs() < 0.03, "{share}");
}

#[test]
fn the_same_seed_gives_the_same_readings() {
    let system = panda();
    assert_eq!(samples(&system, 5, 3), samples(&system, 5, 3));
    assert_ne!(
        samples(&system, 5, 3)[0].inputs,
        samples(&system, 6, 3)[0].inputs
    );
}
