//! Moreau's time stepping: velocities and impulses of a step together.

mod advance;
mod couplings;
mod floating;
mod free_velocity;
mod impact;
mod laws;
mod middle;
mod moving;
mod overlap;
mod parts;
mod reach;
mod reflections;
mod step_rows;
mod warm_start;

use super::moved::{MovedBodies, MovedBody};
use super::tendons::Tendons;
use super::{ContactSource, Drives};
use crate::integrator::forces::{ForceModel, JointFriction, Loading, add_coefficients};
use crate::integrator::stepper::StepState;
use crate::integrator::{IntegratorError, Result};
use featherline::Workspace;
use featherline::kernel::{Kernel, dispatch, elimination_tree, link_kinematics};
use featherline::model::{LengthEquality, Model, Tendon};
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::{
    Contact, Limited, Outcome, RobotRows, Rows, Solver, SolverOptions, limited_displacements,
};
use featherline_constraint::{LoopError, LoopWorkspace};
use floating::FloatingTrees;
use impact::Hit;
pub use laws::{ContactLaws, FrictionLaw, ImpactLaw};
use middle::MiddleForces;
use moving::MovingFrameJoint;
use reach::Reach;
use reflections::Groups;
pub use warm_start::WarmStart;
use warm_start::{Origin, Remembered};

/// The residual that a warm start must reach after a step with new impulses, relative to the
/// tolerance. Errors below it take dozens of steps to build up to the tolerance.
const SETTLING: f64 = 0.03;

/// The impulse of a contact in a step, on the second of its two bodies. The world comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactImpulse {
    /// The contact, as it was found at the beginning of the step; its normal is from the first body
    /// to the second.
    pub contact: Contact,
    /// The impulse on the second body, in N·s, in the world; the first takes the opposite.
    pub impulse: Vec3<f64>,
    /// The velocity of the second body's point less that of the first, after the step, in m/s.
    pub velocity: Vec3<f64>,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The solver's outcome: the residual in m/s and rad/s, and whether it is small enough.
    pub outcome: Outcome,
    /// The largest overlap of two bodies at the beginning of the step, in m.
    pub penetration: f64,
}

impl StepReport {
    /// Both steps as one: the larger residual and overlap, all factorisations, and whether both
    /// converged.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let mut worst = self;
        worst.outcome = self.outcome.or_worse(other.outcome);
        worst.penetration = self.penetration.max(other.penetration);
        worst
    }
}

/// A robot or a scene in steps of given length: semi-implicit Euler with impulses.
///
/// A step solves M̂ (v⁺ − v) = h (τ − c − …) + Jᵀ λ for the velocity v⁺ and the impulses λ of all
/// constraints together, and moves the configuration by it (J. J. Moreau, "Unilateral contact and
/// dry friction in finite freedom dynamics", 1988; the form for friction of D. Stewart and J.
/// Trinkle, 1996). M̂ is M + h D + h² K with the damping and the stiffness of the joints' dampers
/// and springs, which are implicit. Order 1.
///
/// Bodies that overlap by more than 0.01 mm are put apart before the step, without speed.
///
/// Contacts count before they touch, with their gap: what is fast does not pass through what is
/// thin. Limits of joints, dry friction that sticks, and [`Drives`] are constraints like contacts.
/// After the first steps nothing is allocated, unless there are more contacts than ever.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::TimeStepping;
///
/// // Two rods fall, and stop at nothing.
/// let model = samples::double_pendulum();
/// let mut stepping = TimeStepping::new(&model)?;
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// let report = stepping.step(0.0, &mut q, &mut v, 1e-3)?;
/// assert!(report.outcome.has_converged && v[0] < 0.0);
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
pub struct TimeStepping<'m, L = (), C = ()> {
    model: &'m Model,
    ws: Workspace<f64>,
    loading: Loading<L>,
    source: C,
    drives: Drives,
    tendons: Tendons,
    loops: Option<LoopWorkspace>,
    limits: Vec<Limited>,
    friction: Vec<JointFriction>,
    /// The damping of each coordinate, and the stiffness.
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    has_springs: bool,
    /// The joints whose velocity is in a moving frame.
    moving: Vec<MovingFrameJoint>,
    /// The trees whose momentum is carried.
    floating: FloatingTrees,
    middle: MiddleForces,
    robot: RobotRows,
    rows: Rows,
    solver: Solver,
    options: SolverOptions,
    reach: Reach,
    contacts: Vec<Contact>,
    impulses: Vec<f64>,
    origins: Vec<Origin>,
    remembered: Vec<Remembered>,
    /// M, packed without padding, and where its elements come from.
    mass: Vec<f64>,
    mass_places: Vec<usize>,
    /// M after the step, and the configuration there.
    mass_after: Vec<f64>,
    after: Vec<f64>,
    /// Where its diagonal is.
    diagonal: Vec<usize>,
    /// M̂.
    implicit_mass: Vec<f64>,
    /// h (τ − …) without drives.
    momentum: Vec<f64>,
    free: Vec<f64>,
    correction: Vec<f64>,
    spring: Vec<f64>,
    spring_rest: Vec<f64>,
    step: Vec<f64>,
    report: Vec<ContactImpulse>,
    /// The velocity after the step.
    velocity: Vec<f64>,
    /// The state at the beginning of a step that has changed it before its end.
    before: (Vec<f64>, Vec<f64>),
    is_displaced: bool,
    /// How many parts the step has, and which is made.
    parts: usize,
    part: usize,
    impact: ImpactLaw,
    hits: Vec<Hit>,
    impacts: Vec<f64>,
    /// How fast each row may be before it is closed.
    openings: Vec<f64>,
    normals: Vec<f64>,
    groups: Groups,
    /// Bodies whose motion is given, and where they were before the step.
    moved: MovedBodies,
    moved_before: Vec<MovedBody>,
    /// Of each coupling, the inverse inertia of its linear and of its angular rows.
    inverse_inertias: Vec<[f64; 2]>,
    moved_work: f64,
}

