//! Detects in which steps events happen, and takes their actions.

use super::super::step_count::Steps;
use super::super::{Result, SimulationError};
use super::{Direction, Event, Occurrence};
use crate::integrator::DenseOutput;
use featherline::model::Model;
use std::ops::ControlFlow;

/// Events within this part of a step happen at the same time.
const TOGETHER: f64 = 1e-9;

/// A state and its time.
#[derive(Debug)]
pub(in super::super) struct TimedState {
    pub t: f64,
    pub q: Box<[f64]>,
    pub v: Box<[f64]>,
}

impl TimedState {
    fn neutral(model: &Model) -> Self {
        Self {
            t: 0.0,
            q: model.neutral_configuration().into(),
            v: vec![0.0; model.nv()].into(),
        }
    }

    pub fn set(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t = t;
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
    }
}

// A derived `clone_from` would allocate.
impl Clone for TimedState {
    fn clone(&self) -> Self {
        Self {
            t: self.t,
            q: self.q.clone(),
            v: self.v.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.set(source.t, &source.q, &source.v);
    }
}

/// An event with the sign of its function.
pub(in super::super) struct DetectedEvent<'m> {
    event: Event<'m>,
    /// The sign of the function before the step; zero where it is not known.
    sign: f64,
    /// Its value at the end of the step.
    pub at_end: f64,
    /// When it crosses zero within the step.
    pub crossing: Option<f64>,
    /// Whether its action has changed the state with which the step begins.
    pub has_acted: bool,
}

/// All events of a simulation, and memory to find them.
pub(in super::super) struct EventDetector<'m> {
    pub all: Vec<DetectedEvent<'m>>,
    has_begun: bool,
    stopped_by: Option<usize>,
    /// The beginning and the end of a step, and a state in between.
    pub begin: TimedState,
    pub end: TimedState,
    pub between: TimedState,
    /// The velocity before the actions.
    before: Box<[f64]>,
    /// The motion in between, of methods that have no such output of their own.
    cubic: DenseOutput<'m>,
}

