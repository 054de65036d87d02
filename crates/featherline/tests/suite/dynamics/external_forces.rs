//! Forces on joints and frames in every reference, and the algorithms that take them.

use crate::common::{State, close, external_forces, frame_forces, models};
use featherline::dynamics::{DynamicsOptions, ExternalForce};
use featherline::spatial::Force;
use featherline::{Error, Workspace, samples};

#[test]
fn the_power_of_a_force_is_its_product_with_the_velocity_in_its_reference() {
    for (model, seed) in models() {
        let (mut ws, s) = (Workspace::new(&model), State::random(&model, seed));
        let weight = model.gravity_torque(&mut ws, &s.q).unwrap().to_vec();
        let mut forces = vec![Force::zero(); model.joints().len()];
        for given in frame_forces(&model) {
            let one = [given];
            model
                .external_forces_into(&mut ws, &s.q, &one, &mut forces)
                .unwrap();
            let tau = model.static_torque(&mut ws, &s.q, &forces).unwrap();
            let balances = tau.iter().zip(&weight).zip(&s.v);
            let power: f64 = balances.map(|((t, w), v)| (w - t) * v).sum();
            let views = model.forward_kinematics_velocities(&mut ws, &s.q, &s.v);
            let velocity = views.unwrap().velocity(given.target, given.reference);
            close("power", &[power], &[given.force.dot(&velocity)], 1e-10);
        }
    }
}

#[test]
fn every_algorithm_takes_the_same_forces() {
    for (model, seed) in models() {
        let (mut ws, s) = (Workspace::new(&model), State::random(&model, seed));
        let (on_joints, on_frames) = (external_forces(&model), frame_forces(&model));
        let all = DynamicsOptions::default()
            .with_forces(&on_joints)
            .with_frame_forces(&on_frames);
        for options in [all, all.without_passive_forces()] {
            let tau = model.inverse_dynamics(&mut ws, &s.q, &s.v, &s.a, options);
            let tau = tau.unwrap().to_vec();
            let zero = vec![0.0; model.nv()];
            let bias = model.bias_with_options(&mut ws, &s.q, &s.v, options);
            let bias = bias.unwrap().to_vec();
            let expected = model.inverse_dynamics(&mut ws, &s.q, &s.v, &zero, options);
            close("bias", &bias, expected.unwrap(), 1e-12);
            // The three ways back; the second condition is that of random mass matrices.
            let a = model.forward_dynamics(&mut ws, &s.q, &s.v, &tau, options);
            close("q̈", a.unwrap(), &s.a, 1e-6);
            let a = model.forward_dynamics_crba_with_options(&mut ws, &s.q, &s.v, &tau, options);
            close("q̈", a.unwrap(), &s.a, 1e-6);
            let known: Vec<bool> = (0..model.nv()).map(|k| k % 3 == 1).collect();
            let values = known.iter().zip(s.a.iter().zip(&tau));
            let values = values.map(|(&known, (&a, &tau))| if known { a } else { tau });
            let values: Vec<f64> = values.collect();
            let both = model.hybrid_dynamics(&mut ws, &s.q, &s.v, &values, &known, options);
            let both = both.unwrap();
            close("q̈", both.accelerations, &s.a, 1e-6);
            close("τ", both.forces, &tau, 1e-6);
        }
    }
}

#[test]
fn forces_of_other_models_and_without_numbers_are_errors() {
    let model = samples::double_pendulum();
    let other = samples::snake(20);
    let last = other.joint_ids().last().unwrap();
    let given = |target, x: f64| ExternalForce {
        target,
        reference: featherline::kinematics::ReferenceFrame::World,
        force: Force::from_array([x, 0.0, 0.0, 0.0, 0.0, 0.0]),
    };
    let (mut ws, zero) = (Workspace::new(&model), [0.0; 2]);
    let mut run = |forces: &[ExternalForce<f64>]| {
        let options = DynamicsOptions::default().with_frame_forces(forces);
        model
            .inverse_dynamics_derivatives(&mut ws, &zero, &zero, &zero, options)
            .map(drop)
    };
    let foreign = run(&[given(last.into(), 1.0)]);
    assert!(matches!(foreign, Err(Error::ForeignId { .. })));
    let elbow = model.joint_id("elbow").unwrap();
    let endless = run(&[given(elbow.into(), f64::INFINITY)]);
    assert!(
        matches!(endless, Err(Error::NotFinite { .. })),
        "{endless:?}"
    );
    assert_eq!(run(&[given(elbow.into(), 1.0)]), Ok(()));
}
