//! Placements, velocities and accelerations.

use super::ROUNDING;
use super::moving::*;
use crate::common::{State, close, models};
use featherline::joint::JointKind;
use featherline::kinematics::ReferenceFrame::{self, Local, LocalWorldAligned, World};
use featherline::model::{FrameKind, JointId};
use featherline::spatial::{Motion, Se3, Vec3};
use featherline::{Error, Model, Workspace, samples};

fn same_placement(what: &str, found: &Se3<f64>, expected: &Se3<f64>) {
    let flat = |m: &Se3<f64>| m.to_homogeneous().concat();
    close(what, &flat(found), &flat(expected), ROUNDING);
}

fn same_motion(what: &str, found: &Motion<f64>, expected: &Motion<f64>) {
    close(what, &found.to_array(), &expected.to_array(), ROUNDING);
}

/// A motion given at a frame's origin in the world's axes, in another reference.
fn expressed(motion: &Motion<f64>, frame: &Se3<f64>, reference: ReferenceFrame) -> Motion<f64> {
    match reference {
        LocalWorldAligned => *motion,
        Local => Motion::new(
            frame.rotation.tr_mul_vec(motion.linear),
            frame.rotation.tr_mul_vec(motion.angular),
        ),
        World => Motion::new(
            motion.linear - motion.angular.cross(frame.translation),
            motion.angular,
        ),
    }
}

/// The placement of a joint's output frame, joint by joint from the root, without link frames.
fn placement_along_path(model: &Model, q: &[f64], id: JointId) -> Se3<f64> {
    if id == JointId::UNIVERSE {
        return Se3::identity();
    }
    let joint = model.joint(id);
    let mut subspace = vec![Motion::zero(); joint.kind.nv()];
    let own = match joint.mimic {
        None => {
            let own_q = &q[joint.idx_q..joint.idx_q + joint.nq];
            joint.kind.evaluate(own_q, &mut subspace)
        }
        Some(mimic) => {
            let source = model.joint(mimic.source);
            let displacement = if let JointKind::RevoluteUnbounded { .. } = source.kind {
                q[source.idx_q + 1].atan2(q[source.idx_q])
            } else {
                q[source.idx_q]
            };
            let displacement = mimic.ratio * displacement + mimic.offset;
            joint
                .kind
                .evaluate_displacement(displacement, &mut subspace)
        }
    };
    placement_along_path(model, q, joint.parent) * joint.placement * own
}

#[test]
fn placements_are_products_along_the_path() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let positions = model.forward_kinematics(&mut ws, &s.q).unwrap();
        let mut placements = vec![Se3::identity(); model.joints().len()];
        positions.joint_placements_into(&mut placements).unwrap();
        assert_eq!(placements[0], Se3::identity());
        for id in model.joint_ids() {
            let expected = placement_along_path(&model, &s.q, id);
            same_placement("joint", &positions.placement(id), &expected);
            same_placement("joint", &placements[id.index()], &expected);
        }
        assert!(matches!(
            positions.joint_placements_into(&mut placements[1..]),
            Err(Error::Size { .. })
        ));
        for id in model.frame_ids() {
            let frame = model.frame(id);
            let expected = placement_along_path(&model, &s.q, frame.joint) * frame.placement;
            same_placement("frame", &positions.placement(id), &expected);
        }
    }
}

#[test]
fn motions_of_all_joints_are_those_of_each() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let view = (model.forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)).unwrap();
        let mut velocities = vec![Motion::zero(); model.joints().len()];
        let mut accelerations = velocities.clone();
        view.joint_velocities_into(&mut velocities).unwrap();
        view.joint_accelerations_into(&mut accelerations).unwrap();
        assert_eq!(velocities[0], Motion::zero());
        assert_eq!(accelerations[0], Motion::zero());
        for id in model.joint_ids() {
            let i = id.index();
            same_motion("velocity", &velocities[i], &view.velocity(id, Local));
            same_motion(
                "acceleration",
                &accelerations[i],
                &view.acceleration(id, Local),
            );
        }
        for error in [
            view.joint_velocities_into(&mut velocities[1..]),
            view.joint_accelerations_into(&mut accelerations[1..]),
        ] {
            assert!(matches!(error, Err(Error::Size { .. })));
        }
    }
}

