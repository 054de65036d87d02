//! Newton's matrix H = M̂ + Jᵀ K J, factorised as L D U without pivoting on the pattern of
//! [`Pattern`].
//!
//! All work is done for a part of the positions, an island: whole trees of the pattern.

use super::Rows;
use super::pattern::{Pattern, RUN, place_after};
use super::rows::add;
use featherline::kernel::row::{add_scaled, scale};
use featherline::model::EliminationTree;

/// A reading as it goes into the matrix.
#[derive(Clone, Copy, Debug, Default)]
struct Coupling {
    /// How many coordinates it has.
    count: usize,
    /// Where its J is, and the places of the elements.
    jacobian: usize,
    places: usize,
}

/// A matrix, and its factors.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    pattern: Pattern,
    /// Elements (k, i) and (i, k) for the columns i of row k; the diagonal belongs to `lower`.
    lower: Vec<f64>,
    upper: Vec<f64>,
    is_symmetric: bool,
    /// M̂ in the same places.
    mass: Vec<f64>,
    couplings: Vec<Coupling>,
    /// J of the readings, a row for each number that is read, columns by their positions.
    jacobians: Vec<f64>,
    /// The places of Jᵀ K J of the readings, row by row.
    places: Vec<usize>,
    permuted: Vec<f64>,
    /// The positions that a reading has, ascending, each with its column.
    sorted: Vec<(usize, usize)>,
    /// A row of Jᵀ K J and of its transpose.
    products: Vec<f64>,
}

impl Elimination {
    /// The matrix of a mass matrix alone.
    pub fn new(mass: &EliminationTree) -> Self {
        let pattern = Pattern::new(mass);
        let zeros = vec![0.0; pattern.len()];
        Self {
            pattern,
            lower: zeros.clone(),
            upper: zeros,
            is_symmetric: true,
            mass: Vec::new(),
            couplings: Vec::new(),
            jacobians: Vec::new(),
            places: Vec::new(),
            permuted: vec![0.0; mass.len()],
            sorted: Vec::new(),
            products: Vec::new(),
        }
    }

    /// How many coordinates it has.
    pub fn len(&self) -> usize {
        self.permuted.len()
    }

    /// Takes M̂, packed without padding along a tree, and the pattern and the Jacobians of some
    /// readings of `rows`. Allocates if other branches are coupled than before.
    #[inline(always)]
    pub fn set_readings(
        &mut self,
        (mass_tree, mass): (&EliminationTree, &[f64]),
        rows: &Rows,
        readings: &[usize],
    ) {
        if self.pattern.set(mass_tree, rows, readings) {
            self.lower.resize(self.pattern.len(), 0.0);
            self.upper.resize(self.pattern.len(), 0.0);
        }
        self.mass.clear();
        self.mass.resize(self.pattern.len(), 0.0);
        for (&place, &m) in self.pattern.mass_place.iter().zip(mass) {
            self.mass[place] = m;
        }
        let Self {
            pattern,
            couplings,
            jacobians,
            places,
            sorted,
            ..
        } = self;
        couplings.resize(rows.readings.len(), Coupling::default());
        jacobians.clear();
        places.clear();
        for &index in readings {
            let reading = &rows.readings[index];
            let columns = &rows.columns[reading.first..reading.end];
            let support = &rows.support[reading.first..reading.end];
            sorted.clear();
            sorted.extend(support.iter().map(|&k| pattern.position[k]).zip(0..));
            sorted.sort_unstable();
            couplings[index] = Coupling {
                count: columns.len(),
                jacobian: jacobians.len(),
                places: places.len(),
            };
            for r in 0..6 {
                jacobians.extend(sorted.iter().map(|&(_, column)| columns[column][r]));
            }
            for (b, &(k, _)) in sorted.iter().enumerate() {
                let (row, columns) = (pattern.row(k).start, pattern.columns(k));
                let mut at = 0;
                for &(i, _) in &sorted[..=b] {
                    at = place_after(columns, at, i);
                    places.push(row + at);
                }
            }
        }
    }

    /// The positions of coordinates, in ascending order.
    pub fn positions(&self, coordinates: &[usize], out: &mut Vec<usize>) {
        out.clear();
        out.extend(coordinates.iter().map(|&k| self.pattern.position[k]));
        out.sort_unstable();
    }

