//! Where the elements of the mass matrix go: both triangles of a square, or the packed storage of the elimination tree.

use crate::model::EliminationTree;
use crate::scalar::Scalar;

/// Where the elements of the mass matrix go.
pub(super) trait MassMatrix<S: Scalar>: Sized {
    /// Sets all elements to zero.
    fn clear(&mut self);

    /// Adds to, or else sets, the elements of two coordinates of which the first has the larger number.
    fn put<const ADD: bool>(&mut self, k: usize, l: usize, value: S);

    /// Adds to, or else sets, an element of the diagonal.
    fn put_diagonal<const ADD: bool>(&mut self, k: usize, value: S);

    /// Adds to the elements of two coordinates in any order, perhaps the same; or else sets those of two coordinates of
    /// which the first has the larger number, as without followers the joint below has.
    #[inline(always)]
    fn put_any<const ADD: bool>(&mut self, k: usize, l: usize, value: S) {
        if !ADD || l < k {
            self.put::<ADD>(k, l, value);
        } else if k < l {
            self.put::<ADD>(l, k, value);
        } else {
            self.put_diagonal::<ADD>(k, value + value);
        }
    }

    /// Adds to, or else sets, the elements of coordinate k and of six consecutive ones above it.
    #[inline(always)]
    fn put_six<const ADD: bool>(&mut self, k: usize, l: usize, values: [S; 6]) {
        for d in 0..6 {
            self.put_any::<ADD>(k, l + d, values[d]);
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
    fn put<const ADD: bool>(&mut self, k: usize, l: usize, value: S) {
        set::<S, ADD>(&mut self.elements[k * self.n + l], value);
        set::<S, ADD>(&mut self.elements[l * self.n + k], value);
    }

    #[inline(always)]
    fn put_diagonal<const ADD: bool>(&mut self, k: usize, value: S) {
        set::<S, ADD>(&mut self.elements[k * self.n + k], value);
    }
}

/// The packed storage of the elimination tree.
pub(super) struct Packed<'a, S: Scalar> {
    pub tree: &'a EliminationTree,
    pub elements: &'a mut [S],
}

impl<S: Scalar> MassMatrix<S> for Packed<'_, S> {
    #[inline(always)]
    fn clear(&mut self) {
        self.elements.fill(S::zero());
    }

    #[inline(always)]
    fn put<const ADD: bool>(&mut self, k: usize, l: usize, value: S) {
        set::<S, ADD>(&mut self.elements[self.tree.place::<S>(k, l)], value);
    }

    #[inline(always)]
    fn put_diagonal<const ADD: bool>(&mut self, k: usize, value: S) {
        set::<S, ADD>(&mut self.elements[self.tree.place::<S>(k, k)], value);
    }

    #[inline(always)]
    fn put_six<const ADD: bool>(&mut self, k: usize, l: usize, values: [S; 6]) {
        if ADD || S::SHARES_REGISTERS {
            for d in 0..6 {
                self.put_any::<ADD>(k, l + d, values[d]);
            }
        } else {
            // Without padding the coordinates of one joint are side by side.
            self.elements[self.tree.place::<S>(k, l)..][..6].copy_from_slice(&values);
        }
    }
}

#[inline(always)]
fn set<S: Scalar, const ADD: bool>(element: &mut S, value: S) {
    *element = if ADD { *element + value } else { value };
}
