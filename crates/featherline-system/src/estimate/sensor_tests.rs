//! Tests of whole sensors: all rows of one against their common covariance.

use super::broad_priors::{BroadPriors, PriorCosts, least};
use super::estimator::Estimator;
use super::exact::Exact;
use super::residuals::{ChiSquare, no_redundancy};
use super::weights::Weights;
use crate::problem::SensorId;
use crate::system::System;
use featherline_sparse::multifrontal::SparseRow;
use std::ops::Range;

/// Each sensor's rows together against their covariance, which shows errors of sensors
/// whose readings are correlated, such as a six-axis force sensor's.
///
/// With the residuals r = y − Y x of a sensor's rows and their covariance Ω = R − Y P Yᵀ, the sum
/// rᵀ Ω⁻¹ r is by how much the cost of the estimate falls where the sensor is left out, and equals
/// eᵀ S⁻¹ e of what its readings exceed their prediction by all others by (its squared Mahalanobis
/// distance). It has a χ² distribution with as many degrees of freedom as there are independent
/// rows that others determine, too; it does not depend on how the readings are combined to rows,
/// and a gross error of one sensor, if the only one, raises no other sensor's sum above its own.
/// A direction that only uninformative priors determine counts as not determined: their part in Ω
/// is subtracted, at the cost of a solve for each row, but for sensors of one row that others
/// determine less well than they do themselves. (Baarda 1968, *A testing procedure for use in
/// geodetic networks*; Teunissen 2000, *Testing theory*: the test of an alternative of several
/// dimensions.)
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorKind, System};
///
/// // The joint acceleration, without external forces, determines what the force sensor reads.
/// let mut problem = Problem::new(samples::double_pendulum())
///     .joint_accelerations(KnownValue::Input)
///     .external_forces(KnownValue::Zero);
/// let frame = problem.model().frame_id("lower_rod")?;
/// let mut covariance = vec![0.0; 36];
/// for k in 0..6 {
///     covariance[7 * k] = 0.04;
/// }
/// (covariance[1], covariance[6]) = (0.03, 0.03); // fx and fy go together
/// let kind = SensorKind::ForceTorque { frame, reaction: false };
/// let sensor = problem.add_sensor(Sensor::new("wrist", kind, Noise::Covariance(covariance)))?;
/// let mut estimator = Estimator::new(System::new(problem)?, &EstimatorOptions::default())?;
///
/// // It should read a weight of 9.81 N; fx and fy are off by half a newton against each other.
/// let readings = [0.0, 0.0, 0.5, -0.5, 9.81, 0.0, 0.0, 0.0];
/// let mut estimate = estimator.update(&[0.0, 0.0], &[0.0, 0.0], &readings)?;
/// let tests = estimate.sensor_tests();
/// let test = tests.of(sensor).ok_or("a redundant sensor")?;
/// assert_eq!(test.degrees_of_freedom, 6.0);
/// assert!(test.probability().is_some_and(|p| p < 1e-6));
/// assert_eq!(tests.largest().map(|suspect| suspect.name), Some("wrist"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SensorTests<'a> {
    pub(super) estimator: &'a Estimator,
    pub(super) tests: &'a [Option<ChiSquare>],
}

/// A sensor with its test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspect<'a> {
    /// The sensor.
    pub sensor: SensorId,
    /// Its name.
    pub name: &'a str,
    /// Its rows together.
    pub test: ChiSquare,
}

impl<'a> SensorTests<'a> {
    /// The test of a sensor; none if it is off, or nothing else determines anything of what it
    /// measures.
    ///
    /// # Panics
    /// If the system has no such sensor.
    pub fn of(&self, sensor: SensorId) -> Option<ChiSquare> {
        self.tests[sensor.index()]
    }

    /// The sensor without which the cost falls most beyond what it falls on average; none if no
    /// sensor can be tested. Where only two sensors measure the same, either could be wrong, and
    /// which of them is named is chance.
    pub fn largest(&self) -> Option<Suspect<'a>> {
        let sensors = self.estimator.system().problem().sensors();
        let tested = sensors.iter().zip(self.tests).enumerate();
        let suspects = tested.filter_map(|(index, (sensor, test))| {
            Some(Suspect {
                sensor: SensorId(index),
                name: &sensor.name,
                test: (*test)?,
            })
        });
        let excess =
            |suspect: &Suspect<'_>| suspect.test.statistic - suspect.test.degrees_of_freedom;
        suspects.max_by(|a, b| excess(a).total_cmp(&excess(b)))
    }
}

/// The tests of all sensors, and the memory for the rows of one of them.
#[derive(Clone, Debug)]
pub(super) struct SensorBlocks {
    /// Of the residuals, and of the innovations.
    pub residuals: Vec<Option<ChiSquare>>,
    pub innovations: Vec<Option<ChiSquare>>,
    matrix: Vec<f64>,
    rest: Vec<f64>,
    least: Vec<f64>,
    pub broad: BroadPriors,
}

/// The numbers of one state.
pub(super) struct StateNumbers<'a> {
    pub system: &'a System,
    /// The entries of the equations.
    pub values: &'a [f64],
    /// The residuals of the rows: right-hand sides less left-hand sides.
    pub excess: &'a [f64],
    /// One over the variances of the rows' errors.
    pub weights: &'a Weights,
    /// The priors.
    pub assumed: PriorCosts<'a>,
}

