//! Priors of several unknowns together.

use crate::common::{State, close, dense};
use crate::estimate::{cases, instrumented, mild, normals};
use featherline_system::{
    Assumption, EstimateError, Estimator, EstimatorOptions, Noise, Prior, Problem, Requested,
    SensorFile, System, SystemError,
};
use nalgebra::{DMatrix, DVector};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A covariance with entries everywhere, the deviations of forces a hundred times those of moments.
fn covariance(random: &mut ChaCha8Rng, width: f64) -> DMatrix<f64> {
    let mixed = DMatrix::from_vec(6, 6, normals(random, 36));
    let scale = DMatrix::from_fn(6, 6, |i, j| match (i == j, i < 3) {
        (false, _) => 0.0,
        (true, true) => width,
        (true, false) => width / 100.0,
    });
    &scale * (&mixed * mixed.transpose() + DMatrix::identity(6, 6)) * &scale
}

/// Blocks of the external force, the transmitted force and the acceleration of every other joint.
fn blocks(system: &System, random: &mut ChaCha8Rng, width: f64) -> Vec<Prior> {
    let joints = system.model().joint_ids().step_by(2);
    let words = joints.flat_map(|joint| {
        [
            Requested::ExternalForce(joint),
            Requested::TransmittedForce(joint),
            Requested::Acceleration(joint),
        ]
    });
    let words: Vec<Requested> = words.collect();
    let prior = |of| {
        let covariance = covariance(random, width);
        Prior::new(
            of,
            normals(random, 6),
            Noise::Covariance(covariance.as_slice().to_vec()),
        )
    };
    words.into_iter().map(prior).collect()
}

/// All that is assumed as rows with independent errors of variance one: equations and sensors,
/// blocks by a Cholesky factor of their own, and the prior of every other unknown.
fn whitened(
    system: &System,
    options: &EstimatorOptions,
    priors: &[Prior],
    state: &State,
    inputs: &[f64],
) -> (DMatrix<f64>, DVector<f64>) {
    let (matrix, rhs) = dense(system, &state.q, &state.v, inputs);
    let n = system.unknowns().count();
    let (mut rows, mut right) = (Vec::new(), Vec::new());
    for row in 0..rhs.len() {
        let sigma = system
            .variance(row)
            .or(options.equation)
            .expect("mild")
            .sqrt();
        rows.push(matrix.row(row).clone_owned() / sigma);
        right.push(rhs[row] / sigma);
    }
    let mut has_block = vec![false; n];
    for prior in priors {
        let Noise::Covariance(covariance) = &prior.noise else {
            unreachable!("they all have one");
        };
        let root = DMatrix::from_column_slice(6, 6, covariance);
        let root = root.cholesky().expect("positive").l();
        // The word's numbers as sums of unknowns.
        let mut map = DMatrix::zeros(6, n);
        for column in prior.of.columns(system) {
            let mut x = vec![0.0; n];
            x[column] = 1.0;
            let values = prior.of.values(system, &x).expect("sizes agree");
            map.set_column(column, &DVector::from_vec(values));
            has_block[column] = true;
        }
        let map = root.solve_lower_triangular(&map).expect("regular");
        let mean = DVector::from_column_slice(&prior.mean);
        let mean = root.solve_lower_triangular(&mean).expect("regular");
        rows.extend(map.row_iter().map(|row| row.clone_owned()));
        right.extend(mean.iter());
    }
    let Assumption::Variance(variance) = options.prior else {
        unreachable!("they all have one");
    };
    let sigma = variance.sqrt();
    for column in (0..n).filter(|&column| !has_block[column]) {
        let mut row = DMatrix::zeros(1, n).row(0).clone_owned();
        row[column] = 1.0 / sigma;
        rows.push(row);
        right.push(0.0);
    }
    (DMatrix::from_rows(&rows), DVector::from_vec(right))
}

#[test]
fn blocks_give_what_orthogonal_transformations_of_whitened_rows_give() {
    for (model, state, seed) in cases().take(8) {
        let system = System::new(instrumented(&model)).expect("a system");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let inputs = normals(&mut random, system.input_count());
        // From narrow ones to nearly no information. Equations hold to a tenth: what is far
        // narrower costs digits of its own.
        let widths = [0.3, 30.0, 1e6, 1e8].into_iter();
        for width in widths {
            let options = mild().prior_variance(1e12);
            let priors = blocks(&system, &mut random, width);
            let mut estimator = Estimator::with_priors(system.clone(), &options, &priors);
            let estimator = estimator.as_mut().expect("sound priors");
            let estimate = estimator.update(&state.q, &state.v, &inputs);
            let mut estimate = estimate.expect("regular");
            let (rows, right) = whitened(&system, &options, &priors, &state, &inputs);
            let triangle = rows.clone().qr();
            let expected = triangle
                .r()
                .solve_upper_triangular(&(triangle.q().transpose() * &right))
                .expect("regular");
            let mean = DVector::from_column_slice(estimate.mean());
            let scale = 1.0 + expected.amax();
            assert!(
                (&mean - &expected).amax() < 1e-8 * scale,
                "{} {width}: {}",
                model.name(),
                (&mean - &expected).amax() / scale
            );
            let cost = (&rows * &expected - &right).norm_squared();
            assert!((estimate.cost() - cost).abs() < 1e-8 * (1.0 + cost));
            let inverse = triangle.r().try_inverse().expect("regular");
            let variances = (&inverse * inverse.transpose()).diagonal();
            let posterior = estimate.posterior();
            for (found, expected) in posterior.variances().iter().zip(variances.iter()) {
                assert!(
                    (found - expected).abs() < 1e-5 * expected,
                    "{found} {expected}"
                );
            }
        }
    }
}

