//! Solutions with storage without padding, in which the elements of a coordinate's ancestors lie
//! side by side: what the coordinates on a path take part in is kept side by side, too.

use super::rows::{eliminate, split_rows};
use crate::model::{EliminationTree, Panel};
use crate::scalar::{Scalar, kernel};

kernel!(
    avx512:
    /// Solves LᵀDL x = b for a tree in preorder with paths of no more than `LEVELS` coordinates.
    pub(super) fn solve<S: Scalar, const LEVELS: usize>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        x: &mut [S],
    ) {
        // The sums of the coordinates on the path from the root to the panel at hand: first the
        // numbers to be subtracted from them, then their values. In preorder, what lies beyond the
        // panel belongs to no one any more.
        let mut path = [S::zero(); LEVELS];
        for panel in tree.panels().iter().rev() {
            let own = &packed[tree.row::<S>(panel.first)..];
            match panel.len {
                1 => substitute::<S, 1>(tree, panel, own, x, &mut path),
                2 => substitute::<S, 2>(tree, panel, own, x, &mut path),
                3 => substitute::<S, 3>(tree, panel, own, x, &mut path),
                _ => substitute::<S, 4>(tree, panel, own, x, &mut path),
            }
        }
        back_substitute_all(tree, packed, x, &mut path);
    }
);

kernel!(
    avx512:
    /// H = LᵀDL in place, and the solution of LᵀDL x = b, for trees as for [`solve`].
    pub(super) fn factorize_and_solve<S: Scalar, const LEVELS: usize>(
        #[plain] tree: &EliminationTree,
        packed: &mut [S],
        x: &mut [S],
    ) {
        let mut path = [S::zero(); LEVELS];
        for panel in tree.panels().iter().rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(panel.first));
            match panel.len {
                1 => {
                    eliminate::<S, 1>(tree, panel, above, own);
                    substitute::<S, 1>(tree, panel, own, x, &mut path);
                }
                2 => {
                    eliminate::<S, 2>(tree, panel, above, own);
                    substitute::<S, 2>(tree, panel, own, x, &mut path);
                }
                3 => {
                    eliminate::<S, 3>(tree, panel, above, own);
                    substitute::<S, 3>(tree, panel, own, x, &mut path);
                }
                _ => {
                    eliminate::<S, 4>(tree, panel, above, own);
                    substitute::<S, 4>(tree, panel, own, x, &mut path);
                }
            }
        }
        back_substitute_all(tree, packed, x, &mut path);
    }
);

/// x ← L⁻¹ x.
#[inline(always)]
fn back_substitute_all<S: Scalar>(
    tree: &EliminationTree,
    packed: &[S],
    x: &mut [S],
    path: &mut [S],
) {
    for panel in tree.panels() {
        let own = &packed[tree.row::<S>(panel.first)..];
        match panel.len {
            1 => back_substitute::<S, 1>(tree, panel, own, x, path),
            2 => back_substitute::<S, 2>(tree, panel, own, x, path),
            3 => back_substitute::<S, 3>(tree, panel, own, x, path),
            _ => back_substitute::<S, 4>(tree, panel, own, x, path),
        }
    }
}

/// x ← D⁻¹ L⁻ᵀ x for the coordinates of a panel, and their share of what is above.
#[inline(always)]
fn substitute<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    own: &[S],
    x: &mut [S],
    path: &mut [S],
) {
    let d = tree.level(panel.first);
    let rows = split_rows::<S, N>(own, d);
    let x = &mut x[panel.first..][..N];
    let (above, here) = path.split_at_mut(d);
    let here = &mut here[..N];
    let mut y = [S::zero(); N];
    for i in 0..N {
        y[i] = x[i] + here[i];
        here[i] = S::zero();
    }
    for i in (0..N).rev() {
        let (_, diagonal) = rows[i];
        for j in 0..i {
            y[j] = (-diagonal[j]).mul_add(y[i], y[j]);
        }
        x[i] = y[i] * diagonal[i];
    }
    for c in 0..d {
        let mut sum = above[c];
        for i in 0..N {
            sum = (-rows[i].0[c]).mul_add(y[i], sum);
        }
        above[c] = sum;
    }
}

/// x ← L⁻¹ x for the coordinates of a panel.
#[inline(always)]
fn back_substitute<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    own: &[S],
    x: &mut [S],
    path: &mut [S],
) {
    let d = tree.level(panel.first);
    let rows = split_rows::<S, N>(own, d);
    let x = &mut x[panel.first..][..N];
    let (above, here) = path.split_at_mut(d);
    let mut y = [S::zero(); N];
    y.copy_from_slice(x);
    for c in 0..d {
        for i in 0..N {
            y[i] = (-rows[i].0[c]).mul_add(above[c], y[i]);
        }
    }
    for i in 0..N {
        let (_, diagonal) = rows[i];
        for j in 0..i {
            y[i] = (-diagonal[j]).mul_add(y[j], y[i]);
        }
    }
    here[..N].copy_from_slice(&y);
    x.copy_from_slice(&y);
}
