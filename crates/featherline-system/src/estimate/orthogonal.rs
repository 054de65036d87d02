//! Weighted rows brought to a triangle by reflections.
//!
//! The triangle R has RᵀR = AᵀW A, which is never formed: the digits of A are kept. Rows may weigh anything against each other:
//! each reflection starts from the row with the largest entry in its column, so that heavy rows are not added to light ones
//! (Powell and Reid 1969, *On applying Householder transformations to linear least squares problems*; Cox and Higham 1998,
//! *Stability of Householder QR factorization for weighted least squares problems*). A row in which everything
//! cancels leaves rounding, which its weight would make information: each row carries the size of the numbers that it came from.

use super::factor::{FactorPattern, VanishingPivot};
use super::fronts::{BLOCK, Front, Fronts, Step};
use super::rows::Rows;
use super::weights::Weights;
use featherline::scalar::{Kernel, dispatch};

/// What is left of a number by rounding when all of it cancels.
const REST: f64 = 64.0 * f64::EPSILON;

/// The share of a row's size that an exact pivot must have.
const GOOD: f64 = 1e-5;

/// Memory of a factorisation.
#[derive(Clone, Debug)]
pub(super) struct FrontMemory {
    front: Vec<f64>,
    origins: Vec<Origin>,
    reflector: Vec<f64>,
    touched: Vec<usize>,
    /// Rows that are left over.
    aside: Vec<f64>,
    origins_aside: Vec<Origin>,
}

impl FrontMemory {
    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        Self {
            front: vec![0.0; fronts.largest],
            origins: vec![Origin::default(); fronts.most_rows],
            reflector: vec![0.0; fronts.most_rows],
            touched: vec![0; fronts.most_rows],
            aside: vec![0.0; fronts.stacked],
            origins_aside: vec![Origin::default(); fronts.stacked_rows],
        }
    }
}

/// Rows are brought to a triangle.
pub(super) struct Triangulate<'a> {
    pub fronts: &'a Fronts,
    pub pattern: &'a FactorPattern,
    pub memory: &'a mut FrontMemory,
    pub rows: &'a Rows,
    /// What the first of them weigh.
    pub weights: &'a Weights,
    /// Receives L and D of L D Lᵀ = RᵀR.
    pub factor: &'a mut [f64],
    /// Receives what the reflections make of the right-hand sides, over the pivots.
    pub image: &'a mut [f64],
}

impl Triangulate<'_> {
    /// Runs on the widest registers there are.
    pub fn dispatch(self) -> Result<(), VanishingPivot> {
        dispatch(self)
    }
}

impl Kernel for Triangulate<'_> {
    type Output = Result<(), VanishingPivot>;

    #[inline(always)]
    fn run(mut self) -> Self::Output {
        for front in &self.fronts.fronts {
            self.gather(front);
            self.eliminate(front)?;
            self.leave(front);
        }
        Ok(())
    }
}

