//! Cylinders.

use super::{check, round_about_z, support_of_circle};
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::{Inertia, Vec3};
use std::f64::consts::PI;

/// A circular cylinder along z, centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// The radius, in m.
    pub radius: f64,
    /// The whole length, in m.
    pub length: f64,
}

impl Cylinder {
    /// The cylinder of a radius and a whole length, in m.
    pub fn new(radius: f64, length: f64) -> Self {
        Self { radius, length }
    }

    /// The cylinder of a radius and half the length, in m, as MJCF states it.
    pub fn from_half_length(radius: f64, half_length: f64) -> Self {
        Self::new(radius, 2.0 * half_length)
    }

    /// Volume π r² l or surface 2 π r (l + r), and inertia.
    ///
    /// As a shell it has its two discs: the tube, of surface 2 π r l, has the moment m r² along z
    /// and m (r²/2 + l²/12) across; the discs, of surface 2 π r², have m r²/2 and m (r²/4 + l²/4).
    ///
    /// # Errors
    ///
    /// A size that is negative or not finite; no volume or no surface.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let (r, l) = (self.radius, self.length);
        check(&[("the radius", r), ("the length", l)])?;
        let unit = match distribution {
            Distribution::Solid => Inertia::cylinder(PI * r * r * l, r, l),
            Distribution::Shell => {
                let (tube, discs) = (2.0 * PI * r * l, 2.0 * PI * r * r);
                let along = (tube + discs / 2.0) * r * r;
                let across = tube * (r * r / 2.0 + l * l / 12.0) + discs * (r * r + l * l) / 4.0;
                round_about_z(tube + discs, 0.0, across, along)
            }
        };
        MassProperties::checked(distribution, unit)
    }

    /// The smallest box along the axes around the cylinder.
    pub fn aabb(&self) -> Aabb {
        Aabb::centered(Vec3::new(self.radius, self.radius, self.length / 2.0))
    }

    /// A point of the cylinder that is farthest in a direction.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let end = Vec3::new(0.0, 0.0, (self.length / 2.0).copysign(direction.z));
        end + support_of_circle(self.radius, direction)
    }
}
