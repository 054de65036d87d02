//! The regressor of one rigid body.
//!
//! The force that a body needs is linear in its ten dynamic parameters (C. G. Atkeson, C. H. An and
//! J. M. Hollerbach, *Estimation of inertial parameters of manipulator loads and links*, 1986).
//! With the acceleration a of the point at the origin, the angular velocity ω and the
//! angular acceleration α,
//!
//! * f = m a + α × h + ω × (ω × h), n = J α + ω × (J ω) + h × a,
//!
//! for the mass m, the first moment h = m c and the rotational inertia J about the origin.

use crate::scalar::Scalar;
#[cfg(doc)]
use crate::spatial::DynamicParameters;
use crate::spatial::{Motion, Se3, Vec3};
use nalgebra::SMatrix;

/// How many dynamic parameters a body has, in the order of [`DynamicParameters::to_array`].
pub const BODY_PARAMETERS: usize = 10;

/// The force by the parameters: the linear part by the first four, and the angular part.
#[derive(Clone, Copy)]
pub(crate) struct BodyRegressor<S: Scalar> {
    pub linear: [Vec3<S>; 4],
    pub angular: [Vec3<S>; BODY_PARAMETERS],
}

impl<S: Scalar> BodyRegressor<S> {
    /// The force that the body needs to move with a velocity and a spatial acceleration.
    #[inline(always)]
    pub(crate) fn of_force(velocity: &Motion<S>, acceleration: &Motion<S>) -> Self {
        let classical = acceleration.to_classical(velocity);
        Self::of(classical.linear, classical.angular, velocity.angular)
    }

    /// The momentum of the body: as its force for the acceleration v of a body that does not turn.
    #[inline(always)]
    pub(crate) fn of_momentum(velocity: &Motion<S>) -> Self {
        Self::of(velocity.linear, velocity.angular, Vec3::zero())
    }

    #[inline(always)]
    fn of(a: Vec3<S>, alpha: Vec3<S>, w: Vec3<S>) -> Self {
        let o = S::zero();
        let (x, y, z) = (Vec3::unit(0), Vec3::unit(1), Vec3::unit(2));
        Self {
            // m a, α × e + ω × (ω × e) for the components e of h
            linear: [
                a,
                w.cross_add(w.cross(x), alpha.cross(x)),
                w.cross_add(w.cross(y), alpha.cross(y)),
                w.cross_add(w.cross(z), alpha.cross(z)),
            ],
            // e × a, E α + ω × (E ω) for the components e of h and E of J
            angular: [
                Vec3::zero(),
                x.cross(a),
                y.cross(a),
                z.cross(a),
                w.cross_add(Vec3::new(w.x, o, o), Vec3::new(alpha.x, o, o)),
                w.cross_add(Vec3::new(w.y, w.x, o), Vec3::new(alpha.y, alpha.x, o)),
                w.cross_add(Vec3::new(o, w.y, o), Vec3::new(o, alpha.y, o)),
                w.cross_add(Vec3::new(w.z, o, w.x), Vec3::new(alpha.z, o, alpha.x)),
                w.cross_add(Vec3::new(o, w.z, w.y), Vec3::new(o, alpha.z, alpha.y)),
                w.cross_add(Vec3::new(o, o, w.z), Vec3::new(o, o, alpha.z)),
            ],
        }
    }

    /// The power of the force along a velocity: linear · v + angular · ω, by the parameters.
    #[inline(always)]
    pub(crate) fn power(&self, velocity: &Motion<S>) -> [S; BODY_PARAMETERS] {
        let mut out = [S::zero(); BODY_PARAMETERS];
        for c in 0..BODY_PARAMETERS {
            out[c] = velocity.angular.dot(self.angular[c]);
            if c < 4 {
                out[c] += velocity.linear.dot(self.linear[c]);
            }
        }
        out
    }

    /// The same forces in the frame in which `placement` places this one.
    #[inline(always)]
    pub(crate) fn transformed_by(&self, placement: &Se3<S>) -> Self {
        let (r, p) = (&placement.rotation, placement.translation);
        let mut out = *self;
        for c in 0..BODY_PARAMETERS {
            out.angular[c] = r.mul_vec(self.angular[c]);
        }
        for c in 0..4 {
            out.linear[c] = r.mul_vec(self.linear[c]);
            out.angular[c] = p.cross_add(out.linear[c], out.angular[c]);
        }
        out
    }
}

/// The force \[force; moment\] that a body needs to move with a velocity and a spatial acceleration
/// (less gravity), by its ten dynamic parameters: 6 × 10, all in one frame of the body.
///
/// The parameters are in the order of [`DynamicParameters::to_array`]: m, m c (x, y, z), and xx,
/// xy, yy, xz, yz, zz of the rotational inertia about the origin. Cost O(1). Source: Atkeson, An
/// and Hollerbach 1986.
///
/// ```
/// use featherline::regressor::body_regressor;
/// use featherline::spatial::{DynamicParameters, Inertia, Motion, Sym3, Vec3};
/// use nalgebra::SVector;
///
/// let velocity = Motion::new(Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 2.0, 0.5));
/// let acceleration = Motion::new(Vec3::new(0.0, 0.3, 9.81), Vec3::new(1.0, 0.0, 0.0));
/// let moments = Sym3::diagonal(Vec3::new(0.1, 0.2, 0.25));
/// let body = Inertia::new(2.0, Vec3::new(0.1, 0.0, 0.2), moments).to_parameters();
/// let force = body_regressor(&velocity, &acceleration) * SVector::from(body.to_array());
/// let expected = body.newton_euler(&velocity, &acceleration).to_array();
/// assert!((force - SVector::from(expected)).norm() < 1e-12);
/// ```
pub fn body_regressor<S: Scalar>(
    velocity: &Motion<S>,
    acceleration: &Motion<S>,
) -> SMatrix<S, 6, BODY_PARAMETERS> {
    let body = BodyRegressor::of_force(velocity, acceleration);
    let mut out = SMatrix::from_element(S::zero());
    for c in 0..BODY_PARAMETERS {
        let linear = if c < 4 { body.linear[c] } else { Vec3::zero() };
        for (k, value) in Motion::new(linear, body.angular[c])
            .to_array()
            .into_iter()
            .enumerate()
        {
            out[(k, c)] = value;
        }
    }
    out
}
