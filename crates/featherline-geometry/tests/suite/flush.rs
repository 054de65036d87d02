//! Bodies that slide over the seams of boxes with flush tops.

use featherline::spatial::{Mat3, Se3, Vec3};
use featherline_geometry::{
    Capsule, ContactPoint, Cuboid, Cylinder, Shape, Sphere, contact_points,
};
use std::f64::consts::PI;

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// The contacts of a body with a block whose top is at z = 0 and whose side at x = 0; the body
/// comes from x < 0.
fn contacts(body: &Shape, placed: Se3<f64>) -> Vec<ContactPoint> {
    let (block, at) = (
        Shape::from(Cuboid::new(v(0.5, 2.0, 0.2))),
        v(0.25, 0.0, -0.1),
    );
    let block_at = Se3::from_translation(at);
    let mut out = Vec::new();
    contact_points(&block, &block_at, body, &placed, 1e-3, &mut out).unwrap();
    // The other order gives the same, seen from the other side: curved shapes to the accuracy of
    // the search, whose normal is known to the root of that of the distance.
    let mut swapped = Vec::new();
    contact_points(body, &placed, &block, &block_at, 1e-3, &mut swapped).unwrap();
    assert_eq!(out.is_empty(), swapped.is_empty());
    for (one, other) in out.iter().zip(&swapped) {
        assert!((one.normal + other.normal).max_norm() < 1e-6);
    }
    out
}

/// Bodies that slide or roll along x: how far they reach ahead of their origin, their height, and
/// how they are turned.
fn bodies() -> Vec<(Shape, f64, f64, Mat3<f64>)> {
    let (upright, about) = (Mat3::identity(), Mat3::from_axis_angle);
    let along_y = about(v(1.0, 0.0, 0.0), 0.5 * PI);
    let along_x = about(v(0.0, 1.0, 0.0), 0.5 * PI);
    let turned = about(v(0.0, 0.0, 1.0), 0.25 * PI);
    vec![
        (Cuboid::new(v(0.1, 0.1, 0.1)).into(), 0.05, 0.05, upright),
        (
            Cuboid::new(v(0.1, 0.1, 0.1)).into(),
            0.05 * 2f64.sqrt(),
            0.05,
            turned,
        ),
        (Cylinder::new(0.05, 0.1).into(), 0.05, 0.05, upright),
        (Cylinder::new(0.05, 0.1).into(), 0.0, 0.05, along_y),
        (Cylinder::new(0.05, 0.1).into(), 0.05, 0.05, along_x),
        (Capsule::new(0.05, 0.1).into(), 0.0, 0.05, along_y),
        (Capsule::new(0.05, 0.1).into(), 0.05, 0.05, along_x),
        (Sphere::new(0.05).into(), 0.0, 0.05, upright),
    ]
}

#[test]
fn no_contact_pushes_against_the_motion_over_a_seam() {
    for (body, ahead, height, turn) in bodies() {
        // Before the seam, at it, and after; as high as rounding and rest leave it.
        for x in [
            -2e-2, -3e-3, -5e-4, -1e-5, -1e-7, -1e-9, 0.0, 1e-9, 1e-7, 1e-5, 5e-4, 3e-3,
        ] {
            for z in [-5e-7, -1e-9, -1e-12, -1e-16, 0.0, 1e-16, 1e-12, 1e-9, 5e-7] {
                let placed = Se3::new(turn, v(x - ahead, 0.0, height + z));
                for point in contacts(&body, placed) {
                    assert!(
                        point.normal.z > 1.0 - 1e-12,
                        "{body:?} at {x} {z}: {point:?}"
                    );
                }
            }
        }
        // Beyond the seam it is carried.
        let placed = Se3::new(turn, v(1e-2 - ahead, 0.0, height - 1e-9));
        assert!(!contacts(&body, placed).is_empty(), "{body:?}");
    }
}

#[test]
fn a_step_stops_what_slides_and_an_edge_carries() {
    for (body, ahead, height, turn) in bodies() {
        // A step of 1 mm is met 0.2 mm ahead; round bodies meet it with a normal that leans.
        let reach = match (ahead > 0.0, &body) {
            (true, Shape::Cuboid(_) | Shape::Cylinder(_)) => ahead,
            _ => (2.0 * 0.05 * 1e-3_f64 - 1e-6).sqrt() + if ahead > 0.0 { 0.05 } else { 0.0 },
        };
        let placed = Se3::new(turn, v(-2e-4 - reach, 0.0, height - 1e-3));
        let points = contacts(&body, placed);
        assert!(!points.is_empty(), "{body:?}");
        let is_across = |point: &ContactPoint| point.normal.x < -0.1;
        assert!(points.iter().all(is_across), "{body:?} {points:?}");
    }
    // A ball whose centre is beyond the edge, 10 µm lower than flush, is carried by the edge.
    let points = contacts(
        &Sphere::new(0.05).into(),
        Se3::from_translation(v(-1e-3, 0.0, 0.05 - 1e-5)),
    );
    assert_eq!(points.len(), 1);
    // The line from the edge to the centre: (−1, 50)/√(1 + 50²), within the 10 µm.
    assert!((points[0].normal - v(-1.0, 0.0, 50.0).normalised()).max_norm() < 1e-4);
}
