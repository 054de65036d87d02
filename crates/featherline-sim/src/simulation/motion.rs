//! A simulation in progress.

use super::acting::Acting;
use super::instruments::Instruments;
use super::pace;
use super::projection::{LEFT_OPEN, near_singular, project, tell_of_digits};
use super::resolution::Resolution;
use super::singularity::Singularity;
use super::steep_forces::SteepForces;
use super::watch::Watch;
use super::{Caution, ConstrainedDynamics, Recorder, Sample, SimulationError};
use crate::integrator::forces::{State, check_positive};
use crate::integrator::{
    DenseOutput, DormandPrince, ForwardDynamics, IntegratorError, MaximalVariationalIntegrator,
    Stability, Stepper, VariationalIntegrator, VectorField,
};
use featherline::model::Model;
use featherline_constraint::loop_gap;
use featherline_constraint::{LoopError, LoopWorkspace, Stabilisation};
use std::ops::ControlFlow;

/// A part of the interval between samples, or of a step, that is rounding.
const ROUNDING: f64 = 1e-9;

/// Where loops are singular, constraints cease to hold and hold again, and accelerations jump: no
/// step is short enough for a tolerance. A step is made there whatever its error, in which the
/// fastest joint goes so far, in rad and m: more than twice as far as such places reach
/// ([`LoopDynamics::repeated`](featherline_constraint::LoopDynamics)).
const WAY_ACROSS: f64 = 2e-4;

/// No such step is longer, in s.
const LONGEST_LEAP: f64 = 1e-3;

/// More of them than a way out takes.
const MOST_LEAPS: usize = 1000;

/// How fast forces may answer within a step of the variational integrators: springs as in any
/// leapfrog. Dampers are asked with a velocity that the force before has changed, v = u − ½ z v₋,
/// u' = u − z v, whose larger root is −1 at z = 1.
const VARIATIONAL: Stability = Stability {
    damping: 1.0,
    oscillation: 2.0,
};

/// A robot in motion, made by [`Simulator::start`](super::Simulator::start).
pub struct Simulation<'m> {
    pub(super) model: &'m Model,
    pub(super) engine: Engine<'m>,
    pub(super) loops: Option<LoopWorkspace>,
    pub(super) projection: bool,
    pub(super) instruments: Instruments<'m>,
    pub(super) resolution: Resolution<'m>,
    pub(super) steep_forces: SteepForces,
    /// Of robots with loops.
    pub(super) singularity: Option<Singularity>,
    pub(super) cautions: Vec<Caution>,
    pub(super) watch: Watch<'m>,
    /// The fastest speed where it began, in rad/s or m/s.
    pub(super) first_speed: f64,
    pub(super) t: f64,
    pub(super) q: Box<[f64]>,
    pub(super) v: Box<[f64]>,
}

/// A method with what it integrates.
pub(super) enum Engine<'m> {
    Steps {
        stepper: Box<dyn Stepper + 'm>,
        step: f64,
        field: Field<'m>,
    },
    Tolerance {
        method: Box<DormandPrince<'m>>,
        field: Field<'m>,
    },
    Variational {
        motion: Box<VariationalIntegrator<'m, Acting<'m>>>,
        step: f64,
    },
    MaximalVariational {
        motion: Box<MaximalVariationalIntegrator<'m, Acting<'m>>>,
        step: f64,
    },
}

impl<'m> Engine<'m> {
    fn acting(&mut self) -> &mut Acting<'m> {
        match self {
            Self::Steps { field, .. } | Self::Tolerance { field, .. } => field.acting(),
            Self::Variational { motion, .. } => motion.forces_to_ask(),
            Self::MaximalVariational { motion, .. } => motion.forces_to_ask(),
        }
    }

    /// The longest step, in s.
    pub(super) fn longest_step(&self) -> f64 {
        match self {
            Self::Steps { step, .. }
            | Self::Variational { step, .. }
            | Self::MaximalVariational { step, .. } => *step,
            Self::Tolerance { method, .. } => method.tolerance().greatest_step,
        }
    }

    /// The method's name, and how fast forces may answer within its steps; none for one that
    /// follows a tolerance, and so them.
    fn stability(&self) -> Option<(&'static str, Stability)> {
        match self {
            Self::Steps { stepper, .. } => Some((stepper.name(), stepper.stability()?)),
            Self::Tolerance { .. } => None,
            Self::Variational { .. } | Self::MaximalVariational { .. } => {
                Some(("the variational integrator", VARIATIONAL))
            }
        }
    }

    fn worst_condition(&self) -> Option<f64> {
        match self {
            Self::Steps { field, .. } | Self::Tolerance { field, .. } => field.worst_condition(),
            Self::Variational { .. } | Self::MaximalVariational { .. } => None,
        }
    }
}

