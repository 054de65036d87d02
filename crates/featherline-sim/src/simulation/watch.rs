//! What is known of the events of a simulation.

use super::{Direction, Event, Occurrence, SimulationError};
use crate::integrator::DenseOutput;
use featherline::model::Model;
use std::ops::ControlFlow;

/// Events within this part of a step happen at the same time.
const TOGETHER: f64 = 1e-9;

/// A state and its time.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub t: f64,
    pub q: Box<[f64]>,
    pub v: Box<[f64]>,
}

impl Moment {
    fn of(model: &Model) -> Self {
        Self {
            t: 0.0,
            q: model.neutral_configuration().into(),
            v: vec![0.0; model.nv()].into(),
        }
    }

    pub(super) fn set(&mut self, t: f64, q: &[f64], v: &[f64]) {
        self.t = t;
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
    }
}

/// An event and where its function stands.
pub(super) struct Watched<'m> {
    event: Event<'m>,
    /// The sign that the function has, as far as is known; zero where it isn't.
    side: f64,
    /// Its value at the end of the step.
    pub at_end: f64,
    /// When it passes through zero within the step.
    pub passes: Option<f64>,
    /// Whether its action has changed the state with which the step begins.
    pub has_acted: bool,
}

/// All events of a simulation, and memory to find them.
pub(super) struct Watch<'m> {
    pub events: Vec<Watched<'m>>,
    has_begun: bool,
    pub stopped_by: Option<usize>,
    /// The beginning and the end of a step, and a state in between.
    pub begin: Moment,
    pub end: Moment,
    pub between: Moment,
    /// The velocity before the actions.
    before: Box<[f64]>,
    /// The motion in between, of methods that have no such output of their own.
    pub dense: DenseOutput<'m>,
}

impl<'m> Watch<'m> {
    pub(super) fn new(model: &'m Model, events: Vec<Event<'m>>) -> Self {
        let watched = |event| Watched {
            event,
            side: 0.0,
            at_end: 0.0,
            passes: None,
            has_acted: false,
        };
        Self {
            events: events.into_iter().map(watched).collect(),
            has_begun: false,
            stopped_by: None,
            begin: Moment::of(model),
            end: Moment::of(model),
            between: Moment::of(model),
            before: vec![0.0; model.nv()].into(),
            dense: DenseOutput::new(model),
        }
    }

    pub(super) fn name(&self, i: usize) -> &str {
        &self.events[i].event.name
    }

    /// Sees where the functions stand at the start.
    pub(super) fn begin(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        self.stopped_by = None;
        if !self.has_begun {
            for watched in &mut self.events {
                watched.side = sign(watched.value(t, q, v)?);
            }
            self.has_begun = true;
        }
        Ok(())
    }

    /// Sees where the functions stand at the end of a step. Whether one may have passed through
    /// zero.
    pub(super) fn look(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<bool, SimulationError> {
        let mut any = false;
        for watched in &mut self.events {
            watched.at_end = watched.value(t, q, v)?;
            let side = sign(watched.at_end);
            if watched.side == 0.0 {
                watched.side = side;
            }
            any |= side != watched.side;
        }
        if !any {
            for watched in &mut self.events {
                watched.has_acted = false;
            }
        }
        Ok(any)
    }

    /// The value of a function in between.
    pub(super) fn value_between(&mut self, i: usize) -> Result<f64, SimulationError> {
        let Moment { t, q, v } = &self.between;
        self.events[i].value(*t, q, v)
    }

    /// The next passage in the step that counts, when it is.
    pub(super) fn next(&self) -> Option<f64> {
        let times = self.events.iter().filter_map(|watched| watched.passes);
        times.reduce(f64::min)
    }

    /// Takes the actions of all events at the time `now`, on the state between. Whether they have
    /// changed it, and whether one ends the run.
    pub(super) fn act(&mut self, now: f64) -> Result<(bool, ControlFlow<()>), SimulationError> {
        self.before.copy_from_slice(&self.between.v);
        let soon = now + TOGETHER * (self.end.t - self.begin.t);
        let mut flow = ControlFlow::Continue(());
        for (i, watched) in self.events.iter_mut().enumerate() {
            watched.has_acted = false;
            if watched.passes.is_none_or(|t| t > soon) {
                continue;
            }
            watched.passes = None;
            watched.has_acted = true;
            let mut occurrence = Occurrence {
                t: self.between.t,
                q: &self.between.q,
                v: &mut self.between.v,
            };
            if (watched.event.action)(&mut occurrence).is_break() {
                self.stopped_by.get_or_insert(i);
                flow = ControlFlow::Break(());
            }
            if let Some(index) = self.between.v.iter().position(|rate| !rate.is_finite()) {
                return Err(SimulationError::ActionNotFinite {
                    event: watched.event.name.clone(),
                    t: self.between.t,
                    index,
                });
            }
        }
        Ok((self.before != self.between.v, flow))
    }

    /// After an event that has changed nothing: those that acted are past.
    pub(super) fn pass(&mut self) {
        for watched in &mut self.events {
            if watched.has_acted {
                watched.turn();
            }
        }
    }

    /// Forgets what would have come in the step, which ends at the state between.
    pub(super) fn cut(&mut self) -> Result<(), SimulationError> {
        let Moment { t, q, v } = &self.between;
        for watched in &mut self.events {
            watched.passes = None;
            // Where the velocity has jumped, others may have another sign, and those that acted
            // have none to speak of.
            if !watched.has_acted {
                watched.side = sign(watched.value(*t, q, v)?);
            }
        }
        Ok(())
    }
}

impl Watched<'_> {
    fn value(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<f64, SimulationError> {
        let value = (self.event.function)(t, q, v);
        if value.is_finite() {
            return Ok(value);
        }
        Err(SimulationError::EventNotFinite {
            event: self.event.name.clone(),
            t,
            value,
        })
    }

    /// Whether the function may have passed through zero.
    pub(super) fn may_pass(&self) -> bool {
        sign(self.at_end) != self.side
    }

    /// Whether a value is on the side from which the function comes.
    pub(super) fn is_before(&self, value: f64) -> bool {
        sign(value) == self.side
    }

    /// Whether it comes from a side from which passages count.
    pub(super) fn counts(&self) -> bool {
        match self.event.direction {
            Direction::Either => true,
            Direction::Rising => self.side < 0.0,
            Direction::Falling => self.side > 0.0,
        }
    }

    /// Takes the function to be where it is at the end of the step.
    pub(super) fn turn(&mut self) {
        self.side = sign(self.at_end);
        self.has_acted = false;
    }
}

/// −1, 0 or 1.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
