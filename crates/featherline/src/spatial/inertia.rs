//! Inertia of a rigid body.

use super::{ArticulatedInertia, Force, Mat3, Motion, Se3, Sym3, Vec3};
use crate::scalar::{Form, Scalar, SeenAs, large};
use std::ops::Add;

/// The inertia of a rigid body as people state it: mass, centre of mass, rotational inertia about
/// the centre of mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inertia<S: Scalar> {
    /// Mass, in kg.
    pub mass: S,
    /// Centre of mass, in m.
    pub com: Vec3<S>,
    /// Rotational inertia about the centre of mass, along the axes of the frame, in kg·m².
    pub rotational: Sym3<S>,
}

impl<S: Scalar> Inertia<S> {
    /// The inertia with the given mass, centre of mass and rotational inertia about the centre of
    /// mass.
    #[inline(always)]
    pub fn new(mass: S, com: Vec3<S>, rotational: Sym3<S>) -> Self {
        Self {
            mass,
            com,
            rotational,
        }
    }

    /// No inertia at all.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(S::zero(), Vec3::zero(), Sym3::zero())
    }

    /// An inertia of constants.
    #[inline(always)]
    pub fn constant(y: &Inertia<f64>) -> Self {
        Self::new(
            S::constant(y.mass),
            Vec3::constant(y.com),
            Sym3::constant(&y.rotational),
        )
    }

    /// The same inertia expressed in the frame in which `placement` places this one.
    #[inline(always)]
    pub fn transformed_by(&self, placement: &Se3<S>) -> Self {
        large!(S, {
            Self::new(
                self.mass,
                placement.act_point(self.com),
                self.rotational
                    .conjugated_by(&placement.rotation)
                    .mirrored(),
            )
        })
    }

    /// The momentum `Y ν` of the body moving with velocity ν.
    #[inline(always)]
    pub fn mul_motion(&self, velocity: &Motion<S>) -> Force<S> {
        large!(S, {
            let linear = (velocity.linear - self.com.cross(velocity.angular)) * self.mass;
            Force::new(
                linear,
                self.rotational
                    .mul_vec_add(velocity.angular, self.com.cross(linear)),
            )
        })
    }

    /// `ν ×* (Y ν)`: the force that the velocity alone calls for.
    ///
    /// With β = m c × ω this is \[ω × (m v − β); ω × (c × (m v − β) + I ω) − v × β\]: five vector
    /// products and one matrix-vector product (Pinocchio's SE(3) cheat sheet, "Cross products").
    #[inline(always)]
    pub fn velocity_force(&self, velocity: &Motion<S>) -> Force<S> {
        large!(S, {
            let (v, w) = (velocity.linear, velocity.angular);
            let beta = (self.com * self.mass).cross(w);
            let momentum = v * self.mass - beta;
            let spin = self.com.cross_add(momentum, self.rotational.mul_vec(w));
            Force::new(w.cross(momentum), w.cross_add(spin, beta.cross(v)))
        })
    }

    /// `Y α + ν ×* (Y ν)`: the force that the body needs to move with velocity ν and spatial
    /// acceleration α.
    #[inline(always)]
    pub fn newton_euler(&self, velocity: &Motion<S>, acceleration: &Motion<S>) -> Force<S> {
        self.mul_motion(acceleration) + self.velocity_force(velocity)
    }

    /// The kinetic energy ½ νᵀ Y ν, in J.
    #[inline(always)]
    pub fn kinetic_energy(&self, velocity: &Motion<S>) -> S {
        self.mul_motion(velocity).dot(velocity) * S::constant(0.5)
    }

    /// The same inertia expressed in the frame that `placement` places, when this one is given
    /// where it is placed.
    #[inline(always)]
    pub fn inverse_transformed_by(&self, placement: &Se3<S>) -> Self {
        large!(S, {
            Self::new(
                self.mass,
                placement.inverse_act_point(self.com),
                self.rotational
                    .conjugated_by(&placement.rotation.transpose())
                    .mirrored(),
            )
        })
    }

    /// The inertia of both bodies together, in the same frame.
    ///
    /// Where the total mass is zero there is no centre of mass; the zero vector stands for it, and
    /// the rotational inertias are added.
    #[inline(always)]
    pub fn sum(&self, other: &Self) -> Self {
        large!(S, {
            let mass = self.mass + other.mass;
            let (zero, one) = (S::zero(), S::one());
            let massive = zero.less(mass.abs());
            let inverse = S::select(massive, S::select(massive, mass, one).recip(), zero);
            let (ours, theirs) = (self.mass * inverse, other.mass * inverse);
            let apart = other.com - self.com;
            Self::new(
                mass,
                self.com.mul_add(ours, other.com * theirs),
                self.rotational
                    + other.rotational
                    + parallel_axis(apart * (ours * other.mass), apart),
            )
        })
    }

    /// The inertia with the given dynamic parameters. Where the mass is zero there is no centre of
    /// mass: the zero vector stands for it, and a first moment, which no body without mass has, is
    /// dropped.
    #[inline(always)]
    pub fn from_parameters(parameters: &DynamicParameters<S>) -> Self {
        let (mass, first_moment) = (parameters.mass, parameters.first_moment);
        let (zero, one) = (S::zero(), S::one());
        let massive = zero.less(mass.abs());
        let inverse = S::select(massive, S::select(massive, mass, one).recip(), zero);
        let com = first_moment * inverse;
        Self::new(
            mass,
            com,
            parameters.second_moment - parallel_axis(first_moment, com),
        )
    }

    /// The ten dynamic parameters: mass, first moment, and second moment about the origin.
    #[inline(always)]
    pub fn to_parameters(&self) -> DynamicParameters<S> {
        let first_moment = self.com * self.mass;
        DynamicParameters {
            mass: self.mass,
            first_moment,
            second_moment: self.rotational + parallel_axis(first_moment, self.com),
        }
    }
}

