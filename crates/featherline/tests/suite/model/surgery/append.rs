//! Robots on robots, and side by side.

use super::*;
use crate::common::State;
use featherline::model::surgery::{Part, SurgeryError};
use featherline::spatial::{Mat3, Vec3};

fn somewhere() -> Se3<f64> {
    let turned = Mat3::from_roll_pitch_yaw(0.4, -0.8, 1.1);
    Se3::new(turned, Vec3::new(0.3, -0.2, 0.5))
}

#[test]
fn an_appended_robot_moves_with_the_frame_that_it_is_on() {
    let all = every_model();
    for (k, (model, seed)) in all.iter().enumerate() {
        let (other, other_seed) = &all[(5 * k + 3) % all.len()];
        let at = FrameId::clone(
            &model
                .frame_ids()
                .nth((7 * k) % model.frames().len())
                .unwrap(),
        );
        let placement = somewhere();
        let appended = model.append(other, at, placement, "on_").unwrap();
        let new = &appended.model;
        let (ours, theirs) = (
            State::random(model, *seed),
            State::random(other, *other_seed),
        );
        let what = new.name();
        assert_eq!(
            new.joints().len(),
            model.joints().len() + other.joints().len() - 1
        );
        assert_eq!(
            new.frames().len(),
            model.frames().len() + other.frames().len() - 1
        );

        let (mut q, mut v) = carry(&appended.carried, &ours.q, &ours.v);
        appended
            .appended
            .write_configuration(&theirs.q, &mut q)
            .unwrap();
        appended
            .appended
            .write_velocity(&theirs.q, &theirs.v, &mut v)
            .unwrap();
        // The carrier's frames are what they were.
        let kept = model
            .frame_ids()
            .map(|id| appended.carried.frame(id).unwrap());
        let expected = frames(model, &ours.q, &ours.v, model.frame_ids());
        close(what, &frames(new, &q, &v, kept), &expected, ROUNDING);

        // Those that it carries are where they are in their world, seen from the frame: velocities
        // add up.
        let mut ws = Workspace::new(model);
        let carrier = model
            .forward_kinematics_velocities(&mut ws, &ours.q, &ours.v)
            .unwrap();
        let world = carrier.placement(at).compose(&placement);
        let world_velocity = carrier.velocity(at, World);
        let mut ws = Workspace::new(other);
        let own = other
            .forward_kinematics_velocities(&mut ws, &theirs.q, &theirs.v)
            .unwrap();
        let (mut there, mut expected) = (Vec::new(), Vec::new());
        for id in other.frame_ids() {
            let Some(new_id) = appended.appended.frame(id) else {
                assert_eq!(other.frame(id).name, "universe");
                continue;
            };
            assert_eq!(
                new.frame(new_id).name,
                format!("on_{}", other.frame(id).name)
            );
            there.push(new_id);
            expected.extend(world.compose(&own.placement(id)).to_homogeneous().concat());
            let velocity = world_velocity + world.act_motion(&own.velocity(id, World));
            expected.extend(velocity.to_array());
        }
        close(what, &frames(new, &q, &v, there), &expected, ROUNDING);

        for id in other.loop_ids() {
            let there = appended.appended.loop_joint(id).unwrap();
            let own = other.loop_joint(id);
            assert_eq!(new.loop_joint(there).name, format!("on_{}", own.name));
            let mut ws = Workspace::new(other);
            let placed = other.forward_kinematics(&mut ws, &theirs.q).unwrap();
            let ends = [
                (own.predecessor, &own.predecessor_placement),
                (own.successor, &own.successor_placement),
            ];
            let seen = |(joint, end): (JointId, &Se3<f64>)| {
                let end = placed.placement(joint).compose(end);
                world.compose(&end).to_homogeneous().concat()
            };
            let expected = ends.map(seen).concat();
            close(what, &loop_ends(new, &q, there), &expected, ROUNDING);
        }

        // Both blocks on the diagonal of the mass matrix: the other's is its own.
        let mass = mass_matrix(new, &q);
        let own = mass_matrix(other, &theirs.q);
        let theirs = columns(other, new, &appended.appended);
        let mut block = own.clone();
        for &(row, r) in &theirs {
            for &(column, c) in &theirs {
                block[(row, column)] = mass[(r, c)];
            }
        }
        close(what, block.as_slice(), own.as_slice(), ROUNDING);
    }
}

