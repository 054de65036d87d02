//! Closed loops, held frames, and constraints with sets.

#[path = "../../../featherline/tests/suite/common/mod.rs"]
mod common;
#[path = "../../../featherline-sim/tests/suite/maximal/dense.rs"]
mod dense;

mod frames;
mod loops;
mod nonsmooth;
