//! Estimates by elimination and normal equations in numbers of 150 decimal digits: with so many,
//! nothing needs care.

use crate::common::{State, assemble};
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;
use featherline_system::Estimator;
use std::collections::BTreeMap;

/// A binary number of many digits.
pub type Real = FBig<HalfEven, 2>;

/// Squares of deviations from 10⁻¹² to 10⁵ of what is measured span 34 digits, and are squared once
/// more by elimination.
const BITS: usize = 500;

/// A number as it is.
fn real(x: f64) -> Real {
    let exact = Real::try_from(x).expect("a finite number");
    exact.with_precision(BITS).value()
}

fn size(x: &Real) -> f64 {
    x.to_f64().value().abs()
}

/// Entries by column, and a right-hand side.
#[derive(Clone)]
struct Row {
    entries: BTreeMap<usize, Real>,
    right: Real,
}

impl Row {
    /// Replaces an unknown by what states it: x = right − Σ entries · others.
    fn put(&mut self, column: usize, stated: &Row) {
        let Some(factor) = self.entries.remove(&column) else {
            return;
        };
        for (&other, entry) in &stated.entries {
            let part = &factor * entry;
            let own = self.entries.entry(other).or_insert_with(|| real(0.0));
            *own -= part;
        }
        self.right -= &factor * &stated.right;
    }
}

/// The most probable unknowns and their deviations, of the rows that an estimator has in a state,
/// all sensors being on, and of its priors of single unknowns.
pub struct Witness {
    /// The unknowns that exact rows state, in the order of elimination.
    stated: Vec<(usize, Row)>,
    /// The unknowns that they leave open, and what these are.
    free: Vec<usize>,
    solution: Vec<Real>,
    /// The Cholesky factor of the normal matrix.
    factor: Vec<Vec<Real>>,
    /// The sum of squares of what rows exceed their expectation by, in deviations.
    pub cost: f64,
}

impl Witness {
    pub fn new(estimator: &Estimator, state: &State, inputs: &[f64]) -> Self {
        let system = estimator.system();
        let (values, rhs) = assemble(system, &state.q, &state.v, inputs);
        let mut rows: Vec<Row> = rhs
            .iter()
            .map(|&right| Row {
                entries: BTreeMap::new(),
                right: real(right),
            })
            .collect();
        for ((row, column), value) in system.sparsity().iter().zip(values) {
            if value != 0.0 {
                rows[row].entries.insert(column, real(value));
            }
        }
        let (mut exact, mut soft) = (Vec::new(), Vec::new());
        for (row, own) in rows.into_iter().enumerate() {
            match estimator.variance(row).expect("a row") {
                0.0 => exact.push(own),
                variance => soft.push((own, real(1.0) / real(variance))),
            }
        }
        for column in 0..system.unknowns().count() {
            if let (mean, Some(variance)) = estimator.prior(column).expect("a column") {
                let row = Row {
                    entries: BTreeMap::from([(column, real(1.0))]),
                    right: real(mean),
                };
                soft.push((row, real(1.0) / real(variance)));
            }
        }
        let stated = eliminate(exact, &mut soft);
        let is_stated = |column: &usize| stated.iter().any(|(other, _)| other == column);
        let columns = 0..system.unknowns().count();
        let free: Vec<usize> = columns.filter(|column| !is_stated(column)).collect();
        let (factor, solution) = normal_equations(&free, &soft);
        let mut cost = real(0.0);
        for (row, weight) in &soft {
            let mut rest = row.right.clone();
            for (column, entry) in &row.entries {
                let place = free.binary_search(column).expect("a free one");
                rest -= entry * &solution[place];
            }
            cost += &rest * &rest * weight;
        }
        Self {
            stated,
            free,
            solution,
            factor,
            cost: cost.to_f64().value(),
        }
    }

