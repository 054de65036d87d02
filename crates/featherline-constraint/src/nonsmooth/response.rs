//! How velocities answer to impulses, island by island: the linear algebra of the solver.
//!
//! The unknown x is μ, the impulses on the readings, where an island reads few numbers, with the
//! dense matrix W = J M̂⁻¹ Jᵀ: z = J v* + W x. It is v where an island reads many, along the
//! elimination tree: z = J x. Both ways make the same Newton step: (1 + K W) Δμ = −r, or
//! (M̂ + Jᵀ K J) Δv = −Jᵀ r with M̂ Δv = Jᵀ Δμ (Woodbury's identity). z is never found anew as a
//! difference of large numbers within an outer step: K makes much of its rounding.

use super::answers::Answers;
use super::dense::Dense;
use super::elimination::Elimination;
use super::islands::Islands;
use super::rows::{Rows, add};
use featherline::kernel;
use featherline::model::EliminationTree;

/// The most numbers of a small island. W is dense where it has fewer numbers than coordinates:
/// Newton's step takes less time then than along the tree. Where it has as many, it has fewer
/// digits, if bodies of very different mass bear on each other.
const MOST_DENSE: usize = 40;

/// An island of some rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub rows: &'a Rows,
    pub island: usize,
}

/// An unknown with the numbers that it gives the readings; along the tree, these are not kept.
#[derive(Clone, Debug)]
struct Iterate {
    x: Vec<f64>,
    z: Vec<f64>,
}

impl Iterate {
    fn new(len: usize) -> Self {
        Self {
            x: vec![0.0; len],
            z: vec![0.0; len],
        }
    }

    #[inline(always)]
    fn take(&mut self, other: &Self, unknowns: &[usize]) {
        for &k in unknowns {
            self.x[k] = other.x[k];
            self.z[k] = other.z[k];
        }
    }
}

/// The response of a robot or a scene.
#[derive(Clone, Debug)]
pub(super) struct Response {
    mass_tree: EliminationTree,
    mass_matrix: Vec<f64>,
    all: Vec<usize>,
    /// The factors of M̂.
    mass: Elimination,
    /// Those of M̂ + A.
    square: Elimination,
    /// Those of Newton's matrix.
    newton: Elimination,
    dense: Dense,
    pub islands: Islands,
    pub answers: Answers,
    /// Whether these are of the island.
    has_answers: bool,
    /// Of each island, whether it reads few numbers, and whether W is dense.
    is_small: Vec<bool>,
    is_dense: Vec<bool>,
    /// The readings of the others.
    sparse: Vec<usize>,
    /// Whether Newton's matrix has the pattern of the rows.
    has_pattern: bool,
    /// The positions of the island in Newton's matrix.
    positions: Vec<usize>,
    has_positions: bool,
    /// The block of W of each reading.
    pub blocks: Vec<[[f64; 6]; 6]>,
    /// v*
    free: Vec<f64>,
    /// The entries of the vectors below that the island has.
    unknowns: Vec<usize>,
    iterate: Iterate,
    /// Where a Newton step begins, and where the central path is.
    begin: Iterate,
    path: Iterate,
    step: Iterate,
    /// r = μ − f, or g = M̂ (v − v*) − Jᵀ f.
    residual: Vec<f64>,
    force: Vec<f64>,
    answer: Vec<f64>,
    change: Vec<f64>,
    /// Rows of L⁻ᵀ Jᵀ of one reading, and where they are.
    half: Vec<[f64; 6]>,
    is_met: Vec<bool>,
    walk: Vec<usize>,
}

impl Response {
    pub fn new(mass: &EliminationTree) -> Self {
        let n = mass.len();
        let len = n.max(MOST_DENSE);
        let zeros = || vec![0.0; len];
        Self {
            mass_tree: mass.clone(),
            mass_matrix: Vec::with_capacity(mass.tight_len()),
            all: (0..n).collect(),
            mass: Elimination::new(mass),
            square: Elimination::new(mass),
            newton: Elimination::new(mass),
            dense: Dense::default(),
            islands: Islands::new(mass),
            answers: Answers::default(),
            has_answers: false,
            is_small: Vec::new(),
            is_dense: Vec::new(),
            sparse: Vec::new(),
            has_pattern: false,
            positions: Vec::with_capacity(n),
            has_positions: false,
            blocks: Vec::new(),
            unknowns: Vec::with_capacity(len),
            free: vec![0.0; n],
            iterate: Iterate::new(len),
            begin: Iterate::new(len),
            path: Iterate::new(len),
            step: Iterate::new(len),
            residual: zeros(),
            force: zeros(),
            answer: zeros(),
            change: zeros(),
            half: vec![[0.0; 6]; n],
            is_met: vec![false; n],
            walk: Vec::with_capacity(n),
        }
    }