impl<'m> TimeStepping<'m> {
    /// A robot under gravity, with the limits, dry friction, dampers and springs of its joints.
    ///
    /// # Errors
    /// [`IntegratorError::Field`] for loop joints whose motions depend on each other.
    pub fn new(model: &'m Model) -> Result<Self> {
        TimeStepping::with(model, (), ())
    }
}

impl<'m, L: ForceModel, C: ContactSource> TimeStepping<'m, L, C> {
    /// The same under a force model, with what touches.
    ///
    /// # Errors
    /// As [`new`](TimeStepping::new).
    pub fn with(model: &'m Model, force_model: L, source: C) -> Result<Self> {
        let of_loops = |error: LoopError| IntegratorError::field(0.0, error);
        let loops = match model.loop_joints() {
            [] => None,
            _ => Some(LoopWorkspace::new(model).map_err(of_loops)?),
        };
        let tree = elimination_tree(model);
        let mut mass_places = vec![0; tree.tight_len()];
        for k in 0..model.nv() {
            for i in tree.ancestors(k).chain([k]) {
                mass_places[tree.tight_place(k, i)] = tree.place::<f64>(k, i);
            }
        }
        let mut friction = JointFriction::all(model);
        friction.retain(|it| it.friction > 0.0 && it.ratio != 0.0);
        let (mut damping, mut stiffness) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        add_coefficients(model, |drive| &drive.damping, &mut damping);
        add_coefficients(model, |drive| &drive.stiffness, &mut stiffness);
        let zeros = || vec![0.0; model.nv()];
        let (moving, floating) = (MovingFrameJoint::joints(model), FloatingTrees::new(model));
        let middle = MiddleForces::new(model, &floating, &moving);
        Ok(Self {
            model,
            ws: match middle.is_empty() {
                true => Workspace::packed(model),
                // Forces of the middle take derivatives, which are square.
                false => Workspace::new(model),
            },
            loading: Loading::new(model, force_model),
            source,
            drives: Drives::none(),
            tendons: Tendons::default(),
            loops,
            limits: limited_displacements(model),
            friction,
            has_springs: stiffness.iter().any(|k| *k != 0.0),
            damping,
            stiffness,
            middle,
            moving,
            floating,
            robot: RobotRows::new(model),
            rows: Rows::new(),
            solver: Solver::new(tree).with_settling(SETTLING),
            options: SolverOptions::default(),
            reach: Reach::new(model),
            contacts: Vec::new(),
            impulses: Vec::new(),
            origins: Vec::new(),
            remembered: Vec::new(),
            mass: vec![0.0; tree.tight_len()],
            mass_places,
            mass_after: vec![0.0; tree.tight_len()],
            after: vec![f64::NAN; model.nq()],
            diagonal: (0..model.nv()).map(|k| tree.tight_place(k, k)).collect(),
            implicit_mass: vec![0.0; tree.tight_len()],
            momentum: zeros(),
            free: zeros(),
            correction: zeros(),
            spring: zeros(),
            spring_rest: vec![0.0; model.nq()],
            step: zeros(),
            report: Vec::new(),
            velocity: zeros(),
            before: (vec![0.0; model.nq()], zeros()),
            is_displaced: false,
            parts: 1,
            part: 0,
            impact: ImpactLaw::default(),
            hits: Vec::new(),
            impacts: Vec::new(),
            openings: Vec::new(),
            normals: Vec::new(),
            groups: Groups::new(model),
            moved: MovedBodies::none(),
            moved_before: Vec::new(),
            inverse_inertias: Vec::new(),
            moved_work: 0.0,
        })
    }

