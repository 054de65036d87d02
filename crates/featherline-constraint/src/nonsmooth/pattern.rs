//! Where Newton's matrix M̂ + Jᵀ K J and its factors have elements, and in which order it is
//! factorised.
//!
//! A reading of bodies on one path of the mass matrix's tree, or of one body and the world, adds
//! nothing to the pattern. Readings that couple branches do: then coordinates are ordered by
//! minimum degree, and a row has the elements that elimination fills in, no others. Coordinates
//! that all readings have together, such as those of a free body, are ordered as one.

use super::Rows;
use super::minimum_degree::minimum_degree;
use featherline::model::EliminationTree;
use std::ops::Range;

/// How many positions are eliminated at once.
pub(super) const RUN: usize = 6;

/// Positions that are eliminated at once, [`RUN`] or one: their rows have the same columns.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub first: usize,
    pub len: usize,
    /// Where its targets are.
    pub targets: Range<usize>,
}

/// Columns of a run in whose rows its columns lie alike: those that elimination updates.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Which of the run's columns.
    pub columns: Range<usize>,
    /// Where the spans are.
    pub spans: Range<usize>,
}

/// Columns of a run that lie side by side in the rows of a target.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub columns: Range<usize>,
    /// The place of the first of them in those rows.
    pub place: usize,
}

/// The order of elimination and the rows of L, of which U has the transposed pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Pattern {
    /// The position of each coordinate in the order: the last position is eliminated first.
    pub position: Vec<usize>,
    /// The coordinate at each position.
    pub coordinate: Vec<usize>,
    /// Where each row begins, and where the last one ends.
    row: Vec<usize>,
    /// The positions at which each row has elements, in ascending order, its own last.
    columns: Vec<usize>,
    /// For each element of the mass matrix, where it is.
    pub mass_place: Vec<usize>,
    runs: Vec<Run>,
    /// The run of each position.
    run_of: Vec<usize>,
    pub targets: Vec<Target>,
    pub spans: Vec<Span>,
    /// The supports of the readings that couple branches, each after its length.
    coupled: Vec<usize>,
    room: Vec<usize>,
}

