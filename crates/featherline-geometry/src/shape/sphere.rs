//! Balls.

use super::check;
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::{Inertia, Sym3, Vec3};
use std::f64::consts::PI;

/// A ball about the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// The radius, in m.
    pub radius: f64,
}

impl Sphere {
    /// The ball of a radius, in m.
    pub fn new(radius: f64) -> Self {
        Self { radius }
    }

    /// Volume (4/3) π r³ with moments (2/5) m r², or surface 4 π r² with moments (2/3) m r².
    ///
    /// # Errors
    ///
    /// A radius that is not positive and finite.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let r = self.radius;
        check(&[("the radius", r)])?;
        let unit = match distribution {
            Distribution::Solid => Inertia::sphere(4.0 / 3.0 * PI * r * r * r, r),
            Distribution::Shell => {
                let area = 4.0 * PI * r * r;
                let moment = 2.0 / 3.0 * area * r * r;
                Inertia::new(area, Vec3::zero(), Sym3::scalar(moment))
            }
        };
        MassProperties::checked(distribution, unit)
    }

    /// The smallest box along the axes around the ball.
    pub fn aabb(&self) -> Aabb {
        Aabb::centered(Vec3::new(self.radius, self.radius, self.radius))
    }

    /// The point of the ball that is farthest in a direction; the centre for the zero vector.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let length = direction.norm();
        match length > 0.0 {
            true => direction * (self.radius / length),
            false => Vec3::zero(),
        }
    }
}
