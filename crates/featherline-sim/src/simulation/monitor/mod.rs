//! Monitors: what is measured of a motion, and the warnings about it.
//!
//! | monitor | what it watches | when |
//! |---|---|---|
//! | [`Sampler`](sampler::Sampler) | energies, momentum and loop gaps of a [`Sample`] | each sample |
//! | [`Conservation`], [`LimitMonitor`], [`LoopMonitor`] | recorders of those samples | each sample |
//! | [`StiffForces`](stiff_forces::StiffForces) | forces that are too stiff for the step | start |
//! | [`Resolution`](resolution::Resolution) | coordinates too large for double precision | each interval |
//! | [`fast_rotation`] | rotations too large for a variational step | each interval |
//! | [`Singularity`](singularity::Singularity) | singular loops | each step |
//!
//! Monitors of samples share the trait [`Recorder`], by which users add their own. The others have
//! no common trait, because each reads something else (forces, an interval, the factors of loops)
//! at another time, and one of them fails instead of warning.

mod conservation;
mod drift;
mod energy_monitor;
pub(super) mod fast_rotation;
mod limit_monitor;
mod loop_monitor;
pub(super) mod resolution;
pub(super) mod sampler;
pub(super) mod singularity;
pub(super) mod stiff_forces;
mod warning;

pub use conservation::{Change, Conservation};
pub use drift::Drift;
pub use limit_monitor::LimitMonitor;
pub use loop_monitor::{LoopMonitor, WorstGap};
pub use sampler::Sampler;
pub use warning::{FastForce, SimulationWarning};

use super::{InnerEnergy, Recorder, RecorderError, Result, Sample, SimulationError};
