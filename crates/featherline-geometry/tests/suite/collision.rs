//! Distances and contacts against exact cases, and laws that hold for all shapes.

use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Mat3, Quaternion, Se3, Vec3};
use featherline_geometry::{
    Capsule, CollisionError, Cone, ContactPoint, Cuboid, Cylinder, Ellipsoid, Mesh, Plane,
    Polytope, Shape, Sphere, contact_points, convex_hull, separation,
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

/// Distance of the support of one shape from that of the other along a unit vector: a lower bound
/// of the distance of convex shapes, and the distance itself along the normal.
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
                assert!(gap.norm() < 1e-8, "{a:?} {b:?} {s:?} {gap:?}");
                if a.support(v(1., 0., 0.)).is_some() && b.support(v(1., 0., 0.)).is_some() {
                    let along = gap_along(a, &pa, b, &pb, s.normal);
                    assert!(
                        (along - s.distance).abs() < 1e-8,
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
                    (s.distance - back.distance).abs() < 1e-8,
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
                    (s.distance - moved.distance).abs() < 1e-8,
                    "{a:?} {b:?} {s:?} {moved:?}"
                );
            }
        }
    }
}

fn contacts(a: &Shape, pa: &Se3<f64>, b: &Shape, pb: &Se3<f64>, range: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contact_points(a, pa, b, pb, range, &mut out).unwrap();
    out
}

/// The corners of a box as a polytope, which takes the general way.
fn as_polytope(sides: Vec3<f64>) -> Shape {
    let sign = |bit: u32, i: u32| if i & bit == 0 { -0.5 } else { 0.5 };
    let corner = |i| {
        v(
            sign(1, i) * sides.x,
            sign(2, i) * sides.y,
            sign(4, i) * sides.z,
        )
    };
    Polytope::from_points((0..8).map(corner)).unwrap().into()
}

#[test]
fn closed_forms_agree_with_the_search() {
    // The same body as another kind of shape, for which there is no closed form.
    let sides = v(0.6, 0.8, 1.1);
    let pairs: [(Shape, Shape); 2] = [
        (Cuboid::new(sides).into(), as_polytope(sides)),
        (
            Sphere::new(0.4).into(),
            Ellipsoid::new(v(0.4, 0.4, 0.4)).into(),
        ),
    ];
    let others: [Shape; 4] = [
        Cuboid::new(v(0.5, 0.4, 0.7)).into(),
        Sphere::new(0.3).into(),
        Capsule::new(0.2, 0.7).into(),
        Cylinder::new(0.3, 0.9).into(),
    ];
    let mut source = SplitMix64::new(4);
    for (closed, general) in &pairs {
        for other in &others {
            for _ in 0..300 {
                let (pa, pb) = (
                    random_placement(&mut source, 0.6),
                    random_placement(&mut source, 0.6),
                );
                let one = separation(closed, &pa, other, &pb).unwrap();
                let same = separation(general, &pa, other, &pb).unwrap();
                assert!(
                    (one.distance - same.distance).abs() < 1e-9,
                    "{closed:?} {one:?} {same:?}"
                );
            }
        }
    }
}

