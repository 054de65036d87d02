//! The covariance of all unknowns of one frontal matrix, as a square root.
//!
//! With x = S ξ for independent ξ of variance one, from the last front to the first: those of the
//! border have the rows of S that they have in the front above, brought to fewer columns by
//! reflections, and each pivot's row follows from its row of the R factor. A variance is then a sum
//! of squares: where an unknown is certain though those that state it are not, a digit is lost for
//! each by which the deviations differ, not two (as in square root smoothers: Bierman 1977,
//! *Factorization methods for discrete sequential estimation*, chapter X). Selected inversion,
//! which finds the same entries of the covariance, subtracts them from each other.

use super::fronts::{Front, Fronts};
use super::r_factor::{RFactor, dot};
use featherline::kernel::Kernel;

/// Errors of rounding are drawn so many times.
pub(crate) const DRAWS: usize = 4;

/// Drawn errors.
type Probe = [f64; DRAWS];

/// The rows of S of each front's columns.
#[derive(Clone, Debug)]
pub(crate) struct SquareRoot {
    numbers: Vec<f64>,
    /// How many columns S has in each front.
    widths: Vec<usize>,
    /// Errors of rounding in each position, as they may have been made.
    errors: Vec<Probe>,
    /// The rows of a border as they are above.
    rows: Vec<f64>,
}

impl SquareRoot {
    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        let stride = |front: &Front| front.root_stride();
        let widest = fronts.fronts.iter().map(stride).max().unwrap_or(0);
        Self {
            numbers: vec![0.0; fronts.roots],
            widths: vec![0; fronts.fronts.len()],
            errors: vec![[0.0; DRAWS]; fronts.fronts.iter().map(|front| front.pivots).sum()],
            rows: vec![0.0; widest * widest],
        }
    }

    /// The row of a column of a front.
    fn row(&self, fronts: &Fronts, front: usize, column: usize) -> &[f64] {
        let start = fronts.fronts[front].root + column * fronts.fronts[front].root_stride();
        &self.numbers[start..start + self.widths[front]]
    }

    /// A position's row in the front that eliminates another before it, or it; none without it.
    fn row_beside(&self, fronts: &Fronts, front: usize, position: usize) -> Option<&[f64]> {
        let columns = fronts.columns(&fronts.fronts[front]);
        let column = columns.binary_search(&(position as u32)).ok()?;
        Some(self.row(fronts, front, column))
    }

    /// The covariance of two positions; none if they stand in no front together.
    pub fn covariance(&self, fronts: &Fronts, a: usize, b: usize) -> Option<f64> {
        let front = fronts.front_of(a.min(b));
        let a = self.row_beside(fronts, front, a)?;
        let b = self.row_beside(fronts, front, b)?;
        Some(dot(a, b))
    }

    /// Writes Σ a_k S_k of positions k that stand in a front.
    pub fn combine(
        &self,
        fronts: &Fronts,
        front: usize,
        terms: impl Iterator<Item = (usize, f64)>,
        sum: &mut [f64],
    ) {
        sum.fill(0.0);
        for (position, factor) in terms {
            let row = self.row_beside(fronts, front, position);
            for (sum, x) in sum.iter_mut().zip(row.into_iter().flatten()) {
                *sum = x.mul_add(factor, *sum);
            }
        }
    }

    /// How far the deviation of Σ a_k x_k may be off by rounding: see [`error`](Self::error).
    pub fn error_of(&self, terms: impl Iterator<Item = (usize, f64)>) -> f64 {
        let mut sum = [0.0; DRAWS];
        for (position, factor) in terms {
            for (sum, error) in sum.iter_mut().zip(&self.errors[position]) {
                *sum += factor * error;
            }
        }
        root_mean_square(sum)
    }

    /// How far a position's deviation may be off by rounding.
    ///
    /// Each row of S is off by ε times the numbers that it is made of, and takes over the errors of
    /// the rows that it is made of, by the same sums: what cancels in S cancels in these. Drawn
    /// with signs as if by chance, they come out as large as the true ones are (Vignes 1993, *A
    /// stochastic arithmetic for reliable scientific computation*); bounds would be far too large.
    pub fn error(&self, position: usize) -> f64 {
        root_mean_square(self.errors[position])
    }
}

impl SquareRoot {
    /// Adds other errors of a draw, by position.
    pub fn add_errors(&mut self, draw: usize, others: &[f64]) {
        for (errors, other) in self.errors.iter_mut().zip(others) {
            errors[draw] += other;
        }
    }
}

/// Finds S from an R factor.
pub(crate) struct FindSquareRoot<'a> {
    pub fronts: &'a Fronts,
    pub r_factor: &'a RFactor,
    pub root: &'a mut SquareRoot,
}

impl Kernel for FindSquareRoot<'_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for index in (0..self.fronts.fronts.len()).rev() {
            let front = &self.fronts.fronts[index];
            let width = self.inherit(front);
            self.root.widths[index] = self.state(front, width);
        }
    }
}

