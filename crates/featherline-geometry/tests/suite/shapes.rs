//! Shapes beside their own triangles, closed forms, and MuJoCo.

use crate::common::{difference, revolved, v};
use featherline::spatial::{Inertia, Sym3, Vec3};
use featherline_geometry::{
    Capsule, Cone, Cuboid, Cylinder, Distribution, Ellipsoid, MassError, Mesh, MeshInertia, Plane,
    Polytope, Shape, Sphere,
};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Points of a half circle of a radius about a height, from an angle to another.
fn arc(r: f64, z: f64, from: f64, to: f64, n: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..=n).map(move |k| {
        let angle = from + (to - from) * k as f64 / n as f64;
        let pole = angle.abs() == FRAC_PI_2;
        (
            if pole { 0.0 } else { r * angle.cos() },
            z + r * angle.sin(),
        )
    })
}

/// Each shape, and its surface in triangles, the finer the greater n.
fn tessellated(n: usize) -> Vec<(Shape, Mesh)> {
    let ball: Vec<_> = arc(1.0, 0.0, -FRAC_PI_2, FRAC_PI_2, n).collect();
    let ball = revolved(&ball, 2 * n);
    let ends = arc(0.1, -0.15, -FRAC_PI_2, 0.0, n).chain(arc(0.1, 0.15, 0.0, FRAC_PI_2, n));
    let capsule: Vec<_> = ends.collect();
    let (r, h) = (0.2, 0.35);
    let scaled = |x, y, z| ball.clone().scaled(v(x, y, z)).unwrap();
    let half = v(0.1, 0.2, 0.4);
    vec![
        (Sphere::new(0.3).into(), scaled(0.3, 0.3, 0.3)),
        (
            Ellipsoid::new(v(0.3, 0.2, 0.1)).into(),
            scaled(0.3, 0.2, 0.1),
        ),
        (
            Ellipsoid::new(v(0.1, 0.5, 0.5)).into(),
            scaled(0.1, 0.5, 0.5),
        ),
        (
            Ellipsoid::new(v(0.4, 0.1, 0.101)).into(),
            scaled(0.4, 0.1, 0.101),
        ),
        (Capsule::new(0.1, 0.3).into(), revolved(&capsule, 2 * n)),
        (
            Cylinder::from_half_length(r, h).into(),
            revolved(&[(0.0, -h), (r, -h), (r, h), (0.0, h)], 2 * n),
        ),
        (
            Cone::new(r, 2.0 * h).into(),
            revolved(&[(0.0, -h), (r, -h), (0.0, h)], 2 * n),
        ),
        (
            Cuboid::from_half_sides(half).into(),
            crate::common::box_mesh(-half, half),
        ),
    ]
}

/// Inscribed triangles are wrong by the square of their size: twice as fine, a quarter.
#[test]
fn shapes_are_the_limit_of_their_triangles() {
    for (distribution, how) in [
        (Distribution::Solid, MeshInertia::Exact),
        (Distribution::Shell, MeshInertia::Shell),
    ] {
        for ((shape, coarse), (_, fine)) in tessellated(24).into_iter().zip(tessellated(48)) {
            let exact = shape.mass_properties(distribution).unwrap().unit;
            let error = |mesh: &Mesh| difference(&mesh.mass_properties(how).unwrap().unit, &exact);
            let (coarse, fine) = (error(&coarse), error(&fine));
            assert!(coarse < 0.02, "{shape:?} {distribution:?}: {coarse:e}");
            // 1e-13 is rounding of a few thousand terms; a box has no other error.
            assert!(
                fine < coarse / 3.8 || fine < 1e-13,
                "{shape:?} {distribution:?}: {coarse:e} {fine:e}"
            );
        }
    }
}

#[test]
fn the_box_and_the_support_of_a_shape_are_those_of_its_triangles() {
    for (shape, mesh) in tessellated(40) {
        let (ours, theirs) = (shape.aabb().unwrap(), mesh.aabb().unwrap());
        // Triangles inscribed at 40 per half circle miss the extreme by 1 − cos(π/80) at most.
        let miss = 1e-3 * ours.sides().norm();
        assert!((ours.min - theirs.min).norm() < miss, "{shape:?}");
        assert!((ours.max - theirs.max).norm() < miss, "{shape:?}");
        for i in 0..50 {
            let (a, z) = (f64::from(i) * 0.7, f64::from(i) / 25.0 - 0.98);
            let direction = v(a.cos(), a.sin(), z) * 3.0;
            let reached = shape.support(direction).unwrap().dot(direction);
            let dots = mesh.vertices().iter().map(|p| p.dot(direction));
            let farthest = dots.fold(f64::NEG_INFINITY, f64::max);
            assert!(reached >= farthest - 1e-12, "{shape:?} {direction:?}");
            assert!(reached <= farthest + 3.0 * miss, "{shape:?} {direction:?}");
        }
        assert!(shape.support(Vec3::zero()).unwrap().is_finite());
    }
}

