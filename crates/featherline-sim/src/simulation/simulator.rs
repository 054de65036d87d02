//! Puts a simulation together and checks its start.

use super::engine::acceleration::Acceleration;
use super::engine::adaptive::Adaptive;
use super::engine::contacting::{AnySource, Contacting};
use super::engine::fixed_step::FixedStep;
use super::engine::variational::{Integrator, Variational};
use super::engine::{Engine, Motion};
use super::event::{EventDetector, TimedState};
use super::loop_projection::{LoopProjection, warn_of_rounded_axes};
use super::method::MethodKind;
use super::monitor::resolution::Resolution;
use super::monitor::sampler::Sampler;
use super::monitor::singularity::Singularity;
use super::monitor::stiff_forces::StiffForces;
use super::total_force::TotalForce;
use super::{
    Controller, EffortLimits, Event, LoopKeeping, Method, Result, Simulation, SimulationError,
    Uncontrolled,
};
use crate::contact::{ContactLaws, ContactSource, Drives, MovedBodies, TimeStepping};
use crate::integrator::forces::ForceModel;
use crate::integrator::{IntegratorError, MaximalVariationalIntegrator, VariationalIntegrator};
use featherline::Error;
use featherline::kernel::check_size;
use featherline::model::{LengthEquality, Model, Tendon};
use featherline_constraint::kernel::{
    assemble_with_rounded_axes, generic_redundancy, is_closed_but_for_rounded_axes,
};
use featherline_constraint::{LoopGap, LoopWorkspace, loop_gap};

/// Gaps at the start below which loops are closed, in m, rad, m/s and rad/s.
const CLOSED: f64 = 1e-8;

/// By how much the length of a quaternion may differ from one by rounding.
const ROUNDING: f64 = 1e-12;

/// How many warnings there may be.
const KINDS_OF_WARNING: usize = 6;

/// A robot and what moves it, ready to be started.
pub struct Simulator<'m> {
    model: &'m Model,
    method: Method<'m>,
    controller: Box<dyn Controller + 'm>,
    effort: EffortLimits,
    forces: Box<dyn ForceModel + 'm>,
    keeping: LoopKeeping,
    events: Vec<Event<'m>>,
    contacts: Option<Box<dyn ContactSource + 'm>>,
    drives: Drives,
    tendons: (Vec<Tendon>, Vec<LengthEquality>),
    moved: MovedBodies,
    laws: ContactLaws,
}

impl<'m> Simulator<'m> {
    /// A robot under gravity alone, nobody driving it, its loops kept closed by projection.
    /// Controllers and drives give no more than the joints' [limits of effort](EffortLimits).
    pub fn new(model: &'m Model, method: Method<'m>) -> Self {
        Self {
            model,
            method,
            controller: Box::new(Uncontrolled),
            effort: EffortLimits::of(model),
            forces: Box::new(()),
            keeping: LoopKeeping::default(),
            events: Vec::new(),
            contacts: None,
            drives: Drives::none(),
            tendons: Default::default(),
            moved: MovedBodies::none(),
            laws: ContactLaws::default(),
        }
    }