#[test]
fn velocities_are_derivatives_of_placements() {
    for (model, seed) in models() {
        let (mut ws, mut dual) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let q = moving_configuration(&model, &s.q, &s.v);
        let curve = model.forward_kinematics(&mut dual, &q).unwrap();
        let view = model
            .forward_kinematics_velocities(&mut ws, &s.q, &s.v)
            .unwrap();
        for reference in ReferenceFrame::ALL {
            for id in model.frame_ids() {
                let placement = curve.placement(id);
                let expected = expressed(
                    &placement_velocity(&placement),
                    &placement_value(&placement),
                    reference,
                );
                same_motion("frame", &view.velocity(id, reference), &expected);
            }
            for id in model.joint_ids() {
                let placement = curve.placement(id);
                let expected = expressed(
                    &placement_velocity(&placement),
                    &placement_value(&placement),
                    reference,
                );
                same_motion("joint", &view.velocity(id, reference), &expected);
            }
        }
    }
}

#[test]
fn accelerations_are_derivatives_of_velocities() {
    for (model, seed) in models() {
        let (mut ws, mut dual) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let q = moving_configuration(&model, &s.q, &s.v);
        let v = moving(&s.v, &s.a);
        let curve = model
            .forward_kinematics_velocities(&mut dual, &q, &v)
            .unwrap();
        let view = model
            .forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)
            .unwrap();
        for id in model.frame_ids() {
            let frame = view.placement(id);
            // The components of the spatial velocity have the spatial acceleration as their
            // derivative in coordinates that stand still and in the body's own; at the moving
            // origin in fixed axes it is the classical one.
            for reference in [World, Local] {
                let expected = motion_rate(&curve.velocity(id, reference));
                let found = view.acceleration(id, reference);
                same_motion("spatial", &found, &expected);
            }
            let local = view.acceleration(id, Local);
            let aligned = view.acceleration(id, LocalWorldAligned);
            same_motion("aligned", &expressed(&aligned, &frame, Local), &local);
            let classical = motion_rate(&curve.velocity(id, LocalWorldAligned));
            let found = view.classical_acceleration(id, LocalWorldAligned);
            same_motion("classical", &found, &classical);
            let found = view.classical_acceleration(id, Local);
            same_motion("local", &found, &expressed(&classical, &frame, Local));
            let (velocity, mut expected) = (view.velocity(id, World), view.acceleration(id, World));
            expected.linear += velocity.angular.cross(velocity.linear);
            let found = view.classical_acceleration(id, World);
            same_motion("world", &found, &expected);
        }
    }
}

#[test]
fn a_joint_moves_as_its_frame_does() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let view = model
            .forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)
            .unwrap();
        for id in model.joint_ids() {
            let name = &model.joint(id).name;
            let frame = model.frame_id_of_kind(name, FrameKind::Joint).unwrap();
            for reference in ReferenceFrame::ALL {
                let found = view.acceleration(id, reference);
                let expected = view.acceleration(frame, reference);
                same_motion("spatial", &found, &expected);
                let found = view.classical_acceleration(id, reference);
                let expected = view.classical_acceleration(frame, reference);
                same_motion("classical", &found, &expected);
            }
        }
    }
}

#[test]
fn the_universe_stands_still() {
    let model = samples::double_pendulum();
    let mut ws = Workspace::new(&model);
    let (q, v, a) = ([0.4, -0.3], [1.0, 2.0], [3.0, -4.0]);
    // Inverse dynamics lets the universe accelerate against gravity; kinematics must not see it.
    model.rnea(&mut ws, &q, &v, &a).unwrap();
    let view = model
        .forward_kinematics_accelerations(&mut ws, &q, &v, &a)
        .unwrap();
    let universe = JointId::UNIVERSE;
    assert_eq!(view.placement(universe), Se3::identity());
    for reference in ReferenceFrame::ALL {
        let motion = view.velocity(universe, reference);
        assert_eq!(motion, Motion::zero());
        let motion = view.acceleration(universe, reference);
        assert_eq!(motion.linear, Vec3::zero());
    }
}

