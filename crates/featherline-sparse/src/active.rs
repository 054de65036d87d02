//! The part of a matrix that is not yet eliminated, with what is known offline of its entries.

use crate::template::{SAMPLES, Symbol, Template};
use featherline::scalar::Operations;

/// An entry offline: whether it is constant, its sampled values, and where elimination keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub constant: bool,
    pub samples: [f64; SAMPLES],
    pub slot: u32,
}

impl Entry {
    fn is(&self, value: f64) -> bool {
        self.constant && self.samples[0] == value
    }

    pub fn is_unit(&self) -> bool {
        self.is(1.0) || self.is(-1.0)
    }

    /// The smallest magnitude in any of the sampled states.
    pub fn smallest(&self) -> f64 {
        self.samples
            .iter()
            .fold(f64::INFINITY, |m, v| m.min(v.abs()))
    }

    /// The product, counted as [`OpCount`](featherline::scalar::OpCount) counts.
    fn times(&self, other: &Self, operations: &mut Operations) -> Self {
        let constant = self.constant && other.constant;
        if !constant && !self.is_unit() && !other.is_unit() {
            operations.multiplications += 1;
        }
        Self {
            constant,
            samples: std::array::from_fn(|k| self.samples[k] * other.samples[k]),
            slot: 0,
        }
    }
}

/// How a pivot's row or column is divided by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PivotScaling {
    /// The pivot is 1.
    One,
    /// The pivot is −1.
    MinusOne,
    /// The column below it becomes a column of L.
    Column,
    /// The row right of it becomes a row of U.
    Row,
    /// There is no row below it: the unknown is found by a division.
    Division,
}

/// A record of a pivot, as the numbers of the entries it touched.
pub(crate) trait Recorder {
    fn pivot(&mut self, row: usize, column: usize, slot: u32, scaling: PivotScaling);
    fn upper(&mut self, column: usize, slot: u32);
    fn lower(&mut self, row: usize, slot: u32);
    /// The entry in a lower row and an upper column changes.
    fn target(&mut self, slot: u32);
}

/// Keeps nothing.
impl Recorder for () {
    fn pivot(&mut self, _: usize, _: usize, _: u32, _: PivotScaling) {}
    fn upper(&mut self, _: usize, _: u32) {}
    fn lower(&mut self, _: usize, _: u32) {}
    fn target(&mut self, _: u32) {}
}

/// The outcome of a pivot for an order's cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pivoted {
    /// The cost of the elimination itself and of the right-hand side on the way forward.
    pub forward: Operations,
    /// The cost of the pivot's unknown on the way back.
    pub backward: Operations,
    /// The columns whose unknowns are needed for that.
    pub upper: Vec<u32>,
}

type Row = Vec<(u32, Entry)>;

/// A matrix under elimination: rows with ascending columns, and the rows of each column.
#[derive(Clone, Debug)]
pub(crate) struct ActiveMatrix {
    rows: Vec<Row>,
    columns: Vec<Vec<u32>>,
    right_hand_side: Vec<Symbol>,
    slots: u32,
    spare: Row,
    pub tally: Pivoted,
}

impl ActiveMatrix {
    /// The rows of `template` that `rows` names, in the columns that `is_column` holds for.
    pub fn new(
        template: &Template,
        rows: impl Iterator<Item = usize>,
        is_column: impl Fn(usize) -> bool,
    ) -> Self {
        let n = template.size();
        let pattern = template.pattern();
        let samples = template.samples();
        let mut matrix = Self {
            rows: vec![Row::new(); n],
            columns: vec![Vec::new(); n],
            right_hand_side: template.right_hand_side().to_vec(),
            slots: pattern.entries() as u32,
            spare: Row::new(),
            tally: Pivoted::default(),
        };
        for row in rows {
            for slot in pattern.row_range(row) {
                let column = pattern.indices()[slot];
                let symbol = template.entries()[slot];
                if symbol == Symbol::Constant(0.0) || !is_column(column) {
                    continue;
                }
                let entry = Entry {
                    constant: symbol != Symbol::Variable,
                    samples: match symbol {
                        Symbol::Constant(value) => [value; SAMPLES],
                        Symbol::Variable => std::array::from_fn(|k| samples[k][slot]),
                    },
                    slot: slot as u32,
                };
                matrix.rows[row].push((column as u32, entry));
                matrix.columns[column].push(row as u32);
            }
        }
        matrix
    }