impl FindSquareRoot<'_> {
    /// Writes the rows of the border; returns how many columns they have.
    #[inline(always)]
    fn inherit(&mut self, front: &Front) -> usize {
        let Some(parent) = front.parent else {
            return 0;
        };
        let (above, width) = (&self.fronts.fronts[parent], self.root.widths[parent]);
        let places = &self.fronts.columns_above[front.columns_above..][..front.border()];
        let stride = width.next_multiple_of(4);
        let rows = &mut self.root.rows[..places.len() * stride];
        for (row, &place) in rows.chunks_exact_mut(stride.max(1)).zip(places) {
            let start = above.root + usize::from(place) * above.root_stride();
            row[..width].copy_from_slice(&self.root.numbers[start..start + width]);
            row[width..].fill(0.0);
        }
        let kept = width.min(places.len());
        if kept < width {
            for row in 0..kept {
                shorten(rows, stride, row, width);
            }
        }
        let start = front.root + front.pivots * front.root_stride();
        let end = front.root + front.columns * front.root_stride();
        let own = &mut self.root.numbers[start..end];
        own.fill(0.0);
        let own = own.chunks_exact_mut(front.root_stride());
        for (own, row) in own.zip(rows.chunks_exact(stride.max(1))) {
            own[..kept].copy_from_slice(&row[..kept]);
        }
        kept
    }

    /// Writes the rows of the pivots, the last one first; returns how many columns there are then.
    #[inline(always)]
    fn state(&mut self, front: &Front, mut width: usize) -> usize {
        let stride = front.root_stride();
        let numbers = &mut self.root.numbers[front.root..front.root + front.columns * stride];
        let positions = self.fronts.columns(front);
        numbers[..front.pivots * stride].fill(0.0);
        for row in (0..front.pivots).rev() {
            let pivot = self.r_factor.pivot(front, row);
            let start = pivot.column * stride;
            let (mut error, mut size) = ([0.0; DRAWS], 0.0);
            for (column, &l) in pivot.entries.iter().enumerate() {
                if l == 0.0 {
                    continue;
                }
                let (own, other) = rows_of(numbers, stride, width, pivot.column, column);
                for (own, &x) in own.iter_mut().zip(other) {
                    *own = (-l).mul_add(x, *own);
                }
                size += l * l * dot(other, other);
                let inherited = &self.root.errors[positions[column] as usize];
                for (error, inherited) in error.iter_mut().zip(inherited) {
                    *error -= l * inherited;
                }
            }
            if pivot.deviation > 0.0 {
                numbers[start + width] = pivot.deviation;
                width += 1;
            }
            let position = positions[pivot.column];
            let own = f64::EPSILON * size.sqrt();
            for (error, sign) in error.iter_mut().zip(random_signs(position)) {
                *error += sign * own;
            }
            self.root.errors[position as usize] = error;
        }
        width
    }
}

/// One row, to be changed, and another one, both as wide.
#[inline(always)]
fn rows_of(
    numbers: &mut [f64],
    stride: usize,
    width: usize,
    changed: usize,
    other: usize,
) -> (&mut [f64], &[f64]) {
    let (low, high) = (changed.min(other), changed.max(other));
    let (above, below) = numbers.split_at_mut(high * stride);
    let (low, high) = (&mut above[low * stride..][..width], &mut below[..width]);
    if changed < other {
        (low, high)
    } else {
        (high, low)
    }
}

fn root_mean_square(errors: Probe) -> f64 {
    (errors.iter().map(|x| x * x).sum::<f64>() / DRAWS as f64).sqrt()
}

/// Signs that differ from position to position like drawn ones (Steele, Lea and Flood 2014, *Fast
/// splittable pseudorandom number generators*).
#[inline(always)]
pub(crate) fn random_signs(position: u32) -> [f64; DRAWS] {
    let mut bits = u64::from(position)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    std::array::from_fn(|draw| {
        if bits >> (40 + draw) & 1 == 0 {
            1.0
        } else {
            -1.0
        }
    })
}

/// Reflects columns so that a row and those before it have entries in as many columns only.
#[inline(always)]
fn shorten(rows: &mut [f64], stride: usize, first: usize, width: usize) {
    let (above, below) = rows.split_at_mut((first + 1) * stride);
    let own = &mut above[first * stride..];
    let rest = dot(&own[first + 1..width], &own[first + 1..width]);
    if rest == 0.0 {
        return;
    }
    let head = own[first];
    let norm = (head * head + rest).sqrt();
    let pivot = if head > 0.0 { -norm } else { norm };
    own[first] = head - pivot;
    let factor = -1.0 / (norm * (norm + head.abs()));
    let reflector = &own[first..width];
    for row in below.chunks_exact_mut(stride) {
        let row = &mut row[first..width];
        let sum = factor * dot(row, reflector);
        for (entry, x) in row.iter_mut().zip(reflector) {
            *entry = x.mul_add(sum, *entry);
        }
    }
    own[first] = pivot;
    own[first + 1..width].fill(0.0);
}