impl<'m> EventDetector<'m> {
    pub fn new(model: &'m Model, events: Vec<Event<'m>>) -> Self {
        let detected = |event| DetectedEvent {
            event,
            sign: 0.0,
            at_end: 0.0,
            crossing: None,
            has_acted: false,
        };
        Self {
            all: events.into_iter().map(detected).collect(),
            has_begun: false,
            stopped_by: None,
            begin: TimedState::neutral(model),
            end: TimedState::neutral(model),
            between: TimedState::neutral(model),
            before: vec![0.0; model.nv()].into(),
            cubic: DenseOutput::new(model),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn name(&self, i: usize) -> &str {
        &self.all[i].event.name
    }

    /// The name of the event that ended the last run, if one has.
    pub fn stopped_by(&self) -> Option<&str> {
        self.stopped_by.map(|i| self.name(i))
    }

    /// Finds the signs of the functions at the start.
    pub(super) fn begin(&mut self, state: &TimedState) -> Result<()> {
        self.stopped_by = None;
        if !self.has_begun {
            for event in &mut self.all {
                event.sign = sign(event.value(state.t, &state.q, &state.v)?);
            }
            self.has_begun = true;
        }
        Ok(())
    }

    /// Keeps the state in which a step begins.
    pub(super) fn begin_step(&mut self, state: &TimedState) {
        if !self.is_empty() {
            self.begin.clone_from(state);
        }
    }

    /// Evaluates the functions after one of equal steps, and returns whether one may have crossed
    /// zero. The state gets the time at which the next step begins.
    pub fn look_after(&mut self, steps: &Steps, state: &mut TimedState) -> Result<bool> {
        if self.is_empty() {
            return Ok(false);
        }
        state.t = steps.now();
        self.look(state.t, &state.q, &state.v)
    }

    /// The cubic through both ends of the step, for methods without dense output.
    pub fn prepare_cubic(&mut self) -> Result<()> {
        let ends = [&self.begin, &self.end].map(|end| (end.t, &end.q[..], &end.v[..]));
        Ok(self.cubic.between(ends[0], ends[1])?)
    }

    /// Writes the cubic's state at the time `t` to `between`.
    pub fn interpolate_cubic(&mut self, t: f64) -> Result<()> {
        let (q, v) = self.cubic.at(t)?;
        self.between.set(t, q, v);
        Ok(())
    }

    /// Evaluates the functions at the end of a step, and returns whether one may have crossed zero.
    pub fn look(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<bool> {
        let mut any = false;
        for event in &mut self.all {
            event.at_end = event.value(t, q, v)?;
            let now = sign(event.at_end);
            if event.sign == 0.0 {
                event.sign = now;
            }
            any |= now != event.sign;
        }
        if !any {
            for event in &mut self.all {
                event.has_acted = false;
            }
        }
        Ok(any)
    }

    /// The value of a function in between.
    pub(super) fn value_between(&mut self, i: usize) -> Result<f64> {
        let TimedState { t, q, v } = &self.between;
        self.all[i].value(*t, q, v)
    }

    /// The time of the step's next crossing that counts.
    pub(super) fn next(&self) -> Option<f64> {
        let times = self.all.iter().filter_map(|event| event.crossing);
        times.reduce(f64::min)
    }

    /// Takes the actions of all events at the time `now`, on the state between. Returns whether
    /// they have changed it, and whether one ends the run.
    pub(super) fn act(&mut self, now: f64) -> Result<(bool, ControlFlow<()>)> {
        self.before.copy_from_slice(&self.between.v);
        let soon = now + TOGETHER * (self.end.t - self.begin.t);
        let mut flow = ControlFlow::Continue(());
        for (i, event) in self.all.iter_mut().enumerate() {
            event.has_acted = false;
            if event.crossing.is_none_or(|t| t > soon) {
                continue;
            }
            event.crossing = None;
            event.has_acted = true;
            let mut occurrence = Occurrence {
                t: self.between.t,
                q: &self.between.q,
                v: &mut self.between.v,
            };
            if (event.event.action)(&mut occurrence).is_break() {
                self.stopped_by.get_or_insert(i);
                flow = ControlFlow::Break(());
            }
            if let Some(index) = self.between.v.iter().position(|rate| !rate.is_finite()) {
                let (event, t) = (event.event.name.clone(), self.between.t);
                return Err(SimulationError::ActionNotFinite { event, t, index });
            }
        }
        Ok((self.before != self.between.v, flow))
    }

    /// After events that have changed nothing: those that acted are over.
    pub(super) fn pass(&mut self) {
        for event in &mut self.all {
            if event.has_acted {
                event.accept_sign();
            }
        }
    }

    /// Ends the step at the state between, and drops its later crossings.
    pub(super) fn cut(&mut self) -> Result<()> {
        let TimedState { t, q, v } = &self.between;
        for event in &mut self.all {
            event.crossing = None;
            // Where the velocity has jumped, others may have another sign; the function of an event
            // that acted is zero.
            if !event.has_acted {
                event.sign = sign(event.value(*t, q, v)?);
            }
        }
        Ok(())
    }
}

impl DetectedEvent<'_> {
    fn value(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<f64> {
        let value = (self.event.function)(t, q, v);
        if value.is_finite() {
            return Ok(value);
        }
        let event = self.event.name.clone();
        Err(SimulationError::EventNotFinite { event, t, value })
    }

    /// Whether the function may have crossed zero.
    pub(super) fn may_cross(&self) -> bool {
        sign(self.at_end) != self.sign
    }

    /// Whether a value has the sign of the function before the step.
    pub(super) fn has_sign_of(&self, value: f64) -> bool {
        sign(value) == self.sign
    }

    /// Whether crossings from the present sign count.
    pub(super) fn counts(&self) -> bool {
        match self.event.direction {
            Direction::Either => true,
            Direction::Rising => self.sign < 0.0,
            Direction::Falling => self.sign > 0.0,
        }
    }

    /// Accepts the sign at the end of the step.
    pub(super) fn accept_sign(&mut self) {
        self.sign = sign(self.at_end);
        self.has_acted = false;
    }
}

/// −1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
