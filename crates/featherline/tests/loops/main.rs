//! Robots with closed loops.

#[path = "../common/mod.rs"]
mod common;
#[path = "../maximal/dense.rs"]
mod dense;

mod assembly;
mod bodies;
mod dynamics;
mod energy;
mod model;
mod robots;
mod scale;
