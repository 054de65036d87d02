//! Capsules.

use super::{Sphere, check, round_about_z};
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::{Inertia, Vec3};
use std::f64::consts::PI;

/// A cylinder along z, centred at the origin, between two half balls of the same radius.
///
/// It is `length` + 2 `radius` long. URDF and MJCF measure the cylinder too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The radius, in m.
    pub radius: f64,
    /// The length of the cylinder without the half balls, in m.
    pub length: f64,
}

impl Capsule {
    /// The capsule of a radius and a length of its cylinder, in m.
    pub fn new(radius: f64, length: f64) -> Self {
        Self { radius, length }
    }

    /// The capsule of a radius and half the length of its cylinder, in m, as MJCF states it.
    pub fn from_half_length(radius: f64, half_length: f64) -> Self {
        Self::new(radius, 2.0 * half_length)
    }

    /// Volume π r² (l + 4 r/3) or surface 2 π r (l + 2 r), and inertia.
    ///
    /// As a shell the tube, of surface 2 π r l, has the moment m r² along z and m (r²/2 + l²/12)
    /// across. The two half spheres, of surface 4 π r², each with its centre r/2 from its rim, have
    /// (2/3) m r² along z and m ((2/3) r² + l²/4 + l r/2) across.
    ///
    /// # Errors
    ///
    /// A size that is negative or not finite; no volume or no surface.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let (r, l) = (self.radius, self.length);
        check(&[("the radius", r), ("the length", l)])?;
        let unit = match distribution {
            Distribution::Solid => Inertia::capsule(PI * r * r * (l + 4.0 / 3.0 * r), r, l),
            Distribution::Shell => {
                let (tube, ends) = (2.0 * PI * r * l, 4.0 * PI * r * r);
                let ball = 2.0 / 3.0 * r * r;
                let along = tube * r * r + ends * ball;
                let across =
                    tube * (r * r / 2.0 + l * l / 12.0) + ends * (ball + l * l / 4.0 + l * r / 2.0);
                round_about_z(tube + ends, 0.0, across, along)
            }
        };
        MassProperties::checked(distribution, unit)
    }

    /// The smallest box along the axes around the capsule.
    pub fn aabb(&self) -> Aabb {
        let (r, l) = (self.radius, self.length);
        Aabb::centered(Vec3::new(r, r, r + l / 2.0))
    }

    /// The point of the capsule that is farthest in a direction.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let end = Vec3::new(0.0, 0.0, (self.length / 2.0).copysign(direction.z));
        end + Sphere::new(self.radius).support(direction)
    }
}
