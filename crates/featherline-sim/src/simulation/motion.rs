//! A simulation in progress.

use super::engine::{Engine, Motion};
use super::monitor::resolution::Resolution;
use super::monitor::sampler::Sampler;
use super::monitor::stiff_forces::StiffForces;
use super::step_count::{self, ROUNDING};
use super::{Books, Recorder, RecorderError, Result, Sample, SimulationError, SimulationWarning};
use crate::contact::{ContactImpulse, Drives, MovedBodies};
use crate::integrator::forces::{State, check_not_negative, check_positive};
use featherline::model::{JointId, Model};
use std::ops::ControlFlow;

/// A robot in motion, made by [`Simulator::start`](super::Simulator::start).
pub struct Simulation<'m> {
    pub(super) model: &'m Model,
    pub(super) engine: Box<dyn Engine<'m> + 'm>,
    pub(super) motion: Motion<'m>,
    pub(super) sampler: Sampler<'m>,
    pub(super) resolution: Resolution<'m>,
    pub(super) stiff_forces: StiffForces,
    /// The fastest speed at the start, in rad/s or m/s.
    pub(super) first_speed: f64,
}

impl Simulation<'_> {
    /// Goes on for `seconds`, and hands a sample to the recorder at the beginning, every `every`
    /// seconds, at every [event](super::Event), and at the end.
    ///
    /// Sampling times are the beginning plus whole multiples of `every`, each computed by itself,
    /// so that they don't drift. Allocates nothing, but for what [`warnings`](Self::warnings) say.
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
    ) -> Result<()> {
        let outcome = self.go_on(seconds, every, recorder);
        outcome
            .map_err(|error| error.or_blown_up(self.model, self.first_speed, &self.motion.state.v))
    }

    fn go_on(
        &mut self,
        seconds: f64,
        every: f64,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<()> {
        check_positive("the time between samples", every)?;
        check_not_negative("the length of the simulation", seconds)?;
        let start = self.motion.state.t;
        let end = start + seconds;
        step_count::check("the time between samples", every, start, seconds)?;
        step_count::check("the step", self.engine.longest_step(), start, seconds)?;
        let step = self.engine.longest_step().min(every);
        self.check_resolution(step)?;
        self.look_for_stiff_forces(step);
        let intervals = (seconds / every - ROUNDING).ceil().max(0.0) as u64;
        for k in 0..intervals {
            if self.record(recorder)?.is_break() {
                return Ok(());
            }
            let last = k + 1 == intervals;
            let next = start + every * (k + 1) as f64;
            let until = if last { end } else { next };
            // From the interval, not from the times, whose rounding would change the steps.
            let left = end - self.motion.state.t;
            let length = if last { left } else { every };
            if self.advance(until, length, recorder)?.is_break() {
                return Ok(());
            }
        }
        // It ends here, whatever the recorder wants.
        self.record(recorder).map(drop)
    }

    /// The time, in s.
    pub fn time(&self) -> f64 {
        self.motion.state.t
    }

    /// The configuration, nq entries.
    pub fn configuration(&self) -> &[f64] {
        &self.motion.state.q
    }

    /// The velocity, nv entries.
    pub fn velocity(&self) -> &[f64] {
        &self.motion.state.v
    }

    /// The contacts of the last step with their impulses, of [time
    /// stepping](super::Method::time_stepping).
    pub fn contacts(&self) -> &[ContactImpulse] {
        let contacting = self.engine.contacting();
        contacting.map_or(&[], |own| own.stepping.contacts())
    }

    /// The pairs of bodies that can touch, as the source of contacts knows them.
    pub fn body_pairs(&mut self) -> Vec<[JointId; 2]> {
        let contacting = self.engine.contacting_mut();
        contacting.map_or(Vec::new(), |own| own.stepping.source_mut().0.body_pairs())
    }

    /// The length of the last step in s, and the configuration and the velocity before it, of [time
    /// stepping](super::Method::time_stepping); none before the first.
    pub fn last_step(&self) -> Option<(f64, &[f64], &[f64])> {
        self.engine.contacting()?.bookkeeper.last_step()
    }

    /// The drives of [time stepping](super::Method::time_stepping), to be changed between runs;
    /// none with other methods.
    pub fn drives_mut(&mut self) -> Option<&mut Drives> {
        Some(self.engine.contacting_mut()?.stepping.drives_mut())
    }

    /// The bodies of the world whose motion is given, of [time
    /// stepping](super::Method::time_stepping), to be moved between runs; none with other methods.
    ///
    /// ```
    /// use featherline::spatial::{Se3, Vec3};
    /// use featherline_sim::setup::Setup;
    ///
    /// // A tool of 1 kg is welded to a moved hand, which lifts it.
    /// let text = "<mujoco><worldbody><body name='hand' mocap='true'/>
    ///     <body name='tool'><freejoint/><geom size='0.1' mass='1'/></body></worldbody>
    ///     <equality><weld body1='hand' body2='tool' solimp='0.999 0.9999 0.001'/></equality></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// let mut simulation = Setup::default().simulation(&robot)?;
    /// let moved = simulation.moved_mut().ok_or("time stepping has moved bodies")?;
    /// moved.move_to("hand", Se3::from_translation(Vec3::new(0.0, 0.0, 0.5)), 1.0)?;
    /// simulation.run(1.5, 0.1, &mut ())?;
    /// assert!((simulation.configuration()[2] - 0.5).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn moved_mut(&mut self) -> Option<&mut MovedBodies> {
        Some(self.engine.contacting_mut()?.stepping.moved_mut())
    }

    /// The account of [time stepping](super::Method::time_stepping) with what it needs to go on, as
    /// in motions in parts: that of the part before may take its place. None with other methods.
    pub fn books_mut(&mut self) -> Option<&mut Books> {
        Some(self.engine.contacting_mut()?.bookkeeper.books_mut())
    }

    /// The largest condition of the loops met so far, see
    /// [`LoopDynamics`](featherline_constraint::LoopDynamics); none without loops. 1.7e8 if more
    /// constraints than elsewhere were redundant: it is that or more.
    pub fn worst_loop_condition(&self) -> Option<f64> {
        self.engine.worst_condition()
    }

    /// Why the motion so far may not be the robot's, what was seen first before the rest; each only
    /// once.
    pub fn warnings(&self) -> &[SimulationWarning] {
        &self.motion.warnings
    }

    /// The name of the event that ended the last run, if one has.
    pub fn stopped_by(&self) -> Option<&str> {
        self.motion.events.stopped_by()
    }

    /// Warns once if forces are too stiff for steps of `step` seconds.
    fn look_for_stiff_forces(&mut self, step: f64) {
        let is_of_forces = |warning: &SimulationWarning| {
            matches!(
                warning,
                SimulationWarning::FastDamping(_) | SimulationWarning::FastOscillation(_)
            )
        };
        let warnings = &mut self.motion.warnings;
        if let Some((method, stability)) = self.engine.stability()
            && !warnings.iter().any(is_of_forces)
        {
            warnings.extend(self.stiff_forces.beyond(method, stability, step));
        }
    }

    /// Warns once if bodies rotate too far within the steps of `step` seconds that led here.
    pub(super) fn look_for_fast_rotation(&mut self, step: f64) -> Result<()> {
        let (state, warnings) = (&self.motion.state, &mut self.motion.warnings);
        let is_of_rotation =
            |warning: &SimulationWarning| matches!(warning, SimulationWarning::FastRotation { .. });
        if self.engine.is_variational() && !warnings.iter().any(is_of_rotation) {
            warnings.extend(self.sampler.fast_rotation(step, state)?);
        }
        Ok(())
    }

    /// Fails where a coordinate is so large that its motion in `step` seconds does not show.
    pub(super) fn check_resolution(&self, step: f64) -> Result<()> {
        let state = &self.motion.state;
        self.resolution.check(step, state.t, &state.q, &state.v)
    }

    /// The sample at the present time.
    ///
    /// # Errors
    /// [`SimulationError`] where the controller or an energy has no value.
    pub fn sample(&mut self) -> Result<Sample<'_>> {
        let Motion { state, loops, .. } = &mut self.motion;
        let (t, q, v) = (state.t, &state.q[..], &state.v[..]);
        let tau = &mut self.sampler.tau;
        tau.fill(0.0);
        self.engine.total_force().drive(&State { t, q, v }, tau)?;
        if let Some(contacting) = self.engine.contacting_mut() {
            contacting.add_drive_forces(q, v, tau);
        }
        let mut sample = self.sampler.sample(loops.workspace(), (t, q, v))?;
        let contacting = self.engine.contacting_mut();
        sample.contact = contacting.map(|own| own.sample(sample.energy()));
        Ok(sample)
    }

    pub(super) fn record(
        &mut self,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>> {
        self.hand_to(|sample| recorder.record(sample))
    }

    /// Hands on a state whose velocity an event has changed.
    pub(super) fn record_change(
        &mut self,
        recorder: &mut (impl Recorder + ?Sized),
    ) -> Result<ControlFlow<()>> {
        self.hand_to(|sample| recorder.record_change(sample))
    }

    fn hand_to(
        &mut self,
        record: impl FnOnce(&Sample<'_>) -> Result<ControlFlow<()>, RecorderError>,
    ) -> Result<ControlFlow<()>> {
        let t = self.motion.state.t;
        record(&self.sample()?).map_err(|source| SimulationError::Recorder { t, source })
    }
}
