//! Rows brought to a triangle: exact ones by elimination, the others by reflections.
//!
//! An exact row states one unknown by the others, which is put into all rows that have it: the null space method, whose
//! elimination takes the largest entry of a row as its pivot (Björck 1996, *Numerical methods for least squares problems*,
//! section 5.1.2). What is left, rows of errors with variance one, is brought to a triangle by Householder's
//! reflections, each of which starts from the row with the largest entry in its column, so that rows may weigh anything against each
//! other (Powell and Reid 1969, *On applying Householder transformations to linear least squares problems*; Cox and Higham 1998,
//! *Stability of Householder QR factorization for weighted least squares problems*). Nothing is ever squared.
//!
//! An exact row whose entries in a front are all small against its others can't state one of them without losing digits. It becomes a row
//! with an error far below that of any other, and is reflected with them (the method of weights: Björck 1996, section 5.1.5).
//!
//! A row in which everything cancels leaves rounding: each row carries the size of the numbers that it came from.

use super::fronts::{BLOCK, Front, Fronts};
use super::rows::Rows;
use super::transformations::Transformations;
use super::triangle::Triangle;
use featherline::scalar::{Kernel, dispatch};

/// What is left of a number by rounding when all of it cancels.
const REST: f64 = 64.0 * f64::EPSILON;

/// An exact row states an unknown if that has no less than this share of its largest entry: what it is multiplied by is digits lost.
const GOOD: f64 = 1e-3;

/// So much more than the heaviest row with an error weighs an exact row that states nothing well; and at most so much, for heavier rows
/// cost lighter ones their digits; if that is between the two, so that its small entries weigh more by the last of the three.
const HEAVIER: f64 = 1e10;
const HEAVIEST: f64 = 1e14;
const EVEN_SMALL: f64 = 1e3;

/// What may be left of a right-hand side whose row vanishes: rows that say the same need not say it with all digits.
const AGREEMENT: f64 = 1e-9;

/// Why there is no triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NoTriangle {
    /// No row has an entry where the column of this position is eliminated.
    Vanishing { position: usize },
    /// An exact row and those before it say something different of the same, by so much of the row's own numbers.
    Contradiction { row: usize, by: f64 },
    /// A number is too large.
    Overflow,
}

/// Some rows of a front.
#[derive(Clone, Debug, Default)]
struct Block {
    numbers: Vec<f64>,
    origins: Vec<Origin>,
    count: usize,
}

/// Where the numbers of a row come from.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    row: u32,
    /// The largest of its entries, which tells what is rounding, and of its right-hand sides.
    size: f64,
    right: f64,
}

/// Memory of a factorisation.
#[derive(Clone, Debug)]
pub(super) struct FrontMemory {
    exact: Block,
    soft: Block,
    is_done: Vec<bool>,
    reflector: Vec<f64>,
    touched: Vec<usize>,
    done: Transformations,
    /// The largest number that an exact row came from, its pivot being one.
    growth: f64,
    /// Rows that are left over, the exact ones of a front first, and how many of both.
    aside: Vec<f64>,
    origins_aside: Vec<Origin>,
    left: Vec<(usize, usize)>,
}

impl Block {
    fn new(fronts: &Fronts) -> Self {
        Self {
            numbers: vec![0.0; fronts.largest],
            origins: vec![Origin::default(); fronts.most_rows],
            count: 0,
        }
    }

    /// Another row, all zero.
    #[inline(always)]
    fn push(&mut self, stride: usize, origin: Origin) -> &mut [f64] {
        let row = &mut self.numbers[self.count * stride..(self.count + 1) * stride];
        row.fill(0.0);
        self.origins[self.count] = origin;
        self.count += 1;
        row
    }

    /// Exchanges two rows.
    #[inline(always)]
    fn swap(&mut self, stride: usize, a: usize, b: usize) {
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            let (above, below) = self.numbers.split_at_mut(high * stride);
            above[low * stride..(low + 1) * stride].swap_with_slice(&mut below[..stride]);
            self.origins.swap(a, b);
        }
    }
}

impl FrontMemory {
    /// How many times larger than its pivot the numbers are that an exact row came from: the digits of these are lost to it. Infinite
    /// if a row could state nothing well.
    pub fn growth(&self) -> f64 {
        self.growth
    }

