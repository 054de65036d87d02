//! The Newton matrix H = M̂ + Jᵀ W J, factorised along an elimination tree: L D U without pivoting,
//! L and U on the same pattern.
//!
//! A pair of bodies on one path of the mass matrix's tree, or one body and the world, adds nothing
//! to the pattern. Pairs that couple branches do: then coordinates are ordered by approximate
//! minimum degree, and the tree is that of the joint pattern. It is found again only when other
//! branches are coupled.

use super::Rows;
use super::minimum_degree::minimum_degree;
use super::rows::Reading;
use featherline::kernel;
use featherline::kernel::row::{add_scaled, scale};
use featherline::model::EliminationTree;

/// A matrix on the pattern of an elimination tree, and its factors.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    /// The position of each coordinate in the order: the last position is eliminated first.
    position: Vec<usize>,
    tree: EliminationTree,
    /// Where each row begins, and the level of each position.
    row: Vec<usize>,
    level: Vec<usize>,
    /// The ancestors of each position by level, row by row as the matrix is packed.
    path: Vec<usize>,
    /// For each element of the mass matrix, where it goes.
    mass_place: Vec<usize>,
    /// Elements (k, i) and (i, k) for ancestors i of k; the diagonal belongs to `lower`.
    lower: Vec<f64>,
    upper: Vec<f64>,
    is_symmetric: bool,
    /// The supports of the pairs that couple branches, each after its length.
    coupled: Vec<usize>,
    room: Vec<usize>,
    permuted: Vec<f64>,
}

impl Elimination {
    /// The matrix of a mass matrix alone.
    pub fn new(mass: &EliminationTree) -> Self {
        let n = mass.len();
        let mut new = Self {
            position: (0..n).collect(),
            tree: mass.clone(),
            row: Vec::new(),
            level: Vec::new(),
            path: Vec::new(),
            mass_place: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            is_symmetric: true,
            coupled: Vec::new(),
            room: Vec::new(),
            permuted: vec![0.0; n],
        };
        new.lay_out(mass);
        new
    }

    /// Takes the pattern of a mass matrix with the pairs of `rows`. Allocates if other branches are
    /// coupled than before.
    pub fn set_pattern(&mut self, mass: &EliminationTree, rows: &Rows) {
        self.room.clear();
        for pair in &rows.pairs {
            let support = rows.support_of(pair);
            if !is_on_one_path(mass, support) {
                self.room.push(support.len());
                self.room.extend_from_slice(support);
            }
        }
        if self.room == self.coupled {
            return;
        }
        std::mem::swap(&mut self.room, &mut self.coupled);
        self.find_order(mass);
        self.lay_out(mass);
    }

    /// The order by approximate minimum degree, and its tree.
    fn find_order(&mut self, mass: &EliminationTree) {
        let n = mass.len();
        if self.coupled.is_empty() {
            self.position = (0..n).collect();
            self.tree = mass.clone();
            return;
        }
        // What couples with one another: the paths of the mass matrix's leaves, and the supports.
        let mut is_leaf = vec![true; n];
        for k in 0..n {
            if let Some(parent) = mass.parents()[k] {
                is_leaf[parent] = false;
            }
        }
        let mut cliques: Vec<Vec<usize>> = Vec::new();
        for k in (0..n).filter(|&k| is_leaf[k]) {
            cliques.push(mass.ancestors(k).chain([k]).collect());
        }
        let mut rest = &self.coupled[..];
        while let [len, tail @ ..] = rest {
            let (support, tail) = tail.split_at(*len);
            cliques.push(support.to_vec());
            rest = tail;
        }
        let order = minimum_degree(n, &cliques);
        for (rank, &k) in order.iter().enumerate() {
            self.position[k] = n - 1 - rank;
        }
        // A path through a clique has the clique's elimination tree (J. R. Gilbert, X. S. Li, E. G.
        // Ng, B. W. Peyton, BIT 41(4), 2001).
        let mut couplings = Vec::new();
        for clique in &mut cliques {
            for k in &mut *clique {
                *k = self.position[*k];
            }
            clique.sort_unstable();
            couplings.extend(clique.windows(2).map(|pair| (pair[0], pair[1])));
        }
        self.tree = EliminationTree::of_couplings(n, &couplings);
    }

    fn lay_out(&mut self, mass: &EliminationTree) {
        let Self { tree, position, .. } = self;
        let n = tree.len();
        self.level = (0..n).map(|k| tree.level(k)).collect();
        self.row = (0..n)
            .map(|k| tree.tight_place(k, k) - tree.level(k))
            .collect();
        self.path = vec![0; tree.tight_len()];
        for k in 0..n {
            for i in tree.ancestors(k).chain([k]) {
                self.path[tree.tight_place(k, i)] = i;
            }
        }
        self.mass_place = vec![0; mass.tight_len()];
        for k in 0..n {
            for i in mass.ancestors(k).chain([k]) {
                let (a, b) = (position[k], position[i]);
                let place = tree.tight_place(a.max(b), a.min(b));
                self.mass_place[mass.tight_place(k, i)] = place;
            }
        }
        self.lower = vec![0.0; tree.tight_len()];
        self.upper = vec![0.0; tree.tight_len()];
    }

