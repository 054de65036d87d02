//! Dynamics in maximal coordinates.

#[path = "../../../featherline/tests/common/mod.rs"]
mod common;

#[path = "../../examples/kkt_recursion.rs"]
mod example;

mod dense;
mod dynamics;
mod kkt_recursion;
mod massless;
mod scaled;
mod states;
