//! Solutions as straight-line programs, and the check that goes with them.

mod checked;
mod compiled;
mod guarded;

pub(crate) use checked::CheckedRunner;
pub use compiled::CompiledSolve;
pub use guarded::{Check, GuardedProgram, GuardedRun, SolveStatus};
pub(crate) use guarded::{larger, program, state_ports, together, whole_blocks, width};
