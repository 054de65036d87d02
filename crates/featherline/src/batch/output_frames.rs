//! Joints placed in the world one after the other, by their output frames, as results have them.

use super::pack::Pack;
use crate::kinematics::joint_pass::{place_general, unbounded_turn};
use crate::model::{Axis, Class, Model, Mount};
use crate::scalar::Scalar;
use crate::spatial::AxialRotation;
use crate::spatial::{Mat3, Motion, Se3, Vec3};

/// The numbers of a placement: the 3 × 4 matrix \[R p\] column by column.
pub(super) const PLACEMENT: usize = 12;

/// A placement's numbers.
type Numbers<S> = [S; PLACEMENT];

/// Whether placements are finite, as far as was seen.
pub(super) struct Finite<S>(S);

impl<S: Scalar> Finite<S> {
    #[inline(always)]
    pub fn new() -> Self {
        Self(S::zero())
    }

    /// Looks at a joint's placement, if none depends on it: what is not finite is carried to the
    /// leaves.
    #[inline(always)]
    pub fn watch(&mut self, mount: &Mount, placement: &Numbers<S>) {
        if mount.is_leaf {
            for k in [0, 3, 6, 9, 10, 11] {
                self.0 = placement[k].mul_add(S::zero(), self.0);
            }
        }
    }

    #[inline(always)]
    pub fn is_kept(&self) -> bool {
        S::all(self.0.abs().less(S::one()))
    }
}

/// Places the universe.
#[inline(always)]
pub(super) fn begin<S: Scalar>(placements: &mut [S]) {
    let universe = Se3::identity();
    placements[..PLACEMENT].copy_from_slice(&numbers(&universe.rotation, universe.translation));
}

#[inline(always)]
fn numbers<S: Scalar>(r: &Mat3<S>, p: Vec3<S>) -> Numbers<S> {
    [
        r.x.x, r.x.y, r.x.z, r.y.x, r.y.y, r.y.z, r.z.x, r.z.y, r.z.z, p.x, p.y, p.z,
    ]
}

#[inline(always)]
pub(super) fn placement<S: Scalar>(n: &Numbers<S>) -> Se3<S> {
    let column = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
    Se3::new(
        Mat3::from_columns(column(0), column(3), column(6)),
        column(9),
    )
}

/// Places the output frame of joint i, after all before it; returns its axis, if it has one.
#[inline(always)]
pub(super) fn place_joint<S: Pack>(
    model: &Model,
    i: usize,
    q: &[S],
    placements: &mut [Numbers<S>],
    columns: &mut [Motion<S>],
) -> Vec3<S> {
    let mount = &model.mounts[i];
    // A bound that the compiler sees: parents come first.
    let parent = placement(&placements[mount.parent.min(i - 1)]);
    let turn = match mount.class {
        Class::General => {
            let mut own = Se3::identity();
            let base = &model.joints()[i].placement;
            place_general(model, i, base, q, &mut own, columns);
            let world = parent.compose(&own);
            placements[i] = numbers(&world.rotation, world.translation);
            return Vec3::zero();
        }
        Class::Revolute => {
            let (sin, cos) = q[mount.idx_q].sin_cos();
            AxialRotation { sin, cos }
        }
        Class::Unbounded => {
            let (sin, cos) = unbounded_turn(q[mount.idx_q], q[mount.idx_q + 1]);
            AxialRotation { sin, cos }
        }
        Class::Prismatic => AxialRotation::identity(),
    };
    let sign = S::constant(mount.sign);
    let axes = axes(mount, &parent.rotation);
    let mut origin = parent.act_point(Vec3::constant(mount.translation));
    let axis = axes.z * sign;
    if mount.class == Class::Prismatic {
        origin = axis.mul_add(q[mount.idx_q], origin);
    }
    let turn = AxialRotation {
        sin: turn.sin * sign,
        cos: turn.cos,
    };
    let turned = turn.apply_to_axes(axes);
    let Mat3 { x: u, y: v, z } = turned;
    let rotation = match mount.axis {
        Axis::X => Mat3::from_columns(z, u, v),
        Axis::Y => Mat3::from_columns(v, z, u),
        Axis::Z => turned,
        Axis::Oblique => {
            let back = model.links[i].frame.rotation.transpose();
            turned.mul_mat(&Mat3::constant(&back))
        }
    };
    placements[i] = numbers(&rotation, origin);
    axis
}

/// The axes of a joint's input frame in the world, its own last.
#[inline(always)]
fn axes<S: Scalar>(mount: &Mount, parent: &Mat3<S>) -> Mat3<S> {
    if !mount.is_upright {
        return parent.mul_mat(&Mat3::constant(&mount.rotation));
    }
    let Mat3 { x, y, z } = *parent;
    match mount.axis {
        Axis::X => Mat3::from_columns(y, z, x),
        Axis::Y => Mat3::from_columns(z, x, y),
        Axis::Z | Axis::Oblique => *parent,
    }
}
