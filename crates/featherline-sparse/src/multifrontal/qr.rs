//! Elimination and orthogonal transformations of rows: an R factor, and the square root of the
//! covariance.

use super::factorise::{FactorisationError, Factorise};
use super::front_memory::FrontMemory;
use super::fronts::Fronts;
use super::r_factor::RFactor;
use super::square_root::{FindSquareRoot, SquareRoot};
use super::weighted_rows::WeightedRows;
use crate::digits::Arithmetic;
use crate::ldlt::LdltPattern;
use crate::order::OrderError;
use crate::sparsity::Sparsity;
use std::fmt::Debug;

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

/// The factorisation of a plan's rows, in `f64` or in double-double arithmetic.
///
/// P is the covariance of the unknowns. "By position" means in the order of elimination.
pub trait OrthogonalFactorisation {
    /// Reduces the rows to an R factor.
    ///
    /// # Errors
    /// [`FactorisationError`]; after [`FactorisationError::Delayed`], [delay](FactorPlan::delay)
    /// the [`delayed`](Self::delayed) positions and factorise a new plan.
    fn factorise(&mut self, plan: &FactorPlan) -> Result<(), FactorisationError>;

    /// The positions that have to be eliminated later.
    fn delayed(&self) -> &[u32];

    /// Applies the transformations to other right-hand sides.
    fn transform(&mut self, plan: &FactorPlan);

    /// Writes the solution, and its rounding errors in double-double arithmetic.
    fn solve(&mut self, plan: &FactorPlan, unknowns: &mut [f64], rests: &mut [f64]);

    /// √(gᵀ P g) of a vector by position, each entry the sum of two numbers.
    fn norm(&mut self, plan: &FactorPlan, g: &[(f64, f64)]) -> f64;

    /// The covariance of two unknowns; none if they share no frontal matrix.
    fn covariance(&self, plan: &FactorPlan, a: usize, b: usize) -> Option<f64>;