    /// Takes M̂, packed without padding along the tree, and factorises it. False if it is not
    /// positive definite.
    pub fn set_mass(&mut self, mass: &[f64]) -> bool {
        self.mass_matrix.clear();
        self.mass_matrix.extend_from_slice(mass);
        factorise_mass(self)
    }

    /// Replaces x by M̂⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        solve_mass(self, x);
    }

    /// Replaces x by (M̂ + A)⁻¹ x. False, with x as it was, if a pivot is not positive.
    pub fn solve_square(&mut self, lower: &[f64], upper: &[f64], x: &mut [f64]) -> bool {
        solve_square(self, lower, upper, x)
    }

    /// 1/D of a coordinate, with M̂ = Lᵀ D L.
    #[inline(always)]
    pub fn inverse_pivot(&self, coordinate: usize) -> f64 {
        self.mass.factor_row(coordinate).2
    }

    /// Takes v* and the rows of a problem.
    pub fn take(&mut self, free: &[f64], rows: &Rows) {
        self.free.copy_from_slice(free);
        self.islands.find(rows);
        self.has_pattern = false;
        self.is_small.clear();
        self.is_dense.clear();
        self.sparse.clear();
        for island in 0..self.islands.len() {
            let part = self.islands.parts(island);
            let readings = part.readings;
            let ranks = readings.iter().map(|&index| rows.readings[index].rank);
            let size = ranks.sum::<usize>();
            let is_dense = size <= MOST_DENSE && size < part.coordinates.len();
            self.is_small.push(size <= MOST_DENSE);
            self.is_dense.push(is_dense);
            if !is_dense {
                self.sparse.extend_from_slice(readings);
            }
        }
        self.blocks.clear();
        self.blocks.resize(rows.readings.len(), [[0.0; 6]; 6]);
    }

    /// Begins sweeps of an island at the velocity that impulses f on the readings lead to. False
    /// where it is too large.
    #[inline(always)]
    pub fn begin_sweeps(&mut self, place: Place<'_>, f: &[[f64; 6]]) -> bool {
        let part = self.islands.parts(place.island);
        let (rows, mass) = (place.rows, &mut self.mass);
        if !self.has_answers {
            let is_found = self.answers.find(mass, &self.islands, (rows, &part));
            if !is_found {
                return false;
            }
            self.has_answers = true;
        }
        self.answers.begin(mass, (rows, &part), &self.free, f);
        true
    }

    /// Whether an island reads few numbers.
    pub fn is_small(&self, island: usize) -> bool {
        self.is_small[island]
    }

    /// Takes an island: what follows is of it.
    pub fn begin(&mut self, place: Place<'_>) {
        self.has_positions = false;
        self.has_answers = false;
        begin(self, place);
    }

    /// x that impulses f on the readings lead to, and z there.
    pub fn set(&mut self, place: Place<'_>, f: &[[f64; 6]], z: &mut [[f64; 6]]) {
        set(self, place, f, z);
    }

    /// x without impulses, and z there.
    #[inline(always)]
    pub fn set_free(&mut self, place: Place<'_>, z: &mut [[f64; 6]]) {
        let (rows, part) = (place.rows, self.islands.parts(place.island));
        for &index in part.readings {
            z[index] = rows.read(&rows.readings[index], &self.free);
        }
        let Iterate { x, z: own } = &mut self.iterate;
        if self.is_dense[place.island] {
            self.dense.gather(rows, &part, z, own);
        }
        for &k in &self.unknowns {
            x[k] = match self.is_dense[place.island] {
                true => 0.0,
                false => self.free[k],
            };
        }
    }

    /// The residual of x for impulses f on the readings: ‖g‖ in the norm of M̂⁻¹.
    #[inline(always)]
    pub fn find_residual(&mut self, place: Place<'_>, f: &[[f64; 6]]) -> f64 {
        self.set_residual(place, f);
        let part = self.islands.parts(place.island);
        if self.is_dense[place.island] {
            return self.dense.square(&self.residual).max(0.0).sqrt();
        }
        let answer = &mut self.answer;
        for &k in part.coordinates {
            answer[k] = self.force[k];
        }
        self.mass.solve(part.coordinates, answer);
        let mut square = 0.0;
        for &k in part.coordinates {
            square = self.residual[k].mul_add(self.change[k] - answer[k], square);
        }
        square.max(0.0).sqrt()
    }

    /// The residual of x for impulses f on the readings.
    #[inline(always)]
    pub fn set_residual(&mut self, place: Place<'_>, f: &[[f64; 6]]) {
        let part = self.islands.parts(place.island);
        let (residual, x) = (&mut self.residual, &self.iterate.x);
        if self.is_dense[place.island] {
            self.dense.gather(place.rows, &part, f, residual);
            for (r, x) in residual.iter_mut().zip(x).take(self.dense.size()) {
                *r = x - *r;
            }
            return;
        }
        let (force, change) = (&mut self.force, &mut self.change);
        for &k in part.coordinates {
            change[k] = x[k] - self.free[k];
            force[k] = 0.0;
        }
        self.mass
            .multiply(part.coordinates, &self.mass_matrix, change, residual);
        for &index in part.readings {
            let reading = &place.rows.readings[index];
            place.rows.add_transposed(reading, &f[index], force);
        }
        for &k in part.coordinates {
            residual[k] -= force[k];
        }
    }

    /// Newton's step for the residual, from x. False if the matrix is singular.
    pub fn newton(
        &mut self,
        place: Place<'_>,
        weights: &[[[f64; 6]; 6]],
        is_symmetric: bool,
    ) -> bool {
        if !self.is_dense[place.island] && !self.has_positions {
            let Self {
                newton,
                mass_tree,
                mass_matrix,
                islands,
                ..
            } = self;
            if !self.has_pattern {
                newton.set_readings((mass_tree, mass_matrix), place.rows, &self.sparse);
                self.has_pattern = true;
            }
            let part = islands.parts(place.island);
            newton.positions(part.coordinates, &mut self.positions);
            self.has_positions = true;
        }
        self.begin.take(&self.iterate, &self.unknowns);
        newton(self, place, weights, is_symmetric)
    }

    /// Newton's step for another residual, with the factors of the last one.
    #[inline(always)]
    pub fn newton_again(&mut self, place: Place<'_>, weights: &[[[f64; 6]; 6]]) {
        if !self.is_dense[place.island] {
            newton_along_tree(self, place);
            return;
        }
        let part = self.islands.parts(place.island);
        let (rows, step) = (place.rows, &mut self.step);
        self.dense
            .newton((rows, &part), weights, &self.residual, &mut step.x);
        self.dense.respond(&step.x, &mut step.z);
    }

    /// J dv: Newton's step as the readings see it.
    #[inline(always)]
    pub fn read_step(&self, place: Place<'_>, out: &mut [[f64; 6]]) {
        let (rows, part) = (place.rows, self.islands.parts(place.island));
        if self.is_dense[place.island] {
            self.dense.scatter(rows, &part, &self.step.z, out);
            return;
        }
        for &index in part.readings {
            out[index] = rows.read(&rows.readings[index], &self.step.x);
        }
    }

    /// Goes to a part of Newton's step, and reads z there.
    pub fn move_along(&mut self, place: Place<'_>, length: f64, z: &mut [[f64; 6]]) {
        move_along(self, place, length, z);
    }

    /// Keeps where Newton's method ended: [`move_along`](Self::move_along) by zero returns there.
    pub fn keep_end(&mut self) {
        self.begin.take(&self.iterate, &self.unknowns);
    }

    /// Keeps where the central path is.
    pub fn keep(&mut self) {
        self.path.take(&self.iterate, &self.unknowns);
    }

    /// Returns to where the central path was, and reads z there.
    pub fn return_to_kept(&mut self, place: Place<'_>, z: &mut [[f64; 6]]) {
        self.begin.take(&self.path, &self.unknowns);
        move_along(self, place, 0.0, z);
    }

    /// The block of W of one reading, by a walk from the coordinates that it reads to the root.
    #[inline(always)]
    fn block_along_tree(&mut self, rows: &Rows, index: usize) -> [[f64; 6]; 6] {
        let Self {
            mass,
            half,
            is_met,
            walk,
            ..
        } = self;
        walk.clear();
        for (k, column) in rows.columns_of(&rows.readings[index]) {
            half[k] = *column;
            let (path, ..) = mass.factor_row(k);
            for &i in path.iter().chain([&k]) {
                if !is_met[i] {
                    is_met[i] = true;
                    walk.push(i);
                }
            }
        }
        walk.sort_unstable();
        let mut block = [[0.0; 6]; 6];
        for &k in walk.iter().rev() {
            let own = std::mem::replace(&mut half[k], [0.0; 6]);
            is_met[k] = false;
            let (path, factors, inverse) = mass.factor_row(k);
            for (&i, &factor) in path.iter().zip(factors) {
                add(&mut half[i], -factor, &own);
            }
            for (row, x) in block.iter_mut().zip(own) {
                add(row, x * inverse, &own);
            }
        }
        block
    }
}

