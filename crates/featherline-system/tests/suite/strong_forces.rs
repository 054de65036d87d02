//! Forces that are far stronger than a robot's own weight: its accelerations are small differences
//! of them.

use crate::common::{State, solve as solve_square};
use crate::estimate::{normals, readings};
use crate::exact::{arm, measured, reference};
use featherline::Model;
use featherline_system::{Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, System};
use nalgebra::DVector;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sensors of many kinds with deviations from 10⁻⁷ to 10⁻³.
fn finely_measured(model: &Model, random: &mut ChaCha8Rng) -> Problem {
    let rough = measured(model, random);
    let mut problem = Problem::new(model.clone());
    for sensor in rough.sensors() {
        let sigma = 10.0_f64.powf(random.random_range(-7.0..-3.0));
        let sensor = Sensor::new(
            sensor.name.clone(),
            sensor.kind.clone(),
            Noise::Deviation(sigma),
        );
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    problem
}

#[test]
fn links_of_milligrams_are_pushed_by_newtons() {
    for seed in 0..20 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let model = arm(1e-5, 3e-3);
        let state = State::random(&model, seed);
        let system = System::new(finely_measured(&model, &mut random)).expect("a system");
        let free = Problem::new(model.clone())
            .joint_accelerations(KnownValue::Input)
            .external_forces(KnownValue::Input);
        let free = System::new(free).expect("a system");
        let pushes = normals(&mut random, free.input_count() - model.nv());
        let known = [state.a.clone(), pushes].concat();
        let truth = solve_square(&free, &state.q, &state.v, &known);
        let errors = normals(&mut random, system.input_count());
        let inputs = readings(&system, &state, &DVector::from_vec(truth), &errors);
        let options = EstimatorOptions::default().without_prior();
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("all is measured");
        let columns: Vec<usize> = (0..system.unknowns().count()).collect();
        let (mean, covariance) = reference(&system, None, &state, &inputs, |_| true, &columns);
        let found = estimate.mean().to_vec();
        let posterior = estimate.posterior();
        for column in columns {
            let expected = covariance[column][column].max(0.0).sqrt();
            let error = (found[column] - mean[column]).abs();
            // The last digits of the reference, and of the number itself.
            assert!(
                error <= 1e-5 * expected + 1e-15 * mean[column].abs(),
                "{seed} {column}: off by {error:e}, of {expected:e}"
            );
            let sigma = posterior.variances()[column].sqrt();
            let share = 10.0 * posterior.rounding(column).max(1e-10);
            assert!(
                (sigma - expected).abs() <= share * expected + 1e-14 * mean[column].abs(),
                "{seed} {column}: {sigma:e}, not {expected:e}"
            );
        }
    }
}
