//! K M⁻¹ Kᵀ: how the gaps of loops answer to their forces, solved although it may be singular.

/// The part of the largest diagonal element that is added to the diagonal. Directions that answer less than some such
/// parts are held to be repetitions; the others lose as many digits in a step as the part has, and win them back in the next.
const PROXIMAL: f64 = 1e-8;

/// A pivot below this many times what was added is that of a constraint that repeats others, and gets no force of its own:
/// forces that change nothing would grow with every contradiction in the last digits.
const REPEATED: f64 = 8.0;

/// More steps than are taken anywhere but within rounding of a singular configuration.
const MOST_STEPS: usize = 60;

/// A residual that changes by more than this part of its change before does not converge any more.
const STALLED: f64 = 0.9;

/// A change of the residual by this part of the right-hand side is rounding.
const EXACT: f64 = 1e-15;

/// A symmetric positive semidefinite matrix with its factors, and what it solves.
#[derive(Clone, Debug)]
pub(super) struct Compliance {
    /// How many constraints there are.
    size: usize,
    /// The matrix by rows.
    pub matrix: Vec<f64>,
    /// L D Lᵀ of the permuted matrix, with the pivots on the diagonal.
    factors: Vec<f64>,
    /// Row k of the factors is row `order[k]` of the matrix.
    order: Vec<usize>,
    /// The right-hand side, and what of it is not yet accounted for.
    pub right: Vec<f64>,
    residual: Vec<f64>,
    step: Vec<f64>,
    permuted: Vec<f64>,
    /// The solution.
    pub solution: Vec<f64>,
    /// How many constraints, the first in the order, repeat none of those before them.
    holding: usize,
}

impl Compliance {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            matrix: vec![0.0; size * size],
            factors: vec![0.0; size * size],
            order: (0..size).collect(),
            right: vec![0.0; size],
            residual: vec![0.0; size],
            step: vec![0.0; size],
            permuted: vec![0.0; size],
            solution: vec![0.0; size],
            holding: 0,
        }
    }

    /// Factorises the matrix with a small multiple of the identity added, the largest pivot first (N. J. Higham, *Accuracy and
    /// Stability of Numerical Algorithms*, 2002, section 10.3).
    #[inline(always)]
    pub(super) fn factorise(&mut self) {
        let n = self.size;
        let mut largest = 0.0_f64;
        for k in 0..n {
            largest = largest.max(self.matrix[k * (n + 1)]);
        }
        // Nothing that the loops hold can move: any forces will do.
        let added = if largest > 0.0 {
            PROXIMAL * largest
        } else {
            1.0
        };
        self.holding = 0;
        let a = &mut self.factors;
        a.copy_from_slice(&self.matrix);
        for k in 0..n {
            a[k * (n + 1)] += added;
            self.order[k] = k;
        }
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if a[i * (n + 1)] > a[best * (n + 1)] {
                    best = i;
                }
            }
            if best != k {
                self.order.swap(k, best);
                for c in 0..n {
                    a.swap(k * n + c, best * n + c);
                }
                for r in 0..n {
                    a.swap(r * n + k, r * n + best);
                }
            }
            let pivot = a[k * (n + 1)];
            if pivot <= REPEATED * added {
                break;
            }
            self.holding = k + 1;
            for i in k + 1..n {
                let l = a[i * n + k] / pivot;
                for c in k + 1..n {
                    a[i * n + c] = (-l).mul_add(a[k * n + c], a[i * n + c]);
                }
                a[i * n + k] = l;
            }
        }
    }

    /// Solves for `right` into `solution`, and returns the largest entry of what is left over.
    #[inline(always)]
    pub(super) fn solve(&mut self) -> f64 {
        self.solution.fill(0.0);
        self.residual.copy_from_slice(&self.right);
        let mut gained = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            self.proximal_step();
            for k in 0..self.size {
                self.solution[k] += self.step[k];
            }
            // What contradicts the rest stays in the residual unchanged, and says nothing about the rest.
            let change = self.update_residual();
            if change > STALLED * gained {
                for k in 0..self.size {
                    self.solution[k] -= self.step[k];
                }
                self.update_residual();
                break;
            }
            gained = change;
            if change <= EXACT * largest(&self.right) {
                break;
            }
        }
        largest(&self.residual)
    }

    /// One damped step in place of an exact solution: for where the right-hand side is not to be trusted to the last digit.
    #[inline(always)]
    pub(super) fn solve_once(&mut self) {
        self.residual.copy_from_slice(&self.right);
        self.proximal_step();
        self.solution.copy_from_slice(&self.step);
    }

    /// How many constraints repeat others.
    #[inline(always)]
    pub(super) fn repeated(&self) -> usize {
        self.size - self.holding
    }

    /// The ratio of the largest pivot to the least that is not one of a repeated constraint.
    #[inline(always)]
    pub(super) fn condition(&self) -> f64 {
        if self.holding == 0 {
            return 1.0;
        }
        self.factors[0] / self.factors[(self.holding - 1) * (self.size + 1)]
    }

    /// Solves with the factors for the residual, into `step`.
    #[inline(always)]
    fn proximal_step(&mut self) {
        let (n, a, x) = (self.size, &self.factors, &mut self.permuted);
        self.step.fill(0.0);
        for k in 0..self.holding {
            let mut sum = self.residual[self.order[k]];
            for c in 0..k {
                sum = (-a[k * n + c]).mul_add(x[c], sum);
            }
            x[k] = sum;
        }
        for k in (0..self.holding).rev() {
            let mut sum = x[k] / a[k * (n + 1)];
            for r in k + 1..self.holding {
                sum = (-a[r * n + k]).mul_add(x[r], sum);
            }
            x[k] = sum;
            self.step[self.order[k]] = sum;
        }
    }

    /// Returns the largest change.
    #[inline(always)]
    fn update_residual(&mut self) -> f64 {
        let n = self.size;
        let mut change = 0.0_f64;
        for r in 0..n {
            let mut left = self.right[r];
            for c in 0..n {
                left = (-self.matrix[r * n + c]).mul_add(self.solution[c], left);
            }
            change = change.max((self.residual[r] - left).abs());
            self.residual[r] = left;
        }
        change
    }
}

