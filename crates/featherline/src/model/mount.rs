//! Joints as they are placed in one another's output frames, for results that are read there.

use super::Joint;
use super::link::{Class, Link};
use crate::spatial::{Mat3, Vec3};

/// Which axis of a joint's output frame it turns about or slides along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    X,
    Y,
    Z,
    /// None of them: the link frame's z, or none at all.
    Oblique,
}

/// A joint in the output frame of the one before it.
///
/// [Link frames](super::link) save nothing where placements are all that is asked for: each would
/// be mapped back. Here joints turn about whichever of their axes it is, and what is computed is
/// the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mount {
    pub parent: usize,
    pub class: Class,
    pub idx_q: usize,
    pub axis: Axis,
    /// −1 for joints that turn about, or slide along, an axis of their frame backwards.
    pub sign: f64,
    /// The axes of the input frame in the parent's, in an order in which the joint's own is the
    /// last; for oblique joints those that the link frame has at zero.
    pub rotation: Mat3<f64>,
    /// Whether the input frame has the parent's axes.
    pub is_upright: bool,
    /// The origin of the input frame in the parent's.
    pub translation: Vec3<f64>,
    pub is_leaf: bool,
}

impl Mount {
    /// Those of all joints, the universe's first.
    pub fn all(joints: &[Joint], links: &[Link]) -> Vec<Self> {
        let mut is_leaf = vec![true; links.len()];
        for link in links {
            is_leaf[link.parent] = false;
        }
        let both = joints.iter().zip(links).zip(is_leaf);
        both.map(|((joint, link), is_leaf)| Self::of(joint, link, is_leaf))
            .collect()
    }

    fn of(joint: &Joint, link: &Link, is_leaf: bool) -> Self {
        let rotation = joint.placement.rotation;
        let Mat3 { x, y, z } = rotation;
        let along = link.frame.rotation.z;
        let (axis, sign, rotation) = match along.to_array() {
            _ if link.class == Class::General => (Axis::Oblique, 1.0, rotation),
            [s, 0.0, 0.0] => (Axis::X, s, Mat3::from_columns(y, z, x)),
            [0.0, s, 0.0] => (Axis::Y, s, Mat3::from_columns(z, x, y)),
            [0.0, 0.0, s] => (Axis::Z, s, rotation),
            _ => (Axis::Oblique, 1.0, rotation.mul_mat(&link.frame.rotation)),
        };
        Self {
            parent: link.parent,
            class: link.class,
            idx_q: link.idx_q,
            axis,
            sign,
            rotation,
            is_upright: axis != Axis::Oblique && joint.placement.rotation == Mat3::identity(),
            translation: joint.placement.translation,
            is_leaf,
        }
    }
}
