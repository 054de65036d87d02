//! The system M q̈ − Kᵀ λ = b, K q̈ = k, by the factor of M.
//!
//! With M = Lᵀ D L, Y = L⁻ᵀ Kᵀ and w = L⁻ᵀ b, the Delassus matrix is G = Yᵀ D⁻¹ Y, and
//!
//! ```text
//! λ = G⁻¹ (k − Yᵀ D⁻¹ w),    q̈ = L⁻¹ D⁻¹ (w + Y λ).
//! ```
//!
//! A row of Y has entries only for the constraints on that branch.
//!
//! **Redundant rows.** K = B Kᵢ with Kᵢ the independent rows, which a pivoted factorisation of K Kᵀ
//! finds. The pseudo-inverse G⁺ = E Gᵢᵢ⁻¹ Eᵀ, E = B (Bᵀ B)⁻¹, takes the place of G⁻¹: λ is the
//! least of those that cause q̈, and q̈ misses k by the least in squares where rows contradict each
//! other.

use crate::delassus::{DelassusFactors, Independence, REDUNDANT, dot};
use crate::loops::workspace::Loop;
use featherline::dynamics::ltdl::Ltdl;
use featherline::kernel::row::add_scaled;
use featherline::{Error, kernel};
use std::ops::Range;

/// Pivots above this part of their diagonal are of independent constraints; others take geometry.
const CLEARLY_INDEPENDENT: f64 = 1e-6;

/// More refinements than are taken anywhere but within rounding of a singular configuration.
const MOST_REFINEMENTS: usize = 8;

/// A residual that is this part of the first one is rounding.
const EXACT: f64 = 1e-14;

/// A refinement that leaves more than this part of the residual is the last.
const STALLED: f64 = 0.5;

/// K, the factors of the system, and the memory to solve it.
#[derive(Clone, Debug)]
pub(super) struct System {
    /// How many rows act.
    pub rows: usize,
    /// 0, 1, 2, …
    all: Vec<usize>,
    /// Which columns of Kᵀ and Y each coordinate has entries in.
    pub reach: Vec<Range<usize>>,
    /// Which rows each coordinate moves, alone or with others.
    pub paths: Vec<Range<usize>>,
    /// Kᵀ by rows, one for each coordinate.
    pub jacobian: Vec<f64>,
    /// Y by rows.
    half: Vec<f64>,
    /// D⁻¹.
    inverse_pivots: Vec<f64>,
    /// G, both triangles.
    gram: Vec<f64>,
    delassus: DelassusFactors,
    pub independence: Independence,
    /// Whether G⁺ has taken the place of the factors.
    is_by_inverse: bool,
    /// G⁻¹ or G⁺, once it is asked for.
    inverse: Vec<f64>,
    /// B and then E.
    dependence: Vec<f64>,
    spread: DelassusFactors,
    /// k.
    pub target: Vec<f64>,
    current: Vec<f64>,
    step: Vec<f64>,
    /// q̈₀.
    free: Vec<f64>,
}

impl System {
    pub(super) fn new(n: usize, rows: usize) -> Self {
        let numbers = |len: usize| vec![0.0; len];
        Self {
            rows,
            all: (0..rows).collect(),
            reach: vec![0..0; n],
            paths: vec![0..0; n],
            jacobian: numbers(n * rows),
            half: numbers(n * rows),
            inverse_pivots: numbers(n),
            gram: numbers(rows * rows),
            delassus: DelassusFactors::new(rows),
            independence: Independence::new(rows, n),
            is_by_inverse: false,
            inverse: numbers(rows * rows),
            dependence: numbers(rows * rows),
            spread: DelassusFactors::new(rows),
            target: numbers(rows),
            current: numbers(rows),
            step: numbers(rows),
            free: numbers(n),
        }
    }

    /// Takes another number of rows, no more than it was made for. Allocates nothing.
    pub(super) fn set_rows(&mut self, rows: usize) {
        self.rows = rows;
        // Entries that no path reaches stay zero.
        self.jacobian.fill(0.0);
        self.independence.set_constraints(rows);
    }

    /// Kᵀ.
    pub(super) fn jacobian(&self) -> &[f64] {
        &self.jacobian[..self.reach.len() * self.rows]
    }

    /// Y.
    pub(super) fn half(&self) -> &[f64] {
        &self.half[..self.reach.len() * self.rows]
    }

