//! Newton's matrix H = M̂ + Jᵀ K J, factorised along an elimination tree: L D U without pivoting, L
//! and U on the same pattern.
//!
//! A reading of bodies on one path of the mass matrix's tree, or of one body and the world, adds
//! nothing to the pattern. Readings that couple branches do: then coordinates are ordered by
//! approximate minimum degree, and the tree is that of the joint pattern. It is found again only
//! when other branches are coupled.
//!
//! All work is done for a part of the positions, an island: whole trees of the pattern.

use super::Rows;
use super::minimum_degree::minimum_degree;
use super::rows::add;
use featherline::kernel::row::{add_scaled, scale};
use featherline::model::EliminationTree;

/// How many positions are eliminated at once.
const RUN: usize = 6;

/// A matrix on the pattern of an elimination tree, and its factors.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    /// The position of each coordinate in the order: the last position is eliminated first.
    position: Vec<usize>,
    /// The coordinate at each position.
    coordinate: Vec<usize>,
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
    /// The supports of the readings that couple branches, each after its length.
    coupled: Vec<usize>,
    room: Vec<usize>,
    permuted: Vec<f64>,
    /// The positions that a reading has, ascending, each with its column.
    sorted: Vec<(usize, usize)>,
    /// J of a reading, and a row of Jᵀ K J and of its transpose.
    transposed: Vec<f64>,
    products: Vec<f64>,
}

impl Elimination {
    /// The matrix of a mass matrix alone.
    pub fn new(mass: &EliminationTree) -> Self {
        let n = mass.len();
        let mut new = Self {
            position: (0..n).collect(),
            coordinate: Vec::new(),
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
            sorted: Vec::new(),
            transposed: Vec::new(),
            products: Vec::new(),
        };
        new.lay_out(mass);
        new
    }