    /// What was done to the rows.
    pub fn done(&mut self) -> &mut Transformations {
        &mut self.done
    }

    /// The memory for a plan.
    pub fn new(fronts: &Fronts) -> Self {
        Self {
            exact: Block::new(fronts),
            soft: Block::new(fronts),
            is_done: vec![false; fronts.most_columns],
            reflector: vec![0.0; fronts.most_rows],
            touched: vec![0; fronts.most_rows],
            done: Transformations::new(fronts.starts.len() - 1, fronts.steps, fronts.touched),
            growth: 0.0,
            aside: vec![0.0; fronts.stacked],
            origins_aside: vec![Origin::default(); fronts.stacked_rows],
            left: vec![(0, 0); fronts.fronts.len()],
        }
    }
}

/// Rows are brought to a triangle.
pub(super) struct Triangulate<'a> {
    pub fronts: &'a Fronts,
    pub memory: &'a mut FrontMemory,
    pub rows: &'a Rows,
    pub triangle: &'a mut Triangle,
    /// The largest entry of the rows that have an error.
    pub largest: f64,
}

impl Triangulate<'_> {
    /// Runs on the widest registers there are.
    pub fn dispatch(self) -> Result<(), NoTriangle> {
        dispatch(self)
    }
}

impl Kernel for Triangulate<'_> {
    type Output = Result<(), NoTriangle>;

    #[inline(always)]
    fn run(mut self) -> Self::Output {
        self.memory.done.clear();
        self.memory.growth = 0.0;
        for (index, front) in self.fronts.fronts.iter().enumerate() {
            self.gather(front);
            let pivots = self.eliminate_exact(front)?;
            let used = self.reflect_soft(front, pivots)?;
            self.leave(index, front, pivots, used)?;
        }
        Ok(())
    }
}

