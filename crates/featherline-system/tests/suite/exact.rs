//! Estimates with exact equations beside elimination of the optimality conditions in numbers of
//! twice the digits.

use crate::common::{State, dense, solve as solve_square};
use crate::estimate::{body_frames, instrumented, normals, readings};
use crate::twice::{Twice, solve};
use featherline::model::JointId;
use featherline::samples::{RandomTree, random_tree};
use featherline::{Model, Workspace};
use featherline_system::{
    Equation, EstimateError, Estimator, EstimatorOptions, KnownValue, Noise, Problem, Requested,
    Sensor, SensorId, SensorKind, System,
};
use nalgebra::{DMatrix, DVector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Small trees with every kind of joint, every second one on a floating base.
fn models() -> impl Iterator<Item = (Model, State, u64)> {
    (0..8).map(|seed| {
        let shape = RandomTree {
            joints: 2 + seed as usize % 4,
            branching: 0.5,
            every_kind: true,
            mimic_joints: seed % 3 == 1,
            floating: seed % 2 == 0,
        };
        let model = random_tree(300 + seed, &shape);
        let state = State::random(&model, seed);
        (model, state, seed)
    })
}

/// Sensors of many kinds that determine everything, with deviations from 10⁻⁷ to 10³.
pub fn measured(model: &Model, random: &mut ChaCha8Rng) -> Problem {
    let seen = body_frames(model);
    let seen: Vec<JointId> = seen.iter().map(|&frame| model.frame(frame).joint).collect();
    let rough = instrumented(model);
    let sensors = rough.sensors().to_vec();
    let mut problem = Problem::new(model.clone()).external_forces_except(&seen, KnownValue::Zero);
    for sensor in sensors {
        let sigma = 10.0_f64.powf(random.random_range(-7.0..3.0));
        let noise = Noise::Deviation(sigma);
        let sensor = Sensor::new(sensor.name, sensor.kind, noise);
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    problem
}

/// The mean, and the columns of the covariance that belong to some unknowns, from
/// [Σ⁻¹ Aᵀ; A −W⁻¹] [x; λ] = [0; r]: W⁻¹ is zero for what is exact.
pub fn reference(
    system: &System,
    prior: Option<f64>,
    state: &State,
    inputs: &[f64],
    on: impl Fn(SensorId) -> bool,
    columns: &[usize],
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let (matrix, rhs) = dense(system, &state.q, &state.v, inputs);
    let is_on = |&row: &usize| match system.equations().at(row) {
        Some(Equation::Sensor { sensor, .. }) => on(sensor),
        _ => true,
    };
    let rows: Vec<usize> = (0..rhs.len()).filter(is_on).collect();
    let n = matrix.ncols();
    let size = n + rows.len();
    let mut conditions = vec![vec![Twice::ZERO; size]; size];
    for k in 0..n {
        conditions[k][k] = prior.map_or(Twice::ZERO, |variance| Twice::from(1.0) / variance.into());
    }
    let mut right = vec![vec![Twice::ZERO; size]; 1 + columns.len()];
    for (k, &row) in rows.iter().enumerate() {
        for column in 0..n {
            let entry = Twice::from(matrix[(row, column)]);
            conditions[n + k][column] = entry;
            conditions[column][n + k] = entry;
        }
        conditions[n + k][n + k] = -Twice::from(system.variance(row).unwrap_or(0.0));
        right[0][n + k] = rhs[row].into();
    }
    for (right, &column) in right[1..].iter_mut().zip(columns) {
        right[column] = 1.0.into();
    }
    let mut solved = solve(conditions, right).into_iter();
    let mut unknowns = || -> Vec<f64> {
        let solution = solved.next().expect("one for each");
        solution[..n].iter().map(|x| x.value()).collect()
    };
    let mean = unknowns();
    (mean, columns.iter().map(|_| unknowns()).collect())
}

/// Compares an estimator with the reference in a state, relative to the deviations that the
/// reference finds.
fn compare(
    estimator: &mut Estimator,
    prior: Option<f64>,
    state: &State,
    inputs: &[f64],
    on: impl Fn(SensorId) -> bool,
) {
    let system = estimator.system().clone();
    let columns: Vec<usize> = (0..system.unknowns().count()).step_by(5).collect();
    let (mean, covariance) = reference(&system, prior, state, inputs, on, &columns);
    let scale = mean.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let estimate = estimator.update(&state.q, &state.v, inputs);
    let mut estimate = estimate.expect("everything is determined");
    let found = estimate.mean().to_vec();
    let posterior = estimate.posterior();
    for (&column, expected) in columns.iter().zip(&covariance) {
        let (variance, sigma) = (expected[column], expected[column].max(0.0).sqrt());
        let error = (found[column] - mean[column]).abs();
        let name = system.model().name();
        // Far below its deviation; what has none is as exact as the numbers are large.
        assert!(
            error <= 1e-4 * sigma + 1e-12 * scale,
            "{name} {column}: off by {error:e}, of {sigma:e}"
        );
        let found = posterior.variances()[column];
        // Where loose unknowns are certain between them, digits are lost, and said to be: ten times
        // what errors drawn by chance make.
        let share = 10.0 * posterior.rounding(column).max(1e-10);
        assert!(
            (found - variance).abs() <= share * variance + 1e-18,
            "{name} {column}: {found:e}, not {variance:e} within {share:e}"
        );
    }
}

#[test]
fn estimates_equal_the_solution_of_their_conditions() {
    for (model, state, seed) in models() {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let system = System::new(measured(&model, &mut random)).expect("a system");
        // The readings are those of a motion, with the errors of the sensors.
        let square = System::new(Problem::inverse_dynamics(model.clone())).expect("a system");
        let truth = solve_square(&square, &state.q, &state.v, &state.a);
        let errors = normals(&mut random, system.input_count());
        let inputs = readings(&system, &state, &DVector::from_vec(truth), &errors);
        for prior in [None, Some(1e4), Some(1e10)] {
            let options = EstimatorOptions::default();
            let options = match prior {
                Some(variance) => options.prior_variance(variance),
                None => options.without_prior(),
            };
            let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
            compare(&mut estimator, prior, &state, &inputs, |_| true);
            if prior.is_some() {
                // Every third sensor fails.
                let off = |sensor: SensorId| sensor.index() % 3 == seed as usize % 3;
                for sensor in system
                    .input_groups()
                    .iter()
                    .filter_map(|group| group.sensor)
                {
                    estimator.switch(sensor, !off(sensor)).expect("a sensor");
                }
                compare(&mut estimator, prior, &state, &inputs, |sensor| {
                    !off(sensor)
                });
            }
        }
    }
}

/// Two links of a mass and a length, turning about horizontal axes.
pub fn arm(mass: f64, length: f64) -> Model {
    let inertia = mass * length * length / 12.0;
    let links = (0..3).map(|k| {
        format!(
            r#"<link name="link_{k}"><inertial><origin xyz="{} 0 0"/><mass value="{mass}"/>
            <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
            length / 2.0
        )
    });
    let joints = (1..3).map(|k| {
        format!(
            r#"<joint name="joint_{k}" type="continuous"><parent link="link_{}"/><child link="link_{k}"/>
            <origin xyz="{length} 0 0"/><axis xyz="0 1 0"/></joint>"#,
            k - 1
        )
    });
    let text: String = links.chain(joints).collect();
    let text = format!("<robot name=\"arm\">{text}</robot>");
    featherline_formats::load_str(&text)
        .expect("a valid robot")
        .model
}

#[test]
fn robots_of_tonnes_and_of_grams_are_neither_pulled_nor_blamed() {
    for (mass, length) in [(1e4, 5.0), (1e-2, 0.03), (10.0, 0.5)] {
        let model = arm(mass, length);
        let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
        let torque = mass * length * 9.81;
        for joint in model.joint_ids() {
            let name = &model.joint(joint).name;
            let noise = Noise::Deviation(1e-3 * torque);
            let kind = SensorKind::JointForce { joint };
            problem
                .add_sensor(Sensor::new(format!("{name} torque"), kind, noise))
                .expect("valid");
            let kind = SensorKind::JointAcceleration { joint };
            let noise = Noise::Deviation(1e-2);
            problem
                .add_sensor(Sensor::new(format!("{name} encoder"), kind, noise))
                .expect("valid");
        }
        let system = System::new(problem).expect("a system");
        let state = State::random(&model, 4);
        let mut workspace = Workspace::new(&model);
        let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
        let tau = tau.expect("a valid state");
        let readings = [tau[0], state.a[0], tau[1], state.a[1]];
        let mut estimator =
            Estimator::new(system, &EstimatorOptions::default()).expect("sound variances");
        let estimate = estimator.update(&state.q, &state.v, &readings);
        let mut estimate = estimate.expect("all is measured");
        // A prior a thousand times as broad as forces takes a part of the posterior over its own
        // variance: less than 10⁻⁶.
        for (found, truth) in estimate.solution().joint_forces().iter().zip(tau) {
            assert!((found - truth).abs() < 1e-6 * torque, "{found} {truth}");
        }
        for (found, truth) in estimate
            .solution()
            .joint_accelerations()
            .iter()
            .zip(&state.a)
        {
            assert!((found - truth).abs() < 1e-4, "{found} {truth}");
        }
        let largest = estimate.residuals().largest().expect("redundant sensors");
        assert!(largest.deviations < 1e-2, "{largest:?}");
    }
}

/// A chain on the ground with a joint about z and y in turn.
fn chain(masses: &[f64]) -> Model {
    let link = |k: usize, mass: f64| {
        format!(
            r#"<link name="link_{k}"><inertial><origin xyz="0.2 0 0"/><mass value="{mass:e}"/>
            <inertia ixx="{0:e}" iyy="{0:e}" izz="{0:e}" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
            0.01 * mass
        )
    };
    let joint = |k: usize| {
        let axis = ["0 0 1", "0 1 0"][k % 2];
        format!(
            r#"<joint name="joint_{k}" type="continuous"><parent link="link_{}"/><child link="link_{k}"/>
            <origin xyz="0.4 0 0" rpy="0.3 0.2 0.1"/><axis xyz="{axis}"/></joint>"#,
            k - 1
        )
    };
    let links = masses.iter().enumerate().map(|(k, &mass)| link(k, mass));
    let text: String = links.chain((1..masses.len()).map(joint)).collect();
    featherline_formats::load_str(&format!("<robot name=\"chain\">{text}</robot>"))
        .expect("a valid robot")
        .model
}

/// Forward dynamics as an estimate: all torques are known, nothing is measured.
fn accelerations(model: &Model, state: &State) -> Result<Vec<f64>, EstimateError> {
    let problem = Problem::forward_dynamics(model.clone());
    let system = System::new(problem).expect("a system");
    let mut workspace = Workspace::new(model);
    let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
    let tau = tau.expect("a valid state").to_vec();
    let mut estimator = Estimator::new(system, &EstimatorOptions::default())?;
    let estimate = estimator.update(&state.q, &state.v, &tau)?;
    Ok(estimate.solution().joint_accelerations().to_vec())
}

#[test]
fn masses_may_lie_far_apart_or_it_is_said_that_they_do() {
    for (tip, is_answered) in [(1e-3, true), (1e-6, true), (1e-9, true), (1e-25, false)] {
        let model = chain(&[1.0, 1.0, 1.0, tip]);
        let state = State::random(&model, 3);
        match accelerations(&model, &state) {
            // Inverse dynamics has lost digits of the tip's torque, too: its own rounding over its
            // inertia, amplified by twelve.
            Ok(found) => {
                for (found, truth) in found.iter().zip(&state.a) {
                    assert!((found - truth).abs() < 1e-4, "{tip:e}: {found} {truth}");
                }
            }
            Err(error) => {
                assert!(!is_answered, "{tip:e}: {error}");
                assert!(
                    matches!(
                        error,
                        EstimateError::Inaccurate { .. } | EstimateError::Contradiction { .. }
                    ),
                    "{error}"
                );
            }
        }
    }
}

#[test]
fn contradicting_knowns_are_an_error_and_agreeing_ones_are_not() {
    for (model, state, _) in models() {
        let mut workspace = Workspace::new(&model);
        let tau = model.rnea(&mut workspace, &state.q, &state.v, &state.a);
        let tau = tau.expect("a valid state").to_vec();
        let problem = Problem::inverse_dynamics(model.clone());
        let problem = problem.joint_forces(KnownValue::Input);
        let system = System::new(problem).expect("a system");
        let mut estimator =
            Estimator::new(system.clone(), &EstimatorOptions::default()).expect("an estimator");
        let mut inputs = [state.a.clone(), tau].concat();
        let agreed = estimator.update(&state.q, &state.v, &inputs);
        let agreed = agreed.expect("a motion with its torques").mean().to_vec();
        for (found, known) in agreed[system.unknowns().joint_forces()]
            .iter()
            .zip(&inputs[model.nv()..])
        {
            assert!((found - known).abs() < 1e-9 * (1.0 + known.abs()));
        }
        let last = inputs.len() - 1;
        inputs[last] += 1e-3;
        let refused = estimator.update(&state.q, &state.v, &inputs).map(drop);
        let Err(EstimateError::Contradiction { row, by }) = refused else {
            panic!("{}: {refused:?}", model.name());
        };
        assert!(by > 1e-9);
        // The torque that is off, and the acceleration of its joint, which stands in its equation
        // of motion.
        let last = model.nv() - 1;
        let mut joints = model.joints().iter();
        let owner = joints.find(|joint| (joint.idx_v..joint.idx_v + joint.nv).contains(&last));
        let owner = &owner.expect("a joint that moves").name;
        for said in ["known accelerations", "known forces of joints", owner] {
            assert!(row.contains(said), "{said} is none of {row}");
        }
    }
}

#[test]
fn deviations_of_a_long_chain_are_found_and_not_refused() {
    // Torques and accelerations of all joints: x = q̈ has the information 1/σₐ² + M²/σ_τ² at rest,
    // with σ alike.
    let model = chain(&[0.5; 60]);
    let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
    for joint in model.joint_ids() {
        let name = &model.joint(joint).name;
        for (what, kind, sigma) in [
            ("encoder", SensorKind::JointAcceleration { joint }, 0.3),
            ("torque", SensorKind::JointForce { joint }, 0.2),
        ] {
            let sensor = Sensor::new(format!("{what} of {name}"), kind, Noise::Deviation(sigma));
            problem.add_sensor(sensor).expect("valid");
        }
    }
    let system = System::new(problem).expect("a system");
    let state = State::random(&model, 8);
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let inputs = vec![0.1; system.input_count()];
    let mut estimate = estimator
        .update(&state.q, &state.v, &inputs)
        .expect("all is measured");
    let found = Requested::JointForces
        .deviations(&system, &mut estimate.posterior())
        .expect("digits enough");
    let mut workspace = Workspace::new(&model);
    let mass = model.crba(&mut workspace, &state.q).expect("finite");
    let n = model.nv();
    let mass = DMatrix::from_fn(n, n, |i, j| mass[(i, j)]);
    let information = DMatrix::identity(n, n) / 0.09 + mass.transpose() * &mass / 0.04;
    let covariance = information.cholesky().expect("positive").inverse();
    let covariance = &mass * covariance * mass.transpose();
    for (k, found) in found.iter().enumerate() {
        let expected = covariance[(k, k)].sqrt();
        // The reference squares the mass matrix, whose condition is 10⁵.
        assert!(
            (found / expected - 1.0).abs() < 1e-5,
            "{k}: {found} {expected}"
        );
    }
}

#[test]
fn a_fine_sensor_that_is_wrong_is_blamed_though_coarse_ones_tell_the_same() {
    for fine in [1e-3, 1e-4] {
        let model = chain(&[1.0; 3]);
        let joint = model.joint_ids().next().expect("a joint");
        let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
        for joint in model.joint_ids() {
            let name = format!("encoder of {}", model.joint(joint).name);
            let kind = SensorKind::JointAcceleration { joint };
            let sensor = Sensor::new(name, kind, Noise::Deviation(fine));
            problem.add_sensor(sensor).expect("valid");
        }
        for copy in ["one", "other"] {
            let kind = SensorKind::JointAcceleration { joint };
            let sensor = Sensor::new(copy, kind, Noise::Deviation(1.0));
            problem.add_sensor(sensor).expect("valid");
        }
        let system = System::new(problem).expect("a system");
        let mut estimator =
            Estimator::new(system, &EstimatorOptions::default()).expect("an estimator");
        // The fine one reads 50, the two coarse ones nothing.
        let state = State::random(&model, 1);
        let mut inputs = vec![0.0; model.nv() + 2];
        inputs[0] = 50.0;
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("all is measured");
        let residuals = estimate.residuals();
        let largest = residuals.largest().expect("redundant");
        assert_eq!(largest.sensor.index(), 0, "{fine}: {largest:?}");
        // 50 against the mean of two, whose deviation is √½.
        assert!((largest.deviations - 50.0 * 2.0_f64.sqrt()).abs() < 1e-3);
    }
}

#[test]
fn entries_that_are_almost_zero_do_no_harm() {
    // Right angles with ten digits, as robot descriptions have them, and joints that are almost in
    // their zero positions.
    let model = featherline_robots::humanoid();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
    for joint in model.joint_ids().skip(1) {
        let name = format!("encoder of {}", model.joint(joint).name);
        let kind = SensorKind::JointAcceleration { joint };
        let sensor = Sensor::new(name, kind, Noise::Deviation(0.1));
        problem.add_sensor(sensor).expect("valid");
    }
    let base = model.joint_ids().next().expect("a base");
    let kind = SensorKind::JointAcceleration { joint: base };
    let sensor = Sensor::new("base", kind, Noise::Deviation(0.1));
    problem.add_sensor(sensor).expect("valid");
    let system = System::new(problem).expect("a system");
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let inputs = vec![0.1; system.input_count()];
    let (zero, mut workspace) = (vec![0.0; model.nv()], Workspace::new(&model));
    for _ in 0..400 {
        let right = std::f64::consts::FRAC_PI_2;
        let angles = [
            0.0,
            1e-6,
            -1e-5,
            1e-4,
            right - 3e-7,
            -right - 4e-6,
            2.0 * right - 3e-6,
            0.5,
        ];
        let mut q: Vec<f64> = model.neutral_configuration();
        for q in &mut q[7..] {
            *q = angles[random.random_range(0..angles.len())];
        }
        let estimate = estimator.update(&q, &zero, &inputs);
        let mut estimate = estimate.unwrap_or_else(|error| panic!("{error}: {q:?}"));
        for &found in estimate.solution().joint_accelerations() {
            assert!((found - 0.1).abs() < 1e-6, "{found}");
        }
        let mut posterior = estimate.posterior();
        let found = Requested::JointForces.deviations(&system, &mut posterior);
        let found = found.unwrap_or_else(|error| panic!("{error}: {q:?}"));
        let mass = model.crba(&mut workspace, &q).expect("finite");
        for (k, found) in found.iter().enumerate() {
            let expected = 0.1 * mass.row(k).norm();
            let error = (found / expected - 1.0).abs();
            // Pivots of a hundredth of their rows, a few after each other, cost some of sixteen
            // digits.
            assert!(error < 1e-9, "{error:e}: {q:?}");
        }
    }
}

/// Residuals are at right angles to the unknowns' columns where the triangle has lost digits, too:
/// links of a milligram among those of a tonne.
#[test]
fn a_mean_keeps_the_digits_that_the_triangle_has_lost() {
    let (mut accepted, mut worst) = (0, 0.0_f64);
    for seed in 0..60 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let model = chain(&[1e3, 1e-6, 1e3, 1e-6, 1e3, 1e-6]);
        let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
        for joint in model.joint_ids() {
            for (name, kind) in [
                ("encoder", SensorKind::JointAcceleration { joint }),
                ("torque", SensorKind::JointForce { joint }),
            ] {
                let sigma = 10.0_f64.powf(random.random_range(-2.0..1.0));
                let name = format!("{name} {}", joint.index());
                let sensor = Sensor::new(name, kind, Noise::Deviation(sigma));
                problem.add_sensor(sensor).expect("valid");
            }
        }
        let system = System::new(problem).expect("a system");
        let state = State::random(&model, seed);
        let inputs: Vec<f64> = (0..system.input_count())
            .map(|_| random.random_range(-1.0..1.0))
            .collect();
        let options = EstimatorOptions::default().without_prior();
        let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
        let Ok(estimate) = estimator.update(&state.q, &state.v, &inputs) else {
            continue;
        };
        accepted += 1;
        let found = estimate.mean().to_vec();
        let columns: Vec<usize> = system.unknowns().joint_accelerations().collect();
        let (mean, covariance) = reference(&system, None, &state, &inputs, |_| true, &columns);
        for (covariance, &column) in covariance.iter().zip(&columns) {
            let error = (found[column] - mean[column]).abs();
            worst = worst.max(error / covariance[column].sqrt());
        }
    }
    // A thousandth of a deviation may go on changing.
    assert!(accepted > 40 && worst < 1e-3, "{accepted} {worst:e}");
}
