//! The diagonal blocks of an order: groups of pivots that depend on each other, each after those
//! that it depends on.
//!
//! With pivots for nodes, and an edge from each pivot to those whose unknowns stand in its
//! equation, the groups are the strongly connected components, found by one depth-first search
//! (Tarjan 1972). Only entries inside of a block are ever eliminated; what lies outside multiplies
//! unknowns that are already found.

use crate::order::EliminationOrder;
use crate::sparsity::Sparsity;
use crate::strong_components::strong_components;

/// The blocks of an order, as positions in it, ascending in each block.
pub fn diagonal_blocks(pattern: &Sparsity, order: &EliminationOrder) -> Vec<Vec<usize>> {
    let n = order.len();
    let mut position = vec![0; n];
    for (k, &(_, column)) in order.pivots().iter().enumerate() {
        position[column] = k;
    }
    let columns = |k: usize| pattern.row(order.pivots()[k].0);
    let mut blocks = strong_components(n, 0..n, columns, |column| Some(position[column]));
    for block in &mut blocks {
        block.sort_unstable();
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_after_what_they_depend_on() {
        // 0 and 3 depend on each other and on 1, which depends on 2.
        let entries = [
            (0, 3),
            (3, 0),
            (0, 1),
            (1, 2),
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 3),
        ];
        let pattern = Sparsity::new(4, 4, entries).expect("inside");
        let order = EliminationOrder::new((0..4).map(|k| (k, k)).collect()).expect("an order");
        assert_eq!(
            diagonal_blocks(&pattern, &order),
            [vec![2], vec![1], vec![0, 3]]
        );
    }

    #[test]
    fn a_pivot_without_an_entry_still_has_a_block() {
        let pattern = Sparsity::new(2, 2, [(0, 1), (1, 0), (1, 1)]).expect("inside");
        let order = EliminationOrder::new(vec![(1, 1), (0, 0)]).expect("an order");
        assert_eq!(diagonal_blocks(&pattern, &order), [[0, 1]]);
    }
}