    /// Takes M̂, packed without padding along the mass matrix's tree, which is the matrix's own.
    #[inline(always)]
    pub fn set_mass(&mut self, mass: &[f64]) {
        self.is_symmetric = true;
        for (&place, &m) in self.pattern.mass_place.iter().zip(mass) {
            self.lower[place] = m;
        }
    }

    /// Takes M̂ + A, which need not be symmetric: the two triangles of A are packed as M̂ is.
    #[inline(always)]
    pub fn set_square(&mut self, mass: &[f64], lower: &[f64], upper: &[f64]) {
        self.is_symmetric = false;
        for (element, &place) in self.pattern.mass_place.iter().enumerate() {
            self.lower[place] = mass[element] + lower[element];
            self.upper[place] = mass[element] + upper[element];
        }
    }

    /// H = M̂ + Jᵀ K J of a part, which has the given readings: K a matrix for each reading of all
    /// rows. Symmetric if K is, and then only one triangle is computed.
    #[inline(always)]
    pub fn assemble(
        &mut self,
        readings: &[usize],
        weights: &[[[f64; 6]; 6]],
        is_symmetric: bool,
        part: &[usize],
    ) {
        self.is_symmetric = is_symmetric;
        for &k in part {
            let row = self.pattern.row(k);
            self.lower[row.clone()].copy_from_slice(&self.mass[row.clone()]);
            if !is_symmetric {
                self.upper[row.clone()].copy_from_slice(&self.mass[row]);
            }
        }
        for &index in readings {
            self.add_reading(self.couplings[index], &weights[index]);
        }
    }

    /// H += Jᵀ K J of a reading.
    #[inline(always)]
    fn add_reading(&mut self, coupling: Coupling, weight: &[[f64; 6]; 6]) {
        let Self {
            lower,
            upper,
            is_symmetric,
            products,
            ..
        } = self;
        let count = coupling.count;
        let jacobian = &self.jacobians[coupling.jacobian..coupling.jacobian + 6 * count];
        let mut places = &self.places[coupling.places..];
        products.resize(2 * count, 0.0);
        let (ab, ba) = products.split_at_mut(count);
        let mut weight_t = [[0.0; 6]; 6];
        for (r, row) in weight.iter().enumerate() {
            for (c, &x) in row.iter().enumerate() {
                weight_t[c][r] = x;
            }
        }
        for b in 0..count {
            // Elements (a, b) and (b, a) of Jᵀ K J for a ≤ b, from K j_b and Kᵀ j_b
            let (mut right, mut left) = ([0.0; 6], [0.0; 6]);
            let mut rows: [&[f64]; 6] = [&[]; 6];
            for r in 0..6 {
                rows[r] = &jacobian[r * count..=r * count + b];
                add(&mut right, rows[r][b], &weight_t[r]);
                add(&mut left, rows[r][b], &weight[r]);
            }
            let (own, rest) = places.split_at(b + 1);
            places = rest;
            let (ab, ba) = (&mut ab[..=b], &mut ba[..=b]);
            ba.fill(0.0);
            add_all(ba, &left, rows);
            for (&place, x) in own.iter().zip(&*ba) {
                lower[place] += x;
            }
            if *is_symmetric {
                continue;
            }
            ab.fill(0.0);
            add_all(ab, &right, rows);
            for (&place, x) in own[..b].iter().zip(&*ab) {
                upper[place] += x;
            }
        }
    }

    /// Factorises a part of the matrix in place. False if a pivot is not positive; where it
    /// `may_be_negative`, as those of matrices that are not symmetric, if it is zero.
    #[inline(always)]
    pub fn factorise(&mut self, part: &[usize], may_be_negative: bool) -> bool {
        let mut left = part.len();
        while left > 0 {
            let run = self.pattern.run(part[left - 1]);
            left -= run.len;
            let is_regular = match run.len {
                RUN => self.eliminate::<RUN>(run.first, may_be_negative),
                _ => self.eliminate::<1>(run.first, may_be_negative),
            };
            if !is_regular {
                return false;
            }
        }
        true
    }

