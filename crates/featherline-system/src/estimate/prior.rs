//! Priors of one or several unknowns.

use super::error::EstimateError;
use super::prior_scale::{stated_cost, typical};
use crate::error::SystemError;
use crate::problem::Noise;
use crate::requested::{Requested, describe_column};
use crate::system::System;
use featherline::Model;
use featherline_sparse::CompensatedSum;
use featherline_sparse::multifrontal::SparseRow;
use nalgebra::{DMatrix, DVector};

/// The mean and the covariance of some unknowns before anything is measured: of a wrench, a body's
/// acceleration, joint forces.
///
/// It takes the place of what [`EstimatorOptions`](crate::EstimatorOptions) say of these unknowns.
/// A covariance may have any entries off its diagonal, and be as wide as 10¹² and more, which is
/// nearly no information.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Estimator, EstimatorOptions, Noise, Prior, Problem, System, Requested};
///
/// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
/// let lower = system.model().joint_id("elbow")?;
/// // Nearly nothing is known of the forces that the joint transmits, and fx goes with the moment about y.
/// let mut covariance = vec![0.0; 36];
/// for k in 0..6 {
///     covariance[7 * k] = 1e12;
/// }
/// (covariance[4], covariance[24]) = (5e11, 5e11);
/// let force = Prior::new(Requested::TransmittedForce(lower), vec![0.0; 6], Noise::Covariance(covariance));
/// let options = EstimatorOptions::default();
/// let mut estimator = Estimator::with_priors(system, &options, &[force])?;
/// let estimate = estimator.update(&[0.0, 0.0], &[0.0, 0.0], &[0.0, 0.0])?;
/// // The dynamics know better: a rod of 1 kg hangs there.
/// assert!((estimate.solution().transmitted_force(lower).linear.z - 9.81).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// The unknowns; six-vectors are \[linear; angular\] in the joint's output frame.
    pub of: Requested,
    /// Their mean.
    pub mean: Vec<f64>,
    /// Their deviation from it.
    pub noise: Noise,
}

impl Prior {
    /// A prior, which is looked at where it is used.
    pub fn new(of: Requested, mean: Vec<f64>, noise: Noise) -> Self {
        Self { of, mean, noise }
    }

    /// The covariance, if everything makes sense.
    pub(crate) fn covariance(&self, model: &Model) -> Result<DMatrix<f64>, SystemError> {
        let fault = |key, what| SystemError::PriorNumber {
            prior: self.of.name(model),
            key,
            what,
        };
        let size = self.of.size(model);
        if self.mean.len() != size || !self.mean.iter().all(|mean| mean.is_finite()) {
            return Err(fault("mean", "not one finite mean for each unknown"));
        }
        let covariance = self.noise.covariance(size);
        let covariance = covariance.map_err(|error| fault(error.key, error.what))?;
        covariance.ok_or_else(|| {
            let what = "no deviation; what is exactly known is a `known`, not a prior";
            fault("sigma", what)
        })
    }
}

/// A prior on columns: the rows U of the whitened deviation U (x − μ), of covariance one.
#[derive(Clone, Debug)]
pub(super) struct PriorBlock {
    word: String,
    columns: Vec<usize>,
    mean: Vec<f64>,
    /// Of each column, as it would be for itself.
    variances: Vec<f64>,
    /// U, by rows.
    rows: Vec<f64>,
    /// The average cost of each row.
    costs: Vec<f64>,
}

