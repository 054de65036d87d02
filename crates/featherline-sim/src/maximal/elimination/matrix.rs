//! The numeric part: a matrix of blocks of six, factorised in place, and solutions.

use super::Proximal;
use super::pattern::Pattern;
use crate::maximal::block::{Block, Row, add_scaled};
use featherline::kernel;

kernel!(
    /// Replaces the blocks of a matrix, to which a little is [added](Proximal), by its factors
    /// L D U with unit blocks on the diagonals of L and U: D's inverse blocks take the place of the
    /// diagonal, U's that of the blocks above it, and those of L D that of the blocks below.
    ///
    /// Pivots within a diagonal block are taken largest first. Fails with the place of a singular
    /// one.
    pub(crate) fn factorise(
        pattern: &Pattern,
        blocks: &mut [Block],
        proximal: &Proximal,
    ) -> Result<(), usize> {
        let nodes = pattern.nodes();
        for k in 0..nodes {
            let shift = proximal.shift(k);
            for r in 0..6 {
                blocks[k].0[r][r] += shift[r];
            }
            let inverse = inverse(&blocks[k]).ok_or(k)?;
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
);

kernel!(
    /// Solves with the factors, in place.
    pub(crate) fn solve(pattern: &Pattern, factors: &[Block], vector: &mut [Row]) {
        let nodes = pattern.nodes();
        for k in 0..nodes {
            let own = factors[k].times_vector(&vector[k]);
            vector[k] = own;
            for edge in pattern.edges_of(k) {
                let later = &mut vector[pattern.later[edge]];
                subtract(later, &factors[nodes + 2 * edge + 1], &own);
            }
        }
        for k in (0..nodes).rev() {
            for edge in pattern.edges_of(k) {
                let known = vector[pattern.later[edge]];
                subtract(&mut vector[k], &factors[nodes + 2 * edge], &known);
            }
        }
    }
);

kernel!(
    /// Subtracts the product of a matrix, not its factors, with a vector.
    pub(crate) fn subtract_product(
        pattern: &Pattern,
        blocks: &[Block],
        vector: &[Row],
        from: &mut [Row],
    ) {
        let nodes = pattern.nodes();
        for k in 0..nodes {
            subtract(&mut from[k], &blocks[k], &vector[k]);
            for edge in pattern.edges_of(k) {
                let j = pattern.later[edge];
                subtract(&mut from[k], &blocks[nodes + 2 * edge], &vector[j]);
                subtract(&mut from[j], &blocks[nodes + 2 * edge + 1], &vector[k]);
            }
        }
    }
);

/// Subtracts the product of a block with a vector.
#[inline(always)]
fn subtract(from: &mut Row, block: &Block, vector: &Row) {
    add_scaled(from, -1.0, &block.times_vector(vector));
}

/// The inverse, by Gauss and Jordan with the largest pivots first. None for a singular matrix.
#[inline(always)]
fn inverse(matrix: &Block) -> Option<Block> {
    let mut rest = *matrix;
    let mut inverse = Block::zero();
    for r in 0..6 {
        inverse.0[r][r] = 1.0;
    }
    // Which column each row has been taken for, and the other way round.
    let (mut column_of, mut row_of) = ([6; 6], [6; 6]);
    for _ in 0..6 {
        let (mut best, mut at) = (0.0, (0, 0));
        for r in 0..6 {
            for c in 0..6 {
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
    for c in 0..6 {
        sorted.0[c] = inverse.0[row_of[c]];
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
            set(body, body, 6, 6, 5.0);
        }
        for (c, constraint) in constraints.iter().enumerate() {
            for &body in &constraint.bodies {
                set(bodies + c, body, 4, 6, 1.0);
                set(body, bodies + c, 6, 4, 1.0);
            }
        }
        // The other rows of constraints are empty.
        for place in (0..constraints.len()).map(|c| pattern.position(bodies + c)) {
            for r in 4..6 {
                blocks[place].0[r][r] = -1.0;
                dense[(6 * place + r, 6 * place + r)] = -1.0;
            }
        }
        let expected = DVector::from_fn(6 * nodes, |r, _| (r as f64).cos());
        let right = &dense * &expected;
        let mut vector = vec![[0.0; 8]; nodes];
        for k in 0..nodes {
            for r in 0..6 {
                vector[k][r] = right[6 * k + r];
            }
        }
        let mut left = vector.clone();
        let matrix = blocks.clone();
        let mut inertia = Block::zero();
        (0..6).for_each(|r| inertia.0[r][r] = 1.0);
        let inertias = vec![inertia; bodies];
        let proximal = Proximal::new([0.0; 2], &pattern, &inertias, &constraints, inertias.iter());
        assert_eq!(factorise(&pattern, &mut blocks, &proximal), Ok(()));
        solve(&pattern, &blocks, &mut vector);
        subtract_product(&pattern, &matrix, &vector, &mut left);
        for k in 0..nodes {
            for r in 0..6 {
                let error = (vector[k][r] - expected[6 * k + r]).abs();
                assert!(error < 1e-10, "{k} {r}: {error}");
                assert!(left[k][r].abs() < 1e-10);
            }
        }
    }

    #[test]
    fn pivots_are_taken_wherever_they_are() {
        let mut matrix = Block::zero();
        for (r, row) in [[0.0, 2.0], [4.0, 5.0]].iter().enumerate() {
            matrix.0[r][..2].copy_from_slice(row);
        }
        assert!(inverse(&matrix).is_none());
        for r in 2..6 {
            matrix.0[r][r] = -1.0;
        }
        let found = inverse(&matrix).unwrap();
        let expected = [[-0.625, 0.25], [0.5, 0.0]];
        for r in 0..6 {
            for c in 0..6 {
                let expected = match (r, c) {
                    (0..2, 0..2) => expected[r][c],
                    _ if r == c => -1.0,
                    _ => 0.0,
                };
                assert!((found.0[r][c] - expected).abs() < 1e-15);
            }
        }
    }
}
