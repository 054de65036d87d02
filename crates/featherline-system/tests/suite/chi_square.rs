//! The test of all residuals: its degrees of freedom by dense algebra, and its distribution by
//! drawn readings.

use crate::common::{State, dense};
use crate::estimate::normals;
use crate::sensor_tests::distance_from_uniform;
use featherline_system::{
    ChiSquare, Equation, Estimator, EstimatorOptions, Known, KnownValue, Noise, Prior, Problem,
    Requested, Sensor, SensorId, SensorKind, System,
};
use nalgebra::{DMatrix, DVector, Dyn, LU};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A system, what is assumed of it, and which sensors are off. Equations and priors together
/// determine all unknowns.
struct Case {
    system: System,
    options: EstimatorOptions,
    priors: Vec<Prior>,
    off: Vec<SensorId>,
    state: State,
}

/// Random samples: unknowns distributed by equations and priors, and readings of them.
struct Draws<'a> {
    case: &'a Case,
    /// Equations and priors with one row for each unknown, their right-hand sides, and the
    /// deviations of these.
    square: LU<f64, Dyn, Dyn>,
    right: DVector<f64>,
    deviations: DVector<f64>,
    /// All rows, and their right-hand sides without readings.
    matrix: DMatrix<f64>,
    offset: DVector<f64>,
    /// For each sensor, which sums of its readings its rows have.
    sums: Vec<(SensorId, LU<f64, Dyn, Dyn>)>,
    random: ChaCha8Rng,
}

fn covariance(random: &mut ChaCha8Rng, sigma: f64) -> DMatrix<f64> {
    let shared = DMatrix::from_fn(6, 3, |_, _| random.random_range(-1.0..1.0));
    (&shared * shared.transpose() + DMatrix::identity(6, 6) * 0.1) * sigma * sigma
}

