//! Boxes.

use super::check;
use crate::aabb::Aabb;
use crate::mass::{Distribution, MassError, MassProperties};
use featherline::spatial::{Inertia, Sym3, Vec3};

/// A box along the axes, centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// The whole side lengths along x, y and z, in m, as URDF and SDF state them.
    pub sides: Vec3<f64>,
}

impl Cuboid {
    /// The box of whole side lengths, in m.
    pub fn new(sides: Vec3<f64>) -> Self {
        Self { sides }
    }

    /// The box of half side lengths, in m, as MJCF states them.
    pub fn from_half_sides(half: Vec3<f64>) -> Self {
        Self::new(half * 2.0)
    }

    /// Volume a b c or surface 2 (a b + b c + c a), and inertia.
    ///
    /// As a shell the second moment of surface along x is 2 b c (a/2)² of the two faces across x,
    /// and a²/12 times the surface of the other four.
    ///
    /// # Errors
    ///
    /// A size that is negative or not finite; no volume or no surface.
    pub fn mass_properties(&self, distribution: Distribution) -> Result<MassProperties, MassError> {
        let (a, b, c) = (self.sides.x, self.sides.y, self.sides.z);
        check(&[("side x", a), ("side y", b), ("side z", c)])?;
        let unit = match distribution {
            Distribution::Solid => Inertia::cuboid(a * b * c, self.sides),
            Distribution::Shell => {
                let (yz, zx, xy) = (2.0 * b * c, 2.0 * c * a, 2.0 * a * b);
                let xx = a * a * (yz / 4.0 + (zx + xy) / 12.0);
                let yy = b * b * (zx / 4.0 + (xy + yz) / 12.0);
                let zz = c * c * (xy / 4.0 + (yz + zx) / 12.0);
                let moments = Vec3::new(yy + zz, zz + xx, xx + yy);
                Inertia::new(yz + zx + xy, Vec3::zero(), Sym3::diagonal(moments))
            }
        };
        MassProperties::checked(distribution, unit)
    }

    /// The box itself.
    pub fn aabb(&self) -> Aabb {
        Aabb::centered(self.sides * 0.5)
    }

    /// The corner that is farthest in a direction.
    pub fn support(&self, direction: Vec3<f64>) -> Vec3<f64> {
        let half = self.sides * 0.5;
        Vec3::new(
            half.x.copysign(direction.x),
            half.y.copysign(direction.y),
            half.z.copysign(direction.z),
        )
    }
}
