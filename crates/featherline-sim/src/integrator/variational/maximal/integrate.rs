//! The variational integrator in maximal coordinates: its state, its steps and its results.

use super::graph::Graph;
use crate::integrator::forces::{ForceModel, Loads, State, check_positive};
use crate::integrator::stepper::check_finite;
use crate::integrator::variational::center_of_mass::Trees;
use crate::integrator::variational::convergence::{Change, Convergence, Progress};
use crate::integrator::variational::moving_frame::MovingFrame;
use crate::integrator::{IntegratorError, Result};
use crate::maximal::state::{check_motions, refuse_mimic_joints};
use crate::maximal::{MaximalError, MaximalState, Pose};
use featherline::kernel::check_size;
use featherline::model::Model;
use featherline::spatial::{Force, Vec3};
use featherline::{Workspace, kernel};

/// A robot at the end of a step, in the frame in which it is followed.
#[derive(Clone, Debug)]
pub(super) struct Instant {
    pub t: f64,
    /// The step that led here, 0 at the start.
    pub before: f64,
    /// The configuration of the tree.
    pub q: Box<[f64]>,
    /// Where the bodies' joint frames are.
    pub poses: Box<[Pose]>,
    /// Momenta with which drives come here.
    pub reflected: Box<[f64]>,
    /// Forces on drives at this instant; until these are known, those of the instant before.
    pub tau: Box<[f64]>,
    /// The largest gap of a joint.
    pub gap: f64,
}

impl Instant {
    /// For how long the loads of this instant pull when the next step takes `h`: half of both steps
    /// around it.
    #[inline(always)]
    pub fn time(&self, h: f64) -> f64 {
        0.5 * (self.before + h)
    }
}

/// A robot with closed loops in motion, followed by a variational integrator in maximal
/// coordinates: for long simulations whose energy must not drift, and whose loops must stay closed.
///
/// Trees are treated as graphs without loops. [`VariationalIntegrator`] follows the same motion of
/// a tree eight to ten times as fast, takes mimic joints, and carries on where a base that joints
/// hold goes further in a step than its own size.
///
/// Order 2, symplectic, symmetric. Joints and loops are closed to the precision of the iterations
/// at every instant: nothing drifts, and nothing has to be projected. Linear and angular momentum
/// are kept to rounding where nothing acts from outside, and the energy error stays bounded over
/// any number of steps of one length. Forces enter as in the [`VariationalIntegrator`], where the
/// error of fast rotations is described, too.
///
/// [`VariationalIntegrator`]: crate::integrator::VariationalIntegrator
///
/// Rounded joint axes, which should be parallel or meet, make a structure of a linkage. Constraints
/// that are redundant at the start but for less than some 8·10⁻⁵ of a motion are therefore left
/// out: the linkage moves as with exact axes, and its loops stay open by what rounding leaves
/// ([`gap`](Self::gap)). They are chosen once: planar linkages move so, while a spatial linkage
/// with redundant constraints, as Bennett's, needs exact axes: steps end with
/// [`IntegratorError::NearSingular`]. Loop joints whose directions depend on what they read
/// (universal, ZYX angles, composite) are held to the letter.
///
/// Every kind of joint but mimic joints, see [`maximal`](crate::maximal); redundant loops are no
/// special case. A step costs O(n), and O(length) for each loop, and a few iterations of much less
/// ([`iterations`](Self::iterations)); it allocates nothing. Iterations do not grow with a chain
/// that hangs on a loop: three to six with a thousand links.
///
/// ```
/// use featherline_sim::integrator::MaximalVariationalIntegrator;
/// use featherline::samples;
///
/// // A four-bar linkage, its crank at 5 rad/s. An impulse removes what its loop does not allow of
/// // that velocity.
/// let model = samples::four_bar();
/// let mut motion = MaximalVariationalIntegrator::new(&model)?;
/// motion.start(0.0, &[0.0; 3], &[5.0, 0.0, 0.0])?;
/// let before = motion.energy()?;
/// for _ in 0..2_000 {
///     motion.step(0.005)?;
///     assert!(motion.gap() < 1e-12);
/// }
/// assert!((motion.energy()? - before).abs() < 0.01 * before.abs());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MaximalVariationalIntegrator<'m, L = ()> {
    model: &'m Model,
    ws: Workspace<f64>,
    pub(crate) force_model: L,
    convergence: Convergence,
    frame: MovingFrame,
    now: Instant,
    /// The configuration and the bodies in the world.
    q: Box<[f64]>,
    poses: Box<[Pose]>,
    /// Whether the loads are those of this instant.
    loaded: bool,
    graph: Box<Graph<'m>>,
    /// The state at the start.
    state: MaximalState,
    bodies: Box<[Force<f64>]>,
    v: Box<[f64]>,
    progress: Progress,
    iterations: usize,
    trees: Trees,
    /// Twice the kinetic energy of the last step, 0 at first, and that about the centres of mass.
    doubled_energy: f64,
    inner_energy: f64,
    /// The length of the robot with all joints in line, in m: places are rounded to a part of it.
    reach: f64,
}

