//! The rows of constraints: Jacobians, biases, compliances and sets.

use super::Set;
use featherline::spatial::Vec3;

/// A point or a row where impulses act: a set, with what its rows read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// The set of the impulses.
    pub set: Set,
    /// The velocities b that are added to those of the motion, a set's rows of them.
    pub bias: [f64; 3],
    /// How much an impulse moves its rows, R in s·m/(N·s) or the like: zero for what is rigid. The
    /// velocity R λ is added to that of the rows; of a cone, to that of the normal row alone.
    pub compliance: f64,
}

impl Law {
    /// Rigid rows without bias.
    pub const fn rigid(set: Set) -> Self {
        Self {
            set,
            bias: [0.0; 3],
            compliance: 0.0,
        }
    }

    /// R of a row.
    #[inline(always)]
    pub(super) fn compliance_of(&self, row: usize) -> f64 {
        match self.set {
            Set::Cone { .. } if row < 2 => 0.0,
            Set::Equality | Set::NonNegative | Set::Interval { .. } | Set::Cone { .. } => {
                self.compliance
            }
        }
    }

    /// ρ' of the first row for 1/ρ, and σ: that of a cone's normal row is ρ'/σ².
    #[inline(always)]
    pub(super) fn penalties(&self, inverse: f64) -> (f64, f64) {
        match self.set {
            Set::Cone { .. } => {
                let rho = inverse.recip();
                (rho, self.compliance.mul_add(rho, 1.0).sqrt())
            }
            Set::Equality | Set::NonNegative | Set::Interval { .. } => {
                ((self.compliance + inverse).recip(), 1.0)
            }
        }
    }
}

/// A block of rows with its law: u = X z + b of the numbers z that a reading has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub law: Law,
    pub reading: usize,
    /// X, the set's rows of it.
    pub matrix: [[f64; 6]; 3],
}

/// Numbers z = J v that are read of the velocities: the relative twist of two bodies or the
/// velocity of a point, the constraints of a loop joint, a coordinate. At most six numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// How many numbers.
    pub rank: usize,
    /// Where its coordinates begin in `support`, and where they end.
    pub first: usize,
    pub end: usize,
}

/// Constraint rows of any kind, in blocks.
///
/// Filled for each step or solution; memory is kept. Coordinates are those of the velocity.
///
/// ```
/// use featherline_constraint::nonsmooth::{Law, Rows, Set};
///
/// // A joint at its lower limit.
/// let mut rows = Rows::new();
/// rows.push_coordinate(2, 1.0, Law::rigid(Set::NonNegative));
/// assert_eq!((rows.blocks(), rows.len()), (1, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub(super) blocks: Vec<Block>,
    pub(super) readings: Vec<Reading>,
    /// The coordinates that each of them reads.
    pub(super) support: Vec<usize>,
    /// The reading by a unit of each coordinate: the columns of J, entries beyond the rank zero.
    pub(super) columns: Vec<[f64; 6]>,
    /// How many rows come before each block, and at the end.
    pub(super) first_row: Vec<usize>,
    rows: usize,
}

impl Rows {
    /// No rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all rows, and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.readings.clear();
        self.support.clear();
        self.columns.clear();
        self.first_row.clear();
        self.rows = 0;
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many rows there are: the number of impulses.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The law of a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn law(&self, block: usize) -> &Law {
        &self.blocks[block].law
    }

