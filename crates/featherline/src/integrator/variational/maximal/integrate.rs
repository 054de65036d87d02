//! The integrator itself: its state, its steps, what can be read of it.

use super::constraint::{Arrive, Constraint, Move, Read, Settle};
use super::motion::{Correct, Finish, NotRenewed, Renew, Step};
use super::system::System;
use crate::error::check_size;
use crate::integrator::IntegratorError;
use crate::integrator::forces::{ForceLaw, check_positive};
use crate::integrator::stepper::check_finite;
use crate::integrator::variational::convergence::{Convergence, Progress};
use crate::integrator::variational::past::Past;
use crate::maximal::state::refuse_followers;
use crate::maximal::{MaximalError, MaximalState, Pose};
use crate::model::{JointId, Model};
use crate::scalar::dispatch;
use crate::spatial::{DynamicParameters, Force, Inertia, Se3};
use crate::{Error, Workspace};
use nalgebra::Matrix6;

/// Gaps at the start below which loops are closed, in m and rad.
const CLOSED: f64 = 1e-8;

/// A robot in motion, with or without closed loops, followed by a variational integrator in maximal coordinates: for long
/// simulations whose energy must not drift, and whose loops must stay closed.
///
/// Order 2, symplectic, symmetric. Joints and loops are closed to the precision of the iterations at every instant: nothing
/// drifts, and nothing has to be projected. Linear and angular momentum are kept to rounding where nothing acts from
/// outside, and the energy error stays bounded over any number of steps of one length. Forces enter as in the
/// [`VariationalIntegrator`](crate::integrator::VariationalIntegrator), whose motion this is on trees, and which is faster
/// there.
///
/// Every kind of joint but followers, see [`maximal`](crate::maximal); redundant loops are no special case. A step costs
/// O(n), and O(length) for each loop, and a few iterations of much less ([`iterations`](Self::iterations)); it allocates
/// nothing.
///
/// ```
/// use featherline::integrator::MaximalVariationalIntegrator;
/// use featherline::samples;
///
/// // A four-bar linkage, its crank at 5 rad/s. What its loop does not allow of that velocity, an impulse takes away.
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
    pub(super) model: &'m Model,
    ws: Workspace<f64>,
    pub(super) law: L,
    convergence: Convergence,
    pub(super) t: f64,
    /// The step that led here, 0 at the start.
    pub(super) before: f64,
    /// Whether the system is that of this instant, and whether the loads are.
    pub(super) factorised: bool,
    pub(super) loaded: bool,
    /// Poses and coordinates of this instant, and velocities once they have been asked for.
    pub(super) state: MaximalState,
    next: Box<[Pose]>,
    /// The bodies in the world, here and where the step leads.
    pub(super) here: Box<[Se3<f64>]>,
    there: Box<[Se3<f64>]>,
    pub(super) parameters: Box<[DynamicParameters<f64>]>,
    /// The joints of the tree in their order, and those of loops.
    pub(super) constraints: Box<[Constraint]>,
    pub(super) system: System,
    slopes: Box<[Matrix6<f64>]>,
    /// Cayley's coordinates of the bodies' displacements within the step.
    xi: Box<[f64]>,
    /// Momenta with which bodies and drives come here.
    pub(super) momentum: Box<[Force<f64>]>,
    pub(super) reflected: Box<[f64]>,
    /// Momenta with which bodies leave, or at this instant, joints' impulses apart.
    pub(super) leaving: Box<[Force<f64>]>,
    /// What pulls at bodies and drives here; until that is known, at the instant before.
    pub(super) load: Box<[Force<f64>]>,
    pub(super) tau: Box<[f64]>,
    pub(super) bodies: Box<[Force<f64>]>,
    pub(super) v: Box<[f64]>,
    past: Past,
    progress: Progress,
    iterations: usize,
    gap: f64,
}

impl<'m> MaximalVariationalIntegrator<'m> {
    /// A robot under gravity alone, at rest in its neutral configuration until it is [started](Self::start).
    ///
    /// # Errors
    /// As [`with_forces`](Self::with_forces).
    pub fn new(model: &'m Model) -> Result<Self, MaximalError> {
        Self::with_forces(model, ())
    }
}