impl Triangulate<'_> {
    /// Puts rows, and what is left over from below, into a front.
    #[inline(always)]
    fn gather(&mut self, front: &Front) {
        let (fronts, stride) = (self.fronts, front.stride);
        let memory = &mut *self.memory;
        (memory.exact.count, memory.soft.count) = (0, 0);
        for &row in &fronts.rows[front.rows.clone()] {
            let index = row as usize;
            if !self.rows.counts(index) {
                continue;
            }
            let range = fronts.starts[index]..fronts.starts[index + 1];
            let entries = &self.rows.numbers[range.clone()];
            let right = self.rows.rhs[index];
            let size = largest(entries);
            let origin = Origin {
                row,
                size,
                right: self.rows.sizes[index],
            };
            let block = match self.rows.is_exact(index) {
                true => &mut memory.exact,
                false => &mut memory.soft,
            };
            let own = block.push(stride, origin);
            for (&entry, &place) in entries.iter().zip(&fronts.places[range]) {
                own[usize::from(place)] = entry;
            }
            own[front.columns] = right;
        }
        for &child in &fronts.children[front.children.clone()] {
            let (exact, soft) = memory.left[child as usize];
            let child = &fronts.fronts[child as usize];
            let width = child.width_above();
            let places = &fronts.columns_above[child.columns_above..child.columns_above + width];
            let (numbers, rows) = child.aside;
            for k in 0..exact + soft {
                let block = match k < exact {
                    true => &mut memory.exact,
                    false => &mut memory.soft,
                };
                let own = block.push(stride, memory.origins_aside[rows + k]);
                let row = &memory.aside[numbers + k * width..numbers + (k + 1) * width];
                for (&entry, &place) in row.iter().zip(places) {
                    own[usize::from(place)] = entry;
                }
            }
        }
    }

    /// Lets each exact row state the unknown with its largest entry; returns how many do. The others come after these, without
    /// entries in the front's own columns: those that have some, but no good ones, become heavy rows.
    #[inline(always)]
    fn eliminate_exact(&mut self, front: &Front) -> Result<usize, NoTriangle> {
        let (memory, stride) = (&mut *self.memory, front.stride);
        memory.is_done[..front.columns].fill(false);
        let mut pivots = 0;
        // A row that states nothing well may do so when others have been put into it.
        let mut before = usize::MAX;
        while before != pivots {
            before = pivots;
            for row in before..memory.exact.count {
                if let Some(column) = state(memory, front, row, pivots, 0..front.pivots, GOOD) {
                    let own = &memory.exact.numbers[row * stride..(row + 1) * stride];
                    self.triangle.write(front, pivots, column, own, 0.0);
                    memory.done.write(memory.exact.origins[row].row);
                    memory.exact.swap(stride, pivots, row);
                    pivots += 1;
                }
            }
        }
        let mut row = pivots;
        while row < memory.exact.count {
            let own = &mut memory.exact.numbers[row * stride..(row + 1) * stride];
            if !own[..=front.columns].iter().all(|x| x.is_finite()) {
                return Err(NoTriangle::Overflow);
            }
            let origin = memory.exact.origins[row];
            let (inner, border) = own[..front.columns].split_at_mut(front.pivots);
            if inner.iter().all(|x| x.abs() <= REST * origin.size) {
                inner.fill(0.0);
                row += 1;
                continue;
            }
            let (small, most) = (largest(inner), largest(inner).max(largest(border)));
            // Small entries, too, are to weigh more than the rows with errors.
            let times = (EVEN_SMALL * most / small).clamp(HEAVIER, HEAVIEST);
            let weight = times * self.largest / most;
            let size = weight * origin.size;
            memory.done.scale(origin.row, weight);
            memory.growth = f64::INFINITY;
            let heavy = memory.soft.push(stride, Origin { size, ..origin });
            for (heavy, x) in heavy.iter_mut().zip(&*own) {
                *heavy = weight * x;
            }
            memory.exact.count -= 1;
            memory.exact.swap(stride, row, memory.exact.count);
        }
        Ok(pivots)
    }

    /// Eliminates what no exact row states; returns how many of the other rows that takes, which stand first then.
    #[inline(always)]
    fn reflect_soft(&mut self, front: &Front, exact: usize) -> Result<usize, NoTriangle> {
        let memory = &mut *self.memory;
        let mut used = 0;
        for column in 0..front.pivots {
            if memory.is_done[column] {
                continue;
            }
            let position = front.first + column;
            if used == memory.soft.count {
                return Err(NoTriangle::Vanishing { position });
            }
            let pivot = clear(memory, front, used, column);
            if pivot == 0.0 {
                return Err(NoTriangle::Vanishing { position });
            }
            if !pivot.is_finite() {
                return Err(NoTriangle::Overflow);
            }
            let scale = 1.0 / pivot;
            let own = &mut memory.soft.numbers[used * front.stride..(used + 1) * front.stride];
            own.iter_mut().for_each(|entry| *entry *= scale);
            self.triangle
                .write(front, exact + used, column, own, scale.abs());
            let row = memory.soft.origins[used].row;
            memory.done.scale(row, scale);
            memory.done.write(row);
            used += 1;
        }
        Ok(used)
    }

    /// Puts what is left over aside for the front above, no more rows than that has columns of this one.
    #[inline(always)]
    fn leave(
        &mut self,
        index: usize,
        front: &Front,
        exact: usize,
        used: usize,
    ) -> Result<(), NoTriangle> {
        let (stride, border) = (front.stride, front.pivots..front.columns);
        let memory = &mut *self.memory;
        let is_crowded = memory.exact.count - exact + memory.soft.count - used > front.border();
        // Exact rows that state nothing are looked at, and go no further.
        let mut kept = exact;
        for row in exact..memory.exact.count {
            let stays = if is_crowded {
                state(memory, front, row, row, border.clone(), 0.0).is_some()
            } else {
                let size = REST * memory.exact.origins[row].size;
                let own = &memory.exact.numbers[row * stride..(row + 1) * stride];
                own[border.clone()].iter().any(|x| x.abs() > size)
            };
            if stays {
                memory.exact.swap(stride, kept, row);
                kept += 1;
                continue;
            }
            let own = &memory.exact.numbers[row * stride..(row + 1) * stride];
            if !own[..=front.columns].iter().all(|x| x.is_finite()) {
                return Err(NoTriangle::Overflow);
            }
            let (rest, origin) = (own[front.columns].abs(), memory.exact.origins[row]);
            if rest > AGREEMENT * origin.right {
                return Err(NoTriangle::Contradiction {
                    row: origin.row as usize,
                    by: rest / origin.right,
                });
            }
        }
        let mut soft = memory.soft.count;
        if is_crowded {
            soft = used;
            for column in border {
                if soft == memory.soft.count {
                    break;
                }
                if memory.is_done[column] {
                    continue;
                }
                let pivot = clear(memory, front, soft, column);
                if pivot != 0.0 {
                    memory.soft.numbers[soft * stride + column] = pivot;
                    soft += 1;
                }
            }
        }
        let width = front.width_above();
        let (mut numbers, mut rows) = front.aside;
        for (block, range) in [(&memory.exact, exact..kept), (&memory.soft, used..soft)] {
            for row in range {
                let own = &block.numbers[row * stride + front.pivots..][..width];
                memory.aside[numbers..numbers + width].copy_from_slice(own);
                memory.origins_aside[rows] = block.origins[row];
                (numbers, rows) = (numbers + width, rows + 1);
            }
        }
        memory.left[index] = (kept - exact, soft - used);
        Ok(())
    }
}

