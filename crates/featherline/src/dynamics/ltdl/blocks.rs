//! Solutions along the panels of a tree, in any storage: paths of any length, in any order.
//!
//! What a panel's coordinates take part in stands in x itself, where the panels above keep up to
//! four neighbours together.

use super::rows::rows_of;
use crate::model::{CHUNK, EliminationTree, Panel};
use crate::scalar::{Scalar, kernel};

kernel!(
    /// Solves LᵀDL x = b in place of b.
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

/// x ← D⁻¹ L⁻ᵀ x for the coordinates of a panel, whose share is taken from those above.
#[inline(always)]
fn substitute<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    packed: &[S],
    x: &mut [S],
) {
    let rows = rows_of::<S, N>(tree, panel, packed);
    let t = tree.place_in_row::<S>(panel.first);
    let (above, own) = x.split_at_mut(panel.first);
    let mut y = [S::zero(); N];
    y.copy_from_slice(&own[..N]);
    for i in (0..N).rev() {
        for j in 0..i {
            y[j] = (-rows[i][t + j]).mul_add(y[i], y[j]);
        }
        own[i] = y[i] * rows[i][t + i];
    }
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        let upper = &tree.panels()[upper];
        let u = tree.place_in_row::<S>(upper.first);
        let sums = &mut above[upper.first..][..count];
        if let Ok(sums) = <&mut [S; CHUNK]>::try_from(&mut *sums) {
            for i in 0..N {
                let row = &rows[i][u..][..CHUNK];
                for c in 0..CHUNK {
                    sums[c] = (-y[i]).mul_add(row[c], sums[c]);
                }
            }
        } else {
            for i in 0..N {
                for (sum, &l) in sums.iter_mut().zip(&rows[i][u..]) {
                    *sum = (-y[i]).mul_add(l, *sum);
                }
            }
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
    let rows = rows_of::<S, N>(tree, panel, packed);
    let t = tree.place_in_row::<S>(panel.first);
    let (above, own) = x.split_at_mut(panel.first);
    // Sums of every fourth element: they need not wait for each other.
    let mut sums = [[S::zero(); CHUNK]; N];
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        let upper = &tree.panels()[upper];
        let u = tree.place_in_row::<S>(upper.first);
        let known = &above[upper.first..][..count];
        if let Some(known) = known.first_chunk::<CHUNK>() {
            for i in 0..N {
                let row = &rows[i][u..][..CHUNK];
                for c in 0..CHUNK {
                    sums[i][c] = row[c].mul_add(known[c], sums[i][c]);
                }
            }
        } else {
            for i in 0..N {
                for (c, (&x, &l)) in known.iter().zip(&rows[i][u..]).enumerate() {
                    sums[i][c] = l.mul_add(x, sums[i][c]);
                }
            }
        }
        next = upper.above();
    }
    for i in 0..N {
        let sum = &sums[i];
        let mut value = own[i] - ((sum[0] + sum[2]) + (sum[1] + sum[3]));
        for j in 0..i {
            value = (-rows[i][t + j]).mul_add(own[j], value);
        }
        own[i] = value;
    }
}
