//! Exact equations: elimination, orthogonal transformations, and no squares.

use super::breadth::units;
use super::error::EstimateError;
use super::estimator::{Estimator, Method, describe, overflow, unobservable};
use super::factor::FactorPattern;
use super::front_memory::FrontMemory;
use super::fronts::Fronts;
use super::normal::graph;
use super::prior::PriorBlock;
use super::rows::{Measure, Rows, Stated};
use super::square_root::{FindSquareRoot, SquareRoot};
use super::triangle::Triangle;
use super::triangulate::{AGREEMENT, NoTriangle, Triangulate};
use super::twice::TwiceSum;
use super::weights::Weights;
use crate::diagnosis::{matrix_values, samples};
use crate::sparsity::Sparsity;
use crate::system::System;

/// What it takes to bring equations and priors to a triangle.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    /// Which unknowns stand in rows together.
    graph: Sparsity,
    pub(super) pattern: FactorPattern,
    pub(super) rows: Rows,
    pub(super) fronts: Fronts,
    pub(super) memory: FrontMemory,
    pub(super) triangle: Triangle,
    pub(super) root: SquareRoot,
    /// Two combinations of rows of the root.
    sums: [Vec<f64>; 2],
    /// A vector by position.
    pub(super) x: Vec<f64>,
    /// Drawn errors of all rows.
    pub(super) drawn: Vec<f64>,
    /// What the mean was last turned by, by position, and how many deviations that is at most of any sum of unknowns.
    turned: Vec<f64>,
    turned_by: f64,
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
        let graph = graph(system, priors, |column| stated.has(column))?;
        let pattern = FactorPattern::new(&graph)?;
        let rows = Rows::new(system, stated, priors, units(system));
        let fronts = Fronts::new(&pattern, rows.columns());
        Ok(Self {
            memory: FrontMemory::new(&fronts),
            triangle: Triangle::new(&fronts),
            root: SquareRoot::new(&fronts),
            sums: [
                vec![0.0; fronts.most_columns],
                vec![0.0; fronts.most_columns],
            ],
            x: vec![0.0; pattern.size()],
            turned: vec![0.0; pattern.size()],
            turned_by: 0.0,
            drawn: vec![0.0; rows.columns().len()],
            graph,
            pattern,
            fronts,
            rows,
        })
    }

    /// The order of elimination.
    pub fn pattern(&self) -> &FactorPattern {
        &self.pattern
    }

    /// Whether a row states an unknown alone.
    pub fn states(&self, row: usize) -> bool {
        self.rows.stated().is_by(row)
    }

    /// Brings the rows to a triangle, in an order in which exact rows state all unknowns well: each time that one is not good enough, some
    /// unknowns come nearer to the front of the root, where each row may choose among all.
    fn triangulate(&mut self) -> Result<(), NoTriangle> {
        loop {
            let rows = Triangulate {
                fronts: &self.fronts,
                memory: &mut self.memory,
                rows: &self.rows,
                triangle: &mut self.triangle,
            };
            match rows.dispatch() {
                Err(NoTriangle::Late) => {
                    let order = self.fronts.later(&self.pattern, self.memory.late());
                    self.plan(FactorPattern::in_order(&self.graph, order));
                }
                result => return result,
            }
        }
    }

    /// Another order of elimination.
    fn plan(&mut self, pattern: FactorPattern) {
        let fronts = Fronts::new(&pattern, self.rows.columns());
        self.memory = FrontMemory::new(&fronts);
        self.triangle = Triangle::new(&fronts);
        self.root = SquareRoot::new(&fronts);
        self.sums = [(); 2].map(|()| vec![0.0; fronts.most_columns]);
        (self.pattern, self.fronts) = (pattern, fronts);
    }

    /// Brings other right-hand sides to the same triangle.
    fn repeat(&mut self) {
        let image = self.triangle.image_mut();
        self.memory.done().repeat(&self.rows.rhs, image);
    }

    /// Writes what the triangle says of all unknowns.
    fn solve(&mut self, unknowns: &mut [f64]) {
        self.triangle.solve(&self.fronts, &mut self.x);
        self.write(unknowns);
    }

    /// Writes what is to be added so that exact rows hold, and so that the rest of the others, Aᵀ W (r − A x), is at right angles to all
    /// that exact rows leave open: P times it, for the covariance P.
    fn turn(&mut self, unknowns: &mut [f64]) {
        self.turned.fill(0.0);
        let mut numbers = &self.rows.numbers[..];
        for (row, columns) in self.rows.columns().iter().enumerate() {
            let (own, after) = numbers.split_at(columns.len());
            numbers = after;
            if !self.rows.counts(row) || self.rows.is_exact(row) {
                continue;
            }
            let rest = self.rows.rhs[row];
            for (&a, &column) in own.iter().zip(columns) {
                self.turned[self.pattern.position[column]] += a * rest;
            }
        }
        self.x.copy_from_slice(&self.turned);
        self.triangle.spread(&self.fronts, &mut self.turned);
        // Of d = P g no sum cᵀ d exceeds √(gᵀ P g) times its deviation √(cᵀ P c).
        let square: f64 = self.x.iter().zip(&self.turned).map(|(g, d)| g * d).sum();
        self.turned_by = square.max(0.0).sqrt();
        for row in 0..self.rows.rhs.len() {
            if !self.rows.is_exact(row) {
                self.rows.rhs[row] = 0.0;
            }
        }
        self.repeat();
        self.triangle.solve(&self.fronts, &mut self.x);
        for (x, turned) in self.x.iter_mut().zip(&self.turned) {
            *x += turned;
        }
        self.write(unknowns);
    }

    fn write(&self, unknowns: &mut [f64]) {
        for (x, &unknown) in self.x.iter().zip(&self.pattern.order) {
            unknowns[unknown] = x * self.rows.units()[unknown];
        }
    }

    /// The covariance of two unknowns; none if they have no row in common, and none with the same others.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        let units = self.rows.units();
        let (first, second) = (self.pattern.position[a], self.pattern.position[b]);
        if a != b && (self.rows.stated().has(a) || self.rows.stated().has(b)) {
            return Some(0.0);
        }
        let scaled = self.root.covariance(&self.fronts, first, second)?;
        Some(scaled * units[a] * units[b])
    }

    /// The covariances of an unknown with all.
    pub fn covariances(&mut self, unknown: usize, column: &mut [f64]) {
        self.x.fill(0.0);
        self.x[self.pattern.position[unknown]] = self.rows.units()[unknown];
        self.triangle.spread(&self.fronts, &mut self.x);
        self.write(column);
    }

    /// a P bᵀ of two rows of one sensor, or of one row with itself.
    pub fn product(&mut self, a: Row<'_>, b: Row<'_>) -> f64 {
        let varying = |row| varying(&self.rows, &self.pattern, row);
        // The columns of a sensor are neighbours, so that all stand in the front of the first.
        let positions = varying(a).chain(varying(b)).map(|term| term.0);
        let Some(front) = positions.min().map(|first| self.fronts.front_of(first)) else {
            return 0.0;
        };
        let [first, second] = &mut self.sums;
        self.root.combine(&self.fronts, front, varying(a), first);
        self.root.combine(&self.fronts, front, varying(b), second);
        first.iter().zip(&*second).map(|(a, b)| a * b).sum()
    }

    /// How far the deviation of a row a of the equations, √(a P aᵀ), may be off by rounding.
    pub fn error(&self, row: Row<'_>) -> f64 {
        self.root.error_of(varying(&self.rows, &self.pattern, row))
    }

    /// The variance of a sum of unknowns, each with its factor, and the share of it that may be rounding.
    pub fn variance_of(&mut self, terms: &[(usize, f64)]) -> (f64, f64) {
        self.x.fill(0.0);
        let (mut unit, mut square) = (0.0_f64, 0.0);
        for &(unknown, factor) in terms {
            let position = self.pattern.position[unknown];
            let scaled = factor * self.rows.units()[unknown];
            self.x[position] += scaled;
            unit = unit.max(scaled.abs());
            let variance = self.root.covariance(&self.fronts, position, position);
            square += scaled * scaled * variance.unwrap_or(f64::NAN);
        }
        let deviation = self.triangle.deviation(&self.fronts, &mut self.x);
        let place = |&(unknown, factor): &(usize, f64)| {
            let position = self.pattern.position[unknown];
            (position, factor * self.rows.units()[unknown])
        };
        let inherited = self.root.error_of(terms.iter().map(place));
        let error = inherited.hypot(f64::EPSILON * square.sqrt());
        judged(deviation, error, unit)
    }

    /// Finds the covariance, and the variances with the share of each that may be rounding.
    fn find_variances(&mut self, variances: &mut [f64], rounding: &mut [f64]) {
        let found = FindSquareRoot {
            fronts: &self.fronts,
            triangle: &self.triangle,
            root: &mut self.root,
        };
        found.dispatch();
        self.probe();
        for (position, &unknown) in self.pattern.order.iter().enumerate() {
            // Each position stands in a front.
            let variance = self.root.covariance(&self.fronts, position, position);
            let deviation = variance.unwrap_or(f64::NAN).sqrt();
            let error = self.root.error(position);
            let unit = self.rows.units()[unknown];
            (variances[unknown], rounding[unknown]) = judged(deviation * unit, error * unit, unit);
        }
    }
}

