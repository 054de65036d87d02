//! Bodies that overlap are put apart by rotations and joints: the least displacement in the norm
//! of the mass matrix, beside the same in the plane by hand.

use super::{bodies_under, contacts_of, turned};
use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, Model, ModelBuilder};
use featherline::spatial::{Inertia, Mat3, Se3, Vec3};
use featherline_geometry::{CollisionModel, CollisionShape, Cuboid, Plane, Shape, Sphere};
use featherline_sim::contact::{CollisionContacts, Surface, TimeStepping};
use nalgebra::{SMatrix, SVector};

/// The overlap at the start, in m. It is known to the rounding of a metre.
const DEPTH: f64 = 5e-3;

/// The largest remainder of an overlap of 1e-7 m, in the coordinates of these scenes.
const TOLERANCE: f64 = 5e-7;

/// A short step, in which nothing moves but by being put apart.
const STEP: f64 = 1e-7;

/// The least displacement δ with φ + J δ = 0, δ = −M⁻¹ Jᵀ φ/(J M⁻¹ Jᵀ), again while the gap φ is
/// negative. `gap` gives φ and J, `mass` M, at coordinates x.
fn put_apart<const N: usize>(
    mut x: SVector<f64, N>,
    gap: impl Fn(&SVector<f64, N>) -> (f64, SVector<f64, N>),
    mass: impl Fn(&SVector<f64, N>) -> SMatrix<f64, N, N>,
) -> SVector<f64, N> {
    let (before, _) = gap(&x);
    assert!((before + DEPTH).abs() < 1e-12, "{before}");
    for _ in 0..8 {
        let (gap, jacobian) = gap(&x);
        if gap > -1e-9 {
            break;
        }
        let response = mass(&x).cholesky().expect("a mass matrix").solve(&jacobian);
        x -= response * (gap / jacobian.dot(&response));
    }
    x
}

/// Puts apart what overlaps at `q`: the configuration and the velocity after it.
fn put_apart_by_a_step(
    model: &Model,
    shapes: Vec<CollisionShape>,
    q: &[f64],
    v: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    // Those of a joint's two bodies are a pair here.
    let collision = CollisionModel::with_pairs(model, shapes, vec![[0, 1]]).unwrap();
    // Friction does not count here.
    let surface = Surface {
        friction: 0.7,
        restitution: 0.0,
    };
    let contacts = CollisionContacts::uniform(collision, surface);
    let mut stepping = TimeStepping::with(model, (), contacts).unwrap();
    let (mut q, mut v) = (q.to_vec(), v.to_vec());
    let report = stepping.step(0.0, &mut q, &mut v, STEP).unwrap();
    assert!(report.outcome.has_converged, "{report:?}");
    assert!((report.penetration - DEPTH).abs() < 1e-10, "{report:?}");
    (q, v)
}

fn shape(name: &str, body: JointId, x: f64, shape: impl Into<Shape>) -> CollisionShape {
    let placement = Se3::from_translation(Vec3::new(x, 0.0, 0.0));
    CollisionShape::new(name, body, placement, shape.into())
}

fn ground() -> CollisionShape {
    shape("ground", JointId::UNIVERSE, 0.0, Plane)
}

/// The angle about y of a free body's configuration.
fn angle(q: &[f64]) -> f64 {
    2.0 * q[4].atan2(q[6])
}

fn is_near(found: &[f64], expected: &[f64]) {
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max);
    println!("{found:?}: apart {apart:.1e}");
    assert!(apart < TOLERANCE, "{found:?} {expected:?}");
}

/// The sides of a box, in m, and its mass.
const SIDES: [f64; 3] = [0.4, 0.2, 0.1];
const MASS: f64 = 2.0;

fn sides() -> Vec3<f64> {
    let [x, y, z] = SIDES;
    Vec3::new(x, y, z)
}

/// The depth of the lower edge of a box that is rotated by an angle about y, below its centre, and
/// its derivative by the angle, which is the distance of the edge from the centre along x.
fn lower_edge(angle: f64) -> (f64, f64) {
    let (sin, cos) = angle.sin_cos();
    let [x, _, z] = SIDES.map(|side| 0.5 * side);
    (x * sin + z * cos, x * cos - z * sin)
}

