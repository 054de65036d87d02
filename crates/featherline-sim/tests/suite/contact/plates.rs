//! Fast bodies and a plate of a millimetre: nothing passes through.

use super::{at_height, bodies_under, contacts_of, exact};
use featherline::model::{JointId, Model};
use featherline::spatial::{Inertia, Mat3, Quaternion, Se3, Vec3};
use featherline_geometry::{CollisionShape, Cuboid, Shape, Sphere, separation};
use featherline_sim::contact::{CollisionContacts, TimeStepping};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STEP: f64 = 1e-3;
/// The sides of the plate, in m.
const PLATE: [f64; 3] = [1.0, 1.0, 1e-3];
const RADIUS: f64 = 0.01;
/// The masses of what is fast and of a plate that floats, in kg.
const MASSES: [f64; 2] = [0.1, 0.5];

fn plate() -> Shape {
    let [x, y, z] = PLATE;
    Cuboid::new(Vec3::new(x, y, z)).into()
}

/// A body, and a plate at the origin, fixed or floating; without gravity.
struct Scene {
    model: Model,
    shape: Shape,
    is_fixed: bool,
}

impl Scene {
    fn new(shape: impl Into<Shape>, inertia: Inertia<f64>, is_fixed: bool) -> Self {
        let [x, y, z] = PLATE;
        let sheet = Inertia::cuboid(MASSES[1], Vec3::new(x, y, z));
        let inertias = [inertia, sheet];
        let count = if is_fixed { 1 } else { 2 };
        Self {
            model: bodies_under(&inertias[..count], Vec3::zero()),
            shape: shape.into(),
            is_fixed,
        }
    }

    fn stepping(&self, friction: f64) -> TimeStepping<'_, (), CollisionContacts> {
        let id = |name| self.model.joint_id(name).unwrap();
        let carrier = match self.is_fixed {
            true => JointId::UNIVERSE,
            false => id("root_1"),
        };
        let shapes = [
            ("plate", carrier, plate()),
            ("body", id("root_0"), self.shape.clone()),
        ];
        let shapes = shapes
            .map(|(name, body, shape)| CollisionShape::new(name, body, Se3::identity(), shape));
        let contacts = contacts_of(&self.model, shapes.into(), friction);
        let stepping = TimeStepping::with(&self.model, (), contacts).unwrap();
        stepping.with_options(exact())
    }

    /// The state of a body at a place with an orientation and a velocity in the world, and of the
    /// plate.
    fn start(&self, place: Vec3<f64>, turn: Quaternion<f64>, world: Vec3<f64>) -> [Vec<f64>; 2] {
        let own = turn.conjugate().rotate(world).to_array();
        let mut q = [&place.to_array()[..], &turn.to_array()].concat();
        let mut v = [&own[..], &[0.0; 3]].concat();
        if !self.is_fixed {
            q.extend(at_height(0.0));
            v.extend([0.0; 6]);
        }
        [q, v]
    }

    /// Where the body is, and the plate.
    fn placements(&self, q: &[f64]) -> [Se3<f64>; 2] {
        let placement = |q: &[f64]| {
            let turn = Quaternion::new(q[3], q[4], q[5], q[6]);
            Se3::new(turn.to_rotation(), Vec3::new(q[0], q[1], q[2]))
        };
        let plate = match self.is_fixed {
            true => Se3::identity(),
            false => placement(&q[7..]),
        };
        [placement(q), plate]
    }

    /// The place of the body in the plate's frame, and their distance.
    fn above(&self, q: &[f64]) -> (Vec3<f64>, f64) {
        let [body, sheet] = self.placements(q);
        let found = separation(&plate(), &sheet, &self.shape, &body).unwrap();
        let place = sheet
            .rotation
            .tr_mul_vec(body.translation - sheet.translation);
        (place, found.distance)
    }

    /// p of all bodies.
    fn momentum(&self, q: &[f64], v: &[f64]) -> Vec3<f64> {
        let [body, sheet] = self.placements(q);
        let of = |frame: &Mat3<f64>, v: &[f64], mass: f64| {
            frame.mul_vec(Vec3::new(v[0], v[1], v[2])) * mass
        };
        let own = of(&body.rotation, v, MASSES[0]);
        match self.is_fixed {
            true => own,
            false => own + of(&sheet.rotation, &v[6..], MASSES[1]),
        }
    }
}

