//! One run of a simulation, without the interpreter but where Python functions are called.

use super::advance::failure;
use super::callbacks::{Drive, EventRecord, External, ExternalForces, RaisedError, Watch, event};
use super::contact_setup::{ContactPoint, ContactSetup};
use super::controller::Control;
use super::controls::DriveInputs;
use super::event::Event;
use super::options::Options;
use super::recording::Steps;
use crate::model::Model;
use featherline::model::JointId;
use featherline_geometry::CollisionModel;
use featherline_record::{write_row, write_row_with_contacts};
use featherline_sim::contact::{CollisionContacts, ContactSource, Drives, MovedBodies, StepReport};
use featherline_sim::integrator::IntegratorError;
use featherline_sim::integrator::forces::{ForceModel, JointLimits, State};
use featherline_sim::simulation::{
    Books, Conservation, Controller, LimitMonitor, Recorder, RecorderError, Sample, Simulation,
    SimulationError, SimulationWarning, Simulator,
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

/// A part of the shortest period that is rounding of times.
const ROUNDING: f64 = 1e-6;

/// When a controller is due: at whole multiples of its period, each computed by itself, so that
/// they don't drift.
#[derive(Clone, Debug)]
pub struct Clock {
    pub period: f64,
    origin: f64,
    ticks: u64,
}

impl Clock {
    /// Due at once.
    pub fn new(period: f64, now: f64) -> Self {
        Self {
            period,
            origin: now,
            ticks: 0,
        }
    }

    fn next(&self) -> f64 {
        self.origin + self.period * self.ticks as f64
    }

    /// Whether it is due, and then counts all times up to now.
    pub fn is_due(&mut self, now: f64) -> bool {
        let rounding = ROUNDING * self.period;
        if self.next() > now + rounding {
            return false;
        }
        self.ticks = ((now - self.origin) / self.period + ROUNDING).floor() as u64 + 1;
        true
    }
}

/// The inputs of a run.
pub struct Run<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub control: &'a Control,
    pub external: Option<&'a External>,
    pub events: &'a [Py<Event>],
    pub limits: Option<&'a JointLimits>,
    /// Of time stepping.
    pub contact: Option<Contact<'a>>,
    pub progress: Option<&'a Py<PyAny>>,
    pub seconds: f64,
    pub every: f64,
    pub keeps_rows: bool,
    /// Whether the state is that with which the last run ended.
    pub goes_on: bool,
    pub assemble: bool,
}

/// The contacts of a run, and the drives of the joints.
pub struct Contact<'a> {
    pub touching: &'a ContactSetup,
    pub drives: &'a Drives,
    /// The inputs of the drives, also by a controller.
    pub asked: &'a DriveInputs,
}

/// The targets of drives, which callers write.
pub fn targets(array: &Bound<'_, PyArray1<f64>>) -> PyResult<Vec<f64>> {
    let own = array.readonly().as_slice()?.to_vec();
    match own.iter().position(|target| !target.is_finite()) {
        None => Ok(own),
        Some(k) => Err(PyValueError::new_err(format!("targets[{k}] is {}", own[k]))),
    }
}

/// The last step of time stepping: what it was, and the states before and after it.
pub struct LastStep {
    pub h: f64,
    pub before: (Vec<f64>, Vec<f64>),
    pub after: (Vec<f64>, Vec<f64>),
    pub touches: Vec<ContactPoint>,
    /// None where nobody asked for it.
    pub report: Option<StepReport>,
}

/// The state that a run changes.
pub struct Progress<'a> {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// The joint forces that are held.
    pub held: &'a mut Vec<f64>,
    /// The bodies that callers move.
    pub moved: &'a mut MovedBodies,
    pub clock: Option<&'a mut Clock>,
    pub conservation: &'a mut Conservation,
    pub monitor: &'a mut LimitMonitor,
    pub rows: Vec<f64>,
    /// A row for each of `rows`, of time stepping.
    pub steps: Steps,
    /// The account of time stepping.
    pub books: Books,
    pub last_step: Option<LastStep>,
    /// The states of filters and integrators of drives.
    pub activations: Vec<f64>,
    /// The forces at the start, if its sample is that of the last run's end.
    pub first_tau: Option<Vec<f64>>,
    pub happened: Vec<EventRecord>,
    pub stopped_by: Option<String>,
    pub warnings: Vec<SimulationWarning>,
}

/// Why a run, or some steps, ended early.
pub struct RunError(pub PyErr);

