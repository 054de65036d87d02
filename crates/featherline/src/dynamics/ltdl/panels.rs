//! LᵀDL in padded storage: four rows and whole registers at a time.
//!
//! The rows of a [`Panel`] are eliminated together, so that each row above is loaded and stored
//! once for all of them (supernodes and rank-4 updates: Ashcraft and Grimes 1989, "The influence of
//! relaxed supernode partitions on the multifrontal method").

use crate::model::{CHUNK, EliminationTree, Panel};
use crate::scalar::{Scalar, kernel};

/// A register of numbers.
pub(super) type Chunk<S> = [S; CHUNK];

kernel!(
    avx512:
    pub(super) fn factorize<S: Scalar>(#[plain] tree: &EliminationTree, packed: &mut [S]) {
        let panels = tree.panels();
        let (chunks, _) = packed.as_chunks_mut::<CHUNK>();
        for panel in panels.iter().rev() {
            let (above, own) = chunks.split_at_mut(panel.begin);
            match panel.len {
                1 => eliminate::<S, 1>(panels, panel, above, own),
                2 => eliminate::<S, 2>(panels, panel, above, own),
                3 => eliminate::<S, 3>(panels, panel, above, own),
                _ => eliminate::<S, 4>(panels, panel, above, own),
            }
        }
    }
);

/// The first `N` rows, and nothing in place of the others.
#[inline(always)]
pub(super) fn rows<T, const N: usize>(elements: &[T], width: usize) -> [&[T]; CHUNK] {
    let (a, rest) = elements.split_at(width);
    let (b, rest) = rest.split_at(if N > 1 { width } else { 0 });
    let (c, rest) = rest.split_at(if N > 2 { width } else { 0 });
    let (d, _) = rest.split_at(if N > 3 { width } else { 0 });
    [a, b, c, d]
}

/// As [`rows`], to be written.
#[inline(always)]
pub(super) fn rows_mut<T, const N: usize>(elements: &mut [T], width: usize) -> [&mut [T]; CHUNK] {
    let (a, rest) = elements.split_at_mut(width);
    let (b, rest) = rest.split_at_mut(if N > 1 { width } else { 0 });
    let (c, rest) = rest.split_at_mut(if N > 2 { width } else { 0 });
    let (d, _) = rest.split_at_mut(if N > 3 { width } else { 0 });
    [a, b, c, d]
}

/// Eliminates the `N` coordinates of a panel.
#[inline(always)]
fn eliminate<S: Scalar, const N: usize>(
    panels: &[Panel],
    panel: &Panel,
    above: &mut [Chunk<S>],
    own: &mut [Chunk<S>],
) {
    let t = panel.chunk;
    let mut rows = rows_mut::<_, N>(own, t + 1);
    // Among themselves: first the triangle at the diagonal,
    let mut l = [[S::zero(); N]; N];
    for i in 0..N {
        for j in 0..=i {
            l[i][j] = rows[i][t][j];
        }
    }
    for i in (0..N).rev() {
        l[i][i] = l[i][i].recip();
        // A scaled element is not read again for a smaller j.
        for j in (0..i).rev() {
            let factor = l[i][j] * l[i][i];
            for m in 0..=j {
                l[j][m] = (-factor).mul_add(l[i][m], l[j][m]);
            }
            l[i][j] = factor;
            rows[i][t][j] = factor;
        }
        rows[i][t][i] = l[i][i];
    }
    // then the rest of the rows,
    let mut negative_inverse = [S::zero(); N];
    for i in 0..N {
        negative_inverse[i] = -l[i][i];
        for j in 0..i {
            l[i][j] = -l[i][j];
        }
    }
    let mut column = panel.above();
    while let Some((upper, _)) = column {
        let upper = &panels[upper];
        let u = upper.chunk;
        let mut r = [[S::zero(); CHUNK]; N];
        for i in 0..N {
            r[i] = rows[i][u];
        }
        for i in (1..N).rev() {
            for j in 0..i {
                for c in 0..CHUNK {
                    r[j][c] = l[i][j].mul_add(r[i][c], r[j][c]);
                }
            }
        }
        for i in 1..N {
            rows[i - 1][u] = r[i - 1];
        }
        column = upper.above();
    }
    // and from the rows above, the nearest first.
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        match count {
            1 => subtract::<S, N, 1>(panels, upper, above, &mut rows, &negative_inverse),
            2 => subtract::<S, N, 2>(panels, upper, above, &mut rows, &negative_inverse),
            3 => subtract::<S, N, 3>(panels, upper, above, &mut rows, &negative_inverse),
            _ => subtract::<S, N, 4>(panels, upper, above, &mut rows, &negative_inverse),
        }
        next = panels[upper].above();
    }
}

