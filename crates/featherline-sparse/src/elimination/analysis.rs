//! Symbolic elimination: what happens at each pivot of an order, found once for all states.

use super::components::diagonal_blocks;
use crate::active::{ActiveMatrix, PivotScaling, Recorder};
use crate::length::LengthError;
use crate::order::{EliminationOrder, OrderError};
use crate::sparsity::Sparsity;
use crate::template::{Symbol, Template};
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// Why an order is of no use for a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EliminationError {
    /// The order is none, or one of another matrix.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// A pivot is zero in one of the sampled states, or structurally.
    #[error(
        "pivot {position}, row {row} and column {column}, is zero when its turn comes; choose another order"
    )]
    ZeroPivot {
        /// The pivot's position in the order.
        position: usize,
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A list of numbers has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
}

/// One pivot of the elimination. Ranges are of the lists of the same names in [`Elimination`].
#[derive(Clone, Debug)]
pub struct Step {
    pub row: u32,
    pub column: u32,
    pub pivot: u32,
    pub scaling: PivotScaling,
    pub upper: Range<u32>,
    pub lower: Range<u32>,
    /// Where the targets begin: one for each lower row and upper column, row by row.
    pub targets: u32,
}

/// A diagonal block: its pivots, and what its rows take from unknowns that earlier blocks found.
#[derive(Clone, Debug)]
pub struct Block {
    pub steps: Range<u32>,
    /// (row, slot, column), as a range of `known`.
    pub known: Range<u32>,
}

/// An order worked through for one pattern: which entries fill in, and which numbers are multiplied
/// with which.
///
/// The numeric elimination then runs without searching, branching on numbers, or allocating: see
/// [`Factors`](super::Factors). Pivots are divided into diagonal blocks first, and each block is
/// eliminated by itself, so that an order that makes the matrix triangular costs no elimination at
/// all.
#[derive(Clone, Debug)]
pub struct Elimination {
    pub(crate) pattern: Arc<Sparsity>,
    pub(crate) order: EliminationOrder,
    pub(crate) blocks: Vec<Block>,
    pub(crate) steps: Vec<Step>,
    /// (column, slot) of the pivots' rows.
    pub(crate) upper: Vec<(u32, u32)>,
    /// (row, slot) of the pivots' columns.
    pub(crate) lower: Vec<(u32, u32)>,
    pub(crate) targets: Vec<u32>,
    pub(crate) known: Vec<(u32, u32, u32)>,
    /// How many slots lie behind those of the pattern.
    fill_in: usize,
    pub(crate) found: Vec<bool>,
}

