//! Robots as graphs: bodies and joints as its nodes.
//!
//! Every joint, of the tree or of a loop, is a [`constraint`] between two bodies, and holds them by
//! impulses. The matrix [M Cᵀ; C 0] of the instant is eliminated once a step by blocks
//! ([`system`](crate::maximal::system)): O(n), and fill along each loop only.

mod constraint;
mod motion;

use super::integrate::Instant;
use crate::integrator::variational::center_of_mass::{CenterOfMassEnergy, Trees};
use crate::integrator::variational::extrapolation::Extrapolation;
use crate::integrator::{IntegratorError, Result};
use crate::maximal::block::Block;
use crate::maximal::system::{ConstraintRows, Orders};
use crate::maximal::{MaximalError, MaximalState, Pose};
use constraint::{Constraint, arrive, read_coordinates, read_displacement, settle};
use featherline::Error;
use featherline::kernel::dispatch;
use featherline::model::{JointId, Model};
use featherline::spatial::{DynamicParameters, Force, Inertia, Mat3, Motion, Se3, Vec3};
use featherline_constraint::LoopWorkspace;
use featherline_constraint::kernel::{
    Regularity, generic_redundancy, nearly_redundant_constraints,
};
use motion::{
    GraphStep, NotRenewed, correct_step, factorise_instant, finish_step, renew_system,
    solve_for_velocities,
};
use nalgebra::{Matrix6, Vector6};

/// Gaps at the start below which loops are closed, in m and rad.
const CLOSED: f64 = 1e-8;

/// The bodies of a robot, all in joint frames.
#[derive(Clone, Debug)]
pub(super) struct Graph<'m> {
    model: &'m Model,
    /// Whether the system is that of this instant.
    factorised: bool,
    next: Box<[Pose]>,
    /// The configuration of the tree at the start.
    begun: Box<[f64]>,
    /// The bodies in the world, here and where the step leads.
    here: Box<[Se3<f64>]>,
    there: Box<[Se3<f64>]>,
    parameters: Box<[DynamicParameters<f64>]>,
    /// The joints of the tree in their order, and those of loops.
    constraints: Box<[Constraint]>,
    orders: Orders,
    slopes: Box<[Matrix6<f64>]>,
    /// Cayley's coordinates of the bodies' displacements within the step.
    xi: Box<[f64]>,
    /// Momenta with which bodies come here.
    momentum: Box<[Force<f64>]>,
    /// Momenta with which bodies leave, or at this instant, joints' impulses apart.
    leaving: Box<[Force<f64>]>,
    /// Loads on bodies at this instant; until these are known, those of the instant before.
    load: Box<[Force<f64>]>,
    extrapolation: Extrapolation,
}

/// The step as it stands. Not a method, because it borrows some fields only.
macro_rules! step {
    ($self:ident, $now:ident, $h:ident) => {
        GraphStep {
            poses: &$now.poses,
            xi: &mut $self.xi,
            world: &mut $self.there,
            constraints: &mut $self.constraints,
            rate: 1.0 / $h,
        }
    };
}

impl<'m> Graph<'m> {
    pub fn new(model: &'m Model) -> Result<Self, MaximalError> {
        let constraints = constraints(model)?;
        let inertias: Vec<Inertia<f64>> = model.joints().iter().map(|j| j.inertia).collect();
        let count = inertias.len();
        let places = || -> Box<[Se3<f64>]> { vec![Se3::identity(); count].into() };
        let forces = || -> Box<[Force<f64>]> { vec![Force::zero(); count].into() };
        Ok(Self {
            model,
            factorised: false,
            next: vec![Pose::at_origin(); count].into(),
            begun: vec![0.0; model.nq()].into(),
            here: places(),
            there: places(),
            parameters: inertias.iter().map(Inertia::to_parameters).collect(),
            orders: system(&inertias, &constraints),
            slopes: vec![Matrix6::zeros(); constraints.len()].into(),
            constraints,
            xi: vec![0.0; 6 * count].into(),
            momentum: forces(),
            leaving: forces(),
            load: forces(),
            extrapolation: Extrapolation::new(6 * count),
        })
    }

