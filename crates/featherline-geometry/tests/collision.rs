//! Distances and contacts against exact cases, and laws that hold for all shapes.

use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Quaternion, Se3, Vec3};
use featherline_geometry::{
    Capsule, CollisionError, Cone, ContactPoint, Cuboid, Cylinder, Ellipsoid, Mesh, Plane,
    Polytope, Separation, Shape, Sphere, contact_points, convex_hull, separation,
};

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

fn at(x: f64, y: f64, z: f64) -> Se3<f64> {
    Se3::from_translation(v(x, y, z))
}

/// A rotation of uniform axis and a translation within a cube of half side `reach`.
fn random_placement(source: &mut SplitMix64, reach: f64) -> Se3<f64> {
    let mut signed = || 2.0 * source.uniform() - 1.0;
    let q = loop {
        let (x, y, z, w) = (signed(), signed(), signed(), signed());
        let norm = f64::sqrt(x * x + y * y + z * z + w * w);
        if norm > 0.1 && norm < 1.0 {
            break Quaternion::from_parts(v(x / norm, y / norm, z / norm), w / norm);
        }
    };
    Se3::new(q.to_rotation(), v(signed(), signed(), signed()) * reach)
}

fn octahedron() -> Vec<Vec3<f64>> {
    vec![
        v(0.5, 0.0, 0.0),
        v(-0.4, 0.0, 0.1),
        v(0.0, 0.6, 0.0),
        v(0.0, -0.5, 0.0),
        v(0.0, 0.1, 0.7),
        v(0.1, 0.0, -0.5),
    ]
}

fn shapes() -> Vec<Shape> {
    vec![
        Sphere::new(0.4).into(),
        Capsule::new(0.25, 0.8).into(),
        Cuboid::new(v(0.6, 0.8, 1.1)).into(),
        Cylinder::new(0.3, 0.9).into(),
        Cone::new(0.4, 0.9).into(),
        Ellipsoid::new(v(0.3, 0.5, 0.4)).into(),
        Polytope::from_points(octahedron()).unwrap().into(),
        convex_hull(&octahedron()).unwrap().into(),
        Plane.into(),
    ]
}

fn is_bounded(pair: [&Shape; 2]) -> bool {
    !pair.iter().all(|shape| matches!(shape, Shape::Plane(_)))
}

/// Distance of the support of one shape from that of the other along a unit vector: a lower bound of
/// the distance of convex shapes, and the distance itself along the normal.
fn gap_along(a: &Shape, pa: &Se3<f64>, b: &Shape, pb: &Se3<f64>, n: Vec3<f64>) -> f64 {
    let near = pb.act_point(b.support(pb.rotation.tr_mul_vec(-n)).unwrap());
    let far = pa.act_point(a.support(pa.rotation.tr_mul_vec(n)).unwrap());
    n.dot(near - far)
}

#[test]
fn the_normal_supports_both_shapes_and_joins_the_points() {
    let mut source = SplitMix64::new(1);
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            for k in 0..60 {
                let (pa, pb) = (
                    random_placement(&mut source, 0.1),
                    random_placement(&mut source, 0.1 + 0.02 * f64::from(k)),
                );
                if !is_bounded([a, b]) {
                    continue;
                }
                let s = separation(a, &pa, b, &pb).unwrap();
                assert!((s.normal.norm() - 1.0).abs() < 1e-12);
                let gap = s.points[1] - s.points[0] - s.normal * s.distance;
                assert!(gap.norm() < 2e-7, "{a:?} {b:?} {s:?} {gap:?}");
                if a.support(v(1., 0., 0.)).is_some() && b.support(v(1., 0., 0.)).is_some() {
                    let along = gap_along(a, &pa, b, &pb, s.normal);
                    assert!(
                        (along - s.distance).abs() < 2e-7,
                        "{a:?} {b:?} {s:?} {along}"
                    );
                }
            }
        }
    }
}

#[test]
fn exchanging_the_shapes_reverses_the_normal() {
    let mut source = SplitMix64::new(2);
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            for _ in 0..20 {
                let (pa, pb) = (
                    random_placement(&mut source, 0.5),
                    random_placement(&mut source, 0.5),
                );
                if !is_bounded([a, b]) {
                    continue;
                }
                let s = separation(a, &pa, b, &pb).unwrap();
                let back = separation(b, &pb, a, &pa).unwrap();
                assert!(
                    (s.distance - back.distance).abs() < 1e-7,
                    "{a:?} {b:?} {s:?} {back:?}"
                );
            }
        }
    }
}

#[test]
fn a_common_motion_moves_points_and_normal() {
    let mut source = SplitMix64::new(3);
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            for _ in 0..10 {
                let (pa, pb, m) = (
                    random_placement(&mut source, 0.5),
                    random_placement(&mut source, 0.9),
                    random_placement(&mut source, 5.0),
                );
                if !is_bounded([a, b]) {
                    continue;
                }
                let s = separation(a, &pa, b, &pb).unwrap();
                let moved = separation(a, &m.compose(&pa), b, &m.compose(&pb)).unwrap();
                assert!(
                    (s.distance - moved.distance).abs() < 1e-7,
                    "{a:?} {b:?} {s:?} {moved:?}"
                );
            }
        }
    }
}
