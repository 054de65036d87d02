//! Estimates against dense algebra, inverse dynamics, and the statistics that they promise.

use crate::common::{State, close, dense, trees};
use featherline::model::{FrameId, JointId};
use featherline::{Model, Workspace};
use featherline_system::{
    Components, Equation, EstimateError, Estimator, EstimatorOptions, Given, Noise, Problem,
    Sensor, SensorId, SensorKind, System, SystemError,
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
fn body_frames(model: &Model) -> Vec<FrameId> {
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

/// The information matrix and the most probable unknowns by dense algebra; sensors for which `on` fails weigh nothing.
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
        None => 1.0 / options.equation,
    });
    let weighted = DMatrix::from_diagonal(&weights) * &matrix;
    let n = system.unknowns().count();
    let mut information = matrix.transpose() * &weighted;
    information += DMatrix::identity(n, n) * options.prior.map_or(0.0, |variance| 1.0 / variance);
    let right = weighted.transpose() * rhs;
    let mean = information
        .clone()
        .cholesky()
        .expect("positive")
        .solve(&right);
    (information, mean)
}

/// Readings of unknowns x with errors in standard deviations.
fn readings(system: &System, state: &State, x: &DVector<f64>, errors: &[f64]) -> Vec<f64> {
    let (matrix, offset) = dense(system, &state.q, &state.v, &vec![0.0; errors.len()]);
    let predicted = matrix * x - offset;
    let first = system.equations().dynamics().end;
    let noise = |k: usize| errors[k] * system.variance(first + k).expect("a sensor").sqrt();
    // Each row of these sensors is one reading.
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
        let mut estimator = Estimator::new(system.clone(), &mild()).expect("an estimator");
        for off in [usize::MAX, 1, 3] {
            let is_on = |sensor: SensorId| sensor.index() % off != off - 1;
            for id in (0..system.equations().count()).filter_map(|row| {
                match system.equations().at(row)? {
                    Equation::Sensor { sensor, .. } => Some(sensor),
                    _ => None,
                }
            }) {
                estimator.switch(id, is_on(id)).expect("a sensor");
            }
            let (information, mean) = dense_estimate(&system, &mild(), &state, &inputs, is_on);
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
            problem.external_forces_except(&seen, Given::Zero)
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
        // The prior pulls by posterior over prior variance. A torque's is up to 1e-2: that of a dozen equations, 1e-6 each,
        // times the squares of masses and levers.
        close("τ", estimate.solution().joint_forces(), &tau, 1e-8);
        let accelerations = estimate.solution().joint_accelerations();
        close("q̈", accelerations, &state.a, 1e-8);
    }
}

