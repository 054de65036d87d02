//! The binary as its users see it: arguments, inputs, outputs and exit codes.

mod check;
mod convert;
mod estimates;
mod export;
mod identities;
mod info;
mod jacobians;
mod limits;
mod loops;
mod newcomer;
mod process;
mod programs;
mod questions;
mod recordings;
mod repair;
mod requests;
mod samples;
mod semantics;
mod sentences;
mod simulate;
mod simulate_options;
mod simulate_robots;
mod states;
mod system;
mod tables;
mod view;
