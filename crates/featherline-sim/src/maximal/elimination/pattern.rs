//! The sparsity pattern of the blocks, and the fill of each elimination step.

use super::order::{Constraint, Readiness, least_fill};

/// The blocks of a matrix on the nodes of a graph, in the order of elimination.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// When each node is eliminated.
    position: Vec<usize>,
    /// The edges of the k-th node to those after it are `start[k]..start[k + 1]`.
    start: Vec<usize>,
    /// When the node at the end of an edge is eliminated.
    pub(super) later: Vec<usize>,
    /// Where the targets of each step begin.
    target_start: Vec<usize>,
    /// For each pair of a step's edges, row by row, the block to which their product goes.
    pub(super) targets: Vec<usize>,
    /// How many edges the graph has before it fills in.
    edges: usize,
}

/// How many blocks an elimination keeps and computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCount {
    /// Bodies and constraints: blocks on the diagonal.
    pub nodes: usize,
    /// Pairs of a body and a constraint on it: blocks off the diagonal, of which each has a mirror
    /// image.
    pub edges: usize,
    /// Pairs that fill in.
    pub filled: usize,
    /// Products of two blocks in an elimination, beside those with the diagonal.
    pub products: usize,
}

impl Pattern {
    /// The pattern of a graph: see [`least_fill`].
    pub fn new(bodies: usize, constraints: &[Constraint], readiness: Readiness) -> Self {
        let order = least_fill(bodies, constraints, readiness);
        let mut position = vec![0; order.len()];
        for (k, (node, _)) in order.iter().enumerate() {
            position[*node] = k;
        }
        let (mut start, mut later) = (vec![0], Vec::new());
        for (_, neighbours) in &order {
            let begin = later.len();
            later.extend(neighbours.iter().map(|&node| position[node]));
            later[begin..].sort_unstable();
            start.push(later.len());
        }
        let mut pattern = Self {
            position,
            start,
            later,
            target_start: vec![0],
            targets: Vec::new(),
            edges: constraints.iter().map(|c| c.bodies.len()).sum(),
        };
        for k in 0..pattern.nodes() {
            for a in pattern.edges_of(k) {
                for b in pattern.edges_of(k) {
                    let target = pattern.block_at(pattern.later[a], pattern.later[b]);
                    pattern.targets.push(target);
                }
            }
            pattern.target_start.push(pattern.targets.len());
        }
        pattern
    }

    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// How many blocks there are: those of the diagonal first, then two for each edge, above and
    /// below it.
    pub fn blocks(&self) -> usize {
        self.nodes() + 2 * self.later.len()
    }

    /// When a node is eliminated: its place on the diagonal and in vectors.
    #[inline(always)]
    pub fn position(&self, node: usize) -> usize {
        self.position[node]
    }

    /// The block of a row's node and a column's node, which are neighbours or the same.
    pub fn block(&self, row: usize, column: usize) -> usize {
        self.block_at(self.position[row], self.position[column])
    }

    fn block_at(&self, row: usize, column: usize) -> usize {
        if row == column {
            return row;
        }
        let (first, second) = (row.min(column), row.max(column));
        let edges = self.edges_of(first);
        let edge = edges.start + self.later[edges].partition_point(|&k| k < second);
        debug_assert_eq!(self.later[edge], second, "neighbours have an edge");
        self.nodes() + 2 * edge + usize::from(row > column)
    }

