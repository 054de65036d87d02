//! Stability on a support polygon: each of its corners counts.

use super::{G, at_height, bodies, contacts_of};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
use featherline_geometry::{CollisionShape, Cuboid, Plane, Shape};
use featherline_sim::contact::TimeStepping;

const STEP: f64 = 1e-3;
const MASS: f64 = 2.0;
/// Half the sides of the box, in m.
const HALF: [f64; 3] = [0.1, 0.15, 0.2];
/// Its rotational inertia about the centre of mass, which is that of no box of its size, in kg·m².
const ABOUT: f64 = 0.02;

/// A body that stood on a ground for some steps, with its centre of mass off the middle: the
/// configuration and the velocity at the end, the velocity after the first step, and the centre of
/// pressure of the last one.
struct Stood {
    q: [f64; 7],
    v: [f64; 6],
    first: [f64; 6],
    pressure: Vec3<f64>,
}

fn stand((ground, placement): (&Shape, Se3<f64>), off: [f64; 2], steps: usize) -> Stood {
    let com = Vec3::new(off[0], off[1], 0.0);
    let about = Sym3::diagonal(Vec3::new(ABOUT, ABOUT, ABOUT));
    let model = bodies(&[Inertia::new(MASS, com, about)], 0.0);
    let body = model.joint_id("root_0").unwrap();
    let shapes = vec![
        CollisionShape::new("ground", JointId::UNIVERSE, placement, ground.clone()),
        CollisionShape::new(
            "box",
            body,
            Se3::identity(),
            Cuboid::new(Vec3::new(HALF[0], HALF[1], HALF[2]) * 2.0),
        ),
    ];
    let contacts = contacts_of(&model, shapes, 0.8);
    let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
    let (mut q, mut v, mut first) = (at_height(HALF[2]), [0.0; 6], [0.0; 6]);
    for k in 0..steps {
        let report = stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
        assert!(report.outcome.has_converged, "{off:?} step {k}: {report:?}");
        if k == 0 {
            first = v;
        }
    }
    let contacts = stepping.contacts().iter();
    let (mut moment, mut sum) = (Vec3::zero(), 0.0);
    for it in contacts {
        moment += it.contact.point * it.normal_impulse();
        sum += it.normal_impulse();
    }
    Stood {
        q,
        v,
        first,
        pressure: moment * (1.0 / sum),
    }
}

/// The ground under the box: a shape, its placement, and half the sides of the support.
type Ground = ((Shape, Se3<f64>), [f64; 2]);

/// A half-space, a larger box, and one that is narrower, whose corners are then the support's.
fn grounds() -> [Ground; 3] {
    let low = Se3::from_translation(Vec3::new(0.0, 0.0, -0.5));
    let cuboid = |x: f64, y: f64| Cuboid::new(Vec3::new(2.0 * x, 2.0 * y, 1.0)).into();
    [
        ((Plane.into(), Se3::identity()), [HALF[0], HALF[1]]),
        ((cuboid(1.0, 1.0), low), [HALF[0], HALF[1]]),
        ((cuboid(0.06, 0.08), low), [0.06, 0.08]),
    ]
}

/// A box stands while its centre of mass is over its support, near each of the four corners.
#[test]
fn a_box_stands_on_each_of_its_corners() {
    for ((ground, placement), [x, y]) in grounds() {
        for (side, front) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            // Out of the triangle of each three corners that leaves out the nearest one.
            let off = [0.9 * side * x, 0.9 * front * y];
            let Stood { q, v, pressure, .. } = stand((&ground, placement), off, 100);
            let moved = q.iter().zip(at_height(HALF[2])).map(|(a, b)| (a - b).abs());
            assert!(
                moved.fold(0.0, f64::max) < 1e-9,
                "{ground:?} {off:?}: {q:?}"
            );
            assert!(v.iter().all(|v| v.abs() < 1e-9), "{v:?}");
            // The weight acts below the centre of mass.
            let apart = (pressure - Vec3::new(off[0], off[1], 0.0)).norm();
            assert!(apart < 1e-6, "{ground:?} {off:?}: {pressure:?}");
        }
    }
}

/// It tips once its centre of mass is beyond an edge, at the rate of a body that rotates about it.
#[test]
fn a_box_tips_over_each_of_its_edges() {
    for ((ground, placement), [x, y]) in grounds() {
        for (ratio, side, is_front) in [0.995, 1.005]
            .into_iter()
            .flat_map(|ratio| [-1.0, 1.0].map(|side| (ratio, side)))
            .flat_map(|(ratio, side)| [false, true].map(|front| (ratio, side, front)))
        {
            let edge = if is_front { y } else { x };
            let mut off = [0.0; 2];
            off[usize::from(is_front)] = side * ratio * edge;
            let stood = stand((&ground, placement), off, 20);
            // About the y axis towards x, against the x axis towards y.
            let rate = match is_front {
                false => side * stood.first[4],
                true => -side * stood.first[3],
            };
            // (I + m r²) ω̇ = m g (c − b)
            let arm = ratio * edge - edge;
            let about = ABOUT + MASS * (arm * arm + HALF[2] * HALF[2]);
            let expected = (STEP * MASS * G * arm / about).max(0.0);
            assert!(
                (rate - expected).abs() < 1e-6 * STEP * G,
                "{ground:?} {off:?}: {rate} {expected}"
            );
            let tips = stood.q[3].hypot(stood.q[4]) > 1e-7;
            assert_eq!(tips, ratio > 1.0, "{ground:?} {off:?}: {:?}", stood.q);
        }
    }
}
