//! Collision models of robots: pairs, queries, Jacobians, memory.

use featherline::joint::JointKind;
use featherline::model::{JointId, JointSpec, ModelBuilder};
use featherline::random::{RandomSource, SplitMix64};
use featherline::spatial::{Inertia, Se3, Vec3};
use featherline::{Model, Workspace, samples};
use featherline_geometry::{
    Capsule, CollisionError, CollisionModel, CollisionShape, CollisionWorkspace, Cuboid, Ellipsoid,
    Plane, Polytope, Shape, Sphere, distance_jacobian,
};

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

fn at(x: f64, y: f64, z: f64) -> Se3<f64> {
    Se3::from_translation(v(x, y, z))
}

/// The placements of all joints.
fn placements(model: &Model, q: &[f64]) -> Vec<Se3<f64>> {
    let mut joints = vec![Se3::identity(); model.joints().len()];
    let mut ws = Workspace::new(model);
    let positions = model.forward_kinematics(&mut ws, q).unwrap();
    positions.joint_placements_into(&mut joints).unwrap();
    joints
}

/// The humanoid with a shape on each body, of kinds in turn, and the ground.
fn humanoid(kinds: usize) -> (Model, CollisionModel) {
    let model = samples::humanoid();
    let stone = [
        v(0.05, 0.0, 0.0),
        v(-0.04, 0.0, 0.01),
        v(0.0, 0.06, 0.0),
        v(0.0, -0.05, 0.0),
        v(0.0, 0.01, 0.07),
        v(0.01, 0.0, -0.05),
    ];
    let kind = |i: usize| -> Shape {
        match i % kinds {
            0 => Sphere::new(0.05).into(),
            1 => Capsule::new(0.04, 0.1).into(),
            2 => Cuboid::new(v(0.08, 0.1, 0.12)).into(),
            3 => Ellipsoid::new(v(0.05, 0.07, 0.06)).into(),
            _ => Polytope::from_points(stone).unwrap().into(),
        }
    };
    let mut shapes: Vec<_> = model
        .joint_ids()
        .filter(|joint| *joint != JointId::UNIVERSE)
        .enumerate()
        .map(|(i, joint)| {
            let name = model.joint(joint).name.clone();
            CollisionShape::new(name, joint, at(0.01, 0.0, -0.03), kind(i))
        })
        .collect();
    let ground = CollisionShape::new("ground", JointId::UNIVERSE, at(0.0, 0.0, -0.6), Plane);
    shapes.push(ground);
    let collision = CollisionModel::new(&model, shapes).unwrap();
    (model, collision)
}

/// An arm of two joints that the world carries, and a free body.
fn arm_and_free_body() -> (Model, [JointId; 3]) {
    let mut builder = ModelBuilder::new("arm and ball");
    let body = Inertia::sphere(1.0, 0.1);
    let world = ModelBuilder::UNIVERSE;
    let first = builder.add_joint(JointSpec::new("first", world, JointKind::revolute_y()));
    let second = JointSpec::new("second", first, JointKind::revolute_y());
    let second = builder.add_joint(second.placement(at(0.0, 0.0, 1.0)));
    let free = builder.add_joint(JointSpec::new("free", world, JointKind::FreeFlyer));
    for (joint, name) in [(first, "a"), (second, "b"), (free, "c")] {
        builder.add_body(joint, name, Se3::identity(), body);
    }
    let model = builder.build().unwrap().model;
    let ids = ["first", "second", "free"].map(|name| model.joint_id(name).unwrap());
    (model, ids)
}

