//! The sparse system against the recursive algorithms, and its structure.

mod advisor;
mod articulated;
mod broad_priors;
mod chi_square;
mod common;
mod compiled_estimate;
mod component_names;
mod determined;
mod deviations;
mod diagnosis;
mod dynamics;
mod estimate;
mod estimate_errors;
mod exact;
mod far_apart;
mod files;
mod joint_groups;
mod labels;
mod loop_pattern;
mod loop_questions;
mod loops;
mod many_digits;
mod many_sensors;
mod memory;
mod orders;
mod own_samples;
mod pattern;
mod plans;
mod priors;
#[path = "../../../../tools/src/bin/elimination_figures/published.rs"]
mod published;
#[path = "../../../../tools/src/bin/elimination_figures/reformulation.rs"]
mod reformulation;
mod right_angles;
mod search;
mod senseless_sensors;
mod sensor_tests;
mod sensors;
mod simulation;
#[path = "../../../featherline/tests/suite/common/soak.rs"]
mod soak;
mod solution_derivatives;
mod solvers;
mod spy;
mod strong_forces;
mod structure;
mod twice;