#[test]
fn distances_of_exact_cases() {
    let distance = |a: Shape, pa: Se3<f64>, b: Shape, pb: Se3<f64>| {
        separation(&a, &pa, &b, &pb).unwrap().distance
    };
    let here = Se3::identity();
    let cube = || Shape::from(Cuboid::new(v(2.0, 2.0, 2.0)));
    // Corner to corner: √3 · 2. Face to face, apart and 0.5 deep.
    let d = distance(cube(), here, cube(), at(4.0, 4.0, 4.0));
    assert!((d - 12f64.sqrt()).abs() < 1e-14);
    assert!((distance(cube(), here, cube(), at(0.3, 3.0, 0.2)) - 1.0).abs() < 1e-14);
    assert!((distance(cube(), here, cube(), at(0.3, 1.5, 0.2)) + 0.5).abs() < 1e-14);
    // A cone of base 1 and height 2 below a ball over its apex; beside its slant, whose normal has
    // (2, 1)/√5 and which is 1/√5 · 2 · 3 − … away: the plane 2 x + z = 1.
    let cone = || Shape::from(Cone::new(1.0, 2.0));
    let d = distance(cone(), here, Sphere::new(0.25).into(), at(0.0, 0.0, 3.0));
    assert!((d - 1.75).abs() < 1e-14);
    let d = distance(cone(), here, Sphere::new(0.25).into(), at(1.5, 0.0, 0.5));
    assert!((d - (2.5 / 5f64.sqrt() - 0.25)).abs() < 1e-9, "{d}");
    // Coaxial cylinders, and cylinders side by side.
    let cylinder = || Shape::from(Cylinder::new(0.5, 1.0));
    assert!((distance(cylinder(), here, cylinder(), at(0.0, 0.0, 1.5)) - 0.5).abs() < 1e-12);
    assert!((distance(cylinder(), here, cylinder(), at(1.5, 0.0, 0.25)) - 0.5).abs() < 1e-9);
    assert!((distance(cylinder(), here, cylinder(), at(0.75, 0.0, 0.1)) + 0.25).abs() < 1e-9);
    // A ball at the centre of an ellipsoid leaves along the shortest semi-axis.
    let egg = || Shape::from(Ellipsoid::new(v(0.3, 0.5, 0.4)));
    assert!((distance(egg(), here, Sphere::new(0.1).into(), here) + 0.4).abs() < 1e-9);
    assert!((distance(egg(), here, egg(), at(0.0, 2.0, 0.0)) - 1.0).abs() < 1e-9);
    // Balls at one place, parallel capsules, crossed capsules.
    assert_eq!(
        distance(Sphere::new(1.0).into(), here, Sphere::new(0.5).into(), here),
        -1.5
    );
    let rod = || Shape::from(Capsule::new(0.1, 1.0));
    assert!((distance(rod(), here, rod(), at(0.5, 0.0, 0.9)) - 0.3).abs() < 1e-15);
    let across = Se3::new(Mat3::from_axis_angle(v(1.0, 0.0, 0.0), 1.0), Vec3::zero());
    assert!((distance(rod(), here, rod(), across) + 0.2).abs() < 1e-15);
}

#[test]
fn bodies_lie_on_a_half_space_on_their_corners() {
    let (ground, here) = (Shape::from(Plane), Se3::identity());
    let count = |shape: Shape, height: f64| {
        contacts(&ground, &here, &shape, &at(0.3, 0.2, height), 1e-3).len()
    };
    assert_eq!(count(Cuboid::new(v(1.0, 0.4, 0.2)).into(), 0.1), 4);
    assert_eq!(count(Cylinder::new(0.2, 0.4).into(), 0.2), 4);
    assert_eq!(count(Cone::new(0.2, 0.4).into(), 0.2), 4);
    assert_eq!(count(Sphere::new(0.1).into(), 0.1), 1);
    assert_eq!(count(Ellipsoid::new(v(0.3, 0.5, 0.1)).into(), 0.1), 1);
    assert_eq!(count(as_polytope(v(1.0, 0.4, 0.2)), 0.1), 4);
    // Above its range nothing touches.
    assert_eq!(count(Sphere::new(0.1).into(), 0.102), 0);
    let lying = Se3::new(
        Mat3::from_axis_angle(v(0.0, 1.0, 0.0), 0.5 * std::f64::consts::PI),
        v(0.0, 0.0, 0.1),
    );
    let rod = Capsule::new(0.1, 0.6).into();
    let points = contacts(&ground, &here, &rod, &lying, 1e-3);
    assert_eq!(points.len(), 2);
    let span = (points[0].points[1] - points[1].points[1]).norm();
    assert!((span - 0.6).abs() < 1e-14);
}