/// The height and the angle of the box once its edge is out of the ground.
fn edge_out(angle: f64) -> SVector<f64, 2> {
    let about_y = MASS * (SIDES[0] * SIDES[0] + SIDES[2] * SIDES[2]) / 12.0;
    let height = lower_edge(angle).0 - DEPTH;
    // φ = z − s(α)
    put_apart(
        SVector::from([height, angle]),
        |x| {
            let (edge, arm) = lower_edge(x[1]);
            (x[0] - edge, SVector::from([1.0, -arm]))
        },
        |_| SMatrix::from_diagonal(&SVector::from([MASS, about_y])),
    )
}

/// A box with an edge in the ground rises and rotates, and keeps its velocity in the world.
#[test]
fn a_box_with_an_edge_in_the_ground_rotates() {
    let inertia = Inertia::cuboid(MASS, sides());
    let model = bodies_under(&[inertia], Vec3::zero());
    let body = model.joint_id("root_0").unwrap();
    for tilt in [-0.6, -0.2, 0.1, 0.3, 0.8] {
        let [height, after] = edge_out(f64::abs(tilt)).into();
        // A box tilted to the other side is the mirror image.
        let after = f64::copysign(after, tilt);
        assert!((after - tilt).abs() > DEPTH, "{after} {tilt}");
        let q = turned(0.3, lower_edge(tilt.abs()).0 - DEPTH, tilt);
        let shapes = vec![ground(), shape("box", body, 0.0, Cuboid::new(sides()))];
        let world = Vec3::new(0.3, -0.1, 0.5);
        let rotation = |q: &[f64]| Mat3::from_axis_angle(Vec3::unit(1), angle(q));
        let own = rotation(&q).tr_mul_vec(world).to_array();
        let v = [own[0], own[1], own[2], 0.0, 0.0, 0.0];
        let (q, v) = put_apart_by_a_step(&model, shapes, &q, &v);
        is_near(&[q[0], q[2], angle(&q)], &[0.3, height, after]);
        let now = rotation(&q).mul_vec(Vec3::new(v[0], v[1], v[2]));
        assert!((now - world).norm() < 1e-12, "{now:?}");
        assert!(v[3..].iter().all(|v| v.abs() < 1e-12), "{v:?}");
    }
}

/// The same of a box on a planar joint, in the plane of x and z.
#[test]
fn a_planar_box_with_an_edge_in_the_ground_rotates() {
    let mut builder = ModelBuilder::new("planar");
    builder.gravity(Vec3::zero());
    // The joint's y is the world's z, and its z is against the world's y.
    let axes = Mat3::from_columns(Vec3::unit(0), Vec3::unit(2), Vec3::unit(1) * -1.0);
    let placement = Se3::new(axes, Vec3::zero());
    let planar = JointSpec::new("planar", ModelBuilder::UNIVERSE, JointKind::Planar);
    let planar = builder.add_joint(planar.placement(placement));
    let sides = Vec3::new(SIDES[0], SIDES[2], SIDES[1]);
    let inertia = Inertia::cuboid(MASS, sides);
    builder.add_body(planar, "box", Se3::identity(), inertia);
    let model = builder.build().unwrap().model;
    let body = model.joint_id("planar").unwrap();
    for tilt in [0.1, 0.5] {
        let [height, after] = edge_out(tilt).into();
        let (sin, cos) = f64::sin_cos(-tilt);
        let q = [0.3, lower_edge(tilt).0 - DEPTH, cos, sin];
        let shapes = vec![ground(), shape("box", body, 0.0, Cuboid::new(sides))];
        // Straight up.
        let (q, v) = put_apart_by_a_step(&model, shapes, &q, &[0.5 * sin, 0.5 * cos, 0.0]);
        is_near(&[q[0], q[1], -q[3].atan2(q[2])], &[0.3, height, after]);
        let world = [q[2] * v[0] - q[3] * v[1], q[3] * v[0] + q[2] * v[1]];
        assert!(world[0].abs() < 1e-12 && (world[1] - 0.5).abs() < 1e-12);
    }
}

