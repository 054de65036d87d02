//! The embedded robots, alone and in the algorithms.

#[path = "../../../crates/featherline-sim/tests/suite/maximal/dense.rs"]
mod dense;

mod embedded;
mod maximal_coordinates;
mod operation_counts;
mod shapes;
