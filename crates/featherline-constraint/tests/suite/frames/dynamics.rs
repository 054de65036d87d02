//! The equations of motion with the forces, and the accelerations of what is held, by kinematics.

use super::robots::{Held, all};
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::spatial::{Force, Motion, Se3, Vec3, log6};
use featherline::{Model, Workspace};
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, FrameConstraintKind, LoopError, constrained_dynamics,
};

/// Rounding, times condition numbers up to some 1e6.
const TOLERANCE: f64 = 1e-9;

/// The placement, velocity and spatial acceleration of the held frame and of its base, in the held
/// frame.
pub struct Motions {
    pub held: Se3<f64>,
    pub base: Se3<f64>,
    pub velocity: [Motion<f64>; 2],
    pub acceleration: [Motion<f64>; 2],
}

pub fn motions(
    model: &Model,
    constraint: &FrameConstraint,
    (q, v, a): (&[f64], &[f64], &[f64]),
) -> Motions {
    let mut ws = Workspace::new(model);
    let moving = model
        .forward_kinematics_accelerations(&mut ws, q, v, a)
        .unwrap();
    let at = |joint: JointId| {
        if joint == JointId::UNIVERSE {
            (Se3::identity(), Motion::zero(), Motion::zero())
        } else {
            let local = ReferenceFrame::Local;
            let placed = moving.placement(joint);
            (
                placed,
                moving.velocity(joint, local),
                moving.acceleration(joint, local),
            )
        }
    };
    let (body, v_s, a_s) = at(constraint.joint);
    let (base, v_p, a_p) = at(constraint.base);
    let held = body.compose(&constraint.placement);
    let seen = held.inverse_compose(&base);
    Motions {
        held,
        base: base.compose(&constraint.base_placement),
        velocity: [
            constraint.placement.inverse_act_motion(&v_s),
            seen.act_motion(&v_p),
        ],
        acceleration: [
            constraint.placement.inverse_act_motion(&a_s),
            seen.act_motion(&a_p),
        ],
    }
}

/// The forces of the constraints as external forces, from the references.
pub fn external(model: &Model, robot: &Held, forces: &[Force<f64>], q: &[f64]) -> Vec<Force<f64>> {
    let mut external = vec![Force::zero(); model.joints().len()];
    let still = vec![0.0; model.nv()];
    for (constraint, force) in robot.constraints.iter().zip(forces) {
        let at = motions(model, constraint, (q, &still, &still));
        let in_world = match (constraint.reference, constraint.kind) {
            (ReferenceFrame::Local, _) => at.held.act_force(force),
            (ReferenceFrame::World, FrameConstraintKind::Frame) => *force,
            _ => Se3::from_translation(at.held.translation).act_force(force),
        };
        let mut ws = Workspace::new(model);
        let placed = model.forward_kinematics(&mut ws, q).unwrap();
        for (joint, sign) in [(constraint.joint, 1.0), (constraint.base, -1.0)] {
            if joint != JointId::UNIVERSE {
                let own = placed
                    .placement(joint)
                    .inverse_act_force(&(in_world * sign));
                external[joint.index()] += own;
            }
        }
    }
    external
}

/// The size of a constraint's residual g + kd u + kp e, as an acceleration.
fn missed(constraint: &FrameConstraint, at: &Motions) -> f64 {
    let [v_s, v_p] = at.velocity;
    let u = v_s - v_p;
    let [a_s, a_p] = at.acceleration;
    let pull = constraint.stabilisation;
    let (kp, kd) = (pull.stiffness * pull.stiffness, 2.0 * pull.damping);
    match constraint.kind {
        FrameConstraintKind::Point => {
            let gap = at
                .held
                .rotation
                .tr_mul_vec(at.held.translation - at.base.translation);
            let of_point = |v: &Motion<f64>, a: &Motion<f64>| a.linear + v.angular.cross(v.linear);
            let g = of_point(&v_s, &a_s) - of_point(&v_p, &a_p) - v_p.angular.cross(u.linear);
            (g + u.linear * kd + gap * kp).norm()
        }
        FrameConstraintKind::Frame => {
            let gap = log6(&at.base.inverse_compose(&at.held));
            let rest = (a_s - a_p) + u * kd + gap * kp;
            rest.linear.norm() + rest.angular.norm()
        }
    }
}

