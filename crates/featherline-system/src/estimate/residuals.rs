//! Tests of whether the readings agree with the model and with each other.

use super::broad_priors::{PriorCosts, least};
use super::estimator::Estimator;
use super::sensor_tests::{SensorTests, StateNumbers, row_of};
use crate::problem::SensorId;
use crate::system::Equation;
use featherline::kernel;
use featherline_sparse::{CompensatedSum, Sparsity};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// A sum of squares that has a χ² distribution if the model is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The sum.
    pub statistic: f64,
    /// The mean of the statistic: its degrees of freedom.
    pub degrees_of_freedom: f64,
}

impl ChiSquare {
    /// How probable a sum at least as large is, if the model is right; none without degrees of
    /// freedom, when there is nothing to test.
    ///
    /// ```
    /// use featherline_system::ChiSquare;
    ///
    /// // With two degrees of freedom the distribution is exponential.
    /// let test = ChiSquare { statistic: 3.0, degrees_of_freedom: 2.0 };
    /// assert!((test.probability().unwrap_or(0.0) - (-1.5_f64).exp()).abs() < 1e-12);
    /// ```
    pub fn probability(&self) -> Option<f64> {
        // Less than this is what rounding leaves of none.
        if self.degrees_of_freedom < 1e-3 {
            return None;
        }
        let distribution = ChiSquared::new(self.degrees_of_freedom).ok()?;
        Some(distribution.sf(self.statistic))
    }
}

/// A row of a sensor that disagrees with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier<'a> {
    /// The sensor.
    pub sensor: SensorId,
    /// Its name.
    pub name: &'a str,
    /// Which of its rows.
    pub component: usize,
    /// How many standard deviations.
    pub deviations: f64,
}

/// The residuals y − Y x of an estimate against their own variances.
///
/// A residual's variance is that of the reading less that of the estimate, Ω = R − Y P Yᵀ: a
/// reading that nothing else determines is met exactly, and can't be tested. The largest normalised
/// residual shows the gross error (Schweppe and Handschin 1974, *Static state estimation in
/// electric power systems*): a single one, where errors of readings are independent. Several may
/// hide each other; and rows of a sensor with correlated errors are tested as independent
/// combinations of its readings, so that a gross error in one of these spreads over several rows,
/// and may seem larger elsewhere. [`SensorTests`] takes the rows of a sensor together.
#[derive(Debug)]
pub struct Residuals<'a> {
    estimator: &'a Estimator,
    expected_cost: f64,
}

/// The innovations: readings less their prediction by equations, knowns and priors without any
/// sensor.
///
/// An innovation has the variance S = R + Y P₀ Yᵀ. Their sum of squares over S has as many degrees
/// of freedom as there are rows of sensors that are on.
#[derive(Debug)]
pub struct Innovations<'a> {
    pub(super) estimator: &'a Estimator,
    pub(super) predicted_cost: f64,
}

kernel!(
    /// b − D y, summed without rounding.
    fn subtract_product(
        sparsity: &Sparsity,
        values: &[f64],
        rhs: &[f64],
        y: &[f64],
        residuals: &mut [f64],
    ) {
        for (row, residual) in residuals.iter_mut().enumerate() {
            let mut sum = CompensatedSum::from(rhs[row]);
            let entries = values[sparsity.row_range(row)].iter();
            for (&a, &k) in entries.zip(sparsity.row(row)) {
                sum.add_product(-a, y[k]);
            }
            *residual = sum.value();
        }
    }
);

/// A share of a reading's variance that is lost in rounding.
const NO_REDUNDANCY: f64 = 1e-10;

impl Estimator {
    /// b − D y of all rows, and the cost of those that are on. Exact rows cost nothing.
    pub(super) fn find_residuals(&mut self, with_sensors: bool) {
        subtract_product(
            self.system.sparsity(),
            &self.values,
            &self.rhs,
            &self.mean,
            &mut self.residuals,
        );
        let mut cost = 0.0;
        for (row, residual) in self.residuals.iter().enumerate() {
            if self.is_on(row, with_sensors) {
                cost += self.weights.of(row) * residual * residual;
            }
        }
        for (k, mean) in self.mean.iter().enumerate() {
            let offset = mean - self.prior_mean[k];
            // The mean of what nothing is assumed of may be anything.
            if self.prior_information[k] > 0.0 {
                cost += self.prior_information[k] * offset * offset;
            }
        }
        let priors = self.priors.iter().map(|prior| prior.cost(&self.mean));
        self.cost = cost + priors.sum::<f64>();
    }

    /// How many terms the cost has on average that are none of rounding or of chance alone.
    fn expected_cost(&mut self) -> f64 {
        let mut expected = 0.0;
        for row in 0..self.weights.len() {
            if self.is_on(row, true) {
                expected += self.redundancies[row];
            }
        }
        for (k, information) in self.prior_information.iter().enumerate() {
            let own = (1.0 - information * self.variances[k]).max(0.0);
            // An unknown that is certain without its prior does not depend on it.
            if *information > 0.0 && self.variances[k] > 0.0 {
                expected += self.prior_costs[k] * own;
            }
        }
        for prior in &self.priors {
            for (row, cost) in prior.expected() {
                expected += cost * (1.0 - self.exact.product(row, row)).max(0.0);
            }
        }
        expected
    }

