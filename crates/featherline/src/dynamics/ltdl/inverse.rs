//! Routes to the inverse of a factorised matrix: the formula of [`textbook`](super::textbook) for
//! up to four rows together.

use super::panels::{Chunk, rows, rows_mut};
use super::rows::rows_of;
use crate::model::{CHUNK, EliminationTree, Panel};
use crate::scalar::{Scalar, kernel};

/// Four rows and four columns.
type Tile<S> = [Chunk<S>; CHUNK];

kernel!(
    /// In whole registers; `scratch` is room for the tiles.
    pub(super) fn by_tiles<S: Scalar>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        scratch: &mut [S],
        inverse: &mut [S],
    ) {
        let (chunks, _) = packed.as_chunks::<CHUNK>();
        let (scratch, _) = scratch.as_chunks_mut::<CHUNK>();
        let (tiles, _) = scratch.as_chunks_mut::<CHUNK>();
        let panels = tree.panels();
        for (p, panel) in panels.iter().enumerate() {
            let own = &chunks[panel.begin..];
            match panel.len {
                1 => invert_panel::<S, 1>(panels, p, own, tiles),
                2 => invert_panel::<S, 2>(panels, p, own, tiles),
                3 => invert_panel::<S, 3>(panels, p, own, tiles),
                _ => invert_panel::<S, 4>(panels, p, own, tiles),
            }
        }
        let n = tree.len();
        for (r, panel) in panels.iter().enumerate() {
            match panel.len {
                1 => join::<S, 1>(panels, r, tiles, inverse, n),
                2 => join::<S, 2>(panels, r, tiles, inverse, n),
                3 => join::<S, 3>(panels, r, tiles, inverse, n),
                _ => join::<S, 4>(panels, r, tiles, inverse, n),
            }
        }
    }
);

kernel!(
    /// Without padding: the rows of each panel up to the diagonal, and their mirror images.
    pub(super) fn by_rows<S: Scalar>(
        #[plain] tree: &EliminationTree,
        packed: &[S],
        inverse: &mut [S],
    ) {
        for panel in tree.panels() {
            match panel.len {
                1 => invert_rows::<S, 1>(tree, panel, packed, inverse),
                2 => invert_rows::<S, 2>(tree, panel, packed, inverse),
                3 => invert_rows::<S, 3>(tree, panel, packed, inverse),
                _ => invert_rows::<S, 4>(tree, panel, packed, inverse),
            }
        }
    }
);

/// Writes the rows of a panel, in blocks of columns whose sums stay in registers.
#[inline(always)]
fn invert_rows<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    packed: &[S],
    inverse: &mut [S],
) {
    let (n, first) = (tree.len(), panel.first);
    let d = tree.level(first);
    let l = rows_of::<S, N>(tree, panel, packed);
    let mut j = 0;
    while N <= 2 && j + 8 <= first {
        invert_block::<S, N, 8>(tree, panel, &l, inverse, j);
        j += 8;
    }
    while j + 4 <= first {
        invert_block::<S, N, 4>(tree, panel, &l, inverse, j);
        j += 4;
    }
    if j + 2 <= first {
        invert_block::<S, N, 2>(tree, panel, &l, inverse, j);
        j += 2;
    }
    if j < first {
        invert_block::<S, N, 1>(tree, panel, &l, inverse, j);
    }
    // The block at the diagonal row by row: what lies right of the diagonal is known by symmetry.
    let (above, own) = inverse.split_at_mut(first * n);
    let sums = sum_ancestors::<S, N, N>(tree, panel, &l, above, first);
    let mut block = [[S::zero(); N]; N];
    for i in 0..N {
        for j in 0..=i {
            let mut sum = sums[i][j];
            for m in 0..i {
                sum = l[i][d + m].mul_add(block[m][j], sum);
            }
            block[i][j] = if i == j { l[i][d + i] - sum } else { -sum };
            block[j][i] = block[i][j];
        }
    }
    for i in 0..N {
        own[i * n + first..][..N].copy_from_slice(&block[i]);
    }
}

/// Writes a panel's rows in the columns `j..j + W` before its own, and their mirror image.
#[inline(always)]
fn invert_block<S: Scalar, const N: usize, const W: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    l: &[&[S]; N],
    inverse: &mut [S],
    j: usize,
) {
    let (n, first) = (tree.len(), panel.first);
    let d = tree.level(first);
    let (above, own) = inverse.split_at_mut(first * n);
    let mut elements = sum_ancestors::<S, N, W>(tree, panel, l, above, j);
    for i in 0..N {
        for m in 0..i {
            for w in 0..W {
                elements[i][w] = l[i][d + m].mul_add(elements[m][w], elements[i][w]);
            }
        }
        for w in 0..W {
            elements[i][w] = -elements[i][w];
        }
        own[i * n + j..][..W].copy_from_slice(&elements[i]);
    }
    for w in 0..W {
        let mirrored = &mut above[(j + w) * n + first..][..N];
        for i in 0..N {
            mirrored[i] = elements[i][w];
        }
    }
}

/// For a panel's rows and the columns `j..j + W`: the ancestors' rows times elements of L, summed.
#[inline(always)]
fn sum_ancestors<S: Scalar, const N: usize, const W: usize>(
    tree: &EliminationTree,
    panel: &Panel,
    l: &[&[S]; N],
    above: &[S],
    j: usize,
) -> [[S; W]; N] {
    let (n, panels) = (tree.len(), tree.panels());
    let mut sums = [[S::zero(); W]; N];
    let mut next = panel.above();
    while let Some((upper, count)) = next {
        let upper = &panels[upper];
        let place = tree.place_in_row::<S>(upper.first);
        let mut factors = [&[][..]; N];
        for i in 0..N {
            factors[i] = &l[i][place..][..count];
        }
        let mut rows = &above[upper.first * n..];
        for m in 0..count {
            let from = &rows[j..][..W];
            for i in 0..N {
                for w in 0..W {
                    sums[i][w] = factors[i][m].mul_add(from[w], sums[i][w]);
                }
            }
            rows = &rows[n..];
        }
        next = upper.above();
    }
    sums
}

