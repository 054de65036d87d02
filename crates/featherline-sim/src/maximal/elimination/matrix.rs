//! The numeric part: a matrix of blocks of six, factorised in place, and solutions.

use super::Proximal;
use super::pattern::Pattern;
use crate::maximal::block::{Block, Row, add_scaled};

/// One right-hand side of a node, or eight side by side.
pub(crate) trait Side: Copy {
    /// The product of a block with it.
    fn product(block: &Block, side: &Self) -> Self;

    /// Subtracts a product of a block with a side.
    fn subtract_product(&mut self, block: &Block, side: &Self);
}

impl Side for Row {
    #[inline(always)]
    fn product(block: &Block, side: &Self) -> Self {
        block.times_vector(side)
    }

    #[inline(always)]
    fn subtract_product(&mut self, block: &Block, side: &Self) {
        add_scaled(self, -1.0, &block.times_vector(side));
    }
}

impl Side for Block {
    #[inline(always)]
    fn product(block: &Block, side: &Self) -> Self {
        block.times(side)
    }

    #[inline(always)]
    fn subtract_product(&mut self, block: &Block, side: &Self) {
        Block::subtract_product(self, block, side);
    }
}

/// Replaces the blocks of a matrix, to which a little is [added](Proximal), by its factors L D U
/// with unit blocks on the diagonals of L and U: D's inverse blocks take the place of the diagonal,
/// U's that of the blocks above it, and those of L D that of the blocks below.
///
/// `size[k]` is how many unknowns the k-th node has; the rest of its rows and columns is not read.
/// Pivots within a diagonal block are taken largest first. Fails with the place of a singular one.
#[inline(always)]
pub(crate) fn factorise(
    pattern: &Pattern,
    blocks: &mut [Block],
    size: &[usize],
    proximal: &Proximal,
) -> Result<(), usize> {
    let nodes = pattern.nodes();
    for k in 0..nodes {
        let shift = proximal.shift(k);
        for r in 0..size[k] {
            blocks[k].0[r][r] += shift[r];
        }
        let inverse = inverse(&blocks[k], size[k]).ok_or(k)?;
        blocks[k] = inverse;
        let edges = pattern.edges_of(k);
        for edge in edges.clone() {
            blocks[nodes + 2 * edge] = inverse.times(&blocks[nodes + 2 * edge]);
        }
        let mut targets = pattern.targets_of(k).iter();
        for a in edges.clone() {
            let below = blocks[nodes + 2 * a + 1];
            let enlargement = proximal.enlargement(k, pattern.later[a]);
            for b in edges.clone() {
                // As many targets as pairs.
                let Some(&target) = targets.next() else { break };
                let mut above = blocks[nodes + 2 * b];
                if a == b {
                    above.scale(enlargement);
                }
                blocks[target].subtract_product(&below, &above);
            }
        }
    }
    Ok(())
}

/// Solves with the factors, in place.
#[inline(always)]
pub(crate) fn solve<B: Side>(pattern: &Pattern, factors: &[Block], vector: &mut [B]) {
    let nodes = pattern.nodes();
    for k in 0..nodes {
        let own = B::product(&factors[k], &vector[k]);
        vector[k] = own;
        for edge in pattern.edges_of(k) {
            vector[pattern.later[edge]].subtract_product(&factors[nodes + 2 * edge + 1], &own);
        }
    }
    for k in (0..nodes).rev() {
        for edge in pattern.edges_of(k) {
            let known = vector[pattern.later[edge]];
            vector[k].subtract_product(&factors[nodes + 2 * edge], &known);
        }
    }
}

/// Subtracts the product of a matrix, not its factors, with a vector.
#[inline(always)]
pub(crate) fn subtract_product<B: Side>(
    pattern: &Pattern,
    blocks: &[Block],
    vector: &[B],
    from: &mut [B],
) {
    let nodes = pattern.nodes();
    for k in 0..nodes {
        from[k].subtract_product(&blocks[k], &vector[k]);
        for edge in pattern.edges_of(k) {
            let j = pattern.later[edge];
            from[k].subtract_product(&blocks[nodes + 2 * edge], &vector[j]);
            from[j].subtract_product(&blocks[nodes + 2 * edge + 1], &vector[k]);
        }
    }
}

