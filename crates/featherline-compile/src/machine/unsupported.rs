//! Processors that no code is made for.

use super::no_instructions;
use super::phases::Phases;
use crate::error::ProgramError;
use featherline::batch::{Block, Precision};
use featherline::scalar::InstructionSet;
use std::convert::Infallible;

/// Functions of which there are none.
#[derive(Debug)]
pub(super) struct Executable(Infallible);

pub(super) fn broadcasts(_: InstructionSet) -> bool {
    false
}

pub(super) fn assemble<T: Precision>(
    _: &mut Phases,
    _: &[T],
    _: InstructionSet,
) -> Result<Executable, ProgramError> {
    Err(no_instructions())
}

impl Executable {
    pub fn len(&self) -> usize {
        match self.0 {}
    }

    pub fn call<T: Precision>(&self, _: usize, _: &mut Block<T>, _: &[T]) {
        match self.0 {}
    }
}
