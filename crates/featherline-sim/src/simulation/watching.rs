//! Motion with events.

use super::motion::{Engine, equal_steps};
use super::projection::{project, project_velocity};
use super::{Recorder, Simulation, SimulationError};
use crate::integrator::root::root;
use std::ops::ControlFlow;

/// How often the part of a step is halved in which a function is looked for on the side from which
/// it came.
const HALVINGS: i32 = 20;

/// What falls from rest has gone a quarter of its way in half of the time, and what moves a half.
const RESTING: f64 = 1.0 / 3.0;

impl Simulation<'_> {
    /// [`advance`](Self::advance) for robots with events, which are recorded. Says by `Break` that
    /// the run ends here.
    pub(super) fn advance_watching(
        &mut self,
        until: f64,
        length: f64,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>, SimulationError> {
        self.watch.begin(self.t, &self.q, &self.v)?;
        let (mut start, mut done) = (self.t, 0);
        let (mut count, mut h) = equal_steps(length, self.engine.longest_step());
        let mut all = 0;
        loop {
            self.watch.begin.set(self.t, &self.q, &self.v);
            let (may_pass, is_last) = if let Engine::Tolerance { .. } = self.engine {
                let (accepted, may_pass) = self.follow_tolerance(until)?;
                all += accepted;
                (may_pass, self.t >= until)
            } else {
                self.step_from(start + h * done as f64, h)?;
                self.read_velocity()?;
                done += 1;
                all += 1;
                // The time at which the next step begins, to the last digit: an event between the
                // two would belong to neither.
                self.t = if done == count {
                    until
                } else {
                    start + h * done as f64
                };
                let may_pass = self.watch.look(self.t, &self.q, &self.v)?;
                (may_pass, done == count)
            };
            if may_pass {
                self.find_passages()?;
                match self.meet(recorder)? {
                    Met::Nothing => {}
                    Met::End => return Ok(ControlFlow::Break(())),
                    Met::Change => {
                        if self.t >= until {
                            break;
                        }
                        (start, done) = (self.t, 0);
                        (count, h) = equal_steps(until - self.t, self.engine.longest_step());
                        continue;
                    }
                }
            }
            if is_last {
                break;
            }
        }
        self.t = until;
        let step = length / all.max(1) as f64;
        self.resolution.check(step, self.t, &self.q, &self.v)?;
        self.look_at_turns(step)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Finds when functions pass through zero within the step that was made last.
    fn find_passages(&mut self) -> Result<(), SimulationError> {
        self.watch.end.set(self.t, &self.q, &self.v);
        if let Engine::Variational { .. } | Engine::MaximalVariational { .. } = self.engine {
            let watch = &mut self.watch;
            let ends = [&watch.begin, &watch.end].map(|end| (end.t, &end.q[..], &end.v[..]));
            watch.dense.between(ends[0], ends[1])?;
        }
        for i in 0..self.watch.events.len() {
            if self.watch.events[i].may_pass() {
                let counts = self.watch.events[i].counts();
                match self.passage(i)? {
                    Some(t) if counts => self.watch.events[i].passes = Some(t),
                    _ => self.watch.events[i].turn(),
                }
            }
        }
        Ok(())
    }

    /// When a function passes through zero within the step, at whose ends its signs are not the
    /// same.
    fn passage(&mut self, i: usize) -> Result<Option<f64>, SimulationError> {
        let (begin, end) = (self.watch.begin.t, self.watch.end.t);
        let at_end = self.watch.events[i].at_end;
        let mut from = (begin, self.value(i, begin)?);
        let watched = &self.watch.events[i];
        if watched.has_acted || !watched.is_before(from.1) {
            // The step begins where it is zero. If it went back to where it had come from, it was
            // there for a short while.
            let mut halvings = (1..=HALVINGS).map(|k| begin + (end - begin) * 0.5_f64.powi(k));
            let mut found = None;
            let mut halfway = None;
            for t in &mut halvings {
                let value = self.value(i, t)?;
                halfway.get_or_insert(value);
                if self.watch.events[i].is_before(value) {
                    found = Some((t, value));
                    break;
                }
            }
            match found {
                Some(found) => from = found,
                None => {
                    let rests = halfway.is_some_and(|half| half.abs() < RESTING * at_end.abs());
                    if rests && self.watch.events[i].has_acted {
                        return Err(SimulationError::EventRests {
                            event: self.watch.name(i).to_owned(),
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
    fn value(&mut self, i: usize, t: f64) -> Result<f64, SimulationError> {
        self.go_between(t)?;
        self.watch.value_between(i)
    }

    /// Finds the state at a time within the step that was made last.
    fn go_between(&mut self, t: f64) -> Result<(), SimulationError> {
        let watch = &mut self.watch;
        match &mut self.engine {
            Engine::Steps { stepper, field, .. } => {
                let (begin, between) = (&watch.begin, &mut watch.between);
                between.set(t, &begin.q, &begin.v);
                if t > begin.t {
                    let (q, v) = (&mut between.q, &mut between.v);
                    stepper
                        .step(field.as_vector_field(), begin.t, q, v, t - begin.t)
                        .map_err(SimulationError::of)?;
                }
            }
            Engine::Tolerance { method, .. } => {
                let (q, v) = method.dense_output().at(t)?;
                watch.between.set(t, q, v);
            }
            Engine::Variational { .. } | Engine::MaximalVariational { .. } => {
                let (q, v) = watch.dense.at(t)?;
                watch.between.set(t, q, v);
            }
        }
        if self.projection {
            let between = &mut watch.between;
            let (q, v) = (&mut between.q, &mut between.v);
            project(self.model, self.loops.as_mut(), &mut self.cautions, t, q, v)?;
        }
        Ok(())
    }

    /// Meets the events of the step one after the other, until one changes the motion or ends the
    /// run.
    fn meet(&mut self, recorder: &mut (impl Recorder + ?Sized)) -> Result<Met, SimulationError> {
        while let Some(t) = self.watch.next() {
            self.go_between(t)?;
            self.show();
            let mut flow = self.record(recorder)?;
            let (is_changed, action) = self.watch.act(t)?;
            if action.is_break() {
                flow = action;
            }
            if is_changed {
                let between = &mut self.watch.between;
                let (q, v) = (&between.q, &mut between.v);
                project_velocity(self.model, self.loops.as_mut(), t, q, v)?;
            }
            if is_changed || flow.is_break() {
                self.watch.cut()?;
                if !is_changed {
                    // It ends the run, and is past if another one begins here.
                    self.watch.pass();
                }
                self.restart()?;
                self.show();
            }
            if is_changed && self.record_change(recorder)?.is_break() {
                flow = ControlFlow::Break(());
            }
            if flow.is_break() {
                return Ok(Met::End);
            }
            if is_changed {
                return Ok(Met::Change);
            }
            self.watch.pass();
        }
        // Back to the end of the step.
        let end = &self.watch.end;
        self.t = end.t;
        self.q.copy_from_slice(&end.q);
        self.v.copy_from_slice(&end.v);
        Ok(Met::Nothing)
    }

    /// Takes over the state in between.
    fn show(&mut self) {
        let between = &self.watch.between;
        self.t = between.t;
        self.q.copy_from_slice(&between.q);
        self.v.copy_from_slice(&between.v);
    }

    /// Lets methods that hold the motion themselves begin anew with the state in between.
    fn restart(&mut self) -> Result<(), SimulationError> {
        let between = &mut self.watch.between;
        let (t, q, v) = (between.t, &between.q, &mut between.v);
        match &mut self.engine {
            Engine::Steps { .. } | Engine::Tolerance { .. } => {}
            Engine::Variational { motion, .. } => {
                motion.start(t, q, v)?;
                v.copy_from_slice(motion.velocity()?);
            }
            Engine::MaximalVariational { motion, .. } => {
                motion.start(t, q, v)?;
                v.copy_from_slice(motion.velocity()?);
            }
        }
        Ok(())
    }
}

/// What events have made of a step.
enum Met {
    /// Nothing that matters to the motion.
    Nothing,
    /// It goes on from another state.
    Change,
    /// The run ends.
    End,
}