    /// Puts the bodies where a state has them, which the instant's coordinates belong to.
    pub fn start(&mut self, now: &mut Instant, state: &MaximalState) -> Result<()> {
        for i in 1..self.here.len() {
            self.here[i] = state.poses[i].placement();
            let velocity = state.velocities[i];
            self.momentum[i] = self.parameters[i].mul_motion(&velocity);
            self.extrapolation.begin()[6 * i..6 * i + 6].copy_from_slice(&velocity.to_array());
        }
        self.factorised = false;
        self.begun.copy_from_slice(&now.q);
        self.leave_out(now);
        self.find_coordinates(now)
    }

    /// Leaves out what repeats other constraints but for the last digits of axes: taken at their
    /// word, they would make a structure of a linkage. Which ones is asked once. A joint whose
    /// directions depend on what it reads is held in all of them.
    fn leave_out(&mut self, now: &Instant) {
        let closing = &mut self.constraints[self.model.joints().len() - 1..];
        if closing.is_empty() {
            return;
        }
        let found = nearly_redundant_constraints(self.model, &now.q);
        let mut found = found.into_iter().flatten();
        for constraint in closing {
            let left_out = found.next().unwrap_or_default();
            let varies = !constraint.kind.has_constant_subspace();
            constraint.is_left_out = if varies { [false; 6] } else { left_out };
        }
        for (rows, constraint) in self.orders.rows.iter_mut().zip(&self.constraints) {
            rows.is_rigid = std::array::from_fn(|row| constraint.holds(row));
        }
    }

