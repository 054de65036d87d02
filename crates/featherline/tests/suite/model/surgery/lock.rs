//! Locked joints.

use super::*;
use crate::common::State;
use featherline::joint::JointKind;
use featherline::model::surgery::{Locked, SurgeryError};
use featherline::model::{JointSpec, ModelBuilder, ModelError, ModelWarning};
use featherline::spatial::{Inertia, Vec3};

/// Locks some joints of a model; none where a loop joint would have both ends in one body.
fn locked(model: &Model, seed: u64, q: &[f64]) -> Option<(Vec<JointId>, Locked)> {
    let joints = some_joints(model, seed, |id| model.joint(id).mimic.is_none());
    match model.lock(&joints, q) {
        Ok(locked) => Some((joints, locked)),
        Err(SurgeryError::Model(ModelError::BadLoop { .. })) => None,
        Err(error) => panic!("{}: {error}", model.name()),
    }
}

#[test]
fn a_locked_robot_moves_as_the_robot_with_those_joints_at_rest() {
    let mut tried = 0;
    for (model, seed) in every_model() {
        let state = State::random(&model, seed);
        let Some((joints, locked)) = locked(&model, seed, &state.q) else {
            continue;
        };
        tried += usize::from(!joints.is_empty() && locked.model.nv() > 0);
        let (mut v, mut a) = (state.v, state.a);
        for &id in &joints {
            let joint = model.joint(id);
            v[joint.idx_v..joint.idx_v + joint.nv].fill(0.0);
            a[joint.idx_v..joint.idx_v + joint.nv].fill(0.0);
        }
        let what = model.name();
        let parts = (&model, &locked.model, &locked.carried);
        same_frames(what, parts, (&state.q, &v), &[]);

        let few = columns(&model, &locked.model, &locked.carried);
        assert_eq!(few.len(), locked.model.nv(), "{what}");
        let (q_few, v_few) = carry(&locked.carried, &state.q, &v);
        let mut a_few = vec![0.0; few.len()];
        for &(old, new) in &few {
            a_few[new] = a[old];
        }
        let pick = |all: &[f64]| {
            let mut picked = vec![0.0; few.len()];
            for &(old, new) in &few {
                picked[new] = all[old];
            }
            picked
        };
        let mut ws = Workspace::new(&model);
        let tau = pick(model.rnea(&mut ws, &state.q, &v, &a).unwrap());
        let passive = pick(model.passive_forces(&mut ws, &state.q, &v).unwrap());
        let mass = mass_matrix(&model, &state.q);
        let new = &locked.model;
        let mut ws = Workspace::new(new);
        close(
            what,
            new.rnea(&mut ws, &q_few, &v_few, &a_few).unwrap(),
            &tau,
            ROUNDING,
        );
        close(
            what,
            new.passive_forces(&mut ws, &q_few, &v_few).unwrap(),
            &passive,
            ROUNDING,
        );
        let few_mass = mass_matrix(new, &q_few);
        let mut expected = few_mass.clone();
        for &(row, r) in &few {
            for &(column, c) in &few {
                expected[(r, c)] = mass[(row, column)];
            }
        }
        close(what, few_mass.as_slice(), expected.as_slice(), ROUNDING);

        // And back.
        assert_eq!(
            locked.back.configuration(&q_few).unwrap(),
            state.q,
            "{what}"
        );
        assert_eq!(locked.back.velocity(&q_few, &v_few).unwrap(), v, "{what}");
        for id in new.joint_ids() {
            let old = locked.back.joint(id).unwrap();
            assert_eq!(locked.carried.joint(old), Some(id));
            assert_eq!(new.joint(id).name, model.joint(old).name);
        }
    }
    assert!(tried > 50, "{tried}");
}

