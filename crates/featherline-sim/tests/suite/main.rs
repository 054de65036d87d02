//! Motion: integrators, maximal coordinates, contact in time, simulators.

#[path = "../../../featherline/tests/suite/common/mod.rs"]
mod common;

mod contact;
mod integrator;
mod maximal;
mod simulation;
