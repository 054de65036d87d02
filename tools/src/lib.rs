//! Code shared by the programs of this crate.
//!
//! The programs draw figures and write tables of the book, measure machines and contact, and try
//! random input. Their first lines say what each does and how to call it.

pub mod chart;
pub mod page;
