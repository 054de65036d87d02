//! Bodies whose motion is given in time stepping, and what they pull.

use super::warm_start::Origin;
use super::{ContactSource, TimeStepping};
use crate::contact::moved::{Coupling, MovedBodies};
use crate::integrator::forces::ForceModel;
use crate::integrator::{IntegratorError, Result};
use featherline::kernel::link_kinematics;
use featherline::model::JointId;
use featherline::spatial::{Se3, log3};
use featherline_constraint::nonsmooth::{Law, Rows, Set};

/// The inverse inertia in 1/kg or 1/(kg m²) of what does not move.
const IMMOVABLE: f64 = 1e-15;

/// By how much the regularisation of linear and of angular rows counts: MuJoCo's angular rows are
/// those of a quaternion's vector, half the rotation (`mj_instantiateEquality`, 4.0).
const REGULARISATION: [f64; 2] = [1.0, 4.0];

impl<L: ForceModel, C: ContactSource> TimeStepping<'_, L, C> {
    /// The same with bodies whose motion is given.
    ///
    /// # Errors
    /// [`IntegratorError`] for a model whose mass matrix is singular, where there are couplings.
    pub fn with_moved(mut self, moved: MovedBodies) -> Result<Self> {
        self.inverse_inertias.clear();
        for k in 0..moved.couplings.len() {
            let own = self.inverse_inertia(&moved.couplings[k])?;
            self.inverse_inertias.push(own);
        }
        self.moved_before.clone_from(&moved.bodies);
        self.moved = moved;
        Ok(self)
    }

    /// The mean diagonals of J M⁻¹ Jᵀ of the linear and of the angular rows of a coupled body, at
    /// its centre of mass in the neutral configuration: MuJoCo's `body_invweight0`.
    fn inverse_inertia(&mut self, coupling: &Coupling) -> Result<[f64; 2]> {
        let model = self.model;
        let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
        let failed = |source| IntegratorError::at(model, 0.0, &v, source);
        let kinematics = link_kinematics(model, &mut self.ws, &q, &v).map_err(failed)?;
        self.robot.place(model, &kinematics);
        self.rows.clear();
        let mut central = *coupling;
        central.placement = Se3::from_translation(model.joint(coupling.joint).inertia.com);
        self.push_twist_rows(&central, true);
        let mass = model.ltdl(&mut self.ws, &q).map_err(failed)?;
        let mut sums = [0.0; 2];
        for block in 0..self.rows.blocks() {
            let mut impulses = vec![0.0; self.rows.len()];
            impulses[block] = 1.0;
            let mut response = vec![0.0; model.nv()];
            self.rows.add_impulses(&impulses, &mut response);
            mass.solve(&mut response).map_err(failed)?;
            sums[block / 3] += self.rows.velocity(block, &response)[0] / 3.0;
        }
        Ok(sums)
    }
}

