//! The accelerations that fixed steps and adaptive ones integrate, of a tree or with closed loops.

use super::super::ConstrainedDynamics;
use super::super::total_force::TotalForce;
use crate::integrator::{ForwardDynamics, VectorField};
use featherline::model::Model;
use featherline_constraint::{LoopError, Stabilisation};

/// The accelerations of a tree or of a robot with loops.
pub(in super::super) enum Acceleration<'m> {
    Tree(Box<ForwardDynamics<'m, TotalForce<'m>>>),
    Constrained(Box<ConstrainedDynamics<'m, TotalForce<'m>>>),
}

impl<'m> Acceleration<'m> {
    pub fn new(
        model: &'m Model,
        forces: TotalForce<'m>,
        stabilisation: Stabilisation,
        generic_redundancy: usize,
    ) -> Result<Self, LoopError> {
        Ok(if model.loop_joints().is_empty() {
            Self::Tree(Box::new(ForwardDynamics::with_forces(model, forces)))
        } else {
            let mut dynamics = ConstrainedDynamics::new(model, forces, stabilisation)?;
            dynamics.repeat(generic_redundancy);
            Self::Constrained(Box::new(dynamics))
        })
    }

    pub fn as_vector_field(&mut self) -> &mut dyn VectorField {
        match self {
            Self::Tree(field) => &mut **field,
            Self::Constrained(field) => &mut **field,
        }
    }

    pub fn total_force(&mut self) -> &mut TotalForce<'m> {
        match self {
            Self::Tree(field) => field.forces_mut(),
            Self::Constrained(field) => field.forces_mut(),
        }
    }

    pub fn worst_condition(&self) -> Option<f64> {
        match self {
            Self::Tree(_) => None,
            Self::Constrained(field) => Some(field.worst_condition()),
        }
    }
}