/// Subtracts `N` eliminated rows from the first `M` rows of a panel above; scales the last read.
#[inline(always)]
fn subtract<S: Scalar, const N: usize, const M: usize>(
    panels: &[Panel],
    upper: usize,
    above: &mut [Chunk<S>],
    rows: &mut [&mut [Chunk<S>]; CHUNK],
    negative_inverse: &[S; N],
) {
    let Panel { chunk, begin, .. } = panels[upper];
    let to = rows_mut::<_, M>(&mut above[begin..], chunk + 1);
    let mut factors = [[S::zero(); CHUNK]; N];
    for i in 0..N {
        for c in 0..CHUNK {
            factors[i][c] = rows[i][chunk][c] * negative_inverse[i];
        }
    }
    let mut column = Some((upper, M));
    while let Some((here, _)) = column {
        let here = &panels[here];
        let u = here.chunk;
        let mut from = [[S::zero(); CHUNK]; N];
        for i in 0..N {
            from[i] = rows[i][u];
        }
        for m in 0..M {
            let mut sum = to[m][u];
            for i in 0..N {
                for c in 0..CHUNK {
                    sum[c] = factors[i][m].mul_add(from[i][c], sum[c]);
                }
            }
            to[m][u] = sum;
        }
        column = here.above();
    }
    for i in 0..N {
        for c in 0..CHUNK {
            rows[i][chunk][c] = -factors[i][c];
        }
    }
}

kernel!(
    avx512:
    /// Solves LᵀDL x = b for a tree in preorder whose paths take no more than `CHUNKS`.
    pub(super) fn solve<S: Scalar, const CHUNKS: usize>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        x: &mut [S],
    ) {
        let (chunks, _) = packed.as_chunks::<CHUNK>();
        // The sums of the coordinates on the path from the root to the panel at hand: first the
        // numbers to be subtracted from them, then their values. In preorder, what lies beyond the
        // panel belongs to no one any more.
        let mut path = [[S::zero(); CHUNK]; CHUNKS];
        for panel in tree.panels().iter().rev() {
            let own = &chunks[panel.begin..];
            let x = &mut x[panel.first..panel.first + panel.len];
            match panel.len {
                1 => substitute::<S, 1>(panel, own, x, &mut path),
                2 => substitute::<S, 2>(panel, own, x, &mut path),
                3 => substitute::<S, 3>(panel, own, x, &mut path),
                _ => substitute::<S, 4>(panel, own, x, &mut path),
            }
        }
        back_substitute_all(tree, chunks, x, &mut path);
    }
);

