//! Elimination and orthogonal transformations of rows: an R factor, and the square root of the
//! covariance.

use super::factorise::{FactorisationError, Factorise};
use super::front_memory::FrontMemory;
use super::fronts::Fronts;
use super::r_factor::RFactor;
use super::square_root::{FindSquareRoot, SquareRoot};
use super::weighted_rows::WeightedRows;
use crate::ldlt::LdltPattern;
use crate::order::OrderError;
use crate::sparsity::Sparsity;
use featherline::kernel::dispatch;

/// Rows, their order of elimination and their frontal matrices.
#[derive(Clone, Debug)]
pub struct FactorPlan {
    /// The unknowns that share a row.
    graph: Sparsity,
    pub(super) pattern: LdltPattern,
    pub(super) fronts: Fronts,
    /// The rows.
    pub rows: WeightedRows,
}

/// A sparse row vector.
#[derive(Clone, Copy, Debug)]
pub struct SparseRow<'a> {
    /// The columns of its entries.
    pub columns: &'a [usize],
    /// The entries.
    pub entries: &'a [f64],
}

/// The factorisation of a plan's rows.
///
/// P is the covariance of the unknowns. "By position" means in the order of elimination.
#[derive(Clone, Debug)]
pub struct MultifrontalQr {
    pub(super) memory: FrontMemory,
    pub(super) r_factor: RFactor,
    pub(super) root: SquareRoot,
    /// Two combinations of rows of the root.
    sums: [Vec<f64>; 2],
    /// A vector by position.
    pub(super) x: Vec<f64>,
    /// Drawn errors of all rows.
    pub(super) drawn: Vec<f64>,
}

impl MultifrontalQr {
    /// The memory for a plan.
    pub fn new(plan: &FactorPlan) -> Self {
        let FactorPlan { fronts, rows, .. } = plan;
        let size = fronts.size();
        Self {
            memory: FrontMemory::new(fronts),
            r_factor: RFactor::new(fronts),
            root: SquareRoot::new(fronts),
            sums: [(); 2].map(|()| vec![0.0; fronts.most_columns]),
            x: vec![0.0; size],
            drawn: vec![0.0; rows.columns().len()],
        }
    }

    /// The share of what the robot's weight brings about of which no sensor resolves a millionth.
    fn resolved(&self) -> f64 {
        (1e6 / self.memory.heaviest).min(1.0)
    }

    /// Reduces the rows to an R factor.
    ///
    /// # Errors
    /// [`FactorisationError`]; after [`FactorisationError::Delayed`], [delay](FactorPlan::delay)
    /// the [`delayed`](Self::delayed) positions and factorise a new plan.
    pub fn factorise(&mut self, plan: &FactorPlan) -> Result<(), FactorisationError> {
        let rows = Factorise {
            fronts: &plan.fronts,
            memory: &mut self.memory,
            rows: &plan.rows,
            r_factor: &mut self.r_factor,
        };
        dispatch(rows)
    }

    /// The positions that have to be eliminated later.
    pub fn delayed(&self) -> &[u32] {
        &self.memory.delayed
    }

    /// Applies the transformations to other right-hand sides.
    pub fn transform(&mut self, plan: &FactorPlan) {
        let image = self.r_factor.image_mut();
        self.memory.done().transform(&plan.rows.rhs, image);
    }

    /// Writes the solution.
    pub fn solve(&mut self, plan: &FactorPlan, unknowns: &mut [f64]) {
        self.r_factor.solve(&plan.fronts, &mut self.x);
        for (x, &unknown) in self.x.iter().zip(&plan.pattern.order) {
            unknowns[unknown] = x * plan.rows.units()[unknown];
        }
    }

    /// √(gᵀ P g) of a vector by unknown, in the unknowns' units.
    pub fn norm(&mut self, plan: &FactorPlan, g: &[f64]) -> f64 {
        for (x, &unknown) in self.x.iter_mut().zip(&plan.pattern.order) {
            *x = g[unknown];
        }
        self.r_factor.deviation(&plan.fronts, &mut self.x)
    }

    /// The covariance of two unknowns; none if they share no frontal matrix.
    pub fn covariance(&self, plan: &FactorPlan, a: usize, b: usize) -> Option<f64> {
        let (units, position) = (plan.rows.units(), &plan.pattern.position);
        if a != b && (plan.rows.is_fixed(a) || plan.rows.is_fixed(b)) {
            return Some(0.0);
        }
        let scaled = self
            .root
            .covariance(&plan.fronts, position[a], position[b])?;
        Some(scaled * units[a] * units[b])
    }

    /// P aᵀ of a row a.
    pub fn covariances(&mut self, plan: &FactorPlan, row: SparseRow<'_>, column: &mut [f64]) {
        self.x.fill(0.0);
        for (position, entry) in plan.varying(row) {
            self.x[position] += entry;
        }
        self.r_factor.spread(&plan.fronts, &mut self.x);
        for (x, &unknown) in self.x.iter().zip(&plan.pattern.order) {
            column[unknown] = x * plan.rows.units()[unknown];
        }
    }

