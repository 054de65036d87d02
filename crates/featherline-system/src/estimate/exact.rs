//! Exact equations: elimination, orthogonal transformations, and no squares.

use super::error::EstimateError;
use super::prior::PriorBlock;
use super::prior_scale::units;
use super::rows::{Rows, Stated};
use super::weights::Weights;
use crate::error::SystemError;
use crate::system::System;
use featherline::kernel;
use featherline_sparse::multifrontal::{
    DRAWS, FactorPlan, FactorisationError, MultifrontalQr, OrthogonalFactorisation, SparseRow,
    WeightedRows,
};
use featherline_sparse::{Arithmetic, DoubleDouble, LdltPattern, Sparsity};
use std::ops::Range;

/// So many times larger than their pivots the numbers of rows with errors may be for the mean:
/// rounding is a hundredth of what determines it.
pub(super) const LOST: f64 = 1e13;

/// The memory that reduces equations and priors to an R factor.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    pub(super) plan: FactorPlan,
    /// How equations become the rows of the plan.
    pub(super) rows: Rows,
    pub(super) plain: MultifrontalQr<f64>,
    /// The same in numbers of twice the digits, and whether this state needs them. None as long as
    /// orders are tried.
    fine: Option<Box<MultifrontalQr<DoubleDouble>>>,
    pub(super) is_fine: bool,
    /// What the last solution lacks.
    pub(super) rests: Vec<f64>,
    /// Dᵀ W (b − D y), by column and by position.
    gradient: Vec<DoubleDouble>,
    gradient_in_order: Vec<(f64, f64)>,
    /// Variances of disturbed rows and of those before, and what may be rounding of them.
    tried: [Vec<f64>; 3],
}

