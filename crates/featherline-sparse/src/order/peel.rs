//! The triangular part of a system: equations with one unknown left, and unknowns left in one
//! equation.
//!
//! Both cost nothing to put aside (Duff, Erisman and Reid 2017, section 5.3). What remains is the
//! core that needs an order.

use crate::sparsity::Sparsity;
use crate::template::{Symbol, Template};

/// A system without its triangular part.
pub struct Peeled {
    /// Pivots that need no other unknown, in order.
    pub first: Vec<(usize, usize)>,
    /// Pivots that no other unknown needs, in order.
    pub last: Vec<(usize, usize)>,
    /// Whether a row belongs to the core.
    pub is_core_row: Vec<bool>,
    /// Whether a column belongs to the core.
    pub is_core_column: Vec<bool>,
}

impl Peeled {
    /// The columns of the core.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.is_core_column.len()).filter(|&column| self.is_core_column[column])
    }

    /// The rows of the core.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.is_core_row.len()).filter(|&row| self.is_core_row[row])
    }

    /// The whole order, given the core's.
    pub fn around(self, core: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
        let mut pivots = self.first;
        pivots.extend(core);
        pivots.extend(self.last);
        pivots
    }
}

/// Puts lines with a single partner aside until there is none; cost O(entries).
struct Side<'a> {
    lines: &'a Sparsity,
    left: Vec<usize>,
    waiting: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(lines: &'a Sparsity) -> Self {
        let left: Vec<usize> = (0..lines.rows())
            .map(|line| lines.row(line).len())
            .collect();
        let waiting = (0..left.len())
            .rev()
            .filter(|&line| left[line] == 1)
            .collect();
        Self {
            lines,
            left,
            waiting,
        }
    }

    fn drop_from(&mut self, line: usize) {
        self.left[line] -= 1;
        if self.left[line] == 1 {
            self.waiting.push(line);
        }
    }
}

/// Takes the triangular part off. Entries that are zero in a sampled state are no pivots.
pub fn peel(template: &Template) -> Peeled {
    let n = template.size();
    let entries = template.pattern().iter().zip(template.entries());
    let present = entries.filter(|(_, symbol)| **symbol != Symbol::Constant(0.0));
    // The entries are some of a valid pattern's.
    let by_row = Sparsity::new(n, n, present.map(|(entry, _)| entry))
        .unwrap_or_else(|_| Sparsity::clone(template.pattern()));
    let by_column = by_row.transpose();
    let is_sound = |row: usize, column: usize| {
        let slot = template.pattern().position(row, column);
        slot.is_some_and(|slot| template.samples().iter().all(|values| values[slot] != 0.0))
    };
    let mut peeled = Peeled {
        first: Vec::new(),
        last: Vec::new(),
        is_core_row: vec![true; n],
        is_core_column: vec![true; n],
    };
    let mut rows = Side::new(&by_row);
    let mut columns = Side::new(&by_column);
    loop {
        let (row, column, is_first) = if let Some(row) = rows.waiting.pop() {
            let mut partners = rows.lines.row(row).iter();
            let partner = partners.find(|&&column| peeled.is_core_column[column]);
            (Some(row), partner.copied(), true)
        } else if let Some(column) = columns.waiting.pop() {
            let mut partners = columns.lines.row(column).iter();
            let partner = partners.find(|&&row| peeled.is_core_row[row]);
            (partner.copied(), Some(column), false)
        } else {
            break;
        };
        let (Some(row), Some(column)) = (row, column) else {
            continue;
        };
        let is_core = peeled.is_core_row[row] && peeled.is_core_column[column];
        if !is_core || !is_sound(row, column) {
            continue;
        }
        peeled.is_core_row[row] = false;
        peeled.is_core_column[column] = false;
        if is_first {
            peeled.first.push((row, column));
        } else {
            peeled.last.push((row, column));
        }
        for &other in by_column.row(column) {
            rows.drop_from(other);
        }
        for &other in by_row.row(row) {
            columns.drop_from(other);
        }
    }
    peeled.last.reverse();
    peeled
}
