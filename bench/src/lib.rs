//! Benchmarks of featherline: robots and states on which it is timed, and what bounds it on this
//! machine.

pub mod affinity;
pub mod footprint;
pub mod instructions;
pub mod machine;
pub mod peak;
pub mod robots;
pub mod scaling;
pub mod states;
pub mod statistics;
pub mod threads;