impl<'m> MaximalVariationalIntegrator<'m> {
    /// A robot under gravity alone, at rest in its neutral configuration until it is
    /// [started](Self::start).
    ///
    /// # Errors
    /// As [`with_forces`](Self::with_forces).
    pub fn new(model: &'m Model) -> Result<Self, MaximalError> {
        Self::with_forces(model, ())
    }
}

impl<'m, L: ForceModel> MaximalVariationalIntegrator<'m, L> {
    /// A robot under gravity and a force model; a tuple of models is one.
    ///
    /// # Errors
    /// [`MaximalError::MimicJoint`] where a joint mimics another,
    /// [`MaximalError::DependentMotions`] where one repeats its own motions.
    pub fn with_forces(model: &'m Model, force_model: L) -> Result<Self, MaximalError> {
        check_motions(model)?;
        refuse_mimic_joints(model)?;
        let mut ws = Workspace::recursive(model);
        let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
        let state = MaximalState::from_joints(model, &mut ws, &q, &v)?;
        let tangent = || -> Box<[f64]> { vec![0.0; model.nv()].into() };
        let joints = model.joints().iter();
        Ok(Self {
            model,
            ws,
            force_model,
            convergence: Convergence::default(),
            frame: MovingFrame::new(model),
            now: Instant {
                t: 0.0,
                before: 0.0,
                q: q.clone().into(),
                poses: state.poses.clone().into(),
                reflected: tangent(),
                tau: tangent(),
                gap: 0.0,
            },
            q: q.into(),
            poses: state.poses.clone().into(),
            loaded: false,
            graph: Box::new(Graph::new(model)?),
            bodies: vec![Force::zero(); state.poses.len()].into(),
            state,
            v: tangent(),
            progress: Progress::new(),
            iterations: 0,
            trees: Trees::new(model),
            doubled_energy: 0.0,
            inner_energy: 0.0,
            reach: joints.map(|joint| joint.placement.translation.norm()).sum(),
        })
    }

    /// Sets when the equations of a step count as solved.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless both are positive.
    pub fn set_convergence(&mut self, convergence: Convergence) -> Result<()> {
        convergence.check()?;
        self.convergence = convergence;
        Ok(())
    }