    /// P aᵀ of a row a.
    fn covariances(&mut self, plan: &FactorPlan, row: SparseRow<'_>, column: &mut [f64]);

    /// a P bᵀ of two rows whose columns share a frontal matrix, or of one row with itself.
    fn product(&mut self, plan: &FactorPlan, a: SparseRow<'_>, b: SparseRow<'_>) -> f64;

    /// The rounding error of the standard deviation √(a P aᵀ) of a row a.
    fn error(&self, plan: &FactorPlan, row: SparseRow<'_>) -> f64;

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be
    /// rounding.
    fn variance_of(&mut self, plan: &FactorPlan, terms: &[(usize, f64)]) -> (f64, f64);

    /// The covariances of sums of unknowns, each with its factors, row by row.
    fn covariances_of(&mut self, plan: &FactorPlan, sums: &[Vec<(usize, f64)>]) -> Vec<f64>;

    /// The largest ratio of a number to its pivot, over all rows with errors.
    fn pivot_growth(&self) -> f64;

    /// Computes the covariance; writes the variances, and the share of each that may be rounding.
    fn find_variances(&mut self, plan: &FactorPlan, variances: &mut [f64], rounding: &mut [f64]);
}

/// The memory of a multifrontal QR factorisation.
#[derive(Clone, Debug)]
pub struct MultifrontalQr<T> {
    pub(super) memory: FrontMemory<T>,
    pub(super) r_factor: RFactor<T>,
    pub(super) root: SquareRoot<T>,
    /// Two combinations of rows of the root.
    sums: [Vec<T>; 2],
    /// A vector by position.
    pub(super) x: Vec<T>,
    /// Drawn errors of all rows.
    pub(super) drawn: Vec<f64>,
}

impl<T: Arithmetic> MultifrontalQr<T> {
    /// The memory for a plan.
    pub fn new(plan: &FactorPlan) -> Self {
        let FactorPlan { fronts, rows, .. } = plan;
        let zero = T::default();
        let size = fronts.size();
        Self {
            memory: FrontMemory::new(fronts),
            r_factor: RFactor::new(fronts),
            root: SquareRoot::new(fronts),
            sums: [(); 2].map(|()| vec![zero; fronts.most_columns]),
            x: vec![zero; size],
            drawn: vec![0.0; rows.columns().len()],
        }
    }

    /// The share of what the robot's weight brings about of which no sensor resolves a millionth.
    fn resolved(&self) -> f64 {
        (1e6 / self.memory.heaviest).min(1.0)
    }
}

impl<T: Arithmetic> OrthogonalFactorisation for MultifrontalQr<T> {
    fn factorise(&mut self, plan: &FactorPlan) -> Result<(), FactorisationError> {
        let rows = Factorise {
            fronts: &plan.fronts,
            memory: &mut self.memory,
            rows: &plan.rows,
            r_factor: &mut self.r_factor,
        };
        rows.dispatch()
    }

    fn delayed(&self) -> &[u32] {
        &self.memory.delayed
    }

    fn transform(&mut self, plan: &FactorPlan) {
        let image = self.r_factor.image_mut();
        self.memory.done().transform(&plan.rows.rhs, image);
    }

    fn solve(&mut self, plan: &FactorPlan, unknowns: &mut [f64], rests: &mut [f64]) {
        self.r_factor.solve(&plan.fronts, &mut self.x);
        for (x, &unknown) in self.x.iter().zip(&plan.pattern.order) {
            // A unit is a power of two.
            let (high, low) = x.parts();
            let unit = plan.rows.units()[unknown];
            (unknowns[unknown], rests[unknown]) = (high * unit, low * unit);
        }
    }

    fn norm(&mut self, plan: &FactorPlan, g: &[(f64, f64)]) -> f64 {
        for (x, &g) in self.x.iter_mut().zip(g) {
            *x = T::of(g);
        }
        self.r_factor.deviation(&plan.fronts, &mut self.x).value()
    }

    fn covariance(&self, plan: &FactorPlan, a: usize, b: usize) -> Option<f64> {
        let (units, position) = (plan.rows.units(), &plan.pattern.position);
        if a != b && (plan.rows.is_fixed(a) || plan.rows.is_fixed(b)) {
            return Some(0.0);
        }
        let scaled = self
            .root
            .covariance(&plan.fronts, position[a], position[b])?;
        Some(scaled.value() * units[a] * units[b])
    }

    fn covariances(&mut self, plan: &FactorPlan, row: SparseRow<'_>, column: &mut [f64]) {
        self.x.fill(T::default());
        for (position, entry) in plan.varying(row) {
            self.x[position] += entry.into();
        }
        self.r_factor.spread(&plan.fronts, &mut self.x);
        for (x, &unknown) in self.x.iter().zip(&plan.pattern.order) {
            column[unknown] = x.value() * plan.rows.units()[unknown];
        }
    }

    fn product(&mut self, plan: &FactorPlan, a: SparseRow<'_>, b: SparseRow<'_>) -> f64 {
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
        products.fold(T::default(), |sum, x| sum + x).value()
    }

    fn error(&self, plan: &FactorPlan, row: SparseRow<'_>) -> f64 {
        self.root.error_of(plan.varying(row))
    }

    fn variance_of(&mut self, plan: &FactorPlan, terms: &[(usize, f64)]) -> (f64, f64) {
        self.x.fill(T::default());
        let (mut unit, mut square) = (0.0_f64, 0.0);
        let resolved = self.resolved();
        let place = |&(unknown, factor): &(usize, f64)| {
            let position = plan.pattern.position[unknown];
            (position, factor * plan.rows.units()[unknown])
        };
        for (position, scaled) in terms.iter().map(place) {
            self.x[position] += scaled.into();
            unit = unit.max(scaled.abs());
            let variance = self.root.covariance(&plan.fronts, position, position);
            square += scaled * scaled * variance.map_or(f64::NAN, T::value);
        }
        let deviation = self.r_factor.deviation(&plan.fronts, &mut self.x).value();
        let inherited = self.root.error_of(terms.iter().map(place));
        let error = inherited.hypot(T::EPSILON * square.sqrt());
        judged::<T>(deviation, error, resolved * unit)
    }

    fn covariances_of(&mut self, plan: &FactorPlan, sums: &[Vec<(usize, f64)>]) -> Vec<f64> {
        let mut errors = vec![vec![T::default(); self.x.len()]; sums.len()];
        for (terms, errors) in sums.iter().zip(&mut errors) {
            self.x.fill(T::default());
            for &(unknown, factor) in terms {
                let position = plan.pattern.position[unknown];
                self.x[position] += (factor * plan.rows.units()[unknown]).into();
            }
            self.r_factor.errors(&plan.fronts, &mut self.x, errors);
        }
        let pairs = errors
            .iter()
            .flat_map(|a| errors.iter().map(move |b| (a, b)));
        let products = pairs.map(|(a, b)| {
            let parts = a.iter().zip(b).map(|(&a, &b)| a * b);
            parts.fold(T::default(), |sum, x| sum + x).value()
        });
        products.collect()
    }

    fn pivot_growth(&self) -> f64 {
        self.memory.pivot_growth
    }

    fn find_variances(&mut self, plan: &FactorPlan, variances: &mut [f64], rounding: &mut [f64]) {
        let found = FindSquareRoot {
            fronts: &plan.fronts,
            r_factor: &self.r_factor,
            root: &mut self.root,
        };
        found.dispatch();
        self.probe(plan);
        let resolved = self.resolved();
        for (position, &unknown) in plan.pattern.order.iter().enumerate() {
            // Each position stands in a front.
            let variance = self.root.covariance(&plan.fronts, position, position);
            let deviation = variance.map_or(f64::NAN, |variance| variance.sqrt().value());
            let error = self.root.error(position);
            let unit = plan.rows.units()[unknown];
            (variances[unknown], rounding[unknown]) =
                judged::<T>(deviation * unit, error * unit, resolved * unit);
        }
    }
}

/// The variance of a deviation, and the share of it that may be rounding, for a deviation that may
/// be off by an error. A deviation far below what any sensor resolves is zero if it may be
/// rounding; below a rounding of that it is zero in any case.
fn judged<T: Arithmetic>(deviation: f64, error: f64, resolved: f64) -> (f64, f64) {
    let is_rounding = deviation < 1e-10 * resolved && deviation <= 100.0 * error;
    if is_rounding || deviation <= T::EPSILON * resolved {
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

    /// The entries of a row by position, for unknowns in their units; what is stated does not vary,
    /// and is left out.
    fn varying<'a>(&'a self, row: SparseRow<'a>) -> impl Iterator<Item = (usize, f64)> + 'a {
        let terms = row.columns.iter().zip(row.entries);
        let terms = terms.filter(|term| !self.rows.is_fixed(*term.0));
        let units = self.rows.units();
        terms.map(|(&column, a)| (self.pattern.position[column], a * units[column]))
    }
}
