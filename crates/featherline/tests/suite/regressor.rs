//! Regressors times the dynamic parameters against the quantities themselves.

use crate::common::{State, close, models};
use featherline::kinematics::ReferenceFrame;
use featherline::regressor::drive_regressor_into;
use featherline::spatial::{DynamicParameters, Motion};
use featherline::{Workspace, samples};
use nalgebra::{DMatrix, DVector, SVector};

/// Rounding of some hundred operations, relative to the greatest entry.
const TOLERANCE: f64 = 1e-11;

#[test]
fn joint_forces_and_momenta_are_linear_in_the_parameters() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let nv = model.nv();
        let parameters = DVector::from(model.dynamic_parameters());
        let armature: Vec<f64> = (0..nv)
            .map(|k| {
                let mut unit = vec![0.0; nv];
                unit[k] = 1.0;
                let mass = model.crba(&mut ws, &s.q).unwrap()[(k, k)];
                let mut y = DMatrix::zeros(nv, parameters.len());
                let momentum = model.joint_momentum_regressor_into(&mut ws, &s.q, &unit, &mut y);
                momentum.unwrap();
                mass - (y * &parameters)[k]
            })
            .collect();
        let mut y = DMatrix::from_element(nv, parameters.len(), f64::NAN);
        let (q, v, a) = (&s.q, &s.v, &s.a);
        model
            .joint_torque_regressor_into(&mut ws, q, v, a, &mut y)
            .unwrap();
        let mut drives = DMatrix::zeros(nv, 3 * nv);
        drive_regressor_into(v, a, &mut drives).unwrap();
        let found = &y * &parameters + drives.columns(0, nv) * DVector::from(armature.clone());
        let tau = model.rnea(&mut ws, q, v, a).unwrap();
        close("τ", found.as_slice(), tau, TOLERANCE);

        model
            .gravity_torque_regressor_into(&mut ws, q, &mut y)
            .unwrap();
        let gravity = model.gravity_torque(&mut ws, q).unwrap();
        close("g", (&y * &parameters).as_slice(), gravity, TOLERANCE);

        model
            .joint_momentum_regressor_into(&mut ws, q, v, &mut y)
            .unwrap();
        let momentum = model.crba(&mut ws, q).unwrap() * DVector::from_column_slice(v);
        let drives = drives.columns(nv, nv) * DVector::from(armature);
        let found = &y * &parameters + drives;
        close("M v", found.as_slice(), momentum.as_slice(), TOLERANCE);
    }
}

#[test]
fn energies_are_linear_in_the_parameters() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let parameters = model.dynamic_parameters();
        let mut y = vec![f64::NAN; parameters.len()];
        let product = |y: &[f64]| y.iter().zip(&parameters).map(|(y, p)| y * p).sum::<f64>();
        model
            .potential_energy_regressor_into(&mut ws, &s.q, &mut y)
            .unwrap();
        let energy = model.potential_energy(&mut ws, &s.q).unwrap();
        close("V", &[product(&y)], &[energy], TOLERANCE);
        model
            .kinetic_energy_regressor_into(&mut ws, &s.q, &s.v, &mut y)
            .unwrap();
        let moved = model.forward_kinematics_velocities(&mut ws, &s.q, &s.v);
        let moved = moved.unwrap();
        let energy: f64 = model.joints()[1..]
            .iter()
            .map(|joint| {
                let id = model.joint_id(&joint.name).unwrap();
                let velocity = moved.velocity(id, ReferenceFrame::Local);
                let momentum = joint.inertia.to_parameters().mul_motion(&velocity);
                0.5 * velocity.dot(&momentum)
            })
            .sum();
        close("T", &[product(&y)], &[energy], TOLERANCE);
    }
}

#[test]
fn the_regressor_of_one_body_gives_its_force() {
    for (model, seed) in models().into_iter().take(20) {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let joint = model.joints().last().unwrap();
        let id = model.joint_id(&joint.name).unwrap();
        let y = model.joint_body_regressor(&mut ws, &s.q, &s.v, &s.a, id);
        let body: DynamicParameters<f64> = joint.inertia.to_parameters();
        let found = y.unwrap() * SVector::from(body.to_array());
        // The last joint carries nothing else: its transmitted force is this one.
        let transmitted = model.transmitted_forces(&mut ws, &s.q, &s.v, &s.a, &[]);
        let transmitted = transmitted.unwrap().last().unwrap().to_array();
        close("f", found.as_slice(), &transmitted, TOLERANCE);
    }
}

#[test]
fn base_parameters_give_the_same_torques_and_none_is_superfluous() {
    for (model, seed) in models().into_iter().step_by(6) {
        let mut ws = Workspace::new(&model);
        let base = model.base_parameters().unwrap();
        let parameters = DVector::from(model.dynamic_parameters());
        let (nv, states) = (model.nv(), 2 * base.len() / model.nv() + 2);
        let mut stacked = DMatrix::zeros(states * nv, base.len());
        for state in 0..states {
            // Other states than those that the basis was found from.
            let s = State::random(&model, seed + 100 * state as u64);
            let mut y = DMatrix::zeros(nv, parameters.len());
            model
                .joint_torque_regressor_into(&mut ws, &s.q, &s.v, &s.a, &mut y)
                .unwrap();
            let selected = base.select(&y);
            let found = &selected * base.values(parameters.as_slice());
            let expected = &y * &parameters;
            close("τ", found.as_slice(), expected.as_slice(), 1e-9);
            stacked.rows_mut(state * nv, nv).copy_from(&selected);
        }
        // Each column has a part of its own.
        let scaled = DMatrix::from_columns(
            &stacked
                .column_iter()
                .map(|c| c.normalize())
                .collect::<Vec<_>>(),
        );
        assert!(scaled.singular_values().min() > 1e-7, "seed {seed}");
    }
}

/// The 25 base parameters of a six-axis arm with a vertical first axis: W. Khalil and E. Dombre,
/// *Modeling, Identification and Control of Robots*, 2002, section 9.4: of a Stäubli RX-90 40
/// standard parameters remain with drives, 36 of them inertial.
#[test]
fn an_arm_of_six_axes_has_36_inertial_base_parameters() {
    let base = featherline_robots::ur5().base_parameters().unwrap();
    // The UR5 differs from the RX-90 in parallel axes 2 to 4 in place of 2 and 3, which is the same
    // count: two freedoms less for each axis parallel to the one before.
    assert_eq!(base.len(), 36);
    assert_eq!(
        samples::double_pendulum().base_parameters().unwrap().len(),
        6
    );
    let _ = Motion::<f64>::zero();
}
