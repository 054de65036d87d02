//! Tests of the algorithms. They are one program because each program compiles all kernels anew;
//! what needs an allocator of its own stands beside it, and batches in `instruction_sets/`.

mod catalogue;
mod common;
mod configuration;
mod derivatives;
mod dynamics;
mod factorization;
mod joint;
mod kinematics;
mod model;
mod operation_counts;
mod quantity;
mod quantity_page;
mod regressor;
mod spatial;