impl<S: Scalar> Add for Inertia<S> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.sum(&other)
    }
}

#[inline(always)]
fn twice<S: Scalar>(x: S) -> S {
    x + x
}

/// `−a× b×` for two parallel vectors: the second moment of a point.
#[inline(always)]
fn parallel_axis<S: Scalar>(a: Vec3<S>, b: Vec3<S>) -> Sym3<S> {
    Sym3::new(
        a.y.mul_add(b.y, a.z * b.z),
        -(a.x * b.y),
        -(a.x * b.z),
        a.x.mul_add(b.x, a.z * b.z),
        -(a.y * b.z),
        a.x.mul_add(b.x, a.y * b.y),
    )
}

/// The ten parameters in which the dynamics of a rigid body is linear: mass, first moment and
/// second moment about the origin of the frame.
///
/// Sums of bodies are sums of parameters, with no division by the mass, so that massless bodies are
/// no special case; therefore the kernels use this form.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct DynamicParameters<S: Scalar> {
    /// Mass m, in kg.
    pub mass: S,
    /// First moment m c, in kg·m.
    pub first_moment: Vec3<S>,
    /// Rotational inertia about the origin of the frame, in kg·m².
    pub second_moment: Sym3<S>,
}

impl<S: Scalar> DynamicParameters<S> {
    /// No inertia at all.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            mass: S::zero(),
            first_moment: Vec3::zero(),
            second_moment: Sym3::zero(),
        }
    }

    /// Parameters that are constants.
    #[inline(always)]
    pub fn constant(p: &DynamicParameters<f64>) -> Self {
        Self {
            mass: S::constant(p.mass),
            first_moment: Vec3::constant(p.first_moment),
            second_moment: Sym3::constant(&p.second_moment),
        }
    }

    /// The momentum `Y ν` of the body moving with velocity ν.
    #[inline(always)]
    pub fn mul_motion(&self, velocity: &Motion<S>) -> Force<S> {
        large!(S, {
            let (v, w) = (velocity.linear, velocity.angular);
            Force::new(
                w.cross_add(self.first_moment, v * self.mass),
                self.second_moment
                    .mul_vec_add(w, self.first_moment.cross(v)),
            )
        })
    }

    /// `Y α + ν ×* (Y ν)`: the force that the body needs to move with velocity ν and spatial
    /// acceleration α.
    ///
    /// With the acceleration a = α.linear + ω × v of the material point at the origin, the force is
    /// m a + α × h + ω × (ω × h) and the moment J α + ω × (J ω) + h × a.
    #[inline(always)]
    pub fn newton_euler(&self, velocity: &Motion<S>, acceleration: &Motion<S>) -> Force<S> {
        large!(S, {
            let (w, dw) = (velocity.angular, acceleration.angular);
            let a = w.cross_add(velocity.linear, acceleration.linear);
            let h = self.first_moment;
            let turning = w.cross_add(w.cross(h), dw.cross(h));
            let spin = w.cross_add(self.second_moment.mul_vec(w), h.cross(a));
            Force::new(
                a.mul_add(self.mass, turning),
                self.second_moment.mul_vec_add(dw, spin),
            )
        })
    }

    /// `ν ×* (Y ν)`: the force that the velocity alone calls for.
    #[inline(always)]
    pub fn velocity_force(&self, velocity: &Motion<S>) -> Force<S> {
        velocity.cross_force(&self.mul_motion(velocity))
    }

    /// The time derivative of the parameters in a frame at rest, for a body that moves with
    /// velocity ν.
    ///
    /// The mass is constant, the first moment changes by the linear momentum m v + ω × h, and the
    /// second moment by ω× J − J ω× − v× h× − h× v×. As the parameters of a 6×6 matrix this is ν×*
    /// Y − Y ν×.
    #[inline(always)]
    pub fn rate(&self, velocity: &Motion<S>) -> Self {
        large!(S, {
            let (v, w, h) = (velocity.linear, velocity.angular, self.first_moment);
            let j = self.second_moment.columns();
            let turning = Mat3::from_columns(w.cross(j.x), w.cross(j.y), w.cross(j.z));
            let (xx, yy, zz) = (v.x * h.x, v.y * h.y, v.z * h.z);
            let second_moment = Sym3::new(
                twice(turning.x.x + (yy + zz)),
                turning.x.y + turning.y.x - v.x.mul_add(h.y, v.y * h.x),
                turning.x.z + turning.z.x - v.x.mul_add(h.z, v.z * h.x),
                twice(turning.y.y + (xx + zz)),
                turning.y.z + turning.z.y - v.y.mul_add(h.z, v.z * h.y),
                twice(turning.z.z + (xx + yy)),
            );
            Self {
                mass: S::zero(),
                first_moment: w.cross_add(h, v * self.mass),
                second_moment,
            }
        })
    }

    /// The same parameters expressed in the frame in which `placement` places this one.
    #[inline(always)]
    pub fn transformed_by(&self, placement: &Se3<S>) -> Self {
        large!(S, {
            let p = placement.translation;
            let rotated = placement.rotation.mul_vec(self.first_moment);
            let first_moment = p.mul_add(self.mass, rotated);
            let w = rotated + first_moment;
            let turned = self.second_moment.conjugated_by(&placement.rotation);
            let second_moment = turned.displaced(p, w);
            Self {
                mass: self.mass,
                first_moment,
                second_moment,
            }
        })
    }

    /// The same parameters expressed in the frame that `placement` places, when these are given
    /// where it is placed.
    #[inline(always)]
    pub fn inverse_transformed_by(&self, placement: &Se3<S>) -> Self {
        self.transformed_by(&placement.inverse())
    }

    /// The same inertia as a symmetric 6×6 matrix.
    #[inline(always)]
    pub fn to_articulated(&self) -> ArticulatedInertia<S> {
        ArticulatedInertia {
            linear: Sym3::scalar(self.mass),
            coupling: Mat3::skew(-self.first_moment),
            angular: self.second_moment,
        }
    }
}

// SAFETY: made of vectors and scalars, for which `InPlaceOf` promises the same layout, in C's
// order.
#[allow(unsafe_code)]
unsafe impl<S: Scalar> SeenAs for DynamicParameters<S> {
    type As<F: Form> = DynamicParameters<F::Of<S>>;
}