impl<'m, L: ForceLaw> MaximalVariationalIntegrator<'m, L> {
    /// A robot under gravity and a law of forces; a tuple of laws is one.
    ///
    /// # Errors
    /// [`MaximalError::Follower`] for models in which a joint follows another, [`MaximalError::DependentMotions`] for joints
    /// that repeat their own motions.
    pub fn with_forces(model: &'m Model, law: L) -> Result<Self, MaximalError> {
        refuse_followers(model)?;
        let constraints = constraints(model)?;
        let inertias: Vec<Inertia<f64>> = model.joints().iter().map(|j| j.inertia).collect();
        let count = inertias.len();
        let mut ws = Workspace::recursive(model);
        let (q, v) = (model.neutral_configuration(), vec![0.0; model.nv()]);
        let state = MaximalState::from_joints(model, &mut ws, &q, &v)?;
        let places = || -> Box<[Se3<f64>]> { vec![Se3::identity(); count].into() };
        let forces = || -> Box<[Force<f64>]> { vec![Force::zero(); count].into() };
        let tangent = || -> Box<[f64]> { vec![0.0; model.nv()].into() };
        Ok(Self {
            model,
            ws,
            law,
            convergence: Convergence::default(),
            t: 0.0,
            before: 0.0,
            factorised: false,
            loaded: false,
            next: state.poses.clone().into(),
            state,
            here: places(),
            there: places(),
            parameters: inertias.iter().map(Inertia::to_parameters).collect(),
            system: System::new(&inertias, &constraints),
            slopes: vec![Matrix6::zeros(); constraints.len()].into(),
            constraints,
            xi: vec![0.0; 6 * count].into(),
            momentum: forces(),
            reflected: tangent(),
            leaving: forces(),
            load: forces(),
            tau: tangent(),
            bodies: forces(),
            v: tangent(),
            past: Past::new(6 * count),
            progress: Progress::new(),
            iterations: 0,
            gap: 0.0,
        })
    }

    /// Sets when the equations of a step count as solved.
    ///
    /// # Errors
    /// [`IntegratorError::BadParameter`] unless both are positive.
    pub fn set_convergence(&mut self, convergence: Convergence) -> Result<(), IntegratorError> {
        convergence.check()?;
        self.convergence = convergence;
        Ok(())
    }

