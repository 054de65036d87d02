//! Householder reflections of the rows with errors in a frontal matrix.

use super::front_memory::{FrontMemory, Origin, REST};
use super::fronts::{BLOCK, Front};

/// Clears a column below a row with errors; returns its entry there, zero for rounding.
#[inline(always)]
pub(super) fn clear(memory: &mut FrontMemory, front: &Front, first: usize, column: usize) -> f64 {
    let stride = front.stride;
    let (reflector, touched) = (&mut memory.reflector, &mut memory.touched);
    let soft = &mut memory.soft;
    // The rows that have an entry, the one with the largest before the others.
    let (mut count, mut largest, mut heaviest) = (0, 0.0, 0);
    for row in first..soft.count {
        let x = std::mem::take(&mut soft.numbers[row * stride + column]);
        // Not a number stays.
        if x.abs() <= REST * f64::EPSILON * soft.origins[row].size {
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
    // The first row stands where the heaviest did, and is touched there if it was.
    if touched[0] > first {
        touched[heaviest] = touched[0];
        touched[0] = first;
    }
    if count == 1 {
        return reflector[0];
    }
    let squares = reflector[1..].iter().map(|&x| x * x);
    let rest = squares.fold(0.0, |sum, x| sum + x);
    let own = reflector[0];
    let norm = (own * own + rest).sqrt();
    note_sizes(&mut soft.origins, 1.0 / norm, reflector, touched);
    let pivot = if own > 0.0 { -norm } else { norm };
    reflector[0] = own - pivot;
    let factor = -1.0 / (norm * (norm + own.abs()));
    reflect(
        &mut soft.numbers,
        stride,
        column,
        reflector,
        touched,
        factor,
    );
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

/// So many columns are reflected at a time: in fewer, sums would wait for their terms.
const WIDE: usize = 4 * BLOCK;

/// Adds factor · x xᵀ N to rows N, in which all columns before one are zero.
#[inline(always)]
fn reflect(
    numbers: &mut [f64],
    stride: usize,
    column: usize,
    x: &[f64],
    rows: &[usize],
    factor: f64,
) {
    let mut at = column - column % BLOCK;
    while at + WIDE <= stride {
        reflect_columns::<WIDE>(numbers, stride, at, x, rows, factor);
        at += WIDE;
    }
    while at < stride {
        reflect_columns::<BLOCK>(numbers, stride, at, x, rows, factor);
        at += BLOCK;
    }
}

/// The same for N columns from one on.
#[inline(always)]
fn reflect_columns<const N: usize>(
    numbers: &mut [f64],
    stride: usize,
    at: usize,
    x: &[f64],
    rows: &[usize],
    factor: f64,
) {
    let mut sum = [0.0; N];
    for (&x, &row) in x.iter().zip(rows) {
        let entries = &numbers[row * stride + at..row * stride + at + N];
        for (sum, &entry) in sum.iter_mut().zip(entries) {
            *sum = x.mul_add(entry, *sum);
        }
    }
    let sum = sum.map(|sum| sum * factor);
    for (&x, &row) in x.iter().zip(rows) {
        let entries = &mut numbers[row * stride + at..row * stride + at + N];
        for (entry, &sum) in entries.iter_mut().zip(&sum) {
            *entry = x.mul_add(sum, *entry);
        }
    }
}
