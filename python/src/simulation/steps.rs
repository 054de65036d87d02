//! Steps of time stepping one by one, which keep the impulses of the last one.

use super::advance::{failure, write};
use super::callbacks::{External, ExternalForces, RaisedError};
use super::contact_setup::ContactPoint;
use super::controller::Control;
use super::recording::Steps;
use super::run::{LastStep, RunError};
use super::stepping::Stepping;
use super::{Inner, Simulation};
use crate::error;
use crate::states::one_state;
use featherline::model::JointId;
use featherline::spatial::Force;
use featherline_record::write_row_with_contacts;
use featherline_sim::contact::{ContactSource, StepReport};
use featherline_sim::integrator::forces::{ForceModel, Loads, State};
use featherline_sim::simulation::{
    EffortLimits, Recorder, Sampler, SimulationError, SimulationWarning,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Steps between which a call looks for Ctrl-C.
const PORTION: u32 = 256;

/// A state in motion.
struct MotionState {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

/// The rows of steps.
struct StepRows<'m> {
    sampler: Sampler<'m>,
    effort: EffortLimits,
    numbers: Vec<f64>,
    steps: Steps,
    /// The joint forces at the start, if its row is that of the last call's end.
    first_tau: Option<Vec<f64>>,
    is_first: bool,
}

impl StepRows<'_> {
    /// Adds the row of a state.
    fn add(
        &mut self,
        own: &mut Inner,
        model: &featherline::Model,
        stepping: &mut Stepping,
        pairs: &[[JointId; 2]],
        state: &MotionState,
        (report, touches): (Option<StepReport>, Vec<ContactPoint>),
    ) -> Result<(), SimulationError> {
        let (q, v) = (&state.q[..], &state.v[..]);
        let mut tau = own.held.clone();
        self.effort.bound(&mut tau);
        stepping.drives().add_forces(q, v, &mut tau);
        let mut sample = self.sampler.measure(state.t, q, v, &tau)?;
        sample.contact = Some(stepping.contact_sample(sample.energy()));
        write_row_with_contacts(model, pairs, &sample, &mut self.numbers);
        self.steps.push(report, touches);
        let done = own.conservation.record(&sample);
        done.map(drop)
            .map_err(|source| SimulationError::Recorder { t: state.t, source })
    }
}

impl Simulation {
    /// Whether its steps need nothing else than time stepping.
    pub(super) fn goes_step_by_step(&self) -> bool {
        let has_loops = !self.model.get().model.loop_joints().is_empty();
        self.is_time_stepping() && self.events.is_empty() && !has_loops
    }

    /// The state that callers may have written.
    fn state_now(&self, py: Python<'_>) -> PyResult<MotionState> {
        let model = &*self.model.get().model;
        let mut q = one_state("q", self.q.bind(py).as_any(), model.nq())?;
        let v = one_state("v", self.v.bind(py).as_any(), model.nv())?;
        for (name, values) in [("q", &q), ("v", &v)] {
            if let Some(k) = values.iter().position(|it| !it.is_finite()) {
                let text = format!(
                    "{name}[{k}] is {}, where a finite number is expected",
                    values[k]
                );
                return Err(PyValueError::new_err(text));
            }
        }
        if !model.is_normalised(&q, 1e-12).map_err(error::algorithm)? {
            model.normalise(&mut q).map_err(error::algorithm)?;
        }
        Ok(MotionState {
            t: self.time(),
            q,
            v,
        })
    }

