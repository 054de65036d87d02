//! Many states at once: the same answers as one by one, whatever stands beside a state.

mod agreement;
mod algorithms;
mod every;
mod invariance;
mod memory;
mod neighbours;
mod parameters;
mod status;
