//! The inverse of the KKT matrix, and what it makes of many right-hand sides.
//!
//! ```text
//! ⎡ q̈ ⎤     ⎡ b ⎤        ⎡  P   J̄ ⎤
//! ⎣ λ ⎦ = S ⎣ k ⎦,   S = ⎣ −J̄ᵀ  Λ ⎦,   Λ = G⁻¹,  J̄ = V Λ,  P = M⁻¹ − J̄ Vᵀ,  V = M⁻¹ Kᵀ
//! ```
//!
//! solves M q̈ − Kᵀ λ = b, K q̈ = k. The first columns of S are those of M⁻¹, over zeros, less the
//! last ones times a row of V. A right-hand side has elements at the coordinates that are related
//! to its own, as in [`Limb`]s, and for the rows that its own moves.

use super::system::System;
use super::transpose::write_columns;
use featherline::dynamics::ltdl::Ltdl;
use featherline::kernel::row::add_rows;
use featherline::{Error, kernel};
use std::ops::Range;

/// Rows of S that are summed together: a wide register of doubles.
const BLOCK: usize = 8;

/// S by columns.
#[derive(Clone, Debug)]
pub(super) struct KktInverse {
    /// How far columns are apart.
    stride: usize,
    columns: Vec<f64>,
    /// V by rows, which are `width` apart, and by columns.
    width: usize,
    response: Vec<f64>,
    response_columns: Vec<f64>,
}

impl KktInverse {
    pub(super) fn new(n: usize, rows: usize) -> Self {
        let stride = (n + rows).max(1).next_multiple_of(BLOCK);
        let width = rows.next_multiple_of(2 * BLOCK);
        Self {
            stride,
            width,
            columns: vec![0.0; stride * (n + rows)],
            response: vec![0.0; n * width],
            response_columns: vec![0.0; n * rows],
        }
    }

    /// Writes V.
    pub(super) fn respond(
        &mut self,
        system: &System,
        factors: &Ltdl<'_, f64>,
    ) -> Result<(), Error> {
        let (n, rows) = (factors.len(), system.rows);
        if rows > 0 {
            let (width, response) = (self.width, &mut self.response);
            let half = system.half().chunks_exact(rows);
            for (row, half) in response.chunks_exact_mut(width).zip(half) {
                row[..rows].copy_from_slice(half);
                row[rows..].fill(0.0);
            }
            factors.solve_dl_rows(response, width)?;
            let by_columns = &mut self.response_columns[..n * rows];
            write_columns(response, width, n, rows, 1.0, by_columns);
        }
        Ok(())
    }

    /// Writes S from M⁻¹, of a system that has G⁻¹ or G⁺; V is known.
    pub(super) fn complete(&mut self, system: &System, mass_inverse: &[f64], n: usize) {
        write_inverse(
            system.inverse(),
            system.all(),
            &self.response,
            self.width,
            &self.response_columns,
            mass_inverse,
            n,
            &mut self.columns,
            self.stride,
        );
    }

    /// The column of S of a coordinate, or, behind those, of a row: q̈ and then λ.
    pub(super) fn column(&self, index: usize) -> &[f64] {
        &self.columns[index * self.stride..(index + 1) * self.stride]
    }
}

kernel!(
    fn write_inverse(
        // Λ.
        inertia: &[f64],
        // 0, 1, 2, … for each row.
        all: &[usize],
        response: &[f64],
        width: usize,
        response_columns: &[f64],
        mass_inverse: &[f64],
        n: usize,
        columns: &mut [f64],
        stride: usize,
    ) {
        let rows = all.len();
        let (first, last) = columns.split_at_mut(n * stride);
        for r in 0..rows {
            let column = &mut last[r * stride..(r + 1) * stride];
            let own = &inertia[r * rows..(r + 1) * rows];
            // J̄ = V Λ
            column[..n].fill(0.0);
            add_rows(&mut column[..n], own, all, response_columns, n, 0);
            column[n..n + rows].copy_from_slice(own);
            column[n + rows..].fill(0.0);
        }
        // (M⁻¹; 0) − (J̄; Λ) Vᵀ
        for (i, column) in first.chunks_exact_mut(stride).enumerate() {
            column[..n].copy_from_slice(&mass_inverse[i * n..(i + 1) * n]);
            column[n..].fill(0.0);
        }
        let mut i = 0;
        while i + 4 <= n {
            subtract_product::<4>(last, (response, width), rows, i, first, stride);
            i += 4;
        }
        while i < n {
            subtract_product::<1>(last, (response, width), rows, i, first, stride);
            i += 1;
        }
    }
);

