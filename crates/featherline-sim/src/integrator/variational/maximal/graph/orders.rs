//! The system of a step in two orders of elimination.
//!
//! The sparser order counts freedoms, which need not be those that a constraint takes: some robots
//! lose all digits in it. The cautious one gives each constraint a body of its own, as far as they
//! go. It is taken where a solution that is known is not found again, where the sparser order has
//! no pivots, and where velocities do not settle.

use super::constraint::Constraint;
use super::motion::Step;
use super::system::System;
use crate::maximal::elimination::Caution;
use featherline::spatial::{Inertia, Se3};
use nalgebra::Matrix6;

/// The system, and the same in the cautious order if that is another one.
#[derive(Clone, Debug)]
pub(super) struct Orders {
    sparse: System,
    cautious: Option<System>,
    is_cautious: bool,
}

impl Orders {
    /// The system of bodies, the universe first, and constraints.
    pub fn new(inertias: &[Inertia<f64>], constraints: &[Constraint]) -> Self {
        let system = |caution| System::new(inertias, constraints, caution);
        let (sparse, cautious) = (system(Caution::CountFreedoms), system(Caution::OwnBody));
        Self {
            cautious: (!cautious.has_order_of(&sparse)).then_some(cautious),
            sparse,
            is_cautious: false,
        }
    }

    /// Takes the forces of constraint that are not left out.
    pub fn hold(&mut self, constraints: &[Constraint]) {
        self.sparse.hold(constraints);
        if let Some(cautious) = &mut self.cautious {
            cautious.hold(constraints);
        }
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present(&self) -> &System {
        match &self.cautious {
            Some(cautious) if self.is_cautious => cautious,
            _ => &self.sparse,
        }
    }

    /// The system that is factorised.
    #[inline(always)]
    pub fn present_mut(&mut self) -> &mut System {
        match &mut self.cautious {
            Some(cautious) if self.is_cautious => cautious,
            _ => &mut self.sparse,
        }
    }

    /// Factorises the system for bodies that are placed in the world, cautiously if that is needed.
    /// Fails with the place of a singular pivot.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<(), usize> {
        self.is_cautious = false;
        let factorised = self.sparse.factorise(constraints, world);
        match &mut self.cautious {
            Some(cautious) if factorised.is_err() || !self.sparse.is_sound() => {
                self.is_cautious = true;
                cautious.factorise(constraints, world)
            }
            _ => factorised,
        }
    }

    /// Factorises the system of the instant, of which one is factorised, in the cautious order.
    /// Whether that is another one.
    #[inline(always)]
    pub fn take_caution(
        &mut self,
        constraints: &[Constraint],
        world: &[Se3<f64>],
    ) -> Result<bool, usize> {
        match &mut self.cautious {
            Some(cautious) if !self.is_cautious => {
                self.is_cautious = true;
                cautious.take_multipliers(&self.sparse);
                cautious.factorise(constraints, world)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Factorises the system where a step from bodies `here` leads, cautiously; see
    /// [`System::renew`].
    #[inline(always)]
    pub fn renew(
        &mut self,
        step: &Step<'_>,
        here: &[Se3<f64>],
        slopes: &[Matrix6<f64>],
    ) -> Result<(), usize> {
        self.take_caution(step.constraints, here)?;
        self.present_mut().renew(step, slopes)
    }
}
