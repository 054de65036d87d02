//! The most probable unknowns where equations are exact: solved for, corrected, and judged.

use super::error::EstimateError;
use super::estimator::{Estimator, overflow, unobservable};
use super::exact::{Exact, LOST};
use super::rows::Measure;
use crate::diagnosis::{matrix_values, samples};
use crate::requested::describe_column;
use featherline_sparse::multifrontal::{AGREEMENT, FactorisationError, OrthogonalFactorisation};
use featherline_sparse::{Arithmetic, DoubleDouble};

/// So little of an unknown, and of what the robot's weight brings about of it, does not show in a
/// number.
const NOTHING: f64 = 1e-16;

/// So few deviations the mean may be off by in doubles before twice the digits are asked for, and
/// with these before there is none.
const UNSEEN: f64 = 1e-6;
const SEEN: f64 = 1e-3;

/// An unknown that only rounding determines has a deviation far above this share of its unit where
/// doubles show that nothing determines it, and far above so many units where they do not.
const LOOSE: f64 = 1e-3;
const FAR: f64 = 1e5;

/// The share of a variance that may be rounding before twice the digits are asked for.
const ROUNDING: f64 = 1e-6;

/// How often the mean is corrected at most.
const CORRECTIONS: usize = 8;

/// The share of an unknown that the last correction may change.
const INACCURATE: f64 = 1e-10;

impl Estimator {
    /// Brings the equations and priors to an R factor, and solves: in doubles, and where these have
    /// too little precision, in numbers of twice as many.
    pub(super) fn find_mean(&mut self, with_sensors: bool) -> Result<(), EstimateError> {
        self.weigh(with_sensors);
        self.exact.is_fine = false;
        let error = match self.solve_once(with_sensors) {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            // Digits are what these may lack.
            Err(
                error @ (EstimateError::Unobservable { .. }
                | EstimateError::Contradiction { .. }
                | EstimateError::Inaccurate { .. }),
            ) => Some(error),
            Err(error) => return Err(error),
        };
        self.solve_finely(with_sensors, error)
    }

    /// Solves in twice the digits what could not be solved well in doubles.
    #[cold]
    fn solve_finely(
        &mut self,
        with_sensors: bool,
        error: Option<EstimateError>,
    ) -> Result<(), EstimateError> {
        self.exact.refine(&self.values);
        if !self.solve_once(with_sensors)? {
            return Err(self.far_apart(with_sensors));
        }
        let unseen = match error {
            Some(error @ EstimateError::Unobservable { .. }) => Some(error),
            _ => None,
        };
        let loose = match unseen {
            Some(_) => LOOSE,
            None if self.exact.may_be_told_by_rounding() => FAR,
            None => return Ok(()),
        };
        if let Some(column) = self.exact.told_by_rounding(loose) {
            return Err(unseen.unwrap_or_else(|| unobservable(&self.system, column)));
        }
        self.weigh(with_sensors);
        self.exact.refine(&self.values);
        self.factorise()
    }

    /// Solves in the digits that are chosen; returns whether these are enough.
    ///
    /// The mean is corrected by the residuals that it leaves, both in twice the digits, until that
    /// changes nothing any more (Wilkinson 1963, *Rounding errors in algebraic processes*). That
    /// makes up for what was lost of the unknowns, not for what was lost of the residuals, which
    /// stay at right angles to what the transformations made of the unknowns' columns and not to
    /// these (Björck 1967, *Iterative refinement of linear least squares solutions*): readings that
    /// are far off among others that weigh far less show it. Therefore it is asked in the end how
    /// many deviations the mean is off by.
    fn solve_once(&mut self, with_sensors: bool) -> Result<bool, EstimateError> {
        self.mean.fill(0.0);
        self.rest.fill(0.0);
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
        Ok(self.is_close() || {
            self.find_residuals(with_sensors);
            self.take_over_residuals();
            self.is_close()
        })
    }

    /// Whether the mean, of which the residuals are that were taken over, is the most probable one
    /// as far as it shows.
    fn is_close(&mut self) -> bool {
        let exact = &mut self.exact;
        // A reading itself is rounded.
        let readings = f64::EPSILON * self.cost.sqrt();
        let off_by = exact.off_by(&self.values) - 8.0 * readings;
        // What overflows is found out later.
        off_by.is_nan()
            || if exact.is_fine {
                off_by <= SEEN
            } else {
                off_by <= UNSEEN && OrthogonalFactorisation::pivot_growth(&exact.plain) <= LOST
            }
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
            // What overflows is found out later. The next one changes as much less as this one did.
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
    ///
    /// # Errors
    /// As [`System::assemble`].
    pub(super) fn find_order(&mut self) -> Result<(), EstimateError> {
        for sample in samples(&self.system)? {
            self.values = matrix_values(&self.system, &sample.q)?;
            for with_sensors in [true, false] {
                self.weigh(with_sensors);
                self.take_over_residuals();
                // What is not determined is said where it is asked for.
                let _ = self.factorise();
            }
        }
        self.exact.reserve();
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
        let so_far = (&self.mean[..], &self.rest[..]);
        let (rows, numbers) = (&mut exact.rows, &mut exact.plan.rows);
        rows.assume(numbers, information, mean, so_far, &self.priors);
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

    /// That a row can't be met, by so much of its terms; what it contradicts is looked for where it
    /// is reported.
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
        let steps = self.column.iter().zip(&exact.rests);
        let steps = exact.plan.rows.units().iter().zip(steps);
        let means = self.mean.iter_mut().zip(&mut self.rest).zip(steps.clone());
        let mut greatest = 0.0_f64;
        for ((mean, rest), (unit, (step, step_rest))) in means {
            let sum = DoubleDouble::of((*mean, *rest)) + DoubleDouble::of((*step, *step_rest));
            (*mean, *rest) = sum.parts();
            greatest = greatest.max(mean.abs() / unit);
        }
        let beside = 1.0 + 1e-10 * greatest;
        let mut largest = (0.0, 0);
        for (column, (mean, (unit, (step, _)))) in self.mean.iter().zip(steps).enumerate() {
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

    /// The variances of all unknowns, and which share of each may be rounding.
    pub(super) fn find_variances(&mut self) {
        let exact = &mut self.exact;
        let (variances, rounding) = (&mut self.variances, &mut self.rounding);
        let (factors, plan) = exact.factors_mut();
        factors.find_variances(plan, variances, rounding);
        if !exact.is_fine
            && rounding
                .iter()
                .any(|&share| share.is_nan() || share > ROUNDING)
        {
            self.find_fine_variances();
        }
    }

    /// The same in twice the digits, as far as these serve at all.
    #[cold]
    fn find_fine_variances(&mut self) {
        let exact = &mut self.exact;
        exact.refine(&self.values);
        if exact.factorise().is_err() {
            exact.is_fine = false;
            // What doubles could do once they can do again.
            let _ = exact.factorise();
        }
        let (variances, rounding) = (&mut self.variances, &mut self.rounding);
        let (factors, plan) = exact.factors_mut();
        factors.find_variances(plan, variances, rounding);
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// rounding.
    pub(super) fn variance_of(&mut self, terms: &[(usize, f64)]) -> (f64, f64) {
        let found = self.exact.variance_of(terms);
        if self.exact.is_fine || found.1 <= ROUNDING {
            return found;
        }
        self.find_fine_variances();
        self.exact.variance_of(terms)
    }

    /// That 32 digits are not enough for the most probable unknowns, for the rows with the least
    /// and the largest deviations.
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