/// Order, names and frames are those that the robot has with a fixed body in place of the joint.
#[test]
fn a_model_locked_at_neutral_is_that_built_with_fixed_bodies() {
    let build = |fixed: bool| {
        let rod = Inertia::cuboid(1.0, Vec3::new(0.1, 0.2, 1.0));
        let at = |z| Se3::from_translation(Vec3::new(0.5, 0.0, z));
        let mut builder = ModelBuilder::new("robot");
        let add = |builder: &mut ModelBuilder, name: &str, parent, z| {
            let spec = JointSpec::new(name, parent, JointKind::revolute_x()).placement(at(z));
            builder.add_joint(spec)
        };
        let first = add(&mut builder, "first", ModelBuilder::UNIVERSE, 0.0);
        builder.add_body(first, "one", Se3::identity(), rod);
        let (second, placed) = if fixed {
            builder.add_frame(first, "second", at(1.0), FrameKind::FixedJoint);
            (first, at(1.0))
        } else {
            (add(&mut builder, "second", first, 1.0), Se3::identity())
        };
        builder.add_body(second, "two", placed, rod);
        let z = placed.compose(&at(2.0));
        let spec = JointSpec::new("third", second, JointKind::prismatic_y()).placement(z);
        let third = builder.add_joint(spec);
        builder.add_body(third, "three", Se3::identity(), rod);
        let last = add(&mut builder, "last", first, 3.0);
        builder.add_body(last, "four", Se3::identity(), rod);
        builder.build().unwrap().model
    };
    let (free, expected) = (build(false), build(true));
    let found = free
        .lock(&[free.joint_id("second").unwrap()], &[0.0; 4])
        .unwrap()
        .model;
    let names = |m: &Model| Vec::from_iter(m.joints().iter().map(|j| j.name.clone()));
    assert_eq!(names(&found), names(&expected));
    for frame in expected.frames() {
        let id = found.frame_id_of_kind(&frame.name, frame.kind).unwrap();
        assert_eq!(found.frame(id), frame);
    }
    assert_eq!(found.frames().len(), expected.frames().len());
    for (f, e) in found.joints().iter().zip(expected.joints()) {
        assert_eq!((f.parent, f.placement), (e.parent, e.placement));
        assert!((f.inertia.com - e.inertia.com).max_norm() < 1e-15);
        assert_eq!(f.inertia.mass, e.inertia.mass);
    }
}

#[test]
fn a_reference_configuration_elsewhere_is_reported() {
    let model = random_loops(3, &RandomTree::default(), 1);
    let q = model.reference_configurations()["closed"].clone();
    let joint = model
        .joint_ids()
        .find(|&id| model.joint(id).nv > 0)
        .unwrap();
    let moved = |locked: Locked| {
        let is = |w: &ModelWarning| matches!(w, ModelWarning::ReferenceMoved { joint: name, .. } if *name == model.joint(joint).name);
        locked.warnings.iter().any(is)
    };
    let locked = model.lock(&[joint], &q).unwrap();
    let closed = &locked.model.reference_configurations()["closed"];
    assert_eq!(*closed, locked.carried.configuration(&q).unwrap());
    assert!(!moved(locked));
    assert!(moved(
        model.lock(&[joint], &State::random(&model, 1).q).unwrap()
    ));
}

#[test]
fn what_cannot_be_locked_is_an_error() {
    let hand = featherline_robots::hand();
    let q = hand.neutral_configuration::<f64>();
    let mimic = hand
        .joint_ids()
        .find(|&id| hand.joint(id).mimic.is_some())
        .unwrap();
    assert!(matches!(
        hand.lock(&[mimic], &q),
        Err(SurgeryError::LockedMimic { .. })
    ));
    let source = hand.joint(mimic).mimic.unwrap().source;
    let both = hand.lock(&[source], &q).unwrap();
    assert_eq!(
        (both.carried.joint(mimic), both.carried.joint(source)),
        (None, None)
    );

    let world = hand.lock(&[JointId::UNIVERSE], &q);
    assert!(matches!(world, Err(SurgeryError::Universe { .. })));
    assert!(matches!(
        hand.lock(&[source], &q[1..]),
        Err(SurgeryError::Input(_))
    ));
    let robot = featherline_robots::quadruped();
    let base = robot.joint_ids().next().unwrap();
    assert!(matches!(
        robot.lock(&[base], &vec![0.0; robot.nq()]),
        Err(SurgeryError::Input(_))
    ));
    assert!(matches!(
        robot.lock(&[base], &vec![f64::NAN; robot.nq()]),
        Err(SurgeryError::Input(_))
    ));
    let foreign = featherline_robots::humanoid().joint_ids().last().unwrap();
    assert!(matches!(
        hand.lock(&[foreign], &q),
        Err(SurgeryError::Input(_))
    ));

    // A loop of three hinges is rigid: with two of them locked nothing closes.
    let bar = featherline::samples::four_bar();
    let all: Vec<JointId> = bar.joint_ids().collect();
    let q = vec![0.0; bar.nq()];
    let rigid = bar.lock(&all, &q);
    assert!(matches!(
        rigid,
        Err(SurgeryError::Model(ModelError::BadLoop { .. }))
    ));
}
