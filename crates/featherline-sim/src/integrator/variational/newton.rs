//! Newton's method with the exact derivative, for the steps that the quasi-Newton method loses.
//!
//! It begins with the last velocities and stays near them: the equations of a step have several
//! solutions, of which one goes on as the robot moves, and others give it energy from nowhere. In
//! steps that are too long the former is none: as the step grows, it meets another one, and both
//! are gone.
//!
//! With the mean velocities u of a step, the correction g(u) = M⁻¹ r of its residual is zero where
//! the step is found. Newton's change s solves −g′(u) s = g(u). The matrix is near to one, and its
//! products are differences of g, so that a few of them find s: GMRES, in the metric of the kinetic
//! energy. A change that makes the correction no smaller, or turns a body too far, is halved. Y.
//! Saad and M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving
//! nonsymmetric linear systems", SIAM Journal on Scientific and Statistical Computing 7, 1986; P.
//! N. Brown and Y. Saad, "Hybrid Krylov methods for nonlinear systems of equations", the same 11,
//! 1990.

use super::convergence::{Change, Convergence};

/// How many products are made for one change, at most.
const MOST_PRODUCTS: usize = 12;

/// How often a change is halved.
const MOST_HALVINGS: usize = 12;

/// The part of a correction that a change may leave, to first order.
const LEFT: f64 = 1e-3;

/// The length of differences relative to the motion: errors and rounding are both below [`LEFT`].
const DIFFERENCE: f64 = 1e-6;

/// The farthest solution, in first corrections: it moves by three of them before it is gone.
const MOST_AWAY: f64 = 10.0;

/// The least part of what a change promises that it must keep.
const LEAST_KEPT: f64 = 1e-4;

/// The equations of a step.
pub(super) trait Equations {
    /// Finds the correction of mean velocities and its size; none where the motion is lost.
    fn correct(&mut self, velocities: &[f64]) -> Option<Change>;

    /// The last correction, and the same scaled so that its kinetic energy is half its square.
    fn correction(&self) -> (&[f64], &[f64]);
}

/// A correction, or what is made of several.
#[derive(Clone, Debug, Default)]
struct Vector {
    velocities: Box<[f64]>,
    weighted: Box<[f64]>,
}

impl Vector {
    fn new(size: usize) -> Self {
        Self {
            velocities: vec![0.0; size].into(),
            weighted: vec![0.0; size].into(),
        }
    }

    fn copy(&mut self, (velocities, weighted): (&[f64], &[f64])) {
        self.velocities.copy_from_slice(velocities);
        self.weighted.copy_from_slice(weighted);
    }

    fn add(&mut self, factor: f64, other: &Self) {
        add(&mut self.velocities, factor, &other.velocities);
        add(&mut self.weighted, factor, &other.weighted);
    }

    fn clear(&mut self) {
        self.velocities.fill(0.0);
        self.weighted.fill(0.0);
    }

    fn scale(&mut self, factor: f64) {
        for entry in self.velocities.iter_mut().chain(&mut self.weighted) {
            *entry *= factor;
        }
    }

    fn dot(&self, other: &Self) -> f64 {
        let pairs = self.weighted.iter().zip(&other.weighted);
        pairs.map(|(a, b)| a * b).sum()
    }
}

/// `to += factor · by`.
fn add(to: &mut [f64], factor: f64, by: &[f64]) {
    for (to, by) in to.iter_mut().zip(by) {
        *to += factor * by;
    }
}

/// The method's memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    /// The mean velocities: those that are being corrected, and those that are tried.
    pub velocities: Box<[f64]>,
    tried: Box<[f64]>,
    /// The correction there, and the change that is to be made.
    correction: Vector,
    change: Vector,
    /// By how much the velocities have changed since the beginning.
    way: Vector,
    /// An orthonormal basis of what products reach.
    basis: [Vector; MOST_PRODUCTS + 1],
}

impl Newton {
    /// For so many velocities.
    pub fn new(size: usize) -> Self {
        let velocities = || -> Box<[f64]> { vec![0.0; size].into() };
        Self {
            velocities: velocities(),
            tried: velocities(),
            correction: Vector::new(size),
            change: Vector::new(size),
            way: Vector::new(size),
            basis: std::array::from_fn(|_| Vector::new(size)),
        }
    }

    /// Solves equations and returns how many changes that took, if it did. The last correction that
    /// was asked for is that of the solution.
    pub fn solve(
        &mut self,
        equations: &mut impl Equations,
        convergence: &Convergence,
    ) -> Option<usize> {
        let mut size = equations.correct(&self.velocities)?;
        self.correction.copy(equations.correction());
        self.way.clear();
        let most = MOST_AWAY * MOST_AWAY * self.correction.dot(&self.correction);
        for count in 1..=convergence.most_iterations {
            self.find_change(equations, &size);
            let left = self.go(equations, &size)?;
            if self.way.dot(&self.way) > most {
                return None;
            }
            if left.may_be_left((count, &size), convergence.tolerance) {
                return Some(count);
            }
            self.correction.copy(equations.correction());
            size = left;
        }
        None
    }

