//! The same motion whatever the order of bodies is, and wherever the world points.

use featherline::spatial::{Mat3, Quaternion, Vec3};
use featherline_formats::{LoadOptions, load_str_with};
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use std::fmt::Write;

/// A body of the scene: shape, place, orientation by a quaternion (x, y, z, w), velocities.
#[derive(Clone, Copy)]
struct Piece {
    name: &'static str,
    shape: &'static str,
    place: Vec3<f64>,
    turn: [f64; 4],
    velocity: Vec3<f64>,
    rate: Vec3<f64>,
}

fn pieces() -> [Piece; 4] {
    let at = Vec3::new;
    let turned = |angle: f64| {
        let (sin, cos) = (0.5 * angle).sin_cos();
        [0.0, 0.6 * sin, 0.8 * sin, cos]
    };
    let piece = |name, shape, place, turn, velocity, rate| Piece {
        name,
        shape,
        place,
        turn,
        velocity,
        rate,
    };
    [
        piece(
            "cube",
            "box = [0.2, 0.2, 0.2]",
            at(0.0, 0.0, 0.16),
            turned(0.4),
            at(1.0, 0.5, 0.0),
            at(3.0, -2.0, 1.0),
        ),
        piece(
            "ball",
            "sphere = 0.1",
            at(0.35, 0.05, 0.12),
            turned(0.0),
            at(-1.0, 0.0, 0.0),
            at(0.0, 8.0, 2.0),
        ),
        piece(
            "plank",
            "box = [0.3, 0.1, 0.05]",
            at(0.02, 0.03, 0.36),
            turned(-0.5),
            at(0.0, 0.0, -1.0),
            at(0.0, 1.0, 0.0),
        ),
        piece(
            "rod",
            "capsule = [0.04, 0.3]",
            at(0.1, -0.3, 0.13),
            turned(1.4),
            at(0.3, 2.0, 0.0),
            at(1.0, 0.0, 4.0),
        ),
    ]
}

/// How far apart motions of the same world may end, in m: collisions are solved to a millionth of
/// the speed, and grow it a little.
const SAME: f64 = 1e-5;

/// How far apart the impulses of the last step may be, in N·s: that of bodies of some kg.
const SAME_IMPULSE: f64 = 2e-5;

/// How the world differs: the order of the bodies, and an isometry of space.
struct World {
    order: [usize; 4],
    rotation: Mat3<f64>,
    is_mirrored: bool,
}

impl World {
    fn vector(&self, x: Vec3<f64>) -> Vec3<f64> {
        let y = if self.is_mirrored { -x.y } else { x.y };
        self.rotation.mul_vec(Vec3::new(x.x, y, x.z))
    }

    /// An axial vector, such as an angular velocity, which changes its sign in a mirror.
    fn axial(&self, x: Vec3<f64>) -> Vec3<f64> {
        let sign = if self.is_mirrored { -1.0 } else { 1.0 };
        self.vector(x) * sign
    }

    fn orientation(&self, [x, y, z, w]: [f64; 4]) -> [f64; 4] {
        let (x, z) = if self.is_mirrored { (-x, -z) } else { (x, z) };
        let turned = self.rotation * Quaternion::new(x, y, z, w).to_rotation();
        let q = Quaternion::from_rotation(&turned);
        [q.x, q.y, q.z, q.w]
    }

    fn back(&self, x: Vec3<f64>) -> Vec3<f64> {
        let x = self.rotation.tr_mul_vec(x);
        Vec3::new(x.x, if self.is_mirrored { -x.y } else { x.y }, x.z)
    }