/// A ball in the end of a plank that floats: both move, and the plank rotates.
#[test]
fn a_ball_rotates_the_plank_that_it_is_in() {
    let (radius, thickness, at) = (0.05, 0.02, 0.4);
    let (plank, ball) = (1.5, 0.7);
    let sides = Vec3::new(1.0, 0.3, thickness);
    let inertias = [Inertia::cuboid(plank, sides), Inertia::sphere(ball, radius)];
    let model = bodies_under(&inertias, Vec3::zero());
    let [first, second] = ["root_0", "root_1"].map(|name| model.joint_id(name).unwrap());
    let about_y = plank * (sides.x * sides.x + thickness * thickness) / 12.0;
    let touching = 0.5 * thickness + radius;
    for tilt in [0.0_f64, -0.7] {
        let (sin, cos) = tilt.sin_cos();
        let high = touching - DEPTH;
        let start = SVector::from([
            0.1,
            0.2,
            tilt,
            0.1 + cos * at + sin * high,
            0.2 - sin * at + cos * high,
        ]);
        // φ = n · (c_ball − c_plank) − t/2 − R, with n = (sin α, cos α), n' = (cos α, −sin α)
        let gap = |x: &SVector<f64, 5>| {
            let (sin, cos) = x[2].sin_cos();
            let way = [x[3] - x[0], x[4] - x[1]];
            (
                sin * way[0] + cos * way[1] - touching,
                SVector::from([-sin, -cos, cos * way[0] - sin * way[1], sin, cos]),
            )
        };
        let mass = SMatrix::from_diagonal(&SVector::from([plank, plank, about_y, ball, ball]));
        let expected = put_apart(start, gap, |_| mass);
        assert!((expected[2] - tilt).abs() > 0.5 * DEPTH);
        let q = [
            turned(start[0], start[1], tilt),
            turned(start[3], start[4], 0.0),
        ];
        let shapes = vec![
            shape("plank", first, 0.0, Cuboid::new(sides)),
            shape("ball", second, 0.0, Sphere::new(radius)),
        ];
        let (q, _) = put_apart_by_a_step(&model, shapes, &q.concat(), &[0.0; 12]);
        is_near(
            &[q[0], q[2], angle(&q), q[7], q[9], angle(&q[7..])],
            &[expected.as_slice(), &[0.0]].concat(),
        );
    }
}

/// A ball in a door: the door rotates about its hinge.
#[test]
fn a_door_gives_way_to_a_ball() {
    let (radius, width, thickness, at) = (0.1, 0.8, 0.04, 0.6);
    let (door, ball) = (3.0, 2.0);
    let sides = Vec3::new(width, thickness, 2.0);
    let mut builder = ModelBuilder::new("door");
    builder.gravity(Vec3::zero());
    let hinge = JointSpec::new("hinge", ModelBuilder::UNIVERSE, JointKind::revolute_z());
    let hinge = builder.add_joint(hinge);
    let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let root = builder.add_joint(root);
    let middle = Se3::from_translation(Vec3::new(0.5 * width, 0.0, 0.0));
    builder.add_body(hinge, "door", middle, Inertia::cuboid(door, sides));
    builder.add_body(root, "ball", Se3::identity(), Inertia::sphere(ball, radius));
    let model = builder.build().unwrap().model;
    let [hinge, root] = ["hinge", "root"].map(|name| model.joint_id(name).unwrap());
    let about_hinge = door * ((width * width + thickness * thickness) / 12.0 + width * width / 4.0);
    let touching = 0.5 * thickness + radius;
    let opened: f64 = 0.5;
    let (sin, cos) = opened.sin_cos();
    let high = touching - DEPTH;
    let start = SVector::from([opened, cos * at - sin * high, sin * at + cos * high]);
    // φ = n · c − t/2 − R, with n = (−sin θ, cos θ), n' = (−cos θ, −sin θ)
    let gap = |x: &SVector<f64, 3>| {
        let (sin, cos) = x[0].sin_cos();
        (
            cos * x[2] - sin * x[1] - touching,
            SVector::from([-cos * x[1] - sin * x[2], -sin, cos]),
        )
    };
    let mass = SMatrix::from_diagonal(&SVector::from([about_hinge, ball, ball]));
    let expected = put_apart(start, gap, |_| mass);
    assert!((expected[0] - opened).abs() > 0.5 * DEPTH);
    let q = [start[0], start[1], start[2], 0.0, 0.0, 0.0, 0.0, 1.0];
    let shapes = vec![
        shape("door", hinge, 0.5 * width, Cuboid::new(sides)),
        shape("ball", root, 0.0, Sphere::new(radius)),
    ];
    let (q, _) = put_apart_by_a_step(&model, shapes, &q, &[0.0; 7]);
    is_near(&q[..3], expected.as_slice());
}

