//! The account of steps with contact: errors, work and losses.

use super::energy_balance::{Balance, EnergyBalance};
use super::{Result, SimulationError};
use crate::contact::{
    ContactAccount, ContactImpulse, ContactSample, ContactSource, Drives, StepReport, TimeStepping,
};
use crate::integrator::IntegratorError;
use crate::integrator::forces::ForceModel;
use crate::integrator::stepper::StepState;
use featherline::joint::JointKind;
use featherline::kinematics::{ReferenceFrame, Velocities};
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Quaternion, Vec3};
use featherline::{Error, Workspace};

/// Makes steps with contact and keeps their account, as a [`Simulation`](super::Simulation) does:
/// for loops of one's own over the steps of a [`TimeStepping`].
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::{Drives, TimeStepping};
/// use featherline_sim::simulation::Bookkeeper;
///
/// // Drives lift a pendulum: their work is the energy that it gains, but for what joints took.
/// let model = samples::double_pendulum();
/// let (mut q, mut v) = ([0.0, 0.0], [0.0, 0.0]);
/// let drives = Drives::holding(&model, &[0.5, 0.0])?;
/// let mut stepping = TimeStepping::new(&model)?.with_drives(drives);
/// let mut books = Bookkeeper::new(&model);
/// let mut ws = featherline::Workspace::new(&model);
/// let mut energy = |q: &[f64], v: &[f64]| -> Result<f64, featherline::Error> {
///     Ok(model.kinetic_energy(&mut ws, q, v)? + model.potential_energy(&mut ws, q)?)
/// };
/// let first = energy(&q, &v)?;
/// for k in 0..1000 {
///     let t = 1e-3 * f64::from(k);
///     books.step(&mut stepping, |()| (&[], &[]), t, (&mut q, &mut v), 1e-3)?;
/// }
/// let last = energy(&q, &v)?;
/// let sample = books.sample(stepping.contacts(), last);
/// let balance = first + sample.account.drive_work - sample.other_loss;
/// assert!((last - balance).abs() < 1e-12 * last.abs());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bookkeeper<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    /// The state before the step.
    q: Box<[f64]>,
    v: Box<[f64]>,
    /// The mean of the velocities before and after the step, in the frames before.
    mean: Box<[f64]>,
    books: Books,
    energy: EnergyBalance,
    step: f64,
    /// The work of drives and applied forces in the step.
    work: f64,
    /// The worst step since the sample before.
    worst: Option<StepReport>,
    is_sampled: bool,
    /// Whether the state was changed since the last step.
    is_changed: bool,
}

/// The account of a [`Bookkeeper`] with what it needs to go on, as in a second simulation from the
/// state with which the first one ended.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::TimeStepping;
/// use featherline_sim::simulation::{Bookkeeper, Books};
///
/// let model = samples::double_pendulum();
/// let (mut q, mut v) = ([0.5, 0.0], [0.0, 0.0]);
/// let mut books = Books::default();
/// for k in 0..2_u32 {
///     let mut bookkeeper = Bookkeeper::new(&model);
///     *bookkeeper.books_mut() = books;
///     let mut stepping = TimeStepping::new(&model)?;
///     bookkeeper.step(&mut stepping, |()| (&[], &[]), 1e-3 * f64::from(k), (&mut q, &mut v), 1e-3)?;
///     books = *bookkeeper.books_mut();
///     assert_eq!(bookkeeper.account().steps, u64::from(k) + 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Books {
    account: ContactAccount,
    start_energy: Option<f64>,
    balance: Balance,
}

/// Slower hits, in multiples of what gravity gives in a step, do not rebound in time stepping.
const REST: f64 = 2.0;

impl<'m> Bookkeeper<'m> {
    /// Nothing is booked yet. Memory O(n).
    pub fn new(model: &'m Model) -> Self {
        Self {
            model,
            ws: Workspace::recursive(model),
            q: vec![0.0; model.nq()].into(),
            v: vec![0.0; model.nv()].into(),
            mean: vec![0.0; model.nv()].into(),
            books: Books::default(),
            energy: EnergyBalance::new(model),
            step: 0.0,
            work: 0.0,
            worst: None,
            is_sampled: false,
            is_changed: false,
        }
    }

    /// Makes a step of `h` seconds from the time `t` by [`TimeStepping::step`], and books it.
    /// `applied` tells the joint forces and the forces on bodies (the universe's first, or none)
    /// that the force model applied in the step. Allocates nothing. Cost: that of the step, and
    /// O(n).
    ///
    /// # Errors
    /// Those of the step; the state is then as the step leaves it.
    pub fn step<L: ForceModel, C: ContactSource>(
        &mut self,
        stepping: &mut TimeStepping<'m, L, C>,
        applied: impl FnOnce(&mut L) -> (&[f64], &[Force<f64>]),
        t: f64,
        (q, v): (&mut [f64], &mut [f64]),
        h: f64,
    ) -> Result<StepReport> {
        let step = StepState { t, h, q, v };
        let begun = self.begin(step, &mut |q, v| stepping.tendon_energy(q, v));
        begun.map_err(|source| failed(self.model, step, source))?;
        let report = stepping.step(t, q, v, h).map_err(SimulationError::of)?;
        let step = StepState { t, h, q, v };
        self.book_errors(step, &report);
        self.book_drives(step, stepping.drives_mut());
        let moved_work = stepping.moved_work();
        self.books.account.force_work += moved_work;
        self.work += moved_work;
        let booked = self.book(step, stepping, applied);
        booked.map_err(|source| failed(self.model, step, source))?;
        Ok(report)
    }

