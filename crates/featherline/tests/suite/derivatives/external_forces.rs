//! Derivatives with forces that are constant in a reference, against dual numbers, differences and
//! a potential.

use super::{By, TOLERANCE, by_duals, forward};
use crate::common::{Rate, State, close, frame_forces, models};
use featherline::dynamics::{DynamicsOptions, ExternalForce};
use featherline::kinematics::ReferenceFrame;
use featherline::spatial::Force;
use featherline::{Model, Workspace, samples};
use nalgebra::DMatrix;

/// The same forces as constants of dual numbers.
fn fixed(forces: &[ExternalForce<f64>]) -> Vec<ExternalForce<Rate>> {
    let constant = |it: &ExternalForce<f64>| ExternalForce {
        target: it.target,
        reference: it.reference,
        force: Force::constant(&it.force),
    };
    forces.iter().map(constant).collect()
}

#[test]
fn inverse_dynamics_agrees_with_dual_numbers() {
    for (model, seed) in models() {
        let (mut ws, s) = (Workspace::new(&model), State::random(&model, seed));
        let mut duals = Workspace::<Rate>::new(&model);
        let forces = frame_forces(&model);
        let dual_forces = fixed(&forces);
        let options = DynamicsOptions::default().with_frame_forces(&forces);
        let dual_options = DynamicsOptions::default().with_frame_forces(&dual_forces);
        let expected = by_duals(&model, &s, By::Q, |q, v, a| {
            let tau = model.inverse_dynamics(&mut duals, q, v, a, dual_options);
            tau.unwrap().to_vec()
        });
        let found = model.inverse_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, options);
        let found = found.unwrap().dq.as_slice();
        close("∂τ/∂q", found, expected.as_slice(), TOLERANCE);
    }
}

#[test]
fn forward_and_hybrid_dynamics_agree_with_dual_numbers() {
    let mut count = 0;
    for (model, seed) in models() {
        let (mut ws, s) = (Workspace::new(&model), State::random(&model, seed));
        let mass = model.crba(&mut ws, &s.q).unwrap().symmetric_eigenvalues();
        // Accelerations lose what the condition of the mass matrix takes.
        if mass.min() < 1e-5 * mass.max() {
            continue;
        }
        count += 1;
        let mut duals = Workspace::<Rate>::new(&model);
        let forces = frame_forces(&model);
        let dual_forces = fixed(&forces);
        let options = DynamicsOptions::default().with_frame_forces(&forces);
        let dual_options = DynamicsOptions::default().with_frame_forces(&dual_forces);
        let expected = by_duals(&model, &s, By::Q, |q, v, tau| {
            let a = model.forward_dynamics(&mut duals, q, v, tau, dual_options);
            a.unwrap().to_vec()
        });
        let found = model.forward_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, options);
        close("q̈", found.unwrap().dq.as_slice(), expected.as_slice(), 1e-8);
        let known: Vec<bool> = (0..model.nv()).map(|k| k % 3 == 1).collect();
        let mut of = |which: usize| {
            by_duals(&model, &s, By::Q, |q, v, values| {
                let found = model.hybrid_dynamics(&mut duals, q, v, values, &known, dual_options);
                let found = found.unwrap();
                [found.accelerations, found.forces][which].to_vec()
            })
        };
        let (a, tau) = (of(0), of(1));
        let d = model.hybrid_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, &known, options);
        let d = d.unwrap();
        close("q̈", d.accelerations_dq.as_slice(), a.as_slice(), 1e-8);
        close("τ", d.forces_dq.as_slice(), tau.as_slice(), 1e-8);
    }
    assert!(count > 30, "{count} models");
}

/// The joint forces of external forces in a configuration.
fn joint_forces(
    model: &Model,
    ws: &mut Workspace<f64>,
    q: &[f64],
    given: &[ExternalForce<f64>],
) -> (Vec<Force<f64>>, Vec<f64>) {
    let mut forces = vec![Force::zero(); model.joints().len()];
    model
        .external_forces_into(ws, q, given, &mut forces)
        .unwrap();
    let tau = model.static_torque(ws, q, &forces).unwrap().to_vec();
    (forces, tau)
}

#[test]
fn what_holding_forces_in_joint_frames_leaves_out_agrees_with_differences() {
    let h = 1e-5;
    for (model, seed) in models() {
        let (mut ws, s) = (Workspace::new(&model), State::random(&model, seed));
        let (given, n) = (frame_forces(&model), model.nv());
        let mut change = DMatrix::zeros(n, n);
        model
            .external_forces_derivative_into(&mut ws, &s.q, &given, &mut change)
            .unwrap();
        let (forces, _) = joint_forces(&model, &mut ws, &s.q, &given);
        let held = model.static_torque_derivative(&mut ws, &s.q, &forces);
        let found = held.unwrap() - change;
        let mut expected = found.clone();
        for k in 0..n {
            let mut of = |step: f64| {
                let q = model.integrate(&s.q, &forward(n, k, step)).unwrap();
                joint_forces(&model, &mut ws, &q, &given).1
            };
            let (next, last) = (of(h), of(-h));
            for row in 0..n {
                expected[(row, k)] = (next[row] - last[row]) / (2.0 * h);
            }
        }
        // h² of the third derivative, and rounding over h: relative to the greatest entry.
        let scale = 1.0 + expected.amax();
        assert!((found - expected).amax() < 1e-7 * scale, "seed {seed}");
    }
}

#[test]
fn a_constant_force_of_the_world_has_a_potential() {
    // The elbow is at (−sin q₀, 0, −cos q₀) from the shoulder, and both hinges turn about y.
    let model = samples::double_pendulum();
    let (mut ws, q, rest) = (Workspace::new(&model), [0.4_f64, 0.3], [0.0; 2]);
    let ((x, z, moment), (sin, cos)) = ((3.0, -2.0, 0.7), q[0].sin_cos());
    let force = |reference| ExternalForce {
        target: model.joint_id("elbow").unwrap().into(),
        reference,
        force: Force::from_array([x, 0.0, z, 0.0, moment, 0.0]),
    };
    let weight = model.gravity_torque_derivative(&mut ws, &q).unwrap();
    let weight = weight.clone();
    let mut without_weight = |reference| {
        let forces = [force(reference)];
        let options = DynamicsOptions::default().with_frame_forces(&forces);
        let d = model.inverse_dynamics_derivatives(&mut ws, &q, &rest, &rest, options);
        let dq = d.unwrap().dq - &weight;
        let tau = model.inverse_dynamics(&mut ws, &q, &rest, &rest, options);
        let tau = tau.unwrap().to_vec();
        let weight = model.gravity_torque(&mut ws, &q).unwrap();
        ([tau[0] - weight[0], tau[1] - weight[1]], dq)
    };
    // V = x sin q₀ + z cos q₀ − m (q₀ + q₁), of which these are the gradient and its derivative.
    let (tau, dq) = without_weight(ReferenceFrame::LocalWorldAligned);
    close("τ", &tau, &[x * cos - z * sin - moment, -moment], 1e-12);
    let expected = [-x * sin - z * cos, 0.0, 0.0, 0.0];
    close("∂τ/∂q", dq.as_slice(), &expected, 1e-12);
    // About the world's origin, the shoulder, the lever arm is that of the elbow's hinge.
    let (tau, dq) = without_weight(ReferenceFrame::World);
    close("τ", &tau, &[-moment, -moment - x * cos + z * sin], 1e-12);
    let expected = [0.0, x * sin + z * cos, 0.0, 0.0];
    close("∂τ/∂q", dq.as_slice(), &expected, 1e-12);
}