    /// The method of integration.
    pub fn method(&self) -> &Method<'m> {
        &self.method
    }

    /// The same, driven by a controller.
    pub fn with_controller(mut self, controller: impl Controller + 'm) -> Self {
        self.controller = Box::new(controller);
        self
    }

    /// The same with a controller that gives all that it asks for, whatever the joints' limits of
    /// effort are. Drives have their own:
    /// [`Drives::without_effort_limits`](crate::contact::Drives::without_effort_limits).
    ///
    /// ```
    /// use featherline_sim::integrator::RungeKutta4;
    /// use featherline_sim::simulation::{Method, Simulator};
    ///
    /// let robot = featherline_formats::load_str(
    ///     "<mujoco><worldbody><body><joint axis='0 0 1' actuatorfrcrange='-2 2'/>
    ///      <geom type='box' size='0.1 0.1 0.1' mass='3'/></body></worldbody></mujoco>",
    /// )?;
    /// let method = Method::steps(RungeKutta4::new(&robot.model), 1e-3)?;
    /// let push = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[0] += 6.0;
    /// let simulator = Simulator::new(&robot.model, method).with_controller(push);
    /// let mut simulation = simulator.without_effort_limits().start(0.0, &[0.0], &[0.0])?;
    /// simulation.run(1.0, 1.0, &mut ())?;
    /// // 6 N·m turn 0.02 kg m², and not the 2 N·m of the file.
    /// assert!((simulation.velocity()[0] - 300.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_effort_limits(mut self) -> Self {
        self.effort = EffortLimits::none();
        self
    }

    /// The same under a force model besides gravity and the controller; a tuple of models is one.
    /// The model's own damping, friction and springs are
    /// [`forces::passive`](crate::integrator::forces::passive).
    pub fn with_forces(mut self, forces: impl ForceModel + 'm) -> Self {
        self.forces = Box::new(forces);
        self
    }

    /// The same with loops kept closed in another way.
    pub fn with_loops_kept(mut self, keeping: LoopKeeping) -> Self {
        self.keeping = keeping;
        self
    }

    /// The same with an event to look for; there may be several.
    pub fn with_event(mut self, event: Event<'m>) -> Self {
        self.events.push(event);
        self
    }

    /// The same with contacts, of [time stepping](Method::time_stepping).
    pub fn with_contacts(mut self, contacts: impl ContactSource + 'm) -> Self {
        self.contacts = Some(Box::new(contacts));
        self
    }

    /// The same with other laws of contact, of [time stepping](Method::time_stepping).
    pub fn with_contact_laws(mut self, laws: ContactLaws) -> Self {
        self.laws = laws;
        self
    }

    /// The same with drives, of [time stepping](Method::time_stepping).
    pub fn with_drives(mut self, drives: Drives) -> Self {
        self.drives = drives;
        self
    }

    /// The same with tendons, and equalities of lengths, of [time stepping](Method::time_stepping).
    pub fn with_tendons(mut self, tendons: Vec<Tendon>, equalities: Vec<LengthEquality>) -> Self {
        self.tendons = (tendons, equalities);
        self
    }

    /// The same with bodies of the world whose motion is given, of [time
    /// stepping](Method::time_stepping).
    pub fn with_moved(mut self, moved: MovedBodies) -> Self {
        self.moved = moved;
        self
    }

    /// Starts at the time `t` (in s) from the state (`q`, `v`), nq and nv entries. Quaternions and
    /// (cos, sin) pairs are brought to length one.
    ///
    /// Memory O(n) and the cost of some tens of evaluations of forward dynamics on trees. With
    /// loops, where applied forces depend on the motion, some tens of evaluations of the loops'
    /// dynamics, and one for each joint that may be fastest, nv at most.
    ///
    /// # Errors
    /// [`SimulationError::InconsistentStart`] if the loops are not closed to 1e-8 (m, rad, m/s,
    /// rad/s), and by how much, unless that is what rounded axes leave
    /// ([`SimulationWarning::RoundedAxes`](super::SimulationWarning::RoundedAxes));
    /// [`SimulationError::VariationalLoops`]; [`SimulationError::ContactsLeftOut`] for contacts,
    /// drives, tendons or moved bodies with another method than time stepping;
    /// [`SimulationError::Integrator`] for a state that is not the model's or not finite.
    pub fn start(self, t: f64, q: &[f64], v: &[f64]) -> Result<Simulation<'m>> {
        let model = self.model;
        check_size("q", model.nq(), q.len())?;
        check_size("v", model.nv(), v.len())?;
        for (what, values) in [("t", &[t][..]), ("q", q), ("v", v)] {
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(Error::NotFinite { what, index }.into());
            }
        }
        let mut normalised = q.to_vec();
        model.normalise(&mut normalised)?;
        // Quaternions and (cos, sin) pairs of length one, up to rounding, are left as they are.
        let q = match model.is_normalised(q, ROUNDING)? {
            true => q,
            false => &normalised[..],
        };
        let of_loops = |source| SimulationError::of_loops(model, t, v, source);
        let mut loops = None;
        let mut generic_redundancy = 0;
        let mut warnings = Vec::with_capacity(KINDS_OF_WARNING);
        if !model.loop_joints().is_empty() {
            // No mass matrix is needed, unless states between steps are put on the loops.
            let is_recursive = matches!(self.method.0, MethodKind::MaximalVariational(_))
                && self.events.is_empty();
            let made = match is_recursive {
                true => LoopWorkspace::recursive(model),
                false => LoopWorkspace::new(model),
            };
            let mut ws = made.map_err(of_loops)?;
            let gap = loop_gap(model, &mut ws, q, v).map_err(of_loops)?;
            generic_redundancy =
                featherline_constraint::kernel::generic_redundancy(model, &mut ws, q);
            ws.set_generic_redundancy(generic_redundancy);
            if gap.position > CLOSED || gap.velocity > CLOSED {
                let is_closed = is_closed_but_for_rounded_axes(model, &mut ws, q, v, CLOSED);
                if !is_closed.map_err(of_loops)? {
                    return Err(inconsistent(model, &gap));
                }
                warn_of_rounded_axes(model, &mut warnings, t, &gap);
            }
            let mut singularity = Singularity::new(&ws);
            warnings.extend(singularity.look(model, &mut ws, t, q));
            loops = Some((ws, singularity));
        }
        let is_time_stepping = matches!(self.method.0, MethodKind::TimeStepping(_));
        let (tendons, equalities) = self.tendons;
        let has_no_lengths = tendons.is_empty() && equalities.is_empty();
        let is_plain = self.contacts.is_none()
            && self.drives.is_empty()
            && self.moved.is_empty()
            && has_no_lengths;
        if !is_time_stepping && !is_plain {
            return Err(SimulationError::ContactsLeftOut);
        }
        let forces = TotalForce {
            model,
            controller: self.controller,
            effort: self.effort,
            asked: Vec::with_capacity(model.nv()),
            applied: self.forces,
            is_kept: is_time_stepping,
            tau: Vec::with_capacity(model.nv()),
            bodies: Vec::with_capacity(model.joints().len()),
        };
        let stiff_forces = StiffForces::of(model, q, &forces);
        let stabilisation = self.keeping.stabilisation;
        // Between variational steps states are a cubic's, which leaves the loops a little.
        let is_maximal = matches!(self.method.0, MethodKind::MaximalVariational(_));
        let acceleration =
            |forces| Acceleration::new(model, forces, stabilisation, generic_redundancy);
        let engine: Box<dyn Engine<'m> + 'm> = match self.method.0 {
            MethodKind::Steps(stepper, step) => Box::new(FixedStep {
                stepper,
                step,
                acceleration: acceleration(forces).map_err(of_loops)?,
            }),
            MethodKind::Tolerance(method) => Box::new(Adaptive {
                method,
                acceleration: acceleration(forces).map_err(of_loops)?,
            }),
            MethodKind::TimeStepping(step) => {
                let contacts = AnySource(self.contacts.unwrap_or(Box::new(())));
                let stepping = TimeStepping::with(model, forces, contacts)?;
                let stepping = stepping.with_drives(self.drives).with_laws(self.laws);
                let stepping = stepping.with_tendons(tendons, equalities);
                let stepping = stepping.with_moved(self.moved)?;
                Box::new(Contacting::new(model, stepping, step))
            }
            MethodKind::Variational(_) if loops.is_some() => {
                return Err(SimulationError::VariationalLoops {
                    robot: model.name().to_owned(),
                });
            }
            MethodKind::Variational(step) => {
                let mut integrator = Box::new(VariationalIntegrator::with_forces(model, forces));
                integrator.start(t, q, v)?;
                let integrator = Integrator::Joint(integrator);
                Box::new(Variational { integrator, step })
            }
            MethodKind::MaximalVariational(step) => {
                let integrator = MaximalVariationalIntegrator::with_forces(model, forces)
                    .map_err(|source| IntegratorError::Maximal { t, source })?;
                let mut integrator = Box::new(integrator);
                integrator.start(t, q, v)?;
                let integrator = Integrator::Maximal(integrator);
                Box::new(Variational { integrator, step })
            }
        };
        let is_projected = self.keeping.projection || is_maximal;
        Ok(Simulation {
            model,
            resolution: Resolution::new(model),
            stiff_forces,
            engine,
            sampler: Sampler::new(model),
            first_speed: v.iter().fold(0.0, |most, v| most.max(v.abs())),
            motion: Motion {
                state: TimedState {
                    t,
                    q: q.into(),
                    v: v.into(),
                },
                loops: LoopProjection::new(model, loops, is_projected),
                events: EventDetector::new(model, self.events),
                warnings,
            },
        })
    }

    /// [`start`](Self::start) from a state nearby in which the loops are closed: the configuration
    /// by Gauss-Newton ([`assemble`](featherline_constraint::assemble)), the velocity by an impulse
    /// of the loop joints ([`project_velocity`](featherline_constraint::project_velocity)).
    ///
    /// # Errors
    /// [`SimulationError::Loops`] if they don't close, and as [`start`](Self::start).
    ///
    /// ```
    /// use featherline_sim::integrator::RungeKutta4;
    /// use featherline::samples;
    /// use featherline_sim::simulation::{Method, Simulator};
    ///
    /// let model = samples::four_bar();
    /// let simulator = || -> Result<_, featherline_sim::simulation::SimulationError> {
    ///     Ok(Simulator::new(&model, Method::steps(RungeKutta4::new(&model), 1e-3)?))
    /// };
    /// // The crank alone is turned, and alone turns.
    /// let (q, v) = ([0.4, 0.0, 0.0], [1.0, 0.0, 0.0]);
    /// let error = simulator()?.start(0.0, &q, &v).err().map(|e| e.to_string());
    /// assert!(error.is_some_and(|e| e.contains("not closed at the start")));
    /// let mut simulation = simulator()?.start_assembled(0.0, &q, &v)?;
    /// simulation.run(1.0, 0.1, &mut ())?;
    /// # Ok::<(), featherline_sim::simulation::SimulationError>(())
    /// ```
    pub fn start_assembled(self, t: f64, q: &[f64], v: &[f64]) -> Result<Simulation<'m>> {
        let model = self.model;
        if model.loop_joints().is_empty() {
            return self.start(t, q, v);
        }
        let (mut own_q, mut own_v) = (q.to_vec(), v.to_vec());
        let of_loops = |source| SimulationError::of_loops(model, t, v, source);
        let mut ws = LoopWorkspace::new(model).map_err(of_loops)?;
        let most = generic_redundancy(model, &mut ws, &own_q);
        assemble_with_rounded_axes(model, &mut ws, &mut own_q, most).map_err(of_loops)?;
        featherline_constraint::project_velocity(model, &mut ws, &own_q, &mut own_v)
            .map_err(of_loops)?;
        self.start(t, &own_q, &own_v)
    }
}

fn inconsistent(model: &Model, gap: &LoopGap) -> SimulationError {
    let joint = gap.widest.map(|id| model.loop_joint(id).name.clone());
    SimulationError::InconsistentStart {
        joint: joint.unwrap_or_default(),
        position: gap.position,
        velocity: gap.velocity,
        tolerance: CLOSED,
    }
}
