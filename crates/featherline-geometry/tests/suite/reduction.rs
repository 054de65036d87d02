//! Which points of contact are kept of many.

use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Mat3, Se3, Vec3};
use featherline_geometry::{ContactPoint, Cuboid, Plane, Polytope, Shape, contact_points};
use std::f64::consts::TAU;

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// The grounds on which a body may lie: a half-space and a block, with their top at z = 0.
fn grounds() -> [(Shape, Se3<f64>); 3] {
    let sides = v(2.0, 2.0, 1.0);
    let sign = |i: u32, bit: u32| if i & bit == 0 { -0.5 } else { 0.5 };
    let corner = |i| v(sign(i, 1) * 2.0, sign(i, 2) * 2.0, sign(i, 4));
    let low = Se3::from_translation(v(0.0, 0.0, -0.5));
    [
        (Plane.into(), Se3::identity()),
        (Cuboid::new(sides).into(), low),
        (
            Polytope::from_points((0..8).map(corner)).unwrap().into(),
            low,
        ),
    ]
}

fn contacts(
    (ground, at): &(Shape, Se3<f64>),
    body: &Shape,
    placed: &Se3<f64>,
) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contact_points(ground, at, body, placed, 1e-3, &mut out).unwrap();
    out
}

/// A ring of points at a height.
fn ring(count: u32, radius: f64, height: f64) -> impl Iterator<Item = Vec3<f64>> {
    (0..count).map(move |k| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(count)).sin_cos();
        v(radius * cos, radius * sin, height)
    })
}

/// A foot: a sole whose corners touch, a rim 0.5 mm above it, and an instep.
fn foot(sole: u32) -> Shape {
    let points = ring(sole, 0.05, 0.0)
        .chain(ring(24, 0.08, 5e-4))
        .chain(ring(8, 0.03, 0.05));
    Polytope::from_points(points).unwrap().into()
}

/// The area of points in convex position, by the shoelace formula.
fn area(points: &[ContactPoint]) -> f64 {
    let mut places: Vec<_> = points.iter().map(|point| point.points[0]).collect();
    let middle = places.iter().fold(Vec3::zero(), |sum, p| sum + *p) * (1.0 / places.len() as f64);
    let angle = |p: &Vec3<f64>| (p.y - middle.y).atan2(p.x - middle.x);
    places.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    let next = places.iter().cycle().skip(1);
    let twice = places.iter().zip(next);
    twice.map(|(p, q)| p.x * q.y - p.y * q.x).sum::<f64>() / 2.0
}

#[test]
fn corners_that_touch_come_before_those_above_the_ground() {
    let lying = Se3::from_rotation(Mat3::from_axis_angle(v(0.0, 0.0, 1.0), 0.3));
    // Faces of a polytope meet as faces: the rim is no part of the sole's.
    let [plane, ..] = grounds();
    for sole in [3, 5, 8] {
        let points = contacts(&plane, &foot(sole), &lying);
        let touching = points.iter().filter(|point| point.distance < 1e-12);
        assert_eq!(touching.count(), sole as usize);
        assert!(points.len() <= 8);
    }
    // Of twelve, eight corners of their outline: no point above is one of them.
    let points = contacts(&plane, &foot(12), &lying);
    assert_eq!(points.len(), 8);
    assert!(points.iter().all(|point| point.distance < 1e-12));
}

#[test]
fn points_above_fill_up_what_does_not_stand() {
    // On its edge, of two corners, with a rim behind: three points at least hold it.
    let points = [v(0.1, -0.1, 0.0), v(0.1, 0.1, 0.0)].into_iter();
    let wedge = points.chain(ring(24, 0.2, 4e-4)).chain(ring(5, 0.1, 0.1));
    let wedge = Polytope::from_points(wedge).unwrap().into();
    let [plane, ..] = grounds();
    let points = contacts(&plane, &wedge, &Se3::identity());
    assert!((4..=8).contains(&points.len()));
    assert_eq!(
        points.iter().filter(|point| point.distance < 1e-12).count(),
        2
    );
    // A square in the circle of the rim covers 2 r².
    assert!(area(&points) > 0.9 * 2.0 * 0.04, "{}", area(&points));
}

/// Corners that touch in the middle of a wide rim of many heights: the rim's outline leaves them
/// inside, and none counts twice.
#[test]
fn corners_within_a_wider_outline_count_once() {
    let mut random = SplitMix64::new(7);
    for touching in 3..8 {
        for _ in 0..200 {
            let low = ring(touching, 0.02, 0.0);
            let mut points: Vec<_> = low.collect();
            for k in 0..30 {
                let (sin, cos) = (TAU * f64::from(k) / 30.0).sin_cos();
                let radius = 0.03 + 0.07 * random.uniform();
                let height = 10_f64.powf(-8.0 + 4.9 * random.uniform());
                points.push(v(radius * cos, radius * sin, height));
            }
            points.extend(ring(8, 0.03, 0.05));
            let body = Polytope::from_points(points).unwrap().into();
            for ground in grounds() {
                let found = contacts(&ground, &body, &Se3::identity());
                let mut features: Vec<_> = found.iter().map(|point| point.feature).collect();
                features.sort_unstable();
                features.dedup();
                assert!((3..=8).contains(&found.len()) && features.len() == found.len());
            }
        }
    }
}

