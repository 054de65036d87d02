//! Problems that are determined exactly, or nearly so: nothing may be left to the prior.

use crate::common::{State, robots};
use crate::exact::reference;
use crate::soak::cases;
use featherline::{Model, Workspace};
use featherline_system::{
    Estimator, EstimatorOptions, Known, KnownValue, Noise, Problem, Sensor, SensorKind, System,
};

/// All embedded robots, the snake of 100 joints too, and a chain whose last link has a millionth of
/// the first one's mass.
fn models() -> impl Iterator<Item = Model> {
    robots().chain([
        featherline_robots::snake(),
        featherline::samples::tapered_chain(20),
    ])
}

/// States far from each other, and such as are swung through: a little beside the neutral
/// configuration.
fn states(model: &Model) -> impl Iterator<Item = State> {
    (0..cases(2, 10)).map(|seed| {
        let mut state = State::random(model, seed);
        if seed % 2 == 0 {
            let neutral = model.neutral_configuration();
            let step: Vec<f64> = state.a.iter().map(|x| 0.3 * x).collect();
            let near = model.integrate(&neutral, &step);
            state.q = near.expect("a valid configuration");
        }
        state
    })
}

#[test]
fn what_is_determined_has_no_deviation_and_the_mean_of_the_recursions() {
    for model in models() {
        let mut workspace = Workspace::new(&model);
        for options in [
            EstimatorOptions::default(),
            EstimatorOptions::default().without_prior(),
            EstimatorOptions::default().prior_variance(1.0),
        ] {
            let estimator = |problem| {
                let system = System::new(problem).expect("a system");
                Estimator::new(system, &options).expect("an estimator")
            };
            let mut inverse = estimator(Problem::inverse_dynamics(model.clone()));
            let mut forward = estimator(Problem::forward_dynamics(model.clone()));
            for state in states(&model) {
                let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
                let tau = tau.expect("a valid state").to_vec();
                for (estimator, input, expected) in [
                    (&mut inverse, &state.a, &tau),
                    (&mut forward, &tau, &state.a),
                ] {
                    let name = model.name();
                    let estimate = estimator.update(&state.q, &state.v, input);
                    let mut estimate = estimate.unwrap_or_else(|error| panic!("{name}: {error}"));
                    let solution = estimate.solution();
                    let found = if std::ptr::eq(expected, &tau) {
                        solution.joint_forces()
                    } else {
                        solution.joint_accelerations()
                    };
                    // Accelerations are those that torques were found for: these were rounded, and
                    // the condition of the mass matrix, 10⁸ for the snake, makes the rest of it.
                    let scale = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
                    for (found, expected) in found.iter().zip(expected) {
                        let error = (found - expected).abs();
                        assert!(error < 1e-7 * scale, "{name}: {found}, not {expected}");
                    }
                    // No row with an error states anything: not nearly zero, but zero.
                    let variances = estimate.posterior();
                    assert!(variances.variances().iter().all(|&x| x == 0.0), "{name}");
                }
            }
        }
    }
}

/// Some torques are known, the others and all accelerations measured: finely enough to be as good
/// as exact, or not.
#[test]
fn knowns_and_fine_sensors_leave_what_they_should() {
    let chain = featherline::samples::tapered_chain(6);
    for model in [featherline_robots::ur5(), chain] {
        for (seed, sigma) in [(1, 1e-11), (2, 1e-8), (3, 1e-4), (4, 1.0)] {
            let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
            for (k, joint) in model.joint_ids().enumerate() {
                let name = model.joint(joint).name.clone();
                if k % 2 == 0 {
                    let known = Known::JointForce { joint, degree: 0 };
                    problem.know(known, KnownValue::Input).expect("known once");
                } else {
                    let kind = SensorKind::JointForce { joint };
                    let sensor = Sensor::new(name.clone(), kind, Noise::Deviation(sigma));
                    problem.add_sensor(sensor).expect("valid");
                }
                let kind = SensorKind::JointAcceleration { joint };
                let noise = Noise::Deviation(if k % 3 == 0 { 0.1 } else { sigma });
                let sensor = Sensor::new(format!("{name} encoder"), kind, noise);
                problem.add_sensor(sensor).expect("valid");
            }
            let system = System::new(problem).expect("a system");
            let state = State::random(&model, seed);
            let mut workspace = Workspace::new(&model);
            let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
            let tau = tau.expect("a valid state").to_vec();
            let mut inputs: Vec<f64> = tau.iter().copied().step_by(2).collect();
            for k in 0..model.nv() {
                if k % 2 == 1 {
                    inputs.push(tau[k] + sigma);
                }
                inputs.push(state.a[k] - 0.5 * sigma);
            }
            for prior in [None, Some(1e6)] {
                let options = EstimatorOptions::default();
                let options = match prior {
                    Some(variance) => options.prior_variance(variance),
                    None => options.without_prior(),
                };
                let columns: Vec<usize> = (0..system.unknowns().count()).step_by(3).collect();
                let (mean, covariance) =
                    reference(&system, prior, &state, &inputs, |_| true, &columns);
                let mut estimator = Estimator::new(system.clone(), &options).expect("sound");
                let estimate = estimator.update(&state.q, &state.v, &inputs);
                let mut estimate = estimate.expect("all is determined");
                let found = estimate.mean().to_vec();
                let posterior = estimate.posterior();
                for (&column, covariance) in columns.iter().zip(&covariance) {
                    let deviation = covariance[column].max(0.0).sqrt();
                    let error = (found[column] - mean[column]).abs();
                    // Far within a deviation, or as exact as the numbers are.
                    let name = model.name();
                    assert!(
                        error <= 1e-3 * deviation + 1e-12 * (1.0 + mean[column].abs()),
                        "{name}, {sigma:e}, {column}: off by {error:e}, of {deviation:e}"
                    );
                    let found = posterior.variances()[column].sqrt();
                    let told = 10.0 * posterior.rounding(column).max(1e-9) * deviation;
                    // The reference has 32 digits of the square, so 16 of what is certain.
                    assert!(
                        (found - deviation).abs() <= told + 1e-13,
                        "{name}, {sigma:e}, {column}: {found:e}, not {deviation:e}"
                    );
                }
            }
        }
    }
}