    /// Books work, losses and gains of a step that was made.
    fn book<L: ForceModel, C: ContactSource>(
        &mut self,
        step: StepState<'_>,
        stepping: &mut TimeStepping<'m, L, C>,
        applied: impl FnOnce(&mut L) -> (&[f64], &[Force<f64>]),
    ) -> Result<(), Error> {
        self.book_forces(step, applied(stepping.forces_mut()))?;
        self.book_contacts(step, stepping.contacts(), stepping.parts() > 1)?;
        if !EnergyBalance::is_at_rest(step.h, &self.v, step.v) {
            self.balance_energy(step, &mut |q, v| stepping.tendon_energy(q, v))?;
        }
        Ok(())
    }

    /// Remembers the state before a step.
    fn begin(&mut self, step: StepState<'_>, tendons: OfTendons<'_>) -> Result<(), Error> {
        self.q.copy_from_slice(step.q);
        self.v.copy_from_slice(step.v);
        if self.books.start_energy.is_none() {
            self.books.start_energy = Some(energy(self.model, &mut self.ws, step.q, step.v)?);
            return self.balance_energy(step, tendons);
        }
        if std::mem::take(&mut self.is_changed) {
            let (own, books) = (tendons(step.q, step.v)?, &mut self.books);
            let (state, so_far) = ((step.q, step.v), (&mut books.balance, &books.account));
            (self.energy).restart(self.model, &mut self.ws, state, own, so_far)?;
        }
        Ok(())
    }

    /// Takes the energy before the first step or after a step.
    fn balance_energy(&mut self, step: StepState<'_>, tendons: OfTendons<'_>) -> Result<(), Error> {
        let (state, own) = ((step.q, step.v), tendons(step.q, step.v)?);
        let so_far = (&mut self.books.balance, &mut self.books.account);
        (self.energy).observe(self.model, &mut self.ws, state, (step.h, own), so_far)
    }

    /// Errors, work, losses and gains so far.
    pub fn account(&self) -> &ContactAccount {
        &self.books.account
    }

    /// The account with what it needs to go on: that of earlier steps, which led to the state from
    /// which the next one begins, may take its place.
    pub fn books_mut(&mut self) -> &mut Books {
        &mut self.books
    }

    /// Goes on from a state that was changed since the last step: its energy is no gain.
    pub(super) fn restart(&mut self) {
        self.is_changed = true;
    }

    /// The length of the last step, and the state before it; none before the first.
    pub fn last_step(&self) -> Option<(f64, &[f64], &[f64])> {
        (self.step > 0.0).then_some((self.step, &self.q, &self.v))
    }

    /// Books the errors of a step that was made, and finds its mean velocity.
    fn book_errors(&mut self, step: StepState<'_>, report: &StepReport) {
        if std::mem::take(&mut self.is_sampled) {
            self.worst = None;
        }
        let account = &mut self.books.account;
        account.steps += 1;
        account.inexact_steps += u64::from(!report.outcome.has_converged);
        account.residual = account.residual.max(report.outcome.residual);
        account.penetration = account.penetration.max(report.penetration);
        self.worst = Some(self.worst.map_or(*report, |worst| worst.or_worse(*report)));
        self.step = step.h;
        self.find_mean(step.q, step.v);
        self.work = 0.0;
    }

    /// Books the work of the drives, Σ λ (v⁻ + v⁺)/2.
    fn book_drives(&mut self, step: StepState<'_>, drives: &Drives) {
        let impulses = drives.impulses(&self.q, step.v, step.h);
        let work: f64 = impulses.map(|(k, impulse)| impulse * self.mean[k]).sum();
        self.books.account.drive_work += work;
        self.work += work;
    }

    /// Books the work of applied forces, h τ (v⁻ + v⁺)/2 and the same of bodies.
    fn book_forces(
        &mut self,
        step: StepState<'_>,
        (tau, bodies): (&[f64], &[Force<f64>]),
    ) -> Result<(), Error> {
        let mut power: f64 = tau.iter().zip(&*self.mean).map(|(tau, v)| tau * v).sum();
        if !bodies.is_empty() {
            let model = self.model;
            let moving = model.forward_kinematics_velocities(&mut self.ws, &self.q, &self.mean)?;
            for (id, force) in model.joint_ids().zip(bodies.iter().skip(1)) {
                let twist = moving.velocity(id, ReferenceFrame::Local);
                power += force.linear.dot(twist.linear) + force.angular.dot(twist.angular);
            }
        }
        self.books.account.force_work += step.h * power;
        self.work += step.h * power;
        self.books.account.total_work += self.work.abs();
        Ok(())
    }

