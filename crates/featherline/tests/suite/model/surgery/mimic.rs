//! Joints that mimic others, and are freed.

use super::*;
use crate::common::State;
use featherline::model::ModelError;
use featherline::model::surgery::SurgeryError;

#[test]
fn a_freed_robot_can_do_what_the_mimicking_one_does() {
    let mut tried = 0;
    for (model, seed) in every_model() {
        let Some(mimic) = model
            .joint_ids()
            .find(|&id| model.joint(id).mimic.is_some())
        else {
            continue;
        };
        tried += 1;
        let freed = model.free(mimic).unwrap();
        let new = &freed.model;
        let state = State::random(&model, seed);
        let what = model.name();
        let parts = (&model, new, &freed.carried);
        same_frames(what, parts, (&state.q, &state.v), &[]);
        velocities_are_derivatives(what, parts, (&state.q, &state.v));

        // v' = T v with a constant T, so that τ = Tᵀ τ'.
        let carry_v = |v: &[f64]| freed.carried.velocity(&state.q, v).unwrap();
        let q_new = freed.carried.configuration(&state.q).unwrap();
        let mut ws = Workspace::new(new);
        let all = new
            .rnea(&mut ws, &q_new, &carry_v(&state.v), &carry_v(&state.a))
            .unwrap();
        let mut expected = vec![0.0; model.nv()];
        for k in 0..model.nv() {
            let mut unit = vec![0.0; model.nv()];
            unit[k] = 1.0;
            expected[k] = carry_v(&unit).iter().zip(all).map(|(t, tau)| t * tau).sum();
        }
        let mut ws = Workspace::new(&model);
        let found = model.rnea(&mut ws, &state.q, &state.v, &state.a).unwrap();
        close(what, found, &expected, ROUNDING);

        // And back: the law again.
        let law = model.joint(mimic).mimic.unwrap();
        let at = |id| freed.carried.joint(id).unwrap();
        let again = new
            .mimic(at(mimic), at(law.source), law.ratio, law.offset)
            .unwrap();
        assert_eq!(again.model.content_hash(), model.content_hash(), "{what}");
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn chains_of_mimic_joints_are_resolved() {
    let arm = featherline_robots::panda();
    let id = |model: &Model, i: usize| model.joint_ids().nth(i).unwrap();
    // 2 mimics 3, and then 3 mimics 5, and 1 mimics 2.
    let one = arm.mimic(id(&arm, 2), id(&arm, 3), 2.0, 0.1).unwrap().model;
    let two = one
        .mimic(id(&one, 3), id(&one, 5), -0.5, 0.3)
        .unwrap()
        .model;
    let three = two.mimic(id(&two, 1), id(&two, 2), 3.0, 0.0).unwrap().model;
    let law = |i: usize| three.joint(id(&three, i)).mimic.unwrap();
    for (i, ratio, offset) in [(3, -0.5, 0.3), (2, -1.0, 0.7), (1, -3.0, 2.1)] {
        assert_eq!(law(i).source, id(&three, 5));
        assert!((law(i).ratio - ratio).abs() < 1e-15 && (law(i).offset - offset).abs() < 1e-15);
    }
    let circle = three.mimic(id(&three, 5), id(&three, 1), 1.0, 0.0);
    assert!(matches!(
        circle,
        Err(SurgeryError::Model(ModelError::BadMimic { .. }))
    ));
    assert!(matches!(
        arm.free(id(&arm, 0)),
        Err(SurgeryError::NotMimic { .. })
    ));
    let itself = arm.mimic(id(&arm, 0), id(&arm, 0), 1.0, 0.0);
    assert!(matches!(
        itself,
        Err(SurgeryError::Model(ModelError::BadMimic { .. }))
    ));
    let robot = featherline_robots::quadruped();
    let base = robot.mimic(id(&robot, 0), id(&robot, 1), 1.0, 0.0);
    assert!(matches!(
        base,
        Err(SurgeryError::Model(ModelError::BadMimic { .. }))
    ));
    assert!(arm.mimic(id(&arm, 0), id(&arm, 1), f64::NAN, 0.0).is_err());
}
