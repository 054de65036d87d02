//! The product of the inverse mass matrix and the derivatives of inverse dynamics.
//!
//! Column j of ∂τ/∂q and ∂τ/∂v has elements at the coordinates that j carries and those on its path
//! to the root. The joints of a limb without branches, from its root to its tip, have one such
//! pattern: several of their columns are taken together, so that an element of M⁻¹ that has been
//! loaded serves several sums.

use crate::model::Model;
use crate::scalar::{InstructionSet, Scalar, kernel};
use std::ops::Range;

/// How many rows of two columns are taken together: as many as keep all sums in registers.
#[derive(Clone, Copy)]
enum Route {
    /// Up to sixteen: numbers of which several share one of 32 registers.
    ManyRegisters,
    /// Up to eight: numbers that share one of 16.
    FewRegisters,
    /// Up to four: lanes with 32 registers.
    ManyLanes,
    /// Up to two.
    Pairs,
}

impl Route {
    #[inline(always)]
    fn of<S: Scalar>() -> Self {
        match (S::SHARES_REGISTERS, S::IS_LANES, S::INSTRUCTION_SET) {
            (true, _, _) => match InstructionSet::in_use() {
                InstructionSet::Avx512 => Self::ManyRegisters,
                InstructionSet::Avx2 | InstructionSet::Baseline => Self::FewRegisters,
            },
            (false, true, Some(InstructionSet::Avx512)) => Self::ManyLanes,
            (false, true | false, _) => Self::Pairs,
        }
    }
}

kernel!(
    avx512:
    /// −M⁻¹ times two matrices with the pattern of M.
    pub(super) fn minus_products<S: Scalar>(
        model: &Model,
        inverse: &[S],
        by_q: &[S],
        by_v: &[S],
        out_q: &mut [S],
        out_v: &mut [S],
    ) {
        let n = model.nv();
        let (factors, out) = ([by_q, by_v], &mut [out_q, out_v]);
        if model.has_mimic_joints() {
            write_columns(model, None, 0..n, inverse, factors, out);
            return;
        }
        let mut i = 1;
        while i < model.links.len() {
            // A limb goes on as long as the next link is all that a link carries.
            let (first, end) = (i, model.subtree_end(i));
            let mut columns = model.links[first].columns;
            while i + 1 < end && model.subtree_end(i + 1) == end {
                i += 1;
                columns += model.links[i].columns;
            }
            let begin = model.links[first].idx_v;
            let limb = begin..begin + columns;
            write_columns(model, Some(first), limb, inverse, factors, out);
            i += 1;
        }
    }
);

/// Writes a range of columns of both products: those of a limb, or of any joints without one.
#[inline(always)]
fn write_columns<S: Scalar>(
    model: &Model,
    limb: Option<usize>,
    columns: Range<usize>,
    inverse: &[S],
    factors: [&[S]; 2],
    out: &mut [&mut [S]; 2],
) {
    let (mut j, end) = (columns.start, columns.end);
    while j + 2 <= end {
        write_rows::<S, 2>(model, limb, j, inverse, factors, out);
        j += 2;
    }
    if j < end {
        write_rows::<S, 1>(model, limb, j, inverse, factors, out);
    }
}

/// Writes all rows of the `W` columns from j on of both products.
#[inline(always)]
fn write_rows<S: Scalar, const W: usize>(
    model: &Model,
    limb: Option<usize>,
    j: usize,
    inverse: &[S],
    factors: [&[S]; 2],
    out: &mut [&mut [S]; 2],
) {
    let n = model.nv();
    let mut columns = [[&inverse[..0]; W]; 2];
    for m in 0..2 {
        for w in 0..W {
            columns[m][w] = &factors[m][(j + w) * n..(j + w + 1) * n];
        }
    }
    let (route, mut k) = (Route::of::<S>(), 0);
    if let (Route::ManyRegisters, _) | (Route::FewRegisters, 1) = (route, W) {
        while k + 16 <= n {
            write_block::<S, 16, W>(model, limb, k, inverse, &columns, j, out);
            k += 16;
        }
    }
    match route {
        Route::ManyRegisters | Route::FewRegisters => {
            // The last rows may be computed twice.
            while n >= 8 && k + 4 < n {
                let first = if k + 8 > n { n - 8 } else { k };
                write_block::<S, 8, W>(model, limb, first, inverse, &columns, j, out);
                k += 8;
            }
            while n >= 4 && k < n {
                let first = if k + 4 > n { n - 4 } else { k };
                write_block::<S, 4, W>(model, limb, first, inverse, &columns, j, out);
                k += 4;
            }
        }
        Route::ManyLanes => {
            while k + 4 <= n {
                write_block::<S, 4, W>(model, limb, k, inverse, &columns, j, out);
                k += 4;
            }
        }
        Route::Pairs => {}
    }
    while k + 2 <= n {
        write_block::<S, 2, W>(model, limb, k, inverse, &columns, j, out);
        k += 2;
    }
    if k < n {
        write_block::<S, 1, W>(model, limb, k, inverse, &columns, j, out);
    }
}

/// Writes the rows `k..k + N` of the columns `j..j + W` of both products.
#[inline(always)]
fn write_block<S: Scalar, const N: usize, const W: usize>(
    model: &Model,
    limb: Option<usize>,
    k: usize,
    inverse: &[S],
    columns: &[[&[S]; W]; 2],
    j: usize,
    out: &mut [&mut [S]; 2],
) {
    let n = model.nv();
    let mut sums = [[[S::zero(); N]; W]; 2];
    if let Some(first) = limb {
        // The coordinates that the limb carries, and those on its path to the root; ranges that
        // meet are one.
        let last = &model.links[model.subtree_end(first) - 1];
        let mut range = model.links[first].idx_v..last.idx_v + last.columns;
        let mut above = model.links[first].parent;
        while above != 0 {
            let link = &model.links[above];
            let end = link.idx_v + link.columns;
            if end != range.start {
                add_products(inverse, k, range, columns, &mut sums);
                range = end..end;
            }
            range.start = link.idx_v;
            above = link.parent;
        }
        add_products(inverse, k, range, columns, &mut sums);
    } else {
        add_products(inverse, k, 0..n, columns, &mut sums);
    }
    for m in 0..2 {
        for w in 0..W {
            let to = &mut out[m][(j + w) * n + k..][..N];
            for r in 0..N {
                to[r] = -sums[m][w][r];
            }
        }
    }
}

/// Adds what some coordinates contribute to a block of both products.
#[inline(always)]
fn add_products<S: Scalar, const N: usize, const W: usize>(
    inverse: &[S],
    k: usize,
    coordinates: Range<usize>,
    columns: &[[&[S]; W]; 2],
    sums: &mut [[[S; N]; W]; 2],
) {
    let n = columns[0][0].len();
    for i in coordinates {
        // M⁻¹ is symmetric: its columns are its rows.
        let row = &inverse[i * n + k..][..N];
        for m in 0..2 {
            for w in 0..W {
                let factor = columns[m][w][i];
                for r in 0..N {
                    sums[m][w][r] = row[r].mul_add(factor, sums[m][w][r]);
                }
            }
        }
    }
}
