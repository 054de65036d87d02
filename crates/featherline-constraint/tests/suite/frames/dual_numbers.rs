//! Derivatives by the equations of motion in dual numbers: a solution that moves along them stays
//! one.

use super::derivatives::is_independent;
use super::robots::{Held, all};
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::scalar::Dual;
use featherline::spatial::{Force, Motion, Se3};
use featherline::{Model, Workspace};
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint, FrameConstraintKind, constrained_dynamics_derivatives,
};

type Moved = Dual<f64, 1>;

/// Rounding times condition numbers up to 1e4 of the mass matrix and of the rows.
const TOLERANCE: f64 = 1e-8;

fn moved(values: &[f64], rates: impl Iterator<Item = f64>) -> Vec<Moved> {
    let values = values.iter().zip(rates);
    values.map(|(x, rate)| Dual::new(*x, [rate])).collect()
}

fn still(values: &[f64]) -> Vec<Moved> {
    moved(values, std::iter::repeat(0.0))
}

/// A state with its acceleration and multipliers.
struct State {
    q: Vec<Moved>,
    v: Vec<Moved>,
    a: Vec<Moved>,
    multipliers: Vec<Moved>,
}

/// The rates of the joint forces, and of the accelerations of the held frames along their rows.
fn rates(model: &Model, constraints: &[FrameConstraint], state: &State) -> (Vec<f64>, Vec<f64>) {
    let mut ws = Workspace::new(model);
    let mut forces = vec![Force::zero(); model.joints().len()];
    let mut row = 0;
    for constraint in constraints {
        let mut entries = [Dual::fixed(0.0); 6];
        let count = constraint.kind.rows();
        entries[..count].copy_from_slice(&state.multipliers[row..row + count]);
        row += count;
        let placement = Se3::<Moved>::constant(&constraint.placement);
        forces[constraint.joint.index()] += placement.act_force(&Force::from_array(entries));
    }
    let options = DynamicsOptions::default().without_passive_forces();
    let options = options.with_forces(&forces);
    let State { q, v, a, .. } = state;
    let tau = model.inverse_dynamics(&mut ws, q, v, a, options).unwrap();
    let tau = tau.iter().map(|x| x.tangent[0]).collect();
    let links = model.forward_kinematics_accelerations(&mut ws, q, v, a);
    let links = links.unwrap();
    let mut held = Vec::new();
    for constraint in constraints {
        let placement = Se3::<Moved>::constant(&constraint.placement);
        let local = ReferenceFrame::Local;
        let seen = |motion: &Motion<Moved>| placement.inverse_act_motion(motion);
        let velocity = seen(&links.velocity(constraint.joint, local));
        let mut acceleration = seen(&links.acceleration(constraint.joint, local));
        if constraint.kind == FrameConstraintKind::Point {
            acceleration.linear += velocity.angular.cross(velocity.linear);
        }
        let entries = acceleration.to_array().into_iter();
        held.extend(entries.take(constraint.kind.rows()).map(|x| x.tangent[0]));
    }
    (tau, held)
}

#[test]
fn solutions_stay_solutions_along_their_derivatives() {
    let mut robots = 0;
    for robot in all(false) {
        let Held {
            model,
            mut constraints,
            q,
            v,
            tau,
            ..
        } = robot;
        if !model.loop_joints().is_empty() {
            continue;
        }
        for own in &mut constraints {
            *own = FrameConstraint::new(own.kind, own.joint, own.placement);
        }
        let ws = ConstraintWorkspace::new(&model, &constraints).unwrap();
        let mut robot = Held {
            model,
            constraints,
            ws,
            q,
            v,
            tau,
        };
        if !is_independent(&mut robot) {
            continue;
        }
        robots += 1;
        check(&mut robot);
    }
    assert!(robots > 15, "{robots}");
}

fn check(robot: &mut Held) {
    let Held {
        model,
        constraints,
        ws,
        q,
        v,
        tau,
    } = robot;
    let by = constrained_dynamics_derivatives(model, ws, q, v, tau, &[]).unwrap();
    let (a, lambda) = (by.dynamics.accelerations, by.dynamics.multipliers);
    let n = model.nv();
    for (what, by_a, by_lambda) in [
        ("q", by.dq, by.multipliers_dq),
        ("v", by.dv, by.multipliers_dv),
        ("tau", by.dtau, by.multipliers_dtau),
    ] {
        let size = by_a.amax().max(by_lambda.amax()).max(1.0);
        for k in 0..n {
            let unit = (0..n).map(|i| f64::from(u8::from(i == k)));
            let (mut moved_q, mut moved_v) = (still(q), still(v));
            match what {
                "q" => {
                    moved_q = model
                        .integrate(&moved_q, &moved(&vec![0.0; n], unit))
                        .unwrap()
                }
                "v" => moved_v = moved(v, unit),
                _ => {}
            }
            let state = State {
                q: moved_q,
                v: moved_v,
                a: moved(a, by_a.column(k).iter().copied()),
                multipliers: moved(lambda, by_lambda.column(k).iter().copied()),
            };
            let (forces, held) = rates(model, constraints, &state);
            for (i, rate) in forces.into_iter().enumerate() {
                let expected = f64::from(u8::from(what == "tau" && i == k));
                let error = (rate - expected).abs() / size;
                let name = model.name();
                assert!(error < TOLERANCE, "{name}: τ{i} by {what}{k}: {error:e}");
            }
            for (r, rate) in held.into_iter().enumerate() {
                let error = rate.abs() / size;
                let name = model.name();
                assert!(error < TOLERANCE, "{name}: row {r} by {what}{k}: {error:e}");
            }
        }
    }
}