impl<L, C> TimeStepping<'_, L, C> {
    /// The bodies whose motion is given.
    pub fn moved(&self) -> &MovedBodies {
        &self.moved
    }

    /// The same, to be moved between steps.
    pub fn moved_mut(&mut self) -> &mut MovedBodies {
        &mut self.moved
    }

    /// The work in J of moved bodies on the robot in the last step.
    pub fn moved_work(&self) -> f64 {
        self.moved_work
    }

    /// The rows of the twist of a coupling's end, linear before angular.
    fn push_twist_rows(&mut self, coupling: &Coupling, has_angular: bool) {
        let carrier = &self.robot.placements()[coupling.joint.index()];
        let point = carrier.act_point(coupling.placement.translation);
        let bodies = [JointId::UNIVERSE, coupling.joint];
        let rank = if has_angular { 6 } else { 3 };
        let (model, rows) = (self.model, &mut self.rows);
        let reading = self.robot.push_twist(model, bodies, point, rank, rows);
        for row in 0..rank {
            rows.push_entry(reading, row, Law::rigid(Set::Equality));
        }
    }

    /// The rows of the couplings in a step of `h` seconds from the velocity `v`.
    pub(super) fn push_couplings(&mut self, v: &[f64], h: f64) {
        for index in 0..self.moved.couplings.len() {
            let coupling = self.moved.couplings[index];
            let first = self.rows.blocks();
            self.push_twist_rows(&coupling, coupling.is_weld);
            let body = &self.moved.bodies[coupling.moved];
            let carrier = &self.robot.placements()[coupling.joint.index()];
            let own = carrier.compose(&coupling.placement);
            let target = body.carry(&coupling.target);
            let turn = own.rotation.mul_mat(&target.rotation.transpose());
            let apart = [own.translation - target.translation, log3(&turn)];
            // The point of the moved body that the robot's end is to be at.
            let target_velocity = [body.velocity_at(target.translation), body.angular];
            for block in first..self.rows.blocks() {
                let row = block - first;
                let (part, axis) = (row / 3, row % 3);
                let [r, nu] = [apart, target_velocity].map(|it| it[part].to_array()[axis]);
                let inverse_inertia = REGULARISATION[part] * self.inverse_inertias[index][part];
                let law = coupling.law([r, nu], (&self.rows, block), v, (inverse_inertia, h));
                *self.rows.law_mut(block) = law;
                self.origins.push(Origin::Coupling { index, row });
            }
        }
    }

    /// Adds the work of moved bodies in the step, by the impulses of its rows: of contacts λ times
    /// the surface's velocity, of couplings λ (u⁻ + u⁺)/2.
    pub(super) fn add_moved_work(&mut self, v: &[f64]) {
        if self.moved.is_empty() {
            return;
        }
        self.moved_work += self.surface_work(&self.impulses);
        let after = self.solver.velocity();
        for (block, origin) in self.origins.iter().enumerate() {
            if let Origin::Coupling { .. } = origin {
                let [before, after] = [v, after].map(|v| self.rows.velocity(block, v)[0]);
                let impulse = self.impulses[self.rows.first_row(block)];
                self.moved_work += 0.5 * impulse * (before + after);
            }
        }
    }

    /// The work of surfaces that move by themselves, by the impulses of the rows.
    pub(super) fn surface_work(&self, impulses: &[f64]) -> f64 {
        let works = self.contacts.iter().enumerate().map(|(block, contact)| {
            // The second body gets λ; what moves by itself has its power with the other sign.
            let first = self.rows.first_row(block);
            let own = contact.surface_bias().into_iter();
            let power = own.zip(&impulses[first..first + 3]).map(|(u, own)| u * own);
            -power.sum::<f64>()
        });
        works.sum()
    }
}

impl Coupling {
    /// The law of a row with the distance r, the velocity ν of the moved body, and the robot's own,
    /// for a step of `h` seconds from `v`.
    ///
    /// From (w⁺ − w)/h = −b w⁺ − k (r + h w⁺) − R f with w = u − ν and the impulse λ = h f follows
    /// w⁺ + (h k r − w)/s + (R/s) λ = 0, where s = 1 + h b + h² k.
    fn law(
        &self,
        [r, nu]: [f64; 2],
        (rows, block): (&Rows, usize),
        v: &[f64],
        (inverse_inertia, h): (f64, f64),
    ) -> Law {
        let w = rows.velocity(block, v)[0] - nu;
        let (k, b, d) = (self.stiffness, self.damping, self.impedance);
        let s = (h * h).mul_add(k, h.mul_add(b, 1.0));
        if inverse_inertia < IMMOVABLE {
            return Law::rigid(Set::Interval { bound: 0.0 });
        }
        let mut law = Law::rigid(Set::Equality);
        law.bias[0] = (h * k * r - w) / s - nu;
        law.compliance = inverse_inertia * (1.0 - d) / (d * s);
        law
    }
}