/// Subtracts what the columns of all rows are times rows i to i + W of V from as many columns.
#[inline(always)]
fn subtract_product<const W: usize>(
    last: &[f64],
    (response, width): (&[f64], usize),
    rows: usize,
    i: usize,
    first: &mut [f64],
    stride: usize,
) {
    let mut sources = [&response[..0]; W];
    for w in 0..W {
        sources[w] = &response[(i + w) * width..][..rows];
    }
    let mut k = 0;
    while k < stride {
        let mut sums = [[0.0; BLOCK]; W];
        for r in 0..rows {
            let column = &last[r * stride + k..][..BLOCK];
            for w in 0..W {
                let factor = -sources[w][r];
                for l in 0..BLOCK {
                    sums[w][l] = f64::mul_add(column[l], factor, sums[w][l]);
                }
            }
        }
        for w in 0..W {
            let to = &mut first[(i + w) * stride + k..][..BLOCK];
            for l in 0..BLOCK {
                to[l] += sums[w][l];
            }
        }
        k += BLOCK;
    }
}

/// Coordinates whose columns of the mass matrix have elements in the same rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Limb {
    pub columns: Range<usize>,
    /// The coordinates on the path to the root, and those that are carried.
    pub related: Vec<Range<usize>>,
}

/// The limbs of an elimination tree.
pub(super) fn limbs(parents: &[Option<usize>]) -> Vec<Limb> {
    let n = parents.len();
    let mut is_related = vec![vec![false; n]; n];
    for k in 0..n {
        let mut above = Some(k);
        while let Some(i) = above {
            is_related[k][i] = true;
            is_related[i][k] = true;
            above = parents[i];
        }
    }
    let mut limbs: Vec<Limb> = Vec::new();
    for (k, own) in is_related.iter().enumerate() {
        if k > 0 && *own == is_related[k - 1] {
            if let Some(limb) = limbs.last_mut() {
                limb.columns.end = k + 1;
            }
            continue;
        }
        let mut related: Vec<Range<usize>> = Vec::new();
        for i in (0..n).filter(|i| own[*i]) {
            match related.last_mut() {
                Some(range) if range.end == i => range.end = i + 1,
                _ => related.push(i..i + 1),
            }
        }
        let columns = k..k + 1;
        limbs.push(Limb { columns, related });
    }
    limbs
}

/// Right-hand sides, one for each coordinate.
#[derive(Clone, Copy, Debug)]
pub(super) struct RightHandSides<'a> {
    /// −b by columns, unless b is zero.
    pub minus_forces: Option<&'a [f64]>,
    /// k, as many numbers as there are rows for each coordinate.
    pub targets: &'a [f64],
    /// Coordinates with elements of b in the same places.
    pub limbs: &'a [Limb],
    /// Which rows each coordinate moves: where k has elements.
    pub reach: &'a [Range<usize>],
    /// How many rows there are.
    pub rows: usize,
}

kernel!(
    /// Writes the solutions, q̈ and λ, by columns.
    pub(super) fn solve_by_inverse(
        inverse: &KktInverse,
        sides: &RightHandSides<'_>,
        accelerations: &mut [f64],
        multipliers: &mut [f64],
    ) {
        for limb in sides.limbs {
            let (mut j, end) = (limb.columns.start, limb.columns.end);
            while j < end {
                // Sums that wait for each other are in several registers.
                if j + 4 <= end {
                    solve_columns::<8, 4>(inverse, sides, limb, j, accelerations, multipliers);
                    j += 4;
                } else if j + 2 <= end {
                    solve_columns::<16, 2>(inverse, sides, limb, j, accelerations, multipliers);
                    j += 2;
                } else {
                    solve_columns::<16, 1>(inverse, sides, limb, j, accelerations, multipliers);
                    j += 1;
                }
            }
        }
    }
);

