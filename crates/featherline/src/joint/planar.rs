//! Planar joint: motion in the xy plane; q is (x, y, cos, sin), the velocity (x, y, about z) in the child's frame.

use super::{axis, unbounded};
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    subspace[0] = Motion::new(Vec3::unit(0), Vec3::zero());
    subspace[1] = Motion::new(Vec3::unit(1), Vec3::zero());
    subspace[2] = Motion::new(Vec3::zero(), Vec3::unit(2));
    let (cos, sin) = unbounded::cos_sin(&q[2..]);
    Se3::new(
        axis::rotation(Vec3::unit(2), sin, cos),
        Vec3::new(q[0], q[1], S::zero()),
    )
}
