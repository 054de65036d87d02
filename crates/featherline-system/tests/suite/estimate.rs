//! Estimates against dense algebra, inverse dynamics, and the statistics that they promise.

use crate::common::{State, close, dense, trees};
use featherline::model::{FrameId, JointId};
use featherline::{Model, Workspace};
use featherline_system::{
    Assumption, Components, Equation, Estimator, EstimatorOptions, KnownValue, Noise, Problem,
    Sensor, SensorId, SensorKind, System,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Variances near enough to each other that dense algebra keeps eight digits.
pub fn mild() -> EstimatorOptions {
    EstimatorOptions::default()
        .prior_variance(50.0)
        .equation_variance(1e-2)
}

/// A frame of every moving body.
pub fn body_frames(model: &Model) -> Vec<FrameId> {
    let moving = |id: &JointId| {
        model
            .frame_ids()
            .find(|&frame| model.frame(frame).joint == *id)
    };
    model.joint_ids().filter_map(|id| moving(&id)).collect()
}

/// Sensors of many kinds, more than are needed.
pub fn instrumented(model: &Model) -> Problem {
    let mut problem = Problem::new(model.clone());
    let mut add = |name: String, kind, sigma| {
        let sensor = Sensor::new(name, kind, Noise::Deviation(sigma));
        problem.add_sensor(sensor).expect("a valid sensor");
    };
    for joint in model.joint_ids() {
        let own = model.joint(joint);
        if own.mimic.is_some() || own.nv == 0 {
            continue;
        }
        let kind = SensorKind::JointAcceleration { joint };
        add(format!("encoder of {}", own.name), kind, 0.2);
        let kind = SensorKind::JointForce { joint };
        add(format!("torque of {}", own.name), kind, 0.1);
    }
    for (k, frame) in body_frames(model).into_iter().enumerate() {
        let components = Components::ALL;
        let kind = SensorKind::ExternalForce { frame, components };
        add(format!("skin {k}"), kind, 0.3);
        if k % 2 == 0 {
            add(
                format!("imu {k}"),
                SensorKind::Accelerometer { frame },
                0.05,
            );
            add(format!("gyro {k}"), SensorKind::Gyroscope { frame }, 0.01);
        } else {
            let reaction = k % 4 == 1;
            let kind = SensorKind::ForceTorque { frame, reaction };
            add(format!("force {k}"), kind, 0.4);
        }
    }
    problem
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    (-2.0 * (1.0 - radius).ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

pub fn normals(random: &mut ChaCha8Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| normal(random)).collect()
}

/// The information matrix and the most probable unknowns by dense algebra; sensors for which `on`
/// fails weigh nothing.
pub fn dense_estimate(
    system: &System,
    options: &EstimatorOptions,
    state: &State,
    inputs: &[f64],
    on: impl Fn(SensorId) -> bool,
) -> (DMatrix<f64>, DVector<f64>) {
    let (matrix, rhs) = dense(system, &state.q, &state.v, inputs);
    let is_off = |row| match system.equations().at(row) {
        Some(Equation::Sensor { sensor, .. }) => !on(sensor),
        _ => false,
    };
    let weights = DVector::from_fn(rhs.len(), |row, _| match system.variance(row) {
        _ if is_off(row) => 0.0,
        Some(variance) => 1.0 / variance,
        None => 1.0 / options.equation.expect("mild"),
    });
    let weighted = DMatrix::from_diagonal(&weights) * &matrix;
    let n = system.unknowns().count();
    let mut information = matrix.transpose() * &weighted;
    information += DMatrix::identity(n, n)
        * match options.prior {
            Assumption::Variance(variance) => 1.0 / variance,
            Assumption::Scaled | Assumption::Nothing => 0.0,
        };
    let right = weighted.transpose() * rhs;
    let mean = information
        .clone()
        .cholesky()
        .expect("positive")
        .solve(&right);
    (information, mean)
}

/// Readings of unknowns x with errors in standard deviations.
pub fn readings(system: &System, state: &State, x: &DVector<f64>, errors: &[f64]) -> Vec<f64> {
    let (matrix, offset) = dense(system, &state.q, &state.v, &vec![0.0; errors.len()]);
    let predicted = matrix * x - offset;
    // Sensors come last, and each row of these is one reading.
    let first = system.equations().count() - errors.len();
    let noise = |k: usize| errors[k] * system.variance(first + k).expect("a sensor").sqrt();
    (0..errors.len())
        .map(|k| predicted[first + k] + noise(k))
        .collect()
}

pub fn cases() -> impl Iterator<Item = (Model, State, u64)> {
    trees()
        .filter(|(_, seed)| seed % 3 == 0)
        .map(|(model, seed)| {
            let state = State::random(&model, seed);
            (model, state, seed)
        })
}

#[test]
fn the_estimate_and_its_covariance_equal_dense_algebra() {
    for (model, state, seed) in cases() {
        let system = System::new(instrumented(&model)).expect("a system");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let inputs = normals(&mut random, system.input_count());
        for off in [99, 1, 3] {
            let options = mild();
            let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
            let is_on = |sensor: SensorId| sensor.index() % off != off - 1;
            for id in (0..system.equations().count()).filter_map(|row| {
                if let Equation::Sensor { sensor, .. } = system.equations().at(row)? {
                    Some(sensor)
                } else {
                    None
                }
            }) {
                estimator.switch(id, is_on(id)).expect("a sensor");
            }
            let (information, mean) = dense_estimate(&system, &options, &state, &inputs, is_on);
            let covariance = information.cholesky().expect("positive").inverse();
            let found = estimator.update(&state.q, &state.v, &inputs);
            let mut found = found.expect("an estimate");
            close("the mean", found.mean(), mean.as_slice(), 1e-9);
            let mut posterior = found.posterior();
            let variances = covariance.diagonal();
            close(
                "the variances",
                posterior.variances(),
                variances.as_slice(),
                1e-9,
            );
            let scale = covariance.amax();
            for row in 0..system.equations().count() {
                for pair in system.sparsity().row(row).windows(2) {
                    let found = posterior.covariance(pair[0], pair[1]).expect("in a row");
                    let expected = covariance[(pair[0], pair[1])];
                    assert!(
                        (found - expected).abs() < 1e-10 * scale,
                        "{found} {expected}"
                    );
                }
            }
            let chosen = [
                0,
                system.unknowns().count() - 1,
                7,
                system.unknowns().count() / 2,
            ];
            let mut block = [0.0; 16];
            posterior.block(&chosen, &mut block).expect("columns");
            let expected: Vec<f64> = chosen
                .iter()
                .flat_map(|&a| chosen.map(|b| covariance[(a, b)]))
                .collect();
            close("the block", &block, &expected, 1e-9);
            let mut column = vec![0.0; mean.len()];
            posterior.column(7, &mut column).expect("a column");
            close("the column", &column, covariance.column(7).as_slice(), 1e-9);
        }
    }
}

#[test]
fn with_small_errors_the_estimate_is_inverse_dynamics() {
    for (model, state, _) in cases() {
        let mut problem = Problem::new(model.clone());
        let deviation = Noise::Deviation(1e-4);
        let mut inputs = Vec::new();
        for joint in model.joint_ids() {
            let own = model.joint(joint);
            if own.mimic.is_none() && own.nv > 0 {
                let kind = SensorKind::JointAcceleration { joint };
                let sensor = Sensor::new(format!("{} moves", own.name), kind, deviation.clone());
                problem.add_sensor(sensor).expect("valid");
                inputs.extend(&state.a[own.idx_v..own.idx_v + own.nv]);
            }
        }
        for (k, frame) in body_frames(&model).into_iter().enumerate() {
            let components = Components::ALL;
            let kind = SensorKind::ExternalForce { frame, components };
            let sensor = Sensor::new(format!("skin {k}"), kind, deviation.clone());
            problem.add_sensor(sensor).expect("valid");
            inputs.extend([0.0; 6]);
        }
        // Bodies without a frame bear no force.
        let problem = if body_frames(&model).len() < model.joint_ids().count() {
            let seen: Vec<JointId> = body_frames(&model)
                .iter()
                .map(|&frame| model.frame(frame).joint)
                .collect();
            problem.external_forces_except(&seen, KnownValue::Zero)
        } else {
            problem
        };
        let system = System::new(problem).expect("a system");
        let mut workspace = Workspace::new(&model);
        let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
        let tau = tau.expect("a valid state").to_vec();
        let options = EstimatorOptions::default().prior_variance(1e7);
        let mut estimator = Estimator::new(system, &options).expect("an estimator");
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let estimate = estimate.expect("an estimate");
        // The prior pulls by posterior over prior variance. A torque's is up to 1e-2: that of a
        // dozen equations, 1e-6 each, times the squares of masses and levers.
        close("τ", estimate.solution().joint_forces(), &tau, 1e-8);
        let accelerations = estimate.solution().joint_accelerations();
        close("q̈", accelerations, &state.a, 1e-8);
    }
}

fn is_gyroscope(system: &System, input: usize) -> bool {
    let rows = system.equations().dynamics().end..system.equations().count();
    let mut sensors = rows.filter_map(|row| {
        if let Equation::Sensor { sensor, .. } = system.equations().at(row)? {
            Some(sensor)
        } else {
            None
        }
    });
    let sensor = sensors.find(|&sensor| system.sensor_inputs(sensor).contains(&input));
    sensor.is_some_and(|sensor| {
        let kind = &system.problem().sensors()[sensor.index()].kind;
        matches!(kind, SensorKind::Gyroscope { .. })
    })
}

#[test]
fn the_gain_is_the_derivative_by_each_input() {
    let (model, state, seed) = cases().nth(5).expect("many cases");
    let mut problem = instrumented(&model).external_forces(KnownValue::Input);
    let cells = SensorKind::LoadCells {
        frame: body_frames(&model)[0],
        positions: vec![[0.1, 0.05], [0.1, -0.04], [-0.07, 0.05], [-0.06, -0.05]],
    };
    let noise = Noise::Deviations(vec![0.1, 0.2, 0.3, 0.4]);
    let cells = problem.add_sensor(Sensor::new("cells", cells, noise));
    let cells = cells.expect("valid");
    let system = System::new(problem).expect("a system");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let inputs = normals(&mut random, system.input_count());
    {
        let options = mild();
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        let some = (0..inputs.len())
            .step_by(7)
            .chain(system.sensor_inputs(cells));
        for input in some {
            let mut gain = vec![0.0; system.unknowns().count()];
            let mut mean = |step: f64| {
                let mut inputs = inputs.clone();
                inputs[input] += step;
                let estimate = estimator.update(&state.q, &state.v, &inputs);
                let mut estimate = estimate.expect("an estimate");
                estimate.gain(input, &mut gain).expect("sizes agree");
                DVector::from_column_slice(estimate.mean())
            };
            // Linear in the inputs: the difference is exact for any step.
            let difference = (mean(0.5) - mean(-0.5)).as_slice().to_vec();
            // Velocities are given, so that what gyroscopes read changes no unknown.
            let matters = gain.iter().any(|x| x.abs() > 1e-6);
            assert_eq!(matters, !is_gyroscope(&system, input), "input {input}");
            close("the gain", &gain, &difference, 1e-9);
        }
    }
}

#[test]
fn errors_are_as_large_as_the_covariance_says() {
    const DRAWS: usize = 60;
    let (model, state, _) = cases().nth(3).expect("many cases");
    let system = System::new(instrumented(&model)).expect("a system");
    let (unknowns, count) = (system.unknowns().count(), system.input_count());
    let options = mild();
    // Unknowns are drawn from what the equations and the prior say of them.
    let nothing = vec![0.0; count];
    let (before, expected) = dense_estimate(&system, &options, &state, &nothing, |_| false);
    let root = before.cholesky().expect("positive").l().transpose();
    let (after, _) = dense_estimate(&system, &options, &state, &nothing, |_| true);
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut errors, mut innovation, mut residual, mut marginal) = (0.0, 0.0, 0.0, 0.0);
    let mut tested = 0.0;
    for _ in 0..DRAWS {
        let draw = DVector::from_vec(normals(&mut random, unknowns));
        let x = &expected + root.solve_upper_triangular(&draw).expect("positive");
        let inputs = readings(&system, &state, &x, &normals(&mut random, count));
        let innovations = estimator.innovations(&state.q, &state.v, &inputs);
        let test = innovations.expect("proper priors").chi_square();
        assert_eq!(test.degrees_of_freedom, count as f64);
        innovation += test.statistic;
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("an estimate");
        let error = DVector::from_column_slice(estimate.mean()) - &x;
        errors += (&after * &error).dot(&error);
        let posterior = estimate.posterior();
        let squares = error.iter().zip(posterior.variances());
        marginal += squares.map(|(e, p)| e * e / p).sum::<f64>();
        let residuals = estimate.residuals();
        for row in system.equations().dynamics().end..system.equations().count() {
            if let Some(normalised) = residuals.normalised(row) {
                residual += normalised * normalised;
                tested += 1.0;
            }
        }
    }
    // χ² with k degrees of freedom has the variance 2 k; five standard deviations.
    let consistent = |what: &str, sum: f64, freedom: f64| {
        let bound = 5.0 * (2.0 * freedom).sqrt();
        assert!(
            (sum - freedom).abs() < bound,
            "{what}: {sum}, not {freedom} ± {bound}"
        );
    };
    let draws = DRAWS as f64;
    consistent("errors", errors, draws * unknowns as f64);
    consistent("innovations", innovation, draws * count as f64);
    // The terms of these sums depend on each other, so that they vary more: by as much as in a
    // fifth of the draws.
    consistent("variances", marginal / 5.0, draws * unknowns as f64 / 5.0);
    consistent("residuals", residual / 5.0, tested / 5.0);
}

#[test]
fn a_gross_error_is_found_by_name() {
    let (model, state, _) = cases().nth(4).expect("many cases");
    let system = System::new(instrumented(&model)).expect("a system");
    let options = EstimatorOptions::default();
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let x = {
        // A state that satisfies the dynamics: accelerations and wrenches are free.
        let problem = Problem::inverse_dynamics(model.clone());
        let square = System::new(problem).expect("a system");
        let x = crate::common::solve(&square, &state.q, &state.v, &state.a);
        DVector::from_vec(x)
    };
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let errors = normals(&mut random, system.input_count());
    let good = readings(&system, &state, &x, &errors);
    let mut estimate = estimator
        .update(&state.q, &state.v, &good)
        .expect("regular");
    let residuals = estimate.residuals();
    let test = residuals.chi_square();
    let p = test.probability().expect("redundant sensors");
    assert!(p > 1e-3, "{test:?}");
    for (k, sensor) in system.problem().sensors().iter().enumerate() {
        let row = (system.equations().dynamics().end..system.equations().count()).find(|&row| {
            matches!(system.equations().at(row), Some(Equation::Sensor { sensor, .. }) if sensor.index() == k)
        });
        let row = row.expect("every sensor has a row");
        let mut bad = good.clone();
        let sigma = system.variance(row).expect("noisy").sqrt();
        bad[row - system.equations().dynamics().end] += 60.0 * sigma;
        let mut estimate = estimator.update(&state.q, &state.v, &bad).expect("regular");
        let residuals = estimate.residuals();
        // An error can be told only where others see more than a small part of it.
        let Some(0.1..) = residuals.redundancy(row) else {
            continue;
        };
        assert!(residuals.chi_square().probability().expect("redundant") < 1e-6);
        let outlier = residuals.largest().expect("redundant sensors");
        assert_eq!((outlier.name, outlier.component), (sensor.name.as_str(), 0));
    }
}

#[test]
fn an_update_does_not_allocate() {
    let model = featherline_robots::humanoid();
    let system = System::new(instrumented(&model)).expect("a system");
    let state = State::random(&model, 1);
    let inputs = vec![0.1; system.input_count()];
    let mut gain = vec![0.0; system.unknowns().count()];
    let mut block = [0.0; 4];
    let mut estimator = Estimator::new(system, &EstimatorOptions::default()).expect("regular");
    let counted = allocation_counter::measure(|| {
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("regular");
        estimate.gain(3, &mut gain).expect("sizes agree");
        let mut posterior = estimate.posterior();
        posterior.block(&[0, 300], &mut block).expect("columns");
        assert!(estimate.sensor_tests().largest().is_some());
        let outlier = estimate.residuals().largest().map(|found| found.deviations);
        assert!(outlier.is_some_and(f64::is_finite));
        let innovations = estimator.innovations(&state.q, &state.v, &inputs);
        assert!(innovations.expect("regular").chi_square().statistic > 0.0);
    });
    assert_eq!(counted.count_total, 0);
}
