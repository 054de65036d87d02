//! Inertias of homogeneous solids, with the frame at their centre.

use super::{Inertia, Sym3, Vec3};
use crate::scalar::Scalar;

impl<S: Scalar> Inertia<S> {
    /// A mass, in kg, at the point `position`, in m.
    #[inline(always)]
    pub fn point_mass(mass: S, position: Vec3<S>) -> Self {
        Self::new(mass, position, Sym3::zero())
    }

    /// A solid sphere: (2/5) m r² about every axis.
    ///
    /// ```
    /// use featherline::spatial::Inertia;
    ///
    /// let ball = Inertia::sphere(10.0, 0.5);
    /// assert_eq!(ball.rotational.xx(), 1.0);
    /// ```
    #[inline(always)]
    pub fn sphere(mass: S, radius: S) -> Self {
        Self::ellipsoid(mass, Vec3::new(radius, radius, radius))
    }

    /// A solid ellipsoid with the given semi-axes along x, y, z: m (b² + c²)/5 about x, and so on.
    #[inline(always)]
    pub fn ellipsoid(mass: S, semi_axes: Vec3<S>) -> Self {
        Self::from_second_moments(mass, semi_axes, 0.2)
    }

    /// A solid box with the given whole side lengths along x, y, z: m (b² + c²)/12 about x, and so
    /// on.
    #[inline(always)]
    pub fn cuboid(mass: S, sides: Vec3<S>) -> Self {
        Self::from_second_moments(mass, sides, 1.0 / 12.0)
    }

    /// A solid circular cylinder of the given length along z: m r²/2 about z, m (r²/4 + l²/12)
    /// about x and y.
    #[inline(always)]
    pub fn cylinder(mass: S, radius: S, length: S) -> Self {
        let along = mass * radius * radius * S::constant(0.5);
        let across =
            (mass * length * length).mul_add(S::constant(1.0 / 12.0), along * S::constant(0.5));
        Self::centred(mass, Vec3::new(across, across, along))
    }

    /// A solid capsule along z: a cylinder of the given length between two half balls of the same
    /// radius, so that it is `length` + 2 `radius` long. A capsule without extent is a point.
    ///
    /// The half balls, each with its centre of mass 3 r/8 from the flat side, share the mass with
    /// the cylinder in the ratio of the volumes, (4/3) r to l.
    #[inline(always)]
    pub fn capsule(mass: S, radius: S, length: S) -> Self {
        let ends = radius * S::constant(4.0 / 3.0);
        let whole = ends + length;
        // Nothing shares its mass in any ratio.
        let whole = S::select(S::zero().less(whole.abs()), whole, S::one());
        let (tube, caps) = (
            Self::cylinder(mass * (length / whole), radius, length),
            Self::sphere(mass * (ends / whole), radius),
        );
        // Pulling the two halves apart by l adds m (l²/4 + 2 (l/2)(3 r/8)) across the axis.
        let shift =
            length.mul_add(S::constant(0.25), radius * S::constant(0.375)) * length * caps.mass;
        let across = tube.rotational.xx() + caps.rotational.xx() + shift;
        let along = tube.rotational.zz() + caps.rotational.zz();
        Self::centred(mass, Vec3::new(across, across, along))
    }

    #[inline(always)]
    fn centred(mass: S, moments: Vec3<S>) -> Self {
        Self::new(mass, Vec3::zero(), Sym3::diagonal(moments))
    }

    /// The inertia whose second moment of mass along each axis is `factor` m `size`².
    #[inline(always)]
    fn from_second_moments(mass: S, size: Vec3<S>, factor: f64) -> Self {
        let scale = mass * S::constant(factor);
        let (x, y, z) = (size.x * size.x, size.y * size.y, size.z * size.z);
        Self::centred(mass, Vec3::new(y + z, x + z, x + y) * scale)
    }
}
