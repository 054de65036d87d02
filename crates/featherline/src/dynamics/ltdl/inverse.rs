//! The inverse of a factorised matrix, all of its elements.
//!
//! From L H⁻¹ = D⁻¹ L⁻ᵀ, whose right-hand side is upper triangular, each row of H⁻¹ left of the diagonal follows from the
//! rows of the ancestors (Takahashi, Fagan and Chen 1973, "Formation of a sparse bus impedance matrix and its application to
//! short circuit study"):
//!
//! > (H⁻¹)ₖⱼ = − Σᵢ Lₖᵢ (H⁻¹)ᵢⱼ for j < k, and (H⁻¹)ₖₖ = 1/Dₖ − Σᵢ Lₖᵢ (H⁻¹)ᵢₖ
//!
//! over the ancestors i of k; what lies right of their diagonals is known by symmetry.

use super::panels::{Chunk, rows, rows_mut};
use crate::model::{CHUNK, EliminationTree, Panel};
use crate::scalar::{InstructionSet, Kernel, Scalar};

/// Four rows and four columns.
type Tile<S> = [Chunk<S>; CHUNK];

/// How many numbers [`Invert`] needs as scratch: a [`Tile`] for each pair of panels, where several numbers share a register.
/// They must be zero at first.
pub(crate) fn scratch_len<S: Scalar>(tree: &EliminationTree) -> usize {
    if S::SHARES_REGISTERS {
        (tree.panels().len() * CHUNK).pow(2)
    } else {
        0
    }
}

/// Writes the inverse, both triangles.
pub(crate) struct Invert<'a, S> {
    pub tree: &'a EliminationTree,
    pub packed: &'a [S],
    pub scratch: &'a mut [S],
    pub inverse: &'a mut [S],
}

impl<S: Scalar> Kernel for Invert<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self {
            tree,
            packed,
            scratch,
            inverse,
        } = self;
        if !S::SHARES_REGISTERS {
            by_rows(tree, packed, inverse);
            return;
        }
        let (chunks, _) = packed.as_chunks::<CHUNK>();
        let (scratch, _) = scratch.as_chunks_mut::<CHUNK>();
        let (tiles, _) = scratch.as_chunks_mut::<CHUNK>();
        let panels = tree.panels();
        for (p, panel) in panels.iter().enumerate() {
            let own = &chunks[panel.begin..];
            match panel.len {
                1 => invert::<S, 1>(panels, p, own, tiles),
                2 => invert::<S, 2>(panels, p, own, tiles),
                3 => invert::<S, 3>(panels, p, own, tiles),
                _ => invert::<S, 4>(panels, p, own, tiles),
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
}

/// Elements side by side that are summed in one go: registers enough to hide the delay of a sum, and few enough to exist.
const WIDTH: usize = 8;

/// The elements `j..j + N` of row k, less than k, of the inverse, whose rows before k are `above`.
#[inline(always)]
fn subtract_rows<S: Scalar, const N: usize>(
    tree: &EliminationTree,
    k: usize,
    l: &[S],
    above: &[S],
    j: usize,
) -> [S; N] {
    let n = tree.len();
    let mut sums = [S::zero(); N];
    let mut next = tree.parent(k);
    while let Some(i) = next {
        let factor = -l[tree.place_in_row::<S>(i)];
        let row = &above[i * n + j..][..N];
        for m in 0..N {
            sums[m] = factor.mul_add(row[m], sums[m]);
        }
        next = tree.parent(i);
    }
    sums
}

#[inline(always)]
fn by_rows<S: Scalar>(tree: &EliminationTree, packed: &[S], inverse: &mut [S]) {
    let n = tree.len();
    for k in 0..n {
        let l = &packed[tree.row::<S>(k)..];
        let (above, own) = inverse.split_at_mut(k * n);
        let own = &mut own[..n];
        // Sums of several elements stay in registers while the ancestors' rows go by.
        let mut j = 0;
        while j + WIDTH <= k {
            let sums: [S; WIDTH] = subtract_rows(tree, k, l, above, j);
            own[j..j + WIDTH].copy_from_slice(&sums);
            j += WIDTH;
        }
        while j < k {
            [own[j]] = subtract_rows(tree, k, l, above, j);
            j += 1;
        }
        let mut diagonal = l[tree.place_in_row::<S>(k)];
        let mut next = tree.parent(k);
        while let Some(i) = next {
            diagonal = (-l[tree.place_in_row::<S>(i)]).mul_add(own[i], diagonal);
            next = tree.parent(i);
        }
        own[k] = diagonal;
        for j in 0..k {
            above[j * n + k] = own[j];
        }
    }
}

/// Writes the rows of panel `p` up to the diagonal, and the columns that mirror them.
///
/// Tile `c * panels.len() + r` holds the rows of panel r in the columns of panel c. What is beyond a panel's coordinates
/// stays zero.
#[inline(always)]
fn invert<S: Scalar, const N: usize>(
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

/// For `N` rows and the columns of `W` panels: minus the rows of the ancestors, each times its element of L.
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
            // A whole register: what is beyond the panel's columns is overwritten by the next one's.
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
