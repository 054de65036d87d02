//! Rows reduced to an R factor: exact ones by elimination, the others by reflections.
//!
//! An exact row states one unknown by the others, which is put into all rows that have it: the null
//! space method, whose elimination takes the largest entry of a row as its pivot (Björck 1996,
//! *Numerical methods for least squares problems*, section 5.1.2). What is left, rows of errors
//! with variance one, is reduced to an R factor by Householder's reflections, each of which starts
//! from the row with the largest entry in its column, so that rows may weigh anything against each
//! other (Powell and Reid 1969, *On applying Householder transformations to linear least squares
//! problems*; Cox and Higham 1998, *Stability of Householder QR factorization for weighted least
//! squares problems*). Nothing is ever squared.
//!
//! An exact row whose entries in a front are all small against its others can't state one of them
//! without losing digits. Their columns then have to be eliminated further up, together with the
//! others' (delayed pivots: Duff and Reid 1983, *The multifrontal solution of indefinite sparse
//! symmetric linear equations*): no exact row is ever weighed against one with an error, so that
//! what is determined exactly has no deviation at all, whatever is assumed of it.
//!
//! A row in which everything cancels leaves rounding: each entry of an exact row carries the size
//! of the numbers that it came from, each row with an error that of all of its entries.

use super::front_memory::{FrontMemory, MOST, Origin, REST};
use super::fronts::{BLOCK, Front, Fronts};
use super::r_factor::RFactor;
use super::reflections::clear;
use super::transformations::Transformations;
use super::weighted_rows::WeightedRows;
use featherline::kernel::Kernel;
use thiserror::Error;

/// An exact row is solved for an unknown whose entry is at least this share of its largest one.
const GOOD: f64 = 1e-2;

/// The relative residual that redundant exact rows may leave.
pub const AGREEMENT: f64 = 1e-9;

/// An entry is as uncertain as a number of at least this share of its row's largest entry.
pub(crate) const ROUNDED: f64 = 4.0 / REST;

/// A pivot of a row with an error that came from numbers so many times larger is rounding.
const LOST: f64 = 1e13;

/// Why there is no R factor.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum FactorisationError {
    /// No row has an entry in the column of a position when it is eliminated.
    #[error("no row determines the unknown at position {position} of the order")]
    Vanishing {
        /// The position in the order of elimination.
        position: usize,
    },
    /// An exact row contradicts those before it.
    #[error("the exact row {row} contradicts the exact rows before it by {by:.1e} of its terms")]
    Contradiction {
        /// The row.
        row: usize,
        /// The relative disagreement.
        by: f64,
    },
    /// A number is too large.
    #[error("a number of the factorisation is not finite")]
    Overflow,
    /// Some positions have to be eliminated later.
    #[error("some unknowns must be eliminated later. Call `FactorPlan::delay` and factorise again")]
    Delayed,
}

/// The reduction of rows to an R factor.
pub(crate) struct Factorise<'a> {
    pub fronts: &'a Fronts,
    pub memory: &'a mut FrontMemory,
    pub rows: &'a WeightedRows,
    pub r_factor: &'a mut RFactor,
}

impl Kernel for Factorise<'_> {
    type Output = Result<(), FactorisationError>;

    #[inline(always)]
    fn run(mut self) -> Self::Output {
        self.memory.done.clear();
        let memory = &mut *self.memory;
        (memory.exact_growth, memory.heaviest) = (0.0, 0.0);
        self.memory.delayed.clear();
        let mut result = Ok(());
        for (index, front) in self.fronts.fronts.iter().enumerate() {
            result = self.eliminate(index, front);
            if result.is_err() {
                break;
            }
        }
        if self.memory.delayed.is_empty() {
            result
        } else {
            Err(FactorisationError::Delayed)
        }
    }
}