/// Writes the `W` columns from j on, by blocks of N rows.
#[inline(always)]
fn solve_columns<const N: usize, const W: usize>(
    inverse: &KktInverse,
    sides: &RightHandSides<'_>,
    limb: &Limb,
    j: usize,
    accelerations: &mut [f64],
    multipliers: &mut [f64],
) {
    let (n, rows) = (sides.reach.len(), sides.rows);
    let mut k = 0;
    while k + N <= n {
        let to = &mut accelerations[j * n + k..];
        write_block::<N, W>(inverse, sides, limb, (k, j), to, n);
        k += N;
    }
    while k + BLOCK <= n {
        let to = &mut accelerations[j * n + k..];
        write_block::<BLOCK, W>(inverse, sides, limb, (k, j), to, n);
        k += BLOCK;
    }
    // The rest of q̈, and λ
    while k < n + rows {
        let mut room = [[0.0; BLOCK]; W];
        let to = room.as_flattened_mut();
        write_block::<BLOCK, W>(inverse, sides, limb, (k, j), to, BLOCK);
        for w in 0..W {
            for l in 0..BLOCK {
                if k + l < n {
                    accelerations[(j + w) * n + k + l] = room[w][l];
                } else if k + l < n + rows {
                    multipliers[(j + w) * rows + k + l - n] = room[w][l];
                }
            }
        }
        k += BLOCK;
    }
}

/// Writes rows k to k + N of the `W` columns from j on.
#[inline(always)]
#[allow(clippy::manual_memcpy)] // a copied array would not stay in registers until then
fn write_block<const N: usize, const W: usize>(
    inverse: &KktInverse,
    sides: &RightHandSides<'_>,
    limb: &Limb,
    (k, j): (usize, usize),
    to: &mut [f64],
    to_stride: usize,
) {
    let (n, rows, stride) = (sides.reach.len(), sides.rows, inverse.stride);
    let mut sums = [[0.0; N]; W];
    if let Some(minus_forces) = sides.minus_forces {
        let mut sources = [&minus_forces[..0]; W];
        for w in 0..W {
            sources[w] = &minus_forces[(j + w) * n..(j + w + 1) * n];
        }
        for related in &limb.related {
            for i in related.start..related.end {
                let column = &inverse.columns[i * stride + k..][..N];
                for w in 0..W {
                    let factor = -sources[w][i];
                    for l in 0..N {
                        sums[w][l] = f64::mul_add(column[l], factor, sums[w][l]);
                    }
                }
            }
        }
    }
    let mut sources = [&sides.targets[..0]; W];
    let (mut begin, mut end) = (rows, 0);
    for w in 0..W {
        sources[w] = &sides.targets[(j + w) * rows..(j + w + 1) * rows];
        let reach = &sides.reach[j + w];
        if reach.start < reach.end {
            begin = if reach.start < begin {
                reach.start
            } else {
                begin
            };
            end = if reach.end > end { reach.end } else { end };
        }
    }
    for r in begin..end {
        let column = &inverse.columns[(n + r) * stride + k..][..N];
        for w in 0..W {
            let factor = sources[w][r];
            for l in 0..N {
                sums[w][l] = f64::mul_add(column[l], factor, sums[w][l]);
            }
        }
    }
    for w in 0..W {
        let to = &mut to[w * to_stride..][..N];
        for l in 0..N {
            to[l] = sums[w][l];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limb_is_related_to_what_carries_it_and_what_it_carries() {
        // A base of two, an arm of two, and a leg of one.
        let found = limbs(&[None, Some(0), Some(1), Some(2), Some(1)]);
        let limb = |columns, related: &[(usize, usize)]| Limb {
            columns,
            related: related.iter().map(|&(begin, end)| begin..end).collect(),
        };
        let expected = [
            limb(0..2, &[(0, 5)]),
            limb(2..4, &[(0, 4)]),
            limb(4..5, &[(0, 2), (4, 5)]),
        ];
        assert_eq!(found, expected);
    }
}
