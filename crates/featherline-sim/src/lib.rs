//! Motion of rigid-body robots: integrators on the configurations' Lie group, maximal coordinates,
//! simulation.
//!
//! | module | what it holds |
//! |---|---|
//! | [`maximal`] | bodies with free poses: accelerations and joint forces from one sparse system |
//! | [`integrator`] | motion in time: methods on the configurations' Lie group, forces, dense output |
//! | [`simulation`] | robots in motion under controllers, sampled; how well energy and momentum are kept |

pub mod integrator;
pub mod maximal;
mod seconds;
pub mod simulation;