    /// Takes the pattern of a mass matrix with some readings of `rows`. Allocates if other branches
    /// are coupled than before.
    pub fn set_pattern(&mut self, mass: &EliminationTree, rows: &Rows, readings: &[usize]) {
        self.room.clear();
        for &index in readings {
            let reading = &rows.readings[index];
            let support = &rows.support[reading.first..reading.end];
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
        self.coordinate = vec![0; n];
        for (k, &at) in position.iter().enumerate() {
            self.coordinate[at] = k;
        }
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

    /// The positions of coordinates, in ascending order.
    pub fn positions(&self, coordinates: &[usize], out: &mut Vec<usize>) {
        out.clear();
        out.extend(coordinates.iter().map(|&k| self.position[k]));
        out.sort_unstable();
    }

    /// Takes M̂, packed without padding along the mass matrix's tree, which is the matrix's own.
    #[inline(always)]
    pub fn set_mass(&mut self, mass: &[f64]) {
        self.is_symmetric = true;
        for (&place, &m) in self.mass_place.iter().zip(mass) {
            self.lower[place] = m;
        }
    }

    /// Takes M̂ + A, which need not be symmetric: the two triangles of A are packed as M̂ is.
    #[inline(always)]
    pub fn set_square(&mut self, mass: &[f64], lower: &[f64], upper: &[f64]) {
        self.is_symmetric = false;
        for (element, &place) in self.mass_place.iter().enumerate() {
            self.lower[place] = mass[element] + lower[element];
            self.upper[place] = mass[element] + upper[element];
        }
    }

    /// H = M̂ + Jᵀ K J of a part, which has the given readings: K a matrix for each reading of all
    /// rows. Symmetric if K is, and then only one triangle is computed. `mass_tree` is the tree
    /// along which M̂ is packed.
    #[inline(always)]
    pub fn assemble(
        &mut self,
        (mass_tree, mass): (&EliminationTree, &[f64]),
        (rows, readings): (&Rows, &[usize]),
        weights: &[[[f64; 6]; 6]],
        is_symmetric: bool,
        part: &[usize],
    ) {
        self.is_symmetric = is_symmetric;
        for &k in part {
            let (begin, d) = (self.row[k], self.level[k]);
            self.lower[begin..=begin + d].fill(0.0);
        }
        for &k in part {
            let own = self.coordinate[k];
            let (end, level) = (mass_tree.tight_place(own, own), mass_tree.level(own));
            for place in end - level..=end {
                self.lower[self.mass_place[place]] = mass[place];
            }
        }
        if !is_symmetric {
            for &k in part {
                let (begin, d) = (self.row[k], self.level[k]);
                self.upper[begin..=begin + d].copy_from_slice(&self.lower[begin..=begin + d]);
            }
        }
        for &index in readings {
            self.add_reading(rows, index, &weights[index]);
        }
    }

    /// H += Jᵀ K J of a reading.
    #[inline(always)]
    fn add_reading(&mut self, rows: &Rows, index: usize, weight: &[[f64; 6]; 6]) {
        let Self {
            position,
            row,
            level,
            lower,
            upper,
            is_symmetric,
            sorted,
            transposed,
            products,
            ..
        } = self;
        let reading = &rows.readings[index];
        let columns = &rows.columns[reading.first..reading.end];
        let support = &rows.support[reading.first..reading.end];
        let count = columns.len();
        sorted.clear();
        sorted.extend(support.iter().map(|&k| position[k]).zip(0..));
        sorted.sort_unstable();
        // J, a row for each number that is read
        transposed.resize(6 * count, 0.0);
        products.resize(2 * count, 0.0);
        for (a, &(_, column)) in sorted.iter().enumerate() {
            for (r, &x) in columns[column].iter().enumerate() {
                transposed[r * count + a] = x;
            }
        }
        let (ab, ba) = products.split_at_mut(count);
        let mut weight_t = [[0.0; 6]; 6];
        for (r, row) in weight.iter().enumerate() {
            for (c, &x) in row.iter().enumerate() {
                weight_t[c][r] = x;
            }
        }
        for (b, &(at, column)) in sorted.iter().enumerate() {
            // Elements (a, b) and (b, a) of Jᵀ K J for a ≤ b, from K j_b and Kᵀ j_b
            let (mut right, mut left) = ([0.0; 6], [0.0; 6]);
            for (r, &j) in columns[column].iter().enumerate() {
                add(&mut right, j, &weight_t[r]);
                add(&mut left, j, &weight[r]);
            }
            let mut rows: [&[f64]; 6] = [&[]; 6];
            for (r, row) in rows.iter_mut().enumerate() {
                *row = &transposed[r * count..=r * count + b];
            }
            let (ab, ba) = (&mut ab[..=b], &mut ba[..=b]);
            ba.fill(0.0);
            add_all(ba, &left, rows);
            for (&(above, _), x) in sorted.iter().zip(&*ba) {
                lower[row[at] + level[above]] += x;
            }
            if *is_symmetric {
                continue;
            }
            ab.fill(0.0);
            add_all(ab, &right, rows);
            for (&(above, _), x) in sorted.iter().zip(&ab[..b]) {
                upper[row[at] + level[above]] += x;
            }
        }
    }

    /// Factorises a part of the matrix in place. False if a pivot is not positive; where it
    /// `may_be_negative`, as those of matrices that are not symmetric, if it is zero.
    ///
    /// Six positions on one path, such as those of a free body, change the rows of all their
    /// ancestors together: each is read and written once.
    #[inline(always)]
    pub fn factorise(&mut self, part: &[usize], may_be_negative: bool) -> bool {
        let mut left = part.len();
        while left > 0 {
            let k = part[left - 1];
            let own = &self.path[self.row[k]..=self.row[k] + self.level[k]];
            let is_run = own.len() >= RUN && part[..left].ends_with(&own[own.len() - RUN..]);
            let is_regular = match part[..left].last_chunk::<RUN>() {
                Some(run) if is_run => {
                    left -= RUN;
                    self.eliminate(run, may_be_negative)
                }
                _ => {
                    left -= 1;
                    self.eliminate(&[k], may_be_negative)
                }
            };
            if !is_regular {
                return false;
            }
        }
        true
    }

    /// Eliminates positions that are consecutive on one path.
    #[inline(always)]
    fn eliminate<const N: usize>(&mut self, run: &[usize; N], may_be_negative: bool) -> bool {
        let Self {
            row,
            level,
            path,
            lower,
            upper,
            is_symmetric,
            ..
        } = self;
        let (begin, common) = (row[run[0]], level[run[0]]);
        let (above, rows) = lower.split_at_mut(begin);
        let (above_u, rows_u) = upper.split_at_mut(begin);
        let mut place = [0; N];
        for (place, &k) in place.iter_mut().zip(run) {
            *place = row[k] - begin;
        }
        let mut inverses = [0.0; N];
        for r in (0..N).rev() {
            let d = common + r;
            let (before, own) = rows.split_at_mut(place[r]);
            let pivot = own[d];
            let size = if may_be_negative { pivot.abs() } else { pivot };
            if !(size > 0.0 && size.is_finite()) {
                return false;
            }
            let inverse = pivot.recip();
            inverses[r] = inverse;
            let (before_u, own_u) = rows_u.split_at_mut(place[r]);
            // H_ij −= H_ik H_kj / H_kk and H_ji −= H_jk H_ki / H_kk for i of the run and its
            // ancestors j
            for i in (0..r).rev() {
                let c = common + i;
                let h_ik = if *is_symmetric { own[c] } else { own_u[c] };
                add_scaled(
                    &mut before[place[i]..=place[i] + c],
                    -h_ik * inverse,
                    &own[..=c],
                );
                if !*is_symmetric {
                    let to = &mut before_u[place[i]..place[i] + c];
                    add_scaled(to, -own[c] * inverse, &own_u[..c]);
                }
            }
        }
        // The same for ancestors i of the run.
        let (own, own_u) = (&*rows, &*rows_u);
        for (c, &i) in path[begin..begin + common].iter().enumerate() {
            let by = if *is_symmetric { own } else { own_u };
            let (mut factors, mut from): ([f64; N], [&[f64]; N]) = ([0.0; N], [&[]; N]);
            for r in 0..N {
                factors[r] = -by[place[r] + c] * inverses[r];
                from[r] = &own[place[r]..=place[r] + c];
            }
            add_all(&mut above[row[i]..=row[i] + c], &factors, from);
            if !*is_symmetric {
                for r in 0..N {
                    factors[r] = -own[place[r] + c] * inverses[r];
                    from[r] = &own_u[place[r]..place[r] + c];
                }
                add_all(&mut above_u[row[i]..row[i] + c], &factors, from);
            }
        }
        for r in 0..N {
            let end = place[r] + common + r;
            scale(&mut rows[place[r]..end], inverses[r]);
            rows[end] = inverses[r];
            if !*is_symmetric {
                scale(&mut rows_u[place[r]..end], inverses[r]);
            }
        }
        true
    }

    /// Solves H x = b for the coordinates of a part, in place of b, with the factors.
    #[inline(always)]
    pub fn solve(&mut self, part: &[usize], x: &mut [f64]) {
        let Self {
            coordinate,
            row,
            level,
            path,
            lower,
            upper,
            is_symmetric,
            permuted,
            ..
        } = self;
        for &k in part {
            permuted[k] = x[coordinate[k]];
        }
        let upper: &[f64] = if *is_symmetric { lower } else { upper };
        for &k in part.iter().rev() {
            let (begin, d) = (row[k], level[k]);
            let own = permuted[k];
            let (path, upper) = (&path[begin..begin + d], &upper[begin..begin + d]);
            for (&i, u) in path.iter().zip(upper) {
                permuted[i] = (-u).mul_add(own, permuted[i]);
            }
            permuted[k] = own * lower[begin + d];
        }
        for &k in part {
            let (begin, d) = (row[k], level[k]);
            let (path, lower) = (&path[begin..begin + d], &lower[begin..begin + d]);
            let mut own = permuted[k];
            for (&i, l) in path.iter().zip(lower) {
                own = (-l).mul_add(permuted[i], own);
            }
            permuted[k] = own;
            x[coordinate[k]] = own;
        }
    }

    /// Writes M x for the coordinates of a part, for a matrix packed without padding along the
    /// tree, which is the mass matrix's.
    #[inline(always)]
    pub fn multiply(&self, part: &[usize], matrix: &[f64], x: &[f64], out: &mut [f64]) {
        for &k in part {
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

    /// The ancestors of a position with their elements of the factor L, and the inverse of the
    /// pivot. The matrix must be symmetric.
    #[inline(always)]
    pub fn factor_row(&self, k: usize) -> (&[usize], &[f64], f64) {
        let (begin, d) = (self.row[k], self.level[k]);
        let range = begin..begin + d;
        (
            &self.path[range.clone()],
            &self.lower[range],
            self.lower[begin + d],
        )
    }
}

/// `to += Σ factors[r] · from[r]`, all rows of one length.
#[inline(always)]
fn add_all<const N: usize>(to: &mut [f64], factors: &[f64; N], from: [&[f64]; N]) {
    let (len, mut i) = (to.len(), 0);
    while i + 8 <= len {
        add_chunk::<N, 8>(to, factors, from, i);
        i += 8;
    }
    if i + 4 <= len {
        add_chunk::<N, 4>(to, factors, from, i);
        i += 4;
    }
    while i < len {
        add_chunk::<N, 1>(to, factors, from, i);
        i += 1;
    }
}

/// The `W` numbers from the i-th on: they stay in a register.
#[inline(always)]
fn add_chunk<const N: usize, const W: usize>(
    to: &mut [f64],
    factors: &[f64; N],
    from: [&[f64]; N],
    i: usize,
) {
    let mut sums = [0.0; W];
    sums.copy_from_slice(&to[i..i + W]);
    for (factor, from) in factors.iter().zip(from) {
        let from = &from[i..i + W];
        for l in 0..W {
            sums[l] = factor.mul_add(from[l], sums[l]);
        }
    }
    to[i..i + W].copy_from_slice(&sums);
}

/// Whether coordinates lie on one path to the root of a tree.
fn is_on_one_path(tree: &EliminationTree, support: &[usize]) -> bool {
    if support.len() <= 1 {
        return true;
    }
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
