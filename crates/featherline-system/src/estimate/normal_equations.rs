//! Equations with a variance: the normal equations.
//!
//! The cheapest form, which loses the digits that squaring costs: weights of equations and priors must not lie too far apart.

use super::estimator::Estimator;
use super::factor::VanishingPivot;

impl Estimator {
    /// Forms and factorises the normal matrix, and solves.
    pub(super) fn solve_normal_equations(
        &mut self,
        with_sensors: bool,
    ) -> Result<(), VanishingPivot> {
        self.factor.fill(0.0);
        let pattern = &self.normal.pattern;
        for row in 0..self.weights.len() {
            if self.is_on(row, with_sensors) {
                let entries = &self.values[self.system.sparsity().row_range(row)];
                let weight = self.weights.of(row);
                self.normal.add_row(row, entries, weight, &mut self.factor);
            }
        }
        let diagonal = &mut self.factor[pattern.entries()..];
        for (value, &unknown) in diagonal.iter_mut().zip(&pattern.order) {
            *value += self.prior_information[unknown];
        }
        for prior in &self.priors {
            prior.add_to(&mut self.factor);
        }
        self.diagonal
            .copy_from_slice(&self.factor[pattern.entries()..]);
        let work = &mut self.work[..pattern.size()];
        work.fill(0.0);
        pattern.factorise(&mut self.factor, work)?;
        self.mean.copy_from_slice(&self.prior_mean);
        for _ in 0..=self.refinements {
            self.find_residuals(with_sensors);
            self.correct(with_sensors);
        }
        Ok(())
    }

    /// A Newton step from the residuals.
    fn correct(&mut self, with_sensors: bool) {
        let pattern = &self.normal.pattern;
        let step = &mut self.work[..pattern.size()];
        for (value, &unknown) in step.iter_mut().zip(&pattern.order) {
            let offset = self.prior_mean[unknown] - self.mean[unknown];
            *value = self.prior_information[unknown] * offset;
        }
        for prior in &self.priors {
            prior.add_step(&self.mean, &pattern.position, step);
        }
        for row in 0..self.weights.len() {
            if self.is_on(row, with_sensors) {
                let scaled = self.weights.of(row) * self.residuals[row];
                self.add_to_work(row, scaled);
            }
        }
        let (pattern, step) = (&self.normal.pattern, &mut self.work);
        let step = &mut step[..pattern.size()];
        pattern.solve(&self.factor, step);
        for (value, &unknown) in step.iter().zip(&pattern.order) {
            self.mean[unknown] += value;
        }
    }

    /// Leaves the derivative of the unknowns by an input in `work`.
    pub(super) fn normal_gain(&mut self, input: usize) {
        let size = self.normal.pattern.size();
        self.work[..size].fill(0.0);
        for row in self.system.equations().dynamics().end..self.weights.len() {
            let coefficient = self.system.input_coefficient(row, input);
            if coefficient != 0.0 && self.is_on(row, true) {
                self.add_to_work(row, coefficient * self.weights.of(row));
            }
        }
        let pattern = &self.normal.pattern;
        pattern.solve(&self.factor, &mut self.work[..size]);
    }

    /// Adds a multiple of a row to `work`, in the order of the pivots.
    fn add_to_work(&mut self, row: usize, scale: f64) {
        let sparsity = self.system.sparsity();
        let entries = self.values[sparsity.row_range(row)].iter();
        for (a, &column) in entries.zip(sparsity.row(row)) {
            self.work[self.normal.pattern.position[column]] += a * scale;
        }
    }
}