#[test]
fn faces_that_meet_give_the_corners_of_their_overlap() {
    // A box of 1 m on one of 2 m, rotated about the vertical, 1 mm deep; as boxes and as polytopes.
    let (large, small) = (v(2.0, 2.0, 1.0), v(1.0, 1.0, 1.0));
    let turned = Se3::new(
        Mat3::from_axis_angle(v(0.0, 0.0, 1.0), 0.4),
        v(0.1, 0.2, 0.999),
    );
    let boxes = (
        Shape::from(Cuboid::new(large)),
        Shape::from(Cuboid::new(small)),
    );
    let polytopes = (as_polytope(large), as_polytope(small));
    for (a, b) in [boxes, polytopes] {
        let points = contacts(&a, &Se3::identity(), &b, &turned, 0.0);
        assert_eq!(points.len(), 4);
        for point in &points {
            assert!((point.distance + 0.001).abs() < 1e-12);
            assert!((point.points[0].z - 0.5).abs() < 1e-12);
            let corner = turned.inverse_act_point(point.points[1]);
            assert!((corner.x.abs() - 0.5).abs() < 1e-12 && (corner.y.abs() - 0.5).abs() < 1e-12);
        }
    }
    // Edges that cross: one point.
    let edge = Mat3::from_axis_angle(v(1.0, 0.0, 0.0), 0.25 * std::f64::consts::PI);
    let other = Mat3::from_axis_angle(v(0.0, 1.0, 0.0), 0.25 * std::f64::consts::PI);
    let cube = Shape::from(Cuboid::new(v(1.0, 1.0, 1.0)));
    let high = Se3::new(other, v(0.0, 0.0, 2f64.sqrt() - 0.01));
    let points = contacts(&cube, &Se3::from_rotation(edge), &cube, &high, 0.0);
    assert_eq!(points.len(), 1);
    assert!((points[0].distance + 0.01).abs() < 1e-12);
    // Capsules side by side: two points, half a metre apart.
    let rod = Shape::from(Capsule::new(0.1, 1.0));
    let points = contacts(&rod, &Se3::identity(), &rod, &at(0.19, 0.0, 0.5), 0.0);
    assert_eq!(points.len(), 2);
    assert!(((points[0].points[0] - points[1].points[0]).norm() - 0.5).abs() < 1e-14);
    // A cylinder standing on a box, and one lying on it.
    let post = Shape::from(Cylinder::new(0.2, 0.6));
    let block = Shape::from(Cuboid::new(v(2.0, 2.0, 1.0)));
    assert_eq!(
        contacts(&block, &Se3::identity(), &post, &at(0.0, 0.1, 0.7999), 0.0).len(),
        8
    );
    let lying = Se3::new(
        Mat3::from_axis_angle(v(0.0, 1.0, 0.0), 0.5 * std::f64::consts::PI),
        v(0.0, 0.1, 0.6999),
    );
    assert_eq!(
        contacts(&block, &Se3::identity(), &post, &lying, 0.0).len(),
        2
    );
}

#[test]
fn features_stay_the_same_under_a_small_motion() {
    let block = Shape::from(Cuboid::new(v(2.0, 2.0, 1.0)));
    let small = Shape::from(Cuboid::new(v(0.9, 0.7, 1.0)));
    let grounds: [(Shape, f64); 2] = [(block, 0.999), (Plane.into(), 0.499)];
    for (ground, height) in grounds {
        for axis in 0..3 {
            let features = |angle: f64| {
                let r = Mat3::from_axis_angle(Vec3::unit(2), 0.3)
                    * Mat3::from_axis_angle(Vec3::unit(axis), angle);
                let placement = Se3::new(r, v(0.01, angle, height));
                let points = contacts(&ground, &Se3::identity(), &small, &placement, 0.01);
                let mut ids: Vec<_> = points.iter().map(|point| point.feature).collect();
                ids.sort_unstable();
                ids
            };
            let before = features(0.0);
            assert_eq!(before.len(), 4);
            let mut distinct = before.clone();
            distinct.dedup();
            assert_eq!(distinct.len(), 4);
            for step in 1..10 {
                assert_eq!(
                    features(1e-4 * f64::from(step)),
                    before,
                    "{ground:?} about {axis}"
                );
            }
        }
    }
}

#[test]
fn every_contact_point_is_a_gap_along_its_normal() {
    let mut source = SplitMix64::new(5);
    let shapes = shapes();
    for a in &shapes {
        for b in &shapes {
            for _ in 0..30 {
                let (pa, pb) = (
                    random_placement(&mut source, 0.4),
                    random_placement(&mut source, 0.4),
                );
                if !is_bounded([a, b]) {
                    continue;
                }
                let points = contacts(a, &pa, b, &pb, 0.05);
                let nearest = separation(a, &pa, b, &pb).unwrap();
                assert_eq!(
                    points.is_empty(),
                    nearest.distance > 0.05,
                    "{a:?} {b:?} {nearest:?}"
                );
                // Of a mesh, normals that lean over a neighbour are left out, also of the deepest.
                if ![a, b].iter().any(|shape| matches!(shape, Shape::Mesh(_))) {
                    let least = points
                        .iter()
                        .fold(0.05, |least: f64, p| least.min(p.distance));
                    let known = nearest.distance.min(0.05);
                    assert!((least - known).abs() < 1e-8, "{a:?} {b:?} {least} {known}");
                }
                for point in points {
                    let gap = point.points[1] - point.points[0] - point.normal * point.distance;
                    assert!(gap.norm() < 1e-8, "{a:?} {b:?} {point:?}");
                    assert!(point.distance <= 0.05);
                }
            }
        }
    }
}

/// A square of 4 m in two by `n` by `n` triangles, at z = 0.
fn grid(n: u32) -> Mesh {
    let vertex = |i: u32| {
        v(
            4.0 * f64::from(i % (n + 1)) / f64::from(n) - 2.0,
            4.0 * f64::from(i / (n + 1)) / f64::from(n) - 2.0,
            0.0,
        )
    };
    let faces = (0..n * n).flat_map(|k| {
        let i = k / n * (n + 1) + k % n;
        [[i, i + 1, i + n + 2], [i, i + n + 2, i + n + 1]]
    });
    Mesh::new(
        (0..(n + 1) * (n + 1)).map(vertex).collect(),
        faces.collect(),
    )
    .unwrap()
}