    /// The same with drives.
    pub fn with_drives(mut self, drives: Drives) -> Self {
        self.drives = drives;
        self
    }

    /// The same with tendons, and equalities of lengths.
    ///
    /// ```
    /// use featherline::model::{JointId, Length, Piece, Tendon};
    /// use featherline::samples;
    /// use featherline::spatial::Vec3;
    /// use featherline_sim::contact::TimeStepping;
    ///
    /// // A cable of 2.5 m from 1 m above a double pendulum to its elbow, 1 m below it.
    /// let model = samples::double_pendulum();
    /// let ends = [JointId::UNIVERSE, model.joint_id("elbow")?];
    /// let piece = Piece::straight(ends, [Vec3::new(0.0, 0.0, 1.0), Vec3::zero()], 1.0);
    /// let mut cable = Tendon::new("cable", Length::Path(vec![piece]));
    /// cable.range = [0.0, 1.5];
    /// let mut stepping = TimeStepping::new(&model)?.with_tendons(vec![cable], Vec::new());
    /// let (mut q, mut v) = ([2.5, 0.0], [0.0, 0.0]);
    /// for _ in 0..1000 {
    ///     stepping.step(0.0, &mut q, &mut v, 1e-3)?;
    /// }
    /// // The elbow stays within its reach: 2 − 2 cos q ≤ 1.5² with the angle from above.
    /// let above = std::f64::consts::PI - q[0];
    /// assert!(2.0 - 2.0 * above.cos() < 1.5f64.powi(2) + 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_tendons(mut self, tendons: Vec<Tendon>, equalities: Vec<LengthEquality>) -> Self {
        self.tendons = Tendons::new(tendons, equalities);
        self
    }

    /// The energy of tendons in a state, in J: of springs, and of their inertia.
    pub(crate) fn tendon_energy(
        &mut self,
        q: &[f64],
        v: &[f64],
    ) -> Result<f64, featherline::Error> {
        if self.tendons.is_empty() {
            return Ok(0.0);
        }
        let kinematics = link_kinematics(self.model, &mut self.ws, q, v)?;
        self.robot.place(self.model, &kinematics);
        self.tendons.find(self.model, &self.robot, q);
        Ok(self.tendons.energy(v))
    }

    /// The same with other options of the solver.
    pub fn with_options(mut self, options: SolverOptions) -> Self {
        self.options = options;
        self
    }

    /// The same with other laws of contact; that of friction and the tolerance replace those of the
    /// options.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_sim::contact::{ContactLaws, FrictionLaw, ImpactLaw, TimeStepping};
    ///
    /// let laws = ContactLaws::default().with_cone(FrictionLaw::Convex);
    /// let laws = laws.with_impact(ImpactLaw::Reflections);
    /// let stepping = TimeStepping::new(&samples::double_pendulum())?.with_laws(laws);
    /// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
    /// ```
    pub fn with_laws(mut self, laws: ContactLaws) -> Self {
        self.options.law = laws.cone;
        self.options.in_motion = laws.tolerance;
        self.options.tolerance = SolverOptions::default().tolerance.min(laws.tolerance);
        self.impact = laws.impact;
        self.limits = match laws.joint_limits {
            true => limited_displacements(self.model),
            false => Vec::new(),
        };
        self
    }

    /// The drives, to be changed between steps.
    pub fn drives_mut(&mut self) -> &mut Drives {
        &mut self.drives
    }

    /// The force model, to be changed between steps.
    pub fn forces_mut(&mut self) -> &mut L {
        &mut self.loading.force_model
    }

    /// The source of contacts, to be changed between steps.
    pub fn source_mut(&mut self) -> &mut C {
        &mut self.source
    }

    /// The contacts of the last step that were within reach, with their impulses: on the second
    /// body of each, where the world is always the first.
    pub fn contacts(&self) -> &[ContactImpulse] {
        &self.report
    }

    /// In how many parts the last step was made: in more than one where a body within reach of a
    /// contact would have turned by more than half a radian. The contacts are those of all parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Goes from the state (`q`, `v`) at `t` to that at `t + h`, in place.
    ///
    /// # Errors
    /// [`IntegratorError`]; the state is then as it was. A solution that is not exact is no error:
    /// the report says so.
    pub fn step(&mut self, t: f64, q: &mut [f64], v: &mut [f64], h: f64) -> Result<StepReport> {
        self.is_displaced = false;
        (self.parts, self.part) = (1, 0);
        self.moved_before.clone_from(&self.moved.bodies);
        self.moved_work = 0.0;
        let (stepping, own_q, own_v) = (&mut *self, &mut *q, &mut *v);
        let made = dispatch(StepKernel {
            stepping,
            t,
            q: own_q,
            v: own_v,
            h,
        });
        if made.is_err() {
            self.moved.bodies.clone_from(&self.moved_before);
            if self.is_displaced {
                q.copy_from_slice(&self.before.0);
                v.copy_from_slice(&self.before.1);
            }
        }
        made
    }

    #[inline(always)]
    fn step_in_place(
        &mut self,
        t: f64,
        q: &mut [f64],
        v: &mut [f64],
        h: f64,
    ) -> Result<StepReport> {
        self.moved.bodies.iter_mut().for_each(|body| body.begin(h));
        self.source.place_moved(&self.moved);
        self.find_mass(t, q, v)?;
        let penetration = self.find_rows(t, q, v, h)?;
        self.put_apart(t, q, v, h)?;
        self.find_momentum(t, q, v, h)?;
        if self.drives.begin(self.loading.force_model.controls()) {
            self.push_rows(t, q, v, h)?;
        }
        self.solver.set_motion(v);
        let mut factorisations = 0;
        let mut outcome = loop {
            self.find_free_velocity(StepState { t, q, v, h })?;
            self.begin_with_remembered();
            let Self {
                solver,
                free,
                rows,
                impulses,
                ..
            } = self;
            let mut outcome = solver.solve(free, rows, impulses, &self.options);
            factorisations += outcome.factorisations;
            outcome.factorisations = factorisations;
            // A drive whose force exceeds its bound becomes a row, and so does a contact that
            // impulses have brought within reach.
            let settles = self.drives.settle(q, self.solver.velocity(), h);
            if !(self.finds_more(t, q, v, h)? || settles) {
                break outcome;
            }
            self.push_rows(t, q, v, h)?;
        };
        if self.parts == 1 {
            let parts = self.parts_needed(StepState { t, q, v, h })?;
            if parts > 1 {
                return self.step_in_parts(t, (q, v), h, parts);
            }
        }
        self.remember();
        self.add_moved_work(v);
        let rebounds = self.find_rebounds(v, h);
        self.advance(t, q, v, h)?;
        self.moved.bodies.iter_mut().for_each(|body| body.end(h));
        if rebounds {
            let second = self.rebound(t + h, h)?;
            outcome = outcome.or_worse(second);
        }
        q.copy_from_slice(&self.after);
        v.copy_from_slice(&self.velocity);
        self.drives.end(h);
        Ok(StepReport {
            outcome,
            penetration,
        })
    }

    /// Keeps the state at the beginning of a step, to return to where it fails.
    fn keep_before(&mut self, q: &[f64], v: &[f64]) {
        if !self.is_displaced {
            self.before.0.copy_from_slice(q);
            self.before.1.copy_from_slice(v);
            self.is_displaced = true;
        }
    }
}

/// A step, to be made with the widest instructions that there are.
struct StepKernel<'a, 'm, L, C> {
    stepping: &'a mut TimeStepping<'m, L, C>,
    t: f64,
    q: &'a mut [f64],
    v: &'a mut [f64],
    h: f64,
}

impl<L: ForceModel, C: ContactSource> Kernel for StepKernel<'_, '_, L, C> {
    type Output = Result<StepReport>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        self.stepping.step_in_place(self.t, self.q, self.v, self.h)
    }
}
