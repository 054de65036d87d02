//! The most probable unknowns where equations are exact: solved for, corrected, and judged.

use super::error::EstimateError;
use super::estimator::{Estimator, overflow, unobservable};
use super::exact::Exact;
use super::rows::Measure;
use crate::diagnosis::{matrix_values, samples};
use crate::requested::describe_column;
use featherline_sparse::multifrontal::{AGREEMENT, FactorisationError};

/// The relative change of an unknown, or of what the robot's weight causes of it, that is below
/// the precision of a number.
const NOTHING: f64 = 1e-16;

/// So few deviations off, the mean is the most probable one as far as it shows.
const SEEN: f64 = 1e-3;

/// How often the mean is corrected at most.
const CORRECTIONS: usize = 8;

/// The share of an unknown that the last correction may change.
const INACCURATE: f64 = 1e-10;

impl Estimator {
    /// Brings the equations and priors to an R factor, and solves.
    ///
    /// The mean is corrected by the residuals that it leaves, which are summed without rounding,
    /// until that changes nothing any more (Wilkinson 1963, *Rounding errors in algebraic
    /// processes*). That makes up for what was lost of the unknowns, not for what was lost of the
    /// residuals, which stay at right angles to what the transformations made of the unknowns'
    /// columns and not to these (Björck 1967, *Iterative refinement of linear least squares
    /// solutions*): readings that are far off among others that weigh far less show it. Therefore
    /// it is asked in the end how many deviations the mean is off by.
    pub(super) fn find_mean(&mut self, with_sensors: bool) -> Result<(), EstimateError> {
        self.weigh(with_sensors);
        self.mean.fill(0.0);
        self.residuals.copy_from_slice(&self.rhs);
        self.take_over_residuals();
        self.factorise()?;
        self.step(Exact::solve);
        self.refine(with_sensors)
            .map_err(|(by, column)| EstimateError::Inaccurate {
                unknown: describe_column(&self.system, column),
                by,
            })?;
        // Mostly the mean was good enough before its last correction.
        if self.is_close() {
            return Ok(());
        }
        self.find_residuals(with_sensors);
        self.take_over_residuals();
        match self.is_close() {
            true => Ok(()),
            false => Err(self.far_apart(with_sensors)),
        }
    }

    /// Whether the mean with the residuals taken over is the most probable one as far as it shows.
    fn is_close(&mut self) -> bool {
        // A reading itself is rounded.
        let readings = f64::EPSILON * self.cost.sqrt();
        let off_by = self.exact.off_by(&self.values) - 8.0 * readings;
        // An overflow is detected later.
        off_by.is_nan() || off_by <= SEEN
    }

    /// Fails if an exact row is not met: then it was taken for rounding, or can't be met.
    pub(super) fn check_exact_rows(&self, with_sensors: bool) -> Result<(), EstimateError> {
        let (sparsity, units) = (self.system.sparsity(), self.exact.plan.rows.units());
        for (row, rest) in self.residuals.iter().enumerate() {
            let says_nothing = sparsity.row(row).is_empty();
            if !self.weights.is_exact(row) || !self.is_on(row, with_sensors) || says_nothing {
                continue;
            }
            let values = self.values[sparsity.row_range(row)].iter();
            let terms = values.zip(sparsity.row(row));
            let terms =
                terms.map(|(a, &column)| a.abs() * (self.mean[column].abs() + units[column]));
            let size = terms.fold(self.sizes[row], f64::max);
            if rest.abs() > AGREEMENT * size {
                return Err(self.contradiction(row, rest.abs() / size));
            }
        }
        Ok(())
    }

    /// Adds to the mean what follows from its residuals, until that changes nothing any more; fails
    /// with the largest share that goes on changing, and its column.
    fn refine(&mut self, with_sensors: bool) -> Result<(), (f64, usize)> {
        let mut before = 1.0;
        for correction in 1.. {
            self.find_residuals(with_sensors);
            self.take_over_residuals();
            let (share, column) = self.step(Exact::repeat);
            // An overflow is detected later. The next one changes as much less as this one did.
            if !share.is_finite() || share * (share / before).min(1.0) <= NOTHING {
                break;
            }
            if correction < CORRECTIONS {
                before = share;
            } else if share <= INACCURATE || !self.cost.is_finite() {
                break;
            } else {
                return Err((share, column));
            }
        }
        Ok(())
    }

    /// Finds an order of elimination in which exact rows state unknowns well, by trying some
    /// configurations: the neutral and the reference ones, in which much vanishes, and random ones.
    pub(super) fn find_order(&mut self) -> Result<(), EstimateError> {
        for sample in samples(&self.system)? {
            self.values = matrix_values(&self.system, &sample.q)?;
            for with_sensors in [true, false] {
                self.weigh(with_sensors);
                self.take_over_residuals();
                // Undetermined unknowns are reported where they are asked for.
                let _ = self.factorise();
            }
        }
        Ok(())
    }

