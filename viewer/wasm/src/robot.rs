//! A robot and all that is computed of it.

use crate::matrix::{Thrown, from_matrix, matrix, vector};
use crate::parts::{Frame, Joint, Loop};
use featherline::kinematics::ReferenceFrame;
use featherline::random::SplitMix64;
use featherline::spatial::{Motion, Se3};
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, assemble};
use featherline_control::{Goal, InverseKinematics};
use featherline_formats::{LoadOptions, load_str_with, model_file};
use nalgebra::DMatrix;
use std::iter;
use wasm_bindgen::prelude::wasm_bindgen;

/// What an error of a frame that is held counts beside one of the point that is moved.
const HELD: f64 = 100.0;

/// A robot, with memory for its algorithms.
#[wasm_bindgen]
pub struct Robot {
    pub(crate) model: Model,
    ws: Workspace<f64>,
    warnings: Vec<String>,
}

#[wasm_bindgen]
impl Robot {
    /// Reads a robot from the text of a URDF, an MJCF or a model file.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, floating_base: bool) -> Thrown<Robot> {
        let options = LoadOptions::new().floating_base(floating_base);
        let robot = load_str_with(text, &options)?;
        Ok(Self {
            ws: Workspace::new(&robot.model),
            warnings: robot.warnings.iter().map(ToString::to_string).collect(),
            model: robot.model,
        })
    }

    /// The robot's name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.model.name().to_owned()
    }

    /// Entries of a configuration.
    #[wasm_bindgen(getter)]
    pub fn nq(&self) -> usize {
        self.model.nq()
    }

    /// Degrees of freedom.
    #[wasm_bindgen(getter)]
    pub fn nv(&self) -> usize {
        self.model.nv()
    }

    /// What was read with a doubt, each with its place.
    #[wasm_bindgen(getter)]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// The joints with the bodies that they move, the universe first.
    #[wasm_bindgen(getter)]
    pub fn joints(&self) -> Vec<Joint> {
        self.model.joints().iter().map(Joint::of).collect()
    }

    /// The frames fixed in bodies.
    #[wasm_bindgen(getter)]
    pub fn frames(&self) -> Vec<Frame> {
        self.model.frames().iter().map(Frame::of).collect()
    }

    /// The joints that close loops.
    #[wasm_bindgen(getter)]
    pub fn loops(&self) -> Vec<Loop> {
        Loop::all(&self.model)
    }

    /// The acceleration of gravity in the world, in m/s².
    #[wasm_bindgen(getter)]
    pub fn gravity(&self) -> Vec<f64> {
        self.model.gravity().to_array().to_vec()
    }

    /// The robot as the text of a model file.
    #[wasm_bindgen(js_name = modelFile)]
    pub fn model_file(&self) -> String {
        model_file::to_string(&self.model)
    }

    /// The names of the joints, the universe first.
    #[wasm_bindgen(getter, js_name = jointNames)]
    pub fn joint_names(&self) -> Vec<String> {
        let joints = self.model.joints().iter();
        joints.map(|joint| joint.name.clone()).collect()
    }

    /// The names of the frames.
    #[wasm_bindgen(getter, js_name = frameNames)]
    pub fn frame_names(&self) -> Vec<String> {
        let frames = self.model.frames().iter();
        frames.map(|frame| frame.name.clone()).collect()
    }

    /// Mass of all links, in kg.
    #[wasm_bindgen(getter, js_name = totalMass)]
    pub fn total_mass(&self) -> f64 {
        self.model.total_mass()
    }

    /// The configuration in which no joint has moved.
    pub fn neutral(&self) -> Vec<f64> {
        self.model.neutral_configuration()
    }

    /// A random configuration within limits; the same for the same seed.
    pub fn random(&self, seed: u64) -> Vec<f64> {
        self.model.random_configuration(&mut SplitMix64::new(seed))
    }

    /// The least entries of a configuration that limits allow.
    #[wasm_bindgen(getter)]
    pub fn lower(&self) -> Vec<f64> {
        self.limits(|joint| &joint.limits.lower)
    }

    /// The greatest entries of a configuration that limits allow.
    #[wasm_bindgen(getter)]
    pub fn upper(&self) -> Vec<f64> {
        self.limits(|joint| &joint.limits.upper)
    }

    /// q ⊕ v: the configuration after a unit of time at a constant velocity.
    pub fn integrate(&self, q: &[f64], v: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.integrate(q, v)?)
    }

    /// q1 ⊖ q0: the constant velocity that leads from one configuration to another.
    pub fn difference(&self, q0: &[f64], q1: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.difference(q0, q1)?)
    }

    /// The placements of the joints' output frames in the world, 16 entries each, the universe's
    /// first.
    #[wasm_bindgen(js_name = jointPlacements)]
    pub fn joint_placements(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        let joints = self.model.joint_ids();
        let moving = joints.map(|joint| matrix(&kinematics.placement(joint)));
        let placements = iter::once(matrix(&Se3::identity())).chain(moving);
        Ok(placements.flatten().collect())
    }

    /// The axes along which joints move, in the world: for each joint in order and each degree of
    /// freedom of its kind, 6 entries [linear; angular] of a unit velocity at the joint's origin.
    #[wasm_bindgen(js_name = jointAxes)]
    pub fn joint_axes(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        let mut axes = Vec::new();
        for id in self.model.joint_ids() {
            let joint = self.model.joint(id);
            let mut own = q[joint.idx_q..joint.idx_q + joint.kind.nq()].to_vec();
            if let Some(mimic) = joint.mimic {
                // The displacement of a mimic joint is its own: q = ratio · q_source + offset.
                own[0] = mimic.ratio.mul_add(own[0], mimic.offset);
            }
            let mut columns = vec![Motion::zero(); joint.kind.nv()];
            joint.kind.evaluate(&own, &mut columns);
            let rotation = kinematics.placement(id).rotation;
            for column in columns {
                axes.extend((rotation * column.linear).to_array());
                axes.extend((rotation * column.angular).to_array());
            }
        }
        Ok(axes)
    }

    /// The nearest configuration in which all loops are closed.
    pub fn assemble(&self, q: &[f64]) -> Thrown<Vec<f64>> {
        let mut q = q.to_vec();
        if !self.model.loop_joints().is_empty() {
            assemble(&self.model, &mut LoopWorkspace::new(&self.model)?, &mut q)?;
        }
        Ok(q)
    }

    /// The placement in the world of a frame, or of a joint's output frame, by name.
    pub fn placement(&mut self, q: &[f64], frame: &str) -> Thrown<Vec<f64>> {
        let target = self.model.target(frame)?;
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        Ok(matrix(&kinematics.placement(target)).to_vec())
    }

    /// The Jacobian of a frame, 6 × nv by columns: [linear; angular] along the world's axes, of the
    /// frame's origin.
    pub fn jacobian(&mut self, q: &[f64], frame: &str) -> Thrown<Vec<f64>> {
        let target = self.model.target(frame)?;
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        let mut jacobian = DMatrix::zeros(6, self.model.nv());
        kinematics.jacobian_into(target, ReferenceFrame::LocalWorldAligned, &mut jacobian)?;
        Ok(jacobian.as_slice().to_vec())
    }

    /// Joint forces τ of a motion: inverse dynamics by RNEA.
    pub fn rnea(&mut self, q: &[f64], v: &[f64], a: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.rnea(&mut self.ws, q, v, a)?.to_vec())
    }

    /// Accelerations by joint forces: forward dynamics by the articulated-body algorithm.
    pub fn aba(&mut self, q: &[f64], v: &[f64], tau: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.aba(&mut self.ws, q, v, tau)?.to_vec())
    }

    /// The mass matrix M, nv × nv.
    pub fn crba(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.crba(&mut self.ws, q)?.as_slice().to_vec())
    }

    /// The joint forces that hold the robot at rest.
    #[wasm_bindgen(js_name = gravityTorque)]
    pub fn gravity_torque(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.gravity_torque(&mut self.ws, q)?.to_vec())
    }

    /// The centre of mass in the world, in m.
    #[wasm_bindgen(js_name = centerOfMass)]
    pub fn center_of_mass(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        let center = self.model.center_of_mass(&mut self.ws, q)?;
        Ok(center.to_array().to_vec())
    }

    /// The kinetic energy, in J.
    #[wasm_bindgen(js_name = kineticEnergy)]
    pub fn kinetic_energy(&mut self, q: &[f64], v: &[f64]) -> Thrown<f64> {
        Ok(self.model.kinetic_energy(&mut self.ws, q, v)?)
    }

    /// The potential energy in gravity, in J; zero where the centre of mass is at the origin.
    #[wasm_bindgen(js_name = potentialEnergy)]
    pub fn potential_energy(&mut self, q: &[f64]) -> Thrown<f64> {
        Ok(self.model.potential_energy(&mut self.ws, q)?)
    }

    /// Moves a point of a frame, in its own coordinates, to a position in the world, or as near as
    /// the robot reaches from `q` on. The frames `held` stay where they are, as far as the weight
    /// of 100 on their goals goes. Returns the configuration.
    #[wasm_bindgen(js_name = reachPosition)]
    pub fn reach_position(
        &mut self,
        q: &[f64],
        frame: &str,
        point: &[f64],
        position: &[f64],
        held: Vec<String>,
    ) -> Thrown<Vec<f64>> {
        let target = self.model.target(frame)?;
        let goal = Goal::position(target, vector("position", position)?);
        let mut goals = vec![goal.at(vector("point", point)?)];
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        for name in held {
            let target = self.model.target(&name)?;
            let placement = kinematics.placement(target);
            goals.push(Goal::placement(target, placement).weight(HELD));
        }
        self.reach(q, &goals)
    }

    /// Moves a frame to a placement in the world, 16 entries by columns, or as near as the robot
    /// reaches from `q` on. Returns the configuration.
    #[wasm_bindgen(js_name = reachPlacement)]
    pub fn reach_placement(
        &mut self,
        q: &[f64],
        frame: &str,
        placement: &[f64],
    ) -> Thrown<Vec<f64>> {
        let target = self.model.target(frame)?;
        self.reach(q, &[Goal::placement(target, from_matrix(placement)?)])
    }
}

impl Robot {
    fn limits(&self, of: impl Fn(&featherline::model::Joint) -> &Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.model.nq()];
        for joint in self.model.joints().iter().filter(|it| it.nq > 0) {
            all[joint.idx_q..joint.idx_q + joint.nq].copy_from_slice(of(joint));
        }
        all
    }

    fn reach(&self, q: &[f64], goals: &[Goal]) -> Thrown<Vec<f64>> {
        let mut q = q.to_vec();
        // From here on, without jumps.
        let mut solver = InverseKinematics::new(&self.model)?.restarts(0);
        solver.solve(goals, &mut q)?;
        Ok(q)
    }
}
