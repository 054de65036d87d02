//! The tree of coordinates that sparse factorisations walk, and the packed storage that belongs to
//! it.

use crate::error::{Error, check_size};
use crate::scalar::Scalar;
use nalgebra::DMatrix;

/// The elimination tree of a symmetric matrix that is eliminated from the last coordinate to the
/// first: row k of the factor has elements only at the ancestors of k (Liu 1990; for mass matrices,
/// Featherstone 2005's λ).
///
/// **Packed storage.** The elements of the lower triangle that can be nonzero, row by row: row k
/// holds one element for each ancestor of k, the root first, and the diagonal last. The ancestors
/// of an ancestor of k are the first ones of k, so that whatever a factorisation combines lies side
/// by side in memory, however the branches are numbered.
///
/// A matrix of n coordinates with d_k ancestors each takes n + Σ d_k elements of a scalar that
/// fills registers of its own. For scalars that [share registers](Scalar::SHARES_REGISTERS) rows
/// are padded, as follows.
///
/// # Panels
/// A *panel* is a run of up to four coordinates of which each is the parent of the next. In padded
/// storage each panel on the path from the root takes four places of a row, whether it has so many
/// coordinates or not, and the rows of one panel lie at equal distances. A factorisation then
/// combines whole registers, four rows at a time. The padding within a path must be zero; behind a
/// diagonal it may be anything. A chain of n coordinates takes n²/2 + 2n + 2 places at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EliminationTree {
    parent: Vec<Option<usize>>,
    /// The number of ancestors of each coordinate.
    level: Vec<usize>,
    /// Storage without and with padding.
    tight: Layout,
    padded: Layout,
    panels: Vec<Panel>,
    /// The panel of each coordinate.
    panel_of: Vec<usize>,
    /// The number of panels on the longest path.
    path_chunks: usize,
    /// Whether each subtree is numbered without gaps.
    is_preorder: bool,
    /// How many multiplications the inverse takes, factorisation included.
    inverse_products: usize,
}

/// The number of places that a panel takes in a row.
pub(crate) const CHUNK: usize = 4;

/// Where the elements of a matrix are packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Layout {
    /// The place of each coordinate in the rows of its descendants and its own.
    place: Vec<usize>,
    /// Where each row begins.
    row: Vec<usize>,
    len: usize,
}

/// A run of consecutive coordinates of which each is the parent of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panel {
    /// The first coordinate.
    pub first: usize,
    /// How many coordinates there are: 1 to [`CHUNK`].
    pub len: usize,
    /// The number of panels above.
    pub chunk: usize,
    /// Where the first row begins in padded storage, in chunks. Each row has `chunk + 1` of them.
    pub begin: usize,
    above: usize,
    ancestors_above: usize,
}

impl Panel {
    /// The panel above, and how many of its coordinates are ancestors of this one's.
    #[inline(always)]
    pub fn above(&self) -> Option<(usize, usize)> {
        (self.ancestors_above != 0).then_some((self.above, self.ancestors_above))
    }
}

/// Whether packed rows are padded to whole registers.
#[inline(always)]
fn pads_rows<S: Scalar>() -> bool {
    S::SHARES_REGISTERS
}

impl EliminationTree {
    /// How many numbers the inverse in tiles of four by four takes, where numbers share registers.
    pub(crate) fn inverse_tiles_len<S: Scalar>(&self) -> usize {
        if pads_rows::<S>() {
            (self.panels.len() * CHUNK).pow(2)
        } else {
            0
        }
    }

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
    /// assert_eq!(tree.level(3), 1);
    /// assert!(EliminationTree::new(vec![Some(1), None]).is_err());
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn new(parent: Vec<Option<usize>>) -> Result<Self, Error> {
        for (child, above) in parent.iter().enumerate() {
            if let Some(parent) = *above
                && parent >= child
            {
                return Err(Error::ParentAfterChild { child, parent });
            }
        }
        Ok(Self::with_parents(parent))
    }

