//! featherline beside other libraries: what is timed, that the answers agree, and the report.
//!
//! Contenders are processes that speak the protocol of `bench/README.md`; [`calls`] is
//! featherline's side of it.

pub mod batches;
pub mod calls;
pub mod closed_loops;
pub mod contender;
pub mod contest;
pub mod figure;
pub mod form;
pub mod held;
pub mod programs;
pub mod report;
pub mod robots;
pub mod row;
pub mod stepping;
pub mod targets;
