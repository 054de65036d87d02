//! A robot with its states, in dynibo's coordinates, and the calls.

use crate::coordinates::{Coordinates, Layout};
use anyhow::{Context, Result};
use dynibo::{BaseState, FloatingRobot, Frame, Robot, RobotModel};
use featherline_bench_protocol::server;
use featherline_bench_protocol::states::{self, State};
use nalgebra::Vector3;
use std::hint::black_box;
use std::path::Path;

/// dynibo's standard gravity, which cannot be chosen.
const THEIR_GRAVITY: f64 = 9.80665;
/// Everybody else's.
const GRAVITY: f64 = 9.81;

enum Base {
    Fixed(Robot),
    Floating(FloatingRobot),
}

/// A state as dynibo takes it.
struct Prepared {
    frame: BaseState,
    moving: BaseState,
    unaccelerated: BaseState,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    /// The joint forces that gravity's difference adds for a fixed base; zero for a floating one,
    /// where it is an acceleration of the base.
    weight: Vec<f64>,
}

pub struct Contender {
    base: Base,
    coordinates: Coordinates,
    layout: Layout,
    /// For each joint of the layout, the place of its link among all.
    links: Vec<usize>,
    states: Vec<State>,
    prepared: Vec<Prepared>,
    zeros: Vec<f64>,
    frames: Vec<Frame>,
    vector: Vec<f64>,
    matrix: Vec<f64>,
}

impl server::Robot for Contender {
    fn load(layout: &Path, states: &Path) -> Result<Self> {
        let layout = Layout::read(layout)?;
        let model = RobotModel::from_urdf(&layout.urdf)?;
        let coordinates = Coordinates::new(&layout, &model)?;
        let states = states::read(states, layout.nq, layout.nv)?;
        let mut base = if layout.floating_base {
            Base::Floating(model.floating_robot()?)
        } else {
            Base::Fixed(model.robot())
        };
        let prepare = |state: &State| prepare(state, &coordinates, &mut base);
        let prepared = states.iter().map(prepare).collect::<Result<_>>()?;
        let place = |name: &str| {
            // A joint's own link comes before those that are fixed to it.
            let link = layout.links.iter().find(|link| link.joint == name);
            let link = link.with_context(|| format!("joint {name} carries no link"))?;
            let named = |index: &usize| {
                let id = model_link(&base, *index);
                id.is_ok_and(|found| found == link.name)
            };
            let count = link_count(&base);
            (0..count)
                .find(named)
                .with_context(|| format!("there is no link {}", link.name))
        };
        let links = layout
            .joints
            .iter()
            .map(|joint| place(&joint.name))
            .collect::<Result<_>>()?;
        Ok(Self {
            frames: vec![Frame::identity(); link_count(&base)],
            vector: vec![0.0; layout.nv],
            matrix: vec![0.0; layout.nv * layout.nv],
            zeros: vec![0.0; model.joint_count()],
            base,
            coordinates,
            layout,
            links,
            states,
            prepared,
        })
    }

    fn sizes(&self) -> [usize; 3] {
        [self.layout.nq, self.layout.nv, self.states.len()]
    }
}

fn link_count(base: &Base) -> usize {
    match base {
        Base::Fixed(robot) => robot.link_count(),
        Base::Floating(robot) => robot.link_count(),
    }
}

fn model_link(base: &Base, index: usize) -> dynibo::Result<&str> {
    match base {
        Base::Fixed(robot) => robot.link_name(robot.link_id_at(index)?),
        Base::Floating(robot) => robot.link_name(robot.link_id_at(index)?),
    }
}

fn prepare(state: &State, coordinates: &Coordinates, base: &mut Base) -> Result<Prepared> {
    let State { q, v, a, tau } = state;
    let lift = Vector3::new(0.0, 0.0, GRAVITY - THEIR_GRAVITY);
    let still = vec![0.0; a.len()];
    let positions = coordinates.positions(q);
    let mut weight = vec![0.0; positions.len()];
    if let Base::Fixed(robot) = base {
        robot.gravity(&positions, &[], &mut weight)?;
        let part = (GRAVITY - THEIR_GRAVITY) / THEIR_GRAVITY;
        weight.iter_mut().for_each(|x| *x *= part);
    }
    let mut forces = coordinates.forth(q, tau);
    if !coordinates.has_floating_base() {
        forces.iter_mut().zip(&weight).for_each(|(x, w)| *x -= w);
    }
    Ok(Prepared {
        frame: BaseState::stationary(coordinates.base_frame(q))?,
        moving: coordinates.base_state(q, v, a, lift)?,
        unaccelerated: coordinates.base_state(q, v, &still, lift)?,
        q: positions,
        v: coordinates.of_joints(v),
        a: coordinates.of_joints(a),
        tau: forces,
        weight,
    })
}