#[test]
fn a_narrow_block_is_believed_and_a_wide_one_says_nothing() {
    let (model, state, _) = cases().nth(2).expect("many cases");
    let system = System::new(instrumented(&model)).expect("a system");
    let joint = model.joint_ids().next().expect("a joint");
    let of = Requested::TransmittedForce(joint);
    let inputs = vec![0.3; system.input_count()];
    let estimate = |options: &EstimatorOptions, priors: &[Prior]| {
        let estimator = Estimator::with_priors(system.clone(), options, priors);
        let mut estimator = estimator.expect("sound priors");
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let estimate = estimate.expect("regular");
        of.values(&system, estimate.mean()).expect("sizes agree")
    };
    let options = mild();
    let requested = [1.0, -2.0, 3.0, 0.5, -0.25, 0.125];
    let narrow = Prior::new(of, requested.to_vec(), Noise::Deviation(1e-6));
    close("narrow", &estimate(&options, &[narrow]), &requested, 1e-6);
    // As if nothing had been said.
    let wide = Prior::new(of, requested.to_vec(), Noise::Deviation(1e9));
    let without = estimate(&options, &[]);
    let mut open = options;
    open = open.prior_variance(1e18);
    let all_open = estimate(&open, &[]);
    let with = estimate(&options, &[wide]);
    let distance = |a: &[f64], b: &[f64]| {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    // The options' prior of the force is gone, those of the other unknowns are not.
    assert!(distance(&with, &without) > 1e-9);
    assert!(distance(&with, &all_open) < distance(&without, &all_open));
}

#[test]
fn what_a_wide_prior_alone_tells_is_right_or_refused() {
    // Nothing but the prior tells of external forces.
    let model = featherline_robots::panda();
    let system = System::new(Problem::new(model.clone())).expect("a system");
    let state = State::random(&model, 1);
    for width in [1e2, 1e3, 1e4, 1e6, 1e8] {
        let joint = model.joint_ids().last().expect("a joint");
        let prior = Prior::new(
            Requested::ExternalForce(joint),
            vec![width; 6],
            Noise::Deviation(width),
        );
        let options = EstimatorOptions::default().equation_variance(1e-2);
        let estimator = Estimator::with_priors(system.clone(), &options, &[prior]);
        let mut estimator = estimator.expect("a sound prior");
        match estimator.update(&state.q, &state.v, &[]) {
            Ok(mut estimate) => {
                let force = Requested::ExternalForce(joint).values(&system, estimate.mean());
                let force = force.expect("sizes agree");
                // Torques of a deviation of 100 pull at it.
                assert!(force.iter().all(|x| x.is_finite() && x.abs() < 3.0 * width));
                let variances = estimate.posterior().variances().to_vec();
                assert!(variances.iter().all(|&variance| variance > 0.0), "{width}");
            }
            Err(error) => assert!(
                matches!(error, EstimateError::Unobservable { .. }),
                "{width}: {error}"
            ),
        }
    }
}

#[test]
fn priors_that_make_no_sense_are_refused() {
    let model = featherline_robots::double_pendulum();
    let system = System::new(instrumented(&model)).expect("a system");
    let joint = model.joint_ids().next().expect("a joint");
    let of = Requested::ExternalForce(joint);
    let with = |priors: &[Prior]| {
        let made = Estimator::with_priors(system.clone(), &mild(), priors);
        made.map(drop)
    };
    let identity = |change: &[(usize, f64)]| {
        let mut values = vec![0.0; 36];
        (0..6).for_each(|k| values[7 * k] = 1e12);
        change.iter().for_each(|&(at, value)| values[at] = value);
        Noise::Covariance(values)
    };
    for (mean, noise, key, words) in [
        (6, identity(&[(1, 3e11)]), "covariance", "symmetric"),
        (
            6,
            identity(&[(1, 2e12), (6, 2e12)]),
            "covariance",
            "positive definite",
        ),
        (6, identity(&[(7, -1.0)]), "covariance", "positive definite"),
        (6, identity(&[(7, f64::NAN)]), "covariance", "finite"),
        (
            6,
            Noise::Covariance(vec![1.0; 9]),
            "covariance",
            "one row and column",
        ),
        (6, Noise::Deviations(vec![1.0; 5]), "sigma", "one deviation"),
        (6, Noise::Deviation(0.0), "sigma", "positive"),
        (6, Noise::Exact, "sigma", "no deviation"),
        (5, Noise::Deviation(1.0), "mean", "one finite mean"),
    ] {
        let error = with(&[Prior::new(of, vec![0.0; mean], noise)]).expect_err(words);
        assert!(error.to_string().contains(words), "{words}: {error}");
        let EstimateError::System(SystemError::PriorNumber {
            prior, key: told, ..
        }) = error
        else {
            panic!("{words}: {error}");
        };
        assert_eq!((prior, told), (of.name(&model), key));
    }
    let one = Prior::new(of, vec![0.0; 6], Noise::Deviation(1.0));
    let twice = with(&[one.clone(), one.clone()]).expect_err("two of one unknown");
    assert!(matches!(twice, EstimateError::PriorTwice { .. }), "{twice}");
    let estimator = Estimator::with_priors(system.clone(), &mild(), &[one]);
    let mut estimator = estimator.expect("a sound prior");
    let column = of.columns(&system).start;
    let error = estimator
        .set_prior(column, 0.0, Some(1.0))
        .expect_err("it has one");
    assert!(matches!(error, EstimateError::PriorTwice { .. }), "{error}");
    let (mean, variance) = estimator.prior(column).expect("a column");
    assert!(mean == 0.0 && variance.is_some_and(|variance| (variance - 1.0).abs() < 1e-12));
}

#[test]
fn priors_stand_in_files_and_what_is_wrong_with_them_is_located() {
    let model = featherline_robots::double_pendulum();
    let joint = model.joint_ids().next().expect("a joint");
    let name = &model.joint(joint).name;
    let text = format!(
        "[[prior]]\nof = \"external-force:{name}\"\nmean = 1.5\nsigma = [1, 2, 3, 4, 5, 6]\n\n\
         [[prior]]\nof = \"joint-forces\"\nmean = [1, 2]\ncovariance = [[2, 1], [1, 2]]\n"
    );
    let file = SensorFile::read(&text, &model).expect("sound priors");
    let deviations = (1..=6).map(f64::from).collect();
    let force = Prior::new(
        Requested::ExternalForce(joint),
        vec![1.5; 6],
        Noise::Deviations(deviations),
    );
    let torques = Prior::new(
        Requested::JointForces,
        vec![1.0, 2.0],
        Noise::Covariance(vec![2.0, 1.0, 1.0, 2.0]),
    );
    assert_eq!(file.priors, [force, torques]);
    for (lines, line, column, words) in [
        (
            "of = \"joint-forces\"\ncovariance = [[2, 1], [0, 2]]",
            3,
            14,
            "symmetric",
        ),
        (
            "of = \"joint-forces\"\ncovariance = [[1, 2], [2, 1]]",
            3,
            14,
            "positive definite",
        ),
        (
            "of = \"joint-forces\"\ncovariance = [[1, 2]]",
            3,
            14,
            "square",
        ),
        ("of = \"joint-forces\"\nsigma = -1", 3, 9, "positive"),
        ("of = \"joint-forces\"\nsigma = nan", 3, 9, "positive"),
        (
            "of = \"joint-forces\"\nsigma = 1\nmean = [1]",
            4,
            8,
            "one finite mean",
        ),
        (
            "of = \"joint-forces\"\nmean = inf\nsigma = 1",
            3,
            8,
            "one finite mean",
        ),
        (
            "of = \"joint-forces\"",
            2,
            6,
            "needs `sigma` or `covariance`",
        ),
        (
            "of = \"external-forces\"\nsigma = 1",
            2,
            6,
            "there is no quantity `external-forces`",
        ),
        ("of = \"joint-force:ellbow\"\nsigma = 1", 2, 6, "ellbow"),
        ("sigma = 1", 1, 1, "missing field `of`"),
        (
            "of = \"joint-forces\"\nsigma = 1\nwidth = 3",
            4,
            1,
            "unknown field `width`",
        ),
    ] {
        let text = format!("[[prior]]\n{lines}\n");
        let error = SensorFile::read(&text, &model).expect_err(words);
        assert!(error.to_string().contains(words), "{lines}: {error}");
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{lines}: {error}"
        );
    }
    let twice = format!(
        "[[prior]]\nof = \"joint-forces\"\nsigma = 1\n[[prior]]\nof = \"joint-force:{name}\"\nsigma = 1\n"
    );
    let error = SensorFile::read(&twice, &model).expect_err("two of one unknown");
    assert_eq!((error.line, error.column), (5, 6), "{error}");
}
