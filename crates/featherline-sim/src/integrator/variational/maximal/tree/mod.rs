//! Robots without loops: joints' coordinates as unknowns beside the bodies' motions.
//!
//! An iteration has for each body the momentum that it lacks, and for each joint by how much the
//! bodies have left its coordinates. Corrections v of bodies and q̇ of joints obey
//! `vᵢ = X vλ + S q̇ + c`, where c closes the gap, and impulses that the joint's motion does not
//! see. That is one step of the articulated-body recursion, with c in the place of the bias
//! acceleration: the KKT matrix of the instant, eliminated by the null space of its constraints, as
//! in [`maximal`](crate::maximal). Its inertias are eliminated once a step.

mod correction;
mod finish;
mod instant;

use super::instant::Instant;
use crate::integrator::IntegratorError;
use crate::integrator::error::{joint_of_coordinate, largest};
use crate::integrator::variational::center_of_mass::{CenterOfMassEnergy, Trees};
use crate::integrator::variational::displacements::{Moving, half_turn, turns_too_far};
use crate::integrator::variational::extrapolation::Extrapolation;
use crate::integrator::variational::moving_frame::MovingFrame;
use crate::integrator::variational::node::Velocity;
use crate::maximal::{MaximalState, Pose};
use correction::{Balance, Close, Multipliers};
use featherline::Workspace;
use featherline::configuration;
use featherline::kernel;
use featherline::kernel::ArticulatedElimination;
use featherline::kernel::dispatch;
use featherline::kernel::force_in_link;
use featherline::kernel::{check_pivots, links, scratch, scratch_mut};
use featherline::model::Model;
use featherline::spatial::{Force, Mat3, Motion, Quaternion, Vec3};
use finish::{Displace, Finish};
use instant::{Arrive, Factorise, Total, Weigh};

/// The bodies of a tree, all in link frames.
#[derive(Clone, Debug)]
pub(super) struct Tree<'m> {
    model: &'m Model,
    ws: Workspace<f64>,
    factorised: bool,
    poses: Box<[Pose]>,
    /// The rotations of link frames in joint frames.
    turns: Box<[Quaternion<f64>]>,
    /// By how much each body has left the place where its joint's coordinates would have it:
    /// rounding.
    open: Box<[Motion<f64>]>,
    /// The displacements of joints and bodies within the step: coordinates, Cayley's coordinates,
    /// and what these stand for.
    d: Box<[f64]>,
    xi: Box<[Motion<f64>]>,
    displacement: Box<[Motion<f64>]>,
    cosine: Box<[f64]>,
    next: Box<[f64]>,
    columns: Box<[Motion<f64>]>,
    /// Momenta with which bodies come here, and what pulls at them.
    momentum: Box<[Force<f64>]>,
    load: Box<[Force<f64>]>,
    /// What the coordinates themselves have too little.
    lack: Box<[f64]>,
    extrapolation: Extrapolation,
}

/// The balance of the step as it stands. Not a method, because it borrows some fields only.
macro_rules! balance {
    ($self:ident, $now:ident, $h:ident) => {
        Balance {
            moving: Moving {
                model: $self.model,
                q: &$now.q,
                d: &$self.d,
                displacement: &mut $self.displacement,
                cosine: &mut $self.cosine,
                configuration: &mut $self.next,
                columns: &mut $self.columns,
            },
            ws: scratch_mut(&mut $self.ws),
            xi: &mut $self.xi,
            rate: 1.0 / $h,
            momentum: &$self.momentum,
            load: &$self.load,
            time: $now.time($h),
        }
    };
}

impl<'m> Tree<'m> {
    pub fn new(model: &'m Model) -> Self {
        let (links, nv) = (links(model).len(), model.nv());
        let motions = || -> Box<[Motion<f64>]> { vec![Motion::zero(); links].into() };
        let forces = || -> Box<[Force<f64>]> { vec![Force::zero(); links].into() };
        let tangent = || -> Box<[f64]> { vec![0.0; nv].into() };
        let most = model.joints().iter().map(|joint| joint.kind.nv()).max();
        Self {
            model,
            ws: Workspace::recursive(model),
            factorised: false,
            poses: vec![Pose::at_origin(); links].into(),
            turns: kernel::links(model)
                .iter()
                .map(|link| Quaternion::from_rotation(&link.frame.rotation))
                .collect(),
            open: motions(),
            d: tangent(),
            xi: motions(),
            displacement: motions(),
            cosine: vec![1.0; links].into(),
            next: vec![0.0; model.nq()].into(),
            columns: vec![Motion::zero(); most.unwrap_or(0)].into(),
            momentum: forces(),
            load: forces(),
            lack: tangent(),
            extrapolation: Extrapolation::new(nv),
        }
    }

