//! Tests of the algorithms. They are one program because each program compiles all kernels anew;
//! what needs a program of its own (an allocator, the instruction set of the whole process, lanes)
//! stands beside it.

#[path = "../common/mod.rs"]
mod common;
mod configuration;
mod derivatives;
mod dynamics;
mod factorization;
mod joint;
mod kinematics;
mod model;
mod operation_counts;
mod regressor;
mod spatial;
