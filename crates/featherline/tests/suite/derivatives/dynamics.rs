//! Derivatives of inverse, forward and hybrid dynamics, of forces at rest and passive ones.

use super::{By, TOLERANCE, by_duals, forward};
use crate::common::{Rate, State, close, external_forces, models};
use featherline::dynamics::DynamicsOptions;
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use nalgebra::DMatrix;

/// External forces that do not vary.
fn fixed(forces: &[Force<f64>]) -> Vec<Force<Rate>> {
    forces.iter().map(Force::constant).collect()
}

#[test]
fn inverse_dynamics_agrees_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let forces = external_forces(&model);
        let dual_forces = fixed(&forces);
        for passive in [false, true] {
            let options = DynamicsOptions {
                passive_forces: passive,
                ..DynamicsOptions::default().with_forces(&forces)
            };
            let tau = model.inverse_dynamics(&mut ws, &s.q, &s.v, &s.a, options);
            let tau = tau.unwrap().to_vec();
            let found = model
                .inverse_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, options)
                .unwrap();
            close("tau", found.tau, &tau, TOLERANCE);
            for (by, matrix) in [(By::Q, found.dq), (By::V, found.dv), (By::A, found.da)] {
                let mut duals = Workspace::<Rate>::new(&model);
                let expected = by_duals(&model, &s, by, |q, v, a| {
                    let options = DynamicsOptions {
                        passive_forces: passive,
                        ..DynamicsOptions::default().with_forces(&dual_forces)
                    };
                    let tau = model.inverse_dynamics(&mut duals, q, v, a, options);
                    tau.unwrap().to_vec()
                });
                let what = format!("seed {seed}, by {by:?}");
                close(&what, matrix.as_slice(), expected.as_slice(), TOLERANCE);
            }
        }
    }
}

/// Models that forward dynamics has a solution for, away from singular inertias.
fn solvable() -> impl Iterator<Item = (Model, State)> {
    let pairs = models().into_iter();
    pairs.filter_map(|(model, seed)| {
        let s = State::random(&model, seed);
        let mass = model.crba(&mut Workspace::new(&model), &s.q).ok()?.clone();
        let values = mass.symmetric_eigenvalues();
        (values.min() > 1e-5 * values.max()).then_some((model, s))
    })
}

#[test]
fn forward_dynamics_agrees_with_dual_numbers() {
    let mut count = 0;
    for (model, s) in solvable() {
        count += 1;
        let mut ws = Workspace::new(&model);
        let forces = external_forces(&model);
        let dual_forces = fixed(&forces);
        let options = DynamicsOptions::default().with_forces(&forces);
        let expected = model.forward_dynamics(&mut ws, &s.q, &s.v, &s.a, options);
        let expected = expected.unwrap().to_vec();
        let found = model
            .forward_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, options)
            .unwrap();
        close("q̈", found.acceleration, &expected, TOLERANCE);
        for (by, matrix) in [(By::Q, found.dq), (By::V, found.dv), (By::A, found.dtau)] {
            let mut duals = Workspace::<Rate>::new(&model);
            let expected = by_duals(&model, &s, by, |q, v, tau| {
                let options = DynamicsOptions::default().with_forces(&dual_forces);
                let a = model.forward_dynamics(&mut duals, q, v, tau, options);
                a.unwrap().to_vec()
            });
            // Accelerations have lost what the condition of the mass matrix takes.
            let what = format!("{}, by {by:?}", model.name());
            close(&what, matrix.as_slice(), expected.as_slice(), 1e-8);
        }
    }
    assert!(count > 30, "{count} models");
}

#[test]
fn hybrid_dynamics_agrees_with_dual_numbers() {
    for (model, s) in solvable() {
        let mut ws = Workspace::new(&model);
        let forces = external_forces(&model);
        let dual_forces = fixed(&forces);
        let known: Vec<bool> = (0..model.nv()).map(|k| k % 3 == 1).collect();
        let options = DynamicsOptions::default().with_forces(&forces);
        let dual_options = DynamicsOptions::default().with_forces(&dual_forces);
        let found = model
            .hybrid_dynamics_derivatives(&mut ws, &s.q, &s.v, &s.a, &known, options)
            .unwrap();
        let cases = [
            (By::Q, found.accelerations_dq, found.forces_dq),
            (By::V, found.accelerations_dv, found.forces_dv),
            (By::A, found.accelerations_dvalues, found.forces_dvalues),
        ];
        for (by, accelerations, joint_forces) in cases {
            let mut duals = Workspace::<Rate>::new(&model);
            let mut of = |which: bool| {
                by_duals(&model, &s, by, |q, v, values| {
                    let found =
                        model.hybrid_dynamics(&mut duals, q, v, values, &known, dual_options);
                    let found = found.unwrap();
                    let results = [found.accelerations, found.forces];
                    results[usize::from(which)].to_vec()
                })
            };
            let what = format!("{}, by {by:?}", model.name());
            close(&what, accelerations.as_slice(), of(false).as_slice(), 1e-8);
            close(&what, joint_forces.as_slice(), of(true).as_slice(), 1e-8);
        }
        // Nothing of it stays behind where zeros are expected.
        let after = model.rnea_derivatives(&mut ws, &s.q, &s.v, &s.a).unwrap();
        let after = (after.dq.clone(), after.dv.clone());
        let mut fresh = Workspace::new(&model);
        let expected = model.rnea_derivatives(&mut fresh, &s.q, &s.v, &s.a);
        let expected = expected.unwrap();
        assert_eq!(after, (expected.dq.clone(), expected.dv.clone()));
    }
}