    /// Makes the largest part of the change that is worth it, and returns the size of what is left.
    fn go(&mut self, equations: &mut impl Equations, before: &Change) -> Option<Change> {
        let mut part = 1.0;
        for _ in 0..=MOST_HALVINGS {
            self.tried.copy_from_slice(&self.velocities);
            add(&mut self.tried, part, &self.change.velocities);
            let most = before.size * (1.0 - LEAST_KEPT * part);
            if let Some(left) = equations.correct(&self.tried)
                && (left.size <= most || left.may_be_rounding())
            {
                self.way.add(part, &self.change);
                std::mem::swap(&mut self.velocities, &mut self.tried);
                return Some(left);
            }
            part *= 0.5;
        }
        None
    }

    /// Finds Newton's change for the correction.
    fn find_change(&mut self, equations: &mut impl Equations, size: &Change) {
        let Self {
            velocities,
            tried,
            correction,
            change,
            basis,
            ..
        } = self;
        let length = correction.dot(correction).sqrt();
        if length == 0.0 {
            return change.clear();
        }
        // The upper triangle into which rotations turn Hessenberg's matrix, and what they make of
        // the correction.
        let mut triangle = [[0.0; MOST_PRODUCTS]; MOST_PRODUCTS];
        let (mut side, mut rotations) = ([0.0; MOST_PRODUCTS + 1], [(1.0, 0.0); MOST_PRODUCTS]);
        side[0] = length;
        basis[0].copy((&correction.velocities, &correction.weighted));
        basis[0].scale(length.recip());
        let step = DIFFERENCE * length / size.size;
        let mut known = 0;
        while known < MOST_PRODUCTS && side[known].abs() > LEFT * length {
            let (from, to) = basis.split_at_mut(known + 1);
            let product = &mut to[0];
            tried.copy_from_slice(velocities);
            add(tried, step, &from[known].velocities);
            if equations.correct(tried).is_none() {
                break;
            }
            product.copy(equations.correction());
            product.add(-1.0, correction);
            product.scale(-step.recip());
            let column = &mut triangle[known];
            for (entry, own) in column.iter_mut().zip(&*from) {
                *entry = product.dot(own);
                product.add(-*entry, own);
            }
            let rest = product.dot(product).sqrt();
            for (k, (cosine, sine)) in rotations[..known].iter().enumerate() {
                let (a, b) = (column[k], column[k + 1]);
                (column[k], column[k + 1]) = (cosine * a + sine * b, cosine * b - sine * a);
            }
            let last = column[known].hypot(rest);
            if last == 0.0 || !last.is_finite() {
                break;
            }
            let (cosine, sine) = (column[known] / last, rest / last);
            rotations[known] = (cosine, sine);
            column[known] = last;
            side[known + 1] = -sine * side[known];
            side[known] *= cosine;
            known += 1;
            if rest == 0.0 {
                break;
            }
            product.scale(rest.recip());
        }
        change.clear();
        for k in (0..known).rev() {
            let beyond: f64 = (k + 1..known).map(|j| triangle[j][k] * side[j]).sum();
            side[k] = (side[k] - beyond) / triangle[k][k];
            change.add(side[k], &basis[k]);
        }
        if known == 0 {
            change.copy((&correction.velocities, &correction.weighted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A problem of two unknowns, in which the energy of a motion of 1 is 1: the correction, and
    /// none where the first unknown is 3 or more.
    struct Problem<F> {
        of: F,
        correction: [f64; 2],
    }

    impl<F: Fn(&[f64]) -> [f64; 2]> Equations for Problem<F> {
        fn correct(&mut self, velocities: &[f64]) -> Option<Change> {
            self.correction = (self.of)(velocities);
            let [a, b] = self.correction;
            (velocities[0] < 3.0).then(|| Change::new(a * a + b * b, 1.0, 1.0))
        }

        fn correction(&self) -> (&[f64], &[f64]) {
            (&self.correction, &self.correction)
        }
    }

    fn solve(of: impl Fn(&[f64]) -> [f64; 2]) -> Option<[f64; 2]> {
        let correction = [0.0; 2];
        let mut newton = Newton::new(2);
        newton.solve(&mut Problem { of, correction }, &Convergence::default())?;
        Some([newton.velocities[0], newton.velocities[1]])
    }

    #[test]
    fn what_corrections_lead_away_from_is_found() {
        // Corrections alone grow by factors of √5: the derivative is far from one.
        let of = |u: &[f64]| {
            [
                1.0 - u[0] + 2.0 * u[1],
                1.0 - 2.0 * u[0] - u[1] - u[1].powi(3),
            ]
        };
        let [a, b] = solve(of).unwrap();
        let left = of(&[a, b]);
        // The tolerance.
        assert!(left[0].hypot(left[1]) < 1e-11, "{a} {b} {left:?}");
        // The first change is fifteen times too long, and halved.
        let steep = |u: &[f64]| [(10.0 - 4.0 * u[0]).atan(), -u[1]];
        assert!((solve(steep).unwrap()[0] - 2.5).abs() < 1e-11);
    }

    #[test]
    fn a_solution_far_away_is_none() {
        // The way to the only solution, at −30, is a hundred times as long as the first correction.
        let far = |u: &[f64]| [-0.01 * (u[0] + 30.0), 0.0];
        assert_eq!(solve(far), None);
        // Two solutions that have met and gone: u² + ε = 0.
        assert_eq!(
            solve(|u: &[f64]| [(u[0] - 0.5).powi(2) + 0.01, -u[1]]),
            None
        );
    }
}