/// A sole with rounded corners, as files of meshes have: several points within a ten-thousandth of
/// its extent, which count as one.
#[test]
fn points_of_rounded_corners_count_once() {
    let mut random = SplitMix64::new(11);
    for corners in 3..9 {
        for _ in 0..300 {
            let mut points: Vec<_> = ring(8, 0.03, 0.05).collect();
            for corner in ring(corners, 0.05, 0.0) {
                for _ in 0..5 {
                    let size = 0.1 * 10_f64.powf(-6.0 + 3.0 * random.uniform());
                    let mut near = || size * (2.0 * random.uniform() - 1.0);
                    points.push(corner + v(near(), near(), 0.05 * near().abs()));
                }
            }
            let body = Polytope::from_points(points).unwrap().into();
            for ground in grounds() {
                let found = contacts(&ground, &body, &Se3::identity());
                assert!((3..=8).contains(&found.len()));
            }
        }
    }
}

/// A cube on an equal one: rounding must not cut edges that lie on each other in their middle.
#[test]
fn flush_faces_meet_in_their_own_corners() {
    let mut random = SplitMix64::new(3);
    let cube: Shape = Cuboid::new(v(0.1, 0.1, 0.1)).into();
    for _ in 0..2000 {
        // As a simulation leaves what stands: rounding, up to a pico-radian.
        let size = 10_f64.powf(-17.0 + 5.0 * random.uniform());
        let mut small = || size * (2.0 * random.uniform() - 1.0);
        let mut placed = |height: f64| {
            let tilt = Mat3::from_axis_angle(v(small(), small(), 1.0).normalised(), small());
            Se3::new(tilt, v(small(), small(), height + small()))
        };
        let points = contacts(&(cube.clone(), placed(0.05)), &cube, &placed(0.15));
        assert_eq!(points.len(), 4, "{points:?}");
        let corner = |p: f64| (p.abs() - 0.05).abs() < 1e-9;
        assert!((points.iter()).all(|it| corner(it.points[0].x) && corner(it.points[0].y)));
    }
}

#[test]
fn the_choice_stays_under_the_motion_of_a_body_at_rest() {
    // A regular sole has many choices of one area: rounding must not decide.
    let mut source = SplitMix64::new(1);
    for ground in &grounds() {
        for sole in [5, 8, 12, 16, 40] {
            let body = foot(sole);
            let features = |turn: Mat3<f64>, place: Vec3<f64>| {
                let points = contacts(ground, &body, &Se3::new(turn, place));
                let mut ids: Vec<_> = points.iter().map(|point| point.feature).collect();
                ids.sort_unstable();
                ids
            };
            let turn = Mat3::from_axis_angle(v(0.0, 0.0, 1.0), 0.7);
            let before = features(turn, Vec3::zero());
            for _ in 0..50 {
                // Overlaps and tilts as a simulation leaves them: 0.1 µm.
                let mut small = || 2e-7 * (source.uniform() - 0.5);
                let tilt = Mat3::from_axis_angle(v(1.0, 0.0, 0.0), small())
                    * Mat3::from_axis_angle(v(0.0, 1.0, 0.0), small())
                    * Mat3::from_axis_angle(v(0.0, 0.0, 1.0), small());
                let place = v(small(), small(), small());
                assert_eq!(
                    features(tilt * turn, place),
                    before,
                    "{sole} {:?}",
                    ground.0
                );
            }
        }
    }
}

#[test]
fn the_choice_covers_what_eight_points_can() {
    // Eight of the corners of a circle of radius r cover 2√2 r² at most.
    let disc = Polytope::from_points(ring(16, 1.0, 0.0).chain(ring(16, 1.0, 0.5)));
    let disc = disc.unwrap().into();
    for ground in &grounds() {
        let points = contacts(ground, &disc, &Se3::identity());
        assert_eq!(points.len(), 8);
        assert!(
            area(&points)
                > (1.0 - 1e-9)
                    * 8f64.sqrt()
                    * if matches!(ground.0, Shape::Plane(_)) {
                        1.0
                    } else {
                        0.9
                    }
        );
    }
}

#[test]
fn the_order_of_corners_does_not_matter() {
    // Ellipses of unlike spacing: no two choices are equal.
    let mut source = SplitMix64::new(2);
    let mut points: Vec<_> = (0..40)
        .map(|_| {
            let (sin, cos) = (TAU * source.uniform()).sin_cos();
            v(0.2 * cos, 0.1 * sin, 0.0)
        })
        .chain(ring(5, 0.05, 0.1))
        .collect();
    let [plane, ..] = grounds();
    let places = |points: &[Vec3<f64>]| {
        let body = Polytope::from_points(points.iter().copied())
            .unwrap()
            .into();
        let found = contacts(&plane, &body, &Se3::identity());
        let mut found: Vec<_> = found
            .iter()
            .map(|point| point.points[1].to_array())
            .collect();
        found.sort_by(|p, q| p[0].total_cmp(&q[0]));
        found
    };
    let before = places(&points);
    assert_eq!(before.len(), 8);
    for _ in 0..5 {
        for i in (1..points.len()).rev() {
            points.swap(i, (source.uniform() * (i + 1) as f64) as usize);
        }
        assert_eq!(places(&points), before);
    }
}