/// A ball stops on a fixed plate, wherever the step begins, and keeps its speed along it; a plate
/// that floats goes on with it.
#[test]
fn a_fast_ball_stops_at_a_thin_plate() {
    let ball = Inertia::sphere(MASSES[0], RADIUS);
    let upright = Quaternion::new(0.0, 0.0, 0.0, 1.0);
    let on = 0.5 * PLATE[2] + RADIUS;
    for is_fixed in [true, false] {
        let scene = Scene::new(Sphere::new(RADIUS), ball, is_fixed);
        for (speed, along) in [(100.0, 0.0), (100.0, 30.0), (1000.0, 0.0)] {
            for part in 0..12 {
                // A twelfth of a step further each time.
                let height = on + speed * STEP * (1.0 + f64::from(part) / 12.0);
                let along = if is_fixed { along } else { 0.0 };
                let place = Vec3::new(-along * STEP * 2.0, 0.0, height);
                let world = Vec3::new(along, 0.0, -speed);
                let [mut q, mut v] = scene.start(place, upright, world);
                let mut stepping = scene.stepping(0.0);
                for _ in 0..6 {
                    stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
                    assert!(scene.above(&q).1 > -1e-9, "{q:?}");
                }
                let (place, distance) = scene.above(&q);
                // A gap of 1e-10 m counts as none.
                assert!(
                    place.z > 0.0 && distance.abs() < 1e-9,
                    "{place:?} {distance}"
                );
                let common = match is_fixed {
                    true => 0.0,
                    false => -speed * MASSES[0] / (MASSES[0] + MASSES[1]),
                };
                assert!((v[2] - common).abs() < 1e-9 * speed, "{v:?} {common}");
                assert!((v[0] - along).abs() < 1e-9, "{v:?}");
                if !is_fixed {
                    assert!((v[8] - common).abs() < 1e-9 * speed, "{v:?} {common}");
                }
            }
        }
    }
}

/// Balls and boxes of any orientation, anywhere on the plate, that flies and spins once it is hit.
#[test]
fn nothing_fast_passes_through_a_thin_plate() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let sides = [Vec3::new(0.02, 0.02, 0.02), Vec3::new(0.01, 0.03, 0.05)];
    let (mut deepest, mut hits) = (0.0_f64, 0);
    for is_fixed in [true, false] {
        for kind in 0..3 {
            let scene = match sides.get(kind) {
                Some(sides) => {
                    let inertia = Inertia::cuboid(MASSES[0], *sides);
                    Scene::new(Cuboid::new(*sides), inertia, is_fixed)
                }
                None => {
                    let inertia = Inertia::sphere(MASSES[0], RADIUS);
                    Scene::new(Sphere::new(RADIUS), inertia, is_fixed)
                }
            };
            for _ in 0..60 {
                let mut any = || rng.random_range(-1.0..1.0);
                let turn = Quaternion::from_parts(Vec3::new(any(), any(), any()), any());
                let place = Vec3::new(0.35 * any(), 0.35 * any(), 0.15 + 0.1 * any());
                let world = Vec3::new(10.0 * any(), 10.0 * any(), -100.0);
                let [mut q, mut v] = scene.start(place, turn.normalised(), world);
                let before = scene.momentum(&q, &v);
                let mut stepping = scene.stepping(0.5);
                let mut was_hit = false;
                for k in 0..40 {
                    stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
                    was_hit |= stepping
                        .contacts()
                        .iter()
                        .any(|it| it.normal_impulse() > 0.0);
                    let (place, distance) = scene.above(&q);
                    if place.x.abs() > 0.5 || place.y.abs() > 0.5 {
                        break;
                    }
                    deepest = deepest.max(-distance);
                    assert!(place.z > 0.0, "{is_fixed} {kind} step {k}: {place:?}");
                    if !is_fixed {
                        let apart = (scene.momentum(&q, &v) - before).norm();
                        assert!(apart < 1e-12 * before.norm(), "{apart}");
                    }
                }
                hits += usize::from(was_hit);
            }
        }
    }
    println!("{hits} hits, deepest overlap {deepest:.1e} m");
    assert_eq!(hits, 360);
}