/// The variance of a deviation, and the share of it that may be rounding, for a deviation that may be off by an error.
fn judged(deviation: f64, error: f64, unit: f64) -> (f64, f64) {
    // So much of what the robot's weight brings about is nothing, if rounding may have made it.
    const CERTAIN: f64 = 1e-13;
    if deviation < CERTAIN * unit && deviation <= 100.0 * error {
        (0.0, 0.0)
    } else {
        (deviation.powi(2), 2.0 * error / deviation)
    }
}

/// The entries of a row by position, for unknowns in their units; what is stated does not vary, and is left out.
fn varying<'a>(
    rows: &'a Rows,
    pattern: &'a FactorPattern,
    row: Row<'a>,
) -> impl Iterator<Item = (usize, f64)> + 'a {
    let terms = row.columns.iter().zip(row.entries);
    let terms = terms.filter(|term| !rows.stated().has(*term.0));
    terms.map(|(&column, a)| (pattern.position[column], a * rows.units()[column]))
}

/// So little of an unknown, and of what the robot's weight brings about of it, does not show in a number.
const NOTHING: f64 = 1e-16;

/// So much larger than its pivot may a number be before the mean is turned.
const GROWTH: f64 = 1e3;

/// So few deviations the unknowns may go on changing by.
const UNSEEN: f64 = 1e-3;