impl StateNumbers<'_> {
    fn row(&self, row: usize) -> SparseRow<'_> {
        row_of(self.system, self.values, row)
    }

    /// The rows of a sensor.
    fn rows(&self, sensor: usize) -> Range<usize> {
        self.system.equations().sensor(SensorId(sensor))
    }
}

/// A row of the equations, whose entries have some values.
pub(super) fn row_of<'a>(system: &'a System, values: &'a [f64], row: usize) -> SparseRow<'a> {
    let sparsity = system.sparsity();
    SparseRow {
        columns: sparsity.row(row),
        entries: &values[sparsity.row_range(row)],
    }
}

impl SensorBlocks {
    /// Of all sensors of a system.
    pub fn new(system: &System, assumed: &PriorCosts<'_>) -> Self {
        let sensors = system.problem().sensor_ids();
        let counts = sensors.map(|id| system.equations().sensor(id).len());
        let (most, count) = (counts.max().unwrap_or(0), system.problem().sensors().len());
        Self {
            residuals: vec![None; count],
            innovations: vec![None; count],
            matrix: vec![0.0; most * most],
            rest: vec![0.0; most],
            least: vec![0.0; most],
            broad: BroadPriors::new(most.max(1), assumed),
        }
    }

    /// Writes M = 1 + sign · √W Y P Yᵀ √W of a sensor's rows from square roots of P.
    fn multiply(
        &mut self,
        sensor: usize,
        sign: f64,
        exact: &mut Exact,
        numbers: &StateNumbers<'_>,
    ) {
        let rows = numbers.rows(sensor);
        let (first, count) = (rows.start, rows.len());
        for row in rows.clone() {
            for other in row..rows.end {
                let product = exact.product(numbers.row(row), numbers.row(other));
                let roots = (numbers.weights.of(row) * numbers.weights.of(other)).sqrt();
                let own = if other == row { 1.0 } else { 0.0 };
                let (k, other) = (row - first, other - first);
                self.matrix[k * count + other] = own + sign * roots * product;
                self.matrix[other * count + k] = own + sign * roots * product;
            }
        }
    }

    /// Takes away what broad priors add to the matrix, and finds what has to be left of each row.
    fn take_away(
        &mut self,
        sensor: usize,
        no_redundancy: f64,
        numbers: &StateNumbers<'_>,
        exact: &mut Exact,
    ) {
        let rows = numbers.rows(sensor);
        let count = rows.len();
        for (k, row) in rows.enumerate() {
            // Exact rows have no part in it. Of several rows much may be left, and nothing of a
            // combination.
            let left = match numbers.weights.is_exact(row) {
                true => 1.0,
                false if count > 1 => 0.0,
                false => self.matrix[k * count + k],
            };
            let weighed = (numbers.row(row), numbers.weights.of(row));
            self.broad.find(k, weighed, left, &numbers.assumed, exact);
        }
        for k in 0..count {
            for other in 0..count {
                self.matrix[k * count + other] -= self.broad.product(k, other);
            }
            self.least[k] = least(self.broad.product(k, k), no_redundancy);
        }
    }

    /// The excess of a sensor's rows against the covariance R + sign · Y P Yᵀ, less what broad
    /// priors add to it.
    ///
    /// In standard deviations of the rows' own errors: with M = 1 + sign · √W Y P Yᵀ √W and the
    /// excess z it is zᵀ M⁻¹ z, by elimination with the largest pivot first, which ends where
    /// nothing but rounding is left. The rows left out are combinations of the others, so that any
    /// generalised inverse gives the same. Exact rows have no part in it.
    pub fn test(
        &mut self,
        sensor: usize,
        sign: f64,
        numbers: &StateNumbers<'_>,
        exact: &mut Exact,
    ) -> Option<ChiSquare> {
        self.multiply(sensor, sign, exact, numbers);
        let rows = numbers.rows(sensor);
        let errors = rows.clone().map(|row| {
            let error = exact.error(numbers.row(row));
            no_redundancy(error * numbers.weights.of(row).sqrt(), 1.0)
        });
        let no_redundancy = errors.fold(0.0, f64::max);
        let count = rows.len();
        self.least[..count].fill(no_redundancy);
        if sign < 0.0 {
            self.take_away(sensor, no_redundancy, numbers, exact);
        }
        for (k, row) in rows.enumerate() {
            self.rest[k] = numbers.weights.of(row).sqrt() * numbers.excess[row];
            if numbers.weights.is_exact(row) {
                self.matrix[k * count + k] = f64::NEG_INFINITY;
            }
        }
        let (matrix, rest) = (&mut self.matrix[..count * count], &mut self.rest[..count]);
        let (mut statistic, mut rank) = (0.0, 0);
        for _ in 0..count {
            let diagonal = |k: &usize| matrix[k * count + k];
            let told = (0..count).filter(|k| diagonal(k) > self.least[*k]);
            let Some(pivot) = told.max_by(|a, b| diagonal(a).total_cmp(&diagonal(b))) else {
                break;
            };
            let size = diagonal(&pivot);
            let part = rest[pivot];
            statistic += part * part / size;
            rank += 1;
            for k in (0..count).filter(|&k| k != pivot) {
                let factor = matrix[k * count + pivot] / size;
                rest[k] -= factor * part;
                for other in 0..count {
                    matrix[k * count + other] -= factor * matrix[pivot * count + other];
                }
            }
            // It is never the largest again.
            matrix[pivot * count + pivot] = f64::NEG_INFINITY;
        }
        (rank > 0).then_some(ChiSquare {
            statistic,
            degrees_of_freedom: f64::from(rank),
        })
    }
}
