//! The collision shapes of the embedded robots, and scenes that name the robots.

use featherline::Workspace;
use featherline::spatial::{Se3, Vec3};
use featherline_formats::{LoadOptions, load_str_with};
use featherline_geometry::Shape;
use featherline_robots as robots;

/// The point of a placed shape that is farthest in a direction.
fn support(shape: &Shape, at: &Se3<f64>, direction: Vec3<f64>) -> Vec3<f64> {
    let own = at.rotation.tr_mul_vec(direction);
    at.act_point(shape.support(own).expect("a convex shape with an end"))
}

/// Whether a plane separates two convex shapes: Gilbert's iteration for the point of their
/// difference A − B that is nearest to the origin, until a direction separates them.
fn are_apart(a: (&Shape, Se3<f64>), b: (&Shape, Se3<f64>)) -> bool {
    let difference =
        |direction: Vec3<f64>| support(a.0, &a.1, direction) - support(b.0, &b.1, -direction);
    let mut x = a.1.translation - b.1.translation;
    for _ in 0..10_000 {
        let p = difference(-x);
        if x.dot(p) > 0.0 {
            return true;
        }
        // The point of the segment from x to p that is nearest to the origin.
        let step = p - x;
        let t = (-x.dot(step) / step.dot(step)).clamp(0.0, 1.0);
        x += step * t;
        if x.norm() < 1e-9 {
            return false;
        }
    }
    false
}

#[test]
fn shapes_that_are_no_neighbours_are_apart_at_the_neutral_configuration() {
    for robot in robots::ROBOTS {
        let loaded = robots::load(robot.name, &LoadOptions::default()).unwrap();
        let touching = loaded.collision_shapes();
        assert!(touching.warnings.is_empty(), "{}", robot.name);
        let shapes = touching.shapes;
        assert!(shapes.len() >= 3, "{}", robot.name);
        let model = &loaded.model;
        let mut ws = Workspace::<f64>::new(model);
        let q = model.neutral_configuration();
        let kinematics = model.forward_kinematics(&mut ws, &q).unwrap();
        let mut joints = vec![Se3::identity(); model.joints().len()];
        kinematics.joint_placements_into(&mut joints).unwrap();
        let placed = |i: usize| {
            let shape = &shapes[i];
            let at = joints[shape.joint.index()].compose(&shape.placement);
            (&shape.shape, at)
        };
        for [i, j] in loaded.collision_pairs(&shapes).unwrap() {
            let (a, b) = (&shapes[i].name, &shapes[j].name);
            assert!(are_apart(placed(i), placed(j)), "{}: {a}, {b}", robot.name);
        }
    }
}

#[test]
fn neighbours_are_not_tested_and_limbs_are() {
    let loaded = robots::load("quadruped", &LoadOptions::default().floating_base(true)).unwrap();
    let shapes = loaded.collision_shapes().shapes;
    let pairs = loaded.collision_pairs(&shapes).unwrap();
    let has = |a: &str, b: &str| {
        pairs.iter().any(|&[i, j]| {
            let (i, j) = (&shapes[i].name[..], &shapes[j].name[..]);
            (i, j) == (a, b) || (i, j) == (b, a)
        })
    };
    assert!(!has("trunk", "front_left_hip") && !has("front_left_hip", "front_left_thigh"));
    assert!(has("trunk", "front_left_thigh") && has("front_left_foot", "front_right_foot"));
    // The foot is fixed to the calf, and both are neighbours of the thigh.
    assert!(!has("front_left_foot", "front_left_thigh"));
    assert!(has("front_left_foot", "trunk"));
    // 21 shapes on 13 bodies: pairs of bodies but neighbours. A trunk (1), hips (1), thighs (2) and
    // calves with feet (2) make: 12 in the trunk's name with thighs and calves 4·(2 + 2), hip with
    // calf 4·2, and two different legs 6·25.
    assert_eq!(pairs.len(), 4 * (2 + 2) + 4 * 2 + 6 * 25);
}

#[test]
fn a_scene_names_robots_of_the_program() {
    let options = LoadOptions::new().library(robots::library());
    let read = |text: &str| load_str_with(text, &options);
    let scene = "[ground]\n[[robot]]\nfile = 'quadruped'\nname = 'dog'\nposition = [0, 0, 0.5]\n
        [[robot]]\nfile = 'panda'\nposition = [1, 0, 0]\n[[robot]]\nfile = 'humanoid_40'\nname = 'man'\n
        position = [0, 2, 1]\n[[robot]]\nfile = 'bennett'\n";
    let scene = read(scene).unwrap();
    assert_eq!(scene.model.nv(), 18 + 7 + 46 + 3);
    assert_eq!(scene.model.loop_joints().len(), 1);
    let start = &scene.model.reference_configurations()["start"];
    let at = |joint: &str| {
        let joint = scene.model.joint(scene.model.joint_id(joint).unwrap());
        start[joint.idx_q..][..3].to_vec()
    };
    assert_eq!(at("dog/root_joint"), [0.0, 0.0, 0.5]);
    assert_eq!(at("man/base"), [0.0, 2.0, 1.0]);
    // A robot with a home begins there in a scene, too.
    assert_eq!(at("dog/front_left_hip_joint"), [0.0, 0.78, -1.5]);
    // The loop of the linkage is closed.
    let alone = robots::load("bennett", &LoadOptions::new()).unwrap().model;
    let closed = &alone.reference_configurations()["closed"];
    assert_eq!(&start[start.len() - closed.len()..], &closed[..]);
    // Masses are those of the robots.
    let expected = robots::quadruped().total_mass()
        + robots::panda().total_mass()
        + robots::model("humanoid_40", &LoadOptions::new())
            .unwrap()
            .total_mass()
        + alone.total_mass();
    assert!((scene.model.total_mass() - expected).abs() < 1e-12 * expected);

    let error = read("[[robot]]\nfile = 'pandas'\n")
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `panda`"), "{error}");
}