impl Exact {
    /// Of a system's rows, some of which are exact.
    ///
    /// # Errors
    /// [`EstimateError::Ordering`].
    pub fn new(
        system: &System,
        weights: &Weights,
        priors: &[PriorBlock],
    ) -> Result<Self, EstimateError> {
        let stated = Stated::of(system, weights, priors);
        let graph = graph(system, priors, &stated)?;
        let (rows, numbers) = Rows::new(system, stated, priors, units(system));
        let plan = FactorPlan::new(graph, numbers).map_err(|_| EstimateError::Ordering)?;
        let size = plan.pattern().size();
        Ok(Self {
            plain: MultifrontalQr::new(&plan),
            fine: None,
            is_fine: false,
            rests: vec![0.0; size],
            gradient: vec![DoubleDouble::default(); size],
            gradient_in_order: vec![(0.0, 0.0); size],
            tried: [(); 3].map(|()| vec![0.0; size]),
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

    /// The factorisation in the digits that this state needs.
    fn factors(&self) -> &dyn OrthogonalFactorisation {
        match &self.fine {
            Some(fine) if self.is_fine => &**fine,
            _ => &self.plain,
        }
    }

    /// The same, and what is factorised.
    pub fn factors_mut(&mut self) -> (&mut dyn OrthogonalFactorisation, &FactorPlan) {
        match &mut self.fine {
            Some(fine) if self.is_fine => (&mut **fine, &self.plan),
            _ => (&mut self.plain, &self.plan),
        }
    }

    /// Goes on in twice the digits, with the entries of this state's equations.
    pub fn refine(&mut self, values: &[f64]) {
        self.reserve();
        self.rows.refine(&mut self.plan.rows, values);
        self.is_fine = true;
    }

    /// Has memory for twice the digits in the order that was found.
    pub fn reserve(&mut self) {
        let plan = &self.plan;
        self.fine
            .get_or_insert_with(|| Box::new(MultifrontalQr::new(plan)));
    }

    /// Reduces the rows to an R factor, in an order in which exact rows state all unknowns well:
    /// each time that one is not good enough, some unknowns come nearer to the front of the root,
    /// where each row may choose among all.
    pub fn factorise(&mut self) -> Result<(), FactorisationError> {
        loop {
            let (factors, plan) = self.factors_mut();
            match factors.factorise(plan) {
                Err(FactorisationError::Delayed) => {
                    let delayed = factors.delayed().to_vec();
                    self.delay(&delayed);
                }
                result => return result,
            }
        }
    }

    /// Another order of elimination: some positions come later.
    fn delay(&mut self, positions: &[u32]) {
        self.plan.delay(positions);
        self.plain = MultifrontalQr::new(&self.plan);
        self.fine = None;
        if self.is_fine {
            self.reserve();
        }
    }

    /// Writes the solution of the R factor; its rounding errors are kept here.
    pub fn solve(&mut self, unknowns: &mut [f64]) {
        let mut rests = std::mem::take(&mut self.rests);
        let (factors, plan) = self.factors_mut();
        factors.solve(plan, unknowns, &mut rests);
        self.rests = rests;
    }

    /// Does the same with other right-hand sides.
    pub fn repeat(&mut self, unknowns: &mut [f64]) {
        let (factors, plan) = self.factors_mut();
        factors.transform(plan);
        self.solve(unknowns);
    }

    /// How many deviations any sum of unknowns is off by at most, once exact rows hold: the most
    /// probable unknowns leave a gradient g = Dᵀ W (b − D y) that exact rows undo; what they don't
    /// is to be followed to P g, of which no sum cᵀ P g exceeds √(gᵀ P g) times its deviation √(cᵀ
    /// P c).
    pub fn off_by(&mut self, values: &[f64]) -> f64 {
        sum_gradient(&self.rows, &self.plan.rows, values, &mut self.gradient);
        let gradient = &self.gradient;
        let order = self.plan.pattern().order.iter();
        for (&column, own) in order.zip(&mut self.gradient_in_order) {
            *own = gradient[column].parts();
        }
        let gradient = std::mem::take(&mut self.gradient_in_order);
        let (factors, plan) = self.factors_mut();
        let norm = factors.norm(plan, &gradient);
        self.gradient_in_order = gradient;
        norm
    }

    /// Whether rounding may have left a pivot in doubles.
    pub fn may_be_told_by_rounding(&mut self) -> bool {
        self.factors().pivot_growth() > LOST
    }

    /// An unknown that is determined by what rounding leaves of the equations' entries, and by
    /// nothing else, if there is one whose deviation is beyond some units: such variances are
    /// others when the entries are disturbed as rounding would.
    pub fn told_by_rounding(&mut self, loose: f64) -> Option<usize> {
        self.try_variances();
        let units = self.plan.rows.units();
        let loosest = |variances: &[f64]| {
            let shares = variances
                .iter()
                .zip(units)
                .map(|(x, unit)| x / (unit * unit));
            let loose = shares.enumerate().filter(|own| own.1 > loose * loose);
            loose.max_by(|a, b| a.1.total_cmp(&b.1)).map(|own| own.0)
        };
        let unknown = loosest(&self.tried[0])?;
        for draw in 0..DRAWS {
            self.tried.swap(0, 1);
            self.rows.disturb(&mut self.plan.rows, draw);
            if self.factorise().is_err() {
                return Some(unknown);
            }
            self.try_variances();
            let [disturbed, found, _] = &self.tried;
            let mut variances = found.iter().zip(disturbed).zip(self.plan.rows.units());
            let changed = variances.position(|((&found, &disturbed), unit)| {
                let is_loose = found.max(disturbed).sqrt() > loose * unit;
                is_loose && (found - disturbed).abs() > 0.1 * found.min(disturbed)
            });
            if changed.is_some() {
                return changed;
            }
        }
        None
    }

    /// Finds the variances of all unknowns.
    fn try_variances(&mut self) {
        let mut tried = std::mem::take(&mut self.tried);
        let [variances, _, rounding] = &mut tried;
        let (factors, plan) = self.factors_mut();
        factors.find_variances(plan, variances, rounding);
        self.tried = tried;
    }

    /// The covariance of two unknowns; none if they have no row in common, and none with the same
    /// others.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        self.factors().covariance(&self.plan, a, b)
    }

    /// P aᵀ of a row a: the covariances of a sum of unknowns with all.
    pub fn covariances(&mut self, row: SparseRow<'_>, column: &mut [f64]) {
        let (factors, plan) = self.factors_mut();
        factors.covariances(plan, row, column);
    }

    /// a P bᵀ of two rows of one sensor, or of one row with itself.
    pub fn product(&mut self, a: SparseRow<'_>, b: SparseRow<'_>) -> f64 {
        let (factors, plan) = self.factors_mut();
        factors.product(plan, a, b)
    }

    /// How far the deviation of a row a of the equations, √(a P aᵀ), may be off by rounding.
    pub fn error(&self, row: SparseRow<'_>) -> f64 {
        self.factors().error(&self.plan, row)
    }

    /// The covariances of sums of unknowns, each with its factors, row by row.
    pub fn covariances_of(&mut self, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let (factors, plan) = self.factors_mut();
        factors.covariances_of(plan, sums)
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// rounding.
    pub fn variance_of(&mut self, terms: &[(usize, f64)]) -> (f64, f64) {
        let (factors, plan) = self.factors_mut();
        factors.variance_of(plan, terms)
    }
}

/// Two unknowns are neighbours if they stand in one row, in rows of one sensor, or in one prior,
/// whatever the state and whichever sensors are on; those that are stated have none.
fn graph(system: &System, priors: &[PriorBlock], stated: &Stated) -> Result<Sparsity, SystemError> {
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
    /// The sum of the gradient in twice the digits: where the mean is right, it is nothing beside
    /// its terms.
    fn sum_gradient(
        rows: &Rows,
        numbers: &WeightedRows,
        values: &[f64],
        gradient: &mut [DoubleDouble],
    ) {
        gradient.fill(DoubleDouble::default());
        rows.add_gradient(numbers, values, gradient);
    }
);
