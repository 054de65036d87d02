//! Simulators: what they do between samples, what they measure, what they refuse.

mod conservation;
mod controllers;
mod errors;
mod events;
mod few_digits;
mod limit_account;
mod loops;
mod memory;
mod motion;
mod singular;
mod stiff;
mod warnings;