kernel!(
    fn factorise_mass(response: &mut Response) -> bool {
        response.mass.set_mass(&response.mass_matrix);
        response.mass.factorise(&response.all, false)
    }
);

kernel!(
    fn solve_mass(response: &mut Response, x: &mut [f64]) {
        response.mass.solve(&response.all, x);
    }
);

kernel!(
    fn solve_square(response: &mut Response, lower: &[f64], upper: &[f64], x: &mut [f64]) -> bool {
        let Response { square, all, .. } = response;
        square.set_square(&response.mass_matrix, lower, upper);
        let is_regular = square.factorise(all, false);
        if is_regular {
            square.solve(all, x);
        }
        is_regular
    }
);

kernel!(
    /// [`Response::begin`].
    fn begin(response: &mut Response, place: Place<'_>) {
        let Place { rows, island } = place;
        response.unknowns.clear();
        let part = response.islands.parts(island);
        if response.is_dense[island] {
            response.dense.build(&response.mass, rows, &part);
            for (at, &index) in part.readings.iter().enumerate() {
                response.blocks[index] = response.dense.block(at, &rows.readings[index]);
            }
            response.unknowns.extend(0..response.dense.size());
        } else {
            response.unknowns.extend_from_slice(part.coordinates);
            for at in 0..part.readings.len() {
                let index = response.islands.parts(island).readings[at];
                response.blocks[index] = response.block_along_tree(rows, index);
            }
        }
    }
);