    /// Tests the residuals of each sensor's rows together, or its innovations where the covariance
    /// of the readings adds to that of their prediction.
    pub(super) fn test_sensors(&mut self, sign: f64) {
        let numbers = StateNumbers {
            system: &self.system,
            values: &self.values,
            excess: &self.residuals,
            weights: &self.weights,
            assumed: PriorCosts {
                information: &self.prior_information,
                costs: &self.prior_costs,
                priors: &self.priors,
            },
        };
        for index in 0..self.system.problem().sensors().len() {
            let is_on = self.switches.is_on(SensorId(index));
            let test = is_on.then(|| self.blocks.test(index, sign, &numbers, &mut self.exact));
            let tests = if sign > 0.0 {
                &mut self.blocks.innovations
            } else {
                &mut self.blocks.residuals
            };
            tests[index] = test.flatten();
        }
    }

    /// a P aᵀ of a row a of the equations.
    pub(super) fn explained(&mut self, row: usize) -> f64 {
        let own = row_of(&self.system, &self.values, row);
        self.exact.product(own, own)
    }

    /// How much broad priors alone leave of a row's variance, of which some share is left.
    fn owed_to_broad_priors(&mut self, row: usize, left: f64) -> f64 {
        let own = row_of(&self.system, &self.values, row);
        let assumed = PriorCosts {
            information: &self.prior_information,
            costs: &self.prior_costs,
            priors: &self.priors,
        };
        let broad = &mut self.blocks.broad;
        let weighed = (own, self.weights.of(row));
        broad.find(0, weighed, left, &assumed, &mut self.exact);
        broad.product(0, 0)
    }

    /// The share of a row's variance that is lost in rounding of its explained share.
    fn no_redundancy(&self, row: usize, explained: f64) -> f64 {
        let own = row_of(&self.system, &self.values, row);
        let error = self.exact.error(own) * self.weights.of(row).sqrt();
        no_redundancy(error, explained)
    }
}

/// The share of a variance lost where the explained share is the square of a number with an error.
pub(super) fn no_redundancy(error: f64, explained: f64) -> f64 {
    // An error that is drawn is seldom a tenth of what it may be.
    NO_REDUNDANCY.max(20.0 * error * explained.max(0.0).sqrt())
}

impl<'a> Residuals<'a> {
    pub(super) fn new(estimator: &'a mut Estimator) -> Self {
        for row in 0..estimator.weights.len() {
            // An exact row is determined by itself alone.
            if estimator.weights.is_exact(row) {
                (estimator.redundancies[row], estimator.normalised[row]) = (0.0, 0.0);
                estimator.is_testable[row] = false;
                continue;
            }
            let weight = estimator.weights.of(row);
            let explained = weight * estimator.explained(row);
            let own = (1.0 - explained).max(0.0);
            let no_redundancy = estimator.no_redundancy(row, explained);
            let is_on = estimator.is_on(row, true);
            let counts = is_on && estimator.sensors[row].is_some();
            let taken = if counts && own > no_redundancy {
                estimator.owed_to_broad_priors(row, own)
            } else {
                0.0
            };
            let told = own - taken;
            estimator.is_testable[row] = told > least(taken, no_redundancy);
            estimator.redundancies[row] = own;
            estimator.normalised[row] = if is_on && estimator.is_testable[row] {
                estimator.residuals[row] * (weight / told).sqrt()
            } else {
                0.0
            };
        }
        let expected_cost = estimator.expected_cost();
        Self {
            estimator,
            expected_cost,
        }
    }