    /// G⁻¹ or G⁺.
    pub(super) fn inverse(&self) -> &[f64] {
        &self.inverse[..self.rows * self.rows]
    }

    /// 0, 1, 2, … for each row.
    pub(super) fn all(&self) -> &[usize] {
        &self.all[..self.rows]
    }

    /// Adds K v times a factor to k.
    pub(super) fn add_velocity(&mut self, v: &[f64], factor: f64) {
        let rows = self.rows;
        if rows > 0 {
            let jacobian = &self.jacobian[..self.reach.len() * rows];
            add_motion(&self.reach, jacobian, v, factor, &mut self.target[..rows]);
        }
    }

    /// How many rows are redundant.
    pub(super) fn redundant(&self) -> usize {
        if self.is_by_inverse {
            self.independence.redundant()
        } else {
            0
        }
    }

    /// Writes Y and D⁻¹ and factorises G.
    pub(super) fn factorise(
        &mut self,
        factors: &Ltdl<'_, f64>,
        held: &[Loop],
    ) -> Result<(), Error> {
        for (k, inverse) in self.inverse_pivots.iter_mut().enumerate() {
            *inverse = factors.inverse_pivot(k);
        }
        let (n, rows) = (self.reach.len(), self.rows);
        self.is_by_inverse = false;
        if rows == 0 || n == 0 {
            return Ok(());
        }
        let half = &mut self.half[..n * rows];
        half.copy_from_slice(&self.jacobian[..n * rows]);
        factors.solve_l_transposed_rows(half, rows, &self.reach)?;
        let gram = &mut self.gram[..rows * rows];
        form_delassus(&self.reach, half, &self.inverse_pivots, rows, gram);
        let least = factorise_delassus(&mut self.delassus, gram, rows);
        if least.partial_cmp(&CLEARLY_INDEPENDENT) != Some(std::cmp::Ordering::Greater) {
            self.find_pseudo_inverse(held);
        }
        Ok(())
    }

    /// Finds the independent rows, and writes G⁺.
    #[cold]
    fn find_pseudo_inverse(&mut self, held: &[Loop]) {
        let rows = self.rows;
        for held in held {
            for (square, row) in held.squared_measures().into_iter().zip(held.rows()) {
                self.independence.per_square[row] = square.recip();
            }
        }
        let jacobian = &self.jacobian[..self.reach.len() * rows];
        self.independence.factorise(jacobian, REDUNDANT);
        let independent = self.independence.independent();
        let r = independent.len();
        self.is_by_inverse = true;
        let inverse = &mut self.inverse[..rows * rows];
        inverse.fill(0.0);
        if r == 0 {
            return;
        }
        let b = &mut self.dependence[..rows * r];
        self.independence.write_dependence(b);
        // Bᵀ B
        let square = &mut self.spread.matrix[..r * r];
        square.fill(0.0);
        for row in b.chunks_exact(r) {
            for (k, own) in square.chunks_exact_mut(r).enumerate() {
                add_scaled(&mut own[k..], row[k], &row[k..]);
            }
        }
        self.spread.factorise(r);
        for row in b.chunks_exact_mut(r) {
            self.spread.solve(row);
        }
        let e = &*b;
        // Gᵢᵢ
        for (own, i) in self.delassus.matrix.chunks_exact_mut(r).zip(independent) {
            for (entry, j) in own.iter_mut().zip(independent) {
                *entry = self.gram[i * rows + j];
            }
        }
        self.delassus.factorise(r);
        for (j, row) in e.chunks_exact(r).enumerate() {
            let x = &mut self.step[..r];
            x.copy_from_slice(row);
            self.delassus.solve(x);
            for (i, row) in e.chunks_exact(r).enumerate() {
                inverse[i * rows + j] = dot(row, x);
            }
        }
    }

    /// Writes G⁻¹, unless G⁺ stands there.
    pub(super) fn find_inverse(&mut self) {
        if self.is_by_inverse || self.rows == 0 {
            return;
        }
        let rows = self.rows;
        invert(&self.delassus, rows, &mut self.inverse[..rows * rows]);
    }

