//! The system of a step in two orders of elimination.
//!
//! The sparser order counts freedoms, which need not be those that a constraint takes: some robots
//! lose all digits in it. The stable one gives each constraint a body of its own, as far as they
//! go. It is taken where a solution that is known is not found again, where the sparser order has
//! no pivots, and where velocities do not settle.

use super::constraint::Constraint;
use super::motion::Step;
use super::system::System;
use crate::maximal::elimination::Readiness;
use featherline::spatial::{Inertia, Se3};
use nalgebra::Matrix6;

/// The system, and the same in the stable order if that is another one.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    sparse: System,
    stable: Option<System>,
    is_stable: bool,
}

impl Orders {
    /// The system of bodies, the universe first, and constraints.
    pub fn new(inertias: &[Inertia<f64>], constraints: &[Constraint]) -> Self {
        let system = |readiness| System::new(inertias, constraints, readiness);
        let (sparse, stable) = (system(Readiness::CountFreedoms), system(Readiness::OwnBody));
        Self {
            stable: (!stable.has_order_of(&sparse)).then_some(stable),
            sparse,
            is_stable: false,
        }
    }

    /// Takes the forces of constraint that are not left out.
    pub fn hold(&mut self, constraints: &[Constraint]) {
        self.sparse.hold(constraints);
        if let Some(stable) = &mut self.stable {
            stable.hold(constraints);
        }
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present(&self) -> &System {
        match &self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &self.sparse,
        }
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present_mut(&mut self) -> &mut System {
        match &mut self.stable {
            Some(stable) if self.is_stable => stable,
            _ => &mut self.sparse,
        }
    }

    /// Factorises the system for bodies that are placed in the world, in the stable order if that
    /// is needed. Fails with the index of a singular pivot.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<(), usize> {
        self.is_stable = false;
        let factorised = self.sparse.factorise(constraints, world);
        match &mut self.stable {
            Some(stable) if factorised.is_err() || !self.sparse.is_sound() => {
                self.is_stable = true;
                stable.factorise(constraints, world)
            }
            _ => factorised,
        }
    }

    /// Factorises the system of the instant, of which one is factorised, in the stable order.
    /// Whether that is another one.
    #[inline(always)]
    pub fn switch_to_stable(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<bool, usize> {
        match &mut self.stable {
            Some(stable) if !self.is_stable => {
                self.is_stable = true;
                stable.take_multipliers(&self.sparse);
                stable.factorise(constraints, world)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Factorises the system where a step from bodies `here` leads, in the stable order; see
    /// [`System::renew`].
    #[inline(always)]
    pub fn renew(
        &mut self,
        step: &Step<'_>,
        here: &[Se3<f64>],
        slopes: &[Matrix6<f64>],
    ) -> Result<(), usize> {
        self.switch_to_stable(step.constraints, here)?;
        self.present_mut().renew(step, slopes)
    }
}
