//! Cones.

use super::{check, round_about_z, support_of_circle};
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::Vec3;
use std::f64::consts::PI;

/// A circular cone along z: its base at z = −length/2, its apex at z = length/2.
///
/// The origin is half way up, as in SDF, and not at the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The radius of the base, in m.
    pub radius: f64,
    /// The distance from base to apex, in m.
    pub length: f64,
}

impl Cone {
    /// The cone of a radius of its base and a length, in m.
    pub fn new(radius: f64, length: f64) -> Self {
        Self { radius, length }
    }

    /// Volume π r² l/3 or surface π r (r + s), with the slant height s = √(r² + l²), and inertia.
    ///
    /// The solid has its centre l/4 above the base, and moments (3/10) m r² along z and
    /// m ((3/20) r² + (3/80) l²) across. As a shell the slanted surface, π r s, has its centre l/3
    /// above the base, and moments m r²/2 and m (r²/4 + l²/18); the disc, π r², has m r²/2 and
    /// m r²/4.
    ///
    /// # Errors
    ///
    /// A size that is negative or not finite; no volume or no surface.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let (r, l) = (self.radius, self.length);
        check(&[("the radius", r), ("the length", l)])?;
        let base = -l / 2.0;
        let unit = match distribution {
            Distribution::Solid => {
                let m = PI * r * r * l / 3.0;
                let across = m * (3.0 / 20.0 * r * r + 3.0 / 80.0 * l * l);
                round_about_z(m, base + l / 4.0, across, 0.3 * m * r * r)
            }
            Distribution::Shell => {
                let (slanted, disc) = (PI * r * r.hypot(l), PI * r * r);
                let across = slanted * (r * r / 4.0 + l * l / 18.0);
                let sides = round_about_z(slanted, base + l / 3.0, across, slanted * r * r / 2.0);
                sides + round_about_z(disc, base, disc * r * r / 4.0, disc * r * r / 2.0)
            }
        };
        MassProperties::checked(distribution, unit)
    }

    /// The smallest box along the axes around the cone.
    pub fn aabb(&self) -> Aabb {
        Aabb::centered(Vec3::new(self.radius, self.radius, self.length / 2.0))
    }

    /// A point of the cone that is farthest in a direction: of the base's rim, or the apex.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let apex = Vec3::new(0.0, 0.0, self.length / 2.0);
        let rim = support_of_circle(self.radius, direction) - apex;
        match direction.dot(apex) > direction.dot(rim) {
            true => apex,
            false => rim,
        }
    }
}