    /// Solves for λ and q̈, where b stands. Returns the largest entry of k − K q̈.
    pub(super) fn solve(
        &mut self,
        factors: &Ltdl<'_, f64>,
        multipliers: &mut [f64],
        accelerations: &mut [f64],
    ) -> Result<f64, Error> {
        let (n, rows) = (self.reach.len(), self.rows);
        if rows == 0 || n == 0 {
            multipliers.fill(0.0);
            factors.solve(accelerations)?;
            return Ok(self.target[..rows].iter().fold(0.0, |m, x| x.abs().max(m)));
        }
        // q̈₀ = M⁻¹ b, and k − K q̈₀
        factors.solve(accelerations)?;
        self.free.copy_from_slice(accelerations);
        let jacobian = &self.jacobian[..n * rows];
        let (target, current) = (&self.target[..rows], &mut self.current[..rows]);
        let step = &mut self.step[..rows];
        let inverse = self.is_by_inverse.then_some(&self.inverse[..rows * rows]);
        step.copy_from_slice(target);
        add_motion(&self.reach, jacobian, accelerations, -1.0, step);
        let first = largest(step);
        multipliers.fill(0.0);
        let mut before = f64::INFINITY;
        for refinement in 0..=MOST_REFINEMENTS {
            apply_inverse(&self.delassus, inverse, step, current);
            for (x, step) in multipliers.iter_mut().zip(&*step) {
                *x += step;
            }
            // q̈ = q̈₀ + M⁻¹ Kᵀ λ
            write_forces(&self.reach, jacobian, multipliers, accelerations);
            factors.solve(accelerations)?;
            for (a, free) in accelerations.iter_mut().zip(&self.free) {
                *a += free;
            }
            step.copy_from_slice(target);
            add_motion(&self.reach, jacobian, accelerations, -1.0, step);
            let left = largest(step);
            if left <= EXACT * first
                || refinement == MOST_REFINEMENTS
                || left.is_nan()
                || left > STALLED * before
            {
                return Ok(left);
            }
            before = left;
        }
        Ok(before)
    }
}

kernel!(
    fn factorise_delassus(delassus: &mut DelassusFactors, gram: &[f64], rows: usize) -> f64 {
        delassus.matrix[..rows * rows].copy_from_slice(gram);
        delassus.factorise_damped(rows, 0.0)
    }
);

kernel!(
    /// G = Yᵀ D⁻¹ Y, both triangles.
    fn form_delassus(
        reach: &[Range<usize>],
        half: &[f64],
        inverse_pivots: &[f64],
        rows: usize,
        gram: &mut [f64],
    ) {
        gram.fill(0.0);
        for ((own, columns), inverse) in half.chunks_exact(rows).zip(reach).zip(inverse_pivots) {
            let (begin, end) = (columns.start, columns.end);
            for r in begin..end {
                let factor = own[r] * inverse;
                if factor != 0.0 {
                    add_scaled(
                        &mut gram[r * rows + r..r * rows + end],
                        factor,
                        &own[r..end],
                    );
                }
            }
        }
        for r in 0..rows {
            for c in 0..r {
                gram[r * rows + c] = gram[c * rows + r];
            }
        }
    }
);

kernel!(
    /// G⁻¹, from its factors.
    fn invert(delassus: &DelassusFactors, rows: usize, inverse: &mut [f64]) {
        delassus.write_inverse(rows, inverse);
    }
);

kernel!(
    /// G⁻¹ x in place of x; `room` is for as many numbers.
    fn apply_inverse(
        delassus: &DelassusFactors,
        inverse: Option<&[f64]>,
        x: &mut [f64],
        room: &mut [f64],
    ) {
        match inverse {
            None => delassus.solve(x),
            Some(inverse) => {
                for (y, row) in room.iter_mut().zip(inverse.chunks_exact(x.len())) {
                    *y = dot(row, x);
                }
                x.copy_from_slice(room);
            }
        }
    }
);

kernel!(
    /// `x = Kᵀ λ`.
    fn write_forces(reach: &[Range<usize>], jacobian: &[f64], multipliers: &[f64], x: &mut [f64]) {
        let rows = multipliers.len();
        for (k, own) in jacobian.chunks_exact(rows).enumerate() {
            let columns = reach[k].clone();
            x[k] = dot(&own[columns.clone()], &multipliers[columns]);
        }
    }
);

kernel!(
    /// `t += factor · K x`.
    fn add_motion(reach: &[Range<usize>], jacobian: &[f64], x: &[f64], factor: f64, t: &mut [f64]) {
        let rows = t.len();
        for (k, own) in jacobian.chunks_exact(rows).enumerate() {
            let columns = reach[k].clone();
            add_scaled(&mut t[columns.clone()], factor * x[k], &own[columns]);
        }
    }
);

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}