    /// Puts the robot into the state (`q`, `v`) of nq and nv entries, the coordinates of its tree, at the time `t`. What
    /// its loops do not allow of the velocity is taken away by an impulse of the joints.
    ///
    /// # Errors
    /// [`IntegratorError::OpenLoop`] unless all loops are closed (see [`assemble`](Model::assemble)),
    /// [`IntegratorError::Argument`] or [`IntegratorError::BadParameter`] for a state that is none,
    /// [`IntegratorError::Maximal`] where a joint is singular. The state is then none until the next start.
    pub fn start(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(), IntegratorError> {
        let model = self.model;
        check_size("q", model.nq(), q.len())?;
        check_size("v", model.nv(), v.len())?;
        check_finite("the time", t)?;
        let placed = self.state.set_joints(model, &mut self.ws, q, v);
        placed.map_err(|source| self.lost(t, source))?;
        self.t = t;
        for i in 1..self.here.len() {
            self.here[i] = self.state.poses[i].placement();
            let velocity = self.state.velocities[i];
            self.momentum[i] = self.parameters[i].mul_motion(&velocity);
            let [a, b, c, d, e, f] = velocity.to_array();
            self.past.begin()[6 * i..6 * i + 6].copy_from_slice(&[a, b, c, d, e, f]);
        }
        for (k, inertia) in model.reflected_inertias().iter().enumerate() {
            self.reflected[k] = inertia * v[k];
        }
        self.find_coordinates(q)?;
        self.tau.fill(0.0);
        self.bodies.fill(Force::zero());
        self.progress = Progress::new();
        self.before = 0.0;
        (self.factorised, self.loaded) = (false, false);
        Ok(())
    }

    /// Goes on by a step of `h` seconds. Allocates nothing.
    ///
    /// # Errors
    /// [`IntegratorError::NotConverged`], [`IntegratorError::Diverged`], [`IntegratorError::NearSingular`] where loops are all
    /// but singular, [`IntegratorError::Dynamics`] where a body has no inertia in a direction in which it may move, [`IntegratorError::Maximal`] where a joint is singular,
    /// [`IntegratorError::BadParameter`] unless the step is positive. The state is then as it was.
    pub fn step(&mut self, h: f64) -> Result<(), IntegratorError> {
        check_positive("the step", h)?;
        self.prepare()?;
        self.past.guess(h, &mut self.xi);
        self.find_leaving(0.5 * (self.before + h));
        let progress = self.progress;
        if let Err(error) = self.solve(h) {
            self.progress = progress;
            return Err(self.explained(h, error));
        }
        let finished = dispatch(Finish {
            step: Step {
                poses: &self.state.poses,
                xi: &mut self.xi,
                world: &mut self.there,
                constraints: &mut self.constraints,
                rate: 1.0 / h,
            },
            leaving: &self.leaving,
            system: &mut self.system,
            next: &mut self.next,
            momentum: &mut self.momentum,
        });
        finished.map_err(|k| self.dependent(k))?;
        self.state.poses.copy_from_slice(&self.next);
        self.gap = 0.0;
        for k in 0..self.constraints.len() {
            let constraint = &mut self.constraints[k];
            self.gap = self.gap.max(constraint.gap_length());
            dispatch(Arrive { constraint }).ok_or_else(|| self.dependent(k))?;
        }
        for (k, joint) in self.model.joints().iter().skip(1).enumerate() {
            let constraint = &self.constraints[k];
            self.state.coordinates[joint.idx_q..joint.idx_q + joint.nq]
                .copy_from_slice(&constraint.coordinates[..joint.nq]);
            for degree in 0..joint.nv {
                self.reflected[joint.idx_v + degree] =
                    constraint.weights[degree] * self.system.drive_momentum(k, degree);
            }
        }
        self.past.remember(h, &self.xi);
        self.t += h;
        self.before = h;
        (self.factorised, self.loaded) = (false, false);
        Ok(())
    }

    /// The time, in s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// The configuration of the tree, nq entries.
    pub fn configuration(&self) -> &[f64] {
        &self.state.coordinates
    }

    /// Where the bodies are, in the order of [`Model::joints`], the universe first.
    pub fn poses(&self) -> &[Pose] {
        &self.state.poses
    }

    /// The largest gap of a joint, those of loops included, that the last step has left: the length of its six-vector, in m
    /// and rad.
    pub fn gap(&self) -> f64 {
        self.gap
    }

    /// The velocity of the tree's coordinates, nv entries: that of bodies with the momenta D₂L + ½ h f of this instant, when
    /// an impulse of the joints has taken away what would open them (the discrete Legendre transform). Costs about a step of
    /// few iterations.
    ///
    /// # Errors
    /// [`IntegratorError::Dynamics`] and [`IntegratorError::Maximal`] as [`step`](Self::step) has, and errors of the law of
    /// forces.
    pub fn velocity(&mut self) -> Result<&[f64], IntegratorError> {
        self.prepare()?;
        self.find_velocity();
        Ok(&self.v)
    }

    /// The mechanical energy, in J: kinetic energy at [`velocity`](Self::velocity), plus potential energy without springs.
    ///
    /// # Errors
    /// As [`velocity`](Self::velocity).
    pub fn energy(&mut self) -> Result<f64, IntegratorError> {
        self.velocity()?;
        let q = &self.state.coordinates;
        Ok(self.model.mechanical_energy(&mut self.ws, q, &self.v)?)
    }

    /// The robot's momentum along the world's axes: linear in N·s, angular about the world's origin in N·m·s. It includes
    /// half of the last and the next impulses from outside and is constant where there are none.
    ///
    /// # Errors
    /// As [`velocity`](Self::velocity).
    pub fn momentum(&mut self) -> Result<Force<f64>, IntegratorError> {
        self.prepare()?;
        let mut total = Force::zero();
        for i in 1..self.momentum.len() {
            let own = self.load[i].mul_add(0.5 * self.before, &self.momentum[i]);
            total += self.here[i].act_force(&own);
        }
        Ok(total)
    }

    /// How many corrections the last step took.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The law of forces.
    pub fn forces(&self) -> &L {
        &self.law
    }

    /// The law of forces, to be changed between steps: what it says at this instant counts from now on.
    pub fn forces_mut(&mut self) -> &mut L {
        self.loaded = false;
        &mut self.law
    }

    /// Finds what the joints read at the start, and checks that they are closed.
    fn find_coordinates(&mut self, q: &[f64]) -> Result<(), IntegratorError> {
        let joints = &self.model.joints()[1..];
        for k in 0..self.constraints.len() {
            let constraint = &mut self.constraints[k];
            let settled = match joints.get(k) {
                Some(joint) => {
                    let own = &q[joint.idx_q..joint.idx_q + joint.nq];
                    constraint.coordinates[..joint.nq].copy_from_slice(own);
                    dispatch(Settle { constraint })
                }
                None => dispatch(Read {
                    constraint,
                    world: &self.here,
                }),
            };
            let constraint = &mut self.constraints[k];
            let moved = settled.and_then(|()| {
                dispatch(Move {
                    constraint,
                    world: &self.here,
                })
            });
            moved.ok_or_else(|| self.dependent(k))?;
            let gap = self.constraints[k].gap_length();
            self.gap = gap.max(if k == 0 { 0.0 } else { self.gap });
            if gap > CLOSED {
                return Err(IntegratorError::OpenLoop {
                    joint: self.constraints[k].name.clone(),
                    gap,
                    tolerance: CLOSED,
                });
            }
        }
        Ok(())
    }

    /// Solves the discrete Euler-Lagrange equations for displacements and impulses.
    fn solve(&mut self, h: f64) -> Result<(), IntegratorError> {
        let Convergence {
            tolerance,
            most_iterations,
        } = self.convergence;
        self.system.begin();
        self.progress.begin_step();
        for constraint in &mut self.constraints {
            constraint.begin_step();
        }
        for iteration in 1..=most_iterations {
            let change = self.correct(h)?;
            let slow = self.progress.is_slow(change);
            if self.progress.is_enough(change, tolerance) {
                self.iterations = iteration;
                return Ok(());
            }
            if slow {
                self.renew(h)?;
            }
        }
        let (body, change) = self.fastest_correction();
        Err(IntegratorError::NotConverged {
            t: self.t,
            h,
            iterations: most_iterations,
            joint: self.name(body),
            change: h * change,
        })
    }

    /// Goes on with the system as it is where the step leads. Next to a singular configuration that of the instant is of no
    /// use: behind it the constraints that are about to fail see motions with the opposite sign.
    #[cold]
    fn renew(&mut self, h: f64) -> Result<(), IntegratorError> {
        self.factorised = false;
        let renewed = dispatch(Renew {
            step: Step {
                poses: &self.state.poses,
                xi: &mut self.xi,
                world: &mut self.there,
                constraints: &mut self.constraints,
                rate: 1.0 / h,
            },
            slopes: &mut self.slopes,
            system: &mut self.system,
        });
        renewed.map_err(|error| match error {
            NotRenewed::Dependent(k) => self.dependent(k),
            NotRenewed::Singular(place) => self.singular(place),
        })
    }

    /// Corrects displacements and impulses, and returns by how much: the root of the correction's kinetic energy relative to
    /// that of the motion, or the gap of a joint in m or rad, if that is more.
    fn correct(&mut self, h: f64) -> Result<f64, IntegratorError> {
        let corrected = dispatch(Correct {
            step: Step {
                poses: &self.state.poses,
                xi: &mut self.xi,
                world: &mut self.there,
                constraints: &mut self.constraints,
                rate: 1.0 / h,
            },
            parameters: &self.parameters,
            leaving: &self.leaving,
            system: &mut self.system,
        });
        let size = corrected.map_err(|k| self.dependent(k))?;
        let [correction, mut motion] = size.doubled_energies;
        // A robot at rest is as still as rounding of its weight leaves it.
        motion += self.model.total_mass() * self.model.gravity().norm_squared() * h * h;
        if correction == 0.0 {
            return Ok(size.gap);
        }
        if correction.is_finite() && motion.is_finite() {
            return Ok((correction / motion).sqrt().max(size.gap));
        }
        Err(IntegratorError::Diverged {
            t: self.t + h,
            joint: self.name(self.fastest_correction().0),
        })
    }

    /// The body that the last correction moves most, or the first that it moves beyond all bounds, and how fast.
    fn fastest_correction(&self) -> (usize, f64) {
        let mut fastest = (0, 0.0);
        for i in 1..self.leaving.len() {
            for speed in self.system.found(i) {
                if !speed.is_finite() {
                    return (i, speed);
                }
                if speed.abs() > fastest.1 {
                    fastest = (i, speed.abs());
                }
            }
        }
        fastest
    }

    /// Why a step has no solution: where even the system that the step leads to did not help, the joints are singular there.
    #[cold]
    fn explained(&self, h: f64, error: IntegratorError) -> IntegratorError {
        if self.factorised || self.model.loop_joints().is_empty() {
            return error;
        }
        match error {
            IntegratorError::NotConverged { t, joint, .. } => {
                IntegratorError::NearSingular { t, h, joint }
            }
            IntegratorError::Diverged { joint, .. }
            | IntegratorError::Dynamics {
                source: Error::SingularInertia { joint },
                ..
            } => IntegratorError::NearSingular {
                t: self.t,
                h,
                joint,
            },
            other => other,
        }
    }

    fn name(&self, body: usize) -> String {
        self.model.joints()[body].name.clone()
    }

    #[cold]
    pub(super) fn singular(&self, place: usize) -> IntegratorError {
        let joint = self.name(self.system.owner(place, &self.constraints));
        let source = Error::SingularInertia { joint };
        IntegratorError::Dynamics { t: self.t, source }
    }

    #[cold]
    fn dependent(&self, constraint: usize) -> IntegratorError {
        let joint = self.constraints[constraint].name.clone();
        self.lost(self.t, MaximalError::DependentMotions { joint })
    }

    #[cold]
    fn lost(&self, t: f64, source: MaximalError) -> IntegratorError {
        match source {
            MaximalError::Argument(source) => source.into(),
            source => IntegratorError::Maximal { t, source },
        }
    }
}

/// The joints of the tree in their order, and those of loops.
fn constraints(model: &Model) -> Result<Box<[Constraint]>, MaximalError> {
    let mut constraints = Vec::new();
    let dependent = |name: &str| MaximalError::DependentMotions {
        joint: name.to_owned(),
    };
    for (i, joint) in model.joints().iter().enumerate().skip(1) {
        let above = (joint.parent.index(), joint.placement);
        let own = (i, Se3::identity());
        let mut constraint = Constraint::new(&joint.name, &joint.kind, above, own)
            .ok_or_else(|| dependent(&joint.name))?;
        for degree in 0..joint.nv {
            constraint.weights[degree] = joint.drive.reflected_inertia(degree).sqrt();
        }
        constraints.push(constraint);
    }
    let end = |body: JointId, frame: Se3<f64>| (body.index(), frame);
    for joint in model.loop_joints() {
        let predecessor = end(joint.predecessor, joint.predecessor_placement);
        let successor = end(joint.successor, joint.successor_placement);
        let constraint = Constraint::new(&joint.name, &joint.kind, predecessor, successor)
            .ok_or_else(|| dependent(&joint.name))?;
        constraints.push(constraint);
    }
    Ok(constraints.into())
}
