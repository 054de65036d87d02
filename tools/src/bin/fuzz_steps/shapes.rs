//! Random shapes, and bodies of them.

use crate::Outcome;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_geometry::{
    Capsule, Cone, Cuboid, Cylinder, Distribution, Ellipsoid, Polytope, Shape, Sphere,
};
use rand::{Rng, RngExt};
use std::sync::Arc;

/// A shape around its centre of mass.
pub struct Solid {
    pub shape: Shape,
    /// Where the shape's frame is, with the centre of mass at the origin.
    pub placement: Se3<f64>,
    pub inertia: Inertia<f64>,
}

/// A random solid; its extent is between 0.3 and 2 times a size, in m.
pub fn solid(rng: &mut impl Rng, size: f64) -> Outcome<Solid> {
    let mut length = || size * rng.random_range(0.3..1.0);
    let (a, b, c) = (length(), length(), length());
    let shape = match rng.random_range(0..8) {
        0 => Shape::from(Sphere::new(0.5 * a)),
        1 => Shape::from(Cuboid::new(Vec3::new(a, a, a))),
        2 => Shape::from(Cuboid::new(Vec3::new(a, b, c))),
        3 => Shape::from(Cylinder::new(0.5 * a, b)),
        4 => Shape::from(Capsule::new(0.3 * a, b)),
        5 => Shape::from(Cone::new(0.5 * a, b)),
        6 => Shape::from(Ellipsoid::new(Vec3::new(a, b, c) * 0.5)),
        _ => Shape::Polytope(Arc::new(hull(rng, size)?)),
    };
    let density = rng.random_range(1.0_f64..8.0).exp();
    let properties = shape.mass_properties(Distribution::Solid)?;
    let whole = properties.with_density(density);
    Ok(Solid {
        shape,
        placement: Se3::from_translation(-whole.com),
        inertia: Inertia {
            com: Vec3::zero(),
            ..whole
        },
    })
}

/// The hull of some points.
fn hull(rng: &mut impl Rng, size: f64) -> Outcome<Polytope> {
    loop {
        let count = rng.random_range(6..20);
        let mut number = || 0.5 * size * rng.random_range(-1.0..1.0);
        let points: Vec<_> = (0..count)
            .map(|_| Vec3::new(number(), number(), number()))
            .collect();
        let Ok(hull) = Polytope::from_points(points) else {
            continue;
        };
        // A hull that is nearly flat has an inertia that no solid has.
        let volume = hull.mass_properties(Distribution::Solid)?.with_density(1.0);
        if volume.mass > 0.03 * size.powi(3) {
            return Ok(hull);
        }
    }
}