/// How often the mean is corrected at most, and what the last correction may change.
const CORRECTIONS: usize = 8;
const INACCURATE: f64 = 1e-10;

/// A row of the equations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub columns: &'a [usize],
    pub entries: &'a [f64],
}

impl Estimator {
    /// Brings equations and priors to a triangle, and solves.
    ///
    /// The mean is corrected by the residuals that it leaves, both in twice the digits, until that changes nothing any more
    /// (Wilkinson 1963, *Rounding errors in algebraic processes*; of least squares: Björck 1967, *Iterative refinement of linear least
    /// squares solutions*).
    ///
    /// Where the triangle has lost digits, rows stay at right angles to what the transformations made of the unknowns' columns, not to
    /// these: then the mean is turned until they are.
    pub(super) fn solve_exactly(&mut self, with_sensors: bool) -> Result<(), EstimateError> {
        self.weigh(with_sensors);
        self.mean.fill(0.0);
        self.rest.fill(0.0);
        self.residuals.copy_from_slice(&self.rhs);
        self.take_over_residuals();
        self.triangulate()?;
        self.step(Exact::solve);
        let mut refined = self.refine(with_sensors, |exact, x| {
            exact.repeat();
            exact.solve(x);
        });
        let has_grown =
            matches!(&self.method, Method::Exact(exact) if exact.memory.growth() > GROWTH);
        if refined.is_ok() && has_grown {
            // Where next to nothing determines an unknown, what goes on changing may be nothing beside its deviation.
            let turned = self.refine(with_sensors, Exact::turn);
            let shows = matches!(&self.method, Method::Exact(exact) if exact.turned_by > UNSEEN);
            refined = if shows { turned } else { Ok(()) };
        }
        refined.map_err(|(by, column)| EstimateError::Inaccurate {
            unknown: describe(&self.system, column),
            by,
        })
    }

    /// Fails if an exact row is not met: then it was taken for rounding, or can't be met.
    pub(super) fn check_exact_rows(&self, with_sensors: bool) -> Result<(), EstimateError> {
        let Method::Exact(exact) = &self.method else {
            return Ok(());
        };
        let (sparsity, units) = (self.system.sparsity(), exact.rows.units());
        for (row, rest) in self.residuals.iter().enumerate() {
            let says_nothing = sparsity.row(row).is_empty();
            if !self.weights.is_exact(row) || !self.is_on(row, with_sensors) || says_nothing {
                continue;
            }
            let values = self.values[sparsity.row_range(row)].iter();
            let terms = values.zip(sparsity.row(row));
            let terms =
                terms.map(|(a, &column)| a.abs() * (self.mean[column].abs() + units[column]));
            let size = terms.fold(self.rhs[row].abs(), f64::max);
            if rest.abs() > AGREEMENT * size {
                return Err(EstimateError::Contradiction {
                    row: self.system.describe_row(row).unwrap_or_default(),
                    by: rest.abs() / size,
                });
            }
        }
        Ok(())
    }

