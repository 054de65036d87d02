//! K M⁻¹ Kᵀ: how the gaps of loops answer to their forces, factorised although it may be singular.

use crate::scalar::row::{add_scaled, scale};

/// The part of the largest diagonal element that is added to the diagonal. Directions that answer less than some such
/// parts are held to be repetitions; the others lose as many digits in a step as the part has, and win them back in the next.
const PROXIMAL: f64 = 1e-8;

/// A pivot below this many times what was added is that of a constraint that repeats others, and gets no force of its own:
/// forces that change nothing would grow with every contradiction in the last digits.
const REPEATED: f64 = 8.0;

/// The largest condition: pivots that would make it larger are those of constraints that repeat others.
pub(super) const LARGEST_CONDITION: f64 = 1.0 / (REPEATED * PROXIMAL);

/// A symmetric positive semidefinite matrix and its factors.
#[derive(Clone, Debug)]
pub(super) struct Compliance {
    /// How many constraints there are.
    size: usize,
    /// By rows, to be set by the caller on the diagonal and to its right; then Uᵀ D U of the permuted matrix, with U to the
    /// right of a diagonal that has no meaning any more. The rest is not read.
    pub matrix: Vec<f64>,
    /// D, and its inverse.
    pivots: Vec<f64>,
    inverse_pivots: Vec<f64>,
    /// Row k of the factors is row `order[k]` of the matrix.
    order: Vec<usize>,
    permuted: Vec<f64>,
    /// How many constraints, the first in the order, repeat none of those before them.
    holding: usize,
    /// How many hold at most; what is left then repeats others, whatever its pivots.
    most_holding: usize,
}

impl Compliance {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            matrix: vec![0.0; size * size],
            pivots: vec![0.0; size],
            inverse_pivots: vec![0.0; size],
            order: (0..size).collect(),
            permuted: vec![0.0; size],
            holding: 0,
            most_holding: size,
        }
    }

    /// Lets no more than so many constraints hold, those of the largest pivots.
    pub(super) fn hold_at_most(&mut self, most: usize) {
        self.most_holding = most.min(self.size);
    }

    /// Factorises the matrix with a small multiple of the identity added, the largest pivot first (N. J. Higham, *Accuracy and
    /// Stability of Numerical Algorithms*, 2002, section 10.3).
    #[inline(always)]
    pub(super) fn factorise(&mut self) {
        let n = self.size;
        let a = &mut self.matrix[..];
        let mut largest = 0.0_f64;
        for k in 0..n {
            largest = largest.max(a[k * (n + 1)]);
        }
        // Nothing that the loops hold can move: any forces will do.
        let added = if largest > 0.0 {
            PROXIMAL * largest
        } else {
            1.0
        };
        for k in 0..n {
            a[k * (n + 1)] += added;
            self.order[k] = k;
        }
        self.holding = 0;
        for k in 0..self.most_holding {
            let mut best = k;
            for i in k + 1..n {
                if a[i * (n + 1)] > a[best * (n + 1)] {
                    best = i;
                }
            }
            if best != k {
                self.order.swap(k, best);
                exchange(a, n, k, best);
            }
            let pivot = a[k * (n + 1)];
            if pivot <= REPEATED * added {
                break;
            }
            self.holding = k + 1;
            self.pivots[k] = pivot;
            self.inverse_pivots[k] = pivot.recip();
            let (own, below) = a.split_at_mut((k + 1) * n);
            let own = &mut own[k * n..];
            for (i, row) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
                let factor = -own[i] * self.inverse_pivots[k];
                add_scaled(&mut row[i..], factor, &own[i..]);
            }
            scale(&mut own[k + 1..], self.inverse_pivots[k]);
        }
    }

    /// A damped solution: what is missed grows with how little a direction answers, and is won by solving for the rest
    /// again. Constraints that repeat others get none of it.
    #[inline(always)]
    pub(super) fn solve(&mut self, right: &[f64], solution: &mut [f64]) {
        let (n, holding) = (self.size, self.holding);
        let (u, x) = (&self.matrix[..], &mut self.permuted[..holding]);
        for k in 0..holding {
            x[k] = right[self.order[k]];
        }
        for k in 0..holding {
            let (above, below) = x.split_at_mut(k + 1);
            add_scaled(below, -above[k], &u[k * n + k + 1..k * n + holding]);
        }
        solution.fill(0.0);
        for k in (0..holding).rev() {
            let (own, below) = x.split_at_mut(k + 1);
            own[k] = own[k] * self.inverse_pivots[k] - dot(&u[k * n + k + 1..], below);
            solution[self.order[k]] = own[k];
        }
    }

    /// The constraints that repeat none of those before them, those of the largest pivots first.
    pub(super) fn holding(&self) -> &[usize] {
        &self.order[..self.holding]
    }

    /// How many constraints repeat others.
    #[inline(always)]
    pub(super) fn repeated(&self) -> usize {
        self.size - self.holding
    }

    /// The ratio of the largest pivot to the least that is not one of a repeated constraint.
    #[inline(always)]
    pub(super) fn condition(&self) -> f64 {
        match self.holding {
            0 => 1.0,
            holding => self.pivots[0] / self.pivots[holding - 1],
        }
    }
}