/// The largest number, of as many at a time as a block has; what is not a number does not count.
#[inline(always)]
fn largest(numbers: &[f64]) -> f64 {
    let larger = |most: f64, x: f64| if x.abs() > most { x.abs() } else { most };
    let (blocks, rest) = numbers.as_chunks::<BLOCK>();
    let mut most = [0.0; BLOCK];
    for block in blocks {
        for (most, &x) in most.iter_mut().zip(block) {
            *most = larger(*most, x);
        }
    }
    rest.iter().chain(&most).copied().fold(0.0, larger)
}

/// Solves an exact row for the unknown with its largest entry among some columns, and puts that into all other rows from one on;
/// none if that entry is rounding, or less than a share of the row's largest.
#[inline(always)]
fn state(
    memory: &mut FrontMemory,
    front: &Front,
    row: usize,
    from: usize,
    columns: std::ops::Range<usize>,
    good: f64,
) -> Option<usize> {
    let stride = front.stride;
    let (before, rest) = memory.exact.numbers.split_at_mut(row * stride);
    let (own, after) = rest.split_at_mut(stride);
    let (origins_before, origins) = memory.exact.origins.split_at_mut(row);
    let (origin, origins_after) = origins.split_first_mut()?;
    let most = largest(&own[..front.columns]);
    let (mut best, mut found) = ((REST * origin.size).max(good * most), None);
    for column in columns {
        let x = own[column].abs();
        if x > best && !memory.is_done[column] {
            (best, found) = (x, Some(column));
        }
    }
    let column = found?;
    let scale = 1.0 / own[column];
    own.iter_mut().for_each(|entry| *entry *= scale);
    own[column] = 1.0;
    (origin.size, origin.right) = (origin.size * scale.abs(), origin.right * scale.abs());
    memory.is_done[column] = true;
    memory.growth = memory.growth.max(origin.size);
    let (own, origin) = (&*own, *origin);
    let done = &mut memory.done;
    done.scale(origin.row, scale);
    let first = done.terms();
    let stated = Stated {
        numbers: own,
        origin,
        column,
    };
    let numbers = before[from * stride..].chunks_exact_mut(stride);
    stated.substitute(numbers.zip(&mut origins_before[from..]), done);
    let count = memory.exact.count - row - 1;
    let numbers = after.chunks_exact_mut(stride).take(count);
    stated.substitute(numbers.zip(origins_after), done);
    let soft = &mut memory.soft;
    let numbers = soft.numbers.chunks_exact_mut(stride).take(soft.count);
    stated.substitute(numbers.zip(&mut soft.origins), done);
    done.substitute(origin.row, first);
    Some(column)
}

/// A row that states the unknown of a column, with one as its entry.
struct Stated<'a> {
    numbers: &'a [f64],
    origin: Origin,
    column: usize,
}

