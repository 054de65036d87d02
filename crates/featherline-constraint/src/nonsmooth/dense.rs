//! W = J M̂⁻¹ Jᵀ of an island as a dense matrix, where few numbers are read.

use super::elimination::Elimination;
use super::islands::Part;
use super::rows::{Reading, Rows};
use featherline::kernel::row::add_scaled;

/// Rows begin at multiples of this many numbers, so that loops have no rest.
const STRIDE: usize = 4;

/// The matrix W, and Newton's matrix 1 + K W.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    size: usize,
    /// From a row to the next one.
    stride: usize,
    /// Where each reading of the island begins.
    first: Vec<usize>,
    /// For each coordinate of the robot, its place among those of the island.
    slot: Vec<usize>,
    /// L⁻ᵀ Jᵀ, a row for each coordinate of the island.
    half: Vec<f64>,
    response: Vec<f64>,
    newton: Vec<f64>,
    pivots: Vec<usize>,
    product: Vec<f64>,
    room: Vec<f64>,
}

impl Dense {
    /// Finds W = (L⁻ᵀ Jᵀ)ᵀ D⁻¹ (L⁻ᵀ Jᵀ) with M̂ = Lᵀ D L. Allocates only for sizes that were never
    /// there.
    #[inline(always)]
    pub fn build(&mut self, mass: &Elimination, rows: &Rows, part: &Part<'_>) {
        self.first.clear();
        let mut size = 0;
        for &index in part.readings {
            self.first.push(size);
            size += rows.readings[index].rank;
        }
        let stride = size.next_multiple_of(STRIDE);
        (self.size, self.stride) = (size, stride);
        let count = part.coordinates.len();
        let most = part.coordinates.last().map_or(0, |k| k + 1);
        if self.slot.len() < most {
            self.slot.resize(most, 0);
        }
        for (slot, &k) in part.coordinates.iter().enumerate() {
            self.slot[k] = slot;
        }
        self.half.clear();
        self.half.resize(count * stride, 0.0);
        for (&index, &first) in part.readings.iter().zip(&self.first) {
            let reading = &rows.readings[index];
            for (k, column) in rows.columns_of(reading) {
                let row = self.slot[k] * stride + first;
                self.half[row..row + reading.rank].copy_from_slice(&column[..reading.rank]);
            }
        }
        self.response.clear();
        self.response.resize(size * stride, 0.0);
        for (slot, &k) in part.coordinates.iter().enumerate().rev() {
            let (path, factors, inverse) = mass.factor_row(k);
            let (above, own) = self.half.split_at_mut(slot * stride);
            let own = &own[..stride];
            for (&i, &factor) in path.iter().zip(factors) {
                let row = self.slot[i] * stride;
                add_scaled(&mut above[row..row + stride], -factor, own);
            }
            // W += x xᵀ / d
            for (row, &x) in self.response.chunks_exact_mut(stride).zip(own) {
                if x != 0.0 {
                    add_scaled(row, x * inverse, own);
                }
            }
        }
    }

    /// The block of W of one reading, by its place in the island.
    #[inline(always)]
    pub fn block(&self, at: usize, reading: &Reading) -> [[f64; 6]; 6] {
        let mut block = [[0.0; 6]; 6];
        let first = self.first[at];
        for (r, row) in block.iter_mut().enumerate().take(reading.rank) {
            let begin = (first + r) * self.stride + first;
            row[..reading.rank].copy_from_slice(&self.response[begin..begin + reading.rank]);
        }
        block
    }

    /// How many numbers are read.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Writes what readings have into one vector.
    #[inline(always)]
    pub fn gather(&self, rows: &Rows, part: &Part<'_>, x: &[[f64; 6]], out: &mut [f64]) {
        for (&index, &first) in part.readings.iter().zip(&self.first) {
            let rank = rows.readings[index].rank;
            out[first..first + rank].copy_from_slice(&x[index][..rank]);
        }
    }

    /// Writes the parts of one vector to their readings.
    #[inline(always)]
    pub fn scatter(&self, rows: &Rows, part: &Part<'_>, x: &[f64], out: &mut [[f64; 6]]) {
        for (&index, &first) in part.readings.iter().zip(&self.first) {
            let rank = rows.readings[index].rank;
            out[index] = [0.0; 6];
            out[index][..rank].copy_from_slice(&x[first..first + rank]);
        }
    }

    /// out = W x
    #[inline(always)]
    pub fn respond(&mut self, x: &[f64], out: &mut [f64]) {
        self.multiply(x);
        out[..self.size].copy_from_slice(&self.product[..self.size]);
    }

    /// xᵀ W x
    #[inline(always)]
    pub fn square(&mut self, x: &[f64]) -> f64 {
        self.multiply(x);
        let products = x[..self.size].iter().zip(&self.product);
        products.fold(0.0, |sum, (x, y)| x.mul_add(*y, sum))
    }

