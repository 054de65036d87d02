//! The tree of coordinates that sparse factorisations walk, and the packed storage that belongs to it.

use crate::error::{Error, check_size};
use crate::scalar::Scalar;
use nalgebra::DMatrix;

/// The elimination tree of a symmetric matrix that is eliminated from the last coordinate to the first: row k of the
/// factor has elements only at the ancestors of k (Liu 1990; for mass matrices, Featherstone 2005's λ).
///
/// **Packed storage.** The elements of the lower triangle that can be nonzero, row by row: row k holds one element for each
/// ancestor of k, the root first, and the diagonal last. The ancestors of an ancestor of k are the first ones of k, so that
/// whatever a factorisation combines lies side by side in memory, however the branches are numbered. A matrix of n
/// coordinates with d_k ancestors each takes n + Σ d_k elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EliminationTree {
    parent: Vec<Option<usize>>,
    /// The number of ancestors of each coordinate.
    level: Vec<usize>,
    /// Where each packed row begins.
    offset: Vec<usize>,
    packed_len: usize,
}

impl EliminationTree {
    /// The tree in which each coordinate has the given parent, a smaller number.
    ///
    /// # Errors
    /// [`Error::ParentAfterChild`] if a parent does not come before its child.
    ///
    /// ```
    /// use featherline::model::EliminationTree;
    ///
    /// // Two branches, 1–2 and 3, on coordinate 0.
    /// let tree = EliminationTree::new(vec![None, Some(0), Some(1), Some(0)])?;
    /// assert_eq!(tree.ancestors(2).collect::<Vec<_>>(), [1, 0]);
    /// assert_eq!((tree.level(3), tree.packed_len()), (1, 4 + 0 + 1 + 2 + 1));
    /// assert!(EliminationTree::new(vec![Some(1), None]).is_err());
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn new(parent: Vec<Option<usize>>) -> Result<Self, Error> {
        let n = parent.len();
        let (mut level, mut offset) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut packed_len = 0;
        for (k, &above) in parent.iter().enumerate() {
            let own = match above {
                Some(p) if p >= k => {
                    return Err(Error::ParentAfterChild {
                        child: k,
                        parent: p,
                    });
                }
                Some(p) => level[p] + 1,
                None => 0,
            };
            level.push(own);
            offset.push(packed_len);
            packed_len += own + 1;
        }
        Ok(Self {
            parent,
            level,
            offset,
            packed_len,
        })
    }

    /// The number of coordinates.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether there are no coordinates.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The parent of each coordinate.
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parent
    }

    /// The parent of a coordinate.
    #[inline(always)]
    pub(crate) fn parent(&self, k: usize) -> Option<usize> {
        self.parent[k]
    }

    /// The number of ancestors of a coordinate.
    #[inline(always)]
    pub fn level(&self, k: usize) -> usize {
        self.level[k]
    }

    /// The ancestors of a coordinate, nearest first.
    pub fn ancestors(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent[k], |&i| self.parent[i])
    }

    /// The number of elements of a packed matrix.
    #[inline(always)]
    pub fn packed_len(&self) -> usize {
        self.packed_len
    }

    /// Where the packed row of a coordinate begins; the diagonal comes after its ancestors.
    #[inline(always)]
    pub fn row(&self, k: usize) -> usize {
        self.offset[k]
    }

    /// Where the element of a coordinate and one of its ancestors, or itself, is packed. For other pairs the result is
    /// meaningless.
    #[inline(always)]
    pub(crate) fn place(&self, k: usize, ancestor: usize) -> usize {
        self.offset[k] + self.level[ancestor]
    }

    /// The packed form of a symmetric matrix, of which only the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::Size`] unless the matrix is square with a row for each coordinate.
    pub fn pack<S: Scalar>(&self, dense: &DMatrix<S>) -> Result<Vec<S>, Error> {
        let mut packed = vec![S::zero(); self.packed_len];
        self.pack_into(dense, &mut packed)?;
        Ok(packed)
    }

    /// Writes the packed form of a symmetric matrix, of which only the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::Size`] unless the matrix is square with a row for each coordinate, and `packed` has
    /// [`packed_len`](Self::packed_len) elements.
    pub fn pack_into<S: Scalar>(&self, dense: &DMatrix<S>, packed: &mut [S]) -> Result<(), Error> {
        check_size("rows of the matrix", self.len(), dense.nrows())?;
        check_size("columns of the matrix", self.len(), dense.ncols())?;
        check_size("the packed matrix", self.packed_len, packed.len())?;
        for k in 0..self.len() {
            packed[self.place(k, k)] = dense[(k, k)];
            for j in self.ancestors(k) {
                packed[self.place(k, j)] = dense[(k, j)];
            }
        }
        Ok(())
    }
}
