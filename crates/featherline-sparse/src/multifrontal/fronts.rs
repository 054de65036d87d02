//! Which rows meet where, when sparse rows are reduced to an R factor, frontal matrix by frontal
//! matrix.
//!
//! Columns with nearly the same pattern are eliminated together, in a small dense matrix: a
//! *front*. It holds the rows whose first column is one of them, and what the fronts below it in
//! the elimination tree leave over. What it leaves over itself has no entry in its columns any
//! more, and goes to the front above (Duff and Reid 1983; Liu 1986, *On general row merging schemes
//! for sparse Givens transformations*; Amestoy, Duff and Puglisi 1996, *Multifrontal QR
//! factorization in a multiprocessor environment*).

use crate::ldlt::LdltPattern;
use std::ops::Range;

/// Numbers in a row of a front come in blocks of so many.
pub(crate) const BLOCK: usize = 4;

/// How many more entries a column that joins the front before may have: more choice for rows.
const SLACK: usize = 6;

/// The plan of a factorisation.
#[derive(Clone, Debug)]
pub(crate) struct Fronts {
    /// Those below come before those above.
    pub fronts: Vec<Front>,
    /// The rows that begin in each front.
    pub rows: Vec<u32>,
    /// Where the entries of each row begin, and where the last ones end.
    pub starts: Vec<usize>,
    /// For each entry of the rows its column within the front.
    pub places: Vec<u16>,
    /// The fronts that leave rows to each front.
    pub children: Vec<u32>,
    /// For each column of a front that is not eliminated in it, the column of the front above; then
    /// that of the right-hand sides.
    pub columns_above: Vec<u16>,
    /// The positions of all fronts' columns.
    pub positions: Vec<u32>,
    /// The first position of each front.
    firsts: Vec<usize>,
    /// How many numbers and how many rows the largest front has.
    pub largest: usize,
    pub most_rows: usize,
    pub most_columns: usize,
    /// How many numbers and rows are left over at most at one time.
    pub stacked: usize,
    pub stacked_rows: usize,
    /// How many steps the reduction takes at most, and how many rows these touch.
    pub steps: usize,
    pub touched: usize,
    /// How many numbers the rows of the R factor have.
    pub r_factor: usize,
    /// How many numbers the roots of the fronts' covariances have.
    pub roots: usize,
}

/// A dense matrix of the columns eliminated in it, its border's, and right-hand sides.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// The first pivot, and how many there are.
    pub first: usize,
    pub pivots: usize,
    /// Columns without the right-hand sides, which stand behind them.
    pub columns: usize,
    /// From one row to the next.
    pub stride: usize,
    pub rows: Range<usize>,
    pub children: Range<usize>,
    /// The front that has the border's columns.
    pub parent: Option<usize>,
    /// Where what is left over is put aside: the first number, and the first row.
    pub aside: (usize, usize),
    /// Where the border's columns stand above.
    pub columns_above: usize,
    /// Where the positions of the columns begin.
    pub positions: usize,
    /// Where the rows of the R factor begin, and the root of the covariance.
    pub r_factor: usize,
    pub root: usize,
}

impl Front {
    /// How many columns are eliminated further up.
    pub fn border(&self) -> usize {
        self.columns - self.pivots
    }

    /// How many numbers a row that is left over has.
    pub fn width_above(&self) -> usize {
        self.border() + 1
    }

    /// From one row of the covariance's root to the next.
    pub fn root_stride(&self) -> usize {
        self.columns.next_multiple_of(BLOCK)
    }
}

