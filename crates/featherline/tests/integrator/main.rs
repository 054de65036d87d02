//! Time integration.

#[path = "../common/mod.rs"]
mod common;

mod adaptive;
mod dense_output;
mod errors;
mod forces;
mod memory;
mod orders;
mod robots;
mod steps;
mod stiff;
mod variational;
