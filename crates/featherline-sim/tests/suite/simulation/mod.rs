//! Simulators: what they do between samples, what they measure, what they refuse.

mod conservation;
mod controllers;
mod disabled;
mod errors;
mod events;
mod limit_monitor;
mod loops;
mod memory;
mod motion;
mod rounded_axes;
mod setup;
mod singular;
mod stiff;
mod warnings;
