//! Hulls of many vertices at rest: the same points carry them in each step.

use super::{G, bodies, contacts_of};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_geometry::{CollisionShape, Cuboid, Plane, Polytope, Shape};
use featherline_sim::contact::TimeStepping;
use std::f64::consts::TAU;

/// A ring of points at a height, of unlike spacing, with heights up to `rough` more.
fn ring(count: u32, radius: f64, height: f64, rough: f64) -> impl Iterator<Item = Vec3<f64>> {
    (0..count).map(move |k| {
        let k = f64::from(k);
        let angle = TAU * (k + 0.3 * (5.0 * k).sin()) / f64::from(count);
        let (sin, cos) = angle.sin_cos();
        Vec3::new(
            1.5 * radius * cos,
            radius * sin,
            height + rough * (7.0 * k).cos().abs(),
        )
    })
}

/// A foot as meshes have them: a sole of some corners, one of which is rounded to single precision,
/// a rim that curves up by less than the range of contacts, and an instep.
fn foot(sole: u32) -> Shape {
    let points = ring(sole, 0.04, -0.03, 1e-9)
        .chain(ring(24, 0.05, -0.0296, 5e-4))
        .chain(ring(8, 0.03, 0.03, 0.0));
    Polytope::from_points(points).unwrap().into()
}

/// On a half-space, a box and a hull, the body comes to rest, its weight is carried, and the points
/// that carry it stay.
#[test]
fn a_hull_comes_to_rest_on_the_same_points() {
    let h = 1e-3;
    let low = Se3::from_translation(Vec3::new(0.0, 0.0, -0.5));
    let corner = |i: u32| {
        let sign = |bit: u32| if i & bit == 0 { -0.5 } else { 0.5 };
        Vec3::new(sign(1), sign(2), sign(4))
    };
    let block = Polytope::from_points((0..8).map(corner)).unwrap();
    let grounds: [(Shape, Se3<f64>); 3] = [
        (Plane.into(), Se3::identity()),
        (Cuboid::new(Vec3::new(1.0, 1.0, 1.0)).into(), low),
        (block.into(), low),
    ];
    for (ground, placement) in grounds {
        for sole in [4, 7, 12, 30] {
            // The centre of mass is off the middle.
            let inertia = Inertia::cuboid(2.0, Vec3::new(0.15, 0.1, 0.06));
            let model = bodies(&[inertia], 0.0);
            let body = model.joint_id("root_0").unwrap();
            let off = Se3::from_translation(Vec3::new(0.011, -0.007, 0.0));
            let shapes = vec![
                CollisionShape::new("ground", JointId::UNIVERSE, placement, ground.clone()),
                CollisionShape::new("foot", body, off, foot(sole)),
            ];
            let contacts = contacts_of(&model, shapes, 0.8);
            let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
            let (mut q, mut v) = (model.neutral_configuration(), vec![0.0; 6]);
            q[2] = 0.0305;
            let mut carriers = Vec::new();
            for k in 0..400 {
                let report = stepping.step(0.0, &mut q, &mut v, h).unwrap();
                assert!(report.outcome.has_converged, "step {k}: {report:?}");
                if k < 300 {
                    continue;
                }
                let fastest = v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
                assert!(fastest < 1e-9, "{ground:?} {sole} step {k}: {v:?}");
                let up: f64 = stepping.contacts().iter().map(|it| it.impulse.z).sum();
                assert!((up / h - 2.0 * G).abs() < 1e-6, "{up}");
                let now: Vec<u64> = (stepping.contacts().iter())
                    .map(|it| it.contact.feature)
                    .collect();
                if carriers.is_empty() {
                    carriers.clone_from(&now);
                }
                assert_eq!(now, carriers, "{ground:?} {sole} step {k}");
            }
        }
    }
}