    /// Makes steps of dt.
    pub(super) fn go_steps(
        &self,
        py: Python<'_>,
        steps: u32,
        tau: Option<Vec<f64>>,
        record: bool,
    ) -> PyResult<()> {
        let mut inner = self.inner()?;
        let forces = self.forces()?;
        let own = &mut *inner;
        let robot = self.model.get();
        let model = &*robot.model;
        let mut state = self.state_now(py)?;
        let goes_on = own.ended_at(state.t, &state.q, &state.v);
        // Of the step that led here: callers may have moved the targets since.
        let driven = own.drive_forces(model, &state.q, &state.v)?;
        if tau.is_some() {
            self.yield_drives(py, own)?;
        }
        let mut stepping = match own.stepping.take() {
            Some(mut stepping) => {
                if !goes_on {
                    stepping.forget();
                }
                stepping.moved().set_motion(&own.moved);
                stepping
            }
            None => {
                let acting = (self.options.effort(model), &self.options.stated);
                let (model, drives) = (robot.model.clone(), own.drives.clone());
                let mut stepping = Stepping::new(model, &self.touching, drives, acting)
                    .map_err(|error| failure(error.into()))?;
                stepping.moved().set_motion(&own.moved);
                if goes_on {
                    stepping.begin_account(own.books);
                }
                stepping
            }
        };
        if !goes_on {
            own.clock = None;
            own.ticks = None;
            own.monitor.observe(state.t, &state.q);
        }
        let (origin, before) = *own.ticks.get_or_insert((state.t, 0));
        let pairs = match record {
            true => self.touching.contacts.body_pairs(),
            false => Vec::new(),
        };
        own.acted = true;
        let given = tau.map(Control::Constant);
        let control = given.as_ref().unwrap_or(&forces.control);
        let period = self.period(control);
        own.set_period(period, state.t);
        let raised = RaisedError::default();
        let controller = control.controller(model, &raised);
        let mut controller = controller.map_err(|error| failure(error.into()))?;
        let mut external = forces.external.as_ref().map(|external| ExternalForces {
            external,
            model: robot,
            raised: raised.clone(),
        });
        let is_python = matches!(control, Control::Python(_));
        let calls_python = is_python || matches!(forces.external, Some(External::Function(_)));
        let log = own.log.clone();
        let mut rows = record.then(|| StepRows {
            sampler: Sampler::new(model),
            effort: self.options.effort(model),
            numbers: Vec::new(),
            steps: Steps::default(),
            first_tau: None,
            is_first: true,
        });
        let is_recorded = goes_on && log.ends_at(state.t);
        let dt = self.options.dt;
        let mut worst: Option<StepReport> = None;
        let known = own.warnings.len();
        let move_targets =
            |stepping: &mut Stepping| -> PyResult<()> { self.asked.ask(py, stepping.drives()) };
        let mut make = |own: &mut Inner, k: u32| -> Result<(), RunError> {
            if k % PORTION == PORTION - 1 {
                py.check_signals()?;
            }
            let now = State {
                t: state.t,
                q: &state.q,
                v: &state.v,
            };
            let is_due = match (&mut own.clock, period) {
                (Some(clock), Some(_)) => clock.is_due(state.t),
                _ => true,
            };
            match (control, &mut controller) {
                (Control::Constant(tau), _) => own.held.clone_from(tau),
                (_, Some(controller)) if is_due => {
                    own.held.fill(0.0);
                    controller.drive(&now, &mut own.held)?;
                }
                _ => {}
            }
            let applied = stepping.applied();
            applied.bodies.clear();
            if let Some(external) = &mut external {
                applied.bodies.resize(model.joints().len(), Force::zero());
                let (tau, bodies) = (&mut [], &mut applied.bodies[..]);
                external.add(&now, &mut Loads { tau, bodies })?;
            }
            applied.ask(&own.held);
            if k == 0 || is_python {
                move_targets(&mut stepping)?;
            }
            if let Some(rows) = rows.as_mut().filter(|rows| rows.is_first) {
                rows.is_first = false;
                match is_recorded {
                    true => {
                        let mut tau = own.held.clone();
                        rows.effort.bound(&mut tau);
                        tau.iter_mut()
                            .zip(&driven)
                            .for_each(|(tau, driven)| *tau += driven);
                        rows.first_tau = Some(tau);
                    }
                    false => {
                        rows.add(
                            own,
                            model,
                            &mut stepping,
                            &pairs,
                            &state,
                            (None, Vec::new()),
                        )?;
                    }
                }
            }
            let (t, pair) = (state.t, (&mut state.q[..], &mut state.v[..]));
            let report = match calls_python {
                true => stepping.step(t, pair, dt)?,
                false => py.detach(|| stepping.step(t, pair, dt))?,
            };
            let ticks = before + u64::from(k) + 1;
            own.ticks = Some((origin, ticks));
            state.t = origin + dt * ticks as f64;
            own.monitor.observe(state.t, &state.q);
            worst = Some(worst.map_or(report, |worst| worst.or_worse(report)));
            let (times, account) = ([t, state.t], stepping.account());
            SimulationWarning::add_step(&mut own.warnings, times, &report.outcome, account);
            if let Some(rows) = &mut rows {
                let touches = stepping.touches(&self.touching, dt);
                rows.add(
                    own,
                    model,
                    &mut stepping,
                    &pairs,
                    &state,
                    (Some(report), touches),
                )?;
            }
            Ok(())
        };
        let outcome = (0..steps).try_for_each(|k| make(own, k));
        if let Some(before) = stepping.before() {
            own.last_step = Some(LastStep {
                h: dt,
                before: before.clone(),
                after: (state.q.clone(), state.v.clone()),
                touches: stepping.touches(&self.touching, dt),
                report: worst,
            });
        }
        let activations: Vec<f64> = stepping.drives().activations().collect();
        own.drives.set_activations(&activations);
        own.moved.set_motion(stepping.moved());
        own.stepping = Some(stepping);
        write(py, "q", &self.q, &state.q)?;
        write(py, "v", &self.v, &state.v)?;
        self.set_time(state.t);
        if let Some(rows) = rows {
            let mut numbers = log.write();
            if let Some(tau) = rows.first_tau {
                // From the end of the last call on, these forces act.
                let last = numbers.len() - log.width();
                let begin = last + 1 + model.nq() + tau.len();
                numbers[begin..begin + tau.len()].copy_from_slice(&tau);
            }
            numbers.extend_from_slice(&rows.numbers);
            drop(numbers);
            log.steps().append(rows.steps);
        }
        own.last = Some((state.t, state.q, state.v));
        own.stopped_by = None;
        if outcome.is_ok() {
            let beyond = own.monitor.new_warning(self.options.tolerated_excess());
            own.warnings.extend(beyond);
        }
        // Each once; `warnings` has how it goes on.
        let new = own.warnings[known..].iter();
        let new: Vec<String> = new.map(|it| self.options.explain(it)).collect();
        drop(controller);
        drop(external);
        drop(forces);
        drop(inner);
        for text in new {
            error::warning(py, &text, 1)?;
        }
        let outcome = outcome.map_err(|error| error.0);
        raised.take().map_or(outcome, Err)
    }
}
