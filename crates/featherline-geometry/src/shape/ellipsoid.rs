//! Ellipsoids.

use super::check;
use super::ellipsoid_surface::surface;
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::{Inertia, Vec3};
use std::f64::consts::PI;

/// An ellipsoid about the origin, with its semi-axes along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// The semi-axes along x, y and z, in m.
    pub semi_axes: Vec3<f64>,
}

impl Ellipsoid {
    /// The ellipsoid of semi-axes along x, y and z, in m.
    pub fn new(semi_axes: Vec3<f64>) -> Self {
        Self { semi_axes }
    }

    /// Volume (4/3) π a b c with moments m (b² + c²)/5 about x and so on, or surface and its
    /// moments.
    ///
    /// Surface and moments of the shell have no elementary formula: one angle is integrated in
    /// closed form, the other by the trapezoidal rule, to rounding for semi-axes that differ by
    /// less than 10⁶. MuJoCo approximates both, and differs by parts in a hundred.
    ///
    /// # Errors
    ///
    /// A semi-axis that is not positive and finite.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let (a, b, c) = (self.semi_axes.x, self.semi_axes.y, self.semi_axes.z);
        check(&[("semi-axis x", a), ("semi-axis y", b), ("semi-axis z", c)])?;
        let volume = 4.0 / 3.0 * PI * a * b * c;
        if volume == 0.0 {
            return Err(MassError::Empty { distribution });
        }
        let unit = match distribution {
            Distribution::Solid => Inertia::ellipsoid(volume, self.semi_axes),
            Distribution::Shell => surface([a, b, c]),
        };
        MassProperties::checked(distribution, unit)
    }

    /// The smallest box along the axes around the ellipsoid.
    pub fn aabb(&self) -> Aabb {
        Aabb::centered(self.semi_axes)
    }

    /// The point of the ellipsoid that is farthest in a direction: D² d/|D d| with the semi-axes D;
    /// the centre for the zero vector.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let scale = |v: Vec3<f64>| {
            let d = self.semi_axes;
            Vec3::new(d.x * v.x, d.y * v.y, d.z * v.z)
        };
        let scaled = scale(direction);
        let length = scaled.norm();
        match length > 0.0 {
            true => scale(scaled) * (1.0 / length),
            false => Vec3::zero(),
        }
    }
}