    /// Where the bodies are after some steps, and the sum of the impulses of the last one, as seen
    /// in the first world.
    fn run(&self) -> ([Vec3<f64>; 4], Vec3<f64>) {
        let numbers = |x: Vec3<f64>| format!("[{:?}, {:?}, {:?}]", x.x, x.y, x.z);
        let mut scene = format!(
            "gravity = {}\n[ground]\nnormal = {}\n",
            numbers(self.vector(Vec3::new(0.0, 0.0, -9.81))),
            numbers(self.vector(Vec3::unit(2))),
        );
        let pieces = pieces();
        for &k in &self.order {
            let it = &pieces[k];
            let [vx, vy, vz] = self.vector(it.velocity).to_array();
            let [wx, wy, wz] = self.axial(it.rate).to_array();
            writeln!(
                scene,
                "[[body]]\nname = '{}'\n{}\nposition = {}\nquaternion = {:?}\n\
                 velocity = [{vx:?}, {vy:?}, {vz:?}, {wx:?}, {wy:?}, {wz:?}]",
                it.name,
                it.shape,
                numbers(self.vector(it.place)),
                self.orientation(it.turn),
            )
            .unwrap();
        }
        let scene = load_str_with(&scene, &LoadOptions::new()).unwrap();
        let contact = scene.contact_model(None).unwrap();
        let surface = Surface {
            friction: 0.6,
            restitution: 0.2,
        };
        let contacts = CollisionContacts::uniform(contact.collision, surface);
        let model = &scene.model;
        let mut stepping = TimeStepping::with(model, (), contacts).unwrap();
        let mut q = model.reference_configurations()["start"].clone();
        let mut v = scene.velocity("start").unwrap().to_vec();
        let mut touched = 0;
        // Later two pieces jam, and steps are inexact.
        for k in 0..130 {
            let report = stepping.step(0.0, &mut q, &mut v, 1e-3).unwrap();
            assert!(report.outcome.has_converged, "step {k}: {report:?}");
            let pushes = |it: &&featherline_sim::contact::ContactImpulse| it.impulse.norm() > 0.0;
            touched += stepping.contacts().iter().filter(pushes).count();
        }
        assert!(touched > 100, "{touched}");
        let places = pieces.map(|it| {
            let joint = model.joint(model.joint_id(it.name).unwrap());
            let q = &q[joint.idx_q..];
            self.back(Vec3::new(q[0], q[1], q[2]))
        });
        let on_ground = stepping.contacts().iter();
        let on_ground = on_ground.filter(|it| it.contact.bodies[0].index() == 0);
        let sum = on_ground.fold(Vec3::zero(), |sum, it| sum + it.impulse);
        (places, self.back(sum))
    }
}

fn plain() -> World {
    World {
        order: [0, 1, 2, 3],
        rotation: Mat3::identity(),
        is_mirrored: false,
    }
}

/// A simulation runs in one thread; however many run beside each other, the bits are the same.
#[test]
fn threads_do_not_change_a_bit() {
    let expected = plain().run();
    std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(|| plain().run()));
        for thread in threads {
            assert_eq!(thread.join().expect("the simulation ends"), expected);
        }
    });
}

#[test]
fn order_rotation_and_mirror_do_not_change_the_motion() {
    let plain = plain();
    let tilted = Quaternion::new(0.48, -0.6, 0.0, 0.64).to_rotation();
    let expected = plain.run();
    // Again: the same bits.
    assert_eq!(plain.run(), expected);
    let others = [
        ("order", [3, 1, 0, 2], Mat3::identity(), false),
        ("rotation", [0, 1, 2, 3], tilted, false),
        ("mirror", [0, 1, 2, 3], Mat3::identity(), true),
        ("all", [2, 3, 1, 0], tilted, true),
    ];
    for (name, order, rotation, is_mirrored) in others {
        let world = World {
            order,
            rotation,
            is_mirrored,
        };
        let found = world.run();
        for (found, expected) in found.0.iter().zip(&expected.0) {
            let apart = (*found - *expected).norm();
            println!("{name}: {apart:.1e}");
            assert!(apart < SAME, "{name}: {found:?} {expected:?}");
        }
        let apart = (found.1 - expected.1).norm();
        assert!(
            apart < SAME_IMPULSE,
            "{name}: {:?} {:?}",
            found.1,
            expected.1
        );
    }
}
