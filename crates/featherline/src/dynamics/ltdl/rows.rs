//! LᵀDL in storage without padding, the rows of a panel together: for numbers that fill registers
//! of their own.

use crate::model::{EliminationTree, Panel};
use crate::scalar::{Scalar, kernel};

kernel!(
    avx512:
    /// H = LᵀDL, the rows of a panel together: each row above is loaded and stored once.
    pub(super) fn factorize<S: Scalar>(#[plain] tree: &EliminationTree, packed: &mut [S]) {
        for panel in tree.panels().iter().rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(panel.first));
            match panel.len {
                1 => eliminate::<S, 1>(tree, panel, above, own),
                2 => eliminate::<S, 2>(tree, panel, above, own),
                3 => eliminate::<S, 3>(tree, panel, above, own),
                _ => eliminate::<S, 4>(tree, panel, above, own),
            }
        }
    }
);

/// The rows of the `N` coordinates of a panel, each up to its diagonal.
#[inline(always)]
pub(super) fn rows_of<'a, S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    packed: &'a [S],
) -> [&'a [S]; N] {
    let mut rows = [&packed[..0]; N];
    for r in 0..N {
        let k = panel.first + r;
        rows[r] = &packed[tree.row::<S>(k)..][..tree.place_in_row::<S>(k) + 1];
    }
    rows
}

/// A panel's `N` rows without padding: at its `d` common ancestors, and at the diagonal.
#[inline(always)]
pub(super) fn split_rows<S, const N: usize>(own: &[S], d: usize) -> [(&[S], &[S]); N] {
    let mut rest = own;
    let mut rows = [(&own[..0], &own[..0]); N];
    for r in 0..N {
        let (row, diagonal);
        (row, rest) = rest.split_at(d);
        (diagonal, rest) = rest.split_at(r + 1);
        rows[r] = (row, diagonal);
    }
    rows
}

/// Eliminates the `N` coordinates of a panel. `own` begins with its rows, without padding.
#[inline(always)]
pub(super) fn eliminate<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    above: &mut [S],
    own: &mut [S],
) {
    let d = tree.level(panel.first);
    // The triangle at the diagonal, from which the other elements of the rows follow.
    let mut l = [[S::zero(); N]; N];
    let mut elements = [[S::zero(); N]; N];
    for (elements, (_, diagonal)) in elements.iter_mut().zip(split_rows::<S, N>(own, d)) {
        elements[..diagonal.len()].copy_from_slice(diagonal);
    }
    for i in (0..N).rev() {
        for j in 0..=i {
            for m in (i + 1..N).rev() {
                elements[i][j] = (-l[m][i]).mul_add(elements[m][j], elements[i][j]);
            }
        }
        let inverse = elements[i][i].recip();
        for j in 0..i {
            l[i][j] = elements[i][j] * inverse;
        }
        l[i][i] = inverse;
    }
    let mut rows: [&mut [S]; N] = std::array::from_fn(|_| Default::default());
    let mut rest = own;
    for r in 0..N {
        let (row, diagonal);
        (row, rest) = rest.split_at_mut(d);
        (diagonal, rest) = rest.split_at_mut(r + 1);
        diagonal.copy_from_slice(&l[r][..=r]);
        rows[r] = row;
    }
    for c in 0..d {
        let mut column = [S::zero(); N];
        for r in 0..N {
            column[r] = rows[r][c];
        }
        for i in (1..N).rev() {
            for j in 0..i {
                column[j] = (-l[i][j]).mul_add(column[i], column[j]);
            }
        }
        for r in 1..N {
            rows[r - 1][c] = column[r - 1];
        }
    }
    // The rows above, the nearest first: what is scaled is not read again.
    let mut next = tree.parent(panel.first);
    for c in (0..d).rev() {
        let Some(i) = next else { break };
        let to = &mut above[tree.row::<S>(i)..][..c + 1];
        let mut factors = [S::zero(); N];
        let mut from = [&[][..]; N];
        for r in 0..N {
            factors[r] = rows[r][c] * l[r][r];
            from[r] = &rows[r][..c + 1];
        }
        for j in 0..c + 1 {
            let mut element = to[j];
            for r in 0..N {
                element = (-factors[r]).mul_add(from[r][j], element);
            }
            to[j] = element;
        }
        for r in 0..N {
            rows[r][c] = factors[r];
        }
        next = tree.parent(i);
    }
}