impl From<PyErr> for RunError {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<SimulationError> for RunError {
    fn from(error: SimulationError) -> Self {
        Self(failure(error))
    }
}

impl From<IntegratorError> for RunError {
    fn from(error: IntegratorError) -> Self {
        Self(failure(error.into()))
    }
}

/// Takes the samples of a run in portions.
struct Samples<'a> {
    model: &'a featherline::Model,
    rows: &'a mut Vec<f64>,
    steps: &'a mut Steps,
    collision: Option<&'a CollisionModel>,
    /// The pairs of bodies that can touch, of time stepping.
    pairs: Vec<[JointId; 2]>,
    /// The worst of the steps since the last sample that was kept, and that of the last sample.
    worst: Option<StepReport>,
    latest: Option<StepReport>,
    first_tau: &'a mut Option<Vec<f64>>,
    conservation: &'a mut Conservation,
    monitor: &'a mut LimitMonitor,
    keeps_rows: bool,
    /// Whether the first sample of a portion is new.
    keeps_first: bool,
    /// Whether the last sample of a portion is asked for.
    keeps_last: bool,
    is_first: bool,
    /// When the portion ends.
    end: f64,
    last: f64,
}

impl Samples<'_> {
    fn keep(&mut self, sample: &Sample<'_>) {
        let Some((collision, contact)) = self.collision.zip(sample.contact) else {
            write_row(self.model, sample, self.rows);
            return;
        };
        let mut own = contact;
        own.worst = self.worst.take();
        let touches = ContactPoint::all(collision, own.contacts, own.step);
        self.steps.push(own.worst, touches);
        let mut sample = *sample;
        sample.contact = Some(own);
        write_row_with_contacts(self.model, &self.pairs, &sample, self.rows);
    }

    fn look(&mut self, sample: &Sample<'_>) {
        if let Some(report) = sample.contact.and_then(|contact| contact.worst) {
            self.latest = Some(report);
            self.worst = Some(self.worst.map_or(report, |worst| worst.or_worse(report)));
        }
    }
}

