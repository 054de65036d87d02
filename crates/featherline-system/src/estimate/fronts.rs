//! Which rows meet where, when sparse rows are brought to a triangle front by front.
//!
//! Columns with the same pattern are eliminated together, in a small dense matrix: a *front*. It holds the rows whose first
//! column is one of them, and what the fronts below it in the elimination tree leave over. Reflections give its rows of the
//! triangle R; what is left has no entry in its columns any more, and goes to the front above (Duff and Reid 1983; Liu 1986,
//! *On general row merging schemes for sparse Givens transformations*; Amestoy, Duff and Puglisi 1996, *Multifrontal QR
//! factorization in a multiprocessor environment*).

use super::factor::FactorPattern;
use std::ops::Range;

/// Numbers in a row of a front come in blocks of so many.
pub(super) const BLOCK: usize = 4;

/// The plan of a factorisation.
#[derive(Clone, Debug)]
pub(super) struct Fronts {
    /// Those below come before those above.
    pub fronts: Vec<Front>,
    /// The rows that begin in each front, and where they stand in it.
    pub rows: Vec<(u32, u32)>,
    /// Where the entries of each row begin, and where the last ones end.
    pub starts: Vec<usize>,
    /// For each entry of the rows its column within the front.
    pub places: Vec<u16>,
    pub steps: Vec<Step>,
    /// The fronts that leave rows to each front.
    pub children: Vec<u32>,
    /// For each row that is left over, where it stands in the front above.
    pub above: Vec<u32>,
    /// For each column of a front that is not eliminated in it, the column of the front above; then that of the right-hand
    /// sides.
    pub columns_above: Vec<u16>,
    /// How many numbers the largest front has, and what is left over at most at one time.
    pub largest: usize,
    pub stacked: usize,
    /// The same in rows.
    pub most_rows: usize,
    pub stacked_rows: usize,
}

/// A dense matrix of the columns that are eliminated in it, those of its border, and right-hand sides.
#[derive(Clone, Debug)]
pub(super) struct Front {
    /// The first pivot, and how many there are.
    pub first: usize,
    pub pivots: usize,
    /// Columns without the right-hand sides, which stand behind them.
    pub columns: usize,
    /// From one row to the next.
    pub stride: usize,
    pub height: usize,
    pub rows: Range<usize>,
    pub steps: Range<usize>,
    pub children: Range<usize>,
    /// How many rows are left over; they stand below those of the pivots.
    pub left: usize,
    /// Where these are put aside: the first number, and the first row.
    pub aside: (usize, usize),
    /// Where their places above begin, and those of the border's columns.
    pub above: usize,
    pub columns_above: usize,
}

/// A reflection: the column that it clears, and the rows that may have entries there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub column: u32,
    pub row: u32,
    pub end: u32,
}

/// What stands in a front: a row, or one that a front below leaves over.
#[derive(Clone, Copy, Debug)]
enum Source {
    Row(u32),
    Left(u32),
}

impl Front {
    /// How many numbers a row that is left over has.
    pub fn width_above(&self) -> usize {
        self.columns - self.pivots + 1
    }
}

