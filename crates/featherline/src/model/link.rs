//! The model as the kernels read it.
//!
//! The frame of a body is free to choose. Kernels use *link frames* in which every revolute joint
//! turns about z and every prismatic joint slides along z, so that one branch serves all axes and
//! an arbitrary axis costs nothing extra. A link frame differs from the joint's output frame by a
//! constant placement; results are mapped back where they are read.

use super::Joint;
use super::hinge::Hinge;
use crate::joint::JointKind;
use crate::scalar::Scalar;
use crate::spatial::{DynamicParameters, Force, Mat3, Se3, Vec3};

/// How a kernel treats a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// One angle about z.
    Revolute,
    /// (cos, sin) of one angle about z.
    Unbounded,
    /// One displacement along z.
    Prismatic,
    /// Motion subspace read from the workspace.
    General,
}

/// A joint and its body, in link frames.
#[derive(Clone, Debug)]
pub struct Link {
    /// The link that carries it.
    pub parent: usize,
    /// How its joint is treated.
    pub class: Class,
    /// Where the configuration begins in q (for a mimic joint, the mimicked joint's).
    pub idx_q: usize,
    /// The first coordinate that moves the link (for a mimic joint, the mimicked joint's).
    pub idx_v: usize,
    /// Where the columns of the motion subspace begin in the workspace.
    pub column: usize,
    /// How many columns there are.
    pub columns: usize,
    /// The joint's input frame, turned as the link frame is, in the parent's link frame.
    pub placement: Se3<f64>,
    /// Mass, first and second moment in the link frame.
    pub parameters: DynamicParameters<f64>,
    /// The link frame in the joint's output frame.
    pub frame: Se3<f64>,
    /// Whether the motion subspace depends on the configuration.
    pub is_varying: bool,
    /// Whether the joint is a free-flyer, whose motion subspace is the identity.
    pub is_free_flyer: bool,
    /// Whether the coordinates are the joint's own, and not the mimicked joint's.
    pub owns_coordinates: bool,
    /// The joint as a hinge that turns about one of the parent's axes, if it is one.
    pub hinge: Option<Hinge>,
}

/// The data of a link that are read on the way from another one to the root: little, for many links
/// one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The link that carries it.
    pub parent: u32,
    /// Its first coordinate.
    pub idx_v: u32,
    /// How its joint is treated.
    pub class: Class,
    /// Whether its joint is a free-flyer.
    pub is_free_flyer: bool,
}

impl Step {
    /// The step over this link.
    pub fn of(link: &Link) -> Self {
        Self {
            // Models with more links are beyond all memory.
            parent: link.parent as u32,
            idx_v: link.idx_v as u32,
            class: link.class,
            is_free_flyer: link.is_free_flyer,
        }
    }
}

impl Link {
    /// The columns that the link's motion subspace has in the workspace.
    #[inline(always)]
    pub fn column_range(&self) -> std::ops::Range<usize> {
        self.column..self.column + self.columns
    }

    /// The placement of the joint's output frame, given that of the link frame.
    #[inline(always)]
    pub fn output_frame<S: Scalar>(&self, link: &Se3<S>) -> Se3<S> {
        if self.class == Class::General {
            return *link;
        }
        let (r, axis) = (&link.rotation, self.frame.rotation.z);
        // Where the axis is a coordinate axis, one frame's axes are the other's in another order.
        let rotation = if axis == Vec3::unit(2) {
            *r
        } else if axis == Vec3::unit(0) {
            Mat3::from_columns(r.z, r.x, r.y)
        } else if axis == Vec3::unit(1) {
            Mat3::from_columns(r.y, r.z, r.x)
        } else {
            r.mul_mat(&Mat3::constant(&self.frame.rotation.transpose()))
        };
        Se3::new(rotation, link.translation)
    }

    /// A force given in the joint's output frame, in the link frame.
    #[inline(always)]
    pub fn force_in_link<S: Scalar>(&self, force: &Force<S>) -> Force<S> {
        match self.class {
            Class::General => *force,
            Class::Revolute | Class::Unbounded | Class::Prismatic => {
                Se3::<S>::constant(&self.frame).inverse_act_force(force)
            }
        }
    }
}

