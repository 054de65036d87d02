//! Joints whose linear velocity is in a moving frame.

use featherline::joint::JointKind;
use featherline::model::{Joint, Model};
use featherline::spatial::{Mat3, Quaternion, Vec3};

/// A joint whose linear velocity is in its moving frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingFrameJoint {
    pub idx_q: usize,
    pub idx_v: usize,
    pub is_planar: bool,
}

impl MovingFrameJoint {
    /// Those of a model.
    pub fn joints(model: &Model) -> Vec<Self> {
        let joints = model.joints().iter().skip(1);
        joints.filter_map(Self::of).collect()
    }

    /// A joint, if it is one.
    pub fn of(joint: &Joint) -> Option<Self> {
        let is_planar = joint.kind == JointKind::Planar;
        let moves = is_planar || joint.kind == JointKind::FreeFlyer;
        moves.then_some(Self {
            idx_q: joint.idx_q,
            idx_v: joint.idx_v,
            is_planar,
        })
    }

    #[inline(always)]
    pub fn linear(&self, v: &[f64]) -> Vec3<f64> {
        let v = &v[self.idx_v..];
        if self.is_planar {
            Vec3::new(v[0], v[1], 0.0)
        } else {
            Vec3::new(v[0], v[1], v[2])
        }
    }

    #[inline(always)]
    pub fn angular(&self, v: &[f64]) -> Vec3<f64> {
        let v = &v[self.idx_v..];
        if self.is_planar {
            Vec3::new(0.0, 0.0, v[2])
        } else {
            Vec3::new(v[3], v[4], v[5])
        }
    }

    /// The coordinates with the linear and the angular velocity that a unit of each is.
    #[inline(always)]
    pub fn directions(&self) -> impl Iterator<Item = (usize, [Vec3<f64>; 2])> {
        let (linear, angular) = if self.is_planar { (2, 2..3) } else { (3, 0..3) };
        let linear = (0..linear).map(|axis| [Vec3::unit(axis), Vec3::zero()]);
        let angular = angular.map(|axis| [Vec3::zero(), Vec3::unit(axis)]);
        (self.idx_v..).zip(linear.chain(angular))
    }

    #[inline(always)]
    pub fn write_linear(&self, linear: Vec3<f64>, v: &mut [f64]) {
        let count = if self.is_planar { 2 } else { 3 };
        v[self.idx_v..self.idx_v + count].copy_from_slice(&linear.to_array()[..count]);
    }

    /// Of a free-flyer.
    #[inline(always)]
    pub fn write_angular(&self, angular: Vec3<f64>, v: &mut [f64]) {
        v[self.idx_v + 3..self.idx_v + 6].copy_from_slice(&angular.to_array());
    }

    /// The orientation of a free-flyer.
    #[inline(always)]
    pub fn orientation(&self, q: &[f64]) -> Quaternion<f64> {
        let q = &q[self.idx_q..];
        Quaternion::new(q[3], q[4], q[5], q[6])
    }

    #[inline(always)]
    pub fn write_orientation(&self, orientation: Quaternion<f64>, q: &mut [f64]) {
        q[self.idx_q + 3..self.idx_q + 7].copy_from_slice(&orientation.to_array());
    }

    /// The orientation of the moving frame.
    #[inline(always)]
    pub fn rotation(&self, q: &[f64]) -> Mat3<f64> {
        if self.is_planar {
            let (cos, sin) = (q[self.idx_q + 2], q[self.idx_q + 3]);
            Mat3::from_rows([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
        } else {
            self.orientation(q).to_rotation()
        }
    }
}
