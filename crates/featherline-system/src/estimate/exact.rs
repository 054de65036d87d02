//! Exact equations: elimination, orthogonal transformations, and no squares.

use super::error::EstimateError;
use super::prior::PriorBlock;
use super::prior_scale::units;
use super::rows::{EquationRows, StatedUnknowns};
use super::weights::Weights;
use crate::error::SystemError;
use crate::system::System;
use featherline::kernel;
use featherline_sparse::multifrontal::{
    FactorPlan, FactorisationError, MultifrontalQr, SparseRow, WeightedRows,
};
use featherline_sparse::{CompensatedSum, LdltPattern, Sparsity};
use std::ops::Range;

/// The memory that reduces equations and priors to an R factor.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub(super) plan: FactorPlan,
    /// How equations become the rows of the plan.
    pub(super) rows: EquationRows,
    qr: MultifrontalQr,
    /// Dᵀ W (b − D y), by column.
    gradient: Vec<CompensatedSum>,
    gradient_values: Vec<f64>,
}

impl Exact {
    /// Of a system's rows, some of which are exact.
    pub fn new(
        system: &System,
        weights: &Weights,
        priors: &[PriorBlock],
    ) -> Result<Self, EstimateError> {
        let stated = StatedUnknowns::of(system, weights, priors);
        let graph = graph(system, priors, &stated)?;
        let (rows, numbers) = EquationRows::new(system, stated, priors, units(system));
        let plan = FactorPlan::new(graph, numbers).map_err(|_| EstimateError::Ordering)?;
        let size = plan.pattern().size();
        Ok(Self {
            qr: MultifrontalQr::new(&plan),
            gradient: vec![CompensatedSum::default(); size],
            gradient_values: vec![0.0; size],
            plan,
            rows,
        })
    }

    /// The order of elimination.
    pub fn pattern(&self) -> &LdltPattern {
        self.plan.pattern()
    }

    /// Whether a row states an unknown alone.
    pub fn states(&self, row: usize) -> bool {
        self.rows.stated().is_by(row)
    }

    /// Reduces the rows to an R factor, in an order in which exact rows state all unknowns well:
    /// each time that one is not good enough, some unknowns come nearer to the front of the root,
    /// where each row may choose among all.
    pub fn factorise(&mut self) -> Result<(), FactorisationError> {
        loop {
            match self.qr.factorise(&self.plan) {
                Err(FactorisationError::Delayed) => {
                    self.plan.delay(self.qr.delayed());
                    self.qr = MultifrontalQr::new(&self.plan);
                }
                result => return result,
            }
        }
    }

    /// Writes the solution of the R factor.
    pub fn solve(&mut self, unknowns: &mut [f64]) {
        self.qr.solve(&self.plan, unknowns);
    }

    /// Does the same with other right-hand sides.
    pub fn repeat(&mut self, unknowns: &mut [f64]) {
        self.qr.transform(&self.plan);
        self.solve(unknowns);
    }

    /// How many deviations any sum of unknowns is off by at most, once exact rows hold: the most
    /// probable unknowns leave a gradient g = Dᵀ W (b − D y) that exact rows undo; what they don't
    /// is to be followed to P g, of which no sum cᵀ P g exceeds √(gᵀ P g) times its deviation √(cᵀ
    /// P c).
    pub fn off_by(&mut self, values: &[f64]) -> f64 {
        sum_gradient(&self.rows, &self.plan.rows, values, &mut self.gradient);
        for (value, sum) in self.gradient_values.iter_mut().zip(&self.gradient) {
            *value = sum.value();
        }
        self.qr.norm(&self.plan, &self.gradient_values)
    }

    /// Writes the variances of all unknowns, and which share of each may be rounding.
    pub fn find_variances(&mut self, variances: &mut [f64], rounding: &mut [f64]) {
        self.qr.find_variances(&self.plan, variances, rounding);
    }

    /// The covariance of two unknowns; none if they have no row in common, and none with the same
    /// others.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        self.qr.covariance(&self.plan, a, b)
    }

    /// P aᵀ of a row a: the covariances of a sum of unknowns with all.
    pub fn covariances(&mut self, row: SparseRow<'_>, column: &mut [f64]) {
        self.qr.covariances(&self.plan, row, column);
    }

    /// a P bᵀ of two rows of one sensor, or of one row with itself.
    pub fn product(&mut self, a: SparseRow<'_>, b: SparseRow<'_>) -> f64 {
        self.qr.product(&self.plan, a, b)
    }

    /// How far the deviation of a row a of the equations, √(a P aᵀ), may be off by rounding.
    pub fn error(&self, row: SparseRow<'_>) -> f64 {
        self.qr.error(&self.plan, row)
    }

    /// The covariances of sums of unknowns, each with its factors, row by row.
    pub fn covariances_of(&mut self, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        self.qr.covariances_of(&self.plan, sums)
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// rounding.
    pub fn variance_of(&mut self, terms: &[(usize, f64)]) -> (f64, f64) {
        self.qr.variance_of(&self.plan, terms)
    }
}

/// The unknowns that share a row, a sensor or a prior are neighbours; stated ones have none.
fn graph(
    system: &System,
    priors: &[PriorBlock],
    stated: &StatedUnknowns,
) -> Result<Sparsity, SystemError> {
    let sparsity = system.sparsity();
    let columns = |rows: Range<usize>| -> Vec<usize> {
        let columns = rows.flat_map(|row| sparsity.row(row).iter().copied());
        columns.collect()
    };
    let rows = (0..sparsity.rows()).map(|row| columns(row..row + 1));
    let sensors = system.problem().sensor_ids();
    let blocks = sensors.map(|sensor| columns(system.equations().sensor(sensor)));
    let priors = priors.iter().map(|prior| prior.columns().to_vec());
    let pairs = rows.chain(blocks).chain(priors).flat_map(|mut columns| {
        columns.retain(|&column| !stated.has(column));
        let pair = |&a: &usize| columns.iter().map(move |&b| (a, b));
        let pairs = columns.iter().flat_map(pair).filter(|(a, b)| a != b);
        pairs.collect::<Vec<_>>()
    });
    let n = sparsity.columns();
    Sparsity::new(n, n, pairs).map_err(SystemError::Pattern)
}

kernel!(
    /// Sums the gradient without rounding: where the mean is right, it is nothing beside its terms.
    fn sum_gradient(
        rows: &EquationRows,
        numbers: &WeightedRows,
        values: &[f64],
        gradient: &mut [CompensatedSum],
    ) {
        gradient.fill(CompensatedSum::default());
        rows.add_gradient(numbers, values, gradient);
    }
);
