//! Reasons why a program can't be run.

use thiserror::Error;

/// A fault of a program that was read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Invalid {
    /// A slot is read before anything was written to it.
    #[error("instruction {instruction} reads slot {slot}, which holds nothing yet")]
    Undefined {
        /// The number of the instruction.
        instruction: usize,
        /// The slot.
        slot: u32,
    },
    /// A slot does not exist.
    #[error("instruction {instruction} uses slot {slot} of {slots}")]
    NoSuchSlot {
        /// The number of the instruction.
        instruction: usize,
        /// The slot.
        slot: u32,
        /// How many there are.
        slots: u32,
    },
    /// A constant is overwritten.
    #[error("instruction {instruction} overwrites the constant in slot {slot}")]
    OverwrittenConstant {
        /// The number of the instruction.
        instruction: usize,
        /// The slot.
        slot: u32,
    },
    /// An instruction has one slot for two results.
    #[error("instruction {instruction} writes twice to slot {slot}")]
    SameResult {
        /// The number of the instruction.
        instruction: usize,
        /// The slot.
        slot: u32,
    },
    /// There are slots that nothing is written to.
    #[error("there are {slots} slots, and no more than {written} are ever written")]
    TooManySlots {
        /// How many there are.
        slots: u32,
        /// How many constants and results there are.
        written: usize,
    },
    /// An input or output has a number that does not exist.
    #[error("instruction {instruction} uses {what} {number} of {count}")]
    NoSuchEntry {
        /// The number of the instruction.
        instruction: usize,
        /// `input` or `output`.
        what: &'static str,
        /// Its number.
        number: u32,
        /// How many there are.
        count: u32,
    },
    /// An output is not given once.
    #[error("output {output} is given {times} times; each must be given once")]
    NotGivenOnce {
        /// Its number.
        output: usize,
        /// How often it is given.
        times: usize,
    },
    /// The named parts do not make up the whole.
    #[error(
        "the named {what} do not make up all {count} of them, or their names or unit vectors are not sound"
    )]
    Ports {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// How many numbers there are.
        count: u32,
    },
    /// There are more inputs than any robot has.
    #[error("there are {count} inputs, more than any robot has")]
    TooManyInputs {
        /// How many there are.
        count: u32,
    },
}