impl Factorise<'_> {
    #[inline(always)]
    fn eliminate(&mut self, index: usize, front: &Front) -> Result<(), FactorisationError> {
        self.gather(front);
        let pivots = self.eliminate_exact(front)?;
        let used = self.reflect_soft(front, pivots)?;
        self.leave(index, front, pivots, used)
    }

    /// Puts rows, and the rows left over from below, into a frontal matrix.
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
            let (places, size) = (&fronts.places[range], largest(entries));
            if self.rows.is_exact(index) {
                let own = memory.exact.push(2 * stride, Origin { row, size });
                let (own, sizes) = own.split_at_mut(stride);
                // cos(π/2) is a rounding of one: an entry is rounded as the largest of its row is.
                let least = ROUNDED * size;
                for (&entry, &place) in entries.iter().zip(places) {
                    let place = usize::from(place);
                    (own[place], sizes[place]) = (entry, entry.abs().max(least));
                }
                (own[front.columns], sizes[front.columns]) = (right, self.rows.sizes[index]);
            } else {
                memory.heaviest = memory.heaviest.max(size);
                let own = memory.soft.push(stride, Origin { row, size });
                for (&entry, &place) in entries.iter().zip(places) {
                    own[usize::from(place)] = entry;
                }
                own[front.columns] = right;
            }
        }
        for &child in &fronts.children[front.children.clone()] {
            let (exact, soft) = memory.left[child as usize];
            let child = &fronts.fronts[child as usize];
            let width = child.width_above();
            let places = &fronts.columns_above[child.columns_above..child.columns_above + width];
            let (numbers, rows) = child.aside;
            let aside = memory.aside[2 * numbers..].chunks_exact(2 * width);
            let aside = aside.zip(&memory.origins_aside[rows..]);
            for (k, (row, &origin)) in aside.take(exact + soft).enumerate() {
                let is_exact = k < exact;
                let own = match is_exact {
                    true => memory.exact.push(2 * stride, origin),
                    false => memory.soft.push(stride, origin),
                };
                let (row, sizes) = row.split_at(width);
                for (&entry, &place) in row.iter().zip(places) {
                    own[usize::from(place)] = entry;
                }
                if is_exact {
                    for (&size, &place) in sizes.iter().zip(places) {
                        own[stride + usize::from(place)] = size;
                    }
                }
            }
        }
    }

    /// Lets each exact row state the unknown with its largest entry; returns how many do. The
    /// others come after these, without entries in the front's own columns: those of which some
    /// rows have entries, but no good ones, come too early here.
    #[inline(always)]
    fn eliminate_exact(&mut self, front: &Front) -> Result<usize, FactorisationError> {
        let (memory, stride) = (&mut *self.memory, front.stride);
        memory.is_done[..front.columns].fill(false);
        let mut pivots = 0;
        // A row that states nothing well may do so when others have been put into it.
        let mut before = usize::MAX;
        while before != pivots {
            before = pivots;
            for row in before..memory.exact.count {
                if let Some(column) = substitute(memory, front, row, pivots, 0..front.pivots, GOOD)
                {
                    let own = &memory.exact.numbers[2 * row * stride..][..stride];
                    self.r_factor.write(front, pivots, column, own, 0.0);
                    memory.done.write(memory.exact.origins[row].row);
                    memory.exact.swap(2 * stride, pivots, row);
                    pivots += 1;
                }
            }
        }
        for row in pivots..memory.exact.count {
            let (own, sizes) =
                memory.exact.numbers[2 * row * stride..][..2 * stride].split_at_mut(stride);
            if !own[..=front.columns].iter().all(|x| x.abs().is_finite()) {
                return Err(FactorisationError::Overflow);
            }
            let origin = memory.exact.origins[row];
            let inner = own[..front.pivots].iter_mut().zip(sizes);
            for (column, (x, size)) in inner.enumerate() {
                if !origin.is_rounding(*x, *size) && !memory.is_done[column] {
                    memory.is_done[column] = true;
                    memory.delayed.push((front.first + column) as u32);
                }
                *x = 0.0;
            }
        }
        Ok(pivots)
    }

    /// Eliminates what no exact row states; returns how many of the other rows that takes, which
    /// stand first then.
    #[inline(always)]
    fn reflect_soft(&mut self, front: &Front, exact: usize) -> Result<usize, FactorisationError> {
        let memory = &mut *self.memory;
        let mut used = 0;
        for column in 0..front.pivots {
            if memory.is_done[column] {
                continue;
            }
            let position = front.first + column;
            if used == memory.soft.count {
                return Err(FactorisationError::Vanishing { position });
            }
            let pivot = clear(memory, front, used, column);
            if pivot == 0.0 {
                return Err(FactorisationError::Vanishing { position });
            }
            if !pivot.abs().is_finite() {
                return Err(FactorisationError::Overflow);
            }
            let scale = 1.0 / pivot;
            let Origin { row, size } = memory.soft.origins[used];
            if size * scale.abs() > LOST {
                return Err(FactorisationError::Vanishing { position });
            }
            let own = &mut memory.soft.numbers[used * front.stride..(used + 1) * front.stride];
            own.iter_mut().for_each(|entry| *entry *= scale);
            self.r_factor
                .write(front, exact + used, column, own, scale.abs());
            memory.done.scale(row, scale);
            memory.done.write(row);
            used += 1;
        }
        Ok(used)
    }

    /// Puts aside what is left for the front above, at most as many rows as shared columns.
    #[inline(always)]
    fn leave(
        &mut self,
        index: usize,
        front: &Front,
        exact: usize,
        used: usize,
    ) -> Result<(), FactorisationError> {
        let (stride, border) = (front.stride, front.pivots..front.columns);
        let memory = &mut *self.memory;
        let is_crowded = memory.exact.count - exact + memory.soft.count - used > front.border();
        // Exact rows that state nothing are looked at, and go no further.
        let mut kept = exact;
        for row in exact..memory.exact.count {
            let (own, sizes) =
                memory.exact.numbers[2 * row * stride..][..2 * stride].split_at(stride);
            let mut entries = own.iter().zip(sizes).take(front.columns).skip(front.pivots);
            let stays = if is_crowded {
                substitute(memory, front, row, row, border.clone(), 0.0).is_some()
            } else {
                entries.any(|(x, size)| !memory.exact.origins[row].is_rounding(*x, *size))
            };
            if stays {
                memory.exact.swap(2 * stride, kept, row);
                kept += 1;
                continue;
            }
            let own = &memory.exact.numbers[2 * row * stride..][..2 * stride];
            if !own[..=front.columns].iter().all(|x| x.abs().is_finite()) {
                return Err(FactorisationError::Overflow);
            }
            let (rest, size) = (own[front.columns].abs(), own[stride + front.columns]);
            if rest > AGREEMENT * size {
                return Err(FactorisationError::Contradiction {
                    row: memory.exact.origins[row].row as usize,
                    by: rest / size,
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
        let (numbers, rows) = front.aside;
        let aside = memory.aside[2 * numbers..].chunks_exact_mut(2 * width);
        let mut aside = aside.zip(&mut memory.origins_aside[rows..]);
        for (row, (left, origin)) in (exact..kept).zip(&mut aside) {
            let own = &memory.exact.numbers[2 * row * stride..][..2 * stride];
            left[..width].copy_from_slice(&own[front.pivots..][..width]);
            left[width..].copy_from_slice(&own[stride + front.pivots..][..width]);
            *origin = memory.exact.origins[row];
        }
        for (row, (left, origin)) in (used..soft).zip(&mut aside) {
            let own = &memory.soft.numbers[row * stride..][..stride];
            left[..width].copy_from_slice(&own[front.pivots..][..width]);
            *origin = memory.soft.origins[row];
        }
        memory.left[index] = (kept - exact, soft - used);
        Ok(())
    }
}

/// The size of the largest number, a block at a time; what is not a number does not count.
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
    let most = most.into_iter().fold(0.0, f64::max);
    rest.iter().copied().fold(most, larger)
}

/// Solves an exact row for the unknown with its largest entry among some columns, and puts that
/// into all other rows from one on; none if that entry is rounding, or less than a share of the
/// row's largest.
#[inline(always)]
fn substitute(
    memory: &mut FrontMemory,
    front: &Front,
    row: usize,
    from: usize,
    columns: std::ops::Range<usize>,
    good: f64,
) -> Option<usize> {
    let stride = front.stride;
    let (before, rest) = memory.exact.numbers.split_at_mut(2 * row * stride);
    let (own, after) = rest.split_at_mut(2 * stride);
    let (own, sizes) = own.split_at_mut(stride);
    let origin = memory.exact.origins[row];
    let (mut best, mut found) = (good * largest(&own[..front.columns]), None);
    for column in columns {
        let x = own[column].abs();
        if x > best && !origin.is_rounding(x, sizes[column]) && !memory.is_done[column] {
            (best, found) = (x, Some(column));
        }
    }
    let column = found?;
    let scale = 1.0_f64 / own[column];
    let uncertain = sizes[column] * scale.abs();
    for (entry, size) in own.iter_mut().zip(&mut *sizes) {
        *entry *= scale;
        // The pivot's errors are those of all entries.
        *size = larger(*size * scale.abs(), uncertain * entry.abs());
    }
    (own[column], sizes[column]) = (1.0, 0.0);
    let most = MOST * largest(&own[..front.columns]);
    let size = largest(&sizes[..front.columns]).clamp(1.0, most);
    memory.is_done[column] = true;
    memory.exact_growth = memory.exact_growth.max(size);
    let done = &mut memory.done;
    done.scale(origin.row, scale);
    let first = done.terms();
    let stated = Substitution {
        numbers: own,
        sizes,
        size,
        column,
    };
    let count = memory.exact.count - row - 1;
    let (origins, origins_after) = memory.exact.origins.split_at(row);
    let numbers = before[2 * from * stride..].chunks_exact_mut(2 * stride);
    stated.put_into_exact(numbers.zip(&origins[from..]), done);
    let numbers = after.chunks_exact_mut(2 * stride).take(count);
    stated.put_into_exact(numbers.zip(&origins_after[1..]), done);
    let soft = &mut memory.soft;
    let numbers = soft.numbers.chunks_exact_mut(stride).take(soft.count);
    stated.put_into_soft(numbers.zip(&mut soft.origins), done);
    done.substitute(origin.row, first);
    Some(column)
}

/// The larger one; the first unless both are numbers.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// A row that states the unknown of a column, with one as its entry.
struct Substitution<'a> {
    numbers: &'a [f64],
    sizes: &'a [f64],
    /// The largest of these.
    size: f64,
    column: usize,
}

impl Substitution<'_> {
    /// Puts what it states into exact rows; of a product, the larger errors count.
    #[inline(always)]
    fn put_into_exact<'r>(
        &self,
        rows: impl Iterator<Item = (&'r mut [f64], &'r Origin)>,
        done: &mut Transformations,
    ) {
        for (row, origin) in rows {
            let (row, sizes) = row.split_at_mut(self.numbers.len());
            let factor = -row[self.column];
            if factor == 0.0 {
                continue;
            }
            let (times, uncertain) = (factor.abs(), sizes[self.column]);
            add(factor, self.numbers, row);
            let stated = self.numbers.iter().zip(self.sizes);
            for (size, (entry, own)) in sizes.iter_mut().zip(stated) {
                let added = larger(times * own, uncertain * entry.abs());
                *size = larger(*size, added);
            }
            (row[self.column], sizes[self.column]) = (0.0, 0.0);
            done.add(origin.row, factor);
        }
    }

    /// Puts what it states into rows with errors.
    #[inline(always)]
    fn put_into_soft<'r>(
        &self,
        rows: impl Iterator<Item = (&'r mut [f64], &'r mut Origin)>,
        done: &mut Transformations,
    ) {
        for (row, origin) in rows {
            let factor = -row[self.column];
            if factor == 0.0 {
                continue;
            }
            add(factor, self.numbers, row);
            row[self.column] = 0.0;
            origin.size = origin.size.max(factor.abs() * self.size);
            done.add(origin.row, factor);
        }
    }
}

/// Adds a multiple of a row to another one.
#[inline(always)]
fn add(factor: f64, stated: &[f64], row: &mut [f64]) {
    let (blocks, _) = row.as_chunks_mut::<BLOCK>();
    let (stated, _) = stated.as_chunks::<BLOCK>();
    for (entries, stated) in blocks.iter_mut().zip(stated) {
        for (entry, &above) in entries.iter_mut().zip(stated) {
            *entry = factor.mul_add(above, *entry);
        }
    }
}
