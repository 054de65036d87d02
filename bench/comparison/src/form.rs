//! The forms in which featherline offers a call.

use std::fmt;

/// One state after the other, or all states at once; by the library's kernels, or by a program made
/// for the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One state after the other, in double precision.
    Single,
    /// All states in one batch on one thread, in double precision.
    BatchDouble,
    /// All states in one batch on one thread, in single precision.
    BatchSingle,
    /// A program in machine code, one state after the other, in double precision.
    ProgramSingle,
    /// A program in machine code, all states in one call on one thread, in double precision.
    ProgramBatchDouble,
    /// A program in machine code, all states in one call on one thread, in single precision.
    ProgramBatchSingle,
}

impl Form {
    /// All forms.
    pub const ALL: &[Self] = &[
        Self::Single,
        Self::BatchDouble,
        Self::BatchSingle,
        Self::ProgramSingle,
        Self::ProgramBatchDouble,
        Self::ProgramBatchSingle,
    ];

    /// Those of the library's kernels, which have aims.
    pub const KERNELS: &[Self] = &[Self::Single, Self::BatchDouble, Self::BatchSingle];

    /// Those of programs.
    pub const PROGRAMS: &[Self] = &[
        Self::ProgramSingle,
        Self::ProgramBatchDouble,
        Self::ProgramBatchSingle,
    ];

    /// The batches.
    pub const BATCHES: &[Self] = &[Self::BatchDouble, Self::BatchSingle];

    /// The form of a program that does what a form of the kernels does.
    pub fn by_program(self) -> Self {
        match self {
            Self::Single | Self::ProgramSingle => Self::ProgramSingle,
            Self::BatchDouble | Self::ProgramBatchDouble => Self::ProgramBatchDouble,
            Self::BatchSingle | Self::ProgramBatchSingle => Self::ProgramBatchSingle,
        }
    }

    /// Whether states are handed over one after the other.
    pub fn is_single(self) -> bool {
        matches!(self, Self::Single | Self::ProgramSingle)
    }

    /// Whether the numbers are `f32`.
    pub fn is_single_precision(self) -> bool {
        matches!(self, Self::BatchSingle | Self::ProgramBatchSingle)
    }

    /// The name of a call in this form in the protocol.
    pub fn request(self, call: &str) -> String {
        match self {
            Self::Single => call.to_owned(),
            Self::BatchDouble => format!("{call}:batch_f64"),
            Self::BatchSingle => format!("{call}:batch_f32"),
            Self::ProgramSingle => format!("{call}:program"),
            Self::ProgramBatchDouble => format!("{call}:program_f64"),
            Self::ProgramBatchSingle => format!("{call}:program_f32"),
        }
    }

    /// How far answers in this form may differ from those in double precision, relative to their
    /// greatest entry.
    pub fn tolerance(self) -> f64 {
        if self.is_single_precision() {
            // Some hundreds of roundings: forces of a whole robot add up in its base.
            1e-4
        } else {
            1e-9
        }
    }

    /// The distance from 1 to the next larger number.
    pub fn epsilon(self) -> f64 {
        if self.is_single_precision() {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "single state",
            Self::BatchDouble => "batch, f64",
            Self::BatchSingle => "batch, f32",
            Self::ProgramSingle => "program, single state",
            Self::ProgramBatchDouble => "program, batch, f64",
            Self::ProgramBatchSingle => "program, batch, f32",
        })
    }
}
