//! The operations of an order as the programs published with Nori 2017 count them: too few.

use crate::reformulation::products;
use featherline_system::order::Reformulation;
use featherline_system::{EliminationOrder, Symbol, Template};
use std::collections::BTreeMap;

/// Additions and multiplications of one factorisation of the whole matrix and one solution, by
/// `lu_cost.m` and `fb_cost.m` of the folder `MAP/serial/compare_ABA`.
///
/// A pivot costs a multiplication for each entry of its column. Putting its equation into the
/// others, which multiplies each entry of the column with each of the row, is counted as the
/// places at which the column and the row, laid over each other, both have an entry. For L c = b
/// and U y = c, each entry of L and U costs a multiplication, those of both diagonals included, and
/// each one outside of the diagonals an addition; each nonzero number of b and of c costs one more.
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
    let mut right: Vec<bool> = template.right_hand_side().iter().map(is_nonzero).collect();
    let mut operations = right.iter().filter(|is_nonzero| **is_nonzero).count();
    for &(row, column) in order.pivots() {
        let mut upper = std::mem::take(&mut rows[row]);
        let pivot = upper.remove(&column).flatten();
        let mut lower = Vec::new();
        for (below, entries) in rows.iter_mut().enumerate() {
            let Some(factor) = entries.remove(&column) else {
                continue;
            };
            lower.push(below);
            right[below] |= right[row];
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
        // The factors; one forward and one backward substitution, with both diagonals and c.
        operations += 2 * overlaps.count() + lower.len() + 2 * (lower.len() + upper.len());
        operations += 2 + usize::from(right[row]);
    }
    operations as u64
}

fn is_nonzero(symbol: &Symbol) -> bool {
    *symbol != Symbol::Constant(0.0)
}

/// The same of the paper's matrix reformulation of the articulated-body algorithm, by `fw_cost.m`
/// and `mult_cost.m`: the forward substitution, and the products W² W¹, W³ (…), W⁴ (…) and Wᴸ D.
///
/// The product with Wᴿ and Wᴸ b are left out. Of an entry of a product that is a sum, the additions
/// are counted and the multiplications are not.
pub fn of_reformulation(own: &Reformulation, template: &Template) -> u64 {
    let right = template.right_hand_side().iter().filter(|b| is_nonzero(b));
    let entries = own.triangular.sparsity().entries();
    let mut operations = 2 * entries - own.order.len() + right.count();
    let [second, third, fourth, left, _] = products(own);
    for (a, b) in [second, third, fourth, left] {
        for row in 0..a.sparsity().rows() {
            let mut terms = BTreeMap::new();
            let inner = a.sparsity().row(row).iter();
            for &column in inner.flat_map(|&k| b.sparsity().row(k)) {
                *terms.entry(column).or_insert(0) += 1;
            }
            operations += terms
                .values()
                .map(|&terms| (terms - 1).max(1))
                .sum::<usize>();
        }
    }
    operations as u64
}