/// Writes the rows of panel `p` up to the diagonal, and the columns that mirror them.
///
/// Tile `c * panels.len() + r` holds the rows of panel r in the columns of panel c. What is beyond
/// a panel's coordinates stays zero.
#[inline(always)]
fn invert_panel<S: Scalar, const N: usize>(
    panels: &[Panel],
    p: usize,
    own: &[Chunk<S>],
    tiles: &mut [Tile<S>],
) {
    let (t, height) = (panels[p].chunk, panels.len());
    let l = rows::<_, N>(own, t + 1);
    let mut c = 0;
    while c + 1 < p {
        let (left, right) = tiles[c * height..(c + 2) * height].split_at(height);
        let mut sums = subtract_ancestors::<S, N, 2>(panels, p, &l, [left, right]);
        subtract_siblings(&l, t, &mut sums);
        for half in 0..2 {
            put(tiles, height, p, c + half, &sums, half);
        }
        c += 2;
    }
    if c < p {
        let column = &tiles[c * height..(c + 1) * height];
        let mut sums = subtract_ancestors::<S, N, 1>(panels, p, &l, [column]);
        subtract_siblings(&l, t, &mut sums);
        put(tiles, height, p, c, &sums, 0);
    }
    // The block at the diagonal row by row: what lies right of the diagonal is known by symmetry.
    let column = &mut tiles[p * height..(p + 1) * height];
    let mut block = subtract_ancestors::<S, N, 1>(panels, p, &l, [&*column]);
    for i in 0..N {
        block[i][0][i] += l[i][t][i];
        for j in 0..=i {
            let mut sum = block[i][0][j];
            for m in 0..i {
                sum = (-l[i][t][m]).mul_add(block[m][0][j], sum);
            }
            block[i][0][j] = sum;
            block[j][0][i] = sum;
        }
    }
    for i in 0..N {
        column[p][i] = block[i][0];
    }
}

/// For `N` rows and the columns of `W` panels: minus the ancestors' rows times elements of L.
#[inline(always)]
fn subtract_ancestors<S: Scalar, const N: usize, const W: usize>(
    panels: &[Panel],
    p: usize,
    l: &[&[Chunk<S>]; CHUNK],
    columns: [&[Tile<S>]; W],
) -> [[Chunk<S>; W]; N] {
    let mut sums = [[[S::zero(); CHUNK]; W]; N];
    let mut next = panels[p].above();
    while let Some((upper, count)) = next {
        let u = panels[upper].chunk;
        for m in 0..count {
            for i in 0..N {
                let factor = l[i][u][m];
                for w in 0..W {
                    let from = &columns[w][upper][m];
                    for c in 0..CHUNK {
                        sums[i][w][c] = (-factor).mul_add(from[c], sums[i][w][c]);
                    }
                }
            }
        }
        next = panels[upper].above();
    }
    sums
}

/// Completes rows with what those of one panel take from one another.
#[inline(always)]
fn subtract_siblings<S: Scalar, const N: usize, const W: usize>(
    l: &[&[Chunk<S>]; CHUNK],
    t: usize,
    sums: &mut [[Chunk<S>; W]; N],
) {
    for i in 0..N {
        for j in 0..i {
            let factor = l[i][t][j];
            for w in 0..W {
                for c in 0..CHUNK {
                    sums[i][w][c] = (-factor).mul_add(sums[j][w][c], sums[i][w][c]);
                }
            }
        }
    }
}

/// Writes the rows of panel `p` in the columns of panel `c`, and their mirror image.
#[inline(always)]
fn put<S: Scalar, const N: usize, const W: usize>(
    tiles: &mut [Tile<S>],
    height: usize,
    p: usize,
    c: usize,
    sums: &[[Chunk<S>; W]; N],
    w: usize,
) {
    let own = &mut tiles[c * height + p];
    for i in 0..N {
        own[i] = sums[i][w];
    }
    let mut mirrored = [[S::zero(); CHUNK]; CHUNK];
    for i in 0..N {
        for m in 0..CHUNK {
            mirrored[m][i] = sums[i][w][m];
        }
    }
    tiles[p * height + c] = mirrored;
}

/// Copies the rows of panel `r` to a square matrix.
#[inline(always)]
fn join<S: Scalar, const N: usize>(
    panels: &[Panel],
    r: usize,
    tiles: &[Tile<S>],
    inverse: &mut [S],
    n: usize,
) {
    let first = panels[r].first;
    let rows = rows_mut::<_, N>(&mut inverse[first * n..(first + N) * n], n);
    for (column, tiles) in panels.iter().zip(tiles.chunks_exact(panels.len())) {
        let (from, begin) = (&tiles[r], column.first);
        if begin + CHUNK <= n {
            // A whole register: what is beyond the panel's columns is overwritten by the next
            // one's.
            for m in 0..N {
                rows[m][begin..begin + CHUNK].copy_from_slice(&from[m]);
            }
        } else {
            for m in 0..N {
                for c in 0..CHUNK {
                    if begin + c < n {
                        rows[m][begin + c] = from[m][c];
                    }
                }
            }
        }
    }
}
