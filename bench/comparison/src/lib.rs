//! featherline beside other libraries: what is timed, that the answers agree, and the report.
//!
//! Contenders are processes that speak the protocol of `bench/README.md`; [`calls`] is featherline's side of it.

pub mod calls;
pub mod comparison;
pub mod contender;
pub mod report;
pub mod robots;