    /// Finds what the joints read at the start, and checks that they are closed.
    fn find_coordinates(&mut self, now: &mut Instant) -> Result<()> {
        let joints = &self.model.joints()[1..];
        now.gap = 0.0;
        for k in 0..self.constraints.len() {
            let constraint = &mut self.constraints[k];
            let settled = match joints.get(k) {
                Some(joint) => {
                    let own = &now.q[joint.idx_q..joint.idx_q + joint.nq];
                    constraint.coordinates[..joint.nq].copy_from_slice(own);
                    settle(constraint)
                }
                None => read_coordinates(constraint, &self.here),
            };
            let constraint = &mut self.constraints[k];
            let moved = settled.and_then(|()| read_displacement(constraint, &self.here));
            moved.ok_or_else(|| self.dependent(now, k))?;
            now.gap = now.gap.max(self.constraints[k].gap_length());
            let gap = self.constraints[k].held_gap_length();
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

    /// Factorises the system of this instant.
    pub fn factorise(&mut self, now: &Instant) -> Result<()> {
        if self.factorised {
            return Ok(());
        }
        let (here, orders) = (&mut self.here, &mut self.orders);
        let factorised = factorise_instant(&now.poses, here, &self.constraints, orders);
        factorised.map_err(|body| self.singular(now, body))?;
        self.factorised = true;
        Ok(())
    }

    /// Writes the weights of the bodies to the loads.
    pub fn weigh(&mut self, gravity: Vec3<f64>) {
        for i in 1..self.load.len() {
            let fall = self.here[i].rotation.tr_mul_vec(gravity);
            let parameters = &self.parameters[i];
            self.load[i] = Force::new(fall * parameters.mass, parameters.first_moment.cross(fall));
        }
    }

    /// Adds a force on each body, in its joint frame.
    pub fn load(&mut self, bodies: &[Force<f64>]) {
        for i in 1..self.load.len() {
            self.load[i] += bodies[i];
        }
    }

    /// Writes the bodies' momenta when loads and drives have acted for a time.
    fn find_leaving(&mut self, now: &Instant, time: f64) {
        for i in 1..self.leaving.len() {
            self.leaving[i] = self.load[i].mul_add(time, &self.momentum[i]);
        }
        for (constraint, joint) in self.constraints.iter().zip(&self.model.joints()[1..]) {
            let mut drive = Force::zero();
            for degree in 0..joint.nv {
                let k = joint.idx_v + degree;
                let own = now.reflected[k] + time * now.tau[k];
                let along = constraint.force(constraint.rigid() + degree);
                drive = along.mul_add(own, &drive);
            }
            let (above, body) = (constraint.predecessor, constraint.successor);
            self.leaving[body] += drive;
            let across = self.here[above].inverse_compose(&self.here[body]);
            self.leaving[above] += -across.act_force(&drive);
        }
    }

    /// Writes the velocities of coordinates that go with the momenta of this instant, when an
    /// impulse of the joints has taken away what would open them.
    pub fn find_velocity(&mut self, now: &Instant, v: &mut [f64]) -> Result<()> {
        self.find_leaving(now, 0.5 * now.before);
        let found = solve_for_velocities(&self.leaving, &mut self.orders);
        if !found.map_err(|body| self.singular(now, body))? {
            return Err(self.undetermined(now));
        }
        for (constraint, joint) in self.constraints.iter().zip(&self.model.joints()[1..]) {
            let (above, body) = (constraint.predecessor, constraint.successor);
            let across = self.here[above].inverse_compose(&self.here[body]);
            let velocity = |body: usize| match body {
                0 => Motion::zero(),
                body => Motion::from_array(self.orders.present().found(body)),
            };
            let carried = across.inverse_act_motion(&velocity(above));
            let relative = Vector6::from(velocity(body) - carried);
            for degree in 0..joint.nv {
                let along = constraint.basis.columns.column(constraint.rigid() + degree);
                v[joint.idx_v + degree] = along.dot(&relative);
            }
        }
        Ok(())
    }

    /// Takes the velocity of a frame off the bodies'.
    pub fn slow(&mut self, velocity: Vec3<f64>) {
        let past = self.extrapolation.begin();
        for i in 1..self.momentum.len() {
            let own = Motion::new(self.here[i].rotation.tr_mul_vec(velocity), Vec3::zero());
            self.momentum[i] = self.momentum[i] - self.parameters[i].mul_motion(&own);
            for (past, own) in past[6 * i..6 * i + 6].iter_mut().zip(own.to_array()) {
                *past -= own;
            }
        }
    }

    /// The rotation of a body in the world.
    pub fn turn_of(&self, body: usize) -> Mat3<f64> {
        self.here[body].rotation
    }

    /// Twice the kinetic energy of the centres of mass of the spanning trees.
    pub fn energy_of_centres(&self, trees: &mut Trees) -> f64 {
        let (here, joints) = (&self.here, self.model.joints());
        dispatch(CenterOfMassEnergy {
            model: self.model,
            trees,
            momentum: &self.momentum,
            carry: |i: usize, vector: Vec3<f64>| {
                let above = &here[joints[i].parent.index()].rotation;
                above.tr_mul_vec(here[i].rotation.mul_vec(vector))
            },
        })
    }

    /// The total momentum about the frame's origin, with a velocity of the frame added.
    pub fn total_momentum(&self, now: &Instant, velocity: Vec3<f64>) -> Force<f64> {
        let mut total = Force::zero();
        for i in 1..self.momentum.len() {
            let carried = self.here[i].rotation.tr_mul_vec(velocity);
            let of_frame = self.parameters[i].mul_motion(&Motion::new(carried, Vec3::zero()));
            let own = self.load[i].mul_add(0.5 * now.before, &self.momentum[i]) + of_frame;
            total += self.here[i].act_force(&own);
        }
        total
    }

    /// Guesses the displacements of a step.
    pub fn guess(&mut self, now: &Instant, h: f64) {
        self.extrapolation.guess(h, &mut self.xi);
        self.find_leaving(now, now.time(h));
        self.orders.present_mut().begin();
        for constraint in &mut self.constraints {
            constraint.begin_step();
        }
    }

    /// Corrects displacements and impulses. Returns twice the kinetic energies of the correction
    /// and of the motion, and the largest gap that a joint had before, in m and rad.
    pub fn correct(&mut self, now: &Instant, h: f64) -> Result<([f64; 2], f64)> {
        let (step, system) = (step!(self, now, h), self.orders.present_mut());
        let corrected = correct_step(step, &self.parameters, &self.leaving, system);
        let size = corrected.map_err(|k| self.dependent(now, k))?;
        Ok((size.doubled_energies, size.gap))
    }

    /// Goes on with the system as it is where the step leads. Next to a singular configuration that
    /// of the instant is of no use: behind it the constraints that are about to fail see motions
    /// with the opposite sign.
    #[cold]
    pub fn renew(&mut self, now: &Instant, h: f64) -> Result<()> {
        self.factorised = false;
        let renewed = renew_system(step!(self, now, h), &mut self.slopes, &mut self.orders);
        renewed.map_err(|error| match error {
            NotRenewed::Dependent(k) => self.dependent(now, k),
            NotRenewed::Singular(body) => self.singular(now, body),
        })
    }

    /// Comes to the end of the step. Returns by how much linear momentum the bodies moved too
    /// little.
    pub fn finish(&mut self, now: &mut Instant, h: f64) -> Result<Vec3<f64>> {
        let finished = finish_step(
            step!(self, now, h),
            &self.parameters,
            &self.here,
            &self.leaving,
            self.orders.present_mut(),
            &mut self.next,
            &mut self.momentum,
        );
        let lack = finished.map_err(|k| self.dependent(now, k))?;
        now.poses.copy_from_slice(&self.next);
        now.gap = 0.0;
        for k in 0..self.constraints.len() {
            let constraint = &mut self.constraints[k];
            now.gap = now.gap.max(constraint.gap_length());
            arrive(constraint).ok_or_else(|| self.dependent(now, k))?;
        }
        for (k, joint) in self.model.joints().iter().skip(1).enumerate() {
            let constraint = &self.constraints[k];
            now.q[joint.idx_q..joint.idx_q + joint.nq]
                .copy_from_slice(&constraint.coordinates[..joint.nq]);
            for degree in 0..joint.nv {
                let system = self.orders.present();
                let momentum = system.multiplier(k, constraint.rigid() + degree);
                now.reflected[joint.idx_v + degree] = constraint.weights[degree] * momentum;
            }
        }
        self.extrapolation.remember(h, &self.xi);
        self.factorised = false;
        Ok(lack)
    }

    /// That the last correction went beyond all bounds: of the bodies that it moved there, or of
    /// all if none of them is, the fastest in the step before is reported.
    #[cold]
    pub fn diverged(&self, t: f64) -> IntegratorError {
        let system = self.orders.present();
        let lost = |i: &usize| system.found(*i).iter().any(|x| !x.is_finite());
        let bodies = 1..self.leaving.len();
        let all = !bodies.clone().any(|i| lost(&i));
        let mut fastest = (0, 0.0);
        for i in bodies.filter(|i| all || lost(i)) {
            let last = &self.extrapolation.last()[6 * i..6 * i + 6];
            let speed = last.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            if fastest.0 == 0 || speed > fastest.1 {
                fastest = (i, speed);
            }
        }
        IntegratorError::Diverged {
            t,
            joint: self.name(fastest.0),
            speed: fastest.1,
            shorter: None,
        }
    }

    /// The joint of the body that the last correction moves most, and how fast.
    pub fn fastest_correction(&self) -> (String, f64) {
        let mut fastest = (0, 0.0);
        for i in 1..self.leaving.len() {
            for speed in self.orders.present().found(i) {
                if speed.abs() > fastest.1 {
                    fastest = (i, speed.abs());
                }
            }
        }
        (self.name(fastest.0), fastest.1)
    }

    /// Why a step has no solution: where even the system that the step leads to did not help, the
    /// joints are singular there.
    #[cold]
    pub fn explained(&self, now: &Instant, h: f64, error: IntegratorError) -> IntegratorError {
        if self.factorised || self.model.loop_joints().is_empty() {
            return error;
        }
        if let IntegratorError::NotConverged { joint, .. }
        | IntegratorError::Diverged { joint, .. }
        | IntegratorError::Dynamics {
            source: Error::SingularInertia { joint },
            ..
        } = error
        {
            IntegratorError::NearSingular {
                t: now.t,
                h,
                closing: self.widest_loop(),
                joint,
                loops: self.regularity(now),
            }
        } else {
            error
        }
    }

    /// That no velocity goes with the momenta of an instant.
    #[cold]
    fn undetermined(&self, now: &Instant) -> IntegratorError {
        IntegratorError::UndeterminedVelocity {
            t: now.t,
            joint: self.fastest_correction().0,
            loops: self.regularity(now),
        }
    }

    /// The loop joint that is open most.
    fn widest_loop(&self) -> String {
        let loops = &self.constraints[self.model.joints().len() - 1..];
        let mut widest = loops.first();
        for constraint in loops {
            if widest.is_some_and(|widest| widest.held_gap_length() < constraint.held_gap_length())
            {
                widest = Some(constraint);
            }
        }
        widest.map_or(String::new(), |constraint| constraint.name.clone())
    }

    /// How regular the loops are at an instant.
    fn regularity(&self, now: &Instant) -> Regularity {
        let found = LoopWorkspace::recursive(self.model)
            .ok()
            .and_then(|mut ws| {
                let usually = generic_redundancy(self.model, &mut ws, &self.begun);
                ws.set_generic_redundancy(usually);
                featherline_constraint::kernel::regularity(self.model, &mut ws, &now.q).ok()
            });
        found.unwrap_or(Regularity::none())
    }

    fn name(&self, body: usize) -> String {
        self.model.joints()[body].name.clone()
    }

    #[cold]
    fn singular(&self, now: &Instant, body: usize) -> IntegratorError {
        let joint = self.name(body);
        let source = Error::SingularInertia { joint };
        IntegratorError::Dynamics { t: now.t, source }
    }

    #[cold]
    fn dependent(&self, now: &Instant, constraint: usize) -> IntegratorError {
        let source = MaximalError::dependent(&self.constraints[constraint].name);
        IntegratorError::Maximal { t: now.t, source }
    }
}

/// The system of bodies, the universe first, and constraints.
fn system(inertias: &[Inertia<f64>], constraints: &[Constraint]) -> Orders {
    let inertias: Vec<Block> = inertias.iter().map(|y| Block::of(&y.to_matrix())).collect();
    let all = inertias[1..].to_vec();
    let levers = constraints.iter().flat_map(|c| [&c.input, &c.output]);
    let longest = levers.map(|frame| frame.translation.norm());
    let rows = |c: &Constraint| ConstraintRows::new([c.predecessor, c.successor], c.rigid());
    let rows = constraints.iter().map(rows).collect();
    Orders::new(inertias, rows, &all, longest.fold(0.0, f64::max))
}

/// The joints of the tree in their order, and those of loops.
fn constraints(model: &Model) -> Result<Box<[Constraint]>, MaximalError> {
    let mut constraints = Vec::new();
    for (i, joint) in model.joints().iter().enumerate().skip(1) {
        let above = (joint.parent.index(), joint.placement);
        let own = (i, Se3::identity());
        let mut constraint = Constraint::new(&joint.name, &joint.kind, above, own)
            .ok_or_else(|| MaximalError::dependent(&joint.name))?;
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
            .ok_or_else(|| MaximalError::dependent(&joint.name))?;
        constraints.push(constraint);
    }
    Ok(constraints.into())
}