    /// The [cost](crate::Estimate::cost) of the estimate against what it is on average.
    ///
    /// Each weighed row a, be it of a sensor that is on, of an equation with a variance or of a
    /// [prior](crate::Prior), costs 1 − a P aᵀ on average, P being the posterior covariance and a
    /// in standard deviations of the row. Where all unknowns are such as the priors say, that is
    /// the number of weighed rows less the number of directions that exact rows leave open, and the
    /// distribution is χ².
    ///
    /// A prior that is much broader than the robot's weight makes likely costs nearly nothing, for
    /// the unknowns are not that large, and counts for as little. A prior that is stated counts
    /// until it is a thousand times as broad. The prior of all unknowns alike in
    /// [options](crate::EstimatorOptions) counts for the square of the magnitude that the weight
    /// causes, over its variance; the default does not count. The distribution is χ² then, too, as
    /// far as directions are determined either by such priors alone or hardly by them.
    ///
    /// Priors of all unknowns alike that are narrow
    /// ([`EstimatorOptions::prior_variance`](crate::EstimatorOptions::prior_variance)) weigh what
    /// exact rows make of unknowns, too, such as what carries the robot's weight. That part of the
    /// sum, bᵀ (D Σ Dᵀ)⁻¹ b for exact rows D y = b and the variances Σ, is the same for all
    /// readings and no matter of chance, so that the sum has no χ² distribution in any one state,
    /// and a small probability points at the priors. The sensors' contribution to it has one, with
    /// exactly as many degrees of freedom as rows of sensors are on: [`Innovations::chi_square`].
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{
    ///     Estimator, EstimatorOptions, KnownValue, Known, Noise, Prior, Problem, Sensor, SensorKind, System, Requested,
    /// };
    ///
    /// // An acceleration that is 0 ± 10 rad/s² is read by a sensor of 1 rad/s²: 10 is about one deviation of the difference.
    /// let mut problem = Problem::new(samples::double_pendulum()).external_forces(KnownValue::Zero);
    /// let upper = problem.model().joint_id("shoulder")?;
    /// let joint = problem.model().joint_id("elbow")?;
    /// problem.know(Known::JointAcceleration { joint: upper, degree: 0 }, KnownValue::Zero)?;
    /// let kind = SensorKind::JointAcceleration { joint };
    /// problem.add_sensor(Sensor::new("encoder", kind, Noise::Deviation(1.0)))?;
    /// let prior = Prior::new(Requested::JointAcceleration(joint), vec![0.0], Noise::Deviation(10.0));
    /// let system = System::new(problem)?;
    /// let mut estimator = Estimator::with_priors(system, &EstimatorOptions::default(), &[prior])?;
    /// let mut estimate = estimator.update(&[0.0; 2], &[0.0; 2], &[10.0])?;
    /// let test = estimate.residuals().chi_square();
    /// assert!((test.degrees_of_freedom - 1.0).abs() < 1e-9 && (test.statistic - 100.0 / 101.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chi_square(&self) -> ChiSquare {
        ChiSquare {
            statistic: self.estimator.cost,
            degrees_of_freedom: self.expected_cost,
        }
    }

    /// The residual of a row in standard deviations; none if the row is off, or nothing but
    /// uninformative priors determines what it measures.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn normalised(&self, row: usize) -> Option<f64> {
        self.redundancy(row)?;
        self.estimator.is_testable[row].then(|| self.estimator.normalised[row])
    }

    /// Which share of a row's variance the others do not explain, from 0 for the only one of its
    /// kind to 1 for one that adds nothing; none for rows of the dynamics and those that are off.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn redundancy(&self, row: usize) -> Option<f64> {
        let measured = row >= self.estimator.system.equations().dynamics().end;
        (measured && self.estimator.is_on(row, true)).then(|| self.estimator.redundancies[row])
    }

    /// The sensor with the largest normalised residual; none if no sensor can be tested.
    pub fn largest(&self) -> Option<Outlier<'a>> {
        largest(self.estimator, |row| self.normalised(row))
    }
}

impl<'a> Innovations<'a> {
    /// The innovation of a row.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn innovation(&self, row: usize) -> f64 {
        self.estimator.innovations[row]
    }

    /// The variance of a row's innovation.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn variance(&self, row: usize) -> f64 {
        self.estimator.innovation_variances[row]
    }

    /// The innovation in standard deviations; none unless the row is that of a sensor that is on.
    ///
    /// # Panics
    /// If the system has no such row.
    pub fn normalised(&self, row: usize) -> Option<f64> {
        let estimator = self.estimator;
        let counts = estimator.sensors[row].is_some() && estimator.is_on(row, true);
        counts.then(|| self.innovation(row) / self.variance(row).sqrt())
    }

    /// All innovations against their covariance: what the sensors add to the cost of the estimate.
    pub fn chi_square(&self) -> ChiSquare {
        let estimator = self.estimator;
        let counts = |&row: &usize| estimator.sensors[row].is_some() && estimator.is_on(row, true);
        ChiSquare {
            statistic: (estimator.cost - self.predicted_cost).max(0.0),
            degrees_of_freedom: (0..estimator.weights.len()).filter(counts).count() as f64,
        }
    }

    /// The innovations of each sensor's rows together against their covariance S, with as many
    /// degrees of freedom as the sensor has rows.
    pub fn sensor_tests(&self) -> SensorTests<'a> {
        SensorTests {
            tests: &self.estimator.blocks.innovations,
            estimator: self.estimator,
        }
    }

    /// The sensor with the largest normalised innovation; none if none is on.
    pub fn largest(&self) -> Option<Outlier<'a>> {
        largest(self.estimator, |row| self.normalised(row))
    }
}

fn largest(
    estimator: &Estimator,
    normalised: impl Fn(usize) -> Option<f64>,
) -> Option<Outlier<'_>> {
    let mut found: Option<Outlier<'_>> = None;
    for row in estimator.system.equations().dynamics().end..estimator.weights.len() {
        let (Some(value), Some(Equation::Sensor { sensor, component })) =
            (normalised(row), estimator.system.equations().at(row))
        else {
            continue;
        };
        let deviations = value.abs();
        if found.is_none_or(|outlier| outlier.deviations < deviations) {
            found = Some(Outlier {
                sensor,
                name: &estimator.system.problem().sensors()[sensor.index()].name,
                component,
                deviations,
            });
        }
    }
    found
}