    /// Takes over the entries of the equations.
    fn weigh(&mut self, with_sensors: bool) {
        let exact = &mut self.exact;
        let (sensors, switches, weights) = (&self.sensors, &self.switches, &self.weights);
        exact.rows.weigh(&mut exact.plan.rows, &self.values, |row| {
            let is_on = sensors[row].is_none_or(|id| with_sensors && switches.is_on(id));
            match (is_on, weights.is_exact(row)) {
                (false, _) => Measure::Off,
                (true, true) => Measure::Exact,
                (true, false) => Measure::Weighted(weights.of(row).sqrt()),
            }
        });
    }

    /// Lets the rows speak of what is to be added to the mean.
    fn take_over_residuals(&mut self) {
        let exact = &mut self.exact;
        let (information, mean) = (&self.prior_information, &self.prior_mean);
        let (rows, numbers) = (&mut exact.rows, &mut exact.plan.rows);
        rows.assume(numbers, information, mean, &self.mean, &self.priors);
        let right = |row: usize| (self.residuals[row], self.sizes[row]);
        rows.set_right(numbers, &self.values, right);
    }

    /// Reduces the rows to an R factor.
    fn factorise(&mut self) -> Result<(), EstimateError> {
        let exact = &mut self.exact;
        match exact.factorise() {
            Ok(()) => Ok(()),
            Err(FactorisationError::Vanishing { position }) => Err(unobservable(
                &self.system,
                exact.plan.pattern().order[position],
            )),
            Err(FactorisationError::Contradiction { row, by }) => Err(self.contradiction(row, by)),
            Err(FactorisationError::Delayed | FactorisationError::Overflow) => {
                Err(overflow("the matrix of the estimate"))
            }
        }
    }

    /// The error of a row that can't be met; what it contradicts is looked for when reported.
    fn contradiction(&self, row: usize, by: f64) -> EstimateError {
        let row = self.system.describe_row(row).unwrap_or_default();
        EstimateError::Contradiction {
            row: format!("{row} and the rest"),
            by,
        }
    }

    /// Adds to the mean what follows; returns the largest change of an unknown, of itself and its
    /// unit together, and its column. Where others are 10¹⁰ and more times as large in their units,
    /// these count, too.
    fn step(&mut self, follow: impl FnOnce(&mut Exact, &mut [f64])) -> (f64, usize) {
        let exact = &mut self.exact;
        follow(exact, &mut self.column);
        let steps = exact.plan.rows.units().iter().zip(&self.column);
        let mut greatest = 0.0_f64;
        for (mean, (unit, step)) in self.mean.iter_mut().zip(steps.clone()) {
            *mean += step;
            greatest = greatest.max(mean.abs() / unit);
        }
        let beside = 1.0 + 1e-10 * greatest;
        let mut largest = (0.0, 0);
        for (column, (mean, (unit, step))) in self.mean.iter().zip(steps).enumerate() {
            let share = step.abs() / (mean.abs() + beside * unit);
            if share > largest.0 {
                largest = (share, column);
            }
        }
        largest
    }

    /// Writes the derivative of the unknowns by an input.
    pub(super) fn find_gain(&mut self, input: usize, gain: &mut [f64]) {
        let exact = &mut self.exact;
        exact.plan.rows.rhs.fill(0.0);
        let right = |row| {
            let coefficient = self.system.input_coefficient(row, input);
            (coefficient, coefficient.abs())
        };
        exact
            .rows
            .set_right(&mut exact.plan.rows, &self.values, right);
        exact.repeat(gain);
    }

    /// Names the rows with the least and the largest deviations, too far apart for doubles.
    fn far_apart(&self, with_sensors: bool) -> EstimateError {
        let counts = |&row: &usize| {
            let says_something = !self.system.sparsity().row(row).is_empty();
            says_something && !self.weights.is_exact(row) && self.is_on(row, with_sensors)
        };
        let rows = || (0..self.weights.len()).filter(counts);
        let by_weight = |a: &usize, b: &usize| self.weights.of(*a).total_cmp(&self.weights.of(*b));
        let describe = |row: Option<usize>| {
            let row = row.and_then(|row| self.system.describe_row(row));
            row.unwrap_or_else(|| "a prior".into())
        };
        EstimateError::FarApart {
            finest: describe(rows().max_by(by_weight)),
            coarsest: describe(rows().min_by(by_weight)),
        }
    }
}
