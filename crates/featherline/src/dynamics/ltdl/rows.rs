//! Factorisations of storage without padding, for scalars that fill registers of their own; and
//! solutions from any storage.

use crate::kernel;
use crate::model::{EliminationTree, Panel};
use crate::scalar::{Scalar, row};

kernel!(
    /// H = LᵀDL, the rows of a panel together, so that each row above is loaded and stored once for all
    /// of them.
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

/// The rows of the `N` coordinates of a panel without padding: the elements of their `d` common
/// ancestors, and those at the diagonal.
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

kernel!(
    /// H = LᵀL.
    pub(super) fn factorize_root<S: Scalar>(#[plain] tree: &EliminationTree, packed: &mut [S]) {
        for k in (0..tree.len()).rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(k));
            let diagonal = tree.place_in_row::<S>(k);
            own[diagonal] = own[diagonal].sqrt();
            let inverse = own[diagonal].recip();
            row::scale(&mut own[..diagonal], inverse);
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let l = tree.place_in_row::<S>(i);
                let begin = tree.row::<S>(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -own[l], &own[..l + 1]);
                next = tree.parent(i);
            }
        }
    }
);

kernel!(
    /// Solves LᵀDL x = b, the coordinates of a panel together.
    pub(super) fn solve<S: Scalar>(#[plain] tree: &EliminationTree, packed: &[S], x: &mut [S]) {
        for panel in tree.panels().iter().rev() {
            match panel.len {
                1 => substitute::<S, 1>(tree, panel, packed, x),
                2 => substitute::<S, 2>(tree, panel, packed, x),
                3 => substitute::<S, 3>(tree, panel, packed, x),
                _ => substitute::<S, 4>(tree, panel, packed, x),
            }
        }
        for panel in tree.panels() {
            match panel.len {
                1 => back_substitute::<S, 1>(tree, panel, packed, x),
                2 => back_substitute::<S, 2>(tree, panel, packed, x),
                3 => back_substitute::<S, 3>(tree, panel, packed, x),
                _ => back_substitute::<S, 4>(tree, panel, packed, x),
            }
        }
    }
);

/// x ← D⁻¹ L⁻ᵀ x for the coordinates of a panel, and their share of what is above.
#[inline(always)]
fn substitute<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    packed: &[S],
    x: &mut [S],
) {
    let d = tree.place_in_row::<S>(panel.first);
    let rows = rows_of::<S, N>(tree, panel, packed);
    let (above, own) = x.split_at_mut(panel.first);
    let mut y = [S::zero(); N];
    y.copy_from_slice(&own[..N]);
    for i in (0..N).rev() {
        for j in 0..i {
            y[j] = (-rows[i][d + j]).mul_add(y[i], y[j]);
        }
        own[i] = y[i] * rows[i][d + i];
    }
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        let upper = &tree.panels()[upper];
        let place = tree.place_in_row::<S>(upper.first);
        for (m, value) in above[upper.first..][..count].iter_mut().enumerate() {
            let mut rest = *value;
            for r in 0..N {
                rest = (-rows[r][place + m]).mul_add(y[r], rest);
            }
            *value = rest;
        }
        next = upper.above();
    }
}

/// x ← L⁻¹ x for the coordinates of a panel.
#[inline(always)]
fn back_substitute<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    packed: &[S],
    x: &mut [S],
) {
    let d = tree.place_in_row::<S>(panel.first);
    let rows = rows_of::<S, N>(tree, panel, packed);
    let (above, own) = x.split_at_mut(panel.first);
    let mut y = [S::zero(); N];
    y.copy_from_slice(&own[..N]);
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        let upper = &tree.panels()[upper];
        let place = tree.place_in_row::<S>(upper.first);
        for (m, value) in above[upper.first..][..count].iter().enumerate() {
            for r in 0..N {
                y[r] = (-rows[r][place + m]).mul_add(*value, y[r]);
            }
        }
        next = upper.above();
    }
    for i in 0..N {
        for j in 0..i {
            y[i] = (-rows[i][d + j]).mul_add(y[j], y[i]);
        }
        own[i] = y[i];
    }
}
