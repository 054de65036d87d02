//! Traces, programs and files against the kernels that they come from.

mod canonical;
mod common;
mod files;
mod folding;
mod machine;
mod programs;
mod simplifying;
#[path = "../../../featherline/tests/suite/common/soak.rs"]
mod soak;
mod tracing;