fn is_gyroscope(system: &System, input: usize) -> bool {
    let rows = system.equations().dynamics().end..system.equations().count();
    let mut sensors = rows.filter_map(|row| match system.equations().at(row)? {
        Equation::Sensor { sensor, .. } => Some(sensor),
        _ => None,
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
    let mut problem = instrumented(&model).external_forces(Given::Input);
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
    let mut estimator = Estimator::new(system.clone(), &mild()).expect("an estimator");
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
    // The terms of these sums depend on each other, so that they vary more: by as much as in a fifth of the draws.
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

#[test]
fn what_is_not_determined_is_named() {
    let model = featherline::samples::double_pendulum();
    let mut problem = Problem::new(model.clone()).external_forces(Given::Zero);
    let joint = model.joint_id("upper").expect("a joint");
    let kind = SensorKind::JointForce { joint };
    let sensor = problem.add_sensor(Sensor::new("torque", kind, Noise::Deviation(0.1)));
    let sensor = sensor.expect("valid");
    let system = System::new(problem).expect("a system");
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let state = State::random(&model, 3);
    let refused = estimator.update(&state.q, &state.v, &[1.0]);
    let Err(EstimateError::Unobservable { unknown, column }) = refused.map(|_| ()) else {
        panic!("one torque does not tell two accelerations");
    };
    let (matrix, _) = dense(&system, &state.q, &state.v, &[1.0]);
    let n = matrix.ncols();
    let squared = matrix.transpose() * &matrix;
    let eigen = squared.symmetric_eigen();
    let direction: f64 = (0..n)
        .filter(|&k| eigen.eigenvalues[k].abs() < 1e-9)
        .map(|k| eigen.eigenvectors[(column, k)].abs())
        .sum();
    assert!(direction > 1e-3, "{unknown} is not in the null space");
    // A prior on it makes the rest known.
    estimator.set_prior(column, 0.0, Some(1.0)).expect("valid");
    assert!(estimator.update(&state.q, &state.v, &[1.0]).is_ok());
    let refused = estimator.update(&state.q, &state.v, &[f64::NAN]);
    let expected = EstimateError::Measurement {
        sensor: "torque".into(),
        reading: 0,
    };
    assert_eq!(refused.map(|_| ()), Err(expected));
    // Off, it may read anything; but then nothing tells the other acceleration.
    estimator.switch(sensor, false).expect("a sensor");
    let refused = estimator.update(&state.q, &state.v, &[f64::NAN]);
    assert!(matches!(refused, Err(EstimateError::Unobservable { .. })));
}

#[test]
fn senseless_numbers_are_refused() {
    let model = featherline::samples::double_pendulum();
    let system = System::new(instrumented(&model)).expect("a system");
    for variance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        let options = EstimatorOptions::default().prior_variance(variance);
        let refused = Estimator::new(system.clone(), &options).map(|_| ());
        assert!(
            matches!(refused, Err(EstimateError::Variance { .. })),
            "{variance}"
        );
        let options = EstimatorOptions::default().equation_variance(variance);
        let refused = Estimator::new(system.clone(), &options).map(|_| ());
        assert!(
            matches!(refused, Err(EstimateError::Variance { .. })),
            "{variance}"
        );
    }
    let options = EstimatorOptions::default();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let refused = estimator.set_prior(0, f64::NAN, None);
    assert!(matches!(refused, Err(EstimateError::Mean { .. })));
    let refused = estimator.set_prior(1000, 0.0, None);
    assert!(matches!(
        refused,
        Err(EstimateError::OutOfRange { count: 40, .. })
    ));
    let refused = estimator.set_variance(1000, 1.0);
    assert!(matches!(refused, Err(EstimateError::OutOfRange { .. })));
    let refused = estimator.update(&[0.0], &[0.0; 2], &vec![0.0; system.input_count()]);
    assert!(matches!(refused, Err(EstimateError::System(_))));
    let refused = estimator.update(&[0.0; 2], &[0.0; 2], &[]);
    assert!(matches!(refused, Err(EstimateError::System(_))));
}

#[test]
fn what_overflows_is_named_and_nothing_else_is_infinite() {
    let model = featherline::samples::random_tree(
        11,
        &featherline::samples::RandomTree {
            joints: 6,
            floating: true,
            ..Default::default()
        },
    );
    let system = System::new(instrumented(&model)).expect("a system");
    let state = State::random(&model, 5);
    let plain = vec![0.1; system.input_count()];
    let mut estimator = Estimator::new(system.clone(), &EstimatorOptions::default()).expect("one");
    let mut all_finite = |v: &[f64], inputs: &[f64]| -> Result<(), EstimateError> {
        let mut estimate = estimator.update(&state.q, v, inputs)?;
        let mean = estimate.mean().iter().all(|x| x.is_finite());
        assert!(mean && estimate.cost().is_finite());
        assert!(
            estimate
                .posterior()
                .variances()
                .iter()
                .all(|x| x.is_finite())
        );
        let residuals = estimate.residuals();
        assert!(
            residuals
                .chi_square()
                .probability()
                .is_some_and(f64::is_finite)
        );
        assert!(
            residuals
                .largest()
                .is_some_and(|found| found.deviations.is_finite())
        );
        Ok(())
    };
    let groups = system.input_groups();
    for (group, large) in groups.iter().zip([1e308, -1e200, f64::MAX].iter().cycle()) {
        let mut inputs = plain.clone();
        inputs[group.inputs.end - 1] = *large;
        let expected = SystemError::Overflow {
            what: "the estimate, or its cost,",
            input: group.name.clone(),
            entry: group.inputs.len() - 1,
            value: *large,
        };
        let expected = EstimateError::System(expected);
        assert_eq!(all_finite(&state.v, &inputs), Err(expected));
    }
    let mut refused = 0;
    for exponent in (0..308).step_by(11) {
        let size = 10.0_f64.powi(exponent);
        let fast: Vec<f64> = state.v.iter().map(|x| size * x).collect();
        for done in [
            all_finite(&state.v, &vec![size; plain.len()]),
            all_finite(&fast, &plain),
        ] {
            if let Err(error) = done {
                assert!(
                    matches!(&error, EstimateError::System(SystemError::Overflow { .. })),
                    "{error}"
                );
                refused += 1;
            }
        }
    }
    // Squares of readings beyond 10¹⁵⁰ are no numbers any more, fourth powers of velocities beyond 10⁷⁵.
    assert!((25..45).contains(&refused), "{refused}");
}

#[test]
fn a_larger_number_that_does_no_harm_is_not_blamed() {
    let panda = featherline_robots::panda();
    let system = System::new(instrumented(&panda)).expect("a system");
    let State { mut q, mut v, .. } = State::random(&panda, 5);
    let inputs = vec![0.1; system.input_count()];
    let mut estimator = Estimator::new(system, &EstimatorOptions::default()).expect("one");
    // An angle has a sine, however large it is.
    q[2] = 1e300;
    assert!(estimator.update(&q, &v, &inputs).is_ok());
    v[3] = 1e200;
    for error in [
        estimator.update(&q, &v, &inputs).map(drop),
        estimator.innovations(&q, &v, &inputs).map(drop),
    ] {
        let Err(EstimateError::System(SystemError::Overflow { input, entry, .. })) = error else {
            panic!("{error:?}");
        };
        assert_eq!((input.as_str(), entry), ("v", 3));
    }
}

#[test]
fn what_rounding_alone_determines_has_no_deviation() {
    // Four load cells a foot do not tell all that the floor does (Nori 2017, remark 5), in no configuration. Rounding leaves
    // some of the states pivots that look like others.
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let file = featherline_system::SensorFile::read(feet, &humanoid).expect("valid sensors");
    let problem = file.problem(humanoid, &[]).expect("a problem");
    let system = System::new(problem).expect("a system");
    let foot = system.model().joint_id("left_ankle_roll").expect("a foot");
    let wanted = featherline_system::Wanted::ExternalForce(foot);
    let options = EstimatorOptions::default();
    for options in [options.without_prior(), options.prior_variance(1e18)] {
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        let (mut answered, mut refused) = (0, 0);
        for seed in 0..40 {
            let state = State::random(system.model(), seed);
            let inputs = vec![0.5; system.input_count()];
            match estimator.update(&state.q, &state.v, &inputs) {
                Ok(mut estimate) => {
                    answered += 1;
                    let deviations = wanted.deviations(&system, &mut estimate.posterior());
                    assert!(deviations.is_err(), "{deviations:?} in state {seed}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(
                        matches!(error, EstimateError::Unobservable { .. }),
                        "{error}"
                    );
                }
            }
        }
        assert!(answered > 0 && refused > 0, "{answered} {refused}");
    }
}
