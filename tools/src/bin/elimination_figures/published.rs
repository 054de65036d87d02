//! The operations of an order as the programs published with Nori 2017 count them: too few.

use featherline_system::{EliminationOrder, Symbol, Template};
use std::collections::BTreeMap;

/// Additions and multiplications of one factorisation of the whole matrix and one solution.
///
/// A pivot costs a multiplication for each entry of its column. Putting its equation into the
/// others, which multiplies each entry of the column with each of the row, is counted as the
/// places at which the column and the row, laid over each other, both have an entry. The
/// substitutions are counted in full.
pub fn published(template: &Template, order: &EliminationOrder) -> u64 {
    let n = template.size();
    let pattern = template.pattern();
    let mut row_of_column = vec![0; n];
    for &(row, column) in order.pivots() {
        row_of_column[column] = row;
    }
    // Each row's entries by their columns; the value of those that are constant.
    let mut rows: Vec<BTreeMap<usize, Option<f64>>> = vec![BTreeMap::new(); n];
    for (row, entries) in rows.iter_mut().enumerate() {
        for slot in pattern.row_range(row) {
            let value = match template.entries()[slot] {
                Symbol::Constant(0.0) => continue,
                Symbol::Constant(value) => Some(value),
                Symbol::Variable => None,
            };
            entries.insert(pattern.indices()[slot], value);
        }
    }
    let mut operations = 0;
    for &(row, column) in order.pivots() {
        let mut upper = std::mem::take(&mut rows[row]);
        let pivot = upper.remove(&column).flatten();
        let mut lower = Vec::new();
        for (below, entries) in rows.iter_mut().enumerate() {
            let Some(factor) = entries.remove(&column) else {
                continue;
            };
            lower.push(below);
            for (&right, &value) in &upper {
                let product = factor.zip(pivot).zip(value).map(|((f, p), v)| f / p * v);
                match entries.get(&right) {
                    None => entries.insert(right, product.map(|product| -product)),
                    // Constants that cancel leave no entry.
                    Some(&old) => match old.zip(product).map(|(old, product)| old - product) {
                        Some(0.0) => entries.remove(&right),
                        difference => entries.insert(right, difference),
                    },
                };
            }
        }
        let overlaps = upper
            .keys()
            .filter(|&&column| lower.contains(&row_of_column[column]));
        // The factors; one forward and one backward substitution.
        operations += 2 * overlaps.count() + lower.len() + 2 * (lower.len() + upper.len());
    }
    operations as u64
}