    /// The edges of the k-th node to those after it.
    #[inline(always)]
    pub(super) fn edges_of(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k]..self.start[k + 1]
    }

    /// Where the targets of the k-th step are.
    #[inline(always)]
    pub(super) fn targets_of(&self, k: usize) -> &[usize] {
        &self.targets[self.target_start[k]..self.target_start[k + 1]]
    }

    pub fn count(&self) -> BlockCount {
        BlockCount {
            nodes: self.nodes(),
            edges: self.edges,
            filled: self.later.len() - self.edges,
            products: self.targets.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(bodies: &[usize]) -> Constraint {
        Constraint {
            bodies: bodies.to_vec(),
            rank: 5,
        }
    }

    /// A chain of bodies on hinges, the first on the ground.
    fn chain(bodies: usize) -> Vec<Constraint> {
        let mut joints = vec![joint(&[0])];
        joints.extend((1..bodies).map(|i| joint(&[i - 1, i])));
        joints
    }

    fn count(bodies: usize, constraints: &[Constraint]) -> BlockCount {
        Pattern::new(bodies, constraints, Readiness::CountFreedoms).count()
    }

    #[test]
    fn trees_do_not_fill_in() {
        let mut tree = chain(30);
        tree.extend((30..90).map(|i| joint(&[(7 * i) % 30, i])));
        let count = count(90, &tree);
        assert_eq!((count.nodes, count.edges, count.filled), (180, 179, 0));
        // Each node but the last changes the one block of the node that is left next to it: that is
        // all there is to O(n).
        assert_eq!(count.products, 179);
    }

    #[test]
    fn a_loop_fills_in_along_itself_and_nowhere_else() {
        for total in [20, 50, 200] {
            for length in [3, 5, 10, 20] {
                // A joint between the ends of a stretch in the middle of the chain: a cycle of 2
                // `length` nodes.
                let mut constraints = chain(total);
                let first = (total - length) / 2;
                constraints.push(joint(&[first, first + length - 1]));
                let count = count(total, &constraints);
                // A cycle of m nodes has m - 3 fill edges whatever the order; three of its steps
                // have one neighbour or none, the others two, each of which is four products.
                let cycle = 2 * length;
                assert_eq!(count.filled, cycle - 3, "{total} {length}");
                let tree = count.edges - 1;
                assert_eq!(count.products, tree - (cycle - 1) + 4 * (cycle - 2) + 1);
            }
        }
    }

    #[test]
    fn legs_of_a_platform_do_not_fill_in_between_each_other() {
        // The platform, and legs of two bodies between it and the ground. A leg is a path of five
        // nodes that hangs on the platform: foot, lower, slider, upper, ball. Neither foot nor
        // slider can go before its bodies, which is where it fills in.
        let legs = 40;
        let mut constraints = Vec::new();
        for leg in 0..legs {
            let (lower, upper) = (1 + 2 * leg, 2 + 2 * leg);
            constraints.push(Constraint {
                bodies: vec![lower],
                rank: 4,
            });
            constraints.push(joint(&[lower, upper]));
            constraints.push(Constraint {
                bodies: vec![0, upper],
                rank: 3,
            });
        }
        let count = count(1 + 2 * legs, &constraints);
        // The last leg is left with the platform as its leaf, as in a tree.
        assert_eq!(count.filled, 2 * (legs - 1));
        // Two bodies with two neighbours, three constraints with one.
        assert_eq!(count.products, (2 * 4 + 3) * (legs - 1) + 5);
    }

    #[test]
    fn every_product_has_its_block() {
        let mut constraints = chain(40);
        for k in 0..25 {
            constraints.push(joint(&[(11 * k) % 40, (17 * k + 5) % 40]));
        }
        constraints.retain(|c| c.bodies.len() == 1 || c.bodies[0] != c.bodies[1]);
        let pattern = Pattern::new(40, &constraints, Readiness::CountFreedoms);
        for k in 0..pattern.nodes() {
            let edges = pattern.edges_of(k);
            let targets = pattern.targets_of(k);
            assert_eq!(targets.len(), edges.len() * edges.len());
            assert!(pattern.later[edges].iter().all(|&j| j > k));
        }
        for (c, constraint) in constraints.iter().enumerate() {
            for &body in &constraint.bodies {
                let (above, below) = (pattern.block(body, 40 + c), pattern.block(40 + c, body));
                assert_eq!(above.abs_diff(below), 1);
            }
        }
    }
}
