//! The sparse system against the recursive algorithms, and its structure.

mod common;
mod dynamics;
mod memory;
mod pattern;
mod sensors;
mod structure;
