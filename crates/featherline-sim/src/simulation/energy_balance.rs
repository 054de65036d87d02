//! Energy that appears from nothing.

use crate::contact::ContactAccount;
use featherline::kernel::spring_forces;
use featherline::model::Model;
use featherline::{Error, Workspace};

/// The part of the greatest kinetic energy that a sound motion does not gain: pendulums, limp
/// robots and heaps gain 0.3 % at most where the step fits them.
const NOTABLE: f64 = 0.005;

/// The part of an energy that is its rounding.
const ROUNDING: f64 = 1e-10;

/// A step in rad or m in which nothing moves that could gain energy.
const AT_REST: f64 = 1e-6;

/// The energy of a motion, that of springs included, less all work of drives and forces: it never
/// rises, but by the method's own error.
#[derive(Clone, Debug)]
pub(super) struct EnergyBalance {
    /// The stiffness of each coordinate's springs, empty if there are none.
    stiffness: Box<[f64]>,
    rest: Box<[f64]>,
    spring: Box<[f64]>,
    /// The least balance so far, and the largest size of an energy.
    least: f64,
    scale: f64,
}

impl EnergyBalance {
    pub fn new(model: &Model) -> Self {
        let mut stiffness = vec![0.0; model.nv()];
        for joint in model.joints().iter().skip(1) {
            let ratio = joint.mimic.map_or(1.0, |mimic| mimic.ratio);
            for (own, k) in stiffness[joint.idx_v..]
                .iter_mut()
                .zip(&joint.drive.stiffness)
            {
                *own += ratio * ratio * k;
            }
        }
        if stiffness.iter().all(|k| *k == 0.0) {
            stiffness.clear();
        }
        let has_springs = !stiffness.is_empty();
        let room = |len: usize| vec![0.0; if has_springs { len } else { 0 }].into();
        Self {
            rest: room(model.nq()),
            spring: room(model.nv()),
            stiffness: stiffness.into(),
            least: f64::INFINITY,
            scale: 0.0,
        }
    }

    /// Whether a step of `h` seconds can be left out.
    pub fn is_at_rest(h: f64, before: &[f64], after: &[f64]) -> bool {
        let mut all = before.iter().chain(after);
        all.all(|v| (h * v).abs() < AT_REST)
    }

    /// Takes the state after some steps, and writes the gain so far to the account.
    pub fn observe(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        (q, v): (&[f64], &[f64]),
        account: &mut ContactAccount,
    ) -> Result<(), Error> {
        let kinetic = model.kinetic_energy(ws, q, v)?;
        let stored = model.potential_energy(ws, q)? + self.spring_energy(model, q);
        let energy = kinetic + stored;
        let given = account.drive_work + account.force_work;
        let balance = energy - given;
        self.scale = self.scale.max(energy.abs()).max(given.abs());
        self.least = self.least.min(balance);
        account.kinetic_energy = account.kinetic_energy.max(kinetic);
        let gain = balance - self.least;
        if gain > ROUNDING * self.scale {
            account.energy_gain = account.energy_gain.max(gain);
        }
        Ok(())
    }

    /// ½ k δ² = f²/(2 k), but for a constant where joints that mimic share a coordinate.
    fn spring_energy(&mut self, model: &Model, q: &[f64]) -> f64 {
        if self.stiffness.is_empty() {
            return 0.0;
        }
        spring_forces(model, q, &mut self.rest, &mut self.spring);
        let each = self.spring.iter().zip(&*self.stiffness);
        let stretched = each.filter(|(_, k)| **k > 0.0);
        stretched.map(|(f, k)| 0.5 * f * f / k).sum()
    }
}

impl ContactAccount {
    /// Whether the method gained notable energy: more than 0.5 % of the greatest kinetic energy.
    /// What moves is then not the robot's motion: the step is too long for it.
    pub fn gains_energy(&self) -> bool {
        self.energy_gain > NOTABLE * self.kinetic_energy
    }
}
