//! Equations with a variance: the normal equations.
//!
//! The cheapest form, which loses the digits that squaring costs: weights of equations and priors
//! must not lie too far apart.

use super::error::EstimateError;
use super::estimator::{Estimator, Method, overflow, unobservable};
use super::normal::NormalMatrix;
use super::prior::PriorBlock;
use crate::system::System;
use featherline_sparse::multifrontal::SparseRow;

/// The normal equations of a system.
#[derive(Clone, Debug)]
pub(super) struct NormalEquations {
    pub matrix: NormalMatrix,
    pub factor: Vec<f64>,
    /// The selected inverse.
    pub inverse: Vec<f64>,
    /// The diagonal of the matrix, in the order of elimination.
    diagonal: Vec<f64>,
    work: Vec<f64>,
    refinements: usize,
}

impl NormalEquations {
    /// Of a system's rows, all of which have a variance.
    ///
    /// # Errors
    /// [`EstimateError::Ordering`].
    pub fn new(
        system: &System,
        priors: &mut [PriorBlock],
        refinements: usize,
    ) -> Result<Self, EstimateError> {
        let matrix = NormalMatrix::new(system, priors)?;
        for prior in priors {
            prior.place(&matrix.pattern);
        }
        let (numbers, size) = (matrix.pattern.len(), matrix.pattern.size());
        Ok(Self {
            matrix,
            factor: vec![0.0; numbers],
            inverse: vec![0.0; numbers],
            diagonal: vec![0.0; size],
            work: vec![0.0; 2 * size],
            refinements,
        })
    }

    /// P aᵀ of a row a: the covariances of a sum of unknowns with all.
    pub fn covariances(&mut self, row: SparseRow<'_>, column: &mut [f64]) {
        let pattern = &self.matrix.pattern;
        let x = &mut self.work[..pattern.size()];
        x.fill(0.0);
        for (&unknown, entry) in row.columns.iter().zip(row.entries) {
            x[pattern.position[unknown]] += entry;
        }
        pattern.solve(&self.factor, x);
        for (value, &unknown) in x.iter().zip(&pattern.order) {
            column[unknown] = *value;
        }
    }
}

impl Estimator {
    /// Forms and factorises the normal matrix, and solves.
    pub(super) fn solve_normal_equations(
        &mut self,
        with_sensors: bool,
    ) -> Result<(), EstimateError> {
        let Method::Normal(normal) = &mut self.method else {
            return Ok(());
        };
        let (pattern, factor) = (&normal.matrix.pattern, &mut normal.factor);
        factor.fill(0.0);
        for row in 0..self.weights.len() {
            let sensor = self.sensors[row];
            if sensor.is_none_or(|id| with_sensors && self.switches.is_on(id)) {
                let entries = &self.values[self.system.sparsity().row_range(row)];
                let weight = self.weights.of(row);
                normal.matrix.add_row(row, entries, weight, factor);
            }
        }
        let diagonal = &mut factor[pattern.entries()..];
        for (value, &unknown) in diagonal.iter_mut().zip(&pattern.order) {
            *value += self.prior_information[unknown];
        }
        for prior in &self.priors {
            prior.add_to(factor);
        }
        normal
            .diagonal
            .copy_from_slice(&factor[pattern.entries()..]);
        let work = &mut normal.work[..pattern.size()];
        work.fill(0.0);
        let done = pattern.factorise(factor, work);
        done.map_err(|vanishing| match vanishing.is_finite {
            true => unobservable(&self.system, vanishing.unknown),
            false => overflow("the normal matrix"),
        })?;
        let refinements = normal.refinements;
        self.mean.copy_from_slice(&self.prior_mean);
        for _ in 0..=refinements {
            self.find_residuals(with_sensors);
            self.correct(with_sensors);
        }
        Ok(())
    }

    /// A Newton step from the residuals.
    fn correct(&mut self, with_sensors: bool) {
        let Method::Normal(normal) = &mut self.method else {
            return;
        };
        let pattern = &normal.matrix.pattern;
        let step = &mut normal.work[..pattern.size()];
        for (value, &unknown) in step.iter_mut().zip(&pattern.order) {
            let offset = self.prior_mean[unknown] - self.mean[unknown];
            *value = self.prior_information[unknown] * offset;
        }
        for prior in &self.priors {
            prior.add_step(&self.mean, &self.rest, &pattern.position, step);
        }
        let sparsity = self.system.sparsity();
        for row in 0..self.weights.len() {
            let sensor = self.sensors[row];
            if sensor.is_none_or(|id| with_sensors && self.switches.is_on(id)) {
                let scaled = self.weights.of(row) * self.residuals[row];
                let entries = self.values[sparsity.row_range(row)].iter();
                for (a, &column) in entries.zip(sparsity.row(row)) {
                    step[pattern.position[column]] += a * scaled;
                }
            }
        }
        pattern.solve(&normal.factor, step);
        for (value, &unknown) in step.iter().zip(&pattern.order) {
            self.mean[unknown] += value;
        }
    }

    /// Writes the derivative of the unknowns by an input.
    pub(super) fn normal_gain(&mut self, input: usize, gain: &mut [f64]) {
        let Method::Normal(normal) = &mut self.method else {
            return;
        };
        let (system, pattern) = (&self.system, &normal.matrix.pattern);
        let column = &mut normal.work[..pattern.size()];
        column.fill(0.0);
        for row in system.equations().dynamics().end..self.weights.len() {
            let is_off = self.sensors[row].is_some_and(|id| !self.switches.is_on(id));
            let coefficient = system.input_coefficient(row, input);
            if coefficient == 0.0 || is_off {
                continue;
            }
            let scaled = coefficient * self.weights.of(row);
            let entries = self.values[system.sparsity().row_range(row)].iter();
            for (a, &k) in entries.zip(system.sparsity().row(row)) {
                column[pattern.position[k]] += a * scaled;
            }
        }
        pattern.solve(&normal.factor, column);
        for (value, &unknown) in column.iter().zip(&pattern.order) {
            gain[unknown] = *value;
        }
    }

    /// Selected inversion, and which share of each variance may be rounding: N Z ε, for the
    /// diagonal entries N and Z of the normal matrix and of its inverse. It is ε for an unknown
    /// that depends on no other.
    pub(super) fn find_normal_variances(&mut self) {
        let Method::Normal(normal) = &mut self.method else {
            return;
        };
        let pattern = &normal.matrix.pattern;
        pattern.invert(&normal.factor, &mut normal.inverse, &mut normal.work);
        let variances = &normal.inverse[pattern.entries()..];
        for (pivot, (&variance, &unknown)) in variances.iter().zip(&pattern.order).enumerate() {
            self.variances[unknown] = variance;
            self.rounding[unknown] = normal.diagonal[pivot] * variance.abs() * f64::EPSILON;
        }
    }
}
