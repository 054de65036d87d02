//! Tests of whole sensors whose readings have correlated errors.

use crate::common::{State, dense};
use crate::estimate::{cases, dense_estimate, instrumented, mild, normals};
use featherline_system::{
    ChiSquare, Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorId,
    SensorKind, System,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A robot with many sensors, of which those of six axes have errors that depend on each other.
struct Instrumented {
    system: System,
    state: State,
    /// The same with a row for each reading.
    plain: System,
    /// For each sensor a square root of the covariance of its readings.
    roots: Vec<DMatrix<f64>>,
    ids: Vec<SensorId>,
}

impl Instrumented {
    fn new(case: usize, seed: u64) -> Self {
        let (model, state, _) = cases().nth(case).expect("many cases");
        Self::of(
            Problem::new(model.clone()),
            instrumented(&model),
            state,
            seed,
        )
    }

    /// A problem with the sensors of another one, some of them with correlated errors.
    fn of(mut problem: Problem, plain: Problem, state: State, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (mut roots, mut ids) = (Vec::new(), Vec::new());
        for sensor in plain.sensors() {
            let mut sensor = sensor.clone();
            let size = sensor.kind.readings(plain.model());
            let Noise::Deviation(sigma) = sensor.noise else {
                unreachable!("they all have one");
            };
            let is_of_six_axes = matches!(
                sensor.kind,
                SensorKind::ForceTorque { .. } | SensorKind::ExternalForce { .. }
            );
            // Three errors that all six readings share, and a tenth of that on its own.
            let shared = DMatrix::from_fn(size, 3, |_, _| random.random_range(-1.0..1.0));
            let own = DMatrix::identity(size, size) * 0.01;
            let covariance = if is_of_six_axes {
                (&shared * shared.transpose() + own) * sigma * sigma
            } else {
                DMatrix::identity(size, size) * sigma * sigma
            };
            if is_of_six_axes {
                sensor.noise = Noise::Covariance(covariance.as_slice().to_vec());
            }
            roots.push(covariance.cholesky().expect("positive").l());
            ids.push(problem.add_sensor(sensor).expect("a valid sensor"));
        }
        Self {
            system: System::new(problem).expect("a system"),
            plain: System::new(plain).expect("a system"),
            state,
            roots,
            ids,
        }
    }

    /// Errors of all readings.
    fn errors(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let roots = self.roots.iter();
        roots
            .flat_map(|root| {
                let draw = DVector::from_vec(normals(random, root.ncols()));
                (root * draw).as_slice().to_vec()
            })
            .collect()
    }

    /// The readings of the sensors for unknowns x, without errors.
    fn readings(&self, x: &DVector<f64>) -> Vec<f64> {
        let zeros = vec![0.0; self.plain.input_count()];
        let (matrix, offset) = dense(&self.plain, &self.state.q, &self.state.v, &zeros);
        let first = self.plain.equations().sensor(self.ids[0]).start;
        (matrix * x - offset).as_slice()[first..].to_vec()
    }
}

/// Adds encoders, torque sensors, and force sensors in every other joint.
fn wrists(mut problem: Problem) -> Problem {
    let joints: Vec<_> = problem.model().joint_ids().collect();
    let mut add = |name: String, kind, sigma| {
        let sensor = Sensor::new(name, kind, Noise::Deviation(sigma));
        problem.add_sensor(sensor).expect("a valid sensor");
    };
    for (k, joint) in joints.into_iter().enumerate() {
        let encoder = SensorKind::JointAcceleration { joint };
        add(format!("encoder {k}"), encoder, 0.2);
        add(format!("torque {k}"), SensorKind::JointForce { joint }, 0.1);
        if k % 2 == 0 {
            let frame = featherline_robots::panda().joint(joint).name.clone();
            let frame = featherline_robots::panda()
                .frame_id(&frame)
                .expect("its own");
            let reaction = false;
            add(
                format!("force {k}"),
                SensorKind::ForceTorque { frame, reaction },
                0.4,
            );
        }
    }
    problem
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

/// The greatest distance of the distribution of probabilities from a uniform one.
pub fn distance_from_uniform(mut probabilities: Vec<f64>) -> f64 {
    probabilities.sort_by(f64::total_cmp);
    let count = probabilities.len() as f64;
    let ranked = probabilities.iter().enumerate();
    ranked.fold(0.0, |distance: f64, (k, p)| {
        let (below, above) = (k as f64 / count, (k + 1) as f64 / count);
        distance.max((p - below).abs()).max((above - p).abs())
    })
}

#[test]
fn the_sums_of_correlated_sensors_have_the_distribution_that_is_promised() {
    const DRAWS: usize = 1000;
    let robot = Instrumented::new(3, 1);
    let (system, state, options) = (&robot.system, &robot.state, mild());
    let nothing = vec![0.0; system.input_count()];
    let (before, expected) = dense_estimate(system, &options, state, &nothing, |_| false);
    let root = before.cholesky().expect("positive").l().transpose();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let sensors = system.problem().sensors().len();
    let mut probabilities = vec![(Vec::new(), Vec::new()); sensors];
    for _ in 0..DRAWS {
        let draw = DVector::from_vec(normals(&mut random, system.unknowns().count()));
        let x = &expected + root.solve_upper_triangular(&draw).expect("positive");
        let inputs = sum(&robot.readings(&x), &robot.errors(&mut random));
        let innovations = estimator.innovations(&state.q, &state.v, &inputs);
        let tests = innovations.expect("proper priors").sensor_tests();
        for (k, (_, before)) in probabilities.iter_mut().enumerate() {
            let test = tests.of(robot.ids[k]).expect("it is on");
            assert_eq!(test.degrees_of_freedom as usize, robot.roots[k].nrows());
            before.extend(test.probability());
        }
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("an estimate");
        let tests = estimate.sensor_tests();
        for (k, (after, _)) in probabilities.iter_mut().enumerate() {
            after.extend(tests.of(robot.ids[k]).and_then(|test| test.probability()));
        }
    }
    // A thousand draws are farther off than 0.1 once in 2·10⁸ (Dvoretzky, Kiefer and Wolfowitz
    // 1956, with Massart's constant: 2 exp(−2 n d²)).
    for (after, before) in probabilities {
        assert_eq!((after.len(), before.len()), (DRAWS, DRAWS));
        for probabilities in [after, before] {
            let distance = distance_from_uniform(probabilities);
            assert!(distance < 0.1, "{distance}");
        }
    }
}

#[test]
fn a_sum_is_what_the_cost_falls_by_without_the_sensor() {
    for case in 0..6 {
        let options = mild();
        let robot = Instrumented::new(case, 5);
        let (system, state) = (&robot.system, &robot.state);
        let mut random = ChaCha8Rng::seed_from_u64(6);
        let inputs = normals(&mut random, system.input_count());
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        let mut estimate = estimator
            .update(&state.q, &state.v, &inputs)
            .expect("an estimate");
        let cost = estimate.cost();
        let tests = estimate.sensor_tests();
        let sums: Vec<Option<ChiSquare>> = robot.ids.iter().map(|&id| tests.of(id)).collect();
        for (&sensor, test) in robot.ids.iter().zip(sums) {
            estimator.switch(sensor, false).expect("a sensor");
            let mut without = estimator
                .update(&state.q, &state.v, &inputs)
                .expect("an estimate");
            let fall = cost - without.cost();
            assert_eq!(without.sensor_tests().of(sensor), None);
            estimator.switch(sensor, true).expect("a sensor");
            let sum = test.expect("redundant").statistic;
            // Shares of redundancy down to 1e-5, and costs that cancel.
            assert!((sum - fall).abs() < 1e-7 * (cost + sum), "{sum} {fall}");
        }
    }
}

#[test]
fn a_gross_error_that_rows_blame_on_others_is_found() {
    let panda = featherline_robots::panda();
    let state = State::random(&panda, 7);
    let free = Problem::new(panda).external_forces(KnownValue::Zero);
    let robot = Instrumented::of(free.clone(), wrists(free), state, 7);
    let (system, state) = (&robot.system, &robot.state);
    let options = EstimatorOptions::default();
    let x = {
        let square = System::new(Problem::inverse_dynamics(system.model().clone()));
        let square = square.expect("a system");
        let x = crate::common::solve(&square, &state.q, &state.v, &state.a);
        DVector::from_vec(x)
    };
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let good = robot.readings(&x);
    let (mut elsewhere, mut missed) = (0, 0);
    for (k, sensor) in system.problem().sensors().iter().enumerate() {
        if !matches!(sensor.kind, SensorKind::ForceTorque { .. }) {
            continue;
        }
        let mut tested = |error: DVector<f64>| {
            let mut bad = good.clone();
            let own = system.sensor_inputs(robot.ids[k]);
            for (reading, error) in bad[own].iter_mut().zip(error.iter()) {
                *reading += error;
            }
            let mut estimate = estimator.update(&state.q, &state.v, &bad).expect("regular");
            let tests = estimate.sensor_tests();
            let suspect = tests.largest().expect("redundant sensors");
            let is_found = suspect.sensor.index() == k;
            let p = suspect.test.probability().expect("redundant");
            let row = estimate.residuals().largest().expect("redundant sensors");
            (is_found.then_some(p), row.component, row.deviations)
        };
        // One reading is far off. Its sensor is found; that rows are combinations of readings hides
        // which reading it was.
        for reading in 0..6 {
            let mut error = DVector::zeros(6);
            error[reading] = 3.0;
            let (p, component, _) = tested(error);
            assert!(p.is_some_and(|p| p < 1e-9), "{}: {p:?}", sensor.name);
            elsewhere += usize::from(component != reading);
        }
        // Readings are off by two or three of their standard deviations, each in its direction.
        for size in [2.0, 2.5, 3.0] {
            for _ in 0..40 {
                let error = &robot.roots[k] * DVector::from_vec(normals(&mut random, 6)) * size;
                let (p, _, deviations) = tested(error);
                // As improbable as four standard deviations of one row.
                missed += usize::from(p.is_some_and(|p| p < 6.3e-5) && deviations < 4.0);
            }
        }
    }
    assert!(elsewhere > 0, "rows are no readings");
    assert!(missed > 5, "{missed}");
}