/// The inverse of the leading rows and columns, by Gauss and Jordan with the largest pivots first.
/// All else of it is zero. None for a singular matrix.
#[inline(always)]
fn inverse(matrix: &Block, size: usize) -> Option<Block> {
    let mut rest = *matrix;
    let mut inverse = Block::zero();
    for r in 0..6 {
        inverse.0[r][r] = 1.0;
    }
    // Which column each row has been taken for, and the other way round.
    let (mut column_of, mut row_of) = ([6; 6], [6; 6]);
    for _ in 0..size {
        let (mut best, mut at) = (0.0, (0, 0));
        for r in 0..size {
            for c in 0..size {
                let found = rest.0[r][c].abs();
                if column_of[r] == 6 && row_of[c] == 6 && found > best {
                    (best, at) = (found, (r, c));
                }
            }
        }
        // None is found also among what is not a number.
        if best == 0.0 {
            return None;
        }
        let (r, c) = at;
        (row_of[c], column_of[r]) = (r, c);
        let scale = rest.0[r][c].recip();
        for l in 0..8 {
            rest.0[r][l] *= scale;
            inverse.0[r][l] *= scale;
        }
        let (taken, answer) = (rest.0[r], inverse.0[r]);
        for other in 0..6 {
            if other != r {
                let factor = -rest.0[other][c];
                add_scaled(&mut rest.0[other], factor, &taken);
                add_scaled(&mut inverse.0[other], factor, &answer);
            }
        }
    }
    let mut sorted = Block::zero();
    for c in 0..size {
        for l in 0..size {
            sorted.0[c][l] = inverse.0[row_of[c]][l];
        }
    }
    Some(sorted)
}

#[cfg(test)]
mod tests {
    use super::super::{Constraint, Readiness};
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// A matrix that is not symmetric, of bodies in a chain with two loops, and a solution.
    #[test]
    fn elimination_solves_what_a_dense_matrix_does() {
        let joint = |bodies: &[usize]| Constraint {
            bodies: bodies.to_vec(),
            rank: 4,
        };
        let mut constraints = vec![joint(&[0])];
        constraints.extend((1..8).map(|i| joint(&[i - 1, i])));
        constraints.push(joint(&[1, 5]));
        constraints.push(joint(&[3, 7]));
        let bodies = 8;
        let pattern = Pattern::new(bodies, &constraints, Readiness::CountFreedoms);
        let nodes = pattern.nodes();
        let mut size = vec![0; nodes];
        let mut blocks = vec![Block::zero(); pattern.blocks()];
        let mut dense = DMatrix::<f64>::zeros(6 * nodes, 6 * nodes);
        let mut seed = 0.0;
        let mut random = || {
            seed += 1.0;
            (37.0 * f64::sin(seed)).fract()
        };
        let mut set = |row: usize, column: usize, rows: usize, columns: usize, shift: f64| {
            let block = &mut blocks[pattern.block(row, column)];
            let (r0, c0) = (6 * pattern.position(row), 6 * pattern.position(column));
            for r in 0..rows {
                for c in 0..columns {
                    let value = random() + if r == c { shift } else { 0.0 };
                    block.0[r][c] = value;
                    dense[(r0 + r, c0 + c)] = value;
                }
            }
        };
        for body in 0..bodies {
            size[pattern.position(body)] = 6;
            set(body, body, 6, 6, 5.0);
        }
        for (c, constraint) in constraints.iter().enumerate() {
            size[pattern.position(bodies + c)] = 4;
            for &body in &constraint.bodies {
                set(bodies + c, body, 4, 6, 1.0);
                set(body, bodies + c, 6, 4, 1.0);
            }
        }
        for (k, size) in size.iter().enumerate() {
            for r in *size..6 {
                dense[(6 * k + r, 6 * k + r)] = 1.0;
            }
        }
        let expected = DVector::from_fn(6 * nodes, |r, _| {
            if r % 6 < size[r / 6] {
                (r as f64).cos()
            } else {
                0.0
            }
        });
        let right = &dense * &expected;
        let mut vector = vec![[0.0; 8]; nodes];
        for k in 0..nodes {
            for r in 0..size[k] {
                vector[k][r] = right[6 * k + r];
            }
        }
        let mut left = vector.clone();
        let matrix = blocks.clone();
        let mut inertia = Block::zero();
        (0..6).for_each(|r| inertia.0[r][r] = 1.0);
        let inertias = vec![inertia; bodies];
        let proximal = Proximal::new([0.0; 2], &pattern, &inertias, &constraints, inertias.iter());
        assert_eq!(factorise(&pattern, &mut blocks, &size, &proximal), Ok(()));
        solve(&pattern, &blocks, &mut vector);
        subtract_product(&pattern, &matrix, &vector, &mut left);
        for k in 0..nodes {
            for r in 0..size[k] {
                let error = (vector[k][r] - expected[6 * k + r]).abs();
                assert!(error < 1e-10, "{k} {r}: {error}");
                assert!(left[k][r].abs() < 1e-10);
            }
        }
    }

    #[test]
    fn leading_parts_are_inverted() {
        let mut matrix = Block::zero();
        for (r, row) in [[0.0, 2.0], [4.0, 5.0]].iter().enumerate() {
            matrix.0[r][..2].copy_from_slice(row);
        }
        let found = inverse(&matrix, 2).unwrap();
        let expected = [[-0.625, 0.25], [0.5, 0.0]];
        for r in 0..2 {
            for c in 0..2 {
                assert!((found.0[r][c] - expected[r][c]).abs() < 1e-15);
            }
        }
        assert!(inverse(&matrix, 3).is_none());
    }
}
