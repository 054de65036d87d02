//! Dynamics in maximal coordinates.

#[path = "../../../examples/kkt_recursion.rs"]
mod example;

mod dense;
mod dynamics;
mod kkt_recursion;
mod massless;
mod scaled;
mod states;
