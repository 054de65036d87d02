//! The independent constraints of loops, by a pivoted factorisation of K Kᵀ.
//!
//! A question of geometry: what bodies weigh has no part in it, nor how large a linkage is beside
//! others. Rows of K are measured in rad and in lengths of their loop, columns by what a unit of
//! the coordinate moves.

use super::factors::SparseSum;
use std::cmp::Ordering;

/// A constraint with less of a pivot of K Kᵀ, 8·10⁻⁵ of a motion squared, is redundant.
pub(crate) const REDUNDANT: f64 = 6e-9;

/// Pivots below this part of what the constraint holds by itself are rounding.
const ROUNDING: f64 = 1e-13;

/// The largest condition: pivots that would make it larger are those of redundant constraints.
pub(crate) const LARGEST_CONDITION: f64 = 1.0 / REDUNDANT;

/// Finds the independent constraints, those that hold most first.
#[derive(Clone, Debug)]
pub(crate) struct Independence {
    /// The squared motion by a unit of each coordinate: the least of its joints in loops, in rad²,
    /// or in squared lengths of the loop for those that do not turn. Zero for those that move no
    /// loop.
    pub moved: Vec<f64>,
    /// One over it, where it is not zero.
    weights: Vec<f64>,
    /// One over the squares of what constraints are measured in.
    pub per_square: Vec<f64>,
    /// The pivot of each constraint beyond those that hold, measured: from the diagonal of what is
    /// left of K Kᵀ. Minus infinity for those, and for rounding.
    pub left: Vec<f64>,
    /// A pivot that is rounding.
    rounding: Vec<f64>,
    /// The factors of K Kᵀ by columns, of independent constraints in their order, not measured.
    factors: Vec<f64>,
    independent: Vec<usize>,
    /// How many hold at most; what is left then is redundant, whatever its pivots.
    most_independent: usize,
    least_pivot: f64,
}

impl Independence {
    pub(crate) fn new(constraints: usize, coordinates: usize) -> Self {
        Self {
            moved: vec![0.0; coordinates],
            weights: vec![0.0; coordinates],
            per_square: vec![1.0; constraints],
            left: vec![0.0; constraints],
            rounding: vec![0.0; constraints],
            factors: vec![0.0; constraints * constraints],
            independent: Vec::with_capacity(constraints),
            most_independent: constraints,
            least_pivot: 1.0,
        }
    }

    /// Takes another number of constraints, no more than it was made for. Allocates nothing.
    pub(crate) fn set_constraints(&mut self, constraints: usize) {
        for numbers in [&mut self.per_square, &mut self.left, &mut self.rounding] {
            numbers.resize(constraints, 1.0);
        }
        self.independent.clear();
        self.most_independent = constraints;
    }

    /// B of K = B Kᵢ, with Kᵢ the rows of the r independent constraints, in their order: r numbers
    /// for each constraint. From the factors L of K Kᵀ, B = L Lᵢ⁻¹.
    pub(crate) fn write_dependence(&self, b: &mut [f64]) {
        let (n, r) = (self.left.len(), self.independent.len());
        for (i, row) in b.chunks_exact_mut(r).take(n).enumerate() {
            for (k, entry) in row.iter_mut().enumerate() {
                *entry = self.factors[k * n + i];
            }
            for k in (0..r).rev() {
                let column = &self.factors[k * n..(k + 1) * n];
                let mut x = row[k];
                for a in k + 1..r {
                    x = (-row[a]).mul_add(column[self.independent[a]], x);
                }
                row[k] = x / column[self.independent[k]];
            }
        }
    }

    /// Lets no more than so many constraints hold, those of the largest pivots.
    pub(crate) fn limit_independent(&mut self, most: usize) {
        self.most_independent = most.min(self.left.len());
    }

    /// The independent constraints, those of the largest pivots first.
    #[inline(always)]
    pub(crate) fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// How many constraints are redundant.
    #[inline(always)]
    pub(crate) fn redundant(&self) -> usize {
        self.left.len() - self.independent.len()
    }

    /// One over the least pivot of independent constraints, if that is below one.
    #[inline(always)]
    pub(crate) fn condition(&self) -> f64 {
        self.least_pivot.min(1.0).recip()
    }