    /// Factorises 1 + K W. False if it is singular.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        (rows, part): (&Rows, &Part<'_>),
        weights: &[[[f64; 6]; 6]],
    ) -> bool {
        let stride = self.stride;
        self.newton.clear();
        self.newton.resize(self.size * stride, 0.0);
        for (&index, &first) in part.readings.iter().zip(&self.first) {
            let rank = rows.readings[index].rank;
            for i in 0..rank {
                let begin = (first + i) * stride;
                let row = &mut self.newton[begin..begin + stride];
                for (j, &k) in weights[index][i].iter().enumerate().take(rank) {
                    if k != 0.0 {
                        let begin = (first + j) * stride;
                        add_scaled(row, k, &self.response[begin..begin + stride]);
                    }
                }
                row[first + i] += 1.0;
            }
        }
        self.pivots.clear();
        self.pivots.resize(self.size, 0);
        factorise(&mut self.newton, stride, &mut self.pivots)
    }

    /// Newton's step −(1 + K W)⁻¹ r, after [`factorise`](Self::factorise).
    #[inline(always)]
    pub fn newton(
        &mut self,
        (rows, part): (&Rows, &Part<'_>),
        weights: &[[[f64; 6]; 6]],
        r: &[f64],
        step: &mut [f64],
    ) {
        let stride = self.stride;
        let step = &mut step[..self.size];
        for (step, r) in step.iter_mut().zip(r) {
            *step = -r;
        }
        solve(&self.newton, stride, &self.pivots, step);
        // One refinement: where more is read than there are coordinates, parts of the step that
        // move nothing are large, and their rounding must not move what is at rest.
        self.multiply(step);
        let mut left = std::mem::take(&mut self.room);
        left.clear();
        left.extend(step.iter().zip(r).map(|(step, r)| -r - step));
        for (&index, &first) in part.readings.iter().zip(&self.first) {
            let rank = rows.readings[index].rank;
            for i in 0..rank {
                for j in 0..rank {
                    let change = weights[index][i][j] * self.product[first + j];
                    left[first + i] -= change;
                }
            }
        }
        solve(&self.newton, stride, &self.pivots, &mut left);
        for (step, left) in step.iter_mut().zip(&left) {
            *step += left;
        }
        self.room = left;
    }

    /// `product` = W x
    #[inline(always)]
    fn multiply(&mut self, x: &[f64]) {
        self.product.clear();
        self.product.resize(self.stride, 0.0);
        for (row, &x) in self.response.chunks_exact(self.stride.max(1)).zip(x) {
            add_scaled(&mut self.product, x, row);
        }
    }
}

/// L U in place with row pivots, inverse on U's diagonal. False where one is zero or no number.
#[inline(always)]
fn factorise(a: &mut [f64], stride: usize, pivots: &mut [usize]) -> bool {
    let n = pivots.len();
    for k in 0..n {
        let (mut pivot, mut most) = (k, a[k * stride + k].abs());
        for i in k + 1..n {
            let size = a[i * stride + k].abs();
            if size > most {
                (pivot, most) = (i, size);
            }
        }
        if !(most > 0.0 && most.is_finite()) {
            return false;
        }
        pivots[k] = pivot;
        let (upper, lower) = a.split_at_mut((k + 1) * stride);
        let own = &mut upper[k * stride..];
        if pivot != k {
            let other = (pivot - k - 1) * stride;
            own.swap_with_slice(&mut lower[other..other + stride]);
        }
        let inverse = own[k].recip();
        own[k] = inverse;
        // Whole chunks right of the pivot; what lies left of it in the first one is put back.
        let begin = (k + 1) / STRIDE * STRIDE;
        let own = &own[begin..];
        for row in lower.chunks_exact_mut(stride).take(n - k - 1) {
            let factor = row[k] * inverse;
            let kept: [f64; STRIDE] = match row.get(begin..begin + STRIDE) {
                Some(chunk) => std::array::from_fn(|l| chunk[l]),
                None => [0.0; STRIDE],
            };
            add_scaled(&mut row[begin..], -factor, own);
            for (l, kept) in kept.into_iter().enumerate().take(k + 1 - begin) {
                row[begin + l] = kept;
            }
            row[k] = factor;
        }
    }
    true
}

/// Solves L U x = P b in place of b.
#[inline(always)]
fn solve(a: &[f64], stride: usize, pivots: &[usize], b: &mut [f64]) {
    for (k, &pivot) in pivots.iter().enumerate() {
        b.swap(k, pivot);
    }
    for (k, row) in a.chunks_exact(stride.max(1)).enumerate() {
        let mut x = b[k];
        for (l, y) in row[..k].iter().zip(&*b) {
            x = (-l).mul_add(*y, x);
        }
        b[k] = x;
    }
    for k in (0..b.len()).rev() {
        let row = &a[k * stride..(k + 1) * stride];
        let mut x = b[k];
        for (u, y) in row[k + 1..].iter().zip(&b[k + 1..]) {
            x = (-u).mul_add(*y, x);
        }
        b[k] = x * row[k];
    }
}
