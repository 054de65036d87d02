//! M̂⁻¹ Jᵀ of each reading of an island, on the trees that it touches, and the velocity that
//! impulses lead to: an impulse changes it there alone.

use super::elimination::Elimination;
use super::islands::{Islands, Part};
use super::rows::{Rows, add, dot};
use std::ops::Range;

/// The most columns that are kept for an island: 24 MB.
const MOST_COLUMNS: usize = 500_000;

/// The velocity of an island between impulses on single readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Of each reading, where its columns are.
    of: Vec<Range<usize>>,
    coordinates: Vec<usize>,
    columns: Vec<[f64; 6]>,
    velocity: Vec<f64>,
    /// L⁻ᵀ Jᵀ of one reading.
    half: Vec<[f64; 6]>,
}

impl Answers {
    /// Finds the answers of an island. False where it is too large.
    #[inline(always)]
    pub fn find(
        &mut self,
        mass: &Elimination,
        islands: &Islands,
        (rows, part): (&Rows, &Part<'_>),
    ) -> bool {
        self.of.resize(rows.readings.len(), 0..0);
        self.half.resize(mass.len(), [0.0; 6]);
        self.coordinates.clear();
        self.columns.clear();
        for &index in part.readings {
            let reading = &rows.readings[index];
            let begin = self.coordinates.len();
            for (k, column) in rows.columns_of(reading) {
                let tree = islands.coordinates_of_tree(k);
                if !self.coordinates[begin..].contains(&tree[0]) {
                    self.coordinates.extend_from_slice(tree);
                }
                self.half[k] = *column;
            }
            self.of[index] = begin..self.coordinates.len();
            if self.coordinates.len() > MOST_COLUMNS {
                self.half.fill([0.0; 6]);
                return false;
            }
            let coordinates = &self.coordinates[begin..];
            for &k in coordinates.iter().rev() {
                let (path, factors, _) = mass.factor_row(k);
                let own = self.half[k];
                for (&i, &factor) in path.iter().zip(factors) {
                    add(&mut self.half[i], -factor, &own);
                }
            }
            for &k in coordinates {
                let (path, factors, inverse) = mass.factor_row(k);
                let mut own = self.half[k].map(|x| x * inverse);
                for (&i, &factor) in path.iter().zip(factors) {
                    add(&mut own, -factor, &self.half[i]);
                }
                self.half[k] = own;
            }
            for &k in coordinates {
                self.columns
                    .push(std::mem::replace(&mut self.half[k], [0.0; 6]));
            }
        }
        true
    }

    /// Takes v* + M̂⁻¹ Jᵀ f, the velocity for impulses f on the readings.
    #[inline(always)]
    pub fn begin(
        &mut self,
        mass: &mut Elimination,
        (rows, part): (&Rows, &Part<'_>),
        free: &[f64],
        f: &[[f64; 6]],
    ) {
        self.velocity.resize(free.len(), 0.0);
        for &k in part.coordinates {
            self.velocity[k] = 0.0;
        }
        for &index in part.readings {
            rows.add_transposed(&rows.readings[index], &f[index], &mut self.velocity);
        }
        mass.solve(part.coordinates, &mut self.velocity);
        for &k in part.coordinates {
            self.velocity[k] += free[k];
        }
    }

    /// z of a reading.
    #[inline(always)]
    pub fn read(&self, rows: &Rows, reading: usize) -> [f64; 6] {
        rows.read(&rows.readings[reading], &self.velocity)
    }

    /// Takes an impulse on a reading.
    #[inline(always)]
    pub fn push(&mut self, reading: usize, f: &[f64; 6]) {
        let range = self.of[reading].clone();
        let coordinates = self.coordinates[range.clone()].iter();
        for (&k, column) in coordinates.zip(&self.columns[range]) {
            self.velocity[k] += dot(column, f);
        }
    }
}
