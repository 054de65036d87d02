//! Code for processors of x86-64.

mod encoding;
mod executable;
mod registers;
mod step;

use super::no_instructions;
use super::phases::Phases;
use crate::error::ProgramError;
use encoding::{Form, Width};
use featherline::batch::Precision;
use featherline::scalar::InstructionSet;
use step::Source;

pub(super) use executable::Executable;

/// Whether an instruction can take one number from memory for all states of a block.
pub(super) fn broadcasts(set: InstructionSet) -> bool {
    set == InstructionSet::Avx512
}

/// A function for each phase, for the lanes of an instruction set; the baseline's lane is one. The
/// last constant is −0.
pub(super) fn assemble<T: Precision>(
    phases: &mut Phases,
    constants: &[T],
    set: InstructionSet,
) -> Result<Executable, ProgramError> {
    let form = Form {
        width: match set {
            InstructionSet::Baseline => Width::One,
            InstructionSet::Avx2 => Width::Narrow,
            InstructionSet::Avx512 => Width::Wide,
        },
        bytes: size_of::<T>(),
    };
    let sign = if form.broadcasts() {
        Source::Constant(constants.len() as u32 - 1)
    } else {
        Source::Number(phases.add_constant(-0.0))
    };
    let (homes, numbers) = (&phases.homes, &mut phases.numbers);
    let functions = registers::allocate(&phases.phases, homes, sign, form.registers(), numbers);
    // Instructions for one number may read as many bytes as a narrow register has.
    phases.numbers += 4;
    Executable::new(form, &functions, phases.numbers as usize, constants.len())
}