impl Fronts {
    /// Assigns rows, given by their columns in any order, to fronts. Each unknown must have a row that has no other column,
    /// whatever it weighs, so that no pivot is without one.
    pub fn new(pattern: &FactorPattern, rows: &[Vec<usize>]) -> Self {
        let first_of = common_patterns(pattern);
        let columns: Vec<Vec<usize>> = first_of
            .windows(2)
            .map(|pivots| {
                let border = pattern.column(pivots[1] - 1).iter();
                let border = border.map(|&row| row as usize);
                (pivots[0]..pivots[1]).chain(border).collect()
            })
            .collect();
        let front_of = |position: usize| first_of.partition_point(|&first| first <= position) - 1;
        let mut plan = Self {
            fronts: Vec::with_capacity(columns.len()),
            rows: Vec::with_capacity(rows.len()),
            starts: vec![0],
            places: Vec::new(),
            steps: Vec::new(),
            children: Vec::new(),
            above: Vec::new(),
            columns_above: Vec::new(),
            largest: 0,
            stacked: 0,
            most_rows: 0,
            stacked_rows: 0,
        };
        // For each front, the rows in it by their first column.
        let mut meeting: Vec<Vec<(usize, Source)>> = vec![Vec::new(); columns.len()];
        for (row, unknowns) in rows.iter().enumerate() {
            let positions = unknowns.iter().map(|&unknown| pattern.position[unknown]);
            if let Some(first) = positions.clone().min() {
                let front = front_of(first);
                // The columns of a row are neighbours, so that all of them stand in the front of the first.
                plan.places
                    .extend(positions.map(|position| place(&columns[front], position)));
                let start = first - first_of[front];
                meeting[front].push((start, Source::Row(row as u32)));
            }
            plan.starts.push(plan.places.len());
        }
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        let (mut aside, mut rows_aside) = (0, 0);
        for (index, own) in columns.iter().enumerate() {
            let mut rows = std::mem::take(&mut meeting[index]);
            rows.sort_by_key(|row| row.0);
            let pivots = first_of[index + 1] - first_of[index];
            let (first_row, first_step) = (plan.rows.len(), plan.steps.len());
            for (place, &(_, source)) in rows.iter().enumerate() {
                match source {
                    Source::Row(row) => plan.rows.push((row, place as u32)),
                    Source::Left(left) => plan.above[left as usize] = place as u32,
                }
            }
            let left = plan.plan_steps(&rows, pivots, own.len());
            let below = std::mem::take(&mut children[index]);
            // What was put aside by the fronts below is in this one now.
            for &child in &below {
                let child = &plan.fronts[child as usize];
                aside -= child.left * child.width_above();
                rows_aside -= child.left;
            }
            let front = Front {
                first: first_of[index],
                pivots,
                columns: own.len(),
                stride: (own.len() + 1).next_multiple_of(BLOCK),
                height: rows.len(),
                rows: first_row..plan.rows.len(),
                steps: first_step..plan.steps.len(),
                children: plan.children.len()..plan.children.len() + below.len(),
                left: left.len(),
                aside: (aside, rows_aside),
                above: plan.above.len(),
                columns_above: plan.columns_above.len(),
            };
            plan.children.extend(below);
            if let Some(&next) = own.get(pivots) {
                let parent = front_of(next);
                children[parent].push(index as u32);
                let border = own[pivots..].iter();
                plan.columns_above
                    .extend(border.map(|&column| place(&columns[parent], column)));
                plan.columns_above.push(columns[parent].len() as u16);
                for start in left {
                    let start = plan.columns_above[front.columns_above + start - pivots];
                    let left = Source::Left(plan.above.len() as u32);
                    meeting[parent].push((usize::from(start), left));
                    plan.above.push(0);
                }
                aside += front.left * front.width_above();
                rows_aside += front.left;
            }
            plan.largest = plan.largest.max(front.height * front.stride);
            plan.most_rows = plan.most_rows.max(front.height);
            plan.stacked = plan.stacked.max(aside);
            plan.stacked_rows = plan.stacked_rows.max(rows_aside);
            plan.fronts.push(front);
        }
        plan
    }

    /// The reflections of a front whose rows stand in the order of their first columns; where the rows that are left over
    /// begin then.
    ///
    /// More rows than the border has columns become a triangle at once: others do so cheaper in the front above.
    fn plan_steps(
        &mut self,
        rows: &[(usize, Source)],
        pivots: usize,
        columns: usize,
    ) -> Vec<usize> {
        let reached = |column: usize| rows.partition_point(|row| row.0 <= column);
        for column in 0..pivots {
            self.steps.push(Step {
                column: column as u32,
                row: column as u32,
                end: reached(column) as u32,
            });
        }
        let left = &rows[pivots..];
        if left.len() <= columns - pivots {
            return left.iter().map(|row| row.0.max(pivots)).collect();
        }
        let (mut row, mut starts) = (pivots, Vec::new());
        for column in pivots..columns {
            let end = reached(column);
            if row < end {
                self.steps.push(Step {
                    column: column as u32,
                    row: row as u32,
                    end: end as u32,
                });
                starts.push(column);
                row += 1;
            }
        }
        starts
    }

    /// The multiplications of a factorisation.
    pub fn multiplications(&self) -> usize {
        let of_front = |front: &Front| {
            let steps = self.steps[front.steps.clone()].iter();
            let of_step = |step: &Step| {
                let rows = (step.end - step.row) as usize;
                if rows > 1 {
                    2 * rows * (front.columns - step.column as usize)
                } else {
                    0
                }
            };
            steps.map(of_step).sum::<usize>()
        };
        self.fronts.iter().map(of_front).sum()
    }
}

/// Where a column stands in a front.
fn place(columns: &[usize], column: usize) -> u16 {
    columns.partition_point(|&other| other < column) as u16
}

/// The first columns of all runs in which each column's pattern is the next one's and the next one itself; last, the number of
/// columns.
fn common_patterns(pattern: &FactorPattern) -> Vec<usize> {
    let mut first_of = vec![];
    for column in 0..pattern.size() {
        let continues = column.checked_sub(1).is_some_and(|before| {
            let above = pattern.column(before);
            above.first() == Some(&(column as u32))
                && above.len() == pattern.column(column).len() + 1
        });
        if !continues {
            first_of.push(column);
        }
    }
    first_of.push(pattern.size());
    first_of
}
