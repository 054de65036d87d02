//! Dynamics in maximal coordinates.

#[path = "../common/mod.rs"]
mod common;

mod dense;
mod dynamics;
mod massless;
mod scaled;
mod states;