    /// Fill-in gets numbers from here on.
    pub fn number_fill_in_from(&mut self, slot: usize) {
        self.slots = slot as u32;
    }

    /// The entries of a row that is not yet eliminated, by ascending columns.
    pub fn row(&self, row: usize) -> &[(u32, Entry)] {
        &self.rows[row]
    }

    /// The rows that have entries in a column.
    pub fn column(&self, column: usize) -> &[u32] {
        &self.columns[column]
    }

    pub fn get(&self, row: usize, column: usize) -> Option<&Entry> {
        let entries = &self.rows[row];
        let position = entries
            .binary_search_by_key(&(column as u32), |e| e.0)
            .ok()?;
        Some(&entries[position].1)
    }

    /// The largest magnitude in a column, for each sampled state.
    pub fn column_maximum(&self, column: usize) -> [f64; SAMPLES] {
        let mut maximum = [0.0_f64; SAMPLES];
        for &row in &self.columns[column] {
            if let Some(entry) = self.get(row as usize, column) {
                for k in 0..SAMPLES {
                    maximum[k] = maximum[k].max(entry.samples[k].abs());
                }
            }
        }
        maximum
    }

    /// Solves `row` for `column` and puts it into the other rows; false if the entry is zero in a
    /// sampled state.
    ///
    /// Its cost is left in `tally`.
    pub fn eliminate(&mut self, row: usize, column: usize, recorder: &mut impl Recorder) -> bool {
        self.tally.upper.clear();
        self.tally.forward = Operations::default();
        self.tally.backward = Operations::default();
        let Some(&pivot) = self.get(row, column) else {
            return false;
        };
        if pivot.smallest() == 0.0 {
            return false;
        }
        let mut upper = std::mem::take(&mut self.rows[row]);
        for &(j, _) in &upper {
            remove(&mut self.columns[j as usize], row as u32);
        }
        upper.retain(|&(j, _)| j != column as u32);
        let lower = std::mem::take(&mut self.columns[column]);
        let scaling = self.choose_scaling(&pivot, column, &lower, &upper);
        recorder.pivot(row, column, pivot.slot, scaling);
        let inverse = self.scale_row(row, &pivot, scaling, &mut upper);
        for &(j, ref entry) in &upper {
            recorder.upper(j as usize, entry.slot);
            self.tally.upper.push(j);
            if !entry.is_unit() {
                self.tally.backward.multiplications += 1;
            }
        }
        let known = self.right_hand_side[row];
        let sums = upper.len() as u64;
        self.tally.backward.additions += if known == Symbol::Constant(0.0) {
            sums.saturating_sub(1)
        } else {
            sums
        };
        if scaling == PivotScaling::Column && !(upper.is_empty() && known == Symbol::Constant(0.0))
        {
            self.tally.backward.multiplications += 1;
        }
        for &i in &lower {
            let is_unit = self.update_row(i, column, &inverse, scaling, &upper, recorder);
            self.update_right_hand_side(i, known, is_unit);
        }
        true
    }

    /// Whichever costs less: to divide the column by the pivot, or the row.
    fn choose_scaling(
        &self,
        pivot: &Entry,
        column: usize,
        lower: &[u32],
        upper: &Row,
    ) -> PivotScaling {
        if pivot.is(1.0) {
            return PivotScaling::One;
        }
        if pivot.is(-1.0) {
            return PivotScaling::MinusOne;
        }
        if lower.is_empty() {
            return PivotScaling::Division;
        }
        let units = |i: &&u32| self.get(**i as usize, column).is_some_and(Entry::is_unit);
        let plain_lower = lower.len() - lower.iter().filter(units).count();
        let plain_upper = upper.iter().filter(|(_, entry)| !entry.is_unit()).count();
        let by_column = 2 * lower.len() + lower.len() * plain_upper + plain_upper;
        let by_row = 2 * upper.len() + plain_lower * upper.len() + plain_lower;
        if by_row < by_column {
            PivotScaling::Row
        } else {
            PivotScaling::Column
        }
    }

