//! The sparse system against the recursive algorithms, and its structure.

mod advisor;
mod articulated;
mod common;
mod compiled_estimate;
mod cut;
mod determined;
mod deviations;
mod diagnosis;
mod dynamics;
mod estimate;
mod estimate_errors;
mod exact;
mod files;
mod memory;
mod orders;
mod pattern;
mod plans;
mod priors;
mod search;
mod sensor_tests;
mod sensors;
mod simulation;
mod solvers;
mod strong_forces;
mod structure;
mod twice;