/// Exchanges two rows and columns, of which only what is on the diagonal and to its right is stored.
#[inline(always)]
fn exchange(a: &mut [f64], n: usize, k: usize, best: usize) {
    for r in 0..k {
        a.swap(r * n + k, r * n + best);
    }
    a.swap(k * (n + 1), best * (n + 1));
    for c in k + 1..best {
        a.swap(k * n + c, c * n + best);
    }
    for c in best + 1..n {
        a.swap(k * n + c, best * n + c);
    }
}

/// Numbers that are summed side by side: a vector register of doubles.
const LANES: usize = 4;

/// The shorter length counts.
#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let len = a.len().min(b.len());
    let (a, a_rest) = a[..len].as_chunks::<LANES>();
    let (b, b_rest) = b[..len].as_chunks::<LANES>();
    let mut rest = 0.0;
    for (x, y) in a_rest.iter().zip(b_rest) {
        rest = x.mul_add(*y, rest);
    }
    let mut sums = [0.0; LANES];
    for (x, y) in a.iter().zip(b) {
        for l in 0..LANES {
            sums[l] = x[l].mul_add(y[l], sums[l]);
        }
    }
    rest + (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aᵀ A for a matrix with the given rows.
    fn gram(rows: &[[f64; 3]]) -> [[f64; 3]; 3] {
        let mut matrix = [[0.0; 3]; 3];
        for row in rows {
            for r in 0..3 {
                for c in 0..3 {
                    matrix[r][c] += row[r] * row[c];
                }
            }
        }
        matrix
    }

    fn factorised(matrix: &[[f64; 3]; 3]) -> Compliance {
        let mut compliance = Compliance::new(3);
        compliance.matrix.copy_from_slice(matrix.as_flattened());
        compliance.factorise();
        compliance
    }

    fn product(matrix: &[[f64; 3]; 3], x: &[f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
    }

    #[test]
    fn solutions_are_damped_by_a_hundred_millionth() {
        // Every order of pivots.
        for (a, b, c) in [
            (1.0, 2.0, 3.0),
            (3.0, 1.0, 2.0),
            (2.0, 3.0, 1.0),
            (1.0, 3.0, 2.0),
        ] {
            let matrix = gram(&[[a, 0.5, 0.25], [-0.5, b, 0.125], [0.0, -0.75, c]]);
            let mut compliance = factorised(&matrix);
            assert_eq!(compliance.repeated(), 0);
            let (expected, mut x) = ([0.3, -0.7, 1.1], [0.0; 3]);
            compliance.solve(&product(&matrix, &expected), &mut x);
            for k in 0..3 {
                // Pivots are between 1 and 10 here.
                assert!((x[k] - expected[k]).abs() < 2e-7, "{x:?}");
            }
        }
    }

    #[test]
    fn what_repeats_is_counted_and_does_not_spoil_the_rest() {
        let matrix = gram(&[[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]]);
        let mut compliance = factorised(&matrix);
        assert_eq!(compliance.repeated(), 1);
        assert!(compliance.condition() < 100.0);
        let (right, mut x) = (product(&matrix, &[0.3, -0.7, 1.1]), [0.0; 3]);
        compliance.solve(&right, &mut x);
        let reached = product(&matrix, &x);
        for k in 0..3 {
            assert!((reached[k] - right[k]).abs() < 2e-7, "{reached:?}");
        }
    }

    #[test]
    fn no_more_hold_than_may() {
        // The third row says little, but enough to hold unless only two may.
        let rows = [[1.0, 2.0, 3.0], [0.5, -1.0, 0.25], [0.0, 1e-2, 0.0]];
        let matrix = gram(&rows);
        let mut compliance = factorised(&matrix);
        assert_eq!(compliance.repeated(), 0);
        assert!(compliance.condition() > 1e4);
        compliance.hold_at_most(2);
        compliance.matrix.copy_from_slice(matrix.as_flattened());
        compliance.factorise();
        assert_eq!(compliance.repeated(), 1);
        assert!(compliance.condition() < 100.0);
        // What does not hold is missed by no more than it says by itself: a ten thousandth.
        let (right, mut x) = (product(&matrix, &[0.3, -0.7, 1.1]), [0.0; 3]);
        compliance.solve(&right, &mut x);
        let reached = product(&matrix, &x);
        for k in 0..3 {
            assert!((reached[k] - right[k]).abs() < 1e-4, "{reached:?}");
        }
    }

    #[test]
    fn nothing_that_moves_gets_no_force() {
        let mut compliance = factorised(&[[0.0; 3]; 3]);
        let mut x = [1.0; 3];
        compliance.solve(&[1.0, 2.0, 3.0], &mut x);
        assert_eq!((compliance.repeated(), x), (3, [0.0; 3]));
    }
}
