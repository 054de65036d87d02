//! Meshes against meshes: beside convex shapes, and by the definition of a distance.

use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Mat3, Se3, Vec3};
use featherline_geometry::{Collider, Mesh, Polytope, Separation, convex_hull};

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

fn random_vector(source: &mut SplitMix64) -> Vec3<f64> {
    let mut signed = || 2.0 * source.uniform() - 1.0;
    v(signed(), signed(), signed())
}

fn random_placement(source: &mut SplitMix64, reach: f64) -> Se3<f64> {
    let axis = random_vector(source).normalised();
    let turn = Mat3::from_axis_angle(axis, 3.0 * source.uniform());
    Se3::new(turn, random_vector(source) * reach)
}

fn collider(mesh: &Mesh) -> Collider {
    Collider::new(mesh.clone().into()).unwrap()
}

#[test]
fn surfaces_of_bodies_apart_are_as_far_as_the_bodies() {
    let mut source = SplitMix64::new(1);
    let mut apart = 0;
    for _ in 0..200 {
        let bodies = [0, 1].map(|_| {
            let points: Vec<_> = (0..40).map(|_| random_vector(&mut source)).collect();
            let hull = convex_hull(&points).unwrap();
            let whole = Polytope::from_points(points).unwrap();
            [collider(&hull), Collider::new(whole.into()).unwrap()]
        });
        let [p, q] = [0, 1].map(|_| random_placement(&mut source, 2.5));
        let of_bodies = bodies[0][1].separation(&p, &bodies[1][1], &q).unwrap();
        let of_surfaces = bodies[0][0].separation(&p, &bodies[1][0], &q).unwrap();
        let found = |reach: f64| {
            let within = bodies[0][0].separation_within(&p, &bodies[1][0], &q, reach);
            within.unwrap()
        };
        let d = of_bodies.distance;
        if d > 0.0 {
            apart += 1;
            // Both searches end within 1e-12 of the bodies' size.
            assert!(
                (of_surfaces.distance - d).abs() < 1e-10,
                "{of_surfaces:?} {d}"
            );
            assert!((of_surfaces.normal - of_bodies.normal).norm() < 1e-6);
            assert!(found(0.0).is_none() && found(0.999 * d).is_none());
            assert!(found(1.001 * d).unwrap().distance <= 1.001 * d);
        } else if of_surfaces.distance <= 0.0 {
            assert!(found(0.0).unwrap().distance <= 0.0);
        }
    }
    assert!(apart > 50);
}

/// Least and greatest coordinate of points along a direction.
fn interval(points: &[Vec3<f64>; 3], n: Vec3<f64>) -> (f64, f64) {
    let along = points.map(|p| p.dot(n));
    (
        along.iter().fold(f64::INFINITY, |least, x| least.min(*x)),
        along.iter().fold(f64::NEG_INFINITY, |most, x| most.max(*x)),
    )
}

fn single(corners: [Vec3<f64>; 3]) -> Collider {
    collider(&Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap())
}

fn of_triangles(a: [Vec3<f64>; 3], b: [Vec3<f64>; 3]) -> Separation {
    let here = Se3::identity();
    single(a).separation(&here, &single(b), &here).unwrap()
}

/// The distance of convex sets is the greatest gap along a direction, and negative where all are.
#[test]
fn the_distance_of_triangles_is_the_greatest_gap() {
    let mut source = SplitMix64::new(2);
    let mut overlapping = 0;
    for _ in 0..500 {
        let [a, b] = [0, 1].map(|_| [0, 1, 2].map(|_| random_vector(&mut source)));
        let s = of_triangles(a, b);
        let gap = |n: Vec3<f64>| interval(&b, n).0 - interval(&a, n).1;
        assert!((s.normal.norm() - 1.0).abs() < 1e-12);
        // The direction between points at a distance d is known to ε/d.
        let rounding = 1e-12 + 1e-15 / s.distance.abs();
        assert!((gap(s.normal) - s.distance).abs() < rounding, "{s:?}");
        for _ in 0..200 {
            let n = random_vector(&mut source).normalised();
            assert!(gap(n) <= s.distance + 1e-12, "{s:?} {n:?}");
        }
        let joined = s.points[1] - s.points[0] - s.normal * s.distance;
        assert!(joined.norm() < 1e-12, "{s:?}");
        // Moved by the distance, they touch.
        let moved = b.map(|p| p - s.normal * s.distance);
        assert!(of_triangles(a, moved).distance.abs() < rounding);
        overlapping += i32::from(s.distance < 0.0);
    }
    assert!(overlapping > 50);
}

#[test]
fn triangles_of_one_plane_and_without_area_have_a_distance() {
    let flat = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    let moved = |x: f64, y: f64| flat.map(|p| p + v(x, y, 0.0));
    // Beside each other, at a corner, across the long side, and on each other.
    assert!((of_triangles(flat, moved(1.5, 0.0)).distance - 0.5).abs() < 1e-15);
    assert!((of_triangles(flat, moved(4.0, -5.0)).distance - 5.0).abs() < 1e-14);
    assert!((of_triangles(flat, moved(1.0, 1.0)).distance - 0.5f64.sqrt()).abs() < 1e-15);
    assert!(of_triangles(flat, moved(0.1, 0.1)).distance.abs() < 1e-15);
    // A needle over the face, a needle in its plane, and a point.
    let needle = |z: f64| [v(0.2, 0.2, z), v(0.2, 0.2, z + 1.0), v(0.2, 0.2, z + 1.0)];
    assert!((of_triangles(flat, needle(0.3)).distance - 0.3).abs() < 1e-15);
    assert!((of_triangles(needle(0.3), flat).distance - 0.3).abs() < 1e-15);
    assert!(of_triangles(needle(-0.3), flat).distance <= 0.0);
    let lying = [v(-0.5, -2.0, 0.0), v(-0.5, 2.0, 0.0), v(-0.5, 2.0, 0.0)];
    assert!((of_triangles(flat, lying).distance - 0.5).abs() < 1e-15);
    let point = [v(3.0, 4.0, 0.0); 3];
    assert!((of_triangles(point, [Vec3::zero(); 3]).distance - 5.0).abs() < 1e-14);
}
