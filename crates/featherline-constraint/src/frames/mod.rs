//! Constraints that a controller states: frames held to the world or to another link, with the
//! model's loop joints.

mod constraint;
mod derivatives;
mod dynamics;
mod impulse;
mod inverse;
mod kkt;
mod reference;
mod system;
mod transpose;
mod workspace;

pub use constraint::{FrameConstraint, FrameConstraintKind};
pub use derivatives::{ConstrainedDynamicsDerivatives, constrained_dynamics_derivatives};
pub use dynamics::{ConstrainedDynamics, constrained_dynamics};
pub use impulse::{
    ImpulseDynamics, ImpulseDynamicsDerivatives, impulse_dynamics, impulse_dynamics_derivatives,
};
pub use kkt::{constraint_jacobian, kkt_inverse};
pub use workspace::ConstraintWorkspace;
