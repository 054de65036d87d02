//! Numeric elimination: the same code for numbers, for counting and for tracing.

use super::analysis::{Elimination, EliminationError, Step, part};
use crate::active::PivotScaling;
use crate::length::check_length;
use crate::template::{Symbol, Template};
use featherline::scalar::{OpCount, Operations, Scalar};

/// The factors of a matrix, and room to solve with them. Made once by [`Elimination::factors`],
/// used for every state.
///
/// Nothing is exchanged at run time, and nothing allocated: with [`f64`] for scalar this is a
/// solver, with [`OpCount`] it counts what the solver does, and with a tracing scalar it writes the
/// solver down as a program.
#[derive(Clone, Debug)]
pub struct Factors<S> {
    /// Entries of the matrix first, fill-in behind them.
    slots: Vec<S>,
    right_hand_side: Vec<S>,
}

/// The form in which a factorisation keeps a pivot.
#[derive(Clone, Copy)]
enum PivotForm {
    Itself,
    Reciprocal,
}

impl Elimination {
    /// Room for the factors of one matrix.
    pub fn factors<S: Scalar>(&self) -> Factors<S> {
        Factors {
            slots: vec![S::zero(); self.slots()],
            right_hand_side: vec![S::zero(); self.pattern.rows()],
        }
    }

    /// The operations of one factorisation and one solve: exact, with products by ±1 and sums with
    /// zeros not counted where the template says that entries are constants.
    ///
    /// The values of the first sampled state decide nothing but which constants there are.
    ///
    /// # Errors
    /// [`EliminationError::Length`] for the template of another matrix.
    pub fn operations(&self, template: &Template) -> Result<Operations, EliminationError> {
        let count = |symbol: &Symbol, value: f64| match *symbol {
            Symbol::Constant(value) => OpCount::constant(value),
            Symbol::Variable => OpCount::variable(value),
        };
        let entries = template.entries().iter().zip(&template.samples()[0]);
        let values: Vec<OpCount> = entries
            .map(|(symbol, &value)| count(symbol, value))
            .collect();
        let known = template.right_hand_side();
        let known: Vec<OpCount> = known.iter().map(|symbol| count(symbol, 1.0)).collect();
        let mut factors = self.factors();
        let mut unknowns = vec![OpCount::zero(); known.len()];
        let (outcome, operations) = OpCount::measure(|| {
            factors.factorize(self, &values)?;
            factors.solve(self, &known, &mut unknowns)
        });
        outcome.map(|()| operations)
    }
}

impl<S: Scalar> Factors<S> {
    /// The numbers of the factorised matrix: the pattern's entries, then the fill-in.
    pub fn slots(&self) -> &[S] {
        &self.slots
    }

    /// Factorises the matrix with the given values, in the order of the pattern's entries. A
    /// vanishing pivot gives infinite or undefined factors, which [`is_finite`](Self::is_finite)
    /// shows.
    ///
    /// # Errors
    /// [`EliminationError::Length`].
    pub fn factorize(
        &mut self,
        elimination: &Elimination,
        values: &[S],
    ) -> Result<(), EliminationError> {
        let entries = elimination.pattern.entries();
        check_length("the list of values", entries, values.len())?;
        check_length("the list of factors", elimination.slots(), self.slots.len())?;
        self.slots[..entries].copy_from_slice(values);
        self.slots[entries..].fill(S::zero());
        for step in &elimination.steps {
            self.eliminate(elimination, step);
        }
        Ok(())
    }

    #[inline]
    fn eliminate(&mut self, elimination: &Elimination, step: &Step) {
        let slots = &mut self.slots[..];
        let upper = part(&elimination.upper, &step.upper);
        let lower = part(&elimination.lower, &step.lower);
        let pivot = step.pivot as usize;
        match step.scaling {
            PivotScaling::Column => slots[pivot] = slots[pivot].recip(),
            PivotScaling::Row => {
                let inverse = slots[pivot].recip();
                slots[pivot] = inverse;
                for &(_, slot) in upper {
                    slots[slot as usize] = slots[slot as usize] * inverse;
                }
            }
            PivotScaling::One | PivotScaling::MinusOne | PivotScaling::Division => {}
        }
        let mut targets =
            elimination.targets[step.targets as usize..].chunks_exact(upper.len().max(1));
        for &(_, slot) in lower {
            let slot = slot as usize;
            match step.scaling {
                PivotScaling::MinusOne => slots[slot] = -slots[slot],
                PivotScaling::Column => slots[slot] = slots[slot] * slots[pivot],
                PivotScaling::One | PivotScaling::Row | PivotScaling::Division => {}
            }
            if upper.is_empty() {
                continue;
            }
            let factor = slots[slot];
            if let Some(targets) = targets.next() {
                for (&target, &(_, right)) in targets.iter().zip(upper) {
                    let product = factor * slots[right as usize];
                    slots[target as usize] -= product;
                }
            }
        }
    }

