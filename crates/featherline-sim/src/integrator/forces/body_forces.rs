//! Forces on bodies that the caller sets.

use super::{ForceModel, Loads, State};
use crate::integrator::Result;
use featherline::kernel::check_size;
use featherline::spatial::Force;

/// Forces on bodies that stay as they are, each in the frame of its own body, until the caller sets
/// others.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyForces {
    /// One force for each joint (the universe's first, unused), acting on the body that the joint
    /// moves, in the joint's output frame.
    pub forces: Vec<Force<f64>>,
}

impl BodyForces {
    /// The given forces, one for each joint.
    pub fn new(forces: impl Into<Vec<Force<f64>>>) -> Self {
        Self {
            forces: forces.into(),
        }
    }
}

impl ForceModel for BodyForces {
    fn add(&mut self, _: &State<'_>, loads: &mut Loads<'_>) -> Result<()> {
        check_size("external forces", loads.bodies.len(), self.forces.len())?;
        for (body, own) in loads.bodies.iter_mut().zip(&self.forces) {
            *body += *own;
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        true
    }
}