kernel!(
    avx512:
    /// H = LᵀDL in place, and the solution of LᵀDL x = b, for trees as for [`solve`].
    ///
    /// A panel's right-hand sides are reduced as soon as its rows are: both are chains of few
    /// operations that wait for each other, and so the next panel's rows need not wait for the one
    /// nor the one for them.
    pub(super) fn factorize_and_solve<S: Scalar, const CHUNKS: usize>(
        #[plain] tree: &EliminationTree,
        packed: &mut [S],
        x: &mut [S],
    ) {
        let panels = tree.panels();
        let (chunks, _) = packed.as_chunks_mut::<CHUNK>();
        let mut path = [[S::zero(); CHUNK]; CHUNKS];
        for panel in panels.iter().rev() {
            let (above, own) = chunks.split_at_mut(panel.begin);
            let x = &mut x[panel.first..panel.first + panel.len];
            match panel.len {
                1 => {
                    eliminate::<S, 1>(panels, panel, above, own);
                    substitute::<S, 1>(panel, own, x, &mut path);
                }
                2 => {
                    eliminate::<S, 2>(panels, panel, above, own);
                    substitute::<S, 2>(panel, own, x, &mut path);
                }
                3 => {
                    eliminate::<S, 3>(panels, panel, above, own);
                    substitute::<S, 3>(panel, own, x, &mut path);
                }
                _ => {
                    eliminate::<S, 4>(panels, panel, above, own);
                    substitute::<S, 4>(panel, own, x, &mut path);
                }
            }
        }
        back_substitute_all(tree, chunks, x, &mut path);
    }
);

/// x ← L⁻¹ x.
#[inline(always)]
fn back_substitute_all<S: Scalar>(
    tree: &EliminationTree,
    chunks: &[Chunk<S>],
    x: &mut [S],
    path: &mut [Chunk<S>],
) {
    for panel in tree.panels() {
        let own = &chunks[panel.begin..];
        let x = &mut x[panel.first..panel.first + panel.len];
        match panel.len {
            1 => back_substitute::<S, 1>(panel, own, x, path),
            2 => back_substitute::<S, 2>(panel, own, x, path),
            3 => back_substitute::<S, 3>(panel, own, x, path),
            _ => back_substitute::<S, 4>(panel, own, x, path),
        }
    }
}

/// x ← D⁻¹ L⁻ᵀ x for the coordinates of a panel, and their share of what is above.
#[inline(always)]
fn substitute<S: Scalar, const N: usize>(
    panel: &Panel,
    own: &[Chunk<S>],
    x: &mut [S],
    path: &mut [Chunk<S>],
) {
    let t = panel.chunk;
    let rows = rows::<_, N>(own, t + 1);
    let (above, here) = path.split_at_mut(t);
    let mut y = [S::zero(); N];
    for i in 0..N {
        y[i] = x[i] + here[0][i];
    }
    here[0] = [S::zero(); CHUNK];
    for i in (0..N).rev() {
        for j in 0..i {
            y[j] = (-rows[i][t][j]).mul_add(y[i], y[j]);
        }
        x[i] = y[i] * rows[i][t][i];
    }
    for u in 0..t {
        let mut sum = above[u];
        for i in 0..N {
            for c in 0..CHUNK {
                sum[c] = (-y[i]).mul_add(rows[i][u][c], sum[c]);
            }
        }
        above[u] = sum;
    }
}

/// x ← L⁻¹ x for the coordinates of a panel.
#[inline(always)]
fn back_substitute<S: Scalar, const N: usize>(
    panel: &Panel,
    own: &[Chunk<S>],
    x: &mut [S],
    path: &mut [Chunk<S>],
) {
    let t = panel.chunk;
    let rows = rows::<_, N>(own, t + 1);
    let (above, here) = path.split_at_mut(t);
    let mut sums = [[S::zero(); CHUNK]; N];
    for u in 0..t {
        for i in 0..N {
            for c in 0..CHUNK {
                sums[i][c] = rows[i][u][c].mul_add(above[u][c], sums[i][c]);
            }
        }
    }
    let mut y = [S::zero(); CHUNK];
    for i in 0..N {
        let sum = &sums[i];
        let mut value = x[i] - ((sum[0] + sum[2]) + (sum[1] + sum[3]));
        for j in 0..i {
            value = (-rows[i][t][j]).mul_add(y[j], value);
        }
        y[i] = value;
        x[i] = value;
    }
    here[0] = y;
}
