//! Where the elements of the mass matrix go: both triangles of a square, or the packed storage of
//! the elimination tree.

use super::tiles::Tile;
use crate::model::{CHUNK, EliminationTree, Panel};
use crate::scalar::Scalar;

/// Where the elements of the mass matrix go.
pub(super) trait MassMatrix<S: Scalar>: Sized {
    /// Sets all elements to zero.
    fn clear(&mut self);

    /// Where the row of a coordinate begins.
    fn row(&self, k: usize) -> usize;

    /// Adds to, or else sets, the elements of two coordinates of which the first has the larger
    /// number. `row` is where its row begins.
    fn put_in_row<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, value: S);

    /// Adds to, or else sets, an element of the diagonal.
    fn put_diagonal<const ADD: bool>(&mut self, row: usize, k: usize, value: S);

    /// Adds to the elements of two coordinates in any order, perhaps the same; or else sets those
    /// of two coordinates of which the first has the larger number, as without mimic joints the
    /// joint below has.
    #[inline(always)]
    fn put_any<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, value: S) {
        if !ADD || l < k {
            self.put_in_row::<ADD>(row, k, l, value);
        } else if k < l {
            self.put_in_row::<ADD>(self.row(l), l, k, value);
        } else {
            self.put_diagonal::<ADD>(row, k, value + value);
        }
    }

    /// Adds to, or else sets, the elements of coordinate k and of six consecutive ones above it.
    #[inline(always)]
    fn put_six<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, values: [S; 6]) {
        for d in 0..6 {
            self.put_any::<ADD>(row, k, l + d, values[d]);
        }
    }

    /// Sets the elements of a panel's rows in its own columns, of which a tile has the lower
    /// triangle.
    fn put_panel(&mut self, own: &Panel, tile: &Tile<S>);

    /// Sets the elements of a panel's rows in the first columns of one above, the others of which
    /// are zero.
    fn put_tile(&mut self, own: &Panel, above: &Panel, count: usize, tile: &Tile<S>);
}

/// Both triangles of a square matrix.
pub(super) struct Dense<'a, S: Scalar> {
    pub n: usize,
    pub elements: &'a mut [S],
}

impl<S: Scalar> MassMatrix<S> for Dense<'_, S> {
    #[inline(always)]
    fn clear(&mut self) {
        self.elements.fill(S::zero());
    }

    #[inline(always)]
    fn row(&self, k: usize) -> usize {
        k * self.n
    }

    #[inline(always)]
    fn put_in_row<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, value: S) {
        set::<S, ADD>(&mut self.elements[row + l], value);
        set::<S, ADD>(&mut self.elements[l * self.n + k], value);
    }

    #[inline(always)]
    fn put_diagonal<const ADD: bool>(&mut self, row: usize, k: usize, value: S) {
        set::<S, ADD>(&mut self.elements[row + k], value);
    }

    #[inline(always)]
    fn put_six<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, values: [S; 6]) {
        if ADD {
            for d in 0..6 {
                self.put_any::<ADD>(row, k, l + d, values[d]);
            }
            return;
        }
        self.elements[row + l..][..6].copy_from_slice(&values);
        let mut mirrored = l * self.n + k;
        for value in values {
            self.elements[mirrored] = value;
            mirrored += self.n;
        }
    }

    #[inline(always)]
    fn put_panel(&mut self, own: &Panel, tile: &Tile<S>) {
        let (n, first) = (self.n, own.first);
        for r in 0..own.len.min(CHUNK) {
            for c in 0..=r {
                self.elements[(first + r) * n + first + c] = tile[r][c];
                self.elements[(first + c) * n + first + r] = tile[r][c];
            }
        }
    }

    #[inline(always)]
    fn put_tile(&mut self, own: &Panel, above: &Panel, count: usize, tile: &Tile<S>) {
        let (n, k, l) = (self.n, own.first, above.first);
        if own.len == CHUNK && count == CHUNK {
            let (above, own) = self.elements.split_at_mut(k * n);
            for (row, elements) in four_rows(own, n).into_iter().zip(tile) {
                row[l..l + CHUNK].copy_from_slice(elements);
            }
            for (c, row) in four_rows(&mut above[l * n..], n).into_iter().enumerate() {
                let column = [tile[0][c], tile[1][c], tile[2][c], tile[3][c]];
                row[k..k + CHUNK].copy_from_slice(&column);
            }
            return;
        }
        for r in 0..own.len.min(CHUNK) {
            for c in 0..count.min(CHUNK) {
                self.elements[(k + r) * n + l + c] = tile[r][c];
                self.elements[(l + c) * n + k + r] = tile[r][c];
            }
        }
    }
}

