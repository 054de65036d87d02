//! Impacts: the momentum by inverse dynamics, the velocities of what is caught by kinematics.

use super::dynamics::{external, motions};
use super::robots::{Held, all};
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::spatial::Vec3;
use featherline_constraint::{FrameConstraintKind, LoopError, impulse_dynamics};

/// Rounding, times condition numbers up to some 1e6.
const TOLERANCE: f64 = 1e-9;

#[test]
fn impulses_change_the_momentum_and_turn_the_velocities() {
    for restitution in [0.0, 0.4, 1.0] {
        for mut robot in all(true)
            .into_iter()
            .filter(|r| r.model.loop_joints().is_empty())
        {
            let Held {
                model, ws, q, v, ..
            } = &mut robot;
            let found = impulse_dynamics(model, ws, q, v, restitution).unwrap();
            let (after, impulses) = (found.velocities.to_vec(), found.impulses.to_vec());
            let redundant = found.redundant;
            let (q, v) = (q.clone(), v.clone());
            let model = model.clone();
            // M (v⁺ − v⁻) = Kᵀ Λ, by inverse dynamics at rest without gravity.
            let external = external(&model, &robot, &impulses, &q);
            let weightless = model.clone().with_gravity(Vec3::zero()).unwrap();
            let mut ws = Workspace::new(&weightless);
            let change: Vec<f64> = after.iter().zip(&v).map(|(a, b)| a - b).collect();
            let still = vec![0.0; v.len()];
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&external);
            let rest = weightless
                .inverse_dynamics(&mut ws, &q, &still, &change, options)
                .unwrap();
            let scale = impulses.iter().fold(1.0_f64, |m, f| m.max(f.linear.norm()));
            for rest in rest {
                assert!(rest.abs() < TOLERANCE * scale, "{}: {rest:e}", model.name());
            }
            if redundant > 0 {
                continue;
            }
            for constraint in &robot.constraints {
                let [u_before, u_after] = [&v, &after].map(|v| {
                    let [s, p] = motions(&model, constraint, (&q, v, &still)).velocity;
                    s - p
                });
                let left = u_after + u_before * restitution;
                let mut missed = left.linear.norm();
                if constraint.kind == FrameConstraintKind::Frame {
                    missed += left.angular.norm();
                }
                assert!(missed < TOLERANCE, "{}: {missed:e}", model.name());
            }
        }
    }
}

#[test]
fn an_elastic_impact_keeps_the_energy() {
    for mut robot in all(false) {
        let Held {
            model, ws, q, v, ..
        } = &mut robot;
        let after = impulse_dynamics(model, ws, q, v, 1.0)
            .unwrap()
            .velocities
            .to_vec();
        let mut tree = Workspace::new(model);
        let before = model.kinetic_energy(&mut tree, q, v).unwrap();
        let energy = model.kinetic_energy(&mut tree, q, &after).unwrap();
        assert!((energy / before - 1.0).abs() < 1e-9, "{}", model.name());
    }
}

#[test]
fn restitution_is_between_zero_and_one() {
    let mut robot = all(false).swap_remove(0);
    let Held {
        model, ws, q, v, ..
    } = &mut robot;
    for restitution in [-0.1, 1.1, f64::NAN] {
        let refused = impulse_dynamics(model, ws, q, v, restitution).unwrap_err();
        assert!(matches!(refused, LoopError::Restitution { .. }));
    }
}