impl Contender {
    pub fn count(&self) -> usize {
        self.states.len()
    }

    pub fn forward_kinematics(&mut self, index: usize) -> Result<()> {
        let (s, frames) = (&self.prepared[index], &mut self.frames);
        match black_box(&mut self.base) {
            Base::Fixed(robot) => robot.forward_kinematics_all(&s.q, frames)?,
            Base::Floating(robot) => robot.forward_kinematics_all(&s.frame, &s.q, frames)?,
        }
        black_box(frames);
        Ok(())
    }

    pub fn placements(&self, _: usize) -> Result<Vec<f64>> {
        let mut out = Vec::new();
        for link in &self.links {
            let frame = &self.frames[*link];
            // Row by row is the transpose's columns.
            out.extend(
                frame
                    .rotation
                    .to_rotation_matrix()
                    .matrix()
                    .transpose()
                    .iter(),
            );
            out.extend(frame.translation.vector.iter());
        }
        Ok(out)
    }

    pub fn rnea(&mut self, index: usize) -> Result<()> {
        let (s, out) = (&self.prepared[index], &mut self.vector);
        match black_box(&mut self.base) {
            Base::Fixed(robot) => robot.inverse_dynamics(&s.q, &s.v, &s.a, &[], out)?,
            Base::Floating(robot) => {
                robot.inverse_dynamics(&s.moving, &s.q, &s.v, &s.a, &[], out)?
            }
        }
        black_box(out);
        Ok(())
    }

    pub fn bias(&mut self, index: usize) -> Result<()> {
        let (s, zeros, out) = (&self.prepared[index], &self.zeros, &mut self.vector);
        match black_box(&mut self.base) {
            Base::Fixed(robot) => robot.inverse_dynamics(&s.q, &s.v, zeros, &[], out)?,
            Base::Floating(robot) => {
                robot.inverse_dynamics(&s.unaccelerated, &s.q, &s.v, zeros, &[], out)?;
            }
        }
        black_box(out);
        Ok(())
    }

    pub fn forces(&self, index: usize) -> Result<Vec<f64>> {
        let mut forces = self.vector.clone();
        if !self.coordinates.has_floating_base() {
            let weight = &self.prepared[index].weight;
            forces.iter_mut().zip(weight).for_each(|(x, w)| *x += w);
        }
        Ok(self.coordinates.back(&self.states[index].q, &forces))
    }

    pub fn crba(&mut self, index: usize) -> Result<()> {
        let (s, out) = (&self.prepared[index], &mut self.matrix);
        match black_box(&mut self.base) {
            Base::Fixed(robot) => robot.mass_matrix(&s.q, out)?,
            Base::Floating(robot) => robot.mass_matrix(&s.frame, &s.q, out)?,
        }
        black_box(out);
        Ok(())
    }

    pub fn mass_matrix(&self, index: usize) -> Result<Vec<f64>> {
        Ok(self
            .coordinates
            .matrix_back(&self.states[index].q, &self.matrix))
    }

    pub fn aba(&mut self, index: usize) -> Result<()> {
        let (s, out) = (&self.prepared[index], &mut self.vector);
        match black_box(&mut self.base) {
            Base::Fixed(robot) => robot.forward_dynamics(&s.q, &s.v, &s.tau, &[], out)?,
            Base::Floating(robot) => {
                robot.forward_dynamics(&s.moving, &s.q, &s.v, &s.tau, &[], out)?
            }
        }
        black_box(out);
        Ok(())
    }

    pub fn accelerations(&self, index: usize) -> Result<Vec<f64>> {
        let state = &self.states[index];
        let mut accelerations = self.vector.clone();
        if self.coordinates.has_floating_base() {
            // Under a stronger gravity the whole robot falls faster, and nothing else changes.
            accelerations[5] -= GRAVITY - THEIR_GRAVITY;
        }
        Ok(self
            .coordinates
            .accelerations_back(&state.q, &state.v, &accelerations))
    }
}