impl Recorder for Samples<'_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.look(sample);
        let is_kept = if self.is_first {
            if !self.keeps_first {
                self.first_tau.get_or_insert_with(|| sample.tau.to_vec());
            }
            self.keeps_first
        } else {
            self.keeps_last || sample.t < self.end
        };
        self.is_first = false;
        if is_kept {
            self.last = sample.t;
            let _ = self.conservation.record(sample)?;
            let _ = self.monitor.record(sample)?;
            if self.keeps_rows {
                self.keep(sample);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn record_change(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let _ = self.conservation.record_change(sample)?;
        let _ = self.monitor.record(sample)?;
        if self.keeps_rows {
            self.keep(sample);
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Run<'_> {
    /// Goes on; what was reached stands also where it fails.
    pub fn go(&self, progress: &mut Progress<'_>) -> Result<(), RunError> {
        let raised = RaisedError::default();
        let happened = Rc::new(RefCell::new(Vec::new()));
        let outcome = self.start(&raised, &happened, progress);
        progress.happened = happened.take();
        raised.take().map_or(outcome, |error| Err(RunError(error)))
    }

    fn start(
        &self,
        raised: &RaisedError,
        happened: &Rc<RefCell<Vec<EventRecord>>>,
        progress: &mut Progress<'_>,
    ) -> Result<(), RunError> {
        let model = &*self.model.model;
        let mut forces: Vec<Box<dyn ForceModel + '_>> = self.options.forces(model, self.limits)?;
        if let Some(external) = self.external {
            forces.push(Box::new(ExternalForces {
                external,
                model: self.model,
                raised: raised.clone(),
            }));
        }
        let mut controller = self.control.controller(model, raised)?;
        let held = Rc::new(RefCell::new(match self.control {
            Control::Constant(tau) => tau.clone(),
            Control::Gravity | Control::ProportionalDerivative { .. } | Control::Python(_) => {
                progress.held.clone()
            }
        }));
        // A controller with a period is asked between portions of the run, others in them.
        let mut sampled = match progress.clock {
            Some(_) => controller.take(),
            None => None,
        };
        if progress.clock.is_none() && !matches!(self.control, Control::Constant(_)) {
            held.borrow_mut().fill(0.0);
        }
        let drive = Drive {
            held: Rc::clone(&held),
            continuous: controller,
            watch: Watch::new(self.progress, raised.clone()),
        };
        let mut simulator = Simulator::new(model, self.options.method(model)?)
            .with_controller(drive)
            .with_forces(forces)
            .with_loops_kept(self.options.loops);
        if !self.options.effort_limits {
            simulator = simulator.without_effort_limits();
        }
        for own in self.events {
            simulator = simulator.with_event(event(own.get(), raised, happened));
        }
        if let Some(contact) = &self.contact {
            simulator = simulator
                .with_contacts(CollisionContacts::clone(&contact.touching.contacts))
                .with_contact_laws(contact.touching.laws)
                .with_drives(contact.drives.clone())
                .with_tendons(
                    self.options.stated.tendons(),
                    self.options.stated.equalities(),
                )
                .with_moved(progress.moved.clone());
        }
        let (t, q, v) = (progress.t, &progress.q[..], &progress.v[..]);
        let mut simulation = match self.assemble {
            true => simulator.start_assembled(t, q, v)?,
            false => simulator.start(t, q, v)?,
        };
        if let Some(books) = simulation.books_mut() {
            *books = progress.books;
        }
        let mut samples = Samples {
            model,
            rows: &mut progress.rows,
            steps: &mut progress.steps,
            collision: self.contact.as_ref().map(|it| it.touching.contacts.model()),
            pairs: self
                .contact
                .as_ref()
                .map_or_else(Vec::new, |it| it.touching.contacts.body_pairs()),
            worst: None,
            latest: None,
            first_tau: &mut progress.first_tau,
            conservation: progress.conservation,
            monitor: progress.monitor,
            keeps_rows: self.keeps_rows,
            keeps_first: !self.goes_on,
            keeps_last: true,
            is_first: true,
            end: t + self.seconds,
            last: f64::NAN,
        };
        let outcome = match (&mut sampled, &mut progress.clock) {
            (Some(controller), Some(clock)) => {
                self.in_portions(&mut simulation, &mut samples, controller, clock, &held)
            }
            _ => (simulation.run(self.seconds, self.every, &mut samples)).map_err(RunError::from),
        };
        let mut warnings = simulation.warnings().to_vec();
        // It means nothing of a motion that failed.
        if outcome.is_ok() {
            let tolerated = self.options.tolerated_excess();
            warnings.extend(samples.monitor.new_warning(tolerated));
        }
        progress.warnings = warnings;
        let report = samples.latest;
        progress.last_step = simulation.last_step().map(|(h, q, v)| LastStep {
            h,
            before: (q.to_vec(), v.to_vec()),
            after: (
                simulation.configuration().to_vec(),
                simulation.velocity().to_vec(),
            ),
            touches: self.contact.as_ref().map_or_else(Vec::new, |it| {
                ContactPoint::all(it.touching.contacts.model(), simulation.contacts(), h)
            }),
            report,
        });
        progress.stopped_by = simulation.stopped_by().map(str::to_owned);
        if let Some(books) = simulation.books_mut() {
            progress.books = *books;
        }
        if let Some(moved) = simulation.moved_mut() {
            progress.moved.set_motion(moved);
        }
        if let Some(drives) = simulation.drives_mut() {
            progress.activations = drives.activations().collect();
        }
        progress.t = simulation.time();
        progress.q = simulation.configuration().to_vec();
        progress.v = simulation.velocity().to_vec();
        drop(simulation);
        *progress.held = held.take();
        outcome
    }

    /// Runs from one time at which a controller is due, or a sample, to the next.
    fn in_portions(
        &self,
        simulation: &mut Simulation<'_>,
        samples: &mut Samples<'_>,
        controller: &mut Box<dyn Controller + '_>,
        clock: &mut Clock,
        held: &RefCell<Vec<f64>>,
    ) -> Result<(), RunError> {
        let start = simulation.time();
        let end = start + self.seconds;
        let rounding = ROUNDING * self.every.min(clock.period);
        let mut taken = 0_u64;
        let mut is_sample = true;
        loop {
            let now = simulation.time();
            if clock.is_due(now) {
                let mut tau = vec![0.0; held.borrow().len()];
                let state = State {
                    t: now,
                    q: simulation.configuration(),
                    v: simulation.velocity(),
                };
                controller.drive(&state, &mut tau)?;
                *held.borrow_mut() = tau;
                if let (Some(contact), Control::Python(_)) = (&self.contact, self.control) {
                    // The controller may have moved them.
                    if let Some(drives) = simulation.drives_mut() {
                        Python::attach(|py| contact.asked.ask(py, drives))?;
                    }
                }
            }
            if is_sample {
                taken += 1;
            }
            let sample = start + self.every * taken as f64;
            let mut until = sample.min(clock.next()).min(end);
            if end - until < rounding {
                until = end;
            }
            samples.keeps_first = is_sample && (taken > 1 || !self.goes_on);
            samples.is_first = true;
            samples.keeps_last = until == end;
            samples.end = now + (until - now);
            let step = until - now;
            // Nothing is left where a run of no length asks for its one sample.
            let every = if step > 0.0 { step } else { self.every };
            simulation.run(step, every, samples)?;
            if simulation.stopped_by().is_some() {
                if samples.last < simulation.time() {
                    samples.keeps_last = true;
                    let sample = simulation.sample()?;
                    samples.is_first = false;
                    let _ = samples
                        .record(&sample)
                        .map_err(|source| SimulationError::Recorder { t: now, source })?;
                }
                return Ok(());
            }
            if until == end {
                return Ok(());
            }
            is_sample = sample - until < rounding;
        }
    }
}