    /// Puts the bodies where a state has them, which the instant's coordinates belong to.
    pub fn start(&mut self, now: &mut Instant, state: &MaximalState, v: &[f64]) {
        for (i, link) in links(self.model).iter().enumerate().skip(1) {
            let (pose, turn) = (
                &state.poses[i],
                Quaternion::from_rotation(&link.frame.rotation),
            );
            self.poses[i] = Pose {
                position: pose.position,
                orientation: (pose.orientation * turn).normalised(),
            };
            let velocity = link.frame.inverse_act_motion(&state.velocities[i]);
            self.momentum[i] = link.parameters.mul_motion(&velocity);
        }
        self.extrapolation.begin().copy_from_slice(v);
        self.arrive(now);
    }

    /// Finds where the bodies are in the world, and how far the joints are open.
    fn arrive(&mut self, now: &mut Instant) {
        dispatch(Arrive {
            model: self.model,
            ws: scratch_mut(&mut self.ws),
            q: &now.q,
            poses: &self.poses,
            open: &mut self.open,
        });
        let length = |m: &Motion<f64>| (m.linear.norm_squared() + m.angular.norm_squared()).sqrt();
        now.gap = self.open.iter().map(length).fold(0.0, f64::max);
        self.factorised = false;
    }

    /// Eliminates the inertias of this instant.
    pub fn factorise(&mut self, now: &Instant) -> Result<(), IntegratorError> {
        if self.factorised {
            return Ok(());
        }
        let model = self.model;
        dispatch(Factorise {
            model,
            ws: scratch_mut(&mut self.ws),
        });
        check_pivots(model, &mut self.ws, ArticulatedElimination::default())
            .map_err(|source| IntegratorError::Dynamics { t: now.t, source })?;
        self.factorised = true;
        Ok(())
    }

    /// Writes the weights of the bodies to the loads.
    pub fn weigh(&mut self, gravity: Vec3<f64>) {
        dispatch(Weigh {
            model: self.model,
            ws: scratch(&self.ws),
            gravity,
            load: &mut self.load,
        });
    }

    /// Adds a force on each body, in its joint frame.
    pub fn load(&mut self, bodies: &[Force<f64>]) {
        for i in 1..self.load.len() {
            self.load[i] += force_in_link(self.model, i, &bodies[i]);
        }
    }

    /// Writes the velocities of coordinates that go with the momenta of this instant.
    pub fn find_velocity(&mut self, now: &Instant, v: &mut [f64]) -> Result<(), IntegratorError> {
        let time = 0.5 * now.before;
        for k in 0..self.lack.len() {
            self.lack[k] = now.reflected[k] + time * now.tau[k];
        }
        let scratch = scratch_mut(&mut self.ws);
        scratch.bias_acceleration.fill(Motion::zero());
        dispatch(Velocity {
            model: self.model,
            ws: scratch,
            momentum: &self.momentum,
            load: &self.load,
            time,
            on_coordinates: &self.lack,
        });
        v.copy_from_slice(&scratch.vector);
        Ok(())
    }

    /// Takes the velocity of a frame off the bodies'.
    pub fn slow(&mut self, frame: &MovingFrame, velocity: Vec3<f64>) {
        let world = &scratch(&self.ws).world;
        for (i, link) in links(self.model).iter().enumerate().skip(1) {
            let own = Motion::new(world[i].rotation.tr_mul_vec(velocity), Vec3::zero());
            self.momentum[i] = self.momentum[i] - link.parameters.mul_motion(&own);
        }
        if let Some(base) = frame.base() {
            frame.boost(-velocity, &world[base].rotation, self.extrapolation.begin());
        }
    }

    /// The rotation of the frame of a link in the world.
    pub fn turn_of(&self, body: usize) -> Mat3<f64> {
        scratch(&self.ws).world[body].rotation
    }

    /// Twice the kinetic energy of the trees' centres of mass.
    pub fn energy_of_centres(&self, trees: &mut Trees) -> f64 {
        let placement = &scratch(&self.ws).placement;
        dispatch(CenterOfMassEnergy {
            model: self.model,
            trees,
            momentum: &self.momentum,
            carry: |i: usize, vector: Vec3<f64>| placement[i].rotation.mul_vec(vector),
        })
    }

    /// The total momentum about the frame's origin, with a velocity of the frame added.
    pub fn total_momentum(&self, now: &Instant, velocity: Vec3<f64>) -> Force<f64> {
        dispatch(Total {
            model: self.model,
            velocity,
            world: &scratch(&self.ws).world,
            momentum: &self.momentum,
            load: &self.load,
            time: 0.5 * now.before,
        })
    }

