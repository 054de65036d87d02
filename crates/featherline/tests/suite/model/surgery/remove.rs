//! Models with parts removed, given back and renamed.

use super::*;
use featherline::joint::JointKind;
use featherline::model::LoopJoint;
use featherline::model::surgery::SurgeryError;
use featherline::spatial::{Inertia, Vec3};

#[test]
fn removing_what_was_appended_gives_back_the_model() {
    let all = every_model();
    for (k, (model, _)) in all.iter().enumerate() {
        let (other, _) = &all[(5 * k + 3) % all.len()];
        // One that the model does not have stays, with the other at neutral.
        let known = model.reference_configurations();
        if other
            .reference_configurations()
            .keys()
            .any(|name| !known.contains_key(name))
        {
            continue;
        }
        let at = model
            .frame_ids()
            .nth((7 * k) % model.frames().len())
            .unwrap();
        let appended = model.append(other, at, Se3::identity(), "on_").unwrap();
        let mut new = appended.model;
        // Loops through the other's world hold on to the body that has the frame.
        for closing in other.loop_joints() {
            let id = new.loop_id(&format!("on_{}", closing.name)).unwrap();
            new = new.without_loop_joint(id).unwrap().model;
        }
        let fixed: Vec<FrameId> = other
            .frame_ids()
            .filter(|&id| other.frame(id).joint == JointId::UNIVERSE)
            .filter_map(|id| appended.appended.frame(id))
            .collect();
        new = new.without_frames(&fixed).unwrap().model;
        let roots: Vec<JointId> = other
            .children(JointId::UNIVERSE)
            .map(|id| appended.appended.joint(id).unwrap())
            .collect();
        let back = new.remove(&roots).unwrap();
        assert_eq!(
            back.model.content_hash(),
            model.content_hash(),
            "{}",
            model.name()
        );
        assert!(back.model == *model);
    }
}

#[test]
fn a_leg_is_taken_off_with_all_that_it_carries() {
    let robot = featherline_robots::quadruped();
    let hip = robot.joint_ids().nth(1).unwrap();
    let hip = robot.children(hip).next().unwrap_or(hip);
    let leg: Vec<JointId> = robot.subtree(hip).collect();
    let lame = robot.remove(&[hip]).unwrap();
    assert_eq!(lame.model.joints().len(), robot.joints().len() - leg.len());
    let mass: f64 = leg.iter().map(|&id| robot.joint(id).inertia.mass).sum();
    assert!((lame.model.total_mass() + mass - robot.total_mass()).abs() < 1e-12);
    let state = crate::common::State::random(&robot, 3);
    let parts = (&robot, &lame.model, &lame.carried);
    same_frames("leg", parts, (&state.q, &state.v), &[]);
    assert!(leg.iter().all(|&id| lame.carried.joint(id).is_none()));
}

#[test]
fn what_holds_on_cannot_be_left_behind() {
    let hand = featherline_robots::hand();
    let mimic = hand
        .joint_ids()
        .find(|&id| hand.joint(id).mimic.is_some())
        .unwrap();
    let source = hand.joint(mimic).mimic.unwrap().source;
    match hand.remove(&[source]) {
        // The mimic joint may hang on its source.
        Ok(removed) => assert_eq!(removed.carried.joint(mimic), None),
        Err(error) => assert!(matches!(error, SurgeryError::StillMimicked { .. })),
    }
    let root = hand.joint_ids().next().unwrap();
    assert!(matches!(
        hand.remove(&[JointId::UNIVERSE]),
        Err(SurgeryError::Universe { .. })
    ));
    let bar = featherline::samples::four_bar();
    let last = bar.joint_ids().last().unwrap();
    assert!(matches!(
        bar.remove(&[last]),
        Err(SurgeryError::HeldByLoop { .. })
    ));
    let frame = hand
        .frame_id_of_kind(&hand.joint(root).name, FrameKind::Joint)
        .unwrap();
    assert!(matches!(
        hand.without_frames(&[frame]),
        Err(SurgeryError::JointFrame { .. })
    ));

    // A source and a mimic joint on two branches.
    let twin = featherline::samples::double_pendulum();
    let pair = twin
        .append(
            &twin,
            twin.frame_ids().next().unwrap(),
            Se3::identity(),
            "b_",
        )
        .unwrap()
        .model;
    let id = |name: &str| pair.joint_id(name).unwrap();
    let coupled = pair
        .mimic(id("b_elbow"), id("elbow"), 1.0, 0.0)
        .unwrap()
        .model;
    let refused = coupled.remove(&[coupled.joint_id("elbow").unwrap()]);
    assert!(matches!(refused, Err(SurgeryError::StillMimicked { .. })));
    let joined = pair.clone().with_loop_joint(LoopJoint {
        name: "tie".to_owned(),
        kind: JointKind::revolute_y(),
        predecessor: id("elbow"),
        predecessor_placement: Se3::identity(),
        successor: id("b_elbow"),
        successor_placement: Se3::identity(),
    });
    let joined = joined.unwrap();
    // With both ends the loop goes.
    let none = joined.remove(&[id("elbow"), id("b_elbow")]).unwrap().model;
    assert_eq!((none.loop_joints().len(), none.nv()), (0, 2));
}

#[test]
fn names_get_a_prefix_and_bodies_another_inertia() {
    let hand = featherline_robots::hand();
    let left = hand.clone().with_prefix("left_");
    for (old, new) in hand.joints().iter().zip(left.joints()).skip(1) {
        assert_eq!(new.name, format!("left_{}", old.name));
    }
    assert_eq!(
        (
            left.joints()[0].name.as_str(),
            left.frames()[0].name.as_str()
        ),
        ("universe", "universe")
    );
    assert_eq!(
        left.frames()[1].name,
        format!("left_{}", hand.frames()[1].name)
    );

    // A ball at rest in a body adds its energy.
    let tip = hand.joint_ids().last().unwrap();
    let ball = Inertia::new(
        0.2,
        Vec3::new(0.1, 0.0, 0.2),
        Inertia::sphere(0.2, 0.05).rotational,
    );
    let loaded = hand
        .with_inertia(tip, &hand.joint(tip).inertia.sum(&ball))
        .unwrap()
        .model;
    let state = crate::common::State::random(&hand, 3);
    let energy = |model: &Model| {
        let mut ws = Workspace::new(model);
        model.kinetic_energy(&mut ws, &state.q, &state.v).unwrap()
    };
    let mut ws = Workspace::new(&hand);
    let moving = hand
        .forward_kinematics_velocities(&mut ws, &state.q, &state.v)
        .unwrap();
    let velocity = moving.velocity(tip, featherline::kinematics::ReferenceFrame::Local);
    let expected = energy(&hand) + ball.kinetic_energy(&velocity);
    close("energy", &[energy(&loaded)], &[expected], ROUNDING);
    let negative = Inertia::new(-1.0, Vec3::zero(), ball.rotational);
    assert!(matches!(
        hand.with_inertia(tip, &negative),
        Err(SurgeryError::Model(_))
    ));
    assert!(matches!(
        hand.with_inertia(JointId::UNIVERSE, &ball),
        Err(SurgeryError::Universe { .. })
    ));
}
