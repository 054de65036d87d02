//! Energy that appears from nothing.

use crate::contact::ContactAccount;
use crate::integrator::forces::add_coefficients;
use featherline::kernel::spring_forces;
use featherline::model::Model;
use featherline::{Error, Workspace};

/// The part of the greatest kinetic energy and of all work that a sound motion does not gain:
/// pendulums, limp and driven robots and heaps gain 0.3 % at most where the step fits them.
const NOTABLE: f64 = 0.005;

/// The part of them that only a motion gains that is no longer the robot's.
const LOST: f64 = 0.05;

/// The height in m to which a gain may lift all that moves.
const LIFT: f64 = 1e-3;

/// The part of an energy that is its rounding.
const ROUNDING: f64 = 1e-10;

/// A step in rad or m in which nothing moves that could gain energy.
const AT_REST: f64 = 1e-6;

/// The energy of a motion, that of springs included, less all work of drives and forces: it never
/// rises, but by the method's own error.
///
/// Steps with the gravity of their beginning keep T + V − ½ h v·∇V, as symplectic Euler does
/// (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", 2006, IX.3), and free
/// flight keeps T + V: where what falls is held, T + V rises by half of what V changes in a step.
/// Only what is more than the largest such change is a gain. In a step of h seconds V changes by at
/// most h g √(2 m T), the weight times the speed of the centre of mass: what jumps farther is no
/// part of that.
#[derive(Clone, Debug)]
pub(super) struct EnergyBalance {
    /// The stiffness of each coordinate's springs, empty if there are none.
    stiffness: Box<[f64]>,
    rest: Box<[f64]>,
    spring: Box<[f64]>,
    mass: f64,
    /// The weight of it, in N.
    weight: f64,
}

/// The balance of a motion so far, in J.
#[derive(Clone, Copy, Debug)]
pub(super) struct Balance {
    /// The least, and the last.
    least: f64,
    last: f64,
    /// The potential energy, and its largest change in a step.
    potential: f64,
    change: f64,
    /// The largest size of an energy.
    scale: f64,
}

impl Default for Balance {
    fn default() -> Self {
        Self {
            least: f64::INFINITY,
            last: f64::INFINITY,
            potential: f64::NAN,
            change: 0.0,
            scale: 0.0,
        }
    }
}

impl EnergyBalance {
    pub fn new(model: &Model) -> Self {
        let mut stiffness = vec![0.0; model.nv()];
        add_coefficients(model, |drive| &drive.stiffness, &mut stiffness);
        if stiffness.iter().all(|k| *k == 0.0) {
            stiffness.clear();
        }
        let mass = model.total_mass();
        let has_springs = !stiffness.is_empty();
        let room = |len: usize| vec![0.0; if has_springs { len } else { 0 }].into();
        Self {
            rest: room(model.nq()),
            spring: room(model.nv()),
            stiffness: stiffness.into(),
            mass,
            weight: mass * model.gravity().norm(),
        }
    }

    /// Whether a step of `h` seconds can be left out.
    pub fn is_at_rest(h: f64, before: &[f64], after: &[f64]) -> bool {
        let mut all = before.iter().chain(after);
        all.all(|v| (h * v).abs() < AT_REST)
    }

    /// Takes the state after a step of `h` seconds, with the energy of tendons in it, and writes
    /// the gain so far to the account.
    pub fn observe(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        (q, v): (&[f64], &[f64]),
        (h, tendons): (f64, f64),
        (balance, account): (&mut Balance, &mut ContactAccount),
    ) -> Result<(), Error> {
        let [kinetic, potential, spring] = self.energies(model, ws, q, v)?;
        let energy = kinetic + potential + spring + tendons;
        let given = account.drive_work + account.force_work;
        balance.last = energy - given;
        balance.scale = balance.scale.max(energy.abs()).max(given.abs());
        balance.least = balance.least.min(balance.last);
        account.kinetic_energy = account.kinetic_energy.max(kinetic);
        account.lift = LIFT * self.weight;
        let speed = (2.0 * account.kinetic_energy / self.mass).sqrt();
        // The first one has none before: no number, which counts for nothing.
        let change = (potential - balance.potential).abs();
        let most = h * self.weight * speed;
        let change = if change > most { most } else { change };
        balance.change = balance.change.max(change);
        balance.potential = potential;
        let gain = balance.last - balance.least - balance.change;
        if gain > ROUNDING * balance.scale {
            account.energy_gain = account.energy_gain.max(gain);
        }
        Ok(())
    }

    /// Goes on from a state that was changed since the last one: the balance moves with it.
    pub fn restart(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        (q, v): (&[f64], &[f64]),
        tendons: f64,
        (balance, account): (&mut Balance, &ContactAccount),
    ) -> Result<(), Error> {
        let [kinetic, potential, spring] = self.energies(model, ws, q, v)?;
        let now = kinetic + potential + spring + tendons - account.drive_work - account.force_work;
        balance.least += now - balance.last;
        (balance.last, balance.potential) = (now, potential);
        Ok(())
    }

    /// The kinetic energy, the potential energy, and that of springs.
    fn energies(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        q: &[f64],
        v: &[f64],
    ) -> Result<[f64; 3], Error> {
        let kinetic = model.kinetic_energy(ws, q, v)?;
        let potential = model.potential_energy(ws, q)?;
        Ok([kinetic, potential, self.spring_energy(model, q)])
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
    /// Whether the method gained notable energy: more than 0.5 % of the greatest kinetic energy and
    /// of all work together, and more than [`lift`](Self::lift). The step is then too long for what
    /// moves.
    pub fn gains_energy(&self) -> bool {
        self.gains(NOTABLE)
    }

    /// Whether it gained more than a twentieth of them: what moves is no longer the robot's motion.
    pub fn is_lost(&self) -> bool {
        self.gains(LOST)
    }

    fn gains(&self, part: f64) -> bool {
        self.energy_gain > (part * (self.kinetic_energy + self.total_work)).max(self.lift)
    }
}