#[test]
fn a_workspace_serves_several_states_in_any_order() {
    for (model, seed) in models() {
        let (mut used, mut fresh) = (Workspace::new(&model), Workspace::new(&model));
        let (first, second) = (State::random(&model, seed), State::random(&model, !seed));
        model
            .aba(&mut used, &first.q, &first.v, &first.tau)
            .unwrap();
        let (q, v, a) = (&second.q, &second.v, &second.a);
        let after = model
            .forward_kinematics_accelerations(&mut used, q, v, a)
            .unwrap();
        let alone = model
            .forward_kinematics_accelerations(&mut fresh, q, v, a)
            .unwrap();
        for id in model.frame_ids() {
            assert_eq!(after.acceleration(id, World), alone.acceleration(id, World));
            assert_eq!(
                after.bias_acceleration(id, World),
                alone.bias_acceleration(id, World)
            );
        }
    }
}

#[test]
fn bad_input_is_named() {
    let model = samples::random_tree(
        3,
        &samples::RandomTree {
            joints: 10,
            floating: true,
            mimic_joints: false,
            ..Default::default()
        },
    );
    let mut ws = Workspace::<f64>::new(&model);
    let s = State::random(&model, 1);
    let zero = vec![0.0; model.nq()];
    assert!(matches!(
        model.forward_kinematics(&mut ws, &zero),
        Err(Error::ZeroRotation { .. })
    ));
    assert!(matches!(
        model.forward_kinematics(&mut ws, &s.q[1..]),
        Err(Error::Size { what: "q", .. })
    ));
    for k in 0..model.nq() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut q = s.q.clone();
            q[k] = bad;
            assert_eq!(
                model.forward_kinematics(&mut ws, &q).unwrap_err(),
                Error::NotFinite {
                    what: "q",
                    index: k
                }
            );
        }
    }
    for k in 0..model.nv() {
        let mut bad = s.v.clone();
        bad[k] = f64::NAN;
        let (q, v) = (&s.q, &s.v);
        assert_eq!(
            model
                .forward_kinematics_velocities(&mut ws, q, &bad)
                .unwrap_err(),
            Error::NotFinite {
                what: "v",
                index: k
            }
        );
        assert_eq!(
            model
                .forward_kinematics_accelerations(&mut ws, q, v, &bad)
                .unwrap_err(),
            Error::NotFinite {
                what: "a",
                index: k
            }
        );
    }
}

/// Views can't fail: where a rate's square overflows there must be no view.
#[test]
fn nothing_that_a_view_shows_is_infinite() {
    let model = samples::random_tree(
        5,
        &samples::RandomTree {
            joints: 12,
            floating: true,
            ..Default::default()
        },
    );
    let mut ws = Workspace::<f64>::new(&model);
    let s = State::random(&model, 2);
    let scaled = |values: &[f64], by: f64| values.iter().map(|x| x * by).collect::<Vec<f64>>();
    let finite = |seen: &[Motion<f64>]| seen.iter().all(Motion::is_finite);
    let references = [World, Local, LocalWorldAligned];
    let mut refused = 0;
    for exponent in (0..308).step_by(4) {
        let (v, a) = (
            scaled(&s.v, 10.0_f64.powi(exponent)),
            scaled(&s.a, 10.0_f64.powi(exponent)),
        );
        match model.forward_kinematics_velocities(&mut ws, &s.q, &v) {
            Ok(view) => {
                for frame in model.frame_ids() {
                    let seen = references.map(|r| {
                        [
                            view.velocity(frame, r),
                            view.bias_acceleration(frame, r),
                            view.classical_bias_acceleration(frame, r),
                        ]
                    });
                    assert!(finite(seen.as_flattened()), "1e{exponent}: {seen:?}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, Error::Overflow { .. }), "{error}");
            }
        }
        for (v, a) in [(&v, &s.a), (&s.v, &a)] {
            if let Ok(view) = model.forward_kinematics_accelerations(&mut ws, &s.q, v, a) {
                for frame in model.frame_ids() {
                    let seen = references.map(|r| {
                        [
                            view.acceleration(frame, r),
                            view.classical_acceleration(frame, r),
                        ]
                    });
                    assert!(finite(seen.as_flattened()), "1e{exponent}: {seen:?}");
                }
            }
        }
    }
    // From 10¹⁴⁵ on.
    assert_eq!(refused, 40);
}