/// The first rows of a matrix.
#[inline(always)]
fn four_rows<S>(elements: &mut [S], n: usize) -> [&mut [S]; CHUNK] {
    let (a, rest) = elements.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    let (c, rest) = rest.split_at_mut(n);
    [a, b, c, &mut rest[..n]]
}

/// The packed storage of the elimination tree.
pub(super) struct Packed<'a, S: Scalar> {
    rows: &'a [usize],
    places: &'a [usize],
    elements: &'a mut [S],
}

impl<'a, S: Scalar> Packed<'a, S> {
    #[inline(always)]
    pub(super) fn new(tree: &'a EliminationTree, elements: &'a mut [S]) -> Self {
        let (rows, places) = tree.rows_and_places::<S>();
        Self {
            rows,
            places,
            elements,
        }
    }
}

impl<S: Scalar> MassMatrix<S> for Packed<'_, S> {
    #[inline(always)]
    fn clear(&mut self) {
        self.elements.fill(S::zero());
    }

    #[inline(always)]
    fn row(&self, k: usize) -> usize {
        self.rows[k]
    }

    #[inline(always)]
    fn put_in_row<const ADD: bool>(&mut self, row: usize, _: usize, l: usize, value: S) {
        set::<S, ADD>(&mut self.elements[row + self.places[l]], value);
    }

    #[inline(always)]
    fn put_diagonal<const ADD: bool>(&mut self, row: usize, k: usize, value: S) {
        set::<S, ADD>(&mut self.elements[row + self.places[k]], value);
    }

    #[inline(always)]
    fn put_six<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, values: [S; 6]) {
        if ADD {
            for d in 0..6 {
                self.put_any::<ADD>(row, k, l + d, values[d]);
            }
        } else {
            // Coordinates of which each is the parent of the next are side by side, whether there
            // is padding or not.
            self.elements[row + self.places[l]..][..6].copy_from_slice(&values);
        }
    }

    #[inline(always)]
    fn put_panel(&mut self, own: &Panel, tile: &Tile<S>) {
        for r in 0..own.len.min(CHUNK) {
            // Padding is zero.
            let mut row = [S::zero(); CHUNK];
            for c in 0..CHUNK {
                row[c] = if c <= r { tile[r][c] } else { S::zero() };
            }
            self.chunk_of(own, r, own).copy_from_slice(&row);
        }
    }

    #[inline(always)]
    fn put_tile(&mut self, own: &Panel, above: &Panel, _: usize, tile: &Tile<S>) {
        for r in 0..own.len.min(CHUNK) {
            self.chunk_of(own, r, above).copy_from_slice(&tile[r]);
        }
    }
}

impl<S: Scalar> Packed<'_, S> {
    /// The elements of a panel's row in the columns of a panel above, in padded storage.
    #[inline(always)]
    fn chunk_of(&mut self, own: &Panel, row: usize, above: &Panel) -> &mut [S] {
        let begin = own.begin + row * (own.chunk + 1) + above.chunk;
        &mut self.elements.as_chunks_mut::<CHUNK>().0[begin]
    }
}

#[inline(always)]
fn set<S: Scalar, const ADD: bool>(element: &mut S, value: S) {
    *element = if ADD { *element + value } else { value };
}
