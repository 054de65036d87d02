//! Time integration.

#[path = "../../../featherline/tests/common/mod.rs"]
mod common;

mod adaptive;
mod dense_output;
mod errors;
mod forces;
mod frames;
mod long_chains;
mod maximal_loops;
mod maximal_variational;
mod memory;
mod orders;
mod robots;
mod snakes;
mod steps;
mod stiff;
mod tilted;
mod variational;