/// The accelerations, of a tree or of a robot with loops.
pub(super) enum Field<'m> {
    Tree(Box<ForwardDynamics<'m, Acting<'m>>>),
    Constrained(Box<ConstrainedDynamics<'m, Acting<'m>>>),
}

impl<'m> Field<'m> {
    pub(super) fn of(
        model: &'m Model,
        acting: Acting<'m>,
        stabilisation: Stabilisation,
        usually_repeated: usize,
    ) -> Result<Self, LoopError> {
        Ok(if model.loop_joints().is_empty() {
            Self::Tree(Box::new(ForwardDynamics::with_forces(model, acting)))
        } else {
            let mut dynamics = ConstrainedDynamics::new(model, acting, stabilisation)?;
            dynamics.repeat(usually_repeated);
            Self::Constrained(Box::new(dynamics))
        })
    }

    fn worst_condition(&self) -> Option<f64> {
        match self {
            Self::Tree(_) => None,
            Self::Constrained(field) => Some(field.worst_condition()),
        }
    }

    pub(super) fn as_vector_field(&mut self) -> &mut dyn VectorField {
        match self {
            Self::Tree(field) => &mut **field,
            Self::Constrained(field) => &mut **field,
        }
    }

    fn acting(&mut self) -> &mut Acting<'m> {
        match self {
            Self::Tree(field) => field.forces_mut(),
            Self::Constrained(field) => field.forces_mut(),
        }
    }
}

/// Looks whether the loops are singular. Not a method, because it borrows some fields only.
macro_rules! look {
    ($self:ident, $t:expr, $q:expr) => {
        if let (Some(ws), Some(singularity)) = (&mut $self.loops, &mut $self.singularity) {
            let told = singularity.look($self.model, ws, $t, $q);
            $self.cautions.extend(told);
        }
    };
}

