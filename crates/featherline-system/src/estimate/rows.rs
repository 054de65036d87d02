//! Equations, sensors and priors as rows whose errors have variance one.

use super::prior::PriorBlock;
use super::weights::Weights;
use crate::system::{Equation, LEAST_SHARE, System};
use featherline_sparse::CompensatedSum;
use featherline_sparse::multifrontal::{RowKind, WeightedRows};
use std::ops::Range;

/// Unknowns that an exact row states alone, such as forces that are known to be zero.
#[derive(Clone, Debug)]
pub(super) struct StatedUnknowns {
    /// The row, its entry, and the unknown.
    by: Vec<(usize, usize, usize)>,
    rows: Vec<bool>,
    columns: Vec<bool>,
}

impl StatedUnknowns {
    /// The unknowns that are simply known, and of which nothing is assumed together with others.
    pub fn of(system: &System, weights: &Weights, priors: &[PriorBlock]) -> Self {
        let mut stated = Self {
            by: Vec::new(),
            rows: vec![false; system.equations().count()],
            columns: vec![false; system.unknowns().count()],
        };
        let shared: Vec<usize> = priors
            .iter()
            .flat_map(PriorBlock::columns)
            .copied()
            .collect();
        for row in 0..system.equations().count() {
            let is_known = matches!(system.equations().at(row), Some(Equation::Known { .. }));
            if let (true, &[column]) = (
                is_known && weights.is_exact(row),
                system.sparsity().row(row),
            ) && !stated.columns[column]
                && !shared.contains(&column)
            {
                (stated.rows[row], stated.columns[column]) = (true, true);
                let entry = system.sparsity().row_range(row).start;
                stated.by.push((row, entry, column));
            }
        }
        stated
    }

    /// Whether a row states an unknown.
    pub fn is_by(&self, row: usize) -> bool {
        self.rows[row]
    }

    /// Whether an unknown is stated.
    pub fn has(&self, column: usize) -> bool {
        self.columns[column]
    }
}

/// The rows of all equations, then one for the prior of each unknown, then those of priors of
/// several unknowns.
///
/// An unknown that an exact row gives alone is no unknown in the others: there its term is moved to
/// the right-hand side.
#[derive(Clone, Debug)]
pub(super) struct EquationRows {
    stated: StatedUnknowns,
    /// The entries of the equations that stay, with their columns, and where those of each begin.
    kept: Vec<(u32, u32)>,
    starts: Vec<usize>,
    moved: Vec<KnownTerm>,
    /// The weight of each equation.
    measures: Vec<Measure>,
    /// The values of the unknowns that are given, each with the largest term of its row.
    known: Vec<(f64, f64)>,
}

/// How a row of the equations counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Measure {
    /// Not at all: it belongs to a sensor that is off.
    Off,
    /// It has no error.
    Exact,
    /// One over the deviation of its error.
    Weighted(f64),
}

impl Measure {
    fn kind(self) -> RowKind {
        match self {
            Self::Off => RowKind::Off,
            Self::Exact => RowKind::Exact,
            Self::Weighted(_) => RowKind::Weighted,
        }
    }

    fn factor(self) -> f64 {
        match self {
            Self::Off => 0.0,
            Self::Exact => 1.0,
            Self::Weighted(root) => root,
        }
    }
}

/// An entry that is multiplied by a stated unknown and taken to the right-hand side.
#[derive(Clone, Debug)]
struct KnownTerm {
    row: usize,
    /// The row's entries.
    entries: Range<usize>,
    entry: usize,
    column: usize,
}

impl EquationRows {
    /// The rows of a system, and their numbers.
    pub fn new(
        system: &System,
        stated: StatedUnknowns,
        priors: &[PriorBlock],
        units: Vec<f64>,
    ) -> (Self, WeightedRows) {
        let (sparsity, unknowns) = (system.sparsity(), system.unknowns().count());
        let count = sparsity.rows();
        let (mut kept, mut starts, mut moved) = (Vec::new(), vec![0], Vec::new());
        let mut columns = Vec::with_capacity(count + unknowns);
        for row in 0..count {
            let mut own = Vec::new();
            let entries = sparsity.row_range(row);
            for (entry, &column) in entries.clone().zip(sparsity.row(row)) {
                if stated.has(column) && !stated.is_by(row) {
                    moved.push(KnownTerm {
                        row,
                        entries: entries.clone(),
                        entry,
                        column,
                    });
                } else {
                    kept.push((entry as u32, column as u32));
                    own.push(column);
                }
            }
            starts.push(kept.len());
            columns.push(own);
        }
        columns.extend((0..unknowns).map(|column| vec![column]));
        columns.extend(priors.iter().flat_map(PriorBlock::row_columns));
        let numbers = WeightedRows::new(columns, units, stated.columns.clone());
        let rows = Self {
            stated,
            kept,
            starts,
            moved,
            measures: vec![Measure::Off; count],
            known: vec![(0.0, 0.0); unknowns],
        };
        (rows, numbers)
    }

