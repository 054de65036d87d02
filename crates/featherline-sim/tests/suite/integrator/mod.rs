//! Time integration.

#[path = "../../../examples/trajectory_optimisation.rs"]
#[allow(dead_code)] // its main, and its pictures
mod example;

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
mod trajectories;
mod variational;
