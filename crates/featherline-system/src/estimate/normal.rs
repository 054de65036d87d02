//! The normal matrix Aᵀ W A, whose numbers lie in the pattern of its factor.

use super::error::EstimateError;
use super::prior::PriorBlock;
use super::sensor_tests::columns_of;
use crate::error::SystemError;
use crate::problem::SensorId;
use crate::system::System;
use featherline::scalar::Scalar;
use featherline_sparse::LdltPattern;
use featherline_sparse::Sparsity;

/// For each pair of entries of a row of A, where their product is added.
#[derive(Clone, Debug)]
pub(crate) struct NormalMatrix {
    pub pattern: LdltPattern,
    /// Where the pairs of each row begin in `targets`, and where the last ones end.
    starts: Vec<usize>,
    targets: Vec<u32>,
}

/// Two unknowns are neighbours if they stand in one row, in rows of one sensor, or in one prior,
/// whatever the state and whichever sensors are on; those for which `is_stated` holds have none.
pub(super) fn graph(
    system: &System,
    priors: &[PriorBlock],
    is_stated: impl Fn(usize) -> bool,
) -> Result<Sparsity, SystemError> {
    let (sparsity, sensors) = (system.sparsity(), system.problem().sensors().len());
    let n = sparsity.columns();
    let rows = (0..sparsity.rows()).map(|row| sparsity.row(row).to_vec());
    let blocks = (0..sensors).map(|sensor| columns_of(system, SensorId(sensor)));
    let priors = priors.iter().map(|prior| prior.columns().to_vec());
    let pairs = rows.chain(blocks).chain(priors).flat_map(|columns| {
        let pair = |&a: &usize| columns.iter().map(move |&b| (a, b));
        let pairs = columns.iter().flat_map(pair);
        let pairs = pairs.filter(|&(a, b)| a != b && !is_stated(a) && !is_stated(b));
        pairs.collect::<Vec<_>>()
    });
    Sparsity::new(n, n, pairs).map_err(SystemError::Pattern)
}

impl NormalMatrix {
    /// The normal matrix of a system with the order of its elimination.
    pub fn new(system: &System, priors: &[PriorBlock]) -> Result<Self, EstimateError> {
        let sparsity = system.sparsity();
        let graph = graph(system, priors, |_| false)?;
        let pattern = LdltPattern::new(&graph).map_err(|_| EstimateError::Ordering)?;
        let (mut starts, mut targets) = (vec![0], Vec::new());
        for row in 0..sparsity.rows() {
            let columns = sparsity.row(row);
            for (k, &a) in columns.iter().enumerate() {
                // Columns of one row are neighbours, so that none is missing.
                let slots = columns[k..].iter().filter_map(|&b| pattern.slot(a, b));
                targets.extend(slots.map(|slot| slot as u32));
            }
            starts.push(targets.len());
        }
        Ok(Self {
            pattern,
            starts,
            targets,
        })
    }

    /// Adds weight · aᵀ a of a row a.
    pub fn add_row<S: Scalar>(&self, row: usize, entries: &[S], weight: S, matrix: &mut [S]) {
        let mut targets = self.targets[self.starts[row]..self.starts[row + 1]].iter();
        for (k, &a) in entries.iter().enumerate() {
            let scaled = weight * a;
            for (&b, &target) in entries[k..].iter().zip(&mut targets) {
                matrix[target as usize] += scaled * b;
            }
        }
    }

    /// a P aᵀ of a row a, for a P whose entries lie where those of the normal matrix do.
    pub fn quadratic(&self, row: usize, entries: &[f64], covariance: &[f64]) -> f64 {
        let mut targets = self.targets[self.starts[row]..self.starts[row + 1]].iter();
        let mut sum = 0.0;
        for (k, &a) in entries.iter().enumerate() {
            let mut half = 0.0;
            for (offset, (&b, &target)) in entries[k..].iter().zip(&mut targets).enumerate() {
                let product = covariance[target as usize] * b;
                half += if offset == 0 { product } else { 2.0 * product };
            }
            sum += a * half;
        }
        sum
    }
}