    /// a P bᵀ of two rows whose columns share a frontal matrix, or of one row with itself.
    pub fn product(&mut self, plan: &FactorPlan, a: SparseRow<'_>, b: SparseRow<'_>) -> f64 {
        // The columns of a sensor are neighbours, so that all stand in the front of the first.
        let positions = plan.varying(a).chain(plan.varying(b)).map(|term| term.0);
        let Some(front) = positions.min().map(|first| plan.fronts.front_of(first)) else {
            return 0.0;
        };
        let [first, second] = &mut self.sums;
        let fronts = &plan.fronts;
        self.root.combine(fronts, front, plan.varying(a), first);
        self.root.combine(fronts, front, plan.varying(b), second);
        let products = first.iter().zip(&*second).map(|(&a, &b)| a * b);
        products.fold(0.0, |sum, x| sum + x)
    }

    /// The rounding error of the standard deviation √(a P aᵀ) of a row a.
    pub fn error(&self, plan: &FactorPlan, row: SparseRow<'_>) -> f64 {
        self.root.error_of(plan.varying(row))
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// rounding.
    pub fn variance_of(&mut self, plan: &FactorPlan, terms: &[(usize, f64)]) -> (f64, f64) {
        self.x.fill(0.0);
        let (mut unit, mut square) = (0.0_f64, 0.0);
        let resolved = self.resolved();
        let place = |&(unknown, factor): &(usize, f64)| {
            let position = plan.pattern.position[unknown];
            (position, factor * plan.rows.units()[unknown])
        };
        for (position, scaled) in terms.iter().map(place) {
            self.x[position] += scaled;
            unit = unit.max(scaled.abs());
            let variance = self.root.covariance(&plan.fronts, position, position);
            square += scaled * scaled * variance.map_or(f64::NAN, |x| x);
        }
        let deviation = self.r_factor.deviation(&plan.fronts, &mut self.x);
        let inherited = self.root.error_of(terms.iter().map(place));
        let error = inherited.hypot(f64::EPSILON * square.sqrt());
        judged(deviation, error, resolved * unit)
    }

    /// The covariances of sums of unknowns, each with its factors, row by row.
    pub fn covariances_of(&mut self, plan: &FactorPlan, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let mut errors = vec![vec![0.0; self.x.len()]; sums.len()];
        for (terms, errors) in sums.iter().zip(&mut errors) {
            self.x.fill(0.0);
            for &(unknown, factor) in terms {
                let position = plan.pattern.position[unknown];
                self.x[position] += factor * plan.rows.units()[unknown];
            }
            self.r_factor.errors(&plan.fronts, &mut self.x, errors);
        }
        let pairs = errors
            .iter()
            .flat_map(|a| errors.iter().map(move |b| (a, b)));
        let products = pairs.map(|(a, b)| {
            let parts = a.iter().zip(b).map(|(&a, &b)| a * b);
            parts.fold(0.0, |sum, x| sum + x)
        });
        products.collect()
    }

    /// Computes the covariance; writes the variances, and the share of each that may be rounding.
    pub fn find_variances(
        &mut self,
        plan: &FactorPlan,
        variances: &mut [f64],
        rounding: &mut [f64],
    ) {
        let found = FindSquareRoot {
            fronts: &plan.fronts,
            r_factor: &self.r_factor,
            root: &mut self.root,
        };
        dispatch(found);
        self.probe(plan);
        let resolved = self.resolved();
        for (position, &unknown) in plan.pattern.order.iter().enumerate() {
            // Each position stands in a front.
            let variance = self.root.covariance(&plan.fronts, position, position);
            let deviation = variance.map_or(f64::NAN, |variance| variance.sqrt());
            let error = self.root.error(position);
            let unit = plan.rows.units()[unknown];
            (variances[unknown], rounding[unknown]) =
                judged(deviation * unit, error * unit, resolved * unit);
        }
    }
}

/// The variance of a deviation, and the share of it that may be rounding, for a deviation that may
/// be off by an error. A deviation far below what any sensor resolves is zero if it may be
/// rounding; below a rounding of that it is zero in any case.
fn judged(deviation: f64, error: f64, resolved: f64) -> (f64, f64) {
    let is_rounding = deviation < 1e-10 * resolved && deviation <= 100.0 * error;
    if is_rounding || deviation <= f64::EPSILON * resolved {
        (0.0, 0.0)
    } else {
        (deviation.powi(2), 2.0 * error / deviation)
    }
}

impl FactorPlan {
    /// A plan for rows, in AMD's order of their graph, which says for every unknown with which
    /// others it has a row in common.
    ///
    /// # Errors
    /// [`OrderError::Ordering`].
    pub fn new(graph: Sparsity, rows: WeightedRows) -> Result<Self, OrderError> {
        let pattern = LdltPattern::new(&graph)?;
        let fronts = Fronts::new(&pattern, rows.columns());
        Ok(Self {
            graph,
            pattern,
            fronts,
            rows,
        })
    }

    /// The order of elimination, and the pattern of the R factor.
    pub fn pattern(&self) -> &LdltPattern {
        &self.pattern
    }

    /// Eliminates the columns of some positions one frontal matrix later.
    pub fn delay(&mut self, positions: &[u32]) {
        let order = self.fronts.delay(&self.pattern, positions);
        self.pattern = LdltPattern::in_order(&self.graph, order);
        self.fronts = Fronts::new(&self.pattern, self.rows.columns());
    }

    /// A row's entries by position, unknowns in their units; what is stated is left out.
    fn varying<'a>(&'a self, row: SparseRow<'a>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let terms = row.columns.iter().zip(row.entries);
        let terms = terms.filter(|term| !self.rows.is_fixed(*term.0));
        let units = self.rows.units();
        terms.map(|(&column, a)| (self.pattern.position[column], a * units[column]))
    }
}