    /// Books what friction and impacts took, −λ (u⁻ + u⁺)/2 along the plane and the normal.
    fn book_contacts(
        &mut self,
        step: StepState<'_>,
        contacts: &[ContactImpulse],
        is_in_parts: bool,
    ) -> Result<(), Error> {
        let pushing = || contacts.iter().filter(|it| it.normal_impulse() > 0.0);
        if pushing().next().is_none() {
            return Ok(());
        }
        let model = self.model;
        let (mut friction, mut impact) = (0.0, 0.0);
        {
            let moving = model.forward_kinematics_velocities(&mut self.ws, &self.q, &self.mean)?;
            for found in pushing() {
                let seen = approach(&moving, found) + found.contact.surface_velocity;
                let normal = found.normal_impulse() * found.contact.normal.dot(seen);
                impact -= normal;
                friction -= found.impulse.dot(seen) - normal;
            }
        }
        let is_elastic = pushing().any(|it| it.contact.restitution > 0.0);
        if is_in_parts || (is_elastic && self.rebounds(step.h, contacts)?) {
            // The balance has the rebound's impulses, and the velocities between parts.
            let before = energy(model, &mut self.ws, &self.q, &self.v)?;
            let after = energy(model, &mut self.ws, step.q, step.v)?;
            impact = before - after + self.work - friction;
        }
        self.books.account.friction_loss += friction;
        self.books.account.impact_loss += impact;
        Ok(())
    }

    /// Whether something was hit that rebounds.
    fn rebounds(&mut self, h: f64, contacts: &[ContactImpulse]) -> Result<bool, Error> {
        let model = self.model;
        let least = REST * h * model.gravity().norm();
        let moving = model.forward_kinematics_velocities(&mut self.ws, &self.q, &self.v)?;
        let mut elastic = contacts.iter().filter(|it| it.contact.restitution > 0.0);
        Ok(elastic.any(|it| {
            let seen = approach(&moving, it) + it.contact.surface_velocity;
            it.contact.normal.dot(seen) < -least
        }))
    }

    /// (v⁻ + v⁺)/2, with v⁺ in the frames of free bodies before the step.
    fn find_mean(&mut self, q: &[f64], v: &[f64]) {
        for ((mean, before), after) in self.mean.iter_mut().zip(&*self.v).zip(v) {
            *mean = 0.5 * (before + after);
        }
        for joint in self.model.joints() {
            if joint.kind != JointKind::FreeFlyer || joint.mimic.is_some() {
                continue;
            }
            let [before, after] = [&self.q[..], q].map(|q| {
                let q = &q[joint.idx_q..];
                Quaternion::new(q[3], q[4], q[5], q[6]).to_rotation()
            });
            let own = joint.idx_v..joint.idx_v + 3;
            let linear = |v: &[f64]| Vec3::new(v[own.start], v[own.start + 1], v[own.start + 2]);
            let seen = before.tr_mul_vec(after.mul_vec(linear(v)));
            let mean = (linear(&self.v) + seen) * 0.5;
            self.mean[own].copy_from_slice(&mean.to_array());
        }
    }

    /// The contact data of a sample: the contacts of the last step, the worst of the steps since
    /// the sample before, and the account, in which `energy` is the mechanical energy now, in J.
    pub fn sample<'a>(&mut self, contacts: &'a [ContactImpulse], energy: f64) -> ContactSample<'a> {
        self.is_sampled = true;
        let account = self.books.account;
        let start = self.books.start_energy.unwrap_or(energy);
        let given = account.drive_work + account.force_work;
        let taken = account.friction_loss + account.impact_loss;
        ContactSample {
            contacts,
            step: self.step,
            worst: self.worst,
            account,
            other_loss: start - energy + given - taken,
        }
    }
}

fn energy(model: &Model, ws: &mut Workspace<f64>, q: &[f64], v: &[f64]) -> Result<f64, Error> {
    Ok(model.kinetic_energy(ws, q, v)? + model.potential_energy(ws, q)?)
}

/// The velocity of the second body's point less that of the first, in the world.
fn approach(moving: &Velocities<'_, f64>, found: &ContactImpulse) -> Vec3<f64> {
    let [a, b] = found.contact.bodies.map(|body| {
        if body == JointId::UNIVERSE {
            return Vec3::zero();
        }
        let twist = moving.velocity(body, ReferenceFrame::World);
        twist.linear + twist.angular.cross(found.contact.point)
    });
    b - a
}

/// The energy of tendons in a state, in J.
type OfTendons<'a> = &'a mut dyn FnMut(&[f64], &[f64]) -> Result<f64, Error>;

fn failed(model: &Model, step: StepState<'_>, source: Error) -> SimulationError {
    SimulationError::Integrator(IntegratorError::at(model, step.t, step.v, source))
}
