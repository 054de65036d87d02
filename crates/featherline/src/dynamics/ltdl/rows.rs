//! Factorisations row by row, whatever the storage.

use crate::model::EliminationTree;
use crate::scalar::{InstructionSet, Kernel, Scalar, row};

/// H = LᵀDL.
pub(super) struct Factorize<'a, S> {
    pub tree: &'a EliminationTree,
    pub packed: &'a mut [S],
}

impl<S: Scalar> Kernel for Factorize<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { tree, packed } = self;
        for k in (0..tree.len()).rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(k));
            let diagonal = tree.place_in_row::<S>(k);
            let inverse = own[diagonal].recip();
            own[diagonal] = inverse;
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let l = tree.place_in_row::<S>(i);
                let a = own[l] * inverse;
                let begin = tree.row::<S>(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -a, &own[..l + 1]);
                // The element is read for the last time above.
                own[l] = a;
                next = tree.parent(i);
            }
        }
    }
}

/// H = LᵀL.
pub(super) struct FactorizeRoot<'a, S> {
    pub tree: &'a EliminationTree,
    pub packed: &'a mut [S],
}

impl<S: Scalar> Kernel for FactorizeRoot<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { tree, packed } = self;
        for k in (0..tree.len()).rev() {
            let (above, own) = packed.split_at_mut(tree.row::<S>(k));
            let diagonal = tree.place_in_row::<S>(k);
            own[diagonal] = own[diagonal].sqrt();
            let inverse = own[diagonal].recip();
            row::scale(&mut own[..diagonal], inverse);
            let mut next = tree.parent(k);
            while let Some(i) = next {
                let l = tree.place_in_row::<S>(i);
                let begin = tree.row::<S>(i);
                row::add_scaled(&mut above[begin..begin + l + 1], -own[l], &own[..l + 1]);
                next = tree.parent(i);
            }
        }
    }
}

/// Solves LᵀDL x = b.
pub(super) struct Solve<'a, S> {
    pub tree: &'a EliminationTree,
    pub packed: &'a [S],
    pub x: &'a mut [S],
}

impl<S: Scalar> Kernel for Solve<'_, S> {
    type Output = ();
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) {
        let Self { tree, packed, x } = self;
        for k in (0..tree.len()).rev() {
            let row = &packed[tree.row::<S>(k)..];
            let value = x[k];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                x[i] = (-row[tree.place_in_row::<S>(i)]).mul_add(value, x[i]);
                next = tree.parent(i);
            }
            x[k] = value * row[tree.place_in_row::<S>(k)];
        }
        for k in 0..tree.len() {
            let row = &packed[tree.row::<S>(k)..];
            let mut value = x[k];
            let mut next = tree.parent(k);
            while let Some(i) = next {
                value = (-row[tree.place_in_row::<S>(i)]).mul_add(x[i], value);
                next = tree.parent(i);
            }
            x[k] = value;
        }
    }
}
