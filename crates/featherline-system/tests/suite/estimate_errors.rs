//! Inputs that an estimator refuses, and the sources that its errors name.

use crate::common::{State, dense};
use crate::estimate::instrumented;
use featherline_system::{
    EstimateError, Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorFile,
    SensorKind, SensorSimulation, System, SystemError,
};

#[test]
fn what_is_not_determined_is_named() {
    let model = featherline::samples::double_pendulum();
    let mut problem = Problem::new(model.clone()).external_forces(KnownValue::Zero);
    let joint = model.joint_id("shoulder").expect("a joint");
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
            what: "the estimate with its priors, or its cost,",
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
    // Squares of readings beyond 10¹⁵⁰ are no numbers any more, fourth powers of velocities beyond
    // 10⁷⁵.
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
    // Four load cells a foot do not tell all that the floor does (Nori 2017, remark 5), in no
    // configuration. Rounding leaves some of the states pivots that look like others.
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
    let problem = file.problem(humanoid, &[]).expect("a problem");
    let system = System::new(problem).expect("a system");
    let foot = system.model().joint_id("left_ankle_roll").expect("a foot");
    let requested = featherline_system::Requested::ExternalForce(foot);
    // Equations are not squared, so that rounding determines nothing, and a prior is not lost in
    // it.
    let exact = EstimatorOptions::default();
    for options in [exact, exact.equation_variance(1e-6)] {
        let mut without = Estimator::new(system.clone(), &options.without_prior()).expect("one");
        let mut wide = Estimator::new(system.clone(), &options.prior_variance(1e18)).expect("one");
        for seed in 0..40 {
            let state = State::random(system.model(), seed);
            let inputs = vec![0.5; system.input_count()];
            let refused = without.update(&state.q, &state.v, &inputs).map(drop);
            assert!(matches!(refused, Err(EstimateError::Unobservable { .. })));
            let estimate = wide.update(&state.q, &state.v, &inputs);
            let mut estimate = estimate.expect("a prior for everything");
            let deviations = requested.deviations(&system, &mut estimate.posterior());
            let deviations = deviations.expect("digits enough");
            // One direction at least is open, and as wide as the prior.
            assert!(
                deviations.iter().any(|&sigma| sigma > 1e8),
                "{deviations:?}"
            );
        }
    }
}

/// Load cells and a force along z leave a torque open. In doubles the rows' pivots are rounding
/// that looks like a number.
#[test]
fn what_rounding_alone_tells_is_not_determined() {
    let inertial = |com: &str, mass: f64| {
        format!(
            r#"<inertial><origin xyz="{com}"/><mass value="{mass}"/>
            <inertia ixx="0.5" iyy="0.6" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial>"#
        )
    };
    let joint = |name: &str, links: [&str; 2], origin: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{}"/><child link="{}"/><origin {origin}/><axis xyz="{axis}"/></joint>"#,
            links[0], links[1]
        )
    };
    let text = [
        "<robot name=\"three\"><link name=\"world\"/>".to_owned(),
        format!(
            "<link name=\"a\">{}</link>",
            inertial("0.12 -0.11 -0.33", 0.3)
        ),
        format!(
            "<link name=\"b\">{}</link>",
            inertial("-0.3 -0.29 0.37", 8.2)
        ),
        format!("<link name=\"c\">{}</link>", inertial("-0.05 0 -0.09", 0.3)),
        joint(
            "ja",
            ["world", "a"],
            r#"xyz="-0.28 -0.7 -0.23" rpy="2.04 -2.99 -0.82""#,
            "0.45 0.73 0.52",
        ),
        joint(
            "jb",
            ["a", "b"],
            r#"xyz="0.18 -0.07 -0.46""#,
            "-0.24 -0.29 -0.93",
        ),
        joint(
            "jc",
            ["b", "c"],
            r#"xyz="-0.5 -0.2 0.6" rpy="-1.3 0.2 0.7""#,
            "-0.46 0.61 -0.65",
        ),
        "</robot>".to_owned(),
    ];
    let model = featherline_formats::load_str(&text.concat());
    let model = model.expect("a valid robot").model;
    let sensors = r#"
known = ["joint-accelerations", "no-external-forces"]
[[sensor]]
name = "cells"
type = "load-cells"
frame = "b"
positions = [[-0.07, 0.17], [-0.12, -0.2], [0.03, -0.18], [0.1, -0.26], [0.21, -0.08]]
sigma = 0.15
[[sensor]]
name = "normal"
type = "linear"
terms = [{ of = "external-force", factor = -0.26, joint = "jb", component = "fz" }]
sigma = 0.04
[[sensor]]
name = "moment"
type = "linear"
terms = [{ of = "joint-force", factor = -0.37, joint = "jc" }, { of = "transmitted-force", factor = 0.24, joint = "ja", component = "my" }]
sigma = 0.02
[[sensor]]
name = "torque"
type = "joint-force"
joint = "ja"
sigma = 0.03
"#;
    let file = SensorFile::read(sensors, &model).expect("valid sensors");
    let system = System::new(file.problem(model, &[]).expect("a problem")).expect("a system");
    let options = EstimatorOptions::default().without_prior();
    let mut estimator = Estimator::new(system.clone(), &options).expect("an estimator");
    let mut simulation = SensorSimulation::new(&system, 0).expect("a simulation");
    for _ in 0..100 {
        let sample = simulation.advance().expect("a sample");
        let refused = estimator
            .update(&sample.q, &sample.v, &sample.inputs)
            .map(drop);
        assert!(
            matches!(refused, Err(EstimateError::Unobservable { .. })),
            "{refused:?}"
        );
    }
}