    /// Puts the robot into the state (`q`, `v`) of nq and nv entries, the coordinates of its tree,
    /// at the time `t`. An impulse of the joints removes the part of the velocity that the loops do
    /// not allow. With loops of m constraints it costs O(n m²) beside the bodies' places, and
    /// allocates.
    ///
    /// # Errors
    /// [`IntegratorError::OpenLoop`] unless all loops are closed but for what rounded axes leave
    /// (see [`assemble`](featherline_constraint::assemble)), [`IntegratorError::Argument`] or
    /// [`IntegratorError::BadParameter`] for a state that is none, [`IntegratorError::Maximal`]
    /// where a joint is singular. The state is then none until the next start.
    pub fn start(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<()> {
        let model = self.model;
        check_size("q", model.nq(), q.len())?;
        check_size("v", model.nv(), v.len())?;
        check_finite("the time", t)?;
        let placed = self.state.set_joints(model, &mut self.ws, q, v);
        placed.map_err(|source| {
            if let MaximalError::Argument(source) = source {
                source.into()
            } else {
                IntegratorError::Maximal { t, source }
            }
        })?;
        let now = &mut self.now;
        (now.t, now.before) = (t, 0.0);
        now.q.copy_from_slice(q);
        now.poses.copy_from_slice(&self.state.poses);
        self.frame.reset();
        self.doubled_energy = 0.0;
        for (k, inertia) in kernel::reflected_inertias(model).iter().enumerate() {
            now.reflected[k] = inertia * v[k];
        }
        now.tau.fill(0.0);
        self.bodies.fill(Force::zero());
        self.progress = Progress::new();
        self.loaded = false;
        self.graph.start(now, &self.state)?;
        self.find_inner_energy(self.state.doubled_kinetic_energy(model));
        self.place();
        self.follow();
        Ok(())
    }

    /// Finds where the robot is in the world.
    fn place(&mut self) {
        self.q.copy_from_slice(&self.now.q);
        self.frame.place(&mut self.q);
        self.poses.copy_from_slice(&self.now.poses);
        if self.frame.base().is_some() {
            for pose in &mut self.poses[1..] {
                pose.position += self.frame.position;
            }
        }
    }

    /// Finds the kinetic energy about the trees' centres of mass, from the `whole`, both doubled.
    fn find_inner_energy(&mut self, whole: f64) {
        let of_centres = self.graph.energy_of_centres(&mut self.trees);
        self.inner_energy = (whole - of_centres).max(0.0);
    }

    /// Lets the frame go with the centre of mass.
    fn follow(&mut self) {
        if self.frame.base().is_none() {
            return;
        }
        let total = self.graph.total_momentum(&self.now, Vec3::zero());
        let Some(velocity) = self.frame.lack(total.linear, self.doubled_energy) else {
            return;
        };
        self.graph.slow(velocity);
        self.frame.accelerate(velocity);
    }

    /// Goes on by a step of `h` seconds. Allocates nothing.
    ///
    /// # Errors
    /// [`IntegratorError::NotConverged`], [`IntegratorError::Diverged`],
    /// [`IntegratorError::HalfTurn`], [`IntegratorError::NearSingular`] where loops are nearly
    /// singular, [`IntegratorError::Dynamics`] where a body has no inertia in a direction in which
    /// it may move, [`IntegratorError::Maximal`] where a joint is singular,
    /// [`IntegratorError::BadParameter`] unless the step is positive. The state is then as it was.
    pub fn step(&mut self, h: f64) -> Result<()> {
        check_positive("the step", h)?;
        self.prepare()?;
        let (progress, energy) = (self.progress, self.doubled_energy);
        if let Err(error) = self.solve(h) {
            let explained = self.graph.explained(&self.now, h, error);
            let is_found = |h| self.prepare().is_ok() && self.solve(h).is_ok();
            let explained = explained.with_shorter(h, is_found);
            (self.progress, self.doubled_energy) = (progress, energy);
            return Err(explained);
        }
        let lack = self.graph.finish(&mut self.now, h)?;
        self.frame.advance(self.now.before, h, lack);
        self.place();
        self.now.t += h;
        self.now.before = h;
        self.loaded = false;
        Ok(())
    }

    /// The time, in s.
    pub fn time(&self) -> f64 {
        self.now.t
    }

    /// The configuration of the tree, nq entries.
    pub fn configuration(&self) -> &[f64] {
        &self.q
    }

    /// Where the bodies are, in the order of [`Model::joints`], the universe first.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// The largest gap of a joint, those of loops included, that the last step has left: the length
    /// of its six-vector, in m and rad. Rounding, unless joint axes are rounded.
    pub fn gap(&self) -> f64 {
        self.now.gap
    }

    /// The velocity of the tree's coordinates, nv entries: that of bodies with the momenta D₂L + ½
    /// h f of this instant, when an impulse of the joints has taken away what would open them (the
    /// discrete Legendre transform). Costs about a step of few iterations.
    ///
    /// # Errors
    /// [`IntegratorError::Dynamics`] and [`IntegratorError::Maximal`] as [`step`](Self::step) has,
    /// [`IntegratorError::UndeterminedVelocity`] where loops are nearly singular, and errors of the
    /// force model.
    pub fn velocity(&mut self) -> Result<&[f64]> {
        self.prepare()?;
        self.find_velocity()?;
        Ok(&self.v)
    }

    /// The mechanical energy, in J: kinetic energy at [`velocity`](Self::velocity), plus potential
    /// energy without springs.
    ///
    /// # Errors
    /// As [`velocity`](Self::velocity).
    pub fn energy(&mut self) -> Result<f64> {
        self.velocity()?;
        let (model, q) = (self.model, &self.now.q);
        let energy = model.mechanical_energy(&mut self.ws, q, &self.v)?;
        let risen = self.frame.position.dot(model.gravity());
        Ok(energy - model.total_mass() * risen)
    }

    /// The robot's momentum along the world's axes: linear in N·s, angular about the world's origin
    /// in N·m·s. It includes half of the last and the next impulses from outside and is constant
    /// where there are none.
    ///
    /// # Errors
    /// As [`velocity`](Self::velocity).
    pub fn momentum(&mut self) -> Result<Force<f64>> {
        self.prepare()?;
        let velocity = self.frame.velocity(self.now.before);
        let about_frame = self.graph.total_momentum(&self.now, velocity);
        Ok(self.frame.momentum(about_frame))
    }

    /// How many corrections the last step took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The force model.
    pub fn forces(&self) -> &L {
        &self.force_model
    }

    /// The force model, to be changed between steps: its forces at this instant are evaluated anew.
    pub fn forces_mut(&mut self) -> &mut L {
        self.loaded = false;
        &mut self.force_model
    }

    /// Computes what belongs to this instant: the eliminated system, loads.
    fn prepare(&mut self) -> Result<()> {
        self.graph.factorise(&self.now)?;
        if self.loaded {
            return Ok(());
        }
        if self.now.before > 0.0 {
            self.find_inner_energy(self.doubled_energy);
        }
        self.graph.weigh(self.frame.weight);
        if !self.force_model.is_nothing() {
            self.evaluate_law()?;
            self.follow();
        }
        self.loaded = true;
        Ok(())
    }

    /// Adds the force model's forces to the loads, which hold the weights so far.
    fn evaluate_law(&mut self) -> Result<()> {
        let on_bodies = self.force_model.acts_on_bodies();
        // The force model sees the velocity that the loads before give: right to second order.
        if on_bodies {
            self.graph.load(&self.bodies);
        }
        self.find_velocity()?;
        let state = State {
            t: self.now.t,
            q: &self.q,
            v: &self.v,
        };
        let mut loads = Loads {
            tau: &mut self.now.tau,
            bodies: &mut self.bodies,
        };
        loads.set(&mut self.force_model, self.model, &state)?;
        if on_bodies {
            self.graph.weigh(self.frame.weight);
            self.graph.load(&self.bodies);
        }
        Ok(())
    }

    /// Writes the velocity of this instant.
    fn find_velocity(&mut self) -> Result<()> {
        self.graph.find_velocity(&self.now, &mut self.v)?;
        if let Some(base) = self.frame.base() {
            let turn = self.graph.turn_of(base);
            let velocity = self.frame.velocity(self.now.before);
            self.frame.boost(velocity, &turn, &mut self.v);
        }
        Ok(())
    }

    /// Solves the discrete Euler-Lagrange equations for the displacements.
    fn solve(&mut self, h: f64) -> Result<()> {
        self.graph.guess(&self.now, h);
        let most = self.convergence.most_iterations;
        self.progress.begin_step();
        for iteration in 1..=most {
            let change = self.correct(h)?;
            let slow = self.progress.is_slow(&change);
            if self.progress.is_enough(&change, self.convergence.tolerance) {
                self.iterations = iteration;
                return Ok(());
            }
            if slow {
                self.graph.renew(&self.now, h)?;
            }
        }
        let (joint, change) = self.graph.fastest_correction();
        Err(IntegratorError::NotConverged {
            t: self.now.t,
            h,
            iterations: most,
            joint,
            change: h * change,
            shorter: None,
        })
    }

    /// Corrects the displacements, and returns by how much, or the gap of a loop, if that is more.
    fn correct(&mut self, h: f64) -> Result<Change> {
        let ([correction, motion], gap) = self.graph.correct(&self.now, h)?;
        self.doubled_energy = motion;
        // A robot at rest is as still as rounding of its weight leaves it.
        let weight = self.model.total_mass() * self.frame.weight.norm_squared() * h * h;
        let change = Change::new(correction, self.inner_energy + weight, motion + weight);
        if change.is_finite() {
            let places = self.model.total_mass() * (self.reach / h).powi(2);
            return Ok(change.or_places(places).or_gap(gap));
        }
        let t = self.now.t + h;
        Err(self.graph.diverged(t))
    }
}
