//! Other bodies as bases.

use super::*;
use crate::common::State;
use featherline::joint::JointKind;
use featherline::model::surgery::{Surgery, SurgeryError};
use featherline::model::{Drive, JointSpec, Limits, ModelBuilder};
use featherline::spatial::{Inertia, Mat3, Vec3};

/// Fails unless a robot on another base is the same mechanical system in other coordinates: bodies
/// in the same places, v' the derivative of q', equal energies, and passive forces of equal power.
fn same_system(model: &Model, body: JointId, rerooted: &Surgery, seed: u64) {
    let (what, new) = (model.name(), &rerooted.model);
    let State { q, v, .. } = State::random(model, seed);
    let parts = (model, new, &rerooted.carried);
    let reversed: Vec<JointId> = model.support(body).collect();
    same_frames(what, parts, (&q, &v), &reversed);
    velocities_are_derivatives(what, parts, (&q, &v));
    let (q_new, v_new) = carry(&rerooted.carried, &q, &v);
    let quantities = |model: &Model, q: &[f64], v: &[f64]| {
        let mut ws = Workspace::new(model);
        let kinetic = model.kinetic_energy(&mut ws, q, v).unwrap();
        let potential = model.potential_energy(&mut ws, q).unwrap();
        let momentum = model.centroidal_momentum(&mut ws, q, v).unwrap();
        let passive = model.passive_forces(&mut ws, q, v).unwrap();
        let power = passive.iter().zip(v).map(|(tau, v)| tau * v).sum();
        let mut all = vec![kinetic, potential, power];
        all.extend(momentum.to_array());
        all
    };
    let (found, expected) = (quantities(new, &q_new, &v_new), quantities(model, &q, &v));
    close(what, &found, &expected, ROUNDING);
    assert!((new.total_mass() - model.total_mass()).abs() < 1e-12 * model.total_mass());
    for (old, now) in model.joint_ids().map(|id| (id, rerooted.carried.joint(id))) {
        assert_eq!(new.joint(now.unwrap()).name, model.joint(old).name);
    }
}