#[test]
fn forces_and_accelerations_fulfil_both_equations() {
    for gains in [false, true] {
        for mut robot in all(gains) {
            let Held {
                model,
                ws,
                q,
                v,
                tau,
                ..
            } = &mut robot;
            let model = model.clone();
            let given = crate::common::external_forces(&model);
            let found = constrained_dynamics(&model, ws, q, v, tau, &given).unwrap();
            let (residual, redundant) = (found.residual, found.redundant);
            let a = found.accelerations.to_vec();
            let (forces, loop_forces) = (found.forces.to_vec(), found.loop_forces.to_vec());
            let (q, v, tau) = (q.clone(), v.clone(), tau.clone());

            let mut external = external(&model, &robot, &forces, &q);
            let mut ws = Workspace::new(&model);
            let placed = model.forward_kinematics(&mut ws, &q).unwrap();
            for (joint, force) in model.loop_joints().iter().zip(&loop_forces) {
                let body = &joint.successor_placement;
                let own = body.act_force(force);
                external[joint.successor.index()] += own;
                let in_world = placed.placement(joint.successor).act_force(&own);
                if joint.predecessor != JointId::UNIVERSE {
                    let base = placed.placement(joint.predecessor);
                    external[joint.predecessor.index()] += -base.inverse_act_force(&in_world);
                }
            }
            for (own, given) in external.iter_mut().zip(&given) {
                *own += *given;
            }
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&external);
            let needed = model
                .inverse_dynamics(&mut ws, &q, &v, &a, options)
                .unwrap();
            let scale = external.iter().fold(1.0_f64, |m, f| m.max(f.linear.norm()));
            for (needed, tau) in needed.iter().zip(&tau) {
                let error = (needed - tau).abs() / scale;
                assert!(error < TOLERANCE, "{}: {error:e}", model.name());
            }
            // Where rows are redundant they may contradict each other.
            if redundant == 0 {
                let scale = a.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                assert!(
                    residual < TOLERANCE * scale,
                    "{}: {residual:e}",
                    model.name()
                );
                for constraint in &robot.constraints {
                    let at = motions(&model, constraint, (&q, &v, &a));
                    let missed = missed(constraint, &at) / scale;
                    assert!(missed < TOLERANCE, "{}: {missed:e}", model.name());
                }
            }
        }
    }
}

#[test]
fn most_of_the_robots_have_independent_rows() {
    let all = all(false).into_iter();
    let mut independent = 0;
    for mut robot in all {
        let Held {
            model,
            ws,
            q,
            v,
            tau,
            ..
        } = &mut robot;
        let found = constrained_dynamics(model, ws, q, v, tau, &[]).unwrap();
        independent += usize::from(found.redundant == 0);
    }
    assert!(independent > 20, "{independent}");
}

#[test]
fn what_does_not_act_is_as_if_it_were_not_there() {
    for mut robot in all(true) {
        let Held {
            model,
            ws,
            q,
            v,
            tau,
            constraints,
        } = &mut robot;
        if constraints.len() < 2 {
            continue;
        }
        ws.set_active(model, 0, false).unwrap();
        assert!(!ws.is_active(0).unwrap() && ws.rows_of(0).unwrap().is_empty());
        let found = constrained_dynamics(model, ws, q, v, tau, &[]).unwrap();
        let mut other = ConstraintWorkspace::new(model, &constraints[1..]).unwrap();
        let expected = constrained_dynamics(model, &mut other, q, v, tau, &[]).unwrap();
        assert_eq!(found.accelerations, expected.accelerations);
        assert_eq!(found.multipliers, expected.multipliers);
        assert_eq!(found.forces[0], Force::zero());
        assert_eq!(found.forces[1..], *expected.forces);
        // And on again, as in the beginning.
        ws.set_active(model, 0, true).unwrap();
        let found = constrained_dynamics(model, ws, q, v, tau, &[]).unwrap();
        let mut other = ConstraintWorkspace::new(model, constraints).unwrap();
        let expected = constrained_dynamics(model, &mut other, q, v, tau, &[]).unwrap();
        assert_eq!(found.accelerations, expected.accelerations);
        assert_eq!(found.multipliers, expected.multipliers);
    }
}

#[test]
fn without_constraints_it_is_forward_dynamics() {
    let model = featherline_robots::humanoid();
    let mut ws = ConstraintWorkspace::new(&model, &[]).unwrap();
    let state = crate::common::State::random(&model, 3);
    let found = constrained_dynamics(&model, &mut ws, &state.q, &state.v, &state.tau, &[]).unwrap();
    let mut tree = Workspace::new(&model);
    let expected = model
        .aba(&mut tree, &state.q, &state.v, &state.tau)
        .unwrap();
    for (a, b) in found.accelerations.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9 * b.abs().max(1.0));
    }
}

#[test]
fn what_makes_no_sense_is_an_error() {
    let model = featherline_robots::panda();
    let end = model.joint_ids().last().unwrap();
    let itself = FrameConstraint::new(FrameConstraintKind::Point, end, Se3::identity())
        .held_by(end, Se3::from_translation(Vec3::unit(0)));
    let refused = ConstraintWorkspace::new(&model, &[itself]).unwrap_err();
    assert_eq!(refused, LoopError::HeldToItself { index: 0 });
    assert!(FrameConstraint::point(&model, "no such frame").is_err());
    let mut ws = ConstraintWorkspace::new(&model, &[]).unwrap();
    let missing = LoopError::NoConstraint {
        index: 0,
        constraints: 0,
    };
    assert_eq!(ws.set_active(&model, 0, true).unwrap_err(), missing);
    let short = constrained_dynamics(&model, &mut ws, &[0.0; 7], &[0.0; 7], &[0.0; 6], &[]);
    assert!(matches!(short, Err(LoopError::Tree(_))));
    let other = featherline_robots::ur5();
    let foreign = constrained_dynamics(&other, &mut ws, &[0.0; 6], &[0.0; 6], &[0.0; 6], &[]);
    assert!(matches!(foreign, Err(LoopError::Tree(_))));
    let far = featherline_robots::humanoid().joint_ids().last().unwrap();
    let foreign = FrameConstraint::new(FrameConstraintKind::Point, far, Se3::identity());
    assert!(ConstraintWorkspace::new(&model, &[foreign]).is_err());
}