#[test]
fn default_pairs_leave_out_what_a_joint_connects() {
    let (model, [first, second, free]) = arm_and_free_body();
    let ball =
        |name: &str, body| CollisionShape::new(name, body, Se3::identity(), Sphere::new(0.1));
    let world = JointId::UNIVERSE;
    let shapes = vec![
        ball("first", first),
        ball("second", second),
        ball("second too", second),
        ball("free", free),
        ball("post", world),
        CollisionShape::new("ground", world, Se3::identity(), Plane),
    ];
    let mut collision = CollisionModel::new(&model, shapes).unwrap();
    let expected = [
        [0, 3],
        [1, 3],
        [1, 4],
        [1, 5],
        [2, 3],
        [2, 4],
        [2, 5],
        [3, 4],
        [3, 5],
    ];
    assert_eq!(collision.pairs(), expected);
    assert_eq!(collision.shape_index("free"), Some(3));

    collision.exclude_bodies(free, second).unwrap();
    collision.exclude_shapes(5, 3).unwrap();
    assert_eq!(
        collision.pairs(),
        [[0, 3], [1, 4], [1, 5], [2, 4], [2, 5], [3, 4]]
    );
    collision.include_shapes(2, 1).unwrap();
    collision.include_shapes(1, 2).unwrap();
    assert_eq!(collision.pairs()[1], [1, 2]);
    assert_eq!(collision.pairs().len(), 7);
    let same = collision.include_shapes(1, 1);
    assert_eq!(same, Err(CollisionError::SameShape { shape: 1 }));
    assert!(matches!(
        collision.include_shapes(1, 9),
        Err(CollisionError::Missing { index: 9, .. })
    ));
}

#[test]
fn queries_agree_with_the_distance_of_every_pair() {
    let (model, collision) = humanoid(5);
    assert!(collision.pairs().len() > 64);
    let mut queries = CollisionWorkspace::new(&collision);
    let mut source = SplitMix64::new(11);
    let mut overlapping = 0;
    for _ in 0..30 {
        let mut q = model.random_configuration(&mut source);
        q[..3].fill(0.0);
        let joints = placements(&model, &q);
        let mut placed = queries.place(&collision, &joints).unwrap();
        let distances = placed.distances().unwrap().to_vec();
        let all = collision.pairs().iter().zip(&distances);
        let expected: Vec<_> = all
            .clone()
            .filter(|(_, s)| s.distance <= 0.0)
            .map(|(pair, _)| *pair)
            .collect();
        assert_eq!(placed.collisions(false).unwrap(), expected);
        assert_eq!(
            placed.collisions(true).unwrap(),
            &expected[..expected.len().min(1)]
        );
        let least = distances
            .iter()
            .fold(f64::INFINITY, |least, s| least.min(s.distance));
        let (_, nearest) = placed.nearest().unwrap().unwrap();
        assert_eq!(nearest.distance, least);
        overlapping += expected.len();

        let mut touching: Vec<_> = placed
            .contacts(0.02)
            .unwrap()
            .iter()
            .map(|c| c.shapes)
            .collect();
        assert!(touching.is_sorted());
        touching.dedup();
        let within: Vec<_> = all
            .filter(|(_, s)| s.distance <= 0.02)
            .map(|(pair, _)| *pair)
            .collect();
        assert_eq!(touching, within);
    }
    assert!(overlapping > 30, "{overlapping}");
}

#[test]
fn the_jacobian_is_the_difference_quotient() {
    // Balls, capsules and ellipsoids: smooth, so that the distance has a derivative.
    let (model, _) = humanoid(5);
    let kind = |i: usize| -> Shape {
        match i % 3 {
            0 => Sphere::new(0.05).into(),
            1 => Capsule::new(0.04, 0.1).into(),
            _ => Ellipsoid::new(v(0.05, 0.07, 0.06)).into(),
        }
    };
    let joints: Vec<_> = model.joint_ids().collect();
    let shapes = [joints.len() / 4, joints.len() / 2, joints.len() - 1]
        .into_iter()
        .enumerate()
        .map(|(i, joint)| {
            let place = at(0.02, 0.01, -0.05);
            CollisionShape::new(format!("{i}"), joints[joint], place, kind(i))
        })
        .chain([CollisionShape::new(
            "ground",
            JointId::UNIVERSE,
            at(0.0, 0.0, -2.0),
            Plane,
        )])
        .collect();
    let collision = CollisionModel::new(&model, shapes).unwrap();
    let mut queries = CollisionWorkspace::new(&collision);
    let mut ws = Workspace::new(&model);
    let mut source = SplitMix64::new(12);
    let step = 1e-5;
    for _ in 0..5 {
        let mut q = model.random_configuration(&mut source);
        q[..3].iter_mut().for_each(|x| *x = 0.1 * source.uniform());
        let mut at_q = |q: &[f64]| {
            let joints = placements(&model, q);
            let mut placed = queries.place(&collision, &joints).unwrap();
            placed.distances().unwrap().to_vec()
        };
        let here = at_q(&q);
        let mut quotients = vec![vec![0.0; model.nv()]; here.len()];
        for k in 0..model.nv() {
            let mut tangent = vec![0.0; model.nv()];
            tangent[k] = step;
            let ahead = at_q(&model.integrate(&q, &tangent).unwrap());
            tangent[k] = -step;
            let behind = at_q(&model.integrate(&q, &tangent).unwrap());
            for pair in 0..here.len() {
                quotients[pair][k] = (ahead[pair].distance - behind[pair].distance) / (2.0 * step);
            }
        }
        for (pair, (separation, quotient)) in here.iter().zip(&quotients).enumerate() {
            let bodies = collision.bodies(collision.pairs()[pair]);
            let row = distance_jacobian(&model, &mut ws, &q, bodies, separation).unwrap();
            for k in 0..model.nv() {
                // Truncation by step² and rounding of the distance by the step: both below 1e-6.
                assert!(
                    (row[k] - quotient[k]).abs() < 1e-6,
                    "{pair} {k} {} {}",
                    row[k],
                    quotient[k]
                );
            }
        }
    }
}