    /// The elimination tree of a symmetric matrix of n coordinates in which the given pairs couple,
    /// eliminated from the last coordinate to the first (J. W. H. Liu, "The role of elimination
    /// trees in sparse factorization", SIAM Journal on Matrix Analysis 11, 1990). Pairs with a
    /// coordinate that does not exist are left out. Cost O(pairs log n).
    ///
    /// ```
    /// use featherline::model::EliminationTree;
    ///
    /// // 0–2 and 1–2: eliminating 2 couples 0 with 1.
    /// let tree = EliminationTree::of_couplings(3, &[(0, 2), (1, 2)]);
    /// assert_eq!(tree.parents(), [None, Some(0), Some(1)]);
    /// ```
    pub fn of_couplings(n: usize, pairs: &[(usize, usize)]) -> Self {
        // For each coordinate, those after it that it is coupled with.
        let mut later: Vec<Vec<usize>> = vec![Vec::new(); n];
        for &(a, b) in pairs {
            if a.max(b) < n && a != b {
                later[a.min(b)].push(a.max(b));
            }
        }
        // Liu's algorithm, with compressed paths to the youngest ancestor known.
        let mut parent = vec![None; n];
        let mut ancestor: Vec<Option<usize>> = vec![None; n];
        for k in (0..n).rev() {
            for &start in &later[k] {
                let mut here = start;
                while let Some(above) = ancestor[here].replace(k)
                    && above != k
                {
                    here = above;
                }
                parent[here].get_or_insert(k);
            }
        }
        Self::with_parents(parent)
    }

