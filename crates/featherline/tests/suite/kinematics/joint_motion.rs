//! Joints by themselves, against differences of their placements and the velocities of bodies.

use crate::common::{State, close, models};
use featherline::configuration;
use featherline::kinematics::{JointMotion, ReferenceFrame};
use featherline::spatial::log6;
use featherline::{Error, Workspace, samples};

/// Seconds between the middle and both ends of a difference.
const STEP: f64 = 1e-5;

/// The square of the step times third derivatives, and roundings over the step.
const TOLERANCE: f64 = 1e-7;

#[test]
fn joints_move_as_their_placements_change() {
    for (model, seed) in models() {
        let s = State::random(&model, seed);
        let at = |time: f64| -> Vec<JointMotion<f64>> {
            let way: Vec<f64> = s.v.iter().map(|v| v * time).collect();
            let mut q = vec![0.0; model.nq()];
            configuration::integrate_into(&model, &s.q, &way, &mut q).unwrap();
            let evaluated = |id| model.evaluate_joint(id, &q, &s.v).unwrap();
            model.joint_ids().map(evaluated).collect()
        };
        let (before, now, after) = (at(-STEP), at(0.0), at(STEP));
        let mut ws = Workspace::new(&model);
        let view = model
            .forward_kinematics_velocities(&mut ws, &s.q, &s.v)
            .unwrap();
        for (k, id) in model.joint_ids().enumerate() {
            let joint = model.joint(id);
            let moved = before[k].placement.inverse().compose(&after[k].placement);
            let velocity = log6(&moved) * (0.5 / STEP);
            let found = &now[k];
            close(
                &format!("v of {}", joint.name),
                &found.velocity.to_array(),
                &velocity.to_array(),
                TOLERANCE,
            );
            // Along a motion of constant v, the rate of S q̇ is that of S alone.
            let bias = (after[k].velocity - before[k].velocity) * (0.5 / STEP);
            close(
                &format!("c of {}", joint.name),
                &found.bias.to_array(),
                &bias.to_array(),
                TOLERANCE,
            );
            assert_eq!(found.subspace.len(), joint.kind.nv());
            // The body's velocity less its parent's; mimic joints move by the other's coordinate.
            let local = ReferenceFrame::Local;
            let on_parent = joint.placement.compose(&found.placement);
            let carried = on_parent.inverse_act_motion(&view.velocity(joint.parent, local));
            let relative = view.velocity(id, local) - carried;
            // A few hundred operations.
            close(
                &format!("S q̇ of {}", joint.name),
                &found.velocity.to_array(),
                &relative.to_array(),
                1e-12,
            );
        }
    }
}

#[test]
fn states_of_a_joint_are_checked() {
    let model = samples::double_pendulum();
    let elbow = model.joint_id("elbow").unwrap();
    let refused = |q: &[f64], v: &[f64]| model.evaluate_joint(elbow, q, v).unwrap_err();
    assert!(matches!(refused(&[0.0], &[0.0; 2]), Error::Size { .. }));
    assert!(matches!(refused(&[0.0; 2], &[0.0; 3]), Error::Size { .. }));
    let not_finite = |what, index| Error::NotFinite { what, index };
    assert_eq!(refused(&[0.0, f64::NAN], &[0.0; 2]), not_finite("q", 1));
    assert_eq!(
        refused(&[0.0; 2], &[0.0, f64::INFINITY]),
        not_finite("v", 1)
    );
}