#[test]
fn contacts_allocate_nothing_once_warm() {
    for kinds in [3, 5] {
        let (model, collision) = humanoid(kinds);
        let mut queries = CollisionWorkspace::new(&collision);
        let mut source = SplitMix64::new(13);
        let states: Vec<_> = (0..20)
            .map(|_| {
                let mut q = model.random_configuration(&mut source);
                q[..3].fill(0.0);
                placements(&model, &q)
            })
            .collect();
        let mut points = 0;
        let mut run = || {
            for joints in &states {
                let mut placed = queries.place(&collision, joints).unwrap();
                points += placed.contacts(0.01).unwrap().len();
                placed.collisions(false).unwrap();
                placed.distances().unwrap();
                placed.nearest().unwrap();
            }
        };
        run();
        let info = allocation_counter::measure(run);
        assert_eq!(info.count_total, 0, "{kinds} kinds");
        assert!(points > 100);
    }
}

#[test]
fn placements_must_be_those_of_the_robot() {
    let (model, collision) = humanoid(3);
    let mut queries = CollisionWorkspace::new(&collision);
    let mut joints = placements(&model, &model.neutral_configuration::<f64>());
    let few = queries.place(&collision, &joints[1..]).err();
    let (expected, found) = (joints.len(), joints.len() - 1);
    assert_eq!(
        few,
        Some(CollisionError::PlacementCount {
            of: "joint",
            expected,
            found
        })
    );
    joints[2].translation.x = f64::NAN;
    let lost = queries.place(&collision, &joints).err();
    assert_eq!(lost, Some(CollisionError::BadPlacement { placement: 2 }));
    let fewer = collision.shapes()[1..].to_vec();
    let other = CollisionModel::new(&model, fewer).unwrap();
    let joints = placements(&model, &model.neutral_configuration::<f64>());
    assert_eq!(
        queries.place(&other, &joints).err(),
        Some(CollisionError::WorkspaceMismatch)
    );
}

#[test]
fn shapes_are_placed_as_their_joints_would() {
    let (model, collision) = humanoid(3);
    let joints = placements(&model, &model.neutral_configuration::<f64>());
    let mut queries = CollisionWorkspace::new(&collision);
    let mut placed = queries.place(&collision, &joints).unwrap();
    let expected = placed.distances().unwrap().to_vec();
    let mut shapes: Vec<_> = (0..collision.shapes().len())
        .map(|k| *placed.placement(k))
        .collect();
    let mut own = CollisionWorkspace::new(&collision);
    let mut placed = own.place_shapes(&collision, &shapes).unwrap();
    assert_eq!(placed.distances().unwrap(), expected);
    let few = own.place_shapes(&collision, &shapes[1..]).err();
    let (of, expected, found) = ("shape", shapes.len(), shapes.len() - 1);
    assert_eq!(
        few,
        Some(CollisionError::PlacementCount {
            of,
            expected,
            found
        })
    );
    shapes[1].translation.x = f64::INFINITY;
    let lost = own.place_shapes(&collision, &shapes).err();
    assert_eq!(lost, Some(CollisionError::BadPlacement { placement: 1 }));
}