    /// The law of a block, to be changed; its set must keep the number of rows.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn law_mut(&mut self, block: usize) -> &mut Law {
        &mut self.blocks[block].law
    }

    /// The velocity of each block's rows, without bias, for a velocity of the robot.
    #[inline(always)]
    pub fn velocities(&self, v: &[f64], out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.extend((0..self.blocks.len()).map(|block| self.velocity(block, v)));
    }

    /// The velocity of a block's rows, without bias.
    ///
    /// # Panics
    /// If there is no such block, or `v` is shorter than the coordinates that it reads.
    #[inline(always)]
    pub fn velocity(&self, block: usize, v: &[f64]) -> [f64; 3] {
        let block = &self.blocks[block];
        block.velocity(&self.read(&self.readings[block.reading], v))
    }

    /// Adds Jᵀ λ to `force`: `impulses` has an entry for each row, `force` one for each coordinate.
    ///
    /// # Panics
    /// If `impulses` or `force` is shorter.
    pub fn add_impulses(&self, impulses: &[f64], force: &mut [f64]) {
        for (block, &first) in self.blocks.iter().zip(&self.first_row) {
            let count = block.law.set.rows();
            let (mut own, mut f) = ([0.0; 3], [0.0; 6]);
            own[..count].copy_from_slice(&impulses[first..first + count]);
            block.add_transposed(1.0, own, &mut f);
            self.add_transposed(&self.readings[block.reading], &f, force);
        }
    }

    /// Where the rows of a block begin.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn first_row(&self, block: usize) -> usize {
        self.first_row[block]
    }

    #[inline(always)]
    fn push(&mut self, law: Law, reading: usize, matrix: [[f64; 6]; 3]) -> usize {
        self.blocks.push(Block {
            law,
            reading,
            matrix,
        });
        self.first_row.push(self.rows);
        self.rows += law.set.rows();
        self.blocks.len() - 1
    }

    /// Begins a reading of `rank` numbers, 1 to 6, of the velocity: the coordinates that it reads
    /// follow by [`push_column`](Self::push_column). Returns the reading.
    #[inline(always)]
    pub fn push_reading(&mut self, rank: usize) -> usize {
        let first = self.support.len();
        self.readings.push(Reading {
            rank: rank.clamp(1, 6),
            first,
            end: first,
        });
        self.readings.len() - 1
    }

    /// Adds a column to the reading that was begun last: what a unit of the coordinate's velocity
    /// gives; entries beyond the rank count as zero. Each coordinate once.
    #[inline(always)]
    pub fn push_column(&mut self, coordinate: usize, mut column: [f64; 6]) {
        if let Some(reading) = self.readings.last_mut() {
            column[reading.rank..].fill(0.0);
            self.support.push(coordinate);
            self.columns.push(column);
            reading.end = self.support.len();
        }
    }

    /// Adds to a column of the reading that was begun last.
    #[inline(always)]
    pub(super) fn add_to_column(&mut self, at: usize, column: &[f64; 6]) {
        if let Some(reading) = self.readings.last() {
            for (sum, own) in self.columns[at].iter_mut().zip(column).take(reading.rank) {
                *sum += own;
            }
        }
    }

    /// Adds a point whose reading has rank 3 or 6, the velocity and the angular velocity at a
    /// reference point: its rows are the velocity of the point along `axes` (orthogonal, of length
    /// one but for [factors](super::Contact::row_factors); all three for a cone, the first one for
    /// other sets), `lever` from the reference point to it. Returns the block.
    #[inline(always)]
    pub fn push_point(
        &mut self,
        reading: usize,
        axes: [Vec3<f64>; 3],
        lever: Vec3<f64>,
        law: Law,
    ) -> usize {
        // a · (v + ω × r) = a · v + (r × a) · ω
        let matrix = axes.map(|axis| {
            let moment = lever.cross(axis);
            [axis.x, axis.y, axis.z, moment.x, moment.y, moment.z]
        });
        self.push(law, reading, matrix)
    }

    /// Adds one of the numbers of a reading as a row. Returns the block.
    ///
    /// # Panics
    /// If `row` is not less than 6.
    #[inline(always)]
    pub fn push_entry(&mut self, reading: usize, row: usize, law: Law) -> usize {
        let mut matrix = [[0.0; 6]; 3];
        matrix[0][row] = 1.0;
        self.push(law, reading, matrix)
    }

    /// Adds a row that reads one coordinate of the velocity, times a factor. Returns the block.
    pub fn push_coordinate(&mut self, coordinate: usize, factor: f64, law: Law) -> usize {
        self.push_coordinates(&[(coordinate, 1.0)], factor, law)
    }

    /// Adds a row that reads several coordinates of the velocity, each once, times factors and a
    /// common one. Returns the block.
    pub fn push_coordinates(&mut self, row: &[(usize, f64)], factor: f64, law: Law) -> usize {
        let reading = self.push_reading(1);
        for &(coordinate, own) in row {
            self.push_column(coordinate, [factor * own, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        self.push_entry(reading, 0, law)
    }

    /// The coordinates of a reading with their columns.
    #[inline(always)]
    pub(super) fn columns_of(
        &self,
        reading: &Reading,
    ) -> impl Iterator<Item = (usize, &[f64; 6])> + Clone {
        let range = reading.first..reading.end;
        let support = self.support[range.clone()].iter().copied();
        support.zip(&self.columns[range])
    }

    /// z = J v of a reading.
    #[inline(always)]
    pub(super) fn read(&self, reading: &Reading, v: &[f64]) -> [f64; 6] {
        let mut z = [0.0; 6];
        for (k, column) in self.columns_of(reading) {
            add(&mut z, v[k], column);
        }
        z
    }

    /// Adds Jᵀ f of a reading to `force`.
    #[inline(always)]
    pub(super) fn add_transposed(&self, reading: &Reading, f: &[f64; 6], force: &mut [f64]) {
        for (k, column) in self.columns_of(reading) {
            force[k] += dot(column, f);
        }
    }
}

impl Block {
    /// X z
    #[inline(always)]
    pub fn velocity(&self, z: &[f64; 6]) -> [f64; 3] {
        let mut u = [0.0; 3];
        for k in 0..self.law.set.rows() {
            u[k] = dot(&self.matrix[k], z);
        }
        u
    }

    /// Adds Xᵀ λ times a factor to what acts on the reading.
    #[inline(always)]
    pub fn add_transposed(&self, factor: f64, impulse: [f64; 3], f: &mut [f64; 6]) {
        for k in 0..self.law.set.rows() {
            add(f, factor * impulse[k], &self.matrix[k]);
        }
    }

    /// Adds Xᵀ G X to a matrix of the reading.
    #[inline(always)]
    pub fn add_weight(&self, g: &[[f64; 3]; 3], weight: &mut [[f64; 6]; 6]) {
        let count = self.law.set.rows();
        for r in 0..count {
            let mut gx = [0.0; 6];
            for c in 0..count {
                add(&mut gx, g[r][c], &self.matrix[c]);
            }
            for (row, x) in weight.iter_mut().zip(self.matrix[r]) {
                add(row, x, &gx);
            }
        }
    }
}

#[inline(always)]
pub(super) fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let mut sum = 0.0;
    for r in 0..6 {
        sum = a[r].mul_add(b[r], sum);
    }
    sum
}

/// a += factor b
#[inline(always)]
pub(super) fn add(a: &mut [f64; 6], factor: f64, b: &[f64; 6]) {
    for r in 0..6 {
        a[r] = b[r].mul_add(factor, a[r]);
    }
}
