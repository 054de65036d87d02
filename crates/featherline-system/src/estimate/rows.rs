//! Equations, sensors and priors as rows whose errors have variance one.

use super::prior::PriorBlock;
use super::weights::Weights;
use crate::equation::Equation;
use crate::system::System;

/// Unknowns that an exact row states alone, such as forces that are known to be zero.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    /// The row, its entry, and the unknown.
    by: Vec<(usize, usize, usize)>,
    rows: Vec<bool>,
    columns: Vec<bool>,
}

impl Stated {
    /// No unknown of a system.
    pub fn nothing(system: &System) -> Self {
        Self {
            by: Vec::new(),
            rows: vec![false; system.equations().count()],
            columns: vec![false; system.unknowns().count()],
        }
    }

    /// The unknowns that are simply known, and of which nothing is assumed together with others.
    pub fn of(system: &System, weights: &Weights, priors: &[PriorBlock]) -> Self {
        let mut stated = Self::nothing(system);
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

/// The rows of all equations, then one for the prior of each unknown, then those of priors of several unknowns.
///
/// An unknown that an exact row states alone is no unknown in the others: there its part is taken to the right-hand side.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    stated: Stated,
    /// The entries of the equations that stay, and where those of each begin.
    kept: Vec<u32>,
    starts: Vec<usize>,
    moved: Vec<Moved>,
    /// The columns of all rows.
    columns: Vec<Vec<usize>>,
    /// One over the deviation of each equation; zero for sensors that are off.
    roots: Vec<f64>,
    /// The unknowns that are stated.
    known: Vec<f64>,
    /// The entries of all rows.
    pub numbers: Vec<f64>,
    /// Their right-hand sides.
    pub rhs: Vec<f64>,
}

/// An entry that is multiplied by a stated unknown and taken to the right-hand side.
#[derive(Clone, Copy, Debug)]
struct Moved {
    row: usize,
    entry: usize,
    column: usize,
}

impl Rows {
    /// The rows of a system.
    pub fn new(system: &System, stated: Stated, priors: &[PriorBlock]) -> Self {
        let (sparsity, unknowns) = (system.sparsity(), system.unknowns().count());
        let count = sparsity.rows();
        let (mut kept, mut starts, mut moved) = (Vec::new(), vec![0], Vec::new());
        let mut columns = Vec::with_capacity(count + unknowns);
        for row in 0..count {
            let mut own = Vec::new();
            for (entry, &column) in sparsity.row_range(row).zip(sparsity.row(row)) {
                if stated.has(column) && !stated.is_by(row) {
                    moved.push(Moved { row, entry, column });
                } else {
                    kept.push(entry as u32);
                    own.push(column);
                }
            }
            starts.push(kept.len());
            columns.push(own);
        }
        columns.extend((0..unknowns).map(|column| vec![column]));
        columns.extend(priors.iter().flat_map(PriorBlock::row_columns));
        Self {
            stated,
            kept,
            starts,
            moved,
            roots: vec![0.0; count],
            known: vec![0.0; unknowns],
            numbers: vec![0.0; columns.iter().map(Vec::len).sum()],
            rhs: vec![0.0; columns.len()],
            columns,
        }
    }

    /// What is stated.
    pub fn stated(&self) -> &Stated {
        &self.stated
    }

    /// The columns of each row.
    pub fn columns(&self) -> &[Vec<usize>] {
        &self.columns
    }

    /// Takes over the entries of the equations, those for which `root` is zero without weight.
    pub fn weigh(&mut self, values: &[f64], root: impl Fn(usize) -> f64) {
        for row in 0..self.roots.len() {
            let range = self.starts[row]..self.starts[row + 1];
            let root = root(row);
            for (number, &entry) in self.numbers[range.clone()]
                .iter_mut()
                .zip(&self.kept[range])
            {
                *number = root * values[entry as usize];
            }
            self.roots[row] = root;
        }
    }

    /// Takes over the priors of single unknowns, and of several.
    pub fn assume(&mut self, information: &[f64], mean: &[f64], priors: &[PriorBlock]) {
        let (_, numbers) = self.numbers.split_at_mut(self.kept.len());
        let (_, rhs) = self.rhs.split_at_mut(self.roots.len());
        let (own, mut blocks) = numbers.split_at_mut(mean.len());
        let (own_rhs, mut blocks_rhs) = rhs.split_at_mut(mean.len());
        for (k, (number, rhs)) in own.iter_mut().zip(own_rhs).enumerate() {
            *number = information[k].sqrt();
            *rhs = *number * mean[k];
        }
        for prior in priors {
            (blocks, blocks_rhs) = prior.write_rows(blocks, blocks_rhs);
        }
    }

    /// Takes over the right-hand sides of the equations.
    pub fn set_right(&mut self, values: &[f64], right: impl Fn(usize) -> f64) {
        for row in 0..self.roots.len() {
            self.rhs[row] = self.roots[row] * right(row);
        }
        for &(row, entry, column) in &self.stated.by {
            self.known[column] = right(row) / values[entry];
        }
        for &Moved { row, entry, column } in &self.moved {
            self.rhs[row] -= self.roots[row] * values[entry] * self.known[column];
        }
    }
}