    /// Factorises K Kᵀ, the largest pivot first, down to a least one: a column at a time, so that
    /// none is computed of redundant constraints (N. J. Higham, *Accuracy and Stability of
    /// Numerical Algorithms*, 2002, section 10.3).
    #[inline(always)]
    pub(crate) fn factorise(&mut self, jacobian: &[f64], least: f64) {
        let n = self.left.len();
        let Self {
            moved,
            weights,
            per_square,
            left,
            rounding,
            factors,
            independent,
            ..
        } = self;
        left.fill(0.0);
        for (weight, moved) in weights.iter_mut().zip(moved) {
            *weight = if *moved == 0.0 { 0.0 } else { moved.recip() };
        }
        for (row, weight) in jacobian.chunks_exact(n).zip(&*weights) {
            for (left, k) in left.iter_mut().zip(row) {
                *left = (k * k).mul_add(*weight, *left);
            }
        }
        for ((left, per_square), rounding) in left.iter_mut().zip(&*per_square).zip(&mut *rounding)
        {
            *left *= per_square;
            *rounding = ROUNDING * *left;
        }
        independent.clear();
        self.least_pivot = 1.0;
        while independent.len() < self.most_independent {
            let mut best = 0;
            for i in 1..n {
                if left[i] > left[best] {
                    best = i;
                }
            }
            let pivot = left[best];
            if pivot.partial_cmp(&least) != Some(Ordering::Greater) {
                break;
            }
            left[best] = f64::NEG_INFINITY;
            // Others may be larger than rounding of their own.
            if pivot <= rounding[best] {
                continue;
            }
            let (before, column) = factors.split_at_mut(independent.len() * n);
            let column = &mut column[..n];
            column.fill(0.0);
            // Most joints move few loops.
            let mut sum = SparseSum::of(jacobian, n, 0);
            for (k, (row, weight)) in jacobian.chunks_exact(n).zip(&*weights).enumerate() {
                sum.add(k, row[best] * weight, column);
            }
            sum.finish(column);
            let mut sum = SparseSum::of(before, n, 0);
            for (k, row) in before.chunks_exact(n).enumerate() {
                sum.add(k, -row[best], column);
            }
            sum.finish(column);
            let size = (per_square[best] / pivot).sqrt();
            for ((entry, left), per_square) in column.iter_mut().zip(&mut *left).zip(&*per_square) {
                *entry *= size;
                *left = (-*entry * per_square).mul_add(*entry, *left);
            }
            independent.push(best);
            self.least_pivot = pivot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of constraints with rows of three entries.
    fn factorised(rows: &[[f64; 3]], most: usize) -> Independence {
        let mut independence = Independence::new(rows.len(), 3);
        independence.moved.fill(1.0);
        let jacobian: Vec<f64> = (0..3)
            .flat_map(|k| rows.iter().map(move |row| row[k]))
            .collect();
        independence.limit_independent(most);
        independence.factorise(&jacobian, REDUNDANT);
        independence
    }

    #[test]
    fn what_repeats_is_left_out_wherever_it_stands() {
        let (a, b) = ([1.0, 2.0, 3.0], [0.5, -1.0, 0.25]);
        let sum = [1.5, 1.0, 3.25];
        // The largest is first, and then what is left of the second.
        for rows in [[a, b, sum], [sum, a, b], [b, sum, a]] {
            let found = factorised(&rows, 3);
            assert_eq!((found.redundant(), found.independent().len()), (1, 2));
            assert_eq!(rows[found.independent()[0]], a);
            assert_eq!(found.condition(), 1.0);
        }
        assert_eq!(factorised(&[[0.0; 3]; 4], 4).redundant(), 4);
    }

    #[test]
    fn a_hundred_thousandth_of_a_motion_repeats_and_a_thousandth_does_not() {
        let rows = |small: f64| [[1.0, 0.0, 0.0], [1.0, small, 0.0], [0.0, 0.0, 2.0]];
        assert_eq!(factorised(&rows(1e-5), 3).redundant(), 1);
        let held = factorised(&rows(1e-3), 3);
        assert_eq!(held.redundant(), 0);
        // One over the square of what is held.
        let beside = 1.0 + 1e-6;
        assert!((held.condition() * 1e-6 / beside - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_rounding_of_one_hides_no_other() {
        // The second holds 10⁷ of a unit and repeats the first but for its last digits; the third,
        // less than that rounding.
        let third = [0.0, 0.0, 1e-4];
        let large = [1e7, 1e7, 0.0];
        let rows = [large, [1e7, 1e7 * (1.0 + 1e-10), 0.0], third];
        let found = factorised(&rows, 3);
        assert!(found.independent().contains(&2), "{found:?}");
        assert_eq!(found.redundant(), 1);
    }

    #[test]
    fn no_more_hold_than_may() {
        let rows = [[1.0, 2.0, 3.0], [0.0, 1e-2, 0.0], [0.5, -1.0, 0.25]];
        assert_eq!(factorised(&rows, 3).redundant(), 0);
        let found = factorised(&rows, 2);
        assert_eq!((found.independent(), found.redundant()), (&[0, 2][..], 1));
    }
}