/// Chooses link frames for all joints.
pub fn links(joints: &[Joint]) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::with_capacity(joints.len());
    let mut column = 0;
    for joint in joints {
        let (class, frame) = class_and_frame(joint);
        let parent = joint.parent.index();
        // The universe is its own parent and comes first.
        let placement = match links.get(parent) {
            Some(above) => above.frame.inverse().compose(&joint.placement),
            None => joint.placement,
        };
        // A general joint's own frames stay as they are; an axial one has its input frame turned
        // with its output frame.
        let placement = if class == Class::General {
            placement
        } else {
            placement.compose(&frame)
        };
        let columns = joint.kind.nv();
        links.push(Link {
            parent,
            class,
            idx_q: joint.idx_q,
            idx_v: joint.idx_v,
            column,
            columns,
            placement,
            parameters: frame.inverse().act_inertia(&joint.inertia).to_parameters(),
            frame,
            is_varying: !joint.kind.has_constant_subspace(),
            is_free_flyer: joint.kind == JointKind::FreeFlyer,
            owns_coordinates: joint.mimic.is_none(),
            hinge: Hinge::of(class, &placement),
        });
        column += columns;
    }
    links
}

fn class_and_frame(joint: &Joint) -> (Class, Se3<f64>) {
    let (class, axis) = match (&joint.mimic, &joint.kind) {
        (None, JointKind::Revolute { axis }) => (Class::Revolute, axis),
        (None, JointKind::RevoluteUnbounded { axis }) => (Class::Unbounded, axis),
        (None, JointKind::Prismatic { axis }) => (Class::Prismatic, axis),
        _ => return (Class::General, Se3::identity()),
    };
    (class, Se3::from_rotation(rotation_from_z(*axis)))
}

/// A rotation whose third column is a unit vector; a permutation for a coordinate axis.
fn rotation_from_z(axis: Vec3<f64>) -> Mat3<f64> {
    let (x, y, z) = (Vec3::unit(0), Vec3::unit(1), Vec3::unit(2));
    if axis == z {
        Mat3::identity()
    } else if axis == x {
        Mat3::from_columns(y, z, x)
    } else if axis == y {
        Mat3::from_columns(z, x, y)
    } else if axis == -z {
        Mat3::from_columns(x, -y, -z)
    } else if axis == -x {
        Mat3::from_columns(y, -z, -x)
    } else if axis == -y {
        Mat3::from_columns(z, -x, -y)
    } else {
        // The coordinate axis least aligned with the vector spans a well-conditioned plane with it.
        let [a, b, c] = axis.to_array().map(f64::abs);
        let other = if a <= b && a <= c {
            x
        } else if b <= c {
            y
        } else {
            z
        };
        let first = other.cross(axis);
        let first = first * (1.0 / first.norm());
        Mat3::from_columns(first, axis.cross(first), axis)
    }
}

/// A link's dynamic parameters: its own of `parameters`, or the model's if there are none.
#[inline(always)]
pub fn link_parameters<S: Scalar>(
    parameters: &[DynamicParameters<S>],
    i: usize,
    link: &Link,
) -> DynamicParameters<S> {
    match parameters.get(i) {
        Some(own) => *own,
        None => DynamicParameters::constant(&link.parameters),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_frames_are_right_handed_and_take_z_to_the_axis() {
        let s = 1.0 / 3.0_f64.sqrt();
        let mut axes = vec![
            Vec3::new(s, s, s),
            Vec3::new(0.6, -0.8, 0.0),
            Vec3::new(-0.36, 0.48, -0.8),
        ];
        for k in 0..3 {
            axes.push(Vec3::unit(k));
            axes.push(-Vec3::unit(k));
        }
        for axis in axes {
            let r = rotation_from_z(axis);
            assert!((r.z - axis).norm() < 1e-15);
            assert!((r.determinant() - 1.0).abs() < 1e-15);
            let gram = r.tr_mul_mat(&r) - Mat3::identity();
            assert!(gram.x.norm() + gram.y.norm() + gram.z.norm() < 1e-15);
        }
    }
}
