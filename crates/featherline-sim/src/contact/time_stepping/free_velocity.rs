//! The velocity of a step without impulses.

use super::TimeStepping;
use super::floating::At;
use crate::integrator::forces::ForceModel;
use crate::integrator::stepper::StepState;
use crate::integrator::{IntegratorError, Result};
use featherline::dynamics::DynamicsOptions;
use featherline::kernel::spring_forces;

impl<L: ForceModel, C> TimeStepping<'_, L, C> {
    /// h (τ − c − D v − K (δ + h v)), and M.
    #[inline(always)]
    pub(super) fn find_momentum(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<()> {
        let model = self.model;
        let (tau, bodies) = self.loading.at(model, t, q, v)?;
        // The velocity of a free body's frame is kept in the world, not in the frame that rotates:
        // its acceleration is that of the frame's coordinates plus ω × v.
        self.correction.fill(0.0);
        for joint in &self.moving {
            let seen = joint.linear(v).cross(joint.angular(v));
            joint.write_linear(seen, &mut self.correction);
        }
        let options = DynamicsOptions::default().without_passive_forces();
        let at = |source| IntegratorError::at(model, t, v, source);
        let (ws, correction) = (&mut self.ws, &self.correction);
        let all = options.with_forces(bodies);
        let bias = if self.middle.begin(h, v) {
            let found = model.inverse_dynamics_derivatives(ws, q, v, correction, all);
            let derivatives = found.map_err(at)?;
            self.middle.take(h, v, derivatives.dv, &self.mass);
            derivatives.tau
        } else {
            let found = model.inverse_dynamics(ws, q, v, correction, all);
            found.map_err(at)?
        };
        for k in 0..model.nv() {
            self.momentum[k] = h * (tau[k] - bias[k] - self.damping[k] * v[k]);
        }
        if self.has_springs {
            spring_forces(model, q, &mut self.spring_rest, &mut self.spring);
            for k in 0..model.nv() {
                self.momentum[k] += h * (self.spring[k] - h * self.stiffness[k] * v[k]);
            }
        }
        if !self.floating.is_empty() {
            // The bias of the momentum's own change excludes external forces on bodies.
            let bias = match bodies {
                [] => bias,
                _ => model
                    .inverse_dynamics(ws, q, v, correction, options)
                    .map_err(at)?,
            };
            let mass = &self.mass;
            let at = At { q, v, mass };
            self.floating.begin(h, &at, bias, &mut self.momentum);
        }
        Ok(())
    }

    /// v* = v + M̂⁻¹ h (τ − …), with M̂ = M + h D + h² K and the drives within their effort.
    #[inline(always)]
    pub(super) fn find_free_velocity(&mut self, start: StepState<'_>) -> Result<()> {
        let (model, StepState { t, q, v, h }) = (self.model, start);
        self.free.copy_from_slice(&self.momentum);
        self.implicit_mass.copy_from_slice(&self.mass);
        for (k, &place) in self.diagonal.iter().enumerate() {
            self.implicit_mass[place] += h.mul_add(self.damping[k], h * h * self.stiffness[k]);
        }
        let mass = (&mut self.implicit_mass[..], &self.diagonal[..]);
        self.drives.add_to((q, v, h), &mut self.free, mass);
        if !self.solver.set_mass(&self.implicit_mass) {
            // Of the reasons, the model knows.
            return match model.ltdl(&mut self.ws, q) {
                Err(source) => Err(IntegratorError::at(model, t, v, source)),
                Ok(_) => Err(IntegratorError::diverged(model, t, v, v)),
            };
        }
        self.middle.respond(&mut self.solver, &mut self.free);
        for (free, v) in self.free.iter_mut().zip(v) {
            *free += v;
        }
        if self.middle.is_faster(&self.mass, v, &self.free) {
            self.leave_out_middle(start)?;
        }
        if !self.floating.is_empty() {
            self.floating.take_change(self.middle.change(&self.free, v));
        }
        Ok(())
    }
}