    /// Eliminates a run, whose rows change those of its columns together, each read once.
    #[inline(always)]
    fn eliminate<const N: usize>(&mut self, first: usize, may_be_negative: bool) -> bool {
        let Self {
            pattern,
            lower,
            upper,
            is_symmetric,
            ..
        } = self;
        let columns = pattern.columns(first);
        let (begin, common) = (pattern.row(first).start, columns.len() - 1);
        let (above, rows) = lower.split_at_mut(begin);
        let (above_u, rows_u) = upper.split_at_mut(begin);
        let mut place = [0; N];
        for (r, place) in place.iter_mut().enumerate() {
            *place = pattern.row(first + r).start - begin;
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
            // H_ij −= H_ik H_kj / H_kk and H_ji −= H_jk H_ki / H_kk for i of the run and the
            // columns j before it
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
        // The same for the columns i before the run.
        let (own, own_u) = (&*rows, &*rows_u);
        let by = if *is_symmetric { own } else { own_u };
        for target in &pattern.targets[pattern.run(first).targets.clone()] {
            let spans = &pattern.spans[target.spans.clone()];
            for c in target.columns.clone() {
                let row = pattern.row(columns[c]).start;
                let (mut factors, mut from): ([f64; N], [&[f64]; N]) = ([0.0; N], [&[]; N]);
                for r in 0..N {
                    factors[r] = -by[place[r] + c] * inverses[r];
                }
                for span in spans {
                    let (start, to) = (span.columns.start, row + span.place);
                    let len = span.columns.end.min(c + 1) - start;
                    for r in 0..N {
                        from[r] = &own[place[r] + start..place[r] + start + len];
                    }
                    add_all(&mut above[to..to + len], &factors, from);
                }
                if *is_symmetric {
                    continue;
                }
                for r in 0..N {
                    factors[r] = -own[place[r] + c] * inverses[r];
                }
                for span in spans {
                    let (start, to) = (span.columns.start, row + span.place);
                    let len = span.columns.end.min(c) - start;
                    for r in 0..N {
                        from[r] = &own_u[place[r] + start..place[r] + start + len];
                    }
                    add_all(&mut above_u[to..to + len], &factors, from);
                }
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
            pattern,
            lower,
            upper,
            is_symmetric,
            permuted,
            ..
        } = self;
        for &k in part {
            permuted[k] = x[pattern.coordinate[k]];
        }
        let upper: &[f64] = if *is_symmetric { lower } else { upper };
        for &k in part.iter().rev() {
            let (row, columns) = (pattern.row(k), pattern.columns(k));
            let own = permuted[k];
            let before = &columns[..columns.len() - 1];
            for (&i, u) in before.iter().zip(&upper[row.clone()]) {
                permuted[i] = (-u).mul_add(own, permuted[i]);
            }
            permuted[k] = own * lower[row.end - 1];
        }
        for &k in part {
            let (row, columns) = (pattern.row(k), pattern.columns(k));
            let mut own = permuted[k];
            let before = &columns[..columns.len() - 1];
            for (&i, l) in before.iter().zip(&lower[row]) {
                own = (-l).mul_add(permuted[i], own);
            }
            permuted[k] = own;
            x[pattern.coordinate[k]] = own;
        }
    }

    /// Writes M x for the coordinates of a part, for a matrix packed without padding along the
    /// tree, which is the mass matrix's.
    #[inline(always)]
    pub fn multiply(&self, part: &[usize], matrix: &[f64], x: &[f64], out: &mut [f64]) {
        for &k in part {
            let (row, columns) = (&matrix[self.pattern.row(k)], self.pattern.columns(k));
            let d = columns.len() - 1;
            let mut own = row[d] * x[k];
            for (&i, &m) in columns[..d].iter().zip(row) {
                own = m.mul_add(x[i], own);
                out[i] = m.mul_add(x[k], out[i]);
            }
            out[k] = own;
        }
    }

    /// The columns of a position with their elements of the factor L, and the inverse of the pivot.
    /// The matrix must be symmetric.
    #[inline(always)]
    pub fn factor_row(&self, k: usize) -> (&[usize], &[f64], f64) {
        let (row, columns) = (self.pattern.row(k), self.pattern.columns(k));
        let d = columns.len() - 1;
        (
            &columns[..d],
            &self.lower[row.start..row.start + d],
            self.lower[row.start + d],
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
    if i + 2 <= len {
        add_chunk::<N, 2>(to, factors, from, i);
        i += 2;
    }
    if i < len {
        add_chunk::<N, 1>(to, factors, from, i);
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