#[test]
fn external_forces_act_through_the_transposed_jacobian() {
    for (model, s) in solvable().take(20) {
        let mut ws = Workspace::new(&model);
        let mut forces = external_forces(&model);
        let joint = model
            .joint_id(&model.joints().last().unwrap().name)
            .unwrap();
        let mut by_force = DMatrix::zeros(model.nv(), 6);
        let tau_of = |ws: &mut Workspace<f64>, forces: &[Force<f64>]| {
            let options = DynamicsOptions::default().with_forces(forces);
            let tau = model.inverse_dynamics(ws, &s.q, &s.v, &s.a, options);
            tau.unwrap().to_vec()
        };
        model
            .rnea_derivatives(&mut ws, &s.q, &s.v, &s.a)
            .unwrap()
            .d_external_force_into(joint, &mut by_force)
            .unwrap();
        let before = tau_of(&mut ws, &forces);
        for c in 0..6 {
            // The torque is linear in the force.
            let mut values = forces[joint.index()].to_array();
            values[c] += 1.0;
            let original = forces[joint.index()];
            forces[joint.index()] = Force::from_array(values);
            let after = tau_of(&mut ws, &forces);
            forces[joint.index()] = original;
            let difference: Vec<f64> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
            close("∂τ/∂f", by_force.column(c).as_slice(), &difference, 1e-10);
        }
        let mut acceleration = DMatrix::zeros(model.nv(), 6);
        model
            .aba_derivatives(&mut ws, &s.q, &s.v, &s.a)
            .unwrap()
            .d_external_force_into(joint, &mut acceleration)
            .unwrap();
        // M ∂q̈/∂f = −∂τ/∂f
        let product = -(model.crba(&mut ws, &s.q).unwrap() * acceleration);
        close("M ∂q̈/∂f", product.as_slice(), by_force.as_slice(), 1e-9);
    }
}

#[test]
fn forces_at_rest_agree_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let forces = external_forces(&model);
        let dual_forces = fixed(&forces);
        let mut duals = Workspace::<Rate>::new(&model);
        let found = model.gravity_torque_derivative(&mut ws, &s.q).unwrap();
        let expected = by_duals(&model, &s, By::Q, |q, _, _| {
            model.gravity_torque(&mut duals, q).unwrap().to_vec()
        });
        close("gravity", found.as_slice(), expected.as_slice(), TOLERANCE);
        let found = model.static_torque_derivative(&mut ws, &s.q, &forces);
        let expected = by_duals(&model, &s, By::Q, |q, _, _| {
            let tau = model.static_torque(&mut duals, q, &dual_forces);
            tau.unwrap().to_vec()
        });
        let found = found.unwrap().as_slice();
        close("static", found, expected.as_slice(), TOLERANCE);
    }
}

#[test]
fn passive_forces_agree_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mut duals = Workspace::<Rate>::new(&model);
        let found = model.passive_forces_derivatives(&mut ws, &s.q).unwrap();
        for (by, matrix) in [(By::Q, found.dq), (By::V, found.dv)] {
            let expected = by_duals(&model, &s, by, |q, v, _| {
                model.passive_forces(&mut duals, q, v).unwrap().to_vec()
            });
            let what = format!("seed {seed}, by {by:?}");
            close(&what, matrix.as_slice(), expected.as_slice(), TOLERANCE);
        }
    }
}

#[test]
fn central_differences_agree_on_a_humanoid() {
    let model = featherline_robots::humanoid();
    let mut ws = Workspace::new(&model);
    let s = State::random(&model, 1);
    let dq = model.rnea_derivatives(&mut ws, &s.q, &s.v, &s.a).unwrap();
    let dq = dq.dq.clone();
    // Truncation h² and rounding ε / h, relative to forces of some thousand.
    let h = 1e-5;
    for k in 0..model.nv() {
        let mut tau = |h: f64| {
            let step = forward(model.nv(), k, h);
            let q = model.integrate(&s.q, &step).unwrap();
            let tau = model.rnea(&mut ws, &q, &s.v, &s.a).unwrap();
            nalgebra::DVector::from_column_slice(tau)
        };
        let difference = (tau(h) - tau(-h)) / (2.0 * h);
        close(
            "∂τ/∂q",
            dq.column(k).as_slice(),
            difference.as_slice(),
            1e-7,
        );
    }
}

#[test]
fn bad_input_is_named() {
    let model = featherline_robots::panda();
    let mut ws = Workspace::<f64>::new(&model);
    let zero = vec![0.0; 7];
    let mut bad = zero.clone();
    bad[3] = f64::NAN;
    let found = model.rnea_derivatives(&mut ws, &zero, &bad, &zero).err();
    assert_eq!(
        found,
        Some(Error::NotFinite {
            what: "v",
            index: 3
        })
    );
    let found = model
        .rnea_derivatives(&mut ws, &zero, &zero, &zero[1..])
        .err();
    assert!(matches!(found, Some(Error::Size { .. })), "{found:?}");
    let found = model.aba_derivatives(&mut ws, &bad, &zero, &zero).err();
    assert_eq!(
        found,
        Some(Error::NotFinite {
            what: "q",
            index: 3
        })
    );
    let mut small = Workspace::<f64>::recursive(&model);
    let found = model
        .rnea_derivatives(&mut small, &zero, &zero, &zero)
        .err();
    assert_eq!(found, Some(Error::NoMatrices));
    // An error leaves no trace.
    let again = model
        .rnea_derivatives(&mut ws, &zero, &zero, &zero)
        .unwrap();
    assert!(again.dq.iter().chain(again.dv).all(|x| x.is_finite()));
}