impl Simulation<'_> {
    /// Goes on for `seconds`, and hands a sample to the recorder at the beginning, every `every`
    /// seconds, at every [event](super::Event), and at the end.
    ///
    /// Sampling times are the beginning plus whole multiples of `every`, each computed by itself,
    /// so that they don't drift. Allocates nothing, but for what [`cautions`](Self::cautions) say.
    /// May be called again to go on, also after an event has ended a run; the last sample then
    /// comes again as the first.
    ///
    /// # Errors
    /// [`SimulationError::TooManySteps`] and [`SimulationError::TimeStandsStill`] for steps that
    /// lead nowhere; [`SimulationError::Unresolved`] where a coordinate is so large that its motion
    /// does not show; [`SimulationError::BlownUp`] and others where the motion is lost. The state
    /// is then that after the last good step, and what was recorded before stands.
    pub fn run(
        &mut self,
        seconds: f64,
        every: f64,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<(), SimulationError> {
        let outcome = self.go_on(seconds, every, recorder);
        outcome.map_err(|error| error.or_blown_up(self.model, self.first_speed, &self.v))
    }

    fn go_on(
        &mut self,
        seconds: f64,
        every: f64,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<(), SimulationError> {
        check_positive("the time between samples", every)?;
        if !(seconds.is_finite() && seconds >= 0.0) {
            let what = "the length of the simulation";
            let need = "a number not below zero is needed";
            return Err(IntegratorError::BadParameter {
                what,
                value: seconds,
                need,
            }
            .into());
        }
        let (start, end) = (self.t, self.t + seconds);
        pace::check("the time between samples", every, start, seconds)?;
        pace::check("the step", self.engine.longest_step(), start, seconds)?;
        let step = self.engine.longest_step().min(every);
        self.resolution.check(step, self.t, &self.q, &self.v)?;
        self.look_at_forces(step);
        let intervals = (seconds / every - ROUNDING).ceil().max(0.0) as u64;
        for k in 0..intervals {
            if self.record(recorder)?.is_break() {
                return Ok(());
            }
            let last = k + 1 == intervals;
            let until = if last {
                end
            } else {
                start + every * (k + 1) as f64
            };
            // From the interval, not from the times: their rounding is none of the steps'.
            let length = if last { end - self.t } else { every };
            if self.watch.events.is_empty() {
                self.advance(until, length)?;
            } else if self.advance_watching(until, length, recorder)?.is_break() {
                return Ok(());
            }
        }
        // It ends here, whatever the recorder wants.
        self.record(recorder).map(drop)
    }

    /// The time, in s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The configuration, nq entries.
    pub fn configuration(&self) -> &[f64] {
        &self.q
    }

    /// The velocity, nv entries.
    pub fn velocity(&self) -> &[f64] {
        &self.v
    }

    /// The largest condition of the loops met so far, see
    /// [`LoopDynamics`](featherline_constraint::LoopDynamics); none without loops. 1.7e8 if more
    /// constraints than elsewhere repeated others: it is that or more.
    pub fn worst_loop_condition(&self) -> Option<f64> {
        self.engine.worst_condition()
    }

    /// Why the motion so far may not be the robot's, what was seen first before the rest; each only
    /// once.
    pub fn cautions(&self) -> &[Caution] {
        &self.cautions
    }

    /// The name of the event that ended the last run, if one has.
    pub fn stopped_by(&self) -> Option<&str> {
        self.watch.stopped_by.map(|i| self.watch.name(i))
    }

    /// Looks whether forces answer faster than the method follows in steps of `step` seconds.
    fn look_at_forces(&mut self, step: f64) {
        let is_of_forces = |caution: &Caution| {
            matches!(
                caution,
                Caution::FastDamping { .. } | Caution::FastSwing { .. }
            )
        };
        if let Some((method, stability)) = self.engine.stability()
            && !self.cautions.iter().any(is_of_forces)
        {
            let found = self.steep_forces.beyond(method, stability, step);
            self.cautions.extend(found);
        }
    }

    /// Looks whether bodies turn too far within the steps of `step` seconds that led here.
    pub(super) fn look_at_turns(&mut self, step: f64) -> Result<(), SimulationError> {
        let is_variational = matches!(
            self.engine,
            Engine::Variational { .. } | Engine::MaximalVariational { .. }
        );
        let is_of_turns = |caution: &Caution| matches!(caution, Caution::FastTurn { .. });
        if is_variational && !self.cautions.iter().any(is_of_turns) {
            let found = self
                .instruments
                .fast_turn(step, (self.t, &self.q, &self.v))?;
            self.cautions.extend(found);
        }
        Ok(())
    }

    /// What can be measured now.
    ///
    /// # Errors
    /// [`SimulationError`] where the controller or an energy has no value.
    pub fn sample(&mut self) -> Result<Sample<'_>, SimulationError> {
        let (t, q, v) = (self.t, &self.q[..], &self.v[..]);
        self.instruments.tau.fill(0.0);
        let (state, tau) = (State { t, q, v }, &mut self.instruments.tau);
        self.engine.acting().drive(&state, tau)?;
        self.instruments.sample(self.loops.as_mut(), (t, q, v))
    }

    pub(super) fn record(
        &mut self,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>, SimulationError> {
        let t = self.t;
        let sample = self.sample()?;
        recorder
            .record(&sample)
            .map_err(|source| SimulationError::Recorder { t, source })
    }

    /// Hands on a state whose velocity an event has changed.
    pub(super) fn record_change(
        &mut self,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>, SimulationError> {
        let t = self.t;
        let sample = self.sample()?;
        recorder
            .record_change(&sample)
            .map_err(|source| SimulationError::Recorder { t, source })
    }

    /// Goes to the time `until`, `length` seconds ahead.
    fn advance(&mut self, until: f64, length: f64) -> Result<(), SimulationError> {
        let step = if let Engine::Tolerance { .. } = self.engine {
            let (accepted, _) = self.follow_tolerance(until)?;
            length / accepted.max(1) as f64
        } else {
            let start = self.t;
            let (count, h) = equal_steps(length, self.engine.longest_step());
            for j in 0..count {
                self.step_from(start + h * j as f64, h)?;
            }
            self.read_velocity()?;
            h
        };
        self.t = until;
        self.resolution.check(step, self.t, &self.q, &self.v)?;
        self.look_at_turns(step)
    }

    /// Makes a step of `h` from the time `t`. Methods that hold the motion themselves are not asked
    /// for the velocity.
    pub(super) fn step_from(&mut self, t: f64, h: f64) -> Result<(), SimulationError> {
        match &mut self.engine {
            Engine::Steps { stepper, field, .. } => {
                stepper
                    .step(field.as_vector_field(), t, &mut self.q, &mut self.v, h)
                    .map_err(SimulationError::of)?;
                self.t = t + h;
                if self.projection {
                    let (q, v) = (&mut self.q, &mut self.v);
                    project(
                        self.model,
                        self.loops.as_mut(),
                        &mut self.cautions,
                        self.t,
                        q,
                        v,
                    )?;
                }
            }
            Engine::Tolerance { .. } => return self.follow_tolerance(t + h).map(drop),
            Engine::Variational { motion, .. } => {
                motion.step(h)?;
                self.t = t + h;
                self.q.copy_from_slice(motion.configuration());
            }
            Engine::MaximalVariational { motion, .. } => {
                motion.step(h)?;
                self.t = t + h;
                self.q.copy_from_slice(motion.configuration());
                if let (Some(ws), true) = (&mut self.loops, motion.gap() > LEFT_OPEN) {
                    let left = loop_gap(self.model, ws, &self.q, &self.v);
                    let left = left.map_err(|source| SimulationError::Loops { t, source })?;
                    tell_of_digits(self.model, &mut self.cautions, self.t, &left);
                }
            }
        }
        look!(self, self.t, &self.q);
        Ok(())
    }

    /// Asks methods that hold the motion themselves for the velocity.
    pub(super) fn read_velocity(&mut self) -> Result<(), SimulationError> {
        match &mut self.engine {
            Engine::Steps { .. } | Engine::Tolerance { .. } => {}
            Engine::Variational { motion, .. } => self.v.copy_from_slice(motion.velocity()?),
            Engine::MaximalVariational { motion, .. } => {
                self.v.copy_from_slice(motion.velocity()?);
            }
        }
        Ok(())
    }

    /// Goes to the time `until` in steps that follow a tolerance, or to the end of the one in which
    /// an event's function may have passed through zero. Returns how many steps that took, and
    /// whether one has.
    pub(super) fn follow_tolerance(
        &mut self,
        until: f64,
    ) -> Result<(usize, bool), SimulationError> {
        let Engine::Tolerance { method, field } = &mut self.engine else {
            return Ok((0, false));
        };
        let (mut accepted, mut may_pass, mut leaps) = (0, false, 0);
        let mut leap = None;
        loop {
            let watch = &mut self.watch;
            let after_step = |dense: &mut DenseOutput<'_>| {
                if !watch.events.is_empty() {
                    let (begin, end) = (dense.begin(), dense.end());
                    let (q, v) = dense.at(end)?;
                    may_pass = watch.look(end, q, v)?;
                    watch.begin.t = begin;
                }
                accepted += 1;
                Ok(if may_pass {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                })
            };
            let settle = |t: f64, q: &mut [f64], v: &mut [f64]| {
                if self.projection {
                    project(self.model, self.loops.as_mut(), &mut self.cautions, t, q, v)?;
                }
                look!(self, t, q);
                Ok(self.projection && self.loops.is_some())
            };
            let done = method.integrate_settling(
                field.as_vector_field(),
                (&mut self.t, &mut self.q, &mut self.v),
                until,
                leap,
                settle,
                after_step,
            );
            let error = match (done, &mut self.loops) {
                (Ok(_), _) => return Ok((accepted, may_pass)),
                (Err(SimulationError::Integrator(error)), Some(ws)) => {
                    near_singular(self.model, ws, &self.q, error)
                }
                (Err(SimulationError::Integrator(error)), None) => SimulationError::of(error),
                (Err(error), _) => error,
            };
            if leaps == MOST_LEAPS || !matches!(error, SimulationError::NearSingular { .. }) {
                return Err(error);
            }
            look!(self, self.t, &self.q);
            let fastest = self.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            leap = Some((WAY_ACROSS / fastest).min(LONGEST_LEAP));
            leaps += 1;
        }
    }
}

/// How many steps of at most the given length there are to go, and how long these are.
pub(super) fn equal_steps(length: f64, step: f64) -> (u64, f64) {
    let count = (length / step - ROUNDING).ceil().max(1.0);
    (count as u64, length / count)
}
