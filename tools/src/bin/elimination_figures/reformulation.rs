//! The operations of the matrix reformulation of the articulated-body algorithm.

use featherline_system::order::Reformulation;
use featherline_system::{SparseMatrix, Symbol, Template};
use std::collections::BTreeMap;

/// The pairs of factors of the products W² W¹, W³ (…), W⁴ (…), Wᴸ D and (Wᴸ D) Wᴿ.
pub fn products(own: &Reformulation) -> [(SparseMatrix<f64>, SparseMatrix<f64>); 5] {
    let [first, second, third, fourth] = own.left.clone();
    let two = second.product(&first);
    let three = third.product(&two);
    let left = own.left();
    let weighted = left.product(&own.matrix);
    [
        (second, first),
        (third, two),
        (fourth, three),
        (left, own.matrix.clone()),
        (weighted, own.right.clone()),
    ]
}

/// Additions, multiplications and divisions of the five [`products`], of Wᴸ b, of the forward
/// substitution and of Wᴿ z, in this order. Products by ±1 are free. Computing the blocks of W, Iᴬ
/// among them, is not counted.
pub fn operations(own: &Reformulation, template: &Template) -> [u64; 8] {
    let symbols = template.right_hand_side().iter().enumerate();
    let nonzero = symbols.filter(|(_, symbol)| **symbol != Symbol::Constant(0.0));
    let n = own.order.len();
    let right = vector(n, nonzero.map(|(k, _)| k));
    let left = own.left();
    let [second, third, fourth, weighted, triangular] =
        products(own).map(|(a, b)| operations_of(&a, &b));
    [
        second,
        third,
        fourth,
        weighted,
        triangular,
        operations_of(&left, &right),
        substitution(own, &left.product(&right)),
        operations_of(&own.right, &vector(n, 0..n)),
    ]
}

/// Numbers in general position: which of their sums vanish is a matter of the pattern.
fn vector(n: usize, rows: impl Iterator<Item = usize>) -> SparseMatrix<f64> {
    let entries = rows.map(|k| (k, 0, (k as f64).sin() + 2.0));
    SparseMatrix::from_entries(n, 1, entries).expect("inside")
}

/// Additions and multiplications of a product.
fn operations_of(a: &SparseMatrix<f64>, b: &SparseMatrix<f64>) -> u64 {
    let mut terms = BTreeMap::<_, u64>::new();
    let mut multiplications = 0;
    for (row, k, left) in a.iter() {
        for slot in b.sparsity().row_range(k) {
            *terms
                .entry((row, b.sparsity().indices()[slot]))
                .or_default() += 1;
            let is_scaled = left.abs() != 1.0 && b.values()[slot].abs() != 1.0;
            multiplications += u64::from(is_scaled);
        }
    }
    multiplications + terms.values().map(|terms| terms - 1).sum::<u64>()
}

/// The operations of the forward substitution for a right-hand side.
fn substitution(own: &Reformulation, right: &SparseMatrix<f64>) -> u64 {
    let mut operations = 0;
    for row in 0..own.order.len() {
        let values = &own.triangular.values()[own.triangular.sparsity().row_range(row)];
        let terms = values.len() - 1 + right.sparsity().row(row).len();
        let scaled = values.iter().filter(|value| value.abs() != 1.0);
        operations += terms.saturating_sub(1) + scaled.count();
    }
    operations as u64
}