impl Triangulate<'_> {
    /// Puts rows, and what is left over from below, into a front.
    #[inline(always)]
    fn gather(&mut self, front: &Front) {
        let (fronts, stride) = (self.fronts, front.stride);
        let numbers = &mut self.memory.front[..front.height * stride];
        numbers.fill(0.0);
        for &(row, at) in &fronts.rows[front.rows.clone()] {
            let (row, at) = (row as usize, at as usize);
            let range = fronts.starts[row]..fronts.starts[row + 1];
            let own = &mut numbers[at * stride..(at + 1) * stride];
            let mut size = 0.0_f64;
            for (&entry, &place) in self.rows.numbers[range.clone()]
                .iter()
                .zip(&fronts.places[range])
            {
                own[usize::from(place)] = entry;
                size = size.max(entry.abs());
            }
            own[front.columns] = self.rows.rhs[row];
            let is_exact = row < self.weights.len() && self.weights.is_exact(row);
            self.memory.origins[at] = Origin { size, is_exact };
        }
        for &child in &fronts.children[front.children.clone()] {
            let child = &fronts.fronts[child as usize];
            let width = child.width_above();
            let places = &fronts.columns_above[child.columns_above..child.columns_above + width];
            let (numbers_aside, rows_aside) = child.aside;
            let aside = &self.memory.aside[numbers_aside..numbers_aside + child.left * width];
            let above = &fronts.above[child.above..child.above + child.left];
            for (k, (row, &at)) in aside.chunks_exact(width).zip(above).enumerate() {
                let own = &mut numbers[at as usize * stride..(at as usize + 1) * stride];
                for (&entry, &place) in row.iter().zip(places) {
                    own[usize::from(place)] = entry;
                }
                self.memory.origins[at as usize] = self.memory.origins_aside[rows_aside + k];
            }
        }
    }

    /// Reflects, and writes the rows of the triangle.
    #[inline(always)]
    fn eliminate(&mut self, front: &Front) -> Result<(), VanishingPivot> {
        let (stride, entries) = (front.stride, self.pattern.entries());
        for &step in &self.fronts.steps[front.steps.clone()] {
            let pivot = self.clear(stride, step);
            let k = step.column as usize;
            if k >= front.pivots {
                self.memory.front[step.row as usize * stride + k] = pivot;
                continue;
            }
            let column = front.first + k;
            if pivot == 0.0 || !pivot.is_finite() {
                return Err(VanishingPivot {
                    unknown: self.pattern.order[column],
                    is_finite: pivot == 0.0,
                });
            }
            let row = &self.memory.front[k * stride..(k + 1) * stride];
            let scale = 1.0 / pivot;
            let lower = &mut self.factor[self.pattern.range(column)];
            for (l, &r) in lower.iter_mut().zip(&row[k + 1..]) {
                *l = r * scale;
            }
            self.factor[entries + column] = pivot * pivot;
            self.image[column] = row[front.columns] * scale;
        }
        Ok(())
    }

    /// Clears a column below its first row, whose entry is returned; zero if all of them are rounding.
    #[inline(always)]
    fn clear(&mut self, stride: usize, step: Step) -> f64 {
        let (column, first, end) = (step.column as usize, step.row as usize, step.end as usize);
        let memory = &mut *self.memory;
        let numbers = &mut memory.front[first * stride..end * stride];
        let origins = &mut memory.origins[first..end];
        let (reflector, touched) = (&mut memory.reflector, &mut memory.touched);
        // The rows that have an entry, the one with the largest before the others.
        let (mut count, mut largest, mut heaviest) = (0, 0.0, 0);
        for (k, origin) in origins.iter().enumerate() {
            let x = std::mem::take(&mut numbers[k * stride + column]);
            // Not a number stays.
            if x.abs() <= REST * origin.size {
                continue;
            }
            if x.abs() > largest {
                (largest, heaviest) = (x.abs(), count);
            }
            (reflector[count], touched[count]) = (x, k);
            count += 1;
        }
        if count == 0 {
            return 0.0;
        }
        let (reflector, touched) = (&mut reflector[..count], &mut touched[..count]);
        let at = touched[heaviest];
        if at > 0 {
            let (above, below) = numbers.split_at_mut(at * stride);
            above[column..stride].swap_with_slice(&mut below[column..stride]);
            origins.swap(0, at);
            reflector.swap(0, heaviest);
            // What stood first stands where the heaviest did, and is touched there if it was.
            if touched[0] > 0 {
                touched[heaviest] = touched[0];
                touched[0] = 0;
            }
        }
        if count == 1 {
            return reflector[0];
        }
        if origins[0].is_exact && largest > GOOD * origins[0].size {
            subtract(numbers, stride, column + 1, reflector, touched);
            note_sizes(origins, 1.0 / largest, reflector, touched);
            return reflector[0];
        }
        let rest: f64 = reflector[1..].iter().map(|x| x * x).sum();
        let own = reflector[0];
        let norm = (own * own + rest).sqrt();
        note_sizes(origins, 1.0 / norm, reflector, touched);
        let pivot = if own > 0.0 { -norm } else { norm };
        reflector[0] = own - pivot;
        let factor = -1.0 / (norm * (norm + own.abs()));
        reflect(numbers, stride, column + 1, reflector, touched, factor);
        pivot
    }

    /// Puts the rows that are left over aside for the front above.
    #[inline(always)]
    fn leave(&mut self, front: &Front) {
        let width = front.width_above();
        let (numbers, rows) = front.aside;
        let aside = &mut self.memory.aside[numbers..numbers + front.left * width];
        for (k, row) in aside.chunks_exact_mut(width).enumerate() {
            let start = (front.pivots + k) * front.stride + front.pivots;
            row.copy_from_slice(&self.memory.front[start..start + width]);
            self.memory.origins_aside[rows + k] = self.memory.origins[front.pivots + k];
        }
    }
}

/// Where the numbers of a row come from.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    /// The largest of them, which tells what is rounding.
    size: f64,
    is_exact: bool,
}

/// Each row takes over the size of what is added to it.
#[inline(always)]
fn note_sizes(origins: &mut [Origin], scale: f64, reflector: &[f64], touched: &[usize]) {
    let mut size = 0.0_f64;
    for (x, &k) in reflector.iter().zip(touched) {
        size = size.max(x.abs() * scale * origins[k].size);
    }
    for (x, &k) in reflector.iter().zip(touched) {
        origins[k].size = origins[k].size.max(x.abs() * scale * size);
    }
}

/// Subtracts multiples of the first row from others.
#[inline(always)]
fn subtract(numbers: &mut [f64], stride: usize, from: usize, column: &[f64], rows: &[usize]) {
    let from = from / BLOCK * BLOCK;
    let (pivot, others) = numbers.split_at_mut(stride);
    let scale = -1.0 / column[0];
    for (x, &k) in column.iter().zip(rows).skip(1) {
        let factor = x * scale;
        let row = &mut others[(k - 1) * stride + from..k * stride];
        let (row, pivot) = (
            row.as_chunks_mut::<BLOCK>().0,
            pivot[from..].as_chunks::<BLOCK>().0,
        );
        for (row, pivot) in row.iter_mut().zip(pivot) {
            for (entry, &above) in row.iter_mut().zip(pivot) {
                *entry = factor.mul_add(above, *entry);
            }
        }
    }
}

/// Adds factor · x xᵀ N to rows N.
#[inline(always)]
fn reflect(
    numbers: &mut [f64],
    stride: usize,
    from: usize,
    x: &[f64],
    rows: &[usize],
    factor: f64,
) {
    for block in (from / BLOCK * BLOCK..stride).step_by(BLOCK) {
        let mut sum = [0.0; BLOCK];
        for (&x, &k) in x.iter().zip(rows) {
            let row = &numbers[k * stride + block..k * stride + block + BLOCK];
            for (sum, &entry) in sum.iter_mut().zip(row) {
                *sum = x.mul_add(entry, *sum);
            }
        }
        let sum = sum.map(|sum| sum * factor);
        for (&x, &k) in x.iter().zip(rows) {
            let row = &mut numbers[k * stride + block..k * stride + block + BLOCK];
            for (entry, &sum) in row.iter_mut().zip(&sum) {
                *entry = x.mul_add(sum, *entry);
            }
        }
    }
}
