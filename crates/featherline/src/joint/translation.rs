//! Translation joint: three displacements without rotation; q is (x, y, z).

use crate::scalar::Scalar;
use crate::spatial::{Motion, Se3, Vec3};

#[inline(always)]
pub(super) fn evaluate<S: Scalar>(q: &[S], subspace: &mut [Motion<S>]) -> Se3<S> {
    for k in 0..3 {
        subspace[k] = Motion::new(Vec3::unit(k), Vec3::zero());
    }
    Se3::from_translation(Vec3::new(q[0], q[1], q[2]))
}