kernel!(
    /// [`Response::set`].
    fn set(response: &mut Response, place: Place<'_>, f: &[[f64; 6]], z: &mut [[f64; 6]]) {
        let (rows, part) = (place.rows, response.islands.parts(place.island));
        let Iterate { x, z: own } = &mut response.iterate;
        let free = &response.free;
        if response.is_dense[place.island] {
            response.dense.gather(rows, &part, f, x);
            response.dense.respond(x, own);
            response.dense.scatter(rows, &part, own, z);
            for &index in part.readings {
                add(&mut z[index], 1.0, &rows.read(&rows.readings[index], free));
            }
            response.dense.gather(rows, &part, z, own);
            return;
        }
        for &k in part.coordinates {
            x[k] = 0.0;
        }
        for &index in part.readings {
            rows.add_transposed(&rows.readings[index], &f[index], x);
        }
        response.mass.solve(part.coordinates, x);
        for &k in part.coordinates {
            x[k] += free[k];
        }
        read(response, place, z);
    }
);

/// z at the iterate.
#[inline(always)]
fn read(response: &Response, place: Place<'_>, z: &mut [[f64; 6]]) {
    let (rows, part) = (place.rows, response.islands.parts(place.island));
    let Iterate { x, z: own } = &response.iterate;
    if response.is_dense[place.island] {
        response.dense.scatter(rows, &part, own, z);
        return;
    }
    for &index in part.readings {
        z[index] = rows.read(&rows.readings[index], x);
    }
}

kernel!(
    /// [`Response::move_along`].
    fn move_along(response: &mut Response, place: Place<'_>, length: f64, z: &mut [[f64; 6]]) {
        let Response {
            iterate,
            begin,
            step,
            unknowns,
            ..
        } = response;
        iterate.take(begin, unknowns);
        // A step that failed may be no number.
        if length != 0.0 {
            for &k in &*unknowns {
                iterate.x[k] = step.x[k].mul_add(length, iterate.x[k]);
                iterate.z[k] = step.z[k].mul_add(length, iterate.z[k]);
            }
        }
        read(response, place, z);
    }
);

kernel!(
    /// [`Response::newton`].
    fn newton(
        response: &mut Response,
        place: Place<'_>,
        weights: &[[[f64; 6]; 6]],
        is_symmetric: bool,
    ) -> bool {
        let Response {
            islands,
            newton,
            dense,
            is_dense,
            positions,
            residual,
            step,
            ..
        } = response;
        let (rows, part) = (place.rows, islands.parts(place.island));
        if is_dense[place.island] {
            let is_regular = dense.factorise((rows, &part), weights);
            if is_regular {
                dense.newton((rows, &part), weights, residual, &mut step.x);
                dense.respond(&step.x, &mut step.z);
            }
            return is_regular;
        }
        newton.assemble(part.readings, weights, is_symmetric, positions);
        if !newton.factorise(positions, !is_symmetric) {
            return false;
        }
        newton_along_tree(response, place);
        true
    }
);

/// Newton's step of an island along the tree, with the factors.
#[inline(always)]
fn newton_along_tree(response: &mut Response, place: Place<'_>) {
    let (step, residual) = (&mut response.step, &response.residual);
    for &k in response.islands.parts(place.island).coordinates {
        step.x[k] = -residual[k];
        step.z[k] = 0.0;
    }
    response.newton.solve(&response.positions, &mut step.x);
}
