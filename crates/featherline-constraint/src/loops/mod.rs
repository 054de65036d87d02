//! Closed loops in the coordinates of the spanning tree.

pub(crate) mod assembly;
pub(crate) mod constraint_change;
mod constraint_rows;
mod contact;
pub(crate) mod derivatives;
pub(crate) mod dynamics;
pub(crate) mod end_columns;
mod error;
pub(crate) mod independent_rows;
pub(crate) mod nearly_redundant;
pub(crate) mod passage;
pub(crate) mod redundancy;
pub(crate) mod rounded_axes;
pub(crate) mod rows;
mod stabilisation;
pub(crate) mod workspace;

pub use assembly::{
    LoopGap, assemble, assemble_holding, loop_gap, loop_gaps, project_velocities, project_velocity,
};
pub use constraint_rows::push_loops;
pub use contact::with_contacts;
pub use derivatives::{LoopDynamicsDerivatives, loop_dynamics_derivatives};
pub use dynamics::{LoopDynamics, loop_dynamics};
pub(crate) use error::check_finite;
pub use error::{LoopError, Result};
pub use stabilisation::Stabilisation;
pub use workspace::LoopWorkspace;