    /// The factor that makes other rows' entries factors of the pivot's row, scaled if need be.
    fn scale_row(
        &mut self,
        row: usize,
        pivot: &Entry,
        scaling: PivotScaling,
        upper: &mut Row,
    ) -> Entry {
        let inverse = Entry {
            constant: pivot.constant,
            samples: pivot.samples.map(f64::recip),
            slot: 0,
        };
        let operations = &mut self.tally.forward;
        match scaling {
            PivotScaling::One | PivotScaling::MinusOne => inverse,
            PivotScaling::Division => {
                let nothing =
                    upper.is_empty() && self.right_hand_side[row] == Symbol::Constant(0.0);
                if !nothing {
                    self.tally.backward.divisions += 1;
                }
                inverse
            }
            PivotScaling::Column => {
                operations.divisions += u64::from(!pivot.constant);
                inverse
            }
            PivotScaling::Row => {
                operations.divisions += u64::from(!pivot.constant);
                for (_, entry) in upper.iter_mut() {
                    let slot = entry.slot;
                    *entry = entry.times(&inverse, operations);
                    entry.slot = slot;
                }
                operations.multiplications +=
                    u64::from(self.right_hand_side[row] != Symbol::Constant(0.0));
                Entry {
                    constant: true,
                    samples: [1.0; SAMPLES],
                    slot: 0,
                }
            }
        }
    }

    /// Takes a multiple of the pivot's row from another one; returns whether the factor was ±1.
    fn update_row(
        &mut self,
        i: u32,
        column: usize,
        inverse: &Entry,
        scaling: PivotScaling,
        upper: &Row,
        recorder: &mut impl Recorder,
    ) -> bool {
        let operations = &mut self.tally.forward;
        let row = &mut self.rows[i as usize];
        // Column lists and rows name the same entries, so that there is always one.
        let Ok(position) = row.binary_search_by_key(&(column as u32), |e| e.0) else {
            return true;
        };
        let mut merged = std::mem::take(&mut self.spare);
        merged.clear();
        let (_, below) = row.remove(position);
        recorder.lower(i as usize, below.slot);
        let factor = match scaling {
            PivotScaling::Row => below,
            PivotScaling::One
            | PivotScaling::MinusOne
            | PivotScaling::Column
            | PivotScaling::Division => below.times(inverse, operations),
        };
        let mut next = 0;
        for &(j, ref right) in upper {
            while next < row.len() && row[next].0 < j {
                merged.push(row[next]);
                next += 1;
            }
            let product = factor.times(right, operations);
            if next < row.len() && row[next].0 == j {
                let old = row[next].1;
                next += 1;
                recorder.target(old.slot);
                let constant = old.constant && product.constant;
                operations.additions += u64::from(!constant);
                let samples: [f64; SAMPLES] =
                    std::array::from_fn(|k| old.samples[k] - product.samples[k]);
                if constant && samples[0] == 0.0 {
                    remove(&mut self.columns[j as usize], i);
                } else {
                    merged.push((
                        j,
                        Entry {
                            constant,
                            samples,
                            slot: old.slot,
                        },
                    ));
                }
            } else {
                recorder.target(self.slots);
                self.columns[j as usize].push(i);
                let entry = Entry {
                    constant: product.constant,
                    samples: product.samples.map(|value| -value),
                    slot: self.slots,
                };
                merged.push((j, entry));
                self.slots += 1;
            }
        }
        merged.extend_from_slice(&row[next..]);
        self.spare = std::mem::replace(row, merged);
        factor.is_unit()
    }

    /// Books the change of a row's right-hand side, which takes the same factor as the row.
    fn update_right_hand_side(&mut self, i: u32, known: Symbol, is_unit: bool) {
        if known == Symbol::Constant(0.0) {
            return;
        }
        let operations = &mut self.tally.forward;
        operations.multiplications += u64::from(!is_unit);
        let own = &mut self.right_hand_side[i as usize];
        operations.additions += u64::from(*own != Symbol::Constant(0.0));
        *own = Symbol::Variable;
    }
}

fn remove(list: &mut Vec<u32>, value: u32) {
    if let Some(position) = list.iter().position(|&v| v == value) {
        list.swap_remove(position);
    }
}
