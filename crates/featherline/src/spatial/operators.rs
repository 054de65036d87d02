//! Operators of spatial types that act on each part by itself.

use super::{ArticulatedInertia, DynamicParameters, Force, Inertia, Mat3, Motion, Vec3};
use crate::scalar::Scalar;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

macro_rules! sums {
    ($($type:ident { $($part:ident),+ })+) => {$(
        impl<S: Scalar> Add for $type<S> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { $($part: self.$part + o.$part),+ }
            }
        }
    )+};
}

sums! {
    Force { linear, angular }
    Motion { linear, angular }
    Mat3 { x, y, z }
    ArticulatedInertia { linear, coupling, angular }
    DynamicParameters { mass, first_moment, second_moment }
}

macro_rules! multiples {
    ($($type:ident { $($part:ident),+ })+) => {$(
        impl<S: Scalar> Sub for $type<S> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { $($part: self.$part - o.$part),+ }
            }
        }

        impl<S: Scalar> Neg for $type<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { $($part: -self.$part),+ }
            }
        }

        impl<S: Scalar> Mul<S> for $type<S> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, factor: S) -> Self {
                Self { $($part: self.$part * factor),+ }
            }
        }
    )+};
}

multiples! {
    Force { linear, angular }
    Motion { linear, angular }
    Mat3 { x, y, z }
}

macro_rules! add_in_place {
    ($($type:ident)+) => {$(
        impl<S: Scalar> AddAssign for $type<S> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }
    )+};
}

add_in_place!(Vec3 Force Motion Inertia ArticulatedInertia DynamicParameters);