    /// Guesses the displacements of a step.
    pub fn guess(&mut self, now: &Instant, h: f64) -> Result<(), IntegratorError> {
        self.extrapolation.guess(h, &mut self.d);
        self.displace(now, h);
        if turns_too_far(&self.cosine) {
            // The guess may have been too bold.
            return self.hold(now, h);
        }
        Ok(())
    }

    /// Guesses that all go on as they went.
    pub fn hold(&mut self, now: &Instant, h: f64) -> Result<(), IntegratorError> {
        self.extrapolation.hold(h, &mut self.d);
        self.displace(now, h);
        self.check_turns(now, h)
    }

    /// Displaces the bodies as the joints are displaced.
    fn displace(&mut self, now: &Instant, h: f64) {
        dispatch(Close {
            balance: balance!(self, now, h),
            open: &self.open,
        });
    }

    /// Fails if a body rotates by π or more.
    fn check_turns(&self, now: &Instant, h: f64) -> Result<(), IntegratorError> {
        match half_turn(self.model, &self.cosine, self.extrapolation.last()) {
            None => Ok(()),
            Some(joint) => Err(IntegratorError::HalfTurn {
                t: now.t,
                h,
                joint,
                shorter: None,
            }),
        }
    }

    /// Corrects the displacements, and returns twice the kinetic energies of the correction and of
    /// the motion.
    pub fn correct(&mut self, now: &Instant, h: f64) -> [f64; 2] {
        self.find_lack(now, h);
        let mut doubled_energies = [0.0; 2];
        dispatch(Multipliers {
            balance: balance!(self, now, h),
            open: &self.open,
            on_coordinates: &self.lack,
            doubled_energies: &mut doubled_energies,
        });
        let corrections = &scratch(&self.ws).vector;
        for (k, inertia) in kernel::reflected_inertias(self.model).iter().enumerate() {
            let (velocity, correction) = (self.d[k] / h, corrections[k]);
            doubled_energies[0] += inertia * correction * correction;
            doubled_energies[1] += inertia * velocity * velocity;
            self.d[k] += h * correction;
        }
        doubled_energies
    }

    /// Writes what the coordinates' own momenta are too small by at the beginning of the step.
    fn find_lack(&mut self, now: &Instant, h: f64) {
        let (inertia, time) = (kernel::reflected_inertias(self.model), now.time(h));
        for k in 0..self.lack.len() {
            let leaving = inertia[k] * self.d[k] / h;
            self.lack[k] = now.reflected[k] + time * now.tau[k] - leaving;
        }
    }

    /// That the last correction went beyond all bounds.
    #[cold]
    pub fn diverged(&self, t: f64) -> IntegratorError {
        IntegratorError::diverged(
            self.model,
            t,
            &scratch(&self.ws).vector,
            self.extrapolation.last(),
        )
    }

    /// The joint whose coordinate the last correction changes most, and how fast.
    pub fn fastest_correction(&self) -> (String, f64) {
        let corrections = &scratch(&self.ws).vector;
        match corrections.get(largest(corrections)) {
            None => (String::new(), 0.0),
            Some(speed) => {
                let joint = joint_of_coordinate(self.model, largest(corrections));
                (joint, speed.abs())
            }
        }
    }

    /// Comes to the end of the step. Returns by how much linear momentum the bodies moved too
    /// little.
    pub fn finish(&mut self, now: &mut Instant, h: f64) -> Result<Vec3<f64>, IntegratorError> {
        self.displace(now, h);
        self.check_turns(now, h)?;
        let model = self.model;
        configuration::integrate_into(model, &now.q, &self.d, &mut self.next).map_err(
            |source| IntegratorError::at(model, now.t + h, self.extrapolation.last(), source),
        )?;
        self.find_lack(now, h);
        let mut lack = [0.0; 3];
        dispatch(Finish {
            model,
            ws: scratch_mut(&mut self.ws),
            xi: &self.xi,
            numbers: &[1.0 / h, now.time(h)],
            load: &self.load,
            momentum: &mut self.momentum,
            displacement: &self.displacement,
            cosine: &self.cosine,
            on_coordinates: &self.lack,
            lack: &mut lack,
        });
        std::mem::swap(&mut now.q, &mut self.next);
        for (k, inertia) in kernel::reflected_inertias(model).iter().enumerate() {
            now.reflected[k] = inertia * (self.d[k] / h + scratch(&self.ws).vector[k]);
        }
        dispatch(Displace {
            displacement: &self.displacement,
            cosine: &self.cosine,
            turns: &self.turns,
            poses: &mut self.poses,
            bodies: &mut now.poses,
        });
        self.extrapolation.remember(h, &self.d);
        self.arrive(now);
        Ok(Vec3::new(lack[0], lack[1], lack[2]))
    }
}
