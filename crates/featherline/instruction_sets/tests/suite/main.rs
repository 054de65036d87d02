//! Kernels with every instruction set of the processor, and batches in lanes of the widest.

mod batch;
#[path = "../../../tests/suite/catalogue.rs"]
mod catalogue;
#[path = "../../../tests/suite/common/mod.rs"]
mod common;

mod instruction_sets;
