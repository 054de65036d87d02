//! Directions that only uninformative priors determine are not tested, and do not count.

use featherline::samples::double_pendulum;
use featherline_system::{Estimator, EstimatorOptions, SensorFile, System};

/// Of a plate's six components the skin tells one, the force along z.
fn plate_and_skins(sigma: f64, skins: usize) -> System {
    let mut text = format!(
        r#"
known = ["joint-accelerations", "external-force:shoulder"]
[[sensor]]
name = "plate"
type = "external-force"
frame = "lower_rod"
components = ["fx", "fy", "fz", "mx", "my", "mz"]
sigma = {sigma}
"#
    );
    for k in 0..skins {
        text += &format!(
            "[[sensor]]\nname = \"skin {k}\"\ntype = \"tactile-normal\"\nframe = \"lower_rod\"\nsigma = {sigma}\n"
        );
    }
    let model = double_pendulum();
    let file = SensorFile::read(&text, &model).expect("valid sensors");
    System::new(file.problem(model, &[]).expect("a problem")).expect("a system")
}

/// No acceleration and no force at the upper rod, then the plate's readings, then the skins'.
fn readings(fz: f64, skins: &[f64]) -> Vec<f64> {
    let known = [0.0; 8];
    let plate = [1.0, 2.0, fz, 0.1, 0.2, 0.3];
    [&known[..], &plate, skins].concat()
}

fn ways() -> [EstimatorOptions; 4] {
    let default = EstimatorOptions::default;
    [
        default(),
        default().without_prior(),
        // A thousand times as broad as the robot's weight makes likely.
        default().prior_variance(1e10),
        default().equation_variance(1e-8),
    ]
}

#[test]
fn a_row_that_no_other_sensor_tells_has_no_test() {
    for (way, options) in ways().iter().enumerate() {
        for sigma in [1e-3, 0.1, 0.3, 1.0, 10.0] {
            let system = plate_and_skins(sigma, 1);
            let mut estimator = Estimator::new(system.clone(), options).expect("an estimator");
            let inputs = readings(18.0 + 6.0 * sigma, &[18.0]);
            let mut estimate = estimator
                .update(&[0.1, 0.2], &[0.0, 0.0], &inputs)
                .expect("an estimate");
            // The difference of two readings: (6 σ)² over 2 σ².
            let expected = 18.0;
            let close = |x: f64| (x / expected - 1.0).abs() < 1e-3;
            let tests = estimate.sensor_tests();
            for sensor in system.problem().sensor_ids() {
                let test = tests.of(sensor).expect("the other one tells it");
                assert_eq!(test.degrees_of_freedom, 1.0, "{way} {sigma}");
                assert!(close(test.statistic), "{way} {sigma}: {test:?}");
            }
            let residuals = estimate.residuals();
            let own = system.equations().count() - 7..system.equations().count();
            for (k, row) in own.enumerate() {
                let normalised = residuals.normalised(row);
                let is_told = k == 2 || k == 6;
                assert_eq!(normalised.is_some(), is_told, "{way} {sigma}: {k}");
                assert!(
                    normalised.is_none_or(|z| close(z * z)),
                    "{way} {sigma}: {normalised:?}"
                );
            }
        }
    }
}

#[test]
fn the_sensor_that_disagrees_with_two_others_is_the_suspect() {
    for options in ways() {
        for fz in [13.0, 13.1, 15.0] {
            let system = plate_and_skins(1.0, 2);
            let mut estimator = Estimator::new(system, &options).expect("an estimator");
            let inputs = readings(fz, &[10.0, 10.0]);
            let mut estimate = estimator
                .update(&[0.1, 0.2], &[0.0, 0.0], &inputs)
                .expect("an estimate");
            let suspect = estimate
                .sensor_tests()
                .largest()
                .map(|suspect| suspect.name.to_owned());
            assert_eq!(suspect.as_deref(), Some("plate"), "{options:?} {fz}");
        }
    }
}

/// Two differences of three components tell their sum nothing, though each component is told in
/// part.
#[test]
fn a_combination_that_no_other_sensor_tells_does_not_count() {
    let text = r#"
known = ["joint-accelerations", "external-force:shoulder"]
[[sensor]]
name = "force"
type = "external-force"
frame = "lower_rod"
components = ["fx", "fy", "fz"]
sigma = 1
[[sensor]]
name = "first"
type = "linear"
terms = [
    { of = "external-force", factor = 1, joint = "elbow", component = "fx" },
    { of = "external-force", factor = -1, joint = "elbow", component = "fy" },
]
sigma = 0.1
[[sensor]]
name = "second"
type = "linear"
terms = [
    { of = "external-force", factor = 1, joint = "elbow", component = "fy" },
    { of = "external-force", factor = -1, joint = "elbow", component = "fz" },
]
sigma = 0.1
"#;
    let model = double_pendulum();
    let file = SensorFile::read(text, &model).expect("valid sensors");
    let system = System::new(file.problem(model, &[]).expect("a problem")).expect("a system");
    let force = system.problem().sensor_ids().next().expect("a sensor");
    let inputs = [&[0.0; 8][..], &[3.0, 1.0, -2.0], &[0.5], &[0.7]].concat();
    let mut statistics = Vec::new();
    for options in &ways()[..3] {
        let mut estimator = Estimator::new(system.clone(), options);
        let estimator = estimator.as_mut().expect("an estimator");
        let estimate = estimator.update(&[0.1, 0.2], &[0.0, 0.0], &inputs);
        // Without a prior the moments, which nothing reads, are open.
        let Ok(mut estimate) = estimate else {
            continue;
        };
        let test = estimate.sensor_tests().of(force).expect("two differences");
        assert_eq!(test.degrees_of_freedom, 2.0, "{test:?}");
        statistics.push(test.statistic);
    }
    assert!(statistics.len() > 1);
    assert!(
        statistics
            .iter()
            .all(|x| (x / statistics[0] - 1.0).abs() < 1e-4)
    );
}
