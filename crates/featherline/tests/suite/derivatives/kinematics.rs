//! Derivatives of the motion of frames, of momentum and of energy.

use super::{By, TOLERANCE, by_duals};
use crate::common::{Rate, State, close, models};
use featherline::Workspace;
use featherline::kinematics::ReferenceFrame;
use nalgebra::DMatrix;

#[test]
fn motions_of_frames_agree_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mut duals = Workspace::<Rate>::new(&model);
        let zero = || DMatrix::<f64>::zeros(6, model.nv());
        let frame = model
            .frame_id(&model.frames().last().unwrap().name)
            .unwrap();
        for reference in ReferenceFrame::ALL {
            for quantity in 0..3 {
                let found = model.kinematics_derivatives(&mut ws, &s.q, &s.v, &s.a);
                let found = found.unwrap();
                let (mut by_q, mut by_v, mut by_a) = (zero(), zero(), zero());
                let out = (&mut by_q, &mut by_v, &mut by_a);
                match quantity {
                    0 => found.velocity_into(frame, reference, out.0, out.1),
                    1 => found.acceleration_into(frame, reference, out.0, out.1, out.2),
                    _ => found.classical_acceleration_into(frame, reference, out.0, out.1, out.2),
                }
                .unwrap();
                for (by, matrix) in [(By::Q, by_q), (By::V, by_v), (By::A, by_a)] {
                    let expected = by_duals(&model, &s, by, |q, v, a| {
                        let moved = model.forward_kinematics_accelerations(&mut duals, q, v, a);
                        let moved = moved.unwrap();
                        match quantity {
                            0 => moved.velocity(frame, reference),
                            1 => moved.acceleration(frame, reference),
                            _ => moved.classical_acceleration(frame, reference),
                        }
                        .to_array()
                        .to_vec()
                    });
                    let what = format!("seed {seed}, {reference:?}, {quantity}, by {by:?}");
                    close(&what, matrix.as_slice(), expected.as_slice(), TOLERANCE);
                }
            }
        }
    }
}

#[test]
fn momentum_agrees_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mut duals = Workspace::<Rate>::new(&model);
        let found = model.centroidal_derivatives(&mut ws, &s.q, &s.v, &s.a);
        let found = found.unwrap();
        for (by, matrix) in [(By::Q, found.momentum_dq), (By::V, found.map)] {
            let expected = by_duals(&model, &s, by, |q, v, _| {
                let momentum = model.centroidal_momentum(&mut duals, q, v).unwrap();
                momentum.to_array().to_vec()
            });
            let what = format!("seed {seed}, momentum by {by:?}");
            close(&what, matrix.as_slice(), expected.as_slice(), TOLERANCE);
        }
        let rates = [
            (By::Q, found.rate_dq),
            (By::V, found.rate_dv),
            (By::A, found.map),
        ];
        for (by, matrix) in rates {
            let expected = by_duals(&model, &s, by, |q, v, a| {
                let rate = model.centroidal_momentum_rate(&mut duals, q, v, a).unwrap();
                rate.to_array().to_vec()
            });
            let what = format!("seed {seed}, rate by {by:?}");
            close(&what, matrix.as_slice(), expected.as_slice(), TOLERANCE);
        }
        let mass: f64 = model.joints().iter().map(|joint| joint.inertia.mass).sum();
        let expected = by_duals(&model, &s, By::Q, |q, v, a| {
            let moved = model
                .forward_kinematics_accelerations(&mut duals, q, v, a)
                .unwrap();
            let acceleration = moved.center_of_mass_acceleration().unwrap();
            acceleration.to_array().to_vec()
        });
        let found = found.rate_dq.rows(0, 3) / mass;
        close("com", found.as_slice(), expected.as_slice(), TOLERANCE);
    }
}

#[test]
fn energy_agrees_with_dual_numbers() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let mut duals = Workspace::<Rate>::new(&model);
        let found = model
            .kinetic_energy_derivatives(&mut ws, &s.q, &s.v)
            .unwrap();
        for (by, gradient) in [(By::Q, found.dq), (By::V, found.dv)] {
            let expected = by_duals(&model, &s, by, |q, v, _| {
                vec![model.kinetic_energy(&mut duals, q, v).unwrap()]
            });
            let what = format!("seed {seed}, by {by:?}");
            close(&what, gradient, expected.as_slice(), TOLERANCE);
        }
        let gravity = model.gravity_torque(&mut ws, &s.q).unwrap();
        let expected = by_duals(&model, &s, By::Q, |q, _, _| {
            vec![model.potential_energy(&mut duals, q).unwrap()]
        });
        close("∂V/∂q", gravity, expected.as_slice(), TOLERANCE);
    }
}
