//! Simulated readings against inverse dynamics and their own statistics.

use crate::common::close;
use featherline::dynamics::DynamicsOptions;
use featherline::{Model, Workspace};
use featherline_system::{
    Estimator, EstimatorOptions, KnownSet, SensorFile, SensorSimulation, Simulated, System, Unknown,
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

fn samples(system: &System, seed: u64, count: usize) -> Vec<Simulated> {
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