impl Pattern {
    /// That of a mass matrix, in the order of its coordinates.
    pub fn new(mass: &EliminationTree) -> Self {
        let mut new = Self::default();
        new.follow_tree(mass);
        new.lay_out(mass);
        new
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Where the elements of a row are, the diagonal last.
    #[inline(always)]
    pub fn row(&self, k: usize) -> Range<usize> {
        self.row[k]..self.row[k + 1]
    }

    /// The positions at which a row has elements, in ascending order, its own last.
    #[inline(always)]
    pub fn columns(&self, k: usize) -> &[usize] {
        &self.columns[self.row(k)]
    }

    /// The run that a position is in.
    #[inline(always)]
    pub fn run(&self, k: usize) -> &Run {
        &self.runs[self.run_of[k]]
    }

    /// Takes some readings of `rows`. Returns whether the pattern changed, where other branches are
    /// coupled than before; it allocates then.
    pub fn set(&mut self, mass: &EliminationTree, rows: &Rows, readings: &[usize]) -> bool {
        self.room.clear();
        for &index in readings {
            let reading = &rows.readings[index];
            let support = &rows.support[reading.first..reading.end];
            if !is_on_one_path(mass, support) {
                self.room.push(support.len());
                self.room.extend_from_slice(support);
            }
        }
        if self.room == self.coupled {
            return false;
        }
        std::mem::swap(&mut self.room, &mut self.coupled);
        if self.coupled.is_empty() {
            self.follow_tree(mass);
        } else {
            self.find_order(mass);
        }
        self.lay_out(mass);
        true
    }

    /// Rows of all ancestors.
    fn follow_tree(&mut self, mass: &EliminationTree) {
        self.position = (0..mass.len()).collect();
        self.row = vec![0];
        self.columns.clear();
        for k in 0..mass.len() {
            let begin = self.columns.len();
            self.columns.extend(mass.ancestors(k));
            self.columns[begin..].reverse();
            self.columns.push(k);
            self.row.push(self.columns.len());
        }
    }

    /// The order by minimum degree, and the rows that it fills in.
    fn find_order(&mut self, mass: &EliminationTree) {
        let n = mass.len();
        let supports = || {
            let mut rest = &self.coupled[..];
            std::iter::from_fn(move || {
                let (&len, tail) = rest.split_first()?;
                let (support, tail) = tail.split_at(len);
                rest = tail;
                Some(support)
            })
        };
        let begins = begins_of_groups(mass, supports());
        let mut group_of = vec![0; n];
        for (group, ends) in begins.windows(2).enumerate() {
            group_of[ends[0]..ends[1]].fill(group);
        }
        let sizes: Vec<usize> = begins.windows(2).map(|ends| ends[1] - ends[0]).collect();
        // Coordinates that couple with one another: the paths of the mass matrix's leaves, and the
        // supports.
        let mut is_leaf = vec![true; n];
        for parent in mass.parents().iter().flatten() {
            is_leaf[*parent] = false;
        }
        let leaves = (0..n).filter(|&k| is_leaf[k]);
        let paths = leaves.map(|k| mass.ancestors(k).chain([k]).collect());
        let mut cliques: Vec<Vec<usize>> = paths.chain(supports().map(<[_]>::to_vec)).collect();
        for clique in &mut cliques {
            for k in &mut *clique {
                *k = group_of[*k];
            }
            clique.sort_unstable();
            clique.dedup();
        }
        let order = minimum_degree(&sizes, cliques);
        let mut first = vec![0; sizes.len()];
        let mut left = n;
        for own in &order {
            left -= sizes[own.vertex];
            first[own.vertex] = left;
        }
        for (k, &group) in group_of.iter().enumerate() {
            self.position[k] = first[group] + k - begins[group];
        }
        self.row.truncate(1);
        self.columns.clear();
        for mut own in order.into_iter().rev() {
            own.neighbours.sort_unstable_by_key(|&group| first[group]);
            for r in 0..sizes[own.vertex] {
                for &group in &own.neighbours {
                    self.columns
                        .extend(first[group]..first[group] + sizes[group]);
                }
                let begin = first[own.vertex];
                self.columns.extend(begin..=begin + r);
                self.row.push(self.columns.len());
            }
        }
    }

    /// Finds all that follows from positions and rows.
    fn lay_out(&mut self, mass: &EliminationTree) {
        let n = self.position.len();
        self.coordinate.resize(n, 0);
        for (k, &at) in self.position.iter().enumerate() {
            self.coordinate[at] = k;
        }
        self.mass_place.resize(mass.tight_len(), 0);
        for k in 0..n {
            for i in mass.ancestors(k).chain([k]) {
                let (a, b) = (self.position[k], self.position[i]);
                let [place] = self.places(a.max(b), [a.min(b)]);
                self.mass_place[mass.tight_place(k, i)] = place;
            }
        }
        self.runs.clear();
        self.targets.clear();
        self.spans.clear();
        self.run_of.resize(n, 0);
        let mut end = n;
        while end > 0 {
            let len = if self.is_run(end) { RUN } else { 1 };
            let first = end - len;
            self.run_of[first..end].fill(self.runs.len());
            let targets = self.targets.len();
            self.find_targets(first);
            self.runs.push(Run {
                first,
                len,
                targets: targets..self.targets.len(),
            });
            end = first;
        }
    }

    /// Whether the positions before one are a run.
    fn is_run(&self, end: usize) -> bool {
        let Some(first) = end.checked_sub(RUN) else {
            return false;
        };
        let (own, top) = (self.columns(end - 1), self.columns(first));
        own.len() == top.len() + RUN - 1 && own[own.len() - RUN] == first
    }

    /// The targets of the run that begins at a position, with their spans.
    fn find_targets(&mut self, first: usize) {
        let begin = self.row[first];
        let common = self.columns(first).len() - 1;
        let targets = self.targets.len();
        let mut c = 0;
        while c < common {
            let from = c;
            let top = self.columns[begin + c];
            let mut end = c + 1;
            // Rows whose columns are those of the row before, and that one.
            while end < common
                && self.columns[begin + end] == top + end - c
                && self.columns(top + end - c).len() == self.columns(top).len() + end - c
            {
                end += 1;
            }
            let spans = self.spans.len();
            let mut at = 0;
            for column in 0..end {
                let place = if column <= c {
                    let columns = &self.columns[self.row(top)];
                    at = place_after(columns, at, self.columns[begin + column]);
                    at
                } else {
                    at + column - c
                };
                match self.spans.get_mut(spans..).and_then(<[_]>::last_mut) {
                    Some(last) if last.place + column - last.columns.start == place => {
                        last.columns.end = column + 1;
                    }
                    _ => self.spans.push(Span {
                        columns: column..column + 1,
                        place,
                    }),
                }
            }
            c = end;
            // Rows of all columns before theirs are one target, those of a single tree.
            let is_whole = self.spans[spans].columns == (0..end) && self.spans[spans].place == 0;
            if let Some(last) = self.targets[targets..].last_mut()
                && is_whole
                && self.spans[last.spans.start].columns == (0..last.columns.end)
                && self.spans[last.spans.start].place == 0
            {
                last.columns.end = end;
                self.spans[last.spans.start].columns.end = end;
                self.spans.truncate(spans);
                continue;
            }
            self.targets.push(Target {
                columns: from..end,
                spans: spans..self.spans.len(),
            });
        }
    }

    /// Where elements of a row are, by their positions in ascending order.
    pub fn places<const N: usize>(&self, k: usize, positions: [usize; N]) -> [usize; N] {
        let mut at = 0;
        positions.map(|position| {
            at = place_after(self.columns(k), at, position);
            self.row[k] + at
        })
    }
}

/// The place of a column, at or after one.
#[inline(always)]
pub(super) fn place_after(columns: &[usize], at: usize, column: usize) -> usize {
    match columns.get(at + 1) {
        Some(&next) if next == column => at + 1,
        _ => at + columns[at..].partition_point(|&other| other < column),
    }
}

/// Where groups of coordinates begin that all supports share, unbranched in the tree, and the end.
fn begins_of_groups<'a>(
    mass: &EliminationTree,
    supports: impl Iterator<Item = &'a [usize]>,
) -> Vec<usize> {
    let n = mass.len();
    let mut children = vec![0; n];
    for parent in mass.parents().iter().flatten() {
        children[*parent] += 1;
    }
    let mut begins: Vec<bool> = (0..n)
        .map(|k| k == 0 || mass.parents()[k] != Some(k - 1) || children[k - 1] > 1)
        .collect();
    let mut support_of = vec![usize::MAX; n];
    for (index, support) in supports.enumerate() {
        for &k in support {
            support_of[k] = index;
        }
        for &k in support {
            if k > 0 && support_of[k - 1] != index {
                begins[k] = true;
            }
            if k + 1 < n && support_of[k + 1] != index {
                begins[k + 1] = true;
            }
        }
    }
    (0..n).filter(|&k| begins[k]).chain([n]).collect()
}

/// Whether coordinates lie on one path to the root of a tree.
fn is_on_one_path(tree: &EliminationTree, support: &[usize]) -> bool {
    if support.len() <= 1 {
        return true;
    }
    let Some(&deepest) = support.iter().max_by_key(|&&k| tree.level(k)) else {
        return true;
    };
    let mut left = support.iter().filter(|&&k| k != deepest).count();
    for i in tree.ancestors(deepest) {
        if left == 0 {
            break;
        }
        left -= usize::from(support.contains(&i));
    }
    left == 0
}
