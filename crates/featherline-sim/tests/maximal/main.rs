//! Dynamics in maximal coordinates.

#[path = "../../../featherline/tests/common/mod.rs"]
mod common;

mod dense;
mod dynamics;
mod massless;
mod scaled;
mod states;
