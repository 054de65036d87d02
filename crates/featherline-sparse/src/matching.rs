//! Maximum matching of rows and columns: which equation could give which unknown.
//!
//! Hopcroft and Karp 1973. A general-purpose graph library would bring its own graph type and
//! matching of general graphs; here the pattern itself is the bipartite graph, and rows can be left
//! out.

use crate::sparsity::Sparsity;

/// Pairs of rows and columns at entries of a pattern, no row and no column in two pairs, and as
/// many pairs as possible.
///
/// The number of pairs is the structural rank: the rank that the matrix has for almost all values
/// of its entries, if these are independent.
///
/// ```
/// use featherline_sparse::{Matching, Sparsity};
///
/// // The first column is all that the first two rows have.
/// let pattern = Sparsity::new(3, 3, [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2)])?;
/// assert_eq!(Matching::maximum(&pattern).rank(), 2);
/// # Ok::<(), featherline_sparse::SparsityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    column_of: Vec<Option<usize>>,
    row_of: Vec<Option<usize>>,
}

impl Matching {
    /// A maximum matching. Cost O(entries · √rows), in practice near O(entries).
    pub fn maximum(pattern: &Sparsity) -> Self {
        Self::of_rows(pattern, |_| true)
    }

    /// A maximum matching of the rows for which `counts` holds; the others stay without a partner.
    pub fn of_rows(pattern: &Sparsity, counts: impl Fn(usize) -> bool) -> Self {
        let mut matching = Self {
            column_of: vec![None; pattern.rows()],
            row_of: vec![None; pattern.columns()],
        };
        let rows: Vec<usize> = (0..pattern.rows()).filter(|&row| counts(row)).collect();
        matching.begin(pattern, &rows);
        let mut search = Search {
            level: vec![UNREACHED; pattern.rows()],
            next: vec![0; pattern.rows()],
            queue: Vec::new(),
            path: Vec::new(),
        };
        while search.levels(pattern, &rows, &matching) {
            for &row in &rows {
                if matching.column_of[row].is_none() {
                    search.augment(pattern, row, &mut matching);
                }
            }
        }
        matching
    }

    /// Pairs what can be paired at once, rows with the fewest entries first.
    fn begin(&mut self, pattern: &Sparsity, rows: &[usize]) {
        let mut ordered = rows.to_vec();
        ordered.sort_by_key(|&row| pattern.row(row).len());
        for row in ordered {
            let free = |column: &&usize| self.row_of[**column].is_none();
            if let Some(&column) = pattern.row(row).iter().find(free) {
                self.column_of[row] = Some(column);
                self.row_of[column] = Some(row);
            }
        }
    }

    /// The number of pairs.
    pub fn rank(&self) -> usize {
        self.column_of.iter().flatten().count()
    }

    /// The column that a row is paired with.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn column_of(&self, row: usize) -> Option<usize> {
        self.column_of[row]
    }

    /// The row that a column is paired with.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn row_of(&self, column: usize) -> Option<usize> {
        self.row_of[column]
    }
}

const UNREACHED: usize = usize::MAX;

/// Memory of the search for augmenting paths.
struct Search {
    /// How many pairs a shortest alternating path from an unpaired row to this one passes.
    level: Vec<usize>,
    /// How many entries of each row have been tried in this phase.
    next: Vec<usize>,
    queue: Vec<usize>,
    path: Vec<usize>,
}

impl Search {
    /// Levels of rows that alternating paths reach; whether one ends in an unpaired column.
    fn levels(&mut self, pattern: &Sparsity, rows: &[usize], matching: &Matching) -> bool {
        self.queue.clear();
        for &row in rows {
            self.next[row] = 0;
            self.level[row] = UNREACHED;
            if matching.column_of[row].is_none() {
                self.level[row] = 0;
                self.queue.push(row);
            }
        }
        let (mut head, mut found) = (0, false);
        while let Some(&row) = self.queue.get(head) {
            head += 1;
            for &column in pattern.row(row) {
                match matching.row_of[column] {
                    None => found = true,
                    Some(partner) if self.level[partner] == UNREACHED => {
                        self.level[partner] = self.level[row] + 1;
                        self.queue.push(partner);
                    }
                    Some(_) => {}
                }
            }
        }
        found
    }

    /// Looks for a path along the levels from a row to an unpaired column, and exchanges the pairs
    /// on it. The stack is on the heap: paths are as long as a robot is deep.
    fn augment(&mut self, pattern: &Sparsity, start: usize, matching: &mut Matching) {
        self.path.clear();
        self.path.push(start);
        while let Some(&row) = self.path.last() {
            let Some(&column) = pattern.row(row).get(self.next[row]) else {
                self.path.pop();
                continue;
            };
            self.next[row] += 1;
            match matching.row_of[column] {
                None => {
                    // Each row on the path takes the column by which it was left.
                    for &row in &self.path {
                        let column = pattern.row(row)[self.next[row] - 1];
                        matching.column_of[row] = Some(column);
                        matching.row_of[column] = Some(row);
                    }
                    return;
                }
                Some(partner) if self.level[partner] == self.level[row] + 1 => {
                    self.path.push(partner);
                }
                Some(_) => {}
            }
        }
    }
}
