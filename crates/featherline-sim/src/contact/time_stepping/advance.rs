//! From the velocity of a step to the state after it.

use super::TimeStepping;
use super::floating::At;
use crate::integrator::stepper::StepState;
use crate::integrator::{IntegratorError, Result};
use featherline::kernel::crba_packed;
use featherline::spatial::Vec3;

impl<L, C> TimeStepping<'_, L, C> {
    /// M, which the step before has found already if it ended here.
    #[inline(always)]
    pub(super) fn find_mass(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<()> {
        if self.after != q {
            self.after.copy_from_slice(q);
            self.find_mass_after(t, v)?;
        }
        self.mass.copy_from_slice(&self.mass_after);
        Ok(())
    }

    /// M after the step.
    #[inline(always)]
    pub(super) fn find_mass_after(&mut self, t: f64, v: &[f64]) -> Result<()> {
        let packed = match crba_packed(self.model, &mut self.ws, &self.after) {
            Ok(packed) => packed,
            Err(source) => {
                self.after.fill(f64::NAN);
                return Err(IntegratorError::at(self.model, t, v, source));
            }
        };
        for (m, &place) in self.mass_after.iter_mut().zip(&self.mass_places) {
            *m = packed[place];
        }
        Ok(())
    }

    /// q⁺ = q ⊕ h v⁺, and v⁺ in the frames that have moved; floating trees by their momentum.
    #[inline(always)]
    pub(super) fn advance(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<()> {
        let model = self.model;
        let velocity = self.solver.velocity();
        for (step, v) in self.step.iter_mut().zip(velocity) {
            *step = h * v;
        }
        // The frames of free bodies move straight while they rotate.
        for joint in &self.moving {
            joint.write_linear(Vec3::zero(), &mut self.step);
        }
        let start = StepState { t, q, v, h };
        start.displace(model, t, &self.step, &mut self.after)?;
        start.check_velocity(model, t + h, velocity)?;
        self.velocity.copy_from_slice(velocity);
        for joint in &self.moving {
            let world = joint.rotation(q).mul_vec(joint.linear(velocity));
            let count = if joint.is_planar { 2 } else { 3 };
            for (k, way) in world.to_array().into_iter().enumerate().take(count) {
                self.after[joint.idx_q + k] += h * way;
            }
            let seen = joint.rotation(&self.after).tr_mul_vec(world);
            joint.write_linear(seen, &mut self.velocity);
        }
        self.find_mass_after(t, v)?;
        let mass = &self.mass;
        let before = At { q, v, mass };
        let mut after = At {
            q: &mut self.after[..],
            v: &mut self.velocity[..],
            mass: &self.mass_after,
        };
        self.floating
            .carry(h, &before, self.solver.velocity(), &mut after);
        start.check_velocity(model, t + h, &self.velocity)
    }
}