    /// Adds to the mean what follows from its residuals, until that changes nothing any more; fails with the largest share that goes on
    /// changing, and its column.
    fn refine(
        &mut self,
        with_sensors: bool,
        follow: impl Fn(&mut Exact, &mut [f64]),
    ) -> Result<(), (f64, usize)> {
        let mut before = 1.0;
        for correction in 1.. {
            self.find_residuals(with_sensors);
            self.take_over_residuals();
            let (share, column) = self.step(&follow);
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

    /// Finds an order of elimination in which exact rows state unknowns well, by trying some configurations: the neutral and the
    /// reference ones, in which much vanishes, and random ones.
    ///
    /// # Errors
    /// As [`System::assemble`].
    pub(super) fn find_order(&mut self) -> Result<(), EstimateError> {
        for sample in samples(self.system.model()) {
            self.values = matrix_values(&self.system, &sample.q)?;
            for with_sensors in [true, false] {
                self.weigh(with_sensors);
                self.take_over_residuals();
                // What is not determined is said where it is asked for.
                let _ = self.triangulate();
            }
        }
        Ok(())
    }

    /// Takes over the entries of the equations.
    fn weigh(&mut self, with_sensors: bool) {
        let Method::Exact(exact) = &mut self.method else {
            return;
        };
        let (sensors, switches, weights) = (&self.sensors, &self.switches, &self.weights);
        exact.rows.weigh(&self.values, |row| {
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
        let Method::Exact(exact) = &mut self.method else {
            return;
        };
        let (information, mean) = (&self.prior_information, &self.prior_mean);
        let so_far = (&self.mean[..], &self.rest[..]);
        exact.rows.assume(information, mean, so_far, &self.priors);
        exact
            .rows
            .set_right(&self.values, |row| self.residuals[row]);
    }

    /// Brings the rows to a triangle.
    fn triangulate(&mut self) -> Result<(), EstimateError> {
        let Method::Exact(exact) = &mut self.method else {
            return Ok(());
        };
        exact.triangulate().map_err(|error| match error {
            NoTriangle::Vanishing { position } => {
                unobservable(&self.system, exact.pattern.order[position])
            }
            NoTriangle::Contradiction { row, by } => EstimateError::Contradiction {
                row: self.system.describe_row(row).unwrap_or_default(),
                by,
            },
            NoTriangle::Late | NoTriangle::Overflow => overflow("the matrix of the estimate"),
        })
    }

    /// Adds to the mean what follows; returns the largest change of an unknown, of itself and its unit together, and its
    /// column. Where others are 10¹⁰ and more times as large in their units, these count, too.
    fn step(&mut self, follow: impl FnOnce(&mut Exact, &mut [f64])) -> (f64, usize) {
        let Method::Exact(exact) = &mut self.method else {
            return (0.0, 0);
        };
        follow(exact, &mut self.column);
        let steps = exact.rows.units().iter().zip(&self.column);
        let means = self.mean.iter_mut().zip(&mut self.rest).zip(steps.clone());
        let mut greatest = 0.0_f64;
        for ((mean, rest), (unit, step)) in means {
            let mut sum = TwiceSum::from(*mean);
            sum.add(*rest);
            sum.add(*step);
            (*mean, *rest) = sum.parts();
            greatest = greatest.max(mean.abs() / unit);
        }
        let beside = 1.0 + 1e-10 * greatest;
        let mut largest = (0.0, 0);
        for (column, (mean, (unit, step))) in self.mean.iter().zip(steps).enumerate() {
            let share = step.abs() / (mean.abs() + beside * unit);
            if share > largest.0 {
                largest = (share, column);
            }
        }
        largest
    }

    /// Writes the derivative of the unknowns by an input.
    pub(super) fn exact_gain(&mut self, input: usize, gain: &mut [f64]) {
        let Method::Exact(exact) = &mut self.method else {
            return;
        };
        exact.rows.rhs.fill(0.0);
        let right = |row| self.system.input_coefficient(row, input);
        exact.rows.set_right(&self.values, right);
        exact.repeat();
        exact.solve(gain);
    }

    /// The variances of all unknowns, and which share of each may be rounding.
    pub(super) fn find_exact_variances(&mut self) {
        if let Method::Exact(exact) = &mut self.method {
            exact.find_variances(&mut self.variances, &mut self.rounding);
        }
    }
}