impl PriorBlock {
    /// Whitens a prior: with Σ = L Lᵀ and the word's numbers T x, U = L⁻¹ T.
    ///
    /// The covariance is scaled to correlations before it is factorised, so that forces and moments
    /// may have variances of any size.
    pub fn new(system: &System, prior: &Prior) -> Result<Self, EstimateError> {
        let covariance = prior.covariance(system.model())?;
        let map = prior.of.map(system)?;
        let size = covariance.nrows();
        let deviations = covariance.diagonal().map(f64::sqrt);
        let correlations = DMatrix::from_fn(size, size, |i, j| {
            // Two divisions: the product of two variances may overflow.
            covariance[(i, j)] / deviations[i] / deviations[j]
        });
        let numbers = |what| SystemError::PriorNumber {
            prior: prior.of.name(system.model()),
            key: "covariance",
            what,
        };
        let factor = correlations.cholesky().ok_or_else(|| {
            numbers("a covariance that is positive definite by its rounding alone")
        })?;
        let scaled = DMatrix::from_fn(size, size, |i, j| map[(i, j)] / deviations[i]);
        let lower = factor.l();
        let rows = lower.solve_lower_triangular(&scaled);
        // A change of frames has an inverse.
        let back = map.try_inverse();
        let (Some(rows), Some(back)) = (rows, back) else {
            return Err(numbers("a covariance that can't be inverted").into());
        };
        let typical = typical(system);
        let columns: Vec<usize> = prior.of.columns(system).collect();
        let costs = rows.row_iter().map(|row| {
            let parts = row.iter().zip(&columns);
            stated_cost(parts.map(|(u, &column)| u.abs() * typical[column]).sum())
        });
        let mean = &back * DVector::from_column_slice(&prior.mean);
        let variances = (&back * covariance * back.transpose()).diagonal();
        Ok(Self {
            word: prior.of.name(system.model()),
            costs: costs.collect(),
            columns,
            mean: mean.as_slice().to_vec(),
            variances: variances.as_slice().to_vec(),
            rows: rows.transpose().as_slice().to_vec(),
        })
    }

    /// The columns, which have to be neighbours in the factor's pattern.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The mean and the variance of each column for itself.
    pub fn moments(&self) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let moments = self.mean.iter().zip(&self.variances);
        let columns = self.columns.iter().zip(moments);
        columns.map(|(&column, (&mean, &variance))| (column, mean, variance))
    }

    /// Fails if a column belongs to another block, too.
    pub fn check_apart(&self, other: &Self, system: &System) -> Result<(), EstimateError> {
        match self.columns.iter().find(|&k| other.columns.contains(k)) {
            None => Ok(()),
            Some(&column) => Err(other.taken(column, system)),
        }
    }

    /// That a column has its prior in this block.
    pub fn taken(&self, column: usize, system: &System) -> EstimateError {
        EstimateError::PriorTwice {
            unknown: describe_column(system, column),
            prior: self.word.clone(),
        }
    }

    /// The columns of each row of U.
    pub fn row_columns(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        self.columns.iter().map(|_| self.columns.clone())
    }

    /// Writes the rows of U, for unknowns in their units, and of U (μ − x); what follows is
    /// returned.
    pub fn write_rows<'a>(
        &self,
        units: &[f64],
        x: &[f64],
        rows: &'a mut [f64],
        rhs: &'a mut [f64],
    ) -> (&'a mut [f64], &'a mut [f64]) {
        let (own, after) = rows.split_at_mut(self.rows.len());
        let (own_rhs, rhs_after) = rhs.split_at_mut(self.columns.len());
        let columns = self.columns.iter().cycle();
        for ((own, entry), &column) in own.iter_mut().zip(&self.rows).zip(columns) {
            *own = entry * units[column];
        }
        for (rhs, row) in own_rhs
            .iter_mut()
            .zip(self.rows.chunks_exact(self.columns.len()))
        {
            *rhs = -self.whitened(row, x);
        }
        (after, rhs_after)
    }

    /// The cost of x under the block: |U (x − μ)|².
    pub fn cost(&self, x: &[f64]) -> f64 {
        let rows = self.rows.chunks_exact(self.columns.len());
        rows.map(|row| self.whitened(row, x).powi(2)).sum()
    }

    /// The rows of U, and what each costs on average.
    pub fn expected(&self) -> impl Iterator<Item = (SparseRow<'_>, f64)> {
        let rows = self.rows.chunks_exact(self.columns.len());
        rows.zip(&self.costs).map(|(entries, &cost)| {
            let columns = &self.columns;
            (SparseRow { columns, entries }, cost)
        })
    }

    /// u (x − μ) of a row u of U.
    fn whitened(&self, row: &[f64], x: &[f64]) -> f64 {
        let mut sum = CompensatedSum::default();
        for (&u, (&column, &mean)) in row.iter().zip(self.columns.iter().zip(&self.mean)) {
            sum.add_product(u, x[column]);
            sum.add_product(-u, mean);
        }
        sum.value()
    }
}
