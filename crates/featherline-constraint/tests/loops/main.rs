//! Robots with closed loops.

#[path = "../../../featherline/tests/common/mod.rs"]
mod common;
#[path = "../../../featherline-sim/tests/maximal/dense.rs"]
mod dense;

mod assembly;
mod bodies;
mod contacts;
mod derivatives;
mod dynamics;
mod energy;
mod model;
mod robots;
mod scale;