    /// H = M̂ + Jᵀ W J: M̂ packed without padding, W by blocks in the order of rows. Symmetric if
    /// each block is, and then only one triangle is computed.
    #[inline(always)]
    pub fn assemble(
        &mut self,
        mass: &[f64],
        rows: &Rows,
        weights: &[[[f64; 3]; 3]],
        is_symmetric: bool,
    ) {
        self.is_symmetric = is_symmetric;
        self.lower.fill(0.0);
        for (&place, &m) in self.mass_place.iter().zip(mass) {
            self.lower[place] = m;
        }
        if !is_symmetric {
            self.upper.copy_from_slice(&self.lower);
        }
        // Blocks of one pair come one after another.
        let mut block = 0;
        for (index, pair) in rows.pairs.iter().enumerate() {
            let mut w = [[0.0; 6]; 6];
            while let Some(found) = rows.blocks.get(block) {
                match &found.reading {
                    Reading::Coordinate { coordinate, factor } => {
                        let k = self.position[*coordinate];
                        self.lower[self.row[k] + self.level[k]] +=
                            factor * factor * weights[block][0][0];
                    }
                    Reading::Entry { pair: own, row } if *own == index => {
                        w[*row][*row] += weights[block][0][0];
                    }
                    Reading::Point {
                        pair: own,
                        axes,
                        lever,
                    } if *own == index => {
                        // X = A [1, −r×]
                        let count = found.law.set.rows();
                        let mut x = [[0.0; 6]; 3];
                        for (x, axis) in x.iter_mut().zip(&axes[..count]) {
                            let turned = lever.cross(*axis);
                            *x = [axis.x, axis.y, axis.z, turned.x, turned.y, turned.z];
                        }
                        // W += Xᵀ G X
                        let g = &weights[block];
                        for r in 0..count {
                            let mut gx = [0.0; 6];
                            for c in 0..count {
                                for k in 0..6 {
                                    gx[k] = g[r][c].mul_add(x[c][k], gx[k]);
                                }
                            }
                            for a in 0..pair.rank {
                                for b in 0..6 {
                                    w[a][b] = x[r][a].mul_add(gx[b], w[a][b]);
                                }
                            }
                        }
                    }
                    _ => break,
                }
                block += 1;
            }
            // H += Jᵀ W J
            let rank = pair.rank;
            for b in pair.first..pair.end {
                let (at_b, j_b) = (self.position[rows.support[b]], &rows.columns[b]);
                let mut right = [0.0; 6];
                let mut left = [0.0; 6];
                for r in 0..rank {
                    for c in 0..rank {
                        right[r] = w[r][c].mul_add(j_b[c], right[r]);
                        left[c] = w[r][c].mul_add(j_b[r], left[c]);
                    }
                }
                for a in pair.first..=b {
                    let (at_a, j_a) = (self.position[rows.support[a]], &rows.columns[a]);
                    // Elements (a, b) and (b, a).
                    let (mut ab, mut ba) = (0.0, 0.0);
                    for r in 0..rank {
                        ab = j_a[r].mul_add(right[r], ab);
                        ba = j_a[r].mul_add(left[r], ba);
                    }
                    let (k, i) = (at_a.max(at_b), at_a.min(at_b));
                    let place = self.row[k] + self.level[i];
                    let (lower, upper) = if k == at_a { (ab, ba) } else { (ba, ab) };
                    self.lower[place] += lower;
                    if !is_symmetric && k != i {
                        self.upper[place] += upper;
                    }
                }
            }
        }
        for (found, weight) in rows.blocks[block..].iter().zip(&weights[block..]) {
            if let Reading::Coordinate { coordinate, factor } = &found.reading {
                let k = self.position[*coordinate];
                self.lower[self.row[k] + self.level[k]] += factor * factor * weight[0][0];
            }
        }
    }

