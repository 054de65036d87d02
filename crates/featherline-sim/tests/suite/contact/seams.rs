//! Bodies that slide and roll over boxes side by side, as over one box.

use super::{G, bodies, contacts_of, exact};
use featherline::model::JointId;
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline_geometry::{Capsule, CollisionShape, Cuboid, Cylinder, Shape, Sphere};
use featherline_sim::contact::TimeStepping;

const STEP: f64 = 1e-3;
/// The length of a box of the floor, in m.
const TILE: f64 = 0.5;

fn v3(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// Ten boxes side by side along x whose tops are at these heights, and a body.
struct Floor {
    heights: [f64; 10],
    friction: f64,
}

impl Floor {
    /// The state of a body after some seconds, from a configuration and a velocity.
    fn run(
        &self,
        (shape, inertia): (&Shape, Inertia<f64>),
        (mut q, mut v): ([f64; 7], [f64; 6]),
        seconds: f64,
    ) -> ([f64; 7], [f64; 6]) {
        let model = bodies(&[inertia], 0.0);
        let body = model.joint_id("root_0").unwrap();
        let tile = |k: usize, height: f64| {
            let at = v3(TILE * k as f64, 0.0, height - 0.1);
            let shape = Cuboid::new(v3(TILE, 2.0, 0.2));
            CollisionShape::new(
                format!("tile_{k}"),
                JointId::UNIVERSE,
                Se3::from_translation(at),
                shape,
            )
        };
        let mut shapes: Vec<_> = (self.heights.iter().enumerate())
            .map(|(k, &height)| tile(k, height))
            .collect();
        shapes.push(CollisionShape::new(
            "body",
            body,
            Se3::identity(),
            shape.clone(),
        ));
        let contacts = contacts_of(&model, shapes, self.friction);
        let stepping = TimeStepping::with(&model, (), contacts).unwrap();
        let mut stepping = stepping.with_options(exact());
        for _ in 0..(seconds / STEP) as usize {
            stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
        }
        (q, v)
    }
}

/// Where a body comes to rest that slides from a speed: the velocity falls by μ g h in each step.
fn stops_after(speed: f64, friction: f64) -> f64 {
    let loss = friction * G * STEP;
    let steps = (speed / loss) as usize;
    (1..=steps).map(|k| STEP * (speed - loss * k as f64)).sum()
}

#[test]
fn what_slides_over_seams_goes_straight_and_stops_as_on_one_box() {
    let (friction, speed) = (0.1, 2.0);
    let cube: Shape = Cuboid::new(v3(0.1, 0.1, 0.1)).into();
    let post: Shape = Cylinder::new(0.05, 0.1).into();
    // Tops that are flush, and that differ by a nanometre.
    let rough = std::array::from_fn(|k| [0.0, 1e-9, -1e-9][k % 3]);
    for shape in [&cube, &post] {
        for heights in [[0.0; 10], rough] {
            for y in [0.0, 0.01, 0.02] {
                let floor = Floor { heights, friction };
                let inertia = Inertia::cuboid(1.0, v3(0.1, 0.1, 0.1));
                let start = (
                    [0.0, y, 0.05, 0.0, 0.0, 0.0, 1.0],
                    [speed, 0.0, 0.0, 0.0, 0.0, 0.0],
                );
                let (q, v) = floor.run((shape, inertia), start, 2.5);
                let stop = stops_after(speed, friction);
                assert!((q[0] - stop).abs() < 1e-6, "{shape:?} {heights:?}: {q:?}");
                assert!((q[1] - y).abs() < 1e-6, "{shape:?} {heights:?}: {q:?}");
                assert!(q[6] > 1.0 - 1e-12, "{shape:?} {heights:?}: {q:?}");
                assert!(v.iter().all(|v| v.abs() < 1e-9), "{v:?}");
            }
        }
    }
}

#[test]
fn what_rolls_over_seams_loses_no_energy() {
    let radius = 0.05;
    let (upright, on_side) = (
        [0.0, 0.0, 0.0, 1.0],
        [0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()],
    );
    let bodies: [(Shape, [f64; 4]); 3] = [
        (Sphere::new(radius).into(), upright),
        (Capsule::new(radius, 0.1).into(), on_side),
        (Cylinder::new(radius, 0.1).into(), on_side),
    ];
    for (shape, turn) in bodies {
        // The moment about the axis of rolling is that of a ball in each case.
        let inertia = Inertia::sphere(1.0, radius);
        let [x, y, z, w] = turn;
        let rate = 2.0 / radius;
        // Rolling about the y of the world: against z of a body on its side.
        let spin = if w < 1.0 {
            [0.0, 0.0, -rate]
        } else {
            [0.0, rate, 0.0]
        };
        // Velocities are those in the body, whose x is that of the world.
        let start = (
            [0.013, 0.0, radius, x, y, z, w],
            [2.0, 0.0, 0.0, spin[0], spin[1], spin[2]],
        );
        let energy = |v: &[f64; 6]| {
            let square = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>();
            0.5 * square(&v[..3]) + 0.5 * 0.4 * radius * radius * square(&v[3..])
        };
        let floor = Floor {
            heights: [0.0; 10],
            friction: 0.5,
        };
        let (q, v) = floor.run((&shape, inertia), start, 2.0);
        let lost = 1.0 - energy(&v) / energy(&start.1);
        assert!(lost.abs() < 1e-9, "{shape:?}: {lost}");
        assert!((q[0] - 4.013).abs() < 1e-6, "{shape:?}: {q:?}");
    }
}

#[test]
fn a_step_of_a_millimetre_stops_a_cube() {
    let cube: Shape = Cuboid::new(v3(0.1, 0.1, 0.1)).into();
    let mut heights = [0.0; 10];
    heights[2..].fill(1e-3);
    let floor = Floor {
        heights,
        friction: 0.0,
    };
    let inertia = Inertia::cuboid(1.0, v3(0.1, 0.1, 0.1));
    let start = (
        [0.3, 0.0, 0.05, 0.0, 0.0, 0.0, 1.0],
        [0.1, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    // The step is at 0.75 m: the cube's front, 0.05 m ahead, reaches it after 4 s. The cube rocks
    // on it, as it is met far below its centre, and slides back.
    let (q, _) = floor.run((&cube, inertia), start, 5.0);
    assert!((0.6..0.7 + 1e-6).contains(&q[0]), "{q:?}");
    assert!((q[2] - 0.05).abs() < 1e-6, "{q:?}");
}
