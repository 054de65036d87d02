//! The most probable unknowns as a square system.
//!
//! With multipliers λ of the rows D y = b, whose errors have the variances R (zero of exact ones),
//! the most probable y, about a mean of zero with the information Σ⁻¹, satisfies
//!
//! * D y + R λ = b,
//! * Dᵀ λ − Σ⁻¹ y = 0,
//!
//! the augmented system of least squares (Björck 1996, *Numerical methods for least squares
//! problems*, section 1.1.4). Nothing is squared, and exact rows need no weight.

use super::super::error::EstimateError;
use super::super::options::EstimatorOptions;
use super::super::prior_scale::prior_informations;
use super::super::weights::Weights;
use crate::diagnosis::matrix_values;
use crate::error::SystemError;
use crate::order::with_straight;
use crate::system::System;
use crate::template::{Foreknown, PlanError};
use featherline::scalar::Scalar;
use featherline_sparse::{Sparsity, Symbol, Template};
use std::sync::Arc;

/// Where an entry of the augmented matrix comes from.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// An entry of D.
    Of(usize),
    Constant(f64),
}

/// The augmented system of a system of equations. Its first unknowns are those of the system.
pub(super) struct Optimality {
    pattern: Arc<Sparsity>,
    entries: Vec<Entry>,
    /// The rows of D that have unknowns; those without carry no information.
    rows: Vec<usize>,
}

impl Optimality {
    /// Of a system whose sensors are all on.
    pub fn new(system: &System, options: &EstimatorOptions) -> Result<Self, EstimateError> {
        let weights = Weights::new(system, options)?;
        let informations = prior_informations(system, options)?;
        let (sparsity, n) = (system.sparsity(), system.unknowns().count());
        let rows: Vec<usize> = (0..sparsity.rows())
            .filter(|&row| !sparsity.row(row).is_empty())
            .collect();
        let mut places = Vec::new();
        for (k, &row) in rows.iter().enumerate() {
            for slot in sparsity.row_range(row) {
                let column = sparsity.indices()[slot];
                places.push((k, column, Entry::Of(slot)));
                places.push((rows.len() + column, n + k, Entry::Of(slot)));
            }
            if !weights.is_exact(row) {
                places.push((k, n + k, Entry::Constant(weights.variance(row))));
            }
        }
        for (column, &information) in informations.iter().enumerate() {
            if information > 0.0 {
                places.push((rows.len() + column, column, Entry::Constant(-information)));
            }
        }
        let size = n + rows.len();
        let pairs = places.iter().map(|&(row, column, _)| (row, column));
        let pattern = Sparsity::new(size, size, pairs).map_err(SystemError::Pattern)?;
        let mut entries = vec![Entry::Constant(0.0); pattern.entries()];
        for (row, column, entry) in places {
            if let Some(slot) = pattern.position(row, column) {
                entries[slot] = entry;
            }
        }
        Ok(Self {
            pattern: Arc::new(pattern),
            entries,
            rows,
        })
    }

    /// Where the matrix has entries.
    pub fn pattern(&self) -> &Sparsity {
        &self.pattern
    }

    /// The augmented matrix of a matrix A.
    pub fn values<S: Scalar>(&self, a: &[S]) -> Vec<S> {
        self.each(|slot| a[slot], S::constant)
    }

    /// The augmented right-hand side.
    pub fn right<S: Scalar>(&self, right: &[S]) -> Vec<S> {
        self.beside_zeros(right, S::zero())
    }

    /// The template of its offline part, for an elimination that is to find some of the system's
    /// unknowns.
    pub fn template(&self, system: &System, requested: &[usize]) -> Result<Template, PlanError> {
        let known = Foreknown::of(system)?;
        let entries = self.each(|slot| known.entries[slot], Symbol::Constant);
        let right = self.beside_zeros(&known.right, Symbol::Constant(0.0));
        let samples = known.samples.iter().map(|a| self.values(a));
        let samples: Vec<Vec<f64>> = samples.collect();
        let template = Template::new(self.pattern.clone(), entries, right, &samples)?;
        let neutral = matrix_values(system, &system.model().neutral_configuration())?;
        let template = with_straight(template, self.values(&neutral))?;
        let mut is_requested = vec![false; template.size()];
        for &column in requested {
            is_requested[column] = true;
        }
        Ok(template.requesting(is_requested)?)
    }

    fn each<T>(&self, of: impl Fn(usize) -> T, constant: impl Fn(f64) -> T) -> Vec<T> {
        let entry = |entry: &Entry| match *entry {
            Entry::Of(slot) => of(slot),
            Entry::Constant(value) => constant(value),
        };
        self.entries.iter().map(entry).collect()
    }

    fn beside_zeros<T: Copy>(&self, right: &[T], zero: T) -> Vec<T> {
        let mut all: Vec<T> = self.rows.iter().map(|&row| right[row]).collect();
        all.resize(self.pattern.rows(), zero);
        all
    }
}