impl Fronts {
    /// Assigns rows, given by their columns in any order, to fronts.
    pub fn new(pattern: &LdltPattern, rows: &[Vec<usize>]) -> Self {
        let firsts = common_patterns(pattern);
        let columns: Vec<Vec<usize>> = firsts
            .windows(2)
            .map(|pivots| {
                let border = pattern.column(pivots[1] - 1).iter();
                let border = border.map(|&row| row as usize);
                (pivots[0]..pivots[1]).chain(border).collect()
            })
            .collect();
        let mut plan = Self {
            fronts: Vec::with_capacity(columns.len()),
            rows: Vec::with_capacity(rows.len()),
            starts: vec![0],
            places: Vec::new(),
            children: Vec::new(),
            columns_above: Vec::new(),
            positions: Vec::new(),
            firsts,
            largest: 0,
            most_rows: 0,
            most_columns: 0,
            stacked: 0,
            stacked_rows: 0,
            steps: 0,
            touched: 0,
            r_factor: 0,
            roots: 0,
        };
        let mut own_rows: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        for (row, unknowns) in rows.iter().enumerate() {
            let positions = unknowns.iter().map(|&unknown| pattern.position[unknown]);
            if let Some(first) = positions.clone().min() {
                let front = plan.front_of(first);
                // The columns of a row are neighbours, so that all of them stand in the front of
                // the first.
                let places = positions.map(|position| place(&columns[front], position));
                plan.places.extend(places);
                own_rows[front].push(row as u32);
            }
            plan.starts.push(plan.places.len());
        }
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        // The rows that each front leaves over at most, and how much is put aside.
        let mut left = vec![0; columns.len()];
        let (mut aside, mut rows_aside) = (0, 0);
        for (index, own) in columns.iter().enumerate() {
            let first = plan.firsts[index];
            let pivots = plan.firsts[index + 1] - first;
            let (first_row, first_child) = (plan.rows.len(), plan.children.len());
            plan.rows.append(&mut own_rows[index]);
            plan.children.append(&mut children[index]);
            let mut height = plan.rows.len() - first_row;
            // Rows that the fronts below put aside are in this one now.
            for &child in &plan.children[first_child..] {
                let rows = left[child as usize];
                height += rows;
                aside -= rows * plan.fronts[child as usize].width_above();
                rows_aside -= rows;
            }
            let border = &own[pivots..];
            let parent = border.first().map(|&next| plan.front_of(next));
            let front = Front {
                first,
                pivots,
                columns: own.len(),
                stride: (own.len() + 1).next_multiple_of(BLOCK),
                rows: first_row..plan.rows.len(),
                children: first_child..plan.children.len(),
                parent,
                aside: (aside, rows_aside),
                columns_above: plan.columns_above.len(),
                positions: plan.positions.len(),
                r_factor: plan.r_factor,
                root: plan.roots,
            };
            plan.positions
                .extend(own.iter().map(|&column| column as u32));
            plan.r_factor += pivots * front.stride;
            plan.roots += front.columns * front.root_stride();
            plan.largest = plan.largest.max(height * front.stride);
            // Each column is eliminated once: a row is scaled, put into others, and written. A row
            // may become a heavy one.
            plan.steps += 3 * front.columns + height;
            plan.touched += front.columns * height;
            plan.most_rows = plan.most_rows.max(height);
            plan.most_columns = plan.most_columns.max(front.columns);
            if let Some(parent) = parent {
                children[parent].push(index as u32);
                let above = border.iter().map(|&column| place(&columns[parent], column));
                plan.columns_above.extend(above);
                plan.columns_above.push(columns[parent].len() as u16);
                // No more rows than columns are left to the front above.
                left[index] = height.min(border.len());
                aside += left[index] * front.width_above();
                rows_aside += left[index];
            }
            plan.stacked = plan.stacked.max(aside);
            plan.stacked_rows = plan.stacked_rows.max(rows_aside);
            plan.fronts.push(front);
        }
        plan
    }

    /// The order of a pattern, some of whose positions are eliminated one front later: behind the
    /// pivots of the front above, which has these columns anyhow.
    pub fn delay(&self, pattern: &LdltPattern, positions: &[u32]) -> Vec<usize> {
        let mut places: Vec<(usize, bool)> = (0..pattern.size()).map(|at| (at, false)).collect();
        for &position in positions {
            let front = &self.fronts[self.front_of(position as usize)];
            if let Some(parent) = front.parent.map(|parent| &self.fronts[parent]) {
                places[position as usize] = (parent.first + parent.pivots - 1, true);
            }
        }
        let mut order: Vec<usize> = (0..pattern.size()).collect();
        order.sort_by_key(|&at| places[at]);
        order.into_iter().map(|at| pattern.order[at]).collect()
    }

    /// How many positions there are.
    pub fn size(&self) -> usize {
        let last = self.fronts.last();
        last.map_or(0, |last| last.first + last.pivots)
    }

    /// The front in which a position is eliminated.
    pub fn front_of(&self, position: usize) -> usize {
        self.firsts.partition_point(|&first| first <= position) - 1
    }

    /// The positions of a front's columns, ascending.
    pub fn columns(&self, front: &Front) -> &[u32] {
        &self.positions[front.positions..front.positions + front.columns]
    }
}

/// Where a column stands in a front.
fn place(columns: &[usize], column: usize) -> u16 {
    columns.partition_point(|&other| other < column) as u16
}

/// The first columns of all runs in which each column's pattern lies in the next one's and the next
/// one itself, and is little smaller; last, the number of columns.
fn common_patterns(pattern: &LdltPattern) -> Vec<usize> {
    let mut firsts = vec![];
    for column in 0..pattern.size() {
        let continues = column.checked_sub(1).is_some_and(|before| {
            let above = pattern.column(before);
            let most = above.len() + SLACK;
            above.first() == Some(&(column as u32)) && pattern.column(column).len() < most
        });
        if !continues {
            firsts.push(column);
        }
    }
    firsts.push(pattern.size());
    firsts
}