/// An elbow whose acceleration some encoders read.
fn elbow(prior: f64, encoders: usize, options: EstimatorOptions) -> Case {
    let model = featherline_robots::double_pendulum();
    let state = State::random(&model, 1);
    let [shoulder, elbow] = ["shoulder", "elbow"].map(|name| model.joint_id(name).expect("its"));
    let mut problem = Problem::new(model).external_forces(KnownValue::Zero);
    let known = Known::JointAcceleration {
        joint: shoulder,
        degree: 0,
    };
    problem.know(known, KnownValue::Zero).expect("a joint");
    for k in 0..encoders {
        let kind = SensorKind::JointAcceleration { joint: elbow };
        let sensor = Sensor::new(format!("encoder {k}"), kind, Noise::Deviation(1.0));
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    let word = Requested::JointAcceleration(elbow);
    Case {
        system: System::new(problem).expect("a system"),
        options,
        priors: vec![Prior::new(word, vec![0.5], Noise::Deviation(prior))],
        off: Vec::new(),
        state,
    }
}

/// A hand in contact: torque sensors, two force sensors whose errors go together, of which one is
/// off, and a prior of the contact.
fn hand(prior: f64, options: EstimatorOptions) -> Case {
    let model = featherline_robots::panda();
    let state = State::random(&model, 2);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let joints: Vec<_> = model.joint_ids().collect();
    let last = joints[joints.len() - 1];
    let mut problem = Problem::new(model)
        .joint_accelerations(KnownValue::Zero)
        .external_forces_except(&[last], KnownValue::Zero);
    for &joint in &joints {
        let name = &problem.model().joint(joint).name;
        let sensor = Sensor::new(
            format!("torque of {name}"),
            SensorKind::JointForce { joint },
            Noise::Deviation(0.1),
        );
        problem.add_sensor(sensor).expect("a valid sensor");
    }
    let mut off = Vec::new();
    for (name, is_off) in [("wrist", false), ("broken", true)] {
        let frame = &problem.model().joint(last).name;
        let frame = problem.model().frame_id(frame).expect("its own");
        let noise = Noise::Covariance(covariance(&mut random, 0.3).as_slice().to_vec());
        let reaction = false;
        let sensor = Sensor::new(name, SensorKind::ForceTorque { frame, reaction }, noise);
        let id = problem.add_sensor(sensor).expect("a valid sensor");
        off.extend(is_off.then_some(id));
    }
    let noise = Noise::Covariance(covariance(&mut random, prior).as_slice().to_vec());
    let prior = Prior::new(
        Requested::ExternalForce(last),
        normals(&mut random, 6),
        noise,
    );
    Case {
        system: System::new(problem).expect("a system"),
        options,
        priors: vec![prior],
        off,
        state,
    }
}

impl Case {
    fn is_on(&self, row: usize) -> bool {
        match self.system.equations().at(row) {
            Some(Equation::Sensor { sensor, .. }) => !self.off.contains(&sensor),
            _ => true,
        }
    }

    fn sensor_rows(&self) -> std::ops::Range<usize> {
        let first = self.system.equations().sensor(self.sensors()[0]).start;
        first..self.system.equations().count()
    }

    fn sensors(&self) -> Vec<SensorId> {
        let groups = self.system.input_groups();
        groups.iter().filter_map(|group| group.sensor).collect()
    }

    /// The deviation of a row, zero if it is exact.
    fn deviation(&self, row: usize) -> f64 {
        let variance = self.system.variance(row).or(self.options.equation);
        variance.unwrap_or(0.0).sqrt()
    }

    /// The priors as rows with errors of one.
    fn prior_rows(&self) -> (Vec<DVector<f64>>, Vec<f64>) {
        let n = self.system.unknowns().count();
        let (mut rows, mut right) = (Vec::new(), Vec::new());
        for prior in &self.priors {
            let size = prior.mean.len();
            let covariance = match &prior.noise {
                Noise::Covariance(covariance) => DMatrix::from_column_slice(size, size, covariance),
                Noise::Deviation(sigma) => DMatrix::identity(size, size) * *sigma * *sigma,
                Noise::Exact | Noise::Deviations(_) => unreachable!("one of these"),
            };
            let root = covariance.cholesky().expect("positive").l();
            let mut map = DMatrix::zeros(size, n);
            for column in prior.of.columns(&self.system) {
                let mut x = vec![0.0; n];
                x[column] = 1.0;
                let values = prior.of.values(&self.system, &x).expect("sizes agree");
                map.set_column(column, &DVector::from_vec(values));
            }
            let map = root.solve_lower_triangular(&map).expect("regular");
            let mean = DVector::from_column_slice(&prior.mean);
            let mean = root.solve_lower_triangular(&mean).expect("regular");
            rows.extend(map.row_iter().map(|row| row.transpose()));
            right.extend(mean.iter());
        }
        (rows, right)
    }

    fn draws(&self, seed: u64) -> Draws<'_> {
        let (system, state) = (&self.system, &self.state);
        let count = system.input_count();
        let (matrix, offset) = dense(system, &state.q, &state.v, &vec![0.0; count]);
        let (mut rows, means) = self.prior_rows();
        let mut right = means.clone();
        let mut deviations = vec![1.0; means.len()];
        for row in 0..self.sensor_rows().start {
            rows.push(matrix.row(row).transpose());
            right.push(offset[row]);
            deviations.push(self.deviation(row));
        }
        let by_reading = |reading: usize| {
            let mut unit = vec![0.0; count];
            unit[reading] = 1.0;
            dense(system, &state.q, &state.v, &unit).1 - &offset
        };
        let sums = |sensor: SensorId| {
            let rows = system.equations().sensor(sensor);
            let columns = system.sensor_inputs(sensor).map(by_reading);
            let columns: Vec<_> = columns
                .map(|column| column.rows(rows.start, rows.len()).clone_owned())
                .collect();
            (sensor, DMatrix::from_columns(&columns).lu())
        };
        Draws {
            case: self,
            square: DMatrix::from_columns(&rows).transpose().lu(),
            right: DVector::from_vec(right),
            deviations: DVector::from_vec(deviations),
            sums: self.sensors().into_iter().map(sums).collect(),
            matrix,
            offset,
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// The test by dense algebra: exact rows by their null space, weighed ones by the projector on
    /// what they see of it.
    fn reference(&self, inputs: &[f64]) -> ChiSquare {
        let (matrix, rhs) = dense(&self.system, &self.state.q, &self.state.v, inputs);
        let (mut weighed, mut right) = self.prior_rows();
        let (mut exact, mut exact_right) = (Vec::new(), Vec::new());
        for row in (0..rhs.len()).filter(|&row| self.is_on(row)) {
            let sigma = self.deviation(row);
            if sigma == 0.0 {
                exact.push(matrix.row(row).transpose());
                exact_right.push(rhs[row]);
            } else {
                weighed.push(matrix.row(row).transpose() / sigma);
                right.push(rhs[row] / sigma);
            }
        }
        let n = self.system.unknowns().count();
        let (weighed, mut right) = (
            DMatrix::from_columns(&weighed).transpose(),
            DVector::from_vec(right),
        );
        let mut null = DMatrix::identity(n, n);
        if !exact.is_empty() {
            let exact = DMatrix::from_columns(&exact);
            let eigen = (&exact * exact.transpose()).symmetric_eigen();
            let open = (0..n).filter(|&k| eigen.eigenvalues[k].abs() < 1e-9);
            let open: Vec<usize> = open.collect();
            null = eigen.eigenvectors.select_columns(&open);
            let some = exact.transpose().svd(true, true);
            let some = some
                .solve(&DVector::from_vec(exact_right), 1e-9)
                .expect("vectors");
            right -= &weighed * some;
        }
        let range = (&weighed * null).qr().q();
        let rest = &right - &range * (range.transpose() * &right);
        ChiSquare {
            statistic: rest.norm_squared(),
            degrees_of_freedom: (weighed.nrows() - range.ncols()) as f64,
        }
    }

    fn estimator(&self) -> Estimator {
        let estimator = Estimator::with_priors(self.system.clone(), &self.options, &self.priors);
        let mut estimator = estimator.expect("sound priors");
        for &sensor in &self.off {
            estimator.switch(sensor, false).expect("a sensor");
        }
        estimator
    }
}

impl Draws<'_> {
    fn draw(&mut self) -> Vec<f64> {
        let system = &self.case.system;
        let errors = DVector::from_vec(normals(&mut self.random, self.right.len()));
        let right = &self.right + self.deviations.component_mul(&errors);
        let x = self.square.solve(&right).expect("regular");
        let predicted = &self.matrix * x - &self.offset;
        // A row's right-hand side is a sum of readings, and as many rows as readings tell these.
        let mut inputs = vec![0.0; system.input_count()];
        for (sensor, sums) in &self.sums {
            let rows = system.equations().sensor(*sensor);
            let errors = normals(&mut self.random, rows.len());
            let told = rows.zip(errors);
            let told = told.map(|(row, error)| predicted[row] + error * self.case.deviation(row));
            let told = DVector::from_vec(told.collect());
            let read = sums.solve(&told).expect("as many rows as readings");
            inputs[system.sensor_inputs(*sensor)].copy_from_slice(read.as_slice());
        }
        inputs
    }
}

/// Cases in which all that is weighed is proper, with the degrees of freedom: as many as rows of
/// sensors are on, for equations and priors alone determine all unknowns and say nothing twice.
fn proper() -> Vec<(Case, f64)> {
    let exact = EstimatorOptions::default();
    let mild = exact.equation_variance(1e-2);
    let open = mild.without_prior();
    let mut switched = elbow(1.0, 3, exact);
    switched.off.push(switched.sensors()[1]);
    vec![
        (elbow(10.0, 1, exact), 1.0),
        (elbow(1.0, 2, exact), 2.0),
        (elbow(1.0, 2, open), 2.0),
        (switched, 2.0),
        (hand(10.0, exact), 13.0),
        (hand(0.1, exact), 13.0),
        (hand(1.0, mild), 13.0),
        (hand(1.0, open), 13.0),
    ]
}

#[test]
fn degrees_of_freedom_are_those_of_dense_algebra() {
    for (k, (case, freedom)) in proper().into_iter().enumerate() {
        let inputs = case.draws(k as u64).draw();
        let mut estimator = case.estimator();
        let (state, reference) = (&case.state, case.reference(&inputs));
        let estimate = estimator.update(&state.q, &state.v, &inputs);
        let mut estimate = estimate.expect("determined");
        let test = estimate.residuals().chi_square();
        assert_eq!(reference.degrees_of_freedom, freedom);
        // The default prior of accelerations is wider than the stated one by 10³ and more, of which
        // the square shows.
        let error = (test.degrees_of_freedom - freedom).abs();
        assert!(error < 1e-4, "{k}: {test:?}");
        let error = (test.statistic - reference.statistic).abs();
        assert!(error < 1e-4 * freedom, "{k}: {test:?} {reference:?}");
    }
}

#[test]
fn probabilities_are_uniform() {
    const DRAWS: usize = 500;
    for (k, (case, _)) in proper().into_iter().enumerate() {
        let mut draws = case.draws(100 + k as u64);
        let mut estimator = case.estimator();
        let mut probability = || {
            let inputs = draws.draw();
            let estimate = estimator.update(&case.state.q, &case.state.v, &inputs);
            let mut estimate = estimate.expect("determined");
            let test = estimate.residuals().chi_square();
            test.probability().expect("redundant sensors")
        };
        let distance = distance_from_uniform((0..DRAWS).map(|_| probability()).collect());
        // Exceeded by chance once in 10⁵ draws of a uniform distribution (Kolmogorov: 2 exp(−2 n
        // d²)).
        assert!(distance < 0.11, "{k}: {distance}");
    }
}

#[test]
fn priors_that_say_nothing_are_not_counted() {
    let broad = EstimatorOptions::default();
    let wide = [broad, broad.prior_variance(1e14), broad.without_prior()];
    for options in wide {
        // Forces of 10⁹ N and more are not what a robot of 18 kg has.
        let (mut case, mut near) = (hand(1e9, options), hand(1.0, options));
        case.priors[0].mean.fill(0.0);
        near.priors[0].mean.fill(0.0);
        let inputs = near.draws(5).draw();
        let mut estimator = case.estimator();
        let estimate = estimator.update(&case.state.q, &case.state.v, &inputs);
        let mut estimate = estimate.expect("determined");
        let residuals = estimate.residuals();
        // Thirteen rows tell six components of a force.
        let test = residuals.chi_square();
        assert!((test.degrees_of_freedom - 7.0).abs() < 1e-3, "{test:?}");
        assert!(test.probability().is_some_and(|p| p > 1e-3), "{test:?}");
    }
    // A prior of all unknowns alike counts as stated where it is as narrow as the weight makes
    // them.
    let mut case = elbow(1.0, 1, broad.prior_variance(100.0));
    case.priors.clear();
    let mut estimator = case.estimator();
    for (reading, bounds) in [(10.0, 0.01..1.0), (200.0, 0.0..1e-6)] {
        let estimate = estimator.update(&case.state.q, &case.state.v, &[reading]);
        let mut estimate = estimate.expect("determined");
        let test = estimate.residuals().chi_square();
        let p = test.probability().expect("two say something of the elbow");
        assert!(bounds.contains(&p), "{reading}: {test:?}");
    }
}

/// A narrow prior of all unknowns weighs what exact rows make of them, too, and that is no matter
/// of chance: what it costs is the same for all readings. The sensors' contribution to the cost has
/// a χ² distribution.
#[test]
fn a_narrow_prior_of_all_unknowns_is_tested_by_what_sensors_add() {
    const DRAWS: usize = 500;
    const SIGMA: f64 = 0.01;
    let options = EstimatorOptions::default().prior_variance(SIGMA * SIGMA);
    let mut case = elbow(1.0, 3, options);
    case.priors.clear();
    let (system, state) = (&case.system, &case.state);
    let (matrix, offset) = dense(system, &state.q, &state.v, &[0.0; 3]);
    let (sensors, n) = (case.sensor_rows(), system.unknowns().count());
    let exact = matrix.rows(0, sensors.start).clone_owned();
    let eigen = (exact.transpose() * &exact).symmetric_eigen();
    let open = (0..n).filter(|&k| eigen.eigenvalues[k].abs() < 1e-9);
    let open: Vec<usize> = open.collect();
    let null = eigen.eigenvectors.select_columns(&open);
    let shortest = exact.svd(true, true);
    let right = offset.rows(0, sensors.start).clone_owned();
    let shortest = shortest.solve(&right, 1e-9).expect("vectors");
    let fixed = (&shortest / SIGMA).norm_squared();

    let mut estimator = case.estimator();
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut probability = || {
        let drawn = DVector::from_vec(normals(&mut random, open.len()));
        let x = &shortest + &null * drawn * SIGMA;
        let errors = normals(&mut random, sensors.len());
        let readings: Vec<f64> = sensors
            .clone()
            .zip(errors)
            .map(|(row, error)| (matrix.row(row) * &x)[0] + error)
            .collect();
        let innovations = estimator.innovations(&state.q, &state.v, &readings);
        let added = innovations.expect("determined").chi_square();
        assert_eq!(added.degrees_of_freedom, sensors.len() as f64);
        let estimate = estimator.update(&state.q, &state.v, &readings);
        let mut estimate = estimate.expect("determined");
        let whole = estimate.residuals().chi_square();
        // Unknowns that exact rows leave open and rows of sensors, less the directions that are
        // open.
        let uncertain = null.row_iter().filter(|row| row.amax() > 1e-9).count();
        let freedom = (uncertain + sensors.len() - open.len()) as f64;
        assert!(
            (whole.degrees_of_freedom - freedom).abs() < 1e-6,
            "{whole:?}"
        );
        // Digits of the cost of forces of some N over hundredths.
        let error = whole.statistic - added.statistic - fixed;
        assert!(error.abs() < 1e-9 * fixed, "{error:e} of {fixed:e}");
        added.probability().expect("sensors")
    };
    let distance = distance_from_uniform((0..DRAWS).map(|_| probability()).collect());
    // As above.
    assert!(distance < 0.11, "{distance}");
    assert!(fixed > 1e3, "{fixed}");
}