#[test]
fn a_flat_mesh_carries_bodies_like_a_half_space() {
    let here = Se3::identity();
    let floor = Shape::from(grid(9));
    for (shape, height, count) in [
        (Shape::from(Sphere::new(0.3)), 0.29, 1),
        (Shape::from(Cuboid::new(v(1.3, 0.9, 0.4))), 0.199, 4),
        (Shape::from(Capsule::new(0.2, 0.5)), 0.449, 1),
    ] {
        let placement = at(0.13, 0.21, height);
        let s = separation(&floor, &here, &shape, &placement).unwrap();
        let on_plane = separation(&Plane.into(), &here, &shape, &placement).unwrap();
        assert!(
            (s.distance - on_plane.distance).abs() < 1e-9,
            "{s:?} {on_plane:?}"
        );
        assert!(s.normal.z > 1.0 - 1e-9, "{s:?}");
        let points = contacts(&floor, &here, &shape, &placement, 0.0);
        assert_eq!(points.len(), count, "{shape:?} {points:?}");
    }
    // A mesh against a mesh.
    let block = Shape::from(convex_hull(&octahedron()).unwrap());
    let s = separation(&floor, &here, &block, &at(0.0, 0.0, 0.75)).unwrap();
    assert!((s.distance - 0.25).abs() < 1e-12, "{s:?}");
}

#[test]
fn half_spaces_that_face_each_other_have_a_distance() {
    let down = Se3::new(
        Mat3::from_axis_angle(v(1.0, 0.0, 0.0), std::f64::consts::PI),
        v(0.0, 0.0, 2.0),
    );
    let (a, b) = (Shape::from(Plane), Shape::from(Plane));
    assert!(
        (separation(&a, &Se3::identity(), &b, &down)
            .unwrap()
            .distance
            - 2.0)
            .abs()
            < 1e-15
    );
    let parallel = separation(&a, &Se3::identity(), &b, &at(0.0, 0.0, 2.0));
    assert_eq!(parallel, Err(CollisionError::Unbounded));
}

#[test]
fn what_is_no_shape_or_placement_is_an_error() {
    let (here, ball) = (Se3::identity(), Shape::from(Sphere::new(0.1)));
    let bad = separation(&ball, &here, &Cone::new(-1.0, 1.0).into(), &here);
    assert!(matches!(bad, Err(CollisionError::BadSize { shape: 1, .. })));
    let bad = separation(&Sphere::new(f64::NAN).into(), &here, &ball, &here);
    assert!(matches!(bad, Err(CollisionError::BadSize { shape: 0, .. })));
    let empty = Mesh::new(vec![Vec3::zero()], vec![]).unwrap().into();
    assert_eq!(
        separation(&ball, &here, &empty, &here),
        Err(CollisionError::EmptyMesh { shape: 1 })
    );
    for other in shapes() {
        for value in [f64::NAN, f64::INFINITY] {
            let lost = at(0.0, value, 0.0);
            let bad = CollisionError::BadPlacement { placement: 1 };
            assert_eq!(
                separation(&ball, &here, &other, &lost),
                Err(bad.clone()),
                "{other:?}"
            );
            let mut out = Vec::new();
            let found = contact_points(&ball, &here, &other, &lost, 0.1, &mut out);
            assert!(
                found == Err(bad) || (found.is_ok() && out.is_empty()),
                "{other:?} {found:?}"
            );
        }
    }
    // Sizes of zero, and sizes that overflow, neither panic nor give numbers that are none.
    for other in shapes() {
        for size in [0.0, 1e-300, 1e300] {
            for shape in [
                Shape::from(Sphere::new(size)),
                Cuboid::new(v(size, size, size)).into(),
                Cylinder::new(size, size).into(),
                Cone::new(size, size).into(),
                Ellipsoid::new(v(size, size, size)).into(),
                Capsule::new(size, size).into(),
            ] {
                for place in [here, at(0.1, 0.2, 3.0), at(1e300, 0.0, 0.0)] {
                    if let Ok(s) = separation(&shape, &place, &other, &here) {
                        assert!(s.distance.is_finite() && s.normal.is_finite());
                        assert!(
                            (s.normal.norm() - 1.0).abs() < 1e-9,
                            "{shape:?} {other:?} {s:?}"
                        );
                    }
                }
            }
        }
    }
}
