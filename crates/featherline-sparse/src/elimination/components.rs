//! The diagonal blocks of an order: groups of pivots that depend on each other, each after those
//! that it depends on.
//!
//! With pivots for nodes, and an edge from each pivot to those whose unknowns stand in its
//! equation, the groups are the strongly connected components, found by one depth-first search
//! (Tarjan 1972). Only entries inside of a block are ever eliminated; what lies outside multiplies
//! unknowns that are already found.

use crate::order::EliminationOrder;
use crate::sparsity::Sparsity;

/// A frame of the depth-first search: a node, and which of its edges comes next.
struct Visit {
    node: usize,
    edge: usize,
}

/// The blocks of an order, as positions in it, ascending in each block.
pub fn diagonal_blocks(pattern: &Sparsity, order: &EliminationOrder) -> Vec<Vec<usize>> {
    let n = order.len();
    let mut position = vec![0; n];
    for (k, &(_, column)) in order.pivots().iter().enumerate() {
        position[column] = k;
    }
    const UNSEEN: usize = usize::MAX;
    let (mut seen, mut low) = (vec![UNSEEN; n], vec![0; n]);
    let (mut stack, mut on_stack) = (Vec::new(), vec![false; n]);
    let (mut visits, mut blocks, mut count) = (Vec::<Visit>::new(), Vec::new(), 0);
    for root in 0..n {
        if seen[root] != UNSEEN {
            continue;
        }
        visits.push(Visit {
            node: root,
            edge: 0,
        });
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            if visit.edge == 0 {
                (seen[node], low[node]) = (count, count);
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            let edges = pattern.row(order.pivots()[node].0);
            let next = edges[visit.edge.min(edges.len())..]
                .iter()
                .position(|&column| {
                    let target = position[column];
                    if seen[target] != UNSEEN && on_stack[target] {
                        low[node] = low[node].min(seen[target]);
                    }
                    seen[target] == UNSEEN
                });
            if let Some(offset) = next {
                visit.edge += offset + 1;
                let node = position[edges[visit.edge - 1]];
                visits.push(Visit { node, edge: 0 });
                continue;
            }
            visits.pop();
            if let Some(parent) = visits.last() {
                low[parent.node] = low[parent.node].min(low[node]);
            }
            if low[node] == seen[node] {
                let start = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let mut block = stack.split_off(start);
                for &member in &block {
                    on_stack[member] = false;
                }
                block.sort_unstable();
                blocks.push(block);
            }
        }
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
