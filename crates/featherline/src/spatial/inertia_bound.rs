//! Upper bounds of inertias, for judging what rounding may have left of them.

use super::{ArticulatedInertia, DynamicParameters, Mat3, Sym3};
use crate::scalar::{Scalar, large};

/// Bounds of the mass and of the moment of inertia in any direction.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct InertiaBound<S> {
    /// A bound of the mass, in kg.
    pub mass: S,
    /// A bound of the moment of inertia, in kg·m².
    pub moment: S,
}

impl<S: Scalar> InertiaBound<S> {
    /// The bound of an articulated inertia: the traces of its blocks.
    #[inline(always)]
    pub fn of(inertia: &ArticulatedInertia<S>) -> Self {
        large!(S, {
            Self {
                mass: trace(&inertia.linear),
                moment: trace(&inertia.angular),
            }
        })
    }

    /// The bound of a rigid body's inertia.
    #[inline(always)]
    pub fn of_body(body: &DynamicParameters<S>) -> Self {
        large!(S, {
            Self {
                mass: (body.mass * S::constant(3.0)).abs(),
                moment: trace(&body.second_moment),
            }
        })
    }

    /// Adds the size of something at a distance.
    #[inline(always)]
    pub fn add(&mut self, other: Self, distance: S) {
        large!(S, {
            let reach = distance.mul_add(other.mass.sqrt(), other.moment.sqrt());
            self.mass += other.mass;
            self.moment = reach.mul_add(reach, self.moment);
        })
    }

    /// An inertia of this size in every direction.
    #[inline(always)]
    pub fn to_inertia(self) -> ArticulatedInertia<S> {
        let (zero, mass, moment) = (S::zero(), self.mass, self.moment);
        ArticulatedInertia {
            linear: Sym3::new(mass, zero, zero, mass, zero, mass),
            coupling: Mat3::zero(),
            angular: Sym3::new(moment, zero, zero, moment, zero, moment),
        }
    }
}

#[inline(always)]
fn trace<S: Scalar>(matrix: &Sym3<S>) -> S {
    let [xx, _, _, yy, _, zz] = matrix.to_elements();
    // Rounding may leave a little less than nothing.
    (xx + yy + zz).abs()
}
