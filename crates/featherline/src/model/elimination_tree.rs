//! The tree of coordinates that sparse factorisations walk.

use crate::error::Error;

/// The elimination tree of a symmetric matrix that is eliminated from the last coordinate to the first: row k of the
/// factor has elements only at the ancestors of k (Liu 1990; for mass matrices, Featherstone 2005's λ).
///
/// Ancestors often have consecutive numbers. The tree remembers such runs, so that factorisations work on consecutive
/// memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EliminationTree {
    parent: Vec<Option<usize>>,
    /// For each coordinate, the first of the consecutive ancestors that end with it.
    run: Vec<usize>,
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
    /// assert!(EliminationTree::new(vec![Some(1), None]).is_err());
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn new(parent: Vec<Option<usize>>) -> Result<Self, Error> {
        let mut run: Vec<usize> = Vec::with_capacity(parent.len());
        for (k, &above) in parent.iter().enumerate() {
            run.push(match above {
                Some(p) if p >= k => {
                    return Err(Error::ParentAfterChild {
                        child: k,
                        parent: p,
                    });
                }
                Some(p) if p + 1 == k => run[p],
                _ => k,
            });
        }
        Ok(Self { parent, run })
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

    /// The ancestors of a coordinate, nearest first.
    pub fn ancestors(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parent[k], |&i| self.parent[i])
    }

    /// The first of the consecutive ancestors that end with `k`, and the next ancestor before them.
    #[inline(always)]
    pub(crate) fn run(&self, k: usize) -> (usize, Option<usize>) {
        let first = self.run[k];
        (first, self.parent[first])
    }

    /// The parent of a coordinate.
    #[inline(always)]
    pub(crate) fn parent(&self, k: usize) -> Option<usize> {
        self.parent[k]
    }
}
