//! Time stepping that goes on from call to call: it keeps the impulses of the last step.

use super::contact_setup::{ContactPoint, ContactSetup};
use featherline::Model;
use featherline::spatial::Force;
use featherline_sim::contact::{
    self as sim, CollisionContacts, ContactAccount, ContactSample, Drives, MovedBodies, StepReport,
    TimeStepping,
};
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{ForceModel, Loads, State};
use featherline_sim::setup::StatedForces;
use featherline_sim::simulation::{Bookkeeper, Books, EffortLimits, SimulationError};
use pyo3::prelude::*;
use std::sync::Arc;

/// Forces that act in the next step.
#[derive(Default)]
pub struct AppliedForces {
    /// The joint forces that were asked for.
    tau: Vec<f64>,
    /// Those that act: kept within the limits of effort.
    bounded: Vec<f64>,
    effort: EffortLimits,
    /// On the bodies of the joints, the universe's first; empty where none act.
    pub bodies: Vec<Force<f64>>,
    /// Those that the file states.
    stated: Vec<Box<dyn ForceModel + Send>>,
    /// All that acted on bodies last.
    acting: Vec<Force<f64>>,
}

impl AppliedForces {
    /// Asks for joint forces, nv entries, or none at all.
    pub fn ask(&mut self, tau: &[f64]) {
        self.tau.clear();
        self.tau.extend_from_slice(tau);
        self.bounded.clone_from(&self.tau);
        self.effort.bound(&mut self.bounded);
    }
}

impl AppliedForces {
    /// The joint forces, and the forces on bodies, if there are any, of the last step.
    fn acted(&self) -> (&[f64], &[Force<f64>]) {
        match self.acts_on_bodies() {
            true => (&self.bounded, &self.acting),
            false => (&self.bounded, &[]),
        }
    }
}

impl ForceModel for AppliedForces {
    fn add(&mut self, state: &State<'_>, loads: &mut Loads<'_>) -> Result<(), IntegratorError> {
        for (sum, force) in loads.tau.iter_mut().zip(&self.bounded) {
            *sum += force;
        }
        if self.acts_on_bodies() {
            for (sum, force) in loads.bodies.iter_mut().zip(&self.bodies) {
                *sum += *force;
            }
            for stated in &mut self.stated {
                stated.add(state, loads)?;
            }
            self.acting.clear();
            self.acting.extend_from_slice(loads.bodies);
        }
        Ok(())
    }

    fn acts_on_bodies(&self) -> bool {
        !self.bodies.is_empty() || !self.stated.is_empty()
    }

    fn controls(&self) -> &[f64] {
        &self.tau
    }
}

/// The data that a step leaves to the next one besides the state: impulses of contacts and limits,
/// which drives are at the limit of their effort, and the motion of moved bodies. With it a copied
/// state goes on with the same bits.
#[pyclass(frozen, module = "featherline", name = "WarmStart", weakref)]
pub struct WarmStart(pub sim::WarmStart, pub MovedBodies);

#[pymethods]
impl WarmStart {
    /// How many constraints have an impulse.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<featherline.WarmStart of {} impulses>", self.0.len())
    }
}

/// A robot in steps.
pub struct Stepping {
    /// Before the model, which it refers to: fields are dropped in this order.
    own: TimeStepping<'static, AppliedForces, CollisionContacts>,
    /// The account of the steps, and the model that it needs, likewise before it.
    bookkeeper: Box<Bookkeeper<'static>>,
    core: &'static Model,
    #[expect(dead_code)] // it keeps what the field above refers to
    model: Arc<Model>,
    /// The state before the last step.
    before: Option<(Vec<f64>, Vec<f64>)>,
}

impl Stepping {
    /// At rest, without impulses.
    pub fn new(
        model: Arc<Model>,
        touching: &ContactSetup,
        drives: Drives,
        (effort, stated): (EffortLimits, &StatedForces),
    ) -> Result<Self, IntegratorError> {
        #[expect(unsafe_code)]
        // SAFETY: the model is in the heap memory of an `Arc` that `Self` keeps until the field
        // that refers to it, which is declared before it, is dropped; nobody changes it.
        let core: &'static Model = unsafe { &*Arc::as_ptr(&model) };
        let own = TimeStepping::with(
            core,
            AppliedForces {
                effort,
                stated: stated.models(core),
                ..AppliedForces::default()
            },
            CollisionContacts::clone(&touching.contacts),
        )?;
        Ok(Self {
            own: own
                .with_drives(drives)
                .with_laws(touching.laws)
                .with_tendons(stated.tendons(), stated.equalities())
                .with_moved(touching.moved.clone())?,
            bookkeeper: Box::new(Bookkeeper::new(core)),
            core,
            model,
            before: None,
        })
    }

    /// Goes on with an account.
    pub fn begin_account(&mut self, books: Books) {
        *self.bookkeeper = Bookkeeper::new(self.core);
        *self.bookkeeper.books_mut() = books;
    }

    /// Makes a step of `h` seconds from the time `t`, and books it.
    pub fn step(
        &mut self,
        t: f64,
        (q, v): (&mut [f64], &mut [f64]),
        h: f64,
    ) -> Result<StepReport, SimulationError> {
        self.remember(q, v);
        let books = &mut self.bookkeeper;
        books.step(&mut self.own, |it| it.acted(), t, (q, v), h)
    }

    /// The contact data of a sample, with the energy that there is.
    pub fn contact_sample(&mut self, energy: f64) -> ContactSample<'_> {
        let contacts = match self.bookkeeper.last_step() {
            Some(_) => self.own.contacts(),
            None => &[],
        };
        self.bookkeeper.sample(contacts, energy)
    }

    /// Errors, work, losses and gains so far.
    pub fn account(&self) -> &ContactAccount {
        self.bookkeeper.account()
    }

    /// The account, to go on with.
    pub fn books(&mut self) -> Books {
        *self.bookkeeper.books_mut()
    }

    fn remember(&mut self, q: &[f64], v: &[f64]) {
        let before = self.before.get_or_insert_with(|| (q.to_vec(), v.to_vec()));
        before.0.copy_from_slice(q);
        before.1.copy_from_slice(v);
    }

    /// The state before the last step.
    pub fn before(&self) -> Option<&(Vec<f64>, Vec<f64>)> {
        self.before.as_ref()
    }

    /// The forces of the next step.
    pub fn applied(&mut self) -> &mut AppliedForces {
        self.own.forces_mut()
    }

    /// The drives.
    pub fn drives(&mut self) -> &mut Drives {
        self.own.drives_mut()
    }

    /// The bodies that callers move.
    pub fn moved(&mut self) -> &mut MovedBodies {
        self.own.moved_mut()
    }

    /// The contacts of the last step, which had `h` seconds.
    pub fn touches(&self, touching: &ContactSetup, h: f64) -> Vec<ContactPoint> {
        ContactPoint::all(touching.contacts.model(), self.own.contacts(), h)
    }

    /// The warm start that the last step leaves to the next one.
    pub fn warm_start(&self) -> sim::WarmStart {
        let mut kept = sim::WarmStart::default();
        self.own.keep_warm_start(&mut kept);
        kept
    }

    /// Goes on as after the step that it was kept of.
    pub fn set_warm_start(&mut self, from: &sim::WarmStart) {
        self.own.set_warm_start(from);
        self.before = None;
        self.begin_account(Books::default());
    }

    /// Forgets the impulses of the last step.
    pub fn forget(&mut self) {
        self.own.forget();
        self.before = None;
        self.begin_account(Books::default());
    }
}
