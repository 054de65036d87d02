//! Deviations of six-vectors, read in other axes than those in which they are unknown.

use crate::common::State;
use featherline::model::JointId;
use featherline::samples::{RandomTree, random_tree};
use featherline_system::{
    Estimator, EstimatorOptions, KnownValue, Noise, Prior, Problem, Requested, System,
};
use nalgebra::DVector;

/// The system of a robot of all kinds of joints that is moved as given and touched at its last
/// joint alone.
fn with_one_force(joints: usize, seed: u64) -> (System, JointId) {
    let shape = RandomTree {
        joints,
        branching: 0.4,
        every_kind: true,
        mimic_joints: false,
        floating: false,
    };
    let model = random_tree(seed, &shape);
    let joint = model.joint_ids().last().expect("a joint");
    let problem = Problem::new(model).joint_accelerations(KnownValue::Input);
    let problem = problem.external_forces_except(&[joint], KnownValue::Zero);
    (System::new(problem).expect("a system"), joint)
}

#[test]
fn components_are_as_certain_as_they_were_however_loose_others_are() {
    for seed in 0..12 {
        let (system, joint) = with_one_force(3, 500 + seed);
        // Twelve digits between the loosest and the tightest: their squares differ by more than a
        // number has.
        let deviations = [1e4, 1e-8, 1.0, 1e-3, 1e3, 1e-7];
        let noise = Noise::Deviations(deviations.to_vec());
        let prior = Prior::new(Requested::ExternalForce(joint), vec![0.0; 6], noise);
        let options = EstimatorOptions::default().without_prior();
        let mut estimator =
            Estimator::with_priors(system.clone(), &options, &[prior]).expect("an estimator");
        let state = State::random(system.model(), seed);
        let inputs = vec![0.3; system.input_count()];
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("all is assumed or known");
        let requested = Requested::ExternalForce(joint);
        let found = requested.deviations(&system, &mut estimate.posterior());
        let found = found.expect("digits enough");
        // Turned to other axes and back, the loosest leave their sixteenth digit in the tightest.
        for (found, expected) in found.iter().zip(deviations) {
            let error = (found / expected - 1.0).abs();
            assert!(
                error < 1e-2,
                "{}: {found:e}, not {expected:e}",
                system.model().name()
            );
        }
        // The components are independent, as far as these digits tell.
        let covariance = requested.covariance(&system, &mut estimate.posterior());
        let covariance = covariance.expect("the same system");
        for (i, a) in found.iter().enumerate() {
            for (j, b) in found.iter().enumerate() {
                let share = covariance[(i, j)] / (a * b);
                let expected = if i == j { 1.0 } else { 0.0 };
                let close = if i == j { 1e-12 } else { 0.05 };
                assert!(
                    (share - expected).abs() < close,
                    "{seed} {i} {j}: {share:e}"
                );
            }
        }
    }
}

#[test]
fn a_covariance_is_the_variance_of_every_sum() {
    for seed in 0..12 {
        let (system, joint) = with_one_force(4, 900 + seed);
        let noise = Noise::Deviations(vec![3.0, 0.1, 1.0, 0.02, 2.0, 0.5]);
        let prior = Prior::new(Requested::ExternalForce(joint), vec![0.0; 6], noise);
        let options = EstimatorOptions::default().without_prior();
        let mut estimator =
            Estimator::with_priors(system.clone(), &options, &[prior]).expect("an estimator");
        let state = State::random(system.model(), seed);
        let inputs = vec![0.3; system.input_count()];
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("all is assumed or known");
        for requested in [
            Requested::JointForces,
            Requested::ExternalForce(joint),
            Requested::TransmittedForce(joint),
        ] {
            let covariance = requested.covariance(&system, &mut estimate.posterior());
            let covariance = covariance.expect("an estimate of the system");
            let size = covariance.nrows();
            let weights = DVector::from_fn(size, |k, _| (k as f64 + 1.0 + seed as f64).sin());
            // The sum of the values as one of unknowns, whose variance is a sum of squares.
            let mut x = vec![0.0; system.unknowns().count()];
            let mut terms = Vec::new();
            for column in requested.columns(&system) {
                x[column] = 1.0;
                let values = requested.values(&system, &x).expect("sizes fit");
                terms.push((column, weights.dot(&DVector::from_vec(values))));
                x[column] = 0.0;
            }
            let (expected, _) = estimate.posterior().of_sum(&terms).expect("columns");
            let found = (weights.transpose() * &covariance * &weights)[0];
            // Four digits between deviations are eight between variances.
            let scale = covariance.amax() * size as f64;
            assert!(
                (found - expected).abs() < 1e-12 * scale,
                "{} {requested:?}: {found:e}, not {expected:e}",
                system.model().name()
            );
        }
    }
}