    /// Factorises the matrix in place. False if a pivot is zero or negative within rounding.
    #[inline(always)]
    pub fn factorise(&mut self) -> bool {
        let Self {
            row,
            level,
            path,
            lower,
            upper,
            is_symmetric,
            ..
        } = self;
        for k in (0..row.len()).rev() {
            let (begin, d) = (row[k], level[k]);
            let (above, own) = lower.split_at_mut(begin);
            let own = &mut own[..=d];
            let pivot = own[d];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let inverse = pivot.recip();
            if *is_symmetric {
                for c in (0..d).rev() {
                    let i = path[begin + c];
                    // H_ij −= H_ik H_kj / H_kk for i and its ancestors j
                    let a = own[c] * inverse;
                    add_scaled(&mut above[row[i]..=row[i] + c], -a, &own[..=c]);
                }
            } else {
                let (above_u, own_u) = upper.split_at_mut(begin);
                let own_u = &mut own_u[..d];
                for c in (0..d).rev() {
                    let i = path[begin + c];
                    // H_ij −= H_ik H_kj / H_kk and H_ji −= H_jk H_ki / H_kk
                    add_scaled(
                        &mut above[row[i]..=row[i] + c],
                        -own_u[c] * inverse,
                        &own[..=c],
                    );
                    add_scaled(
                        &mut above_u[row[i]..row[i] + c],
                        -own[c] * inverse,
                        &own_u[..c],
                    );
                }
                scale(own_u, inverse);
            }
            scale(&mut own[..d], inverse);
            own[d] = inverse;
        }
        true
    }

    /// xᵀ H⁻¹ x of a symmetric H, with the factors; x is zero afterwards.
    #[inline(always)]
    pub fn inverse_square(&mut self, x: &mut [f64]) -> f64 {
        for (&at, x) in self.position.iter().zip(&mut *x) {
            self.permuted[at] = std::mem::take(x);
        }
        let mut sum = 0.0;
        for k in (0..self.row.len()).rev() {
            let own = self.permuted[k];
            if own == 0.0 {
                continue;
            }
            let (begin, d) = (self.row[k], self.level[k]);
            for c in 0..d {
                let i = self.path[begin + c];
                self.permuted[i] = (-self.lower[begin + c]).mul_add(own, self.permuted[i]);
            }
            sum = (own * own).mul_add(self.lower[begin + d], sum);
        }
        sum
    }

    /// Writes M x for a matrix packed without padding along the tree, which is the mass matrix's.
    #[inline(always)]
    pub fn multiply(&self, matrix: &[f64], x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for k in 0..self.row.len() {
            let (begin, d) = (self.row[k], self.level[k]);
            let mut own = matrix[begin + d] * x[k];
            for c in 0..d {
                let i = self.path[begin + c];
                own = matrix[begin + c].mul_add(x[i], own);
                out[i] = matrix[begin + c].mul_add(x[k], out[i]);
            }
            out[k] = own;
        }
    }

    /// Solves H x = b in place of b, with the factors.
    #[inline(always)]
    pub fn solve(&mut self, x: &mut [f64]) {
        let Self {
            position,
            row,
            level,
            path,
            lower,
            upper,
            is_symmetric,
            permuted,
            ..
        } = self;
        for (&at, &x) in position.iter().zip(&*x) {
            permuted[at] = x;
        }
        let upper: &[f64] = if *is_symmetric { lower } else { upper };
        for k in (0..row.len()).rev() {
            let (begin, d) = (row[k], level[k]);
            let own = permuted[k];
            for c in 0..d {
                let i = path[begin + c];
                permuted[i] = (-upper[begin + c]).mul_add(own, permuted[i]);
            }
            permuted[k] = own * lower[begin + d];
        }
        for k in 0..row.len() {
            let (begin, d) = (row[k], level[k]);
            let mut own = permuted[k];
            for c in 0..d {
                own = (-lower[begin + c]).mul_add(permuted[path[begin + c]], own);
            }
            permuted[k] = own;
        }
        for (&at, x) in position.iter().zip(x) {
            *x = permuted[at];
        }
    }
}

kernel!(
    /// H = M̂ + Jᵀ W J and its factors; false where a pivot is zero or negative.
    pub(super) fn assemble_and_factorise(
        elimination: &mut Elimination,
        mass: &[f64],
        rows: &Rows,
        weights: &[[[f64; 3]; 3]],
        is_symmetric: bool,
    ) -> bool {
        elimination.assemble(mass, rows, weights, is_symmetric);
        elimination.factorise()
    }
);

kernel!(
    /// Solves H x = b in place of b.
    pub(super) fn solve_factorised(elimination: &mut Elimination, x: &mut [f64]) {
        elimination.solve(x);
    }
);

/// Whether coordinates lie on one path to the root of a tree.
fn is_on_one_path(tree: &EliminationTree, support: &[usize]) -> bool {
    let Some(&deepest) = support.iter().max_by_key(|&&k| tree.level(k)) else {
        return true;
    };
    let mut left = support.iter().filter(|&&k| k != deepest).count();
    for i in tree.ancestors(deepest) {
        if left == 0 {
            break;
        }
        left -= usize::from(support.contains(&i));
    }
    left == 0
}
