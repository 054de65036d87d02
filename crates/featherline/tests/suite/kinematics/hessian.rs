//! The kinematic Hessian.

use super::ROUNDING;
use super::moving::*;
use crate::common::{State, close, models};
use featherline::kinematics::ReferenceFrame::{self, LocalWorldAligned};
use featherline::{Error, Workspace, samples};
use nalgebra::DMatrix;

#[test]
fn slices_are_derivatives_of_the_jacobian_along_each_coordinate() {
    for (model, seed) in models() {
        let (mut ws, mut dual) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let nv = model.nv();
        let mut hessian = vec![f64::NAN; 6 * nv * nv];
        let mut jacobian = DMatrix::from_element(6, nv, Moving::fixed(0.0));
        let last = model.frames().len() - 1;
        for id in model.frame_ids().filter(|id| id.index() % 4 == last % 4) {
            for reference in ReferenceFrame::ALL {
                model
                    .hessian_into(&mut ws, &s.q, id, reference, &mut hessian)
                    .unwrap();
                for (k, found) in hessian.chunks(6 * nv).enumerate() {
                    let mut unit = vec![0.0; nv];
                    unit[k] = 1.0;
                    let q = moving_configuration(&model, &s.q, &unit);
                    model
                        .forward_kinematics(&mut dual, &q)
                        .unwrap()
                        .jacobian_into(id, reference, &mut jacobian)
                        .unwrap();
                    let expected = jacobian.map(|entry| entry.tangent[0]);
                    close("slice", found, expected.as_slice(), ROUNDING);
                }
            }
        }
    }
}

#[test]
fn along_the_velocity_it_is_the_rate_of_the_jacobian() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let nv = model.nv();
        let mut hessian = vec![f64::NAN; 6 * nv * nv];
        let mut rate = DMatrix::zeros(6, nv);
        let view = model
            .forward_kinematics_velocities(&mut other, &s.q, &s.v)
            .unwrap();
        for id in model.frame_ids() {
            for reference in ReferenceFrame::ALL {
                model
                    .hessian_into(&mut ws, &s.q, id, reference, &mut hessian)
                    .unwrap();
                view.jacobian_rate_into(id, reference, &mut rate).unwrap();
                let mut found = vec![0.0; 6 * nv];
                for (slice, v) in hessian.chunks(6 * nv).zip(&s.v) {
                    for (sum, entry) in found.iter_mut().zip(slice) {
                        *sum += entry * v;
                    }
                }
                close("contracted", &found, rate.as_slice(), ROUNDING);
            }
        }
    }
}

#[test]
fn a_buffer_of_another_length_is_refused() {
    let model = samples::snake(3);
    let mut ws = Workspace::new(&model);
    let id = model.frame_ids().next_back().unwrap();
    let mut out = [0.0; 53];
    assert_eq!(
        model.hessian_into(&mut ws, &[0.0; 3], id, LocalWorldAligned, &mut out),
        Err(Error::Size {
            what: "the Hessian",
            expected: 54,
            found: 53
        })
    );
}