/// A point of an arm in the plane of x and z, at the end of rods of a chain, by the angles of the
/// rods from straight down: its height above the first hinge, and its Jacobian by rows x, z.
fn end<const N: usize>(lengths: [f64; N], angles: [f64; N]) -> (f64, SMatrix<f64, 2, N>) {
    let (mut height, mut jacobian) = (0.0, SMatrix::zeros());
    for (k, (length, angle)) in lengths.into_iter().zip(angles).enumerate() {
        // A rotation by α about y takes (0, −l) to (−l sin α, −l cos α).
        let (sin, cos) = angle.sin_cos();
        height -= length * cos;
        jacobian[(0, k)] = -length * cos;
        jacobian[(1, k)] = length * sin;
    }
    (height, jacobian)
}

/// A ball at the end of a double pendulum, in the ground: both joints move. That of a pendulum of
/// one rod has no choice.
#[test]
fn pendulums_whose_end_is_in_the_ground_move_their_joints() {
    let radius = 0.05;
    let masses = [1.2, 0.8];
    let own = masses.map(|mass| 0.4 * mass * radius * radius);
    let lengths = [0.6, 0.5];
    for angles in [[0.4, 1.1], [0.9, -0.5], [0.5, 0.5]] {
        let height = radius - DEPTH - end(lengths, angles).0;
        let gap = |x: &SVector<f64, 2>| {
            let (end, jacobian) = end(lengths, (*x).into());
            (height + end - radius, jacobian.row(1).transpose())
        };
        // M = Σ m Jᵀ J + I, in the angles of the rods.
        let mass = |x: &SVector<f64, 2>| {
            let upper = end([lengths[0], 0.0], (*x).into()).1;
            let lower = end(lengths, (*x).into()).1;
            upper.transpose() * upper * masses[0]
                + lower.transpose() * lower * masses[1]
                + SMatrix::from_diagonal(&SVector::from(own))
        };
        let expected = put_apart(SVector::from(angles), gap, mass);
        let mut builder = ModelBuilder::new("pendulum");
        builder.gravity(Vec3::zero());
        let at = |z: f64| Se3::from_translation(Vec3::new(0.0, 0.0, z));
        let mut parent = ModelBuilder::UNIVERSE;
        let mut below = at(height);
        for k in 0..2 {
            let name = format!("joint_{k}");
            let joint = JointSpec::new(name, parent, JointKind::revolute_y()).placement(below);
            parent = builder.add_joint(joint);
            below = at(-lengths[k]);
            let ball = Inertia::sphere(masses[k], radius);
            builder.add_body(parent, format!("ball_{k}"), below, ball);
        }
        let model = builder.build().unwrap().model;
        let lower = model.joint_id("joint_1").unwrap();
        let ball = CollisionShape::new("ball", lower, below, Sphere::new(radius));
        let q = [angles[0], angles[1] - angles[0]];
        let (q, _) = put_apart_by_a_step(&model, vec![ground(), ball], &q, &[0.0; 2]);
        is_near(&[q[0], q[0] + q[1]], expected.as_slice());
        assert!((expected - SVector::from(angles)).amin() > 1e-5);
    }

    let (length, angle) = (0.7_f64, 0.8_f64);
    let height = length * angle.cos() + radius - DEPTH;
    let mut builder = ModelBuilder::new("pendulum");
    builder.gravity(Vec3::zero());
    let up = Se3::from_translation(Vec3::new(0.0, 0.0, height));
    let joint = JointSpec::new("joint", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let joint = builder.add_joint(joint.placement(up));
    let down = Se3::from_translation(Vec3::new(0.0, 0.0, -length));
    builder.add_body(joint, "ball", down, Inertia::sphere(1.0, radius));
    let model = builder.build().unwrap().model;
    let joint = model.joint_id("joint").unwrap();
    let ball = CollisionShape::new("ball", joint, down, Sphere::new(radius));
    let (q, _) = put_apart_by_a_step(&model, vec![ground(), ball], &[angle], &[0.0]);
    // φ = H − R − l cos α
    is_near(&q, &[angle + DEPTH / (length * angle.sin())]);
}

/// A base that floats with an arm whose end is in the ground: base and joint move.
#[test]
fn a_floating_base_and_its_arm_move() {
    let (radius, length, off) = (0.05, 0.5, 0.3);
    let (base, ball) = (2.0, 0.8);
    let sides = Vec3::new(0.8, 0.3, 0.2);
    let about_y = base * (sides.x * sides.x + sides.z * sides.z) / 12.0;
    let own = 0.4 * ball * radius * radius;
    let mut builder = ModelBuilder::new("base");
    builder.gravity(Vec3::zero());
    let root = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let root = builder.add_joint(root);
    let front = Se3::from_translation(Vec3::new(off, 0.0, 0.0));
    let arm = JointSpec::new("arm", root, JointKind::revolute_y()).placement(front);
    let arm = builder.add_joint(arm);
    let down = Se3::from_translation(Vec3::new(0.0, 0.0, -length));
    builder.add_body(root, "base", Se3::identity(), Inertia::cuboid(base, sides));
    builder.add_body(arm, "ball", down, Inertia::sphere(ball, radius));
    let model = builder.build().unwrap().model;
    let arm = model.joint_id("arm").unwrap();
    // The ball by the base's place and angle and the arm's angle: the hinge is at (e cos β,
    // −e sin β) of the base.
    let of_ball = |x: &SVector<f64, 4>| {
        let (height, jacobian) = end([length], [x[3]]);
        let (sin, cos) = x[2].sin_cos();
        let rows = SMatrix::<f64, 2, 4>::from_row_slice(&[
            1.0,
            0.0,
            -off * sin,
            jacobian[0],
            0.0,
            1.0,
            -off * cos,
            jacobian[1],
        ]);
        (x[1] - off * sin + height, rows)
    };
    for (tilt, hang) in [(0.2, 0.9), (-0.4, -0.6)] {
        let mut start = SVector::from([0.1, 0.0, tilt, hang]);
        start[1] = radius - DEPTH - of_ball(&start).0;
        let gap = |x: &SVector<f64, 4>| {
            let (height, rows) = of_ball(x);
            (height - radius, rows.row(1).transpose())
        };
        let mass = |x: &SVector<f64, 4>| {
            let rows = of_ball(x).1;
            SMatrix::from_diagonal(&SVector::from([base, base, about_y, own]))
                + rows.transpose() * rows * ball
        };
        let expected = put_apart(start, gap, mass);
        let way = (expected - start).abs();
        assert!(way[2] > 1e-4 && way[3] > 1e-4, "{way}");
        let q = [&turned(start[0], start[1], tilt)[..], &[hang - tilt]].concat();
        let shapes = vec![
            ground(),
            CollisionShape::new("ball", arm, down, Sphere::new(radius)),
        ];
        let (q, _) = put_apart_by_a_step(&model, shapes, &q, &[0.0; 7]);
        is_near(
            &[q[0], q[2], angle(&q), angle(&q) + q[7]],
            expected.as_slice(),
        );
    }
}

/// Less overlap than is put apart at once is undone by a fifth in a step, but for the 1e-8 m that a
/// step undoes whole; more leaves no speed but that of the 1e-7 m that are left.
#[test]
fn a_small_overlap_gives_little_speed() {
    let (radius, h) = (0.05, 1e-4);
    let model = bodies_under(&[Inertia::sphere(1.0, radius)], Vec3::zero());
    let body = model.joint_id("root_0").unwrap();
    for (depth, undone) in [(1e-7, 2e-8), (1e-6, 2e-7), (9e-6, 1.8e-6), (9e-5, 2e-8)] {
        let shapes = vec![ground(), shape("ball", body, 0.0, Sphere::new(radius))];
        let contacts = contacts_of(&model, shapes, 0.7);
        let mut stepping = TimeStepping::with(&model, (), contacts).unwrap();
        let (mut q, mut v) = (turned(0.0, radius - depth, 0.0), [0.0; 6]);
        stepping.step(0.0, &mut q, &mut v, h).unwrap();
        assert!(v[2] < (undone + 1.01e-8) / h, "{depth}: {v:?}");
        assert!(q[2] > radius - depth, "{depth}: {q:?}");
    }
}
