//! The state that a simulation keeps from run to run.

use super::contact_setup::ContactSetup;
use super::recording::Log;
use super::run::{Clock, LastStep};
use super::stepping::Stepping;
use featherline::Model;
use featherline_sim::contact::{ContactSource, Drives, MovedBodies};
use featherline_sim::integrator::forces::JointLimits;
use featherline_sim::simulation::{Books, Conservation, LimitMonitor, SimulationWarning};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The state that is kept from run to run.
pub struct Inner {
    pub log: Log,
    pub conservation: Conservation,
    pub limits: Option<JointLimits>,
    /// Which joints went beyond their limits since the state was set.
    pub monitor: LimitMonitor,
    pub held: Vec<f64>,
    pub drives: Drives,
    /// The bodies that callers move.
    pub moved: MovedBodies,
    /// Their targets where the simulation began, by coordinate.
    first_targets: Vec<(usize, f64)>,
    /// The account up to the last run; steps that go on from call to call keep theirs.
    pub books: Books,
    pub last_step: Option<LastStep>,
    /// Steps that go on from call to call.
    pub stepping: Option<Stepping>,
    /// When steps of dt began that go on, and how many there were: times of theirs have one
    /// rounding.
    pub ticks: Option<(f64, u64)>,
    pub clock: Option<Clock>,
    /// Whether something but gravity acted since the state was set.
    pub acted: bool,
    /// The state with which the last run ended.
    pub last: Option<(f64, Vec<f64>, Vec<f64>)>,
    pub warnings: Vec<SimulationWarning>,
    pub happened: Vec<Py<PyAny>>,
    pub stopped_by: Option<String>,
}

impl Inner {
    /// Before the first run.
    pub fn new(
        model: &Model,
        limits: Option<JointLimits>,
        touching: &ContactSetup,
        drives: Drives,
        has_contacts: bool,
    ) -> Self {
        let pairs = has_contacts.then(|| touching.contacts.body_pairs());
        Self {
            log: Log::new(model, touching.names.clone(), pairs),
            first_targets: drives.targets().collect(),
            drives,
            moved: touching.moved.clone(),
            books: Books::default(),
            last_step: None,
            stepping: None,
            ticks: None,
            conservation: Conservation::new(model),
            limits,
            monitor: LimitMonitor::new(model),
            held: vec![0.0; model.nv()],
            clock: None,
            acted: false,
            last: None,
            warnings: Vec::new(),
            happened: Vec::new(),
            stopped_by: None,
        }
    }

    /// Whether the targets (nv,) of the drives are those with which they began.
    pub fn are_targets_kept(&self, targets: &[f64]) -> bool {
        let mut first = self.first_targets.iter();
        first.all(|&(coordinate, target)| targets[coordinate] == target)
    }

    /// Whether the last run ended in this state.
    pub fn ended_at(&self, t: f64, q: &[f64], v: &[f64]) -> bool {
        let last = self.last.as_ref();
        last.is_some_and(|(last_t, last_q, last_v)| *last_t == t && last_q == q && last_v == v)
    }

    /// Lets a controller be asked at a period, from now on if that is another one.
    pub fn set_period(&mut self, period: Option<f64>, now: f64) {
        if let Some(period) = period
            && self.clock.as_ref().is_none_or(|it| it.period != period)
        {
            self.clock = Some(Clock::new(period, now));
        }
    }

    /// Takes the drives away.
    pub fn remove_drives(&mut self) {
        self.drives = Drives::none();
        if let Some(stepping) = &mut self.stepping {
            *stepping.drives() = Drives::none();
        }
    }

    /// The joint forces (nv,) of the drives in the step that led to a state.
    pub fn drive_forces(&mut self, model: &Model, q: &[f64], v: &[f64]) -> PyResult<Vec<f64>> {
        let mut tau = vec![0.0; v.len()];
        let drives = match &mut self.stepping {
            Some(stepping) => stepping.drives(),
            None => {
                let placed = self.drives.place(model, q);
                placed.map_err(|error| PyValueError::new_err(error.to_string()))?;
                &mut self.drives
            }
        };
        drives.add_forces(q, v, &mut tau);
        Ok(tau)
    }
}
