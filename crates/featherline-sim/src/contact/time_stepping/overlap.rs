//! Bodies that overlap are put apart, without speed.

use super::{ContactSource, TimeStepping};
use crate::integrator::forces::ForceModel;
use crate::integrator::{IntegratorError, Result};
use featherline::configuration;
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::Set;

/// The overlap in m that is put apart at once; what is less, the steps undo by their speed.
const DEEP: f64 = 1e-5;

/// The overlap in m that is left, and the most Gauss-Newton steps to there.
const LEFT: f64 = 1e-7;
const MOST: usize = 8;

impl<L: ForceModel, C: ContactSource> TimeStepping<'_, L, C> {
    /// The deepest overlap of rigid bodies in the rows.
    #[inline(always)]
    fn overlap(&self) -> f64 {
        let contacts = self.contacts.iter().enumerate();
        let rigid = contacts.filter(|(block, _)| self.rows.law(*block).compliance == 0.0);
        rigid.fold(0.0, |most, (_, contact)| most.max(-contact.gap))
    }

    /// Puts bodies apart that overlap deeply at the beginning of a step: the least displacement in
    /// the norm of M that leaves no gap negative,
    ///
    /// ```text
    /// min ½ δᵀ M δ   with   φ + J δ ≥ 0,
    /// ```
    ///
    /// again until the overlap is rounding. The velocity stays, in the world. M and the rows are
    /// those of `q`. Overlaps that can't be corrected are left to the velocities of the steps.
    pub(super) fn put_apart(&mut self, t: f64, q: &mut [f64], v: &mut [f64], h: f64) -> Result<()> {
        if self.overlap() <= DEEP {
            return Ok(());
        }
        self.keep_before(q, v);
        for _ in 0..MOST {
            if self.overlap() <= LEFT || !self.solver.set_mass(&self.mass) {
                break;
            }
            if !self.find_displacement(t, q, v, h)? {
                // The laws are those of a displacement.
                self.find_rows(t, q, v, h)?;
                break;
            }
            self.displace(t, q, v)?;
            self.find_mass(t, q, v)?;
            self.find_rows(t, q, v, h)?;
        }
        Ok(())
    }

    /// Finds the least displacement; false where there is none.
    fn find_displacement(&mut self, t: f64, q: &[f64], v: &[f64], h: f64) -> Result<bool> {
        // Nothing moves by itself while bodies are put apart.
        self.reach.hold_surfaces();
        loop {
            for block in 0..self.rows.blocks() {
                let law = self.rows.law_mut(block);
                let is_soft = std::mem::take(&mut law.compliance) > 0.0;
                match &mut law.set {
                    Set::Cone { friction } => {
                        *friction = 0.0;
                        law.bias = [0.0; 3];
                        law.bias[2] = match is_soft {
                            true => f64::MAX.sqrt(),
                            false => self.contacts[block].gap,
                        };
                    }
                    Set::NonNegative => law.bias[0] = (h * law.bias[0]).max(0.0),
                    Set::Interval { bound } => *bound = 0.0,
                    // A coupling yields.
                    Set::Equality if is_soft => law.set = Set::Interval { bound: 0.0 },
                    Set::Equality => law.bias[0] = 0.0,
                }
            }
            self.impacts.clear();
            self.impacts.resize(self.rows.len(), 0.0);
            self.free.fill(0.0);
            self.solver.set_motion(&self.free);
            let (free, rows) = (&self.free, &self.rows);
            let outcome = self
                .solver
                .solve(free, rows, &mut self.impacts, &self.options);
            // A displacement is the velocity of a step of one second.
            if !outcome.has_converged || !self.finds_more(t, q, v, 1.0)? {
                return Ok(outcome.has_converged);
            }
            self.push_rows(t, q, v, h)?;
        }
    }

    /// q ⊕ δ, with the velocity of free bodies as it is in the world.
    fn displace(&mut self, t: f64, q: &mut [f64], v: &mut [f64]) -> Result<()> {
        let displacement = self.solver.velocity();
        self.step.copy_from_slice(displacement);
        for joint in &self.moving {
            joint.write_linear(Vec3::zero(), &mut self.step);
        }
        let model = self.model;
        configuration::integrate_into(model, q, &self.step, &mut self.after)
            .map_err(|source| IntegratorError::at(model, t, v, source))?;
        for joint in &self.moving {
            let rotation = joint.rotation(q);
            let way = rotation.mul_vec(joint.linear(displacement)).to_array();
            let count = if joint.is_planar { 2 } else { 3 };
            for (k, way) in way.into_iter().enumerate().take(count) {
                self.after[joint.idx_q + k] += way;
            }
            let world = rotation.mul_vec(joint.linear(v));
            joint.write_linear(joint.rotation(&self.after).tr_mul_vec(world), v);
        }
        q.copy_from_slice(&self.after);
        // M is that of another configuration.
        self.after.fill(f64::NAN);
        Ok(())
    }
}