#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    for x in values {
        most = most.max(x.abs());
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Aᵀ A for a matrix with the given rows.
    fn gram(rows: &[[f64; 3]]) -> Compliance {
        let mut compliance = Compliance::new(3);
        for row in rows {
            for r in 0..3 {
                for c in 0..3 {
                    compliance.matrix[3 * r + c] += row[r] * row[c];
                }
            }
        }
        compliance
    }

    #[test]
    fn what_repeats_is_counted_and_does_not_spoil_the_rest() {
        let mut compliance = gram(&[[1.0, 2.0, 3.0], [0.5, -1.0, 0.25]]);
        let expected = [0.3, -0.7, 1.1];
        for r in 0..3 {
            let row = &compliance.matrix[3 * r..3 * r + 3];
            compliance.right[r] = row.iter().zip(expected).map(|(a, x)| a * x).sum();
        }
        compliance.factorise();
        assert_eq!(compliance.repeated(), 1);
        assert!(compliance.condition() < 100.0);
        // Rounding of numbers around ten.
        assert!(compliance.solve() < 1e-14);
        let product = |r: usize| -> f64 {
            (0..3)
                .map(|c| compliance.matrix[3 * r + c] * compliance.solution[c])
                .sum()
        };
        for r in 0..3 {
            assert!((product(r) - compliance.right[r]).abs() < 1e-13);
        }
    }

    #[test]
    fn contradictions_leave_their_part_as_residual() {
        let mut compliance = gram(&[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        compliance.right = vec![1.0, 2.0, 0.125];
        compliance.factorise();
        assert!((compliance.solve() - 0.125).abs() < 1e-12);
        assert!((compliance.solution[0] - 1.0).abs() < 1e-12);
        assert!((compliance.solution[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_that_moves_gives_finite_forces() {
        let mut compliance = Compliance::new(3);
        compliance.right = vec![1.0, 2.0, 3.0];
        compliance.factorise();
        assert_eq!((compliance.solve(), compliance.repeated()), (3.0, 3));
        assert!(compliance.solution.iter().all(|x| x.is_finite()));
    }
}
