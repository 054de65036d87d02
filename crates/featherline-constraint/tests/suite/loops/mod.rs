//! Robots with closed loops.

mod assembly;
mod bodies;
mod contacts;
mod derivatives;
mod dynamics;
mod energy;
mod model;
mod robots;
mod scale;
