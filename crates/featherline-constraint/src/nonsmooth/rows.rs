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
    /// velocity R λ is added to that of the rows.
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
}

/// What the rows of a block read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reading {
    /// A coordinate of the velocity, times a factor.
    Coordinate { coordinate: usize, factor: f64 },
    /// The motion of a pair of bodies: `rows` of them from the pair's twist at its reference point.
    Point {
        pair: usize,
        /// The axes of the rows: two tangents and the normal, or one.
        axes: [Vec3<f64>; 3],
        /// From the pair's reference point to the point.
        lever: Vec3<f64>,
    },
    /// Entry `row` of what a pair reads.
    Entry { pair: usize, row: usize },
}

/// A block of rows with its law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub law: Law,
    pub reading: Reading,
}

/// What two bodies, or a loop joint, read of the velocities: at most six numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    /// How many: 3 for the velocity of a point, 6 for a twist, fewer for a loop joint.
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
    pub(super) pairs: Vec<Pair>,
    /// The coordinates that move each pair.
    pub(super) support: Vec<usize>,
    /// What a unit of each of them moves: the columns of the Jacobian, the pair's rank of them.
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
        self.pairs.clear();
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

    /// The velocity of each block's rows, without bias, for a velocity of the robot; `twists` is
    /// room.
    pub fn velocities(&self, v: &[f64], twists: &mut Vec<[f64; 6]>, out: &mut Vec<[f64; 3]>) {
        twists.resize(self.pairs.len(), [0.0; 6]);
        self.read_pairs(v, twists);
        out.clear();
        out.extend(self.blocks.iter().map(|block| self.read(block, v, twists)));
    }

    /// Where the rows of a block begin.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn first_row(&self, block: usize) -> usize {
        self.first_row[block]
    }

    fn push(&mut self, law: Law, reading: Reading) -> usize {
        self.blocks.push(Block { law, reading });
        self.first_row.push(self.rows);
        self.rows += law.set.rows();
        self.blocks.len() - 1
    }

    /// Adds a row that reads one coordinate of the velocity, times a factor. Returns the block.
    pub fn push_coordinate(&mut self, coordinate: usize, factor: f64, law: Law) -> usize {
        self.push(law, Reading::Coordinate { coordinate, factor })
    }

    /// Begins a pair that reads `rank` numbers, 1 to 6, of the velocity: the coordinates that move
    /// it follow by [`push_column`](Self::push_column). Returns the pair.
    pub fn push_pair(&mut self, rank: usize) -> usize {
        let first = self.support.len();
        self.pairs.push(Pair {
            rank: rank.clamp(1, 6),
            first,
            end: first,
        });
        self.pairs.len() - 1
    }

    /// Adds a column to the pair that was begun last: what a unit of the coordinate's velocity
    /// moves. Each coordinate once.
    pub fn push_column(&mut self, coordinate: usize, column: [f64; 6]) {
        self.support.push(coordinate);
        self.columns.push(column);
        if let Some(pair) = self.pairs.last_mut() {
            pair.end = self.support.len();
        }
    }

    /// Adds a point of a pair whose rank is 3 or 6: its rows are the velocity of the point along
    /// `axes` (orthonormal; all three for a cone, the first one for other sets), `lever` from the
    /// pair's reference point to it. Returns the block.
    pub fn push_point(
        &mut self,
        pair: usize,
        axes: [Vec3<f64>; 3],
        lever: Vec3<f64>,
        law: Law,
    ) -> usize {
        self.push(law, Reading::Point { pair, axes, lever })
    }

    /// Adds one of the numbers that a pair reads as a row. Returns the block.
    pub fn push_entry(&mut self, pair: usize, row: usize, law: Law) -> usize {
        self.push(law, Reading::Entry { pair, row })
    }

    /// The coordinates that move a pair.
    pub(super) fn support_of(&self, pair: &Pair) -> &[usize] {
        &self.support[pair.first..pair.end]
    }

    /// What all pairs read of a velocity.
    #[inline(always)]
    pub(super) fn read_pairs(&self, v: &[f64], twists: &mut [[f64; 6]]) {
        for (pair, twist) in self.pairs.iter().zip(twists) {
            let mut sum = [0.0; 6];
            for k in pair.first..pair.end {
                let (column, v) = (&self.columns[k], v[self.support[k]]);
                for r in 0..6 {
                    sum[r] = column[r].mul_add(v, sum[r]);
                }
            }
            *twist = sum;
        }
    }

    /// The velocity of a block's rows, without bias; `twists` are those of the pairs.
    #[inline(always)]
    pub(super) fn read(&self, block: &Block, v: &[f64], twists: &[[f64; 6]]) -> [f64; 3] {
        match &block.reading {
            Reading::Coordinate { coordinate, factor } => [factor * v[*coordinate], 0.0, 0.0],
            Reading::Entry { pair, row } => [twists[*pair][*row], 0.0, 0.0],
            Reading::Point { pair, axes, lever } => {
                let t = &twists[*pair];
                // v + ω × r
                let velocity =
                    Vec3::new(t[0], t[1], t[2]) + Vec3::new(t[3], t[4], t[5]).cross(*lever);
                let mut u = [0.0; 3];
                for k in 0..block.law.set.rows() {
                    u[k] = axes[k].dot(velocity);
                }
                u
            }
        }
    }

    /// Adds Jᵀ λ to `force`; `wrenches` is room for the pairs.
    #[inline(always)]
    pub(super) fn add_transposed(
        &self,
        impulses: &[[f64; 3]],
        wrenches: &mut [[f64; 6]],
        force: &mut [f64],
    ) {
        wrenches.fill([0.0; 6]);
        for (block, l) in self.blocks.iter().zip(impulses) {
            match &block.reading {
                Reading::Coordinate { coordinate, factor } => force[*coordinate] += factor * l[0],
                Reading::Entry { pair, row } => wrenches[*pair][*row] += l[0],
                Reading::Point { pair, axes, lever } => {
                    let mut linear = axes[0] * l[0];
                    if block.law.set.rows() == 3 {
                        linear = linear + axes[1] * l[1] + axes[2] * l[2];
                    }
                    let angular = lever.cross(linear);
                    let wrench = &mut wrenches[*pair];
                    for (k, f) in [linear, angular].iter().enumerate() {
                        wrench[3 * k] += f.x;
                        wrench[3 * k + 1] += f.y;
                        wrench[3 * k + 2] += f.z;
                    }
                }
            }
        }
        for (pair, wrench) in self.pairs.iter().zip(&*wrenches) {
            for k in pair.first..pair.end {
                let column = &self.columns[k];
                let mut sum = 0.0;
                for r in 0..6 {
                    sum = column[r].mul_add(wrench[r], sum);
                }
                force[self.support[k]] += sum;
            }
        }
    }

    /// Writes row `k` of a block to `out`, one entry for each coordinate, zero before.
    #[inline(always)]
    pub(super) fn write_row(&self, block: usize, k: usize, out: &mut [f64]) {
        let (pair, row) = match &self.blocks[block].reading {
            Reading::Coordinate { coordinate, factor } => {
                out[*coordinate] = *factor;
                return;
            }
            Reading::Entry { pair, row } => {
                let mut x = [0.0; 6];
                x[*row] = 1.0;
                (&self.pairs[*pair], x)
            }
            Reading::Point { pair, axes, lever } => {
                let (axis, turned) = (axes[k], lever.cross(axes[k]));
                let x = [axis.x, axis.y, axis.z, turned.x, turned.y, turned.z];
                (&self.pairs[*pair], x)
            }
        };
        for column in pair.first..pair.end {
            let j = &self.columns[column];
            let mut sum = 0.0;
            for r in 0..pair.rank {
                sum = row[r].mul_add(j[r], sum);
            }
            out[self.support[column]] = sum;
        }
    }
}
