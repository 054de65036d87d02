//! Deviations that lie far apart, and readings that are wrong by far more than these: means and
//! deviations beside 150 digits.

use crate::common::{State, robots, solve as solve_square};
use crate::estimate::{instrumented, normals, readings};
use crate::many_digits::Witness;
use featherline::Model;
use featherline::model::JointId;
use featherline::samples::{RandomTree, random_tree};
use featherline_system::{
    EstimateCheck, EstimateError, EstimateProgram, EstimateRun, EstimateStatus, Estimator,
    EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorKind, System,
};
use nalgebra::DVector;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Statistics of many estimates.
#[derive(Debug, Default)]
struct Figures {
    answered: usize,
    refused: usize,
    /// The worst error of a mean, in its deviations, of a deviation, in itself, and of a cost.
    mean: f64,
    deviation: f64,
    cost: f64,
}

/// How an estimate is made.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Of the powers of ten that deviations are.
    range: (f64, f64),
    /// How many readings are wrong by 10³ to 10⁹ of their deviations.
    outliers: usize,
    /// Without a prior all sensors are there, and determine everything.
    has_prior: bool,
}

/// Every kind in turn.
fn kinds() -> impl Iterator<Item = Kind> {
    let ranges = [(-9.0, 3.0), (-12.0, 3.0), (-7.0, 3.0), (-2.0, 1.0)];
    let kinds = ranges.into_iter().flat_map(|range| {
        [0, 1, 3].into_iter().flat_map(move |outliers| {
            [true, false].map(|has_prior| Kind {
                range,
                outliers,
                has_prior,
            })
        })
    });
    kinds.collect::<Vec<_>>().into_iter().cycle()
}

fn options(kind: Kind) -> EstimatorOptions {
    let options = EstimatorOptions::default();
    match kind.has_prior {
        true => options,
        false => options.without_prior(),
    }
}

/// Sensors with deviations as far apart as a range of powers of ten; external forces act on few
/// bodies.
fn measured(model: &Model, random: &mut ChaCha8Rng, kind: Kind) -> Problem {
    let joints = model.joint_ids();
    let touched: Vec<JointId> = joints.filter(|_| random.random_bool(0.3)).take(3).collect();
    let mut problem =
        Problem::new(model.clone()).external_forces_except(&touched, KnownValue::Zero);
    for sensor in instrumented(model).sensors() {
        let is_known = matches!(&sensor.kind, SensorKind::ExternalForce { frame, .. }
            if !touched.contains(&model.frame(*frame).joint));
        if is_known || kind.has_prior && random.random_bool(0.2) {
            continue;
        }
        let deviation = 10.0_f64.powf(random.random_range(kind.range.0..kind.range.1));
        let noise = Noise::Deviation(deviation);
        let sensor = Sensor::new(sensor.name.clone(), sensor.kind.clone(), noise);
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    problem
}

/// Readings of a random motion, some of which are grossly wrong.
fn wrong_readings(
    system: &System,
    state: &State,
    random: &mut ChaCha8Rng,
    outliers: usize,
) -> Vec<f64> {
    let square = System::new(Problem::inverse_dynamics(system.model().clone())).expect("a system");
    let truth = solve_square(&square, &state.q, &state.v, &state.a);
    let mut errors = normals(random, system.input_count());
    for _ in 0..outliers.min(errors.len()) {
        let wrong = random.random_range(0..errors.len());
        errors[wrong] = 10.0_f64.powf(random.random_range(3.0..9.0));
    }
    readings(system, state, &DVector::from_vec(truth), &errors)
}

/// Estimates a random motion of a robot from sensors some of which are grossly wrong.
fn estimate(model: &Model, seed: u64, kind: Kind, figures: &mut Figures) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let system = System::new(measured(model, &mut random, kind)).expect("a system");
    let state = State::random(model, seed);
    let inputs = wrong_readings(&system, &state, &mut random, kind.outliers);
    let mut estimator = Estimator::new(system, &options(kind)).expect("an estimator");
    let witness = Witness::new(&estimator, &state, &inputs);
    let mut estimate = match estimator.update(&state.q, &state.v, &inputs) {
        Ok(estimate) => estimate,
        Err(EstimateError::FarApart { .. } | EstimateError::Inaccurate { .. }) => {
            figures.refused += 1;
            return;
        }
        Err(error) => panic!("{} {seed} {kind:?}: {error}", model.name()),
    };
    figures.answered += 1;
    figures.cost = figures
        .cost
        .max((estimate.cost() / witness.cost - 1.0).abs());
    let found = estimate.mean().to_vec();
    let posterior = estimate.posterior();
    let every = (found.len() / 40).max(1);
    for column in (seed as usize % every..found.len()).step_by(every) {
        let (mean, deviation) = witness.moments(column);
        // A mean is a double.
        let error = (found[column] - mean).abs() - 1e-13 * (1.0 + mean.abs());
        if error > 0.0 {
            figures.mean = figures.mean.max(error / deviation);
        }
        let sigma = posterior.variances()[column].sqrt();
        // Rounding of the equations' own numbers gives deviations to what is certain, too: far
        // below those of the finest sensor.
        let nothing = 1e-4 * 10.0_f64.powf(kind.range.0).min(1e-6);
        let off = (sigma - deviation).abs() / deviation.max(nothing);
        figures.deviation = figures.deviation.max(off);
    }
}