    /// The tree of parents that come before their children.
    fn with_parents(parent: Vec<Option<usize>>) -> Self {
        let n = parent.len();
        let mut level: Vec<usize> = Vec::with_capacity(n);
        let (mut tight, mut padded) = (Layout::default(), Layout::default());
        let mut panels: Vec<Panel> = Vec::new();
        let mut panel_of: Vec<usize> = Vec::with_capacity(n);
        for (k, &above) in parent.iter().enumerate() {
            let own = match above {
                Some(p) => level[p] + 1,
                None => 0,
            };
            level.push(own);
            tight.place.push(own);
            tight.row.push(tight.len);
            tight.len += own + 1;
            match panels.last_mut() {
                Some(panel) if panel.len < CHUNK && above.is_some_and(|p| p + 1 == k) => {
                    panel.len += 1;
                }
                _ => {
                    let own = panels.len();
                    let (above, ancestors_above) = match above {
                        Some(p) => (panel_of[p], p + 1 - panels[panel_of[p]].first),
                        None => (own, 0),
                    };
                    panels.push(Panel {
                        first: k,
                        len: 1,
                        chunk: if ancestors_above == 0 {
                            0
                        } else {
                            panels[above].chunk + 1
                        },
                        begin: padded.len / CHUNK,
                        above,
                        ancestors_above,
                    });
                }
            }
            panel_of.push(panels.len() - 1);
            let panel = &panels[panels.len() - 1];
            padded.place.push(CHUNK * panel.chunk + k - panel.first);
            padded.row.push(padded.len);
            padded.len += CHUNK * (panel.chunk + 1);
        }
        let path_chunks = panels.iter().map(|p| p.chunk + 1).max().unwrap_or(0);
        let is_preorder = is_preorder(&parent);
        let products = |(k, &d): (usize, &usize)| d * (d + 1) / 2 + d * (k + 1);
        let inverse_products = level.iter().enumerate().map(products).sum();
        Self {
            parent,
            level,
            tight,
            padded,
            panels,
            panel_of,
            path_chunks,
            is_preorder,
            inverse_products,
        }
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

    #[inline(always)]
    fn layout<S: Scalar>(&self) -> &Layout {
        if pads_rows::<S>() {
            &self.padded
        } else {
            &self.tight
        }
    }

    /// The number of elements of a packed matrix, padding included.
    #[inline(always)]
    pub fn packed_len<S: Scalar>(&self) -> usize {
        self.layout::<S>().len
    }

    /// The number of elements of a packed matrix without padding: n + Σ d_k, for d_k ancestors of
    /// coordinate k.
    pub fn tight_len(&self) -> usize {
        self.tight.len
    }

    /// Where, without padding, the element of a coordinate and one of its ancestors, or itself, is
    /// packed. For other pairs the result is meaningless.
    pub fn tight_place(&self, k: usize, ancestor: usize) -> usize {
        self.tight.row[k] + self.tight.place[ancestor]
    }

    /// A packed matrix without padding; `room` is for one that has some.
    #[cfg(feature = "batch")]
    pub(crate) fn without_padding<'a, S: Scalar>(
        &self,
        packed: &'a [S],
        room: &'a mut Vec<S>,
    ) -> &'a [S] {
        if packed.len() == self.tight_len() {
            return packed;
        }
        room.resize(self.tight_len(), S::zero());
        for k in 0..self.len() {
            for i in self.ancestors(k).chain([k]) {
                room[self.tight_place(k, i)] = packed[self.place::<S>(k, i)];
            }
        }
        room
    }

    /// For each element of the square matrix, column by column, where it is packed; and
    /// [`packed_len`](Self::packed_len) for those that are zero in every configuration.
    #[cfg(feature = "batch")]
    pub(crate) fn square_places<S: Scalar>(&self) -> Vec<u32> {
        let n = self.len();
        let mut places = vec![self.packed_len::<S>() as u32; n * n];
        for k in 0..n {
            for i in self.ancestors(k).chain([k]) {
                // Square matrices of more elements than that are beyond all memory.
                let place = self.place::<S>(k, i) as u32;
                (places[k * n + i], places[i * n + k]) = (place, place);
            }
        }
        places
    }

    /// Where the packed row of a coordinate begins.
    #[inline(always)]
    pub(crate) fn row<S: Scalar>(&self, k: usize) -> usize {
        self.layout::<S>().row[k]
    }

    /// Where each coordinate's packed row begins, and its place in its own and descendants' rows.
    #[inline(always)]
    pub(crate) fn rows_and_places<S: Scalar>(&self) -> (&[usize], &[usize]) {
        let layout = self.layout::<S>();
        (&layout.row, &layout.place)
    }

    /// The place of a coordinate in its own packed row and in those of its descendants.
    #[inline(always)]
    pub(crate) fn place_in_row<S: Scalar>(&self, k: usize) -> usize {
        self.layout::<S>().place[k]
    }

    /// Where the element of a coordinate and one of its ancestors, or itself, is packed. For other
    /// pairs the result is meaningless.
    #[inline(always)]
    pub fn place<S: Scalar>(&self, k: usize, ancestor: usize) -> usize {
        let layout = self.layout::<S>();
        layout.row[k] + layout.place[ancestor]
    }

    /// The panels, in the order of their coordinates.
    #[inline(always)]
    pub(crate) fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// The panel that a coordinate belongs to.
    #[inline(always)]
    pub(crate) fn panel_of(&self, k: usize) -> usize {
        self.panel_of[k]
    }

    /// The number of panels on the longest path.
    #[inline(always)]
    pub(crate) fn path_chunks(&self) -> usize {
        self.path_chunks
    }

    /// Whether each subtree is numbered without gaps, as those of robots without mimic joints are.
    #[inline(always)]
    pub(crate) fn is_preorder(&self) -> bool {
        self.is_preorder
    }

    /// The multiplications of a factorisation and an inverse: Σ d_k(d_k + 1)/2 + d_k(k + 1).
    pub(crate) fn inverse_products(&self) -> usize {
        self.inverse_products
    }

    /// The packed form of a symmetric matrix, of which only the lower triangle is read.
    ///
    /// # Errors
    /// [`Error::Size`] unless the matrix is square with a row for each coordinate.
    pub fn pack<S: Scalar>(&self, dense: &DMatrix<S>) -> Result<Vec<S>, Error> {
        let mut packed = vec![S::zero(); self.packed_len::<S>()];
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
        check_size("the packed matrix", self.packed_len::<S>(), packed.len())?;
        packed.fill(S::zero());
        for k in 0..self.len() {
            packed[self.place::<S>(k, k)] = dense[(k, k)];
            for j in self.ancestors(k) {
                packed[self.place::<S>(k, j)] = dense[(k, j)];
            }
        }
        Ok(())
    }
}

/// Whether the parent of each coordinate is the one before it or an ancestor of that one.
fn is_preorder(parent: &[Option<usize>]) -> bool {
    let mut path: Vec<usize> = Vec::new();
    for (k, &above) in parent.iter().enumerate() {
        while path.last().copied() != above {
            if path.pop().is_none() {
                return false;
            }
        }
        path.push(k);
    }
    true
}
