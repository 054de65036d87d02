//! A robot and all that is computed of it.

use crate::failure::{Failure, of_file};
use crate::matrix::{Thrown, matrix};
use crate::parts::{Frame, Joint, Loop};
use crate::shared::Shared;
use featherline::kinematics::ReferenceFrame;
use featherline::random::SplitMix64;
use featherline::spatial::Se3;
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, assemble};
use featherline_formats::{LoadOptions, load_str_with};
use nalgebra::DMatrix;
use std::iter;
use wasm_bindgen::prelude::wasm_bindgen;

/// A robot, with memory for its algorithms.
#[wasm_bindgen]
pub struct Robot {
    pub(crate) model: Model,
    pub(crate) ws: Workspace<f64>,
    pub(crate) shared: Shared,
    warnings: Vec<String>,
    #[cfg(feature = "page")]
    pub(crate) contacts: crate::contact::Contacts,
}

#[wasm_bindgen]
impl Robot {
    /// Reads a robot from the text of a URDF, an MJCF or a model file. Errors have the name `file`
    /// in their messages, and what is known of the place as `file`, `line`, `column`, `element`
    /// and `code`.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, floating_base: bool, file: Option<String>) -> Result<Robot, Failure> {
        let options = LoadOptions::new().floating_base(floating_base);
        let robot = load_str_with(text, &options).map_err(|error| of_file(&error, file))?;
        Ok(Self {
            ws: Workspace::new(&robot.model),
            shared: Shared::new(&robot.model),
            warnings: robot.warnings.iter().map(ToString::to_string).collect(),
            model: robot.model,
            #[cfg(feature = "page")]
            contacts: Default::default(),
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

    /// Joint forces C(q, v) of a motion without acceleration: Coriolis, centrifugal and gravity.
    pub fn bias(&mut self, q: &[f64], v: &[f64]) -> Thrown<Vec<f64>> {
        Ok(self.model.bias(&mut self.ws, q, v)?.to_vec())
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
}

impl Robot {
    fn limits(&self, of: impl Fn(&featherline::model::Joint) -> &Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.model.nq()];
        for joint in self.model.joints().iter().filter(|it| it.nq > 0) {
            all[joint.idx_q..joint.idx_q + joint.nq].copy_from_slice(of(joint));
        }
        all
    }
}