impl Elimination {
    /// Works an order through.
    ///
    /// Unknowns that are not [requested](Template::requesting), and are needed for no other, are
    /// not found; blocks without any that is requested or needed are left out. Cost: about that of
    /// the elimination itself, times ten.
    ///
    /// # Errors
    /// [`EliminationError::Order`] for an order of another size, [`EliminationError::ZeroPivot`] if
    /// a pivot vanishes in a sampled state.
    ///
    /// ```
    /// use featherline_sparse::{Elimination, EliminationOrder, Sparsity, Symbol, Template};
    /// use std::sync::Arc;
    ///
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (0, 1), (1, 0), (1, 1)])?);
    /// let sample = vec![2.0, 1.0, 1.0, 3.0];
    /// let template = Template::new(pattern, vec![Symbol::Variable; 4], vec![Symbol::Variable; 2], &[sample])?;
    /// let order = EliminationOrder::new(vec![(0, 0), (1, 1)])?;
    /// let elimination = Elimination::new(&template, &order)?;
    /// assert_eq!(elimination.fill_in(), 0);
    ///
    /// let mut factors = elimination.factors::<f64>();
    /// let mut x = [0.0; 2];
    /// factors.factorize(&elimination, &[2.0, 1.0, 1.0, 3.0])?;
    /// factors.solve(&elimination, &[4.0, 7.0], &mut x)?;
    /// assert_eq!(x, [1.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(template: &Template, order: &EliminationOrder) -> Result<Self, EliminationError> {
        let n = template.size();
        if order.len() != n {
            let (expected, found) = (n, order.len());
            return Err(OrderError::Size { expected, found }.into());
        }
        let blocks = diagonal_blocks(template.pattern(), order);
        let mut block_of_column = vec![0; n];
        for (number, block) in blocks.iter().enumerate() {
            for &k in block {
                block_of_column[order.pivots()[k].1] = number;
            }
        }
        let is_needed = needed_blocks(template, order, &blocks, &block_of_column);
        let mut elimination = Self {
            pattern: template.pattern().clone(),
            order: order.clone(),
            blocks: Vec::new(),
            steps: Vec::new(),
            upper: Vec::new(),
            lower: Vec::new(),
            targets: Vec::new(),
            known: Vec::new(),
            fill_in: 0,
            found: Vec::new(),
        };
        for (number, block) in blocks.iter().enumerate() {
            if is_needed[number] {
                let pivots: Vec<_> = block.iter().map(|&k| (k, order.pivots()[k])).collect();
                elimination.add_block(template, &pivots, |column| {
                    block_of_column[column] == number
                })?;
            }
        }
        elimination.mark_found(template.requested());
        Ok(elimination)
    }

    fn add_block(
        &mut self,
        template: &Template,
        block: &[(usize, (usize, usize))],
        is_inside: impl Fn(usize) -> bool,
    ) -> Result<(), EliminationError> {
        let (steps, known) = (self.steps.len() as u32, self.known.len() as u32);
        let rows = block.iter().map(|&(_, (row, _))| row);
        for row in rows.clone() {
            for slot in self.pattern.row_range(row) {
                let column = self.pattern.indices()[slot];
                let is_zero = template.entries()[slot] == Symbol::Constant(0.0);
                if !is_inside(column) && !is_zero {
                    self.known.push((row as u32, slot as u32, column as u32));
                }
            }
        }
        if let &[(position, (row, column))] = block {
            self.add_single(template, position, row, column)?;
        } else {
            let mut matrix = ActiveMatrix::new(template, rows, &is_inside);
            matrix.number_fill_in_from(self.slots());
            for &(position, (row, column)) in block {
                if !matrix.eliminate(row, column, self) {
                    return Err(EliminationError::ZeroPivot {
                        position,
                        row,
                        column,
                    });
                }
            }
        }
        self.blocks.push(Block {
            steps: steps..self.steps.len() as u32,
            known: known..self.known.len() as u32,
        });
        Ok(())
    }

    /// A block of one pivot, of which there are thousands in a triangular matrix.
    fn add_single(
        &mut self,
        template: &Template,
        position: usize,
        row: usize,
        column: usize,
    ) -> Result<(), EliminationError> {
        let slot = self.pattern.position(row, column).filter(|&slot| {
            let mut samples = template.samples().iter();
            samples.all(|values| values[slot] != 0.0)
        });
        let Some(slot) = slot else {
            return Err(EliminationError::ZeroPivot {
                position,
                row,
                column,
            });
        };
        let scaling = match template.entries()[slot] {
            Symbol::Constant(1.0) => PivotScaling::One,
            Symbol::Constant(-1.0) => PivotScaling::MinusOne,
            Symbol::Constant(_) | Symbol::Variable => PivotScaling::Division,
        };
        self.pivot(row, column, slot as u32, scaling);
        Ok(())
    }

    /// The requested unknowns, and those that blocks take from other blocks.
    pub fn needed_by_blocks(&self, requested: &[bool]) -> Vec<bool> {
        let mut needed = requested.to_vec();
        for &(_, _, column) in &self.known {
            needed[column as usize] = true;
        }
        needed
    }

    /// Notes which unknowns the way back must find: the requested ones, and what they need.
    fn mark_found(&mut self, requested: &[bool]) {
        self.found = self.needed_by_blocks(requested);
        // An unknown's equation names unknowns of later pivots only.
        for step in &self.steps {
            if self.found[step.column as usize] {
                for &(column, _) in part(&self.upper, &step.upper) {
                    self.found[column as usize] = true;
                }
            }
        }
    }

    /// The order.
    pub fn order(&self) -> &EliminationOrder {
        &self.order
    }

    /// The pattern that it was worked through for.
    pub fn pattern(&self) -> &Arc<Sparsity> {
        &self.pattern
    }

    /// How many entries become nonzero that were zero.
    pub fn fill_in(&self) -> usize {
        self.fill_in
    }

    /// How many numbers the factors are.
    pub fn slots(&self) -> usize {
        self.pattern.entries() + self.fill_in
    }

    /// The diagonal blocks that are computed, in the order in which they are solved: the (row,
    /// column) pivots of each.
    pub fn blocks(
        &self,
    ) -> impl Iterator<Item = impl ExactSizeIterator<Item = (usize, usize)> + '_> + '_ {
        self.blocks.iter().map(|block| {
            let steps = part(&self.steps, &block.steps);
            steps
                .iter()
                .map(|step| (step.row as usize, step.column as usize))
        })
    }

    /// Which unknowns a solve finds: the requested ones, and those that they are found from.
    pub fn found(&self) -> &[bool] {
        &self.found
    }
}

/// A range of a list.
pub(crate) fn part<'a, T>(list: &'a [T], range: &Range<u32>) -> &'a [T] {
    &list[range.start as usize..range.end as usize]
}

/// The blocks with a requested unknown, and those that they depend on.
fn needed_blocks(
    template: &Template,
    order: &EliminationOrder,
    blocks: &[Vec<usize>],
    block_of_column: &[usize],
) -> Vec<bool> {
    let mut is_needed = vec![false; blocks.len()];
    for (number, block) in blocks.iter().enumerate().rev() {
        let columns = block.iter().map(|&k| order.pivots()[k].1);
        is_needed[number] |= columns.clone().any(|column| template.requested()[column]);
        if !is_needed[number] {
            continue;
        }
        for &k in block {
            for &column in template.pattern().row(order.pivots()[k].0) {
                is_needed[block_of_column[column]] = true;
            }
        }
    }
    is_needed
}

impl Recorder for Elimination {
    fn pivot(&mut self, row: usize, column: usize, slot: u32, scaling: PivotScaling) {
        let (upper, lower) = (self.upper.len() as u32, self.lower.len() as u32);
        self.steps.push(Step {
            row: row as u32,
            column: column as u32,
            pivot: slot,
            scaling,
            upper: upper..upper,
            lower: lower..lower,
            targets: self.targets.len() as u32,
        });
    }

    fn upper(&mut self, column: usize, slot: u32) {
        self.upper.push((column as u32, slot));
        if let Some(step) = self.steps.last_mut() {
            step.upper.end = self.upper.len() as u32;
        }
    }

    fn lower(&mut self, row: usize, slot: u32) {
        self.lower.push((row as u32, slot));
        if let Some(step) = self.steps.last_mut() {
            step.lower.end = self.lower.len() as u32;
        }
    }

    fn target(&mut self, slot: u32) {
        self.targets.push(slot);
        if slot as usize == self.pattern.entries() + self.fill_in {
            self.fill_in += 1;
        }
    }
}
