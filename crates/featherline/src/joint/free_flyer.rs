//! Free-flyer: any motion; q is a position and a unit quaternion (x, y, z; x, y, z, w), the velocity the child's spatial
//! velocity in its own frame, linear part first.

use super::spherical;
use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    for k in 0..3 {
        subspace[k] = Motion::new(Vec3::unit(k), Vec3::zero());
        subspace[k + 3] = Motion::new(Vec3::zero(), Vec3::unit(k));
    }
    Se3::new(spherical::rotation(&q[3..]), Vec3::new(q[0], q[1], q[2]))
}