    /// The unknowns that an exact row states alone.
    pub fn stated(&self) -> &StatedUnknowns {
        &self.stated
    }

    /// Takes over the entries of the equations.
    pub fn weigh(
        &mut self,
        rows: &mut WeightedRows,
        values: &[f64],
        measure: impl Fn(usize) -> Measure,
    ) {
        for row in 0..self.measures.len() {
            let measure = measure(row);
            let (range, factor) = (self.starts[row]..self.starts[row + 1], measure.factor());
            let kept = self.kept[range.clone()].iter();
            for (k, &(entry, column)) in range.zip(kept) {
                rows.numbers[k] = factor * values[entry as usize] * rows.units()[column as usize];
            }
            rows.kinds[row] = measure.kind();
            self.measures[row] = measure;
        }
    }

    /// Adds Dᵀ W (b − D y) of rows with errors to sums by column, for unknowns in their units.
    #[inline(always)]
    pub fn add_gradient(
        &self,
        rows: &WeightedRows,
        values: &[f64],
        gradient: &mut [CompensatedSum],
    ) {
        for (row, measure) in self.measures.iter().enumerate() {
            let Measure::Weighted(factor) = measure else {
                continue;
            };
            let weighted = factor * rows.rhs[row];
            for &(entry, column) in &self.kept[self.starts[row]..self.starts[row + 1]] {
                let column = column as usize;
                let value = values[entry as usize] * rows.units()[column];
                gradient[column].add_product(value, weighted);
            }
        }
        let mut numbers = &rows.numbers[self.kept.len()..];
        for row in self.measures.len()..rows.rhs.len() {
            let columns = &rows.columns()[row];
            let (own, after) = numbers.split_at(columns.len());
            numbers = after;
            if rows.kinds[row] != RowKind::Off {
                for (&a, &column) in own.iter().zip(columns) {
                    gradient[column].add_product(a, rows.rhs[row]);
                }
            }
        }
    }

    /// Takes over the priors of single unknowns, and of several, for what is to be added to x.
    pub fn assume(
        &self,
        rows: &mut WeightedRows,
        information: &[f64],
        mean: &[f64],
        x: &[f64],
        priors: &[PriorBlock],
    ) {
        let equations = self.measures.len();
        let WeightedRows {
            units,
            numbers,
            rhs,
            kinds,
            ..
        } = rows;
        let (_, numbers) = numbers.split_at_mut(self.kept.len());
        let (_, rhs) = rhs.split_at_mut(equations);
        let (own, mut blocks) = numbers.split_at_mut(mean.len());
        let (own_rhs, mut blocks_rhs) = rhs.split_at_mut(mean.len());
        for (k, (number, rhs)) in own.iter_mut().zip(own_rhs).enumerate() {
            let root = information[k].sqrt();
            (*number, *rhs) = (root * units[k], root * (mean[k] - x[k]));
            kinds[equations + k] = match root > 0.0 {
                true => RowKind::Weighted,
                false => RowKind::Off,
            };
        }
        for prior in priors {
            (blocks, blocks_rhs) = prior.write_rows(units, x, blocks, blocks_rhs);
        }
    }

    /// Takes over the right-hand sides of the equations, each with the largest number that it came
    /// from.
    pub fn set_right(
        &mut self,
        rows: &mut WeightedRows,
        values: &[f64],
        right: impl Fn(usize) -> (f64, f64),
    ) {
        for (row, measure) in self.measures.iter().enumerate() {
            let (value, size) = right(row);
            (rows.rhs[row], rows.sizes[row]) = (measure.factor() * value, measure.factor() * size);
        }
        for &(row, entry, column) in &self.stated.by {
            let (value, size) = right(row);
            self.known[column] = (value / values[entry], size / values[entry].abs());
        }
        for terms in self.moved.chunk_by(|a, b| a.row == b.row) {
            let row = terms[0].row;
            let (factor, entries) = (
                self.measures[row].factor(),
                &values[terms[0].entries.clone()],
            );
            let largest = entries.iter().fold(0.0_f64, |most, a| most.max(a.abs()));
            for &KnownTerm { entry, column, .. } in terms {
                let (known, size) = self.known[column];
                rows.rhs[row] -= factor * values[entry] * known;
                let a = values[entry].abs().max(LEAST_SHARE * largest);
                rows.sizes[row] = rows.sizes[row].max(factor * a * size);
            }
        }
    }
}
