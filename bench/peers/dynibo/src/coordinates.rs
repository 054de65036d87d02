//! From the coordinates of the file of states to dynibo's, and back.
//!
//! dynibo has the base apart from the joints, in world axes and with the angular part first; its
//! acceleration is the classical one, of the base's origin. In the file the base is a free-flyer:
//! linear part first, in its own axes, and spatial.

use anyhow::{Context, Result, bail};
use dynibo::{BaseState, Frame, RobotModel, Twist};
use nalgebra::{DMatrix, Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that Pinocchio's exporter writes.
#[derive(Deserialize)]
pub struct Layout {
    pub urdf: PathBuf,
    pub floating_base: bool,
    pub nq: usize,
    pub nv: usize,
    pub joints: Vec<Joint>,
    pub links: Vec<Link>,
}

/// The coordinates of a joint.
#[derive(Deserialize)]
pub struct Joint {
    pub name: String,
    idx_q: usize,
    nq: usize,
    idx_v: usize,
}

/// A link, and the joint that carries it.
#[derive(Deserialize)]
pub struct Link {
    pub name: String,
    pub joint: String,
}

impl Layout {
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no layout", path.display()))
    }
}

/// Where dynibo's joints stand in the file.
pub struct Coordinates {
    floating_base: bool,
    nv: usize,
    /// For each of dynibo's joints its idx_q, nq and idx_v.
    joints: Vec<(usize, usize, usize)>,
}

impl Coordinates {
    pub fn new(layout: &Layout, model: &RobotModel) -> Result<Self> {
        let count = model.joint_count();
        let base = usize::from(layout.floating_base);
        if count + base != layout.joints.len() {
            bail!(
                "it has {count} joints, {} are in the layout",
                layout.joints.len() - base
            );
        }
        let place = |index| {
            let name = model.joint_name(index)?;
            let joint = layout.joints.iter().find(|joint| joint.name == name);
            let joint = joint.with_context(|| format!("joint {name} is not in the layout"))?;
            Ok((joint.idx_q, joint.nq, joint.idx_v))
        };
        Ok(Self {
            floating_base: layout.floating_base,
            nv: layout.nv,
            joints: (0..count).map(place).collect::<Result<_>>()?,
        })
    }

    /// Joint positions.
    pub fn positions(&self, q: &[f64]) -> Vec<f64> {
        let position = |&(idx_q, nq, _): &(usize, usize, usize)| match nq {
            2 => q[idx_q + 1].atan2(q[idx_q]),
            _ => q[idx_q],
        };
        self.joints.iter().map(position).collect()
    }

    /// Joint velocities, accelerations or forces.
    pub fn of_joints(&self, vector: &[f64]) -> Vec<f64> {
        self.joints
            .iter()
            .map(|&(_, _, idx_v)| vector[idx_v])
            .collect()
    }

    /// The base's placement; the identity of a fixed base.
    pub fn base_frame(&self, q: &[f64]) -> Frame {
        if !self.floating_base {
            return Frame::identity();
        }
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]));
        Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), rotation)
    }

    /// The base's state, to whose acceleration `lift` is added.
    pub fn base_state(
        &self,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lift: Vector3<f64>,
    ) -> Result<BaseState> {
        let frame = self.base_frame(q);
        if !self.floating_base {
            return Ok(BaseState::stationary(frame)?);
        }
        let (velocity, acceleration) = (parts(v), parts(a));
        let classical = acceleration.linear + velocity.angular.cross(&velocity.linear);
        let turned =
            |angular, linear| Twist::new(frame.rotation * angular, frame.rotation * linear);
        let mut acceleration = turned(acceleration.angular, classical);
        acceleration.linear += lift;
        Ok(BaseState::new(
            frame,
            turned(velocity.angular, velocity.linear),
            acceleration,
        )?)
    }

    /// The matrix T with (dynibo's generalized vector) = T (the file's).
    fn turning(&self, q: &[f64]) -> DMatrix<f64> {
        let base = if self.floating_base { 6 } else { 0 };
        let mut turning = DMatrix::zeros(base + self.joints.len(), self.nv);
        if self.floating_base {
            let rotation = self.base_frame(q).rotation.to_rotation_matrix();
            turning
                .fixed_view_mut::<3, 3>(3, 0)
                .copy_from(rotation.matrix());
            turning
                .fixed_view_mut::<3, 3>(0, 3)
                .copy_from(rotation.matrix());
        }
        for (k, &(_, _, idx_v)) in self.joints.iter().enumerate() {
            turning[(base + k, idx_v)] = 1.0;
        }
        turning
    }

    /// A generalized velocity or force in dynibo's coordinates.
    pub fn forth(&self, q: &[f64], vector: &[f64]) -> Vec<f64> {
        let vector = DMatrix::from_column_slice(self.nv, 1, vector);
        (self.turning(q) * vector).as_slice().to_vec()
    }

    /// A generalized velocity or force in the file's coordinates.
    pub fn back(&self, q: &[f64], vector: &[f64]) -> Vec<f64> {
        let vector = DMatrix::from_column_slice(vector.len(), 1, vector);
        (self.turning(q).transpose() * vector).as_slice().to_vec()
    }

    /// A mass matrix in the file's coordinates.
    pub fn matrix_back(&self, q: &[f64], matrix: &[f64]) -> Vec<f64> {
        let (turning, n) = (self.turning(q), matrix.len().isqrt());
        let matrix = DMatrix::from_column_slice(n, n, matrix);
        (turning.transpose() * matrix * turning).as_slice().to_vec()
    }

    /// Accelerations in the file's coordinates, of which the base's are spatial again.
    pub fn accelerations_back(&self, q: &[f64], v: &[f64], vector: &[f64]) -> Vec<f64> {
        let mut acceleration = self.back(q, vector);
        if self.floating_base {
            let velocity = parts(v);
            let turning = velocity.angular.cross(&velocity.linear);
            for (a, x) in acceleration.iter_mut().zip(turning.iter()) {
                *a -= x;
            }
        }
        acceleration
    }

    pub fn has_floating_base(&self) -> bool {
        self.floating_base
    }
}

/// The free-flyer's part of a vector.
fn parts(vector: &[f64]) -> Twist {
    Twist::new(
        Vector3::new(vector[3], vector[4], vector[5]),
        Vector3::new(vector[0], vector[1], vector[2]),
    )
}