#[test]
fn a_robot_on_another_base_is_the_same_system() {
    let (mut done, mut refused) = (0, 0);
    for (model, seed) in every_model() {
        let root = model.joint_ids().next().unwrap();
        if model.joint(root).kind != JointKind::FreeFlyer {
            continue;
        }
        for body in model.subtree(root) {
            match model.reroot(body) {
                Ok(rerooted) => {
                    same_system(&model, body, &rerooted, seed);
                    done += 1;
                }
                Err(SurgeryError::NoReverse { kind, .. }) => {
                    assert!(kind == "ellipsoid", "{kind}");
                    refused += 1;
                }
                Err(SurgeryError::NotReversible { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(done > 60 && refused > 5, "{done} {refused}");
}

/// A chain on a free-flyer with every kind of joint that has a reverse.
fn chain(drive: impl Fn(&JointKind) -> Drive) -> Model {
    let at = |x: f64| {
        let turned = Mat3::from_roll_pitch_yaw(x, 0.5 - x, 2.0 * x);
        Se3::new(turned, Vec3::new(0.2, x, -0.1))
    };
    let axis = Vec3::new(2.0, -3.0, 6.0);
    let parts = [
        (at(0.1), JointKind::universal(axis, Vec3::unit(0))),
        (at(0.2), JointKind::Translation),
        (at(0.3), JointKind::Spherical),
    ];
    let kinds = [
        JointKind::FreeFlyer,
        JointKind::revolute(axis),
        JointKind::revolute_unbounded(axis),
        JointKind::prismatic(axis),
        JointKind::helical(axis, 0.3),
        JointKind::cylindrical(axis),
        JointKind::universal(axis, Vec3::new(1.0, 1.0, 0.0)),
        JointKind::Planar,
        JointKind::Translation,
        JointKind::Spherical,
        JointKind::SphericalZyx,
        JointKind::ellipsoid(Vec3::new(0.3, 0.3, 0.3)),
        JointKind::FreeFlyer,
        JointKind::composite(parts).unwrap(),
    ];
    let mut builder = ModelBuilder::new("chain");
    let mut last = ModelBuilder::UNIVERSE;
    for (i, kind) in kinds.into_iter().enumerate() {
        let x = 0.1 * i as f64;
        let spec = JointSpec::new(format!("joint_{i}"), last, kind.clone());
        last = builder.add_joint(spec.placement(at(x)).drive(drive(&kind)));
        let box_inertia = Inertia::cuboid(1.0 + x, Vec3::new(0.1, 0.2, 0.3));
        builder.add_body(last, format!("body_{i}"), at(-x), box_inertia);
    }
    builder.build().unwrap().model
}

/// Armature, dampers and springs where a reverse can have the same.
fn reversible(kind: &JointKind) -> Drive {
    let mut drive = Drive::none(kind);
    #[expect(clippy::wildcard_enum_match_arm, reason = "any drive will do")]
    let count = match kind {
        JointKind::FreeFlyer | JointKind::Planar => return drive,
        JointKind::Composite(_) => {
            // Those of the last part, a ball, must be equal.
            for k in 0..kind.nv() {
                drive.armature[k] = if k < 5 { 0.1 * k as f64 } else { 0.3 };
            }
            return drive;
        }
        JointKind::Spherical => 0,
        _ => kind.nv(),
    };
    for k in 0..kind.nv() {
        let x = if count == 0 { 1.0 } else { 1.0 + k as f64 };
        (drive.armature[k], drive.damping[k], drive.stiffness[k]) = (0.1 * x, 0.2 * x, 3.0 * x);
        drive.friction[k] = if count == 0 { 0.0 } else { 0.1 * x };
    }
    // A spring that is not at rest in the neutral configuration.
    let rest = drive.spring_reference.clone();
    let step: Vec<f64> = (0..kind.nv()).map(|k| 0.2 + 0.1 * k as f64).collect();
    kind.integrate(&rest, &step, &mut drive.spring_reference);
    drive
}

#[test]
fn every_kind_of_joint_but_an_ellipsoid_is_reversed_with_its_drive() {
    let model = chain(reversible);
    let tip = model.joint_ids().last().unwrap();
    let rerooted = model.reroot(tip).unwrap();
    same_system(&model, tip, &rerooted, 1);
    // And back to the first body, which the first joint after the base carries now.
    let first = rerooted.model.joint_id("joint_1").unwrap();
    let back = rerooted.model.reroot(first).unwrap();
    same_system(&rerooted.model, first, &back, 2);
    let State { q, v, .. } = State::random(&model, 3);
    let (q_there, v_there) = carry(&rerooted.carried, &q, &v);
    let (q_back, v_back) = carry(&back.carried, &q_there, &v_there);
    let twice = |id: FrameId| {
        back.carried
            .frame(rerooted.carried.frame(id).unwrap())
            .unwrap()
    };
    let bodies = |id: &FrameId| model.frame(*id).kind == FrameKind::Body;
    let bodies = || model.frame_ids().filter(bodies);
    let found = frames(&back.model, &q_back, &v_back, bodies().map(twice));
    close("back", &found, &frames(&model, &q, &v, bodies()), ROUNDING);
}

/// A configuration is within the limits of a joint where its reverse is within its own.
#[test]
fn limits_are_those_of_the_same_motions() {
    let mut builder = ModelBuilder::new("limits");
    let free = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let mut last = builder.add_joint(free);
    let cube = Inertia::cuboid(1.0, Vec3::new(0.1, 0.2, 0.3));
    builder.add_body(last, "root_body", Se3::identity(), cube);
    let turns = JointKind::universal(Vec3::unit(0), Vec3::unit(1));
    let kinds = [
        JointKind::revolute_x(),
        JointKind::Translation,
        turns.clone(),
        JointKind::composite([
            (Se3::identity(), JointKind::prismatic_z()),
            (Se3::identity(), turns),
        ])
        .unwrap(),
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        let mut limits = Limits::unbounded(kind.nq(), kind.nv());
        for k in 0..kind.nv() {
            let x = 1.0 + k as f64;
            (limits.lower[k], limits.upper[k]) = (-0.1 * x, 0.7 * x);
            (limits.velocity[k], limits.effort[k], limits.acceleration[k]) = (x, 2.0 * x, 3.0 * x);
        }
        let spec = JointSpec::new(format!("joint_{i}"), last, kind).limits(limits);
        last = builder.add_joint(spec);
        builder.add_body(last, format!("body_{i}"), Se3::identity(), cube);
    }
    let model = builder.build().unwrap().model;
    let tip = model.joint_ids().last().unwrap();
    let rerooted = model.reroot(tip).unwrap();
    let within = |model: &Model, q: &[f64]| {
        let mut within = Vec::new();
        for joint in model.joints() {
            let q = &q[joint.idx_q..joint.idx_q + joint.nq];
            let bounds = joint.limits.lower.iter().zip(&joint.limits.upper);
            let all = q
                .iter()
                .zip(bounds)
                .all(|(x, (low, up))| low <= x && x <= up);
            within.push((joint.name.clone(), all));
        }
        within.sort();
        within
    };
    let mut counts = [0, 0];
    for seed in 0..50 {
        let q = State::random(&model, seed).q;
        let expected = within(&model, &q);
        let there = rerooted.carried.configuration(&q).unwrap();
        assert_eq!(within(&rerooted.model, &there), expected);
        for (_, is_within) in expected {
            counts[usize::from(is_within)] += 1;
        }
    }
    assert!(counts[0] > 20 && counts[1] > 20, "{counts:?}");
    // Of the universal joint's axes the first is the second one's.
    let turned = &rerooted
        .model
        .joint(rerooted.model.joint_id("joint_2").unwrap())
        .limits;
    assert_eq!(
        (turned.velocity[0], turned.effort[0], turned.acceleration[0]),
        (2.0, 4.0, 6.0)
    );
}

#[test]
fn what_depends_on_the_directions_of_axes_is_refused() {
    let unequal = |kind: &JointKind| {
        let mut drive = Drive::none(kind);
        if *kind == JointKind::Spherical {
            drive.damping[1] = 0.1;
        }
        drive
    };
    let model = chain(unequal);
    let tip = model.joint_ids().last().unwrap();
    let Err(SurgeryError::NotReversible { joint, what }) = model.reroot(tip) else {
        panic!("it should be refused");
    };
    assert_eq!((joint.as_str(), what), ("joint_9", "the damping"));
    let arm = featherline_robots::panda();
    let hand = arm.joint_ids().last().unwrap();
    assert!(matches!(
        arm.reroot(hand),
        Err(SurgeryError::NotFloating { .. })
    ));
    assert!(matches!(
        arm.reroot(JointId::UNIVERSE),
        Err(SurgeryError::Universe { .. })
    ));
}

/// The arm held at its hand: on a free-flyer, rerooted, locked there.
#[test]
fn an_arm_is_turned_round() {
    let arm = featherline_robots::panda();
    let mut builder = ModelBuilder::new("floating");
    let free = JointSpec::new("root", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
    let root = builder.add_joint(free);
    let foot = Inertia::cuboid(3.0, Vec3::new(0.2, 0.2, 0.1));
    builder.add_body(root, "foot", Se3::identity(), foot);
    let base = builder.build().unwrap().model;
    let at = base.body_id("foot").unwrap();
    let floating = base.append(&arm, at, Se3::identity(), "").unwrap().model;
    let hand = floating.joint_ids().last().unwrap();
    let turned = floating.reroot(hand).unwrap();
    same_system(&floating, hand, &turned, 4);
    let root = turned.model.joint_id("root").unwrap();
    let q = turned.model.neutral_configuration::<f64>();
    let held = turned.model.lock(&[root], &q).unwrap().model;
    assert_eq!(held.nv(), arm.nv());
    let foot = held.frame(held.body_id("foot").unwrap()).joint;
    assert_eq!(held.subtree(foot).len(), 1);
}
