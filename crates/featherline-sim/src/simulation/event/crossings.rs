//! Motion with events: finds the zeros of their functions within a step and takes their actions.

use super::super::step_count::Steps;
use super::super::{Recorder, Result, Simulation, SimulationError};
use crate::integrator::root::root;
use std::ops::ControlFlow;

/// How often a step is halved to find the sign that the function had before it.
const HALVINGS: i32 = 20;

/// A function rests at the beginning of a step if its value in the middle is less than this part of
/// that at the end. From rest it has a quarter of that value there, in motion half.
const RESTING: f64 = 1.0 / 3.0;

impl Simulation<'_> {
    /// Goes on to `until`, `length` seconds ahead, with events. `Break` ends the run.
    pub(in super::super) fn advance(
        &mut self,
        until: f64,
        length: f64,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>> {
        let longest = self.engine.longest_step();
        self.motion.events.begin(&self.motion.state)?;
        let mut steps = Steps::equal(self.motion.state.t, until, length, longest);
        let mut made_before = 0;
        while !steps.is_done {
            self.motion.events.begin_step(&self.motion.state);
            if self.engine.step(&mut self.motion, &mut steps)? {
                self.find_crossings()?;
                match self.act(recorder)? {
                    EventOutcome::Unchanged => {}
                    EventOutcome::Ended => return Ok(ControlFlow::Break(())),
                    EventOutcome::Changed => {
                        made_before += steps.made;
                        let t = self.motion.state.t;
                        steps = Steps::equal(t, until, until - t, longest);
                        steps.is_done = t >= until;
                    }
                }
            }
        }
        self.motion.state.t = until;
        let step = length / (made_before + steps.made).max(1) as f64;
        self.check_resolution(step)?;
        self.look_for_fast_rotation(step)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Finds when functions cross zero within the step that was made last.
    fn find_crossings(&mut self) -> Result<()> {
        self.motion.events.end.clone_from(&self.motion.state);
        self.engine.prepare_interpolation(&mut self.motion.events)?;
        for i in 0..self.motion.events.all.len() {
            if self.motion.events.all[i].may_cross() {
                let counts = self.motion.events.all[i].counts();
                match self.crossing(i)? {
                    Some(t) if counts => self.motion.events.all[i].crossing = Some(t),
                    _ => self.motion.events.all[i].accept_sign(),
                }
            }
        }
        Ok(())
    }

    /// When a function crosses zero within the step, at whose ends its signs differ.
    fn crossing(&mut self, i: usize) -> Result<Option<f64>> {
        let (begin, end) = (self.motion.events.begin.t, self.motion.events.end.t);
        let at_end = self.motion.events.all[i].at_end;
        let mut from = (begin, self.value(i, begin)?);
        let event = &self.motion.events.all[i];
        if event.has_acted || !event.has_sign_of(from.1) {
            // The step begins at a zero. If the function went back to the sign it had before, it
            // kept that sign for a short while.
            let mut halvings = (1..=HALVINGS).map(|k| begin + (end - begin) * 0.5_f64.powi(k));
            let mut found = None;
            let mut halfway = None;
            for t in &mut halvings {
                let value = self.value(i, t)?;
                halfway.get_or_insert(value);
                if self.motion.events.all[i].has_sign_of(value) {
                    found = Some((t, value));
                    break;
                }
            }
            match found {
                Some(found) => from = found,
                None => {
                    let rests = halfway.is_some_and(|half| half.abs() < RESTING * at_end.abs());
                    if rests && self.motion.events.all[i].has_acted {
                        return Err(SimulationError::EventRests {
                            event: self.motion.events.name(i).to_owned(),
                            t: begin,
                        });
                    }
                    return Ok(None);
                }
            }
        }
        if at_end == 0.0 {
            return Ok(Some(end));
        }
        root([from, (end, at_end)], |t| self.value(i, t)).map(Some)
    }

    /// The value of a function at a time within the step.
    fn value(&mut self, i: usize, t: f64) -> Result<f64> {
        self.interpolate(t)?;
        self.motion.events.value_between(i)
    }

    /// Finds the state at a time within the step that was made last.
    fn interpolate(&mut self, t: f64) -> Result<()> {
        self.engine.interpolate(t, &mut self.motion.events)?;
        let between = &mut self.motion.events.between;
        let (q, v) = (&mut between.q, &mut between.v);
        self.motion
            .loops
            .project(&mut self.motion.warnings, t, q, v)
    }

    /// Takes the actions of the step's events until one changes the motion or ends the run.
    fn act(&mut self, recorder: &mut (impl Recorder + ?Sized)) -> Result<EventOutcome> {
        while let Some(t) = self.motion.events.next() {
            self.interpolate(t)?;
            self.motion.state.clone_from(&self.motion.events.between);
            let mut flow = self.record(recorder)?;
            let (is_changed, action) = self.motion.events.act(t)?;
            if action.is_break() {
                flow = action;
            }
            if is_changed {
                self.motion
                    .loops
                    .project_velocity(&mut self.motion.events.between)?;
            }
            if is_changed || flow.is_break() {
                self.motion.events.cut()?;
                if !is_changed {
                    // The event ends the run, and is over if another run begins here.
                    self.motion.events.pass();
                }
                self.engine.restart(&mut self.motion.events.between)?;
                self.motion.state.clone_from(&self.motion.events.between);
            }
            if is_changed && self.record_change(recorder)?.is_break() {
                flow = ControlFlow::Break(());
            }
            if flow.is_break() {
                return Ok(EventOutcome::Ended);
            }
            if is_changed {
                return Ok(EventOutcome::Changed);
            }
            self.motion.events.pass();
        }
        self.motion.state.clone_from(&self.motion.events.end);
        Ok(EventOutcome::Unchanged)
    }
}

/// The effect of the events of a step on the motion.
enum EventOutcome {
    /// Nothing.
    Unchanged,
    /// The motion goes on from another state.
    Changed,
    /// The run ends.
    Ended,
}