impl Stated<'_> {
    /// Puts what it states into other rows.
    #[inline(always)]
    fn substitute<'r>(
        &self,
        rows: impl Iterator<Item = (&'r mut [f64], &'r mut Origin)>,
        done: &mut Transformations,
    ) {
        for (row, origin) in rows {
            let factor = -std::mem::take(&mut row[self.column]);
            if factor == 0.0 {
                continue;
            }
            let (blocks, _) = row.as_chunks_mut::<BLOCK>();
            let (stated, _) = self.numbers.as_chunks::<BLOCK>();
            for (entries, stated) in blocks.iter_mut().zip(stated) {
                for (entry, &above) in entries.iter_mut().zip(stated) {
                    *entry = factor.mul_add(above, *entry);
                }
            }
            row[self.column] = 0.0;
            origin.size = origin.size.max(factor.abs() * self.origin.size);
            origin.right = origin.right.max(factor.abs() * self.origin.right);
            done.add(origin.row, factor);
        }
    }
}

/// Clears a column below one of the rows with errors by a reflection; the entry in that row is returned, zero if all of them
/// are rounding.
#[inline(always)]
fn clear(memory: &mut FrontMemory, front: &Front, first: usize, column: usize) -> f64 {
    let stride = front.stride;
    let (reflector, touched) = (&mut memory.reflector, &mut memory.touched);
    let soft = &mut memory.soft;
    // The rows that have an entry, the one with the largest before the others.
    let (mut count, mut largest, mut heaviest) = (0, 0.0, 0);
    for row in first..soft.count {
        let x = std::mem::take(&mut soft.numbers[row * stride + column]);
        // Not a number stays.
        if x.abs() <= REST * soft.origins[row].size {
            continue;
        }
        if x.abs() > largest {
            (largest, heaviest) = (x.abs(), count);
        }
        (reflector[count], touched[count]) = (x, row);
        count += 1;
    }
    if count == 0 {
        return 0.0;
    }
    let (reflector, touched) = (&mut reflector[..count], &mut touched[..count]);
    soft.swap(stride, first, touched[heaviest]);
    reflector.swap(0, heaviest);
    // What stood first stands where the heaviest did, and is touched there if it was.
    if touched[0] > first {
        touched[heaviest] = touched[0];
        touched[0] = first;
    }
    if count == 1 {
        return reflector[0];
    }
    let rest: f64 = reflector[1..].iter().map(|x| x * x).sum();
    let own = reflector[0];
    let norm = (own * own + rest).sqrt();
    note_sizes(&mut soft.origins, 1.0 / norm, reflector, touched);
    let pivot = if own > 0.0 { -norm } else { norm };
    reflector[0] = own - pivot;
    let factor = -1.0 / (norm * (norm + own.abs()));
    reflect(&mut soft.numbers, stride, reflector, touched, factor);
    let rows = touched.iter().map(|&row| soft.origins[row].row);
    memory
        .done
        .reflect(rows.zip(reflector.iter().copied()), factor);
    pivot
}

/// Each row takes over the size of what is added to it.
#[inline(always)]
fn note_sizes(origins: &mut [Origin], scale: f64, reflector: &[f64], touched: &[usize]) {
    let mut size = 0.0_f64;
    for (x, &row) in reflector.iter().zip(touched) {
        size = size.max(x.abs() * scale * origins[row].size);
    }
    for (x, &row) in reflector.iter().zip(touched) {
        origins[row].size = origins[row].size.max(x.abs() * scale * size);
    }
}

/// Adds factor · x xᵀ N to rows N.
#[inline(always)]
fn reflect(numbers: &mut [f64], stride: usize, x: &[f64], rows: &[usize], factor: f64) {
    for block in (0..stride).step_by(BLOCK) {
        let mut sum = [0.0; BLOCK];
        for (&x, &row) in x.iter().zip(rows) {
            let entries = &numbers[row * stride + block..row * stride + block + BLOCK];
            for (sum, &entry) in sum.iter_mut().zip(entries) {
                *sum = x.mul_add(entry, *sum);
            }
        }
        let sum = sum.map(|sum| sum * factor);
        for (&x, &row) in x.iter().zip(rows) {
            let entries = &mut numbers[row * stride + block..row * stride + block + BLOCK];
            for (entry, &sum) in entries.iter_mut().zip(&sum) {
                *entry = x.mul_add(sum, *entry);
            }
        }
    }
}