    /// Solves for the unknowns with the matrix factorised last; `known` has an entry for each row,
    /// `unknowns` gets one for each column. Those that are neither requested nor needed are left as
    /// they are.
    ///
    /// # Errors
    /// [`EliminationError::Length`].
    pub fn solve(
        &mut self,
        elimination: &Elimination,
        known: &[S],
        unknowns: &mut [S],
    ) -> Result<(), EliminationError> {
        let n = elimination.pattern.rows();
        check_length("the right-hand side", n, known.len())?;
        check_length("the list of unknowns", n, unknowns.len())?;
        check_length("the list of factors", elimination.slots(), self.slots.len())?;
        let slots = &self.slots[..];
        let sums = &mut self.right_hand_side[..];
        sums.copy_from_slice(known);
        for block in &elimination.blocks {
            for &(row, slot, column) in part(&elimination.known, &block.known) {
                sums[row as usize] -= slots[slot as usize] * unknowns[column as usize];
            }
            let steps = part(&elimination.steps, &block.steps);
            for step in steps {
                let row = step.row as usize;
                if step.scaling == PivotScaling::Row {
                    sums[row] = sums[row] * slots[step.pivot as usize];
                }
                let own = sums[row];
                let lower = part(&elimination.lower, &step.lower);
                for &(below, slot) in lower {
                    sums[below as usize] -= slots[slot as usize] * own;
                }
            }
            for step in steps.iter().rev() {
                if !elimination.found[step.column as usize] {
                    continue;
                }
                let mut sum = sums[step.row as usize];
                let upper = part(&elimination.upper, &step.upper);
                for &(column, slot) in upper {
                    sum -= slots[slot as usize] * unknowns[column as usize];
                }
                let pivot = slots[step.pivot as usize];
                unknowns[step.column as usize] = match step.scaling {
                    PivotScaling::One | PivotScaling::Row => sum,
                    PivotScaling::MinusOne => -sum,
                    PivotScaling::Column => sum * pivot,
                    PivotScaling::Division => sum / pivot,
                };
            }
        }
        Ok(())
    }

    /// How far the pivots have shrunk: the largest quotient of a pivot's usual magnitude and its
    /// own. Pivots that are ±1 always are left out of both.
    pub fn shrinkage(&self, elimination: &Elimination, usual: &[f64]) -> S {
        let larger = |a: S, b: S| S::select(a.less(b), b, a);
        let (mut reciprocal, mut least) = (S::zero(), None);
        for (&(pivot, kept), &usual) in self.pivots(elimination).iter().zip(usual) {
            match kept {
                PivotForm::Reciprocal => {
                    reciprocal = larger(reciprocal, pivot.abs() * S::constant(usual))
                }
                PivotForm::Itself => {
                    let share = pivot.abs() * S::constant(usual.recip());
                    least = Some(
                        least.map_or(share, |least| S::select(share.less(least), share, least)),
                    );
                }
            }
        }
        least.map_or(reciprocal, |least: S| larger(reciprocal, least.recip()))
    }

    /// The magnitudes of the pivots that are not ±1 always.
    pub fn magnitudes(&self, elimination: &Elimination) -> Vec<S> {
        let pivots = self.pivots(elimination).into_iter();
        let magnitude = |(pivot, kept): (S, PivotForm)| match kept {
            PivotForm::Reciprocal => pivot.abs().recip(),
            PivotForm::Itself => pivot.abs(),
        };
        pivots.map(magnitude).collect()
    }

    fn pivots(&self, elimination: &Elimination) -> Vec<(S, PivotForm)> {
        let kept = elimination.steps.iter().filter_map(|step| {
            let kept = match step.scaling {
                PivotScaling::Row | PivotScaling::Column => PivotForm::Reciprocal,
                PivotScaling::Division => PivotForm::Itself,
                PivotScaling::One | PivotScaling::MinusOne => return None,
            };
            Some((self.slots[step.pivot as usize], kept))
        });
        kept.collect()
    }

    /// Whether every factor is a finite number: if not, a pivot has vanished.
    pub fn is_finite(&self) -> bool {
        self.slots.iter().all(|value| value.is_finite())
    }
}
