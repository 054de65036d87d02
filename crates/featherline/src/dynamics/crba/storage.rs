//! Where the elements of the mass matrix go: both triangles of a square, or the packed storage of the elimination tree.

use crate::model::EliminationTree;
use crate::scalar::Scalar;

/// Where the elements of the mass matrix go.
pub(super) trait MassMatrix<S: Scalar>: Sized {
    /// Sets all elements to zero.
    fn clear(&mut self);

    /// Where the row of a coordinate begins.
    fn row(&self, k: usize) -> usize;

    /// Adds to, or else sets, the elements of two coordinates of which the first has the larger number. `row` is where its row
    /// begins.
    fn put_in_row<const ADD: bool>(&mut self, row: usize, k: usize, l: usize, value: S);

    /// Adds to, or else sets, an element of the diagonal.
    fn put_diagonal<const ADD: bool>(&mut self, row: usize, k: usize, value: S);

    /// Adds to the elements of two coordinates in any order, perhaps the same; or else sets those of two coordinates of
    /// which the first has the larger number, as without followers the joint below has.
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
            // Coordinates of which each is the parent of the next are side by side, whether there is padding or not.
            self.elements[row + self.places[l]..][..6].copy_from_slice(&values);
        }
    }
}

#[inline(always)]
fn set<S: Scalar, const ADD: bool>(element: &mut S, value: S) {
    *element = if ADD { *element + value } else { value };
}