#[test]
fn joints_come_after_what_the_frames_body_carries() {
    let robot = featherline_robots::quadruped();
    let arm = featherline_robots::panda();
    let base = robot.joint_ids().nth(1).unwrap();
    let frame = robot
        .frame_ids()
        .find(|&id| robot.frame(id).joint == base)
        .unwrap();
    let new = robot
        .append(&arm, frame, Se3::identity(), "arm/")
        .unwrap()
        .model;
    let name = |model: &Model, i: usize| model.joints()[i].name.clone();
    let mut expected = Vec::new();
    let end = 1 + robot.subtree(base).last().unwrap().index();
    expected.extend((0..end).map(|i| name(&robot, i)));
    expected.extend((1..arm.joints().len()).map(|i| format!("arm/{}", name(&arm, i))));
    expected.extend((end..robot.joints().len()).map(|i| name(&robot, i)));
    let found: Vec<String> = (0..new.joints().len()).map(|i| name(&new, i)).collect();
    assert_eq!(found, expected);
}

#[test]
fn robots_side_by_side_do_not_feel_each_other() {
    let robots = [
        featherline_robots::panda(),
        featherline_robots::hand(),
        featherline_robots::quadruped(),
        random_loops(5, &RandomTree::default(), 2),
    ];
    let beside = |y: f64| Se3::from_translation(Vec3::new(0.0, y, 0.0));
    let prefixes = ["a_", "b_", "c_", "d_"];
    let parts: Vec<Part> = robots
        .iter()
        .zip(prefixes)
        .enumerate()
        .map(|(k, (model, prefix))| Part {
            model,
            prefix,
            placement: beside(k as f64),
        })
        .collect();
    let merged = Model::merge("all", &parts).unwrap();
    let new = &merged.model;
    assert_eq!((new.name(), new.loop_joints().len()), ("all", 2));
    let mut q = new.neutral_configuration();
    let (mut v, mut a, mut expected) = (
        vec![0.0; new.nv()],
        vec![0.0; new.nv()],
        vec![0.0; new.nv()],
    );
    let mut blocks = DMatrix::zeros(new.nv(), new.nv());
    for (k, (robot, carried)) in robots.iter().zip(&merged.carried).enumerate() {
        let state = State::random(robot, k as u64);
        carried.write_configuration(&state.q, &mut q).unwrap();
        carried.write_velocity(&state.q, &state.v, &mut v).unwrap();
        let mut ws = Workspace::new(robot);
        let tau = robot
            .rnea(&mut ws, &state.q, &state.v, &state.a)
            .unwrap()
            .to_vec();
        let mass = mass_matrix(robot, &state.q);
        let own = columns(robot, new, carried);
        for &(old, now) in &own {
            (a[now], expected[now]) = (state.a[old], tau[old]);
            for &(column, c) in &own {
                blocks[(now, c)] = mass[(old, column)];
            }
        }
    }
    let mut ws = Workspace::new(new);
    close(
        "forces",
        new.rnea(&mut ws, &q, &v, &a).unwrap(),
        &expected,
        ROUNDING,
    );
    close(
        "masses",
        mass_matrix(new, &q).as_slice(),
        blocks.as_slice(),
        ROUNDING,
    );
    let closed = &new.reference_configurations()["closed"];
    let there = merged.carried[3].configuration(&robots[3].reference_configurations()["closed"]);
    assert_eq!(*closed, there.unwrap());
    assert_eq!(Model::merge("none", &[]).unwrap().model.nv(), 0);
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let model = featherline_robots::panda();
    let at = model.frame_ids().last().unwrap();
    let twice = model.append(&model, at, Se3::identity(), "");
    assert!(matches!(twice, Err(SurgeryError::Model(_))));
    let moon = model
        .clone()
        .with_gravity(Vec3::new(0.0, 0.0, -1.62))
        .unwrap();
    let there = model.append(&moon, at, Se3::identity(), "moon_");
    assert!(matches!(there, Err(SurgeryError::DifferentGravity { .. })));
    let bent = Se3::new(Mat3::zero(), Vec3::zero());
    assert!(matches!(
        model.append(&model, at, bent, "x"),
        Err(SurgeryError::Model(_))
    ));
    let small = featherline::samples::double_pendulum();
    assert!(matches!(
        small.append(&model, at, Se3::identity(), "x"),
        Err(SurgeryError::Input(_))
    ));
}