fn random_robot(seed: u64) -> Model {
    let shape = RandomTree {
        joints: 1 + (seed as usize * 5) % 12,
        branching: (seed % 5) as f64 / 4.0,
        every_kind: !seed.is_multiple_of(4),
        mimic_joints: seed % 2 == 1,
        floating: seed.is_multiple_of(3),
    };
    random_tree(seed, &shape)
}

#[test]
fn means_and_deviations_are_right_however_far_apart_and_wrong_sensors_are() {
    let [mut plain, mut wrong] = [(); 2].map(|()| Figures::default());
    let mut kinds = kinds();
    for seed in 0..10 {
        let random = (0..7).map(|k| random_robot(7 * seed + k));
        for (model, kind) in robots().chain(random).zip(&mut kinds) {
            let figures = match kind.outliers {
                0 => &mut plain,
                _ => &mut wrong,
            };
            estimate(&model, seed, kind, figures);
        }
    }
    for figures in [&plain, &wrong] {
        assert!(
            figures.deviation < 1e-5 && figures.cost < 1e-5,
            "{figures:?}"
        );
        assert!(10 * figures.refused < figures.answered, "{figures:?}");
    }
    // However far apart deviations are, the mean is right where no reading is far off; where one
    // is, to the thousandth of a deviation that is promised.
    assert!(
        plain.mean < 1e-5 && wrong.mean < 1e-3,
        "{plain:?} {wrong:?}"
    );
}

/// Programs are corrected in doubles, and judge themselves by their rows and corrections: where
/// digits are lost to outliers, they leave the estimate to the estimator.
#[test]
fn programs_know_what_they_can_not_tell() {
    let (mut accepted, mut refused, mut worst) = (0, 0, 0.0_f64);
    for (seed, kind) in (0..24).zip(kinds()) {
        let model = if seed % 2 == 0 {
            random_robot(seed)
        } else {
            featherline_robots::ur5()
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let system = System::new(measured(&model, &mut random, kind)).expect("a system");
        let options = options(kind);
        let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
        let program = EstimateProgram::new(&system, &options, &requested).expect("a program");
        let mut run = EstimateRun::new(&system, &program).expect("memory");
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        for draw in 0..20 {
            let state = State::random(&model, 100 * seed + draw);
            let inputs = wrong_readings(&system, &state, &mut random, kind.outliers);
            let numbers = [&state.q[..], &state.v, &inputs].concat();
            let mut means = vec![0.0; requested.len()];
            let mut checks = [EstimateCheck::default()];
            let done = run.run(&numbers, &mut means, &mut checks);
            done.expect("sizes agree");
            if checks[0].status != EstimateStatus::Accepted {
                refused += 1;
                continue;
            }
            accepted += 1;
            let moments: Vec<(f64, f64)> = match estimator.update(&state.q, &state.v, &inputs) {
                Ok(mut estimate) => {
                    let expected = estimate.mean().to_vec();
                    let posterior = estimate.posterior();
                    let variances = posterior.variances();
                    let moments = |&column: &usize| (expected[column], variances[column].sqrt());
                    requested.iter().map(moments).collect()
                }
                Err(_) => {
                    let witness = Witness::new(&estimator, &state, &inputs);
                    let moments = |&column: &usize| witness.moments(column);
                    requested.iter().map(moments).collect()
                }
            };
            for ((expected, deviation), mean) in moments.iter().zip(&means) {
                let error = (mean - expected).abs() - 1e-13 * (1.0 + mean.abs());
                if error > 0.0 {
                    worst = worst.max(error / deviation);
                }
            }
        }
    }
    assert!(accepted > 300 && refused > 0, "{accepted} {refused}");
    // A thousandth of a deviation does not show.
    assert!(worst < 1e-3, "{worst:e}");
}

/// Where double precision is not enough, nothing is answered, and the sensors are named of which
/// the finest hides what the coarsest tells.
#[test]
fn what_double_precision_can_not_tell_is_refused_by_name() {
    let (mut answered, mut refused) = (0, 0);
    for seed in 0..30 {
        let kind = Kind {
            range: (-20.0, 3.0),
            outliers: 1,
            has_prior: seed % 2 == 0,
        };
        let model = random_robot(seed);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let system = System::new(measured(&model, &mut random, kind)).expect("a system");
        let state = State::random(&model, seed);
        let inputs = wrong_readings(&system, &state, &mut random, kind.outliers);
        let mut estimator = Estimator::new(system.clone(), &options(kind)).expect("an estimator");
        let (finest, coarsest) = match estimator.update(&state.q, &state.v, &inputs) {
            Ok(_) => {
                answered += 1;
                continue;
            }
            Err(EstimateError::FarApart { finest, coarsest }) => (finest, coarsest),
            Err(error) => panic!("{seed}: {error}"),
        };
        refused += 1;
        // Rows without unknowns, as a gyroscope's, hide nothing.
        let rows = (0..system.equations().count()).filter(|&row| {
            system.variance(row).is_some() && !system.sparsity().row(row).is_empty()
        });
        let mut deviations: Vec<(f64, String)> = rows
            .map(|row| {
                let variance = system.variance(row).expect("of a sensor");
                (variance, system.describe_row(row).expect("a row"))
            })
            .collect();
        deviations.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(finest, deviations[0].1, "{seed}");
        assert_eq!(coarsest, deviations[deviations.len() - 1].1, "{seed}");
    }
    assert!(answered > 5 && refused > 5, "{answered}, {refused}");
}
