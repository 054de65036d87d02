//! Traces, programs and files against the kernels that they come from.

mod common;
mod folding;
mod programs;
mod simplifying;
mod tracing;
