//! Robots whose frames are held.

#[path = "../../../featherline/tests/common/mod.rs"]
mod common;

mod derivatives;
mod dual_numbers;
mod dynamics;
mod impulse;
mod kkt;
mod redundant;
mod robots;