/// Spheroids have closed forms: 2 π a² (1 + (c/a) asin(e)/e) for c > a with e² = 1 − a²/c², and
/// 2 π a² (1 + (1 − e²)/e artanh e) for c < a with e² = 1 − c²/a².
#[test]
fn surfaces_of_spheroids_are_those_of_the_closed_forms() {
    for c in [1e-3, 0.05, 0.4, 0.8, 1.0 - 1e-9, 1.3, 4.0, 60.0, 1e4] {
        let surface = match c < 1.0 {
            true => {
                let e = f64::sqrt((1.0 - c) * (1.0 + c));
                TAU * (1.0 + c * c / e * e.atanh())
            }
            false => {
                let e = ((c - 1.0) * (c + 1.0)).sqrt() / c;
                TAU * (1.0 + c * e.asin() / e)
            }
        };
        for axes in [v(1.0, 1.0, c), v(1.0, c, 1.0), v(c, 1.0, 1.0)] {
            let ours = Ellipsoid::new(axes).mass_properties(Distribution::Shell);
            let ours = ours.unwrap().measure();
            // atanh of e near 1 loses digits of the closed form at c = 1e-3.
            assert!(
                (ours / surface - 1.0).abs() < 1e-12,
                "{c}: {ours} {surface}"
            );
        }
    }
}

/// The identity ∫ |x|² dA of three axes: equal to the trace by definition; and the ball as limit.
#[test]
fn an_ellipsoid_of_equal_axes_is_a_ball() {
    for distribution in [Distribution::Solid, Distribution::Shell] {
        let ball = Sphere::new(0.7).mass_properties(distribution).unwrap();
        let round = Ellipsoid::new(v(0.7, 0.7, 0.7)).mass_properties(distribution);
        assert!(difference(&round.unwrap().unit, &ball.unit) < 1e-14);
    }
}

/// Numbers of MuJoCo 4.0.0 (`body_mass`, `body_inertia` of one geom of density 1000, with
/// `shellinertia`), printed in full.
#[test]
fn shapes_agree_with_mujoco() {
    use Distribution::{Shell, Solid};
    let box_ = Shape::from(Cuboid::from_half_sides(v(0.3, 0.2, 0.1)));
    let capsule = Shape::from(Capsule::from_half_length(0.1, 0.2));
    let cylinder = Shape::from(Cylinder::from_half_length(0.1, 0.2));
    let ball = Shape::from(Sphere::new(0.3));
    let ellipsoid = Shape::from(Ellipsoid::new(v(0.3, 0.2, 0.1)));
    #[rustfmt::skip]
    let cases = [
        (&box_, Solid, 48.0, [0.8000000000000002, 1.6000000000000003, 2.08]),
        (&box_, Shell, 880.0, [24.266666666666673, 42.13333333333333, 54.13333333333334]),
        (&capsule, Solid, 16.75516081914557, [0.44610615680975085, 0.44610615680975085, 0.07958701389094144]),
        (&capsule, Shell, 376.9911184307752, [12.985249634837814, 12.985249634837814, 3.351032163829113]),
        (&cylinder, Solid, 12.566370614359174, [0.19896753472735362, 0.19896753472735362, 0.06283185307179588]),
        (&cylinder, Shell, 314.1592653589793, [7.278022980816355, 7.278022980816355, 2.827433388230814]),
        (&ball, Solid, 113.09733552923255, [4.071504079052372, 4.071504079052372, 4.071504079052372]),
        (&ball, Shell, 1130.9733552923256, [67.85840131753953, 67.85840131753953, 67.85840131753953]),
        (&ellipsoid, Solid, 25.13274122871835, [0.2513274122871835, 0.5026548245743669, 0.6534512719466771]),
    ];
    for (shape, distribution, mass, moments) in cases {
        let [x, y, z] = moments;
        let theirs = Inertia::new(mass, Vec3::zero(), Sym3::diagonal(v(x, y, z)));
        let ours = shape.mass_properties(distribution).unwrap();
        let off = difference(&ours.with_density(1000.0), &theirs);
        assert!(off < 1e-14, "{shape:?} {distribution:?}: {off:e}");
    }
    // MuJoCo approximates this one: the surface by Thomsen's formula, the moments by a layer.
    let theirs = Inertia::new(
        489.7193333371731,
        Vec3::zero(),
        Sym3::diagonal(v(8.10268093686318, 14.068366576451808, 18.075174882658757)),
    );
    let ours = ellipsoid.mass_properties(Shell).unwrap();
    assert!(difference(&ours.with_density(1000.0), &theirs) < 0.1);
}

#[test]
fn what_has_no_mass_is_refused() {
    use Distribution::{Shell, Solid};
    let plane = Shape::from(Plane);
    assert_eq!(plane.mass_properties(Solid), Err(MassError::Unbounded));
    assert_eq!(plane.aabb(), None);
    let plate = Cuboid::new(v(1.0, 1.0, 0.0));
    assert_eq!(
        plate.mass_properties(Solid),
        Err(MassError::Empty {
            distribution: Solid
        })
    );
    assert_eq!(plate.mass_properties(Shell).unwrap().measure(), 2.0);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = Capsule::new(bad, 1.0).mass_properties(Solid);
        assert!(matches!(refused, Err(MassError::BadSize { .. })));
    }
    let huge = Sphere::new(1e200).mass_properties(Solid);
    assert_eq!(huge, Err(MassError::NotFinite));
}

#[test]
fn a_polytope_is_a_shape_of_its_own() {
    let corners = crate::common::box_mesh(v(0.0, 0.0, 0.0), v(1.0, 2.0, 3.0));
    let polytope = Polytope::from_points(corners.vertices().iter().copied()).unwrap();
    let shape = Shape::from(polytope);
    let solid = shape.mass_properties(Distribution::Solid).unwrap();
    let shell = shape.mass_properties(Distribution::Shell).unwrap();
    assert!((solid.measure() - 6.0).abs() < 1e-14 && (shell.measure() - 22.0).abs() < 1e-14);
    assert_eq!(shape.support(v(1.0, -1.0, 0.5)), Some(v(1.0, 0.0, 3.0)));
    assert!(solid.with_mass(3.0).mass == 3.0);
}
