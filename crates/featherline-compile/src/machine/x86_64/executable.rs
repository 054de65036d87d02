//! Memory that the processor may execute, and must not write.
#![allow(unsafe_code)] // calls of code that was written here

use super::encoding::{Form, Width};
use super::step::{Source, Step};
use crate::error::ProgramError;
use featherline::batch::{Block, Precision};
use featherline::scalar::InstructionSet;
use memmap2::{Mmap, MmapMut};
use std::fmt::Display;

/// Functions that compute in a [`Block`].
#[derive(Debug)]
pub(in crate::machine) struct Executable {
    memory: Mmap,
    starts: Vec<usize>,
    form: Form,
    /// How many numbers of a block the functions reach.
    numbers: usize,
    /// How many constants.
    constants: usize,
}

impl Executable {
    /// Functions that do these steps with so many numbers and constants.
    ///
    /// # Errors
    /// [`ProgramError::NoMachineCode`] if a step reaches beyond these or has no instruction, the
    /// processor lacks the instructions, or the system does not let memory be executed.
    pub(super) fn new(
        form: Form,
        functions: &[Vec<Step>],
        numbers: usize,
        constants: usize,
    ) -> Result<Self, ProgramError> {
        if InstructionSet::available() < form.width.demands() {
            return Err(super::no_instructions());
        }
        let reaches = Reaches {
            form,
            numbers,
            constants,
        };
        if !functions.iter().flatten().all(|step| reaches.all_of(step)) {
            return Err(refused("a step reaches beyond the block"));
        }
        let (bytes, starts) = form.encode(functions).map_err(refused)?;
        let mut memory = MmapMut::map_anon(bytes.len().max(1)).map_err(refused)?;
        memory[..bytes.len()].copy_from_slice(&bytes);
        Ok(Self {
            memory: memory.make_exec().map_err(refused)?,
            starts,
            form,
            numbers,
            constants,
        })
    }

    /// How many bytes of instructions there are.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Calls a function.
    ///
    /// # Panics
    /// If the block or the constants are not those that the functions were made for, or there is no
    /// such function.
    pub fn call<T: Precision>(&self, function: usize, block: &mut Block<T>, constants: &[T]) {
        let lanes = self.form.lanes();
        assert!(
            size_of::<T>() == self.form.bytes
                && block.lanes() == lanes
                && block.len() >= self.numbers
                && constants.len() >= self.constants,
            "the code was made for another block"
        );
        let start = self.memory[self.starts[function]..].as_ptr();
        // SAFETY: the memory holds what `Form::encode` wrote: functions of this type, in the System
        // V calling convention, of instructions that the processor has. They return without having
        // touched the stack or a register that a caller keeps.
        let function: extern "sysv64" fn(*mut T, *const T) = unsafe { std::mem::transmute(start) };
        // They read and write no more numbers and constants than `new` has checked, and these there
        // are.
        function(block.as_mut_ptr(), constants.as_ptr());
    }
}

fn refused(reason: impl Display) -> ProgramError {
    ProgramError::NoMachineCode {
        reason: reason.to_string(),
    }
}

/// How far steps may reach.
struct Reaches {
    form: Form,
    numbers: usize,
    constants: usize,
}

impl Reaches {
    /// Whether all that a step reads and writes is there.
    fn all_of(&self, step: &Step) -> bool {
        match *step {
            Step::Move { from, .. } => self.source(from),
            Step::Store { number, .. } => self.number(number),
            Step::Binary { b, .. }
            | Step::Sqrt { b, .. }
            | Step::Fused { b, .. }
            | Step::Less { b, .. } => self.source(b),
            Step::Select { yes, .. } => self.source(yes),
        }
    }

    fn source(&self, source: Source) -> bool {
        match source {
            Source::Register(_) => true,
            Source::Number(number) => self.number(number),
            Source::Constant(k) => (k as usize) < self.constants && self.form.broadcasts(),
        }
    }

    /// Some instructions for one number read 128 bits.
    fn number(&self, number: u32) -> bool {
        let read = match self.form.width {
            Width::One => 16 / self.form.bytes,
            Width::Narrow | Width::Wide => 1,
        };
        number as usize + read <= self.numbers
    }
}