    /// The mean and the deviation of an unknown.
    pub fn moments(&self, column: usize) -> (f64, f64) {
        let mut row = Row {
            entries: BTreeMap::from([(column, real(1.0))]),
            right: real(0.0),
        };
        for (column, stated) in &self.stated {
            row.put(*column, stated);
        }
        // The substituted constants are subtracted from the right-hand side.
        let mut mean = -row.right;
        let mut image = vec![real(0.0); self.free.len()];
        for (column, entry) in &row.entries {
            let place = self.free.binary_search(column).expect("a free one");
            mean += entry * &self.solution[place];
            image[place] = entry.clone();
        }
        // Of the normal matrix L Lᵀ, the variance is |L⁻¹ a|².
        forward(&self.factor, &mut image);
        let variance = image.iter().fold(real(0.0), |sum, x| sum + x * x);
        (mean.to_f64().value(), variance.to_f64().value().sqrt())
    }
}

/// Lets each exact row state the unknown with its largest entry, shortest rows first.
fn eliminate(mut exact: Vec<Row>, soft: &mut [(Row, Real)]) -> Vec<(usize, Row)> {
    let mut stated = Vec::new();
    while !exact.is_empty() {
        let shortest = (0..exact.len()).min_by_key(|&row| exact[row].entries.len());
        let mut row = exact.swap_remove(shortest.expect("a row"));
        let largest = row
            .entries
            .iter()
            .max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
        // Rounding of the equations' own numbers is no row.
        let Some((&column, entry)) = largest.filter(|(_, entry)| size(entry) > 1e-12) else {
            continue;
        };
        let scale = real(1.0) / entry;
        row.entries.remove(&column);
        for entry in row.entries.values_mut() {
            *entry *= &scale;
        }
        row.right *= &scale;
        let soft = soft.iter_mut().map(|(row, _)| row);
        for other in exact.iter_mut().chain(soft) {
            other.put(column, &row);
        }
        stated.push((column, row));
    }
    stated
}

/// The Cholesky factor of Aᵀ W A by rows, and the solution for Aᵀ W r.
fn normal_equations(free: &[usize], soft: &[(Row, Real)]) -> (Vec<Vec<Real>>, Vec<Real>) {
    let size = free.len();
    let mut factor: Vec<Vec<Real>> = (0..size).map(|row| vec![real(0.0); row + 1]).collect();
    let mut right = vec![real(0.0); size];
    for (row, weight) in soft {
        let places: Vec<(usize, &Real)> = row
            .entries
            .iter()
            .map(|(column, entry)| (free.binary_search(column).expect("a free one"), entry))
            .collect();
        for (k, &(place, entry)) in places.iter().enumerate() {
            let weighted = entry * weight;
            right[place] += &weighted * &row.right;
            for &(other, entry) in &places[..=k] {
                factor[place][other] += &weighted * entry;
            }
        }
    }
    for k in 0..size {
        let (above, below) = factor.split_at_mut(k);
        let row = &mut below[0];
        for j in 0..k {
            let other = &above[j];
            let sum = (0..j).fold(row[j].clone(), |sum, i| sum - &row[i] * &other[i]);
            row[j] = sum / &other[j];
        }
        let sum = (0..k).fold(row[k].clone(), |sum, i| sum - &row[i] * &row[i]);
        row[k] = sum.sqrt();
    }
    forward(&factor, &mut right);
    for k in (0..size).rev() {
        right[k] = &right[k] / &factor[k][k];
        let (own, known) = (right[k].clone(), &factor[k]);
        for j in 0..k {
            right[j] -= &known[j] * &own;
        }
    }
    (factor, right)
}

/// Turns x into L⁻¹ x.
fn forward(factor: &[Vec<Real>], x: &mut [Real]) {
    for (k, row) in factor.iter().enumerate() {
        let sum = (0..k).fold(x[k].clone(), |sum, j| sum - &row[j] * &x[j]);
        x[k] = sum / &row[k];
    }
}
