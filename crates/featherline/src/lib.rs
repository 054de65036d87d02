//! Rigid-body dynamics of articulated robots: fast, exact, allocation-free.

mod configuration;
pub mod dynamics;
mod error;
pub mod joint;
pub mod kinematics;
pub mod model;
#[cfg(feature = "samples")]
pub mod samples;
pub mod scalar;
pub mod spatial;
mod workspace;

pub use error::Error;
pub use model::Model;
pub use workspace::Workspace;
