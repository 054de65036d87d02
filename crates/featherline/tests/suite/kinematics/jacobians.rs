//! Jacobians, their rates, and what both say about velocities and accelerations.

use super::ROUNDING;
use super::moving::*;
use crate::common::{State, close, models};
use featherline::kinematics::ReferenceFrame::{self, LocalWorldAligned};
use featherline::model::FrameId;
use featherline::spatial::Motion;
use featherline::{Error, Model, Workspace, samples};
use nalgebra::{DMatrix, DVector};

/// The frame that sits deepest in the tree comes last; one more in the middle.
fn frames(model: &Model) -> [FrameId; 2] {
    let ids: Vec<FrameId> = model.frame_ids().collect();
    [ids[ids.len() / 2], ids[ids.len() - 1]]
}

#[test]
fn columns_are_velocities_for_unit_rates() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let nv = model.nv();
        for id in model.frame_ids() {
            for reference in ReferenceFrame::ALL {
                let mut jacobian = DMatrix::from_element(6, nv, f64::NAN);
                model
                    .forward_kinematics(&mut ws, &s.q)
                    .unwrap()
                    .jacobian_into(id, reference, &mut jacobian)
                    .unwrap();
                for k in 0..nv {
                    let mut unit = vec![0.0; nv];
                    unit[k] = 1.0;
                    let velocity = model
                        .forward_kinematics_velocities(&mut ws, &s.q, &unit)
                        .unwrap()
                        .velocity(id, reference);
                    let found = jacobian.column(k);
                    close("column", found.as_slice(), &velocity.to_array(), ROUNDING);
                }
            }
        }
    }
}

#[test]
fn rates_are_derivatives() {
    for (model, seed) in models() {
        let (mut ws, mut dual) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let q = moving_configuration(&model, &s.q, &s.v);
        let curve = model.forward_kinematics(&mut dual, &q).unwrap();
        let view = model
            .forward_kinematics_velocities(&mut ws, &s.q, &s.v)
            .unwrap();
        let mut jacobian = DMatrix::from_element(6, model.nv(), Moving::fixed(0.0));
        let mut found = DMatrix::from_element(6, model.nv(), f64::NAN);
        for reference in ReferenceFrame::ALL {
            for id in model.frame_ids() {
                curve.jacobian_into(id, reference, &mut jacobian).unwrap();
                view.jacobian_rate_into(id, reference, &mut found).unwrap();
                let expected = jacobian.map(|entry| entry.tangent[0]);
                close("rate", found.as_slice(), expected.as_slice(), ROUNDING);
            }
            for id in model.joint_ids() {
                curve.jacobian_into(id, reference, &mut jacobian).unwrap();
                view.jacobian_rate_into(id, reference, &mut found).unwrap();
                let expected = jacobian.map(|entry| entry.tangent[0]);
                close("rate", found.as_slice(), expected.as_slice(), ROUNDING);
            }
        }
    }
}

#[test]
fn accelerations_are_what_jacobians_and_bias_add_up_to() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let view = model
            .forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &s.a)
            .unwrap();
        let (v, a) = (
            DVector::from_column_slice(&s.v),
            DVector::from_column_slice(&s.a),
        );
        let mut jacobian = DMatrix::zeros(6, model.nv());
        let mut rate = DMatrix::zeros(6, model.nv());
        for id in model.frame_ids() {
            for reference in ReferenceFrame::ALL {
                view.jacobian_into(id, reference, &mut jacobian).unwrap();
                view.jacobian_rate_into(id, reference, &mut rate).unwrap();
                let (bias, acceleration) = if reference == LocalWorldAligned {
                    (
                        view.classical_bias_acceleration(id, reference),
                        view.classical_acceleration(id, reference),
                    )
                } else {
                    (
                        view.bias_acceleration(id, reference),
                        view.acceleration(id, reference),
                    )
                };
                let product = &rate * &v;
                close("bias", &bias.to_array(), product.as_slice(), ROUNDING);
                let sum = &jacobian * &a + product;
                close("sum", &acceleration.to_array(), sum.as_slice(), ROUNDING);
            }
        }
    }
}

#[test]
fn bias_accelerations_are_accelerations_without_joint_accelerations() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let zeros = vec![0.0; model.nv()];
        let view = model
            .forward_kinematics_accelerations(&mut ws, &s.q, &s.v, &zeros)
            .unwrap();
        for id in model.frame_ids() {
            for reference in ReferenceFrame::ALL {
                let found = view.bias_acceleration(id, reference);
                let expected = view.acceleration(id, reference);
                close("spatial", &found.to_array(), &expected.to_array(), ROUNDING);
                let found = view.classical_bias_acceleration(id, reference);
                let expected = view.classical_acceleration(id, reference);
                close(
                    "classical",
                    &found.to_array(),
                    &expected.to_array(),
                    ROUNDING,
                );
            }
        }
    }
}

#[test]
fn columns_of_one_pass_make_every_jacobian() {
    for (model, seed) in models() {
        let (mut ws, mut other) = (Workspace::new(&model), Workspace::new(&model));
        let s = State::random(&model, seed);
        let all = model.joint_jacobians(&mut ws, &s.q).unwrap();
        let view = model.forward_kinematics(&mut other, &s.q).unwrap();
        let mut found = DMatrix::from_element(6, model.nv(), f64::NAN);
        let mut expected = DMatrix::zeros(6, model.nv());
        for reference in ReferenceFrame::ALL {
            for id in model.frame_ids() {
                all.jacobian_into(id, reference, &mut found).unwrap();
                view.jacobian_into(id, reference, &mut expected).unwrap();
                close("frame", found.as_slice(), expected.as_slice(), ROUNDING);
            }
            for id in model.joint_ids() {
                all.jacobian_into(id, reference, &mut found).unwrap();
                view.jacobian_into(id, reference, &mut expected).unwrap();
                close("joint", found.as_slice(), expected.as_slice(), ROUNDING);
            }
        }
        // In the world's coordinates a joint without mimic joints has its own columns in every
        // Jacobian.
        for id in model.joint_ids().filter(|_| !model.has_mimic_joints()) {
            all.jacobian_into(id, ReferenceFrame::World, &mut expected)
                .unwrap();
            let joint = model.joint(id);
            for (k, column) in all.joint_columns(id).iter().enumerate() {
                let expected = expected.column(joint.idx_v + k);
                assert_eq!(column.to_array(), expected.as_slice());
            }
        }
    }
}

#[test]
fn a_jacobian_may_be_written_into_a_larger_matrix() {
    let model = samples::snake(5);
    let mut ws = Workspace::new(&model);
    let q = [0.1, -0.2, 0.3, -0.4, 0.5];
    let view = model.forward_kinematics(&mut ws, &q).unwrap();
    let [middle, last] = frames(&model);
    let mut alone = DMatrix::zeros(6, 5);
    let mut stacked = DMatrix::from_element(15, 7, 9.0);
    for (row, id) in [(1, middle), (8, last)] {
        view.jacobian_into(id, LocalWorldAligned, &mut alone)
            .unwrap();
        view.jacobian_into(id, LocalWorldAligned, stacked.view_mut((row, 1), (6, 5)))
            .unwrap();
        assert_eq!(stacked.view((row, 1), (6, 5)), alone);
    }
    // The entries around the two blocks are unchanged.
    assert_eq!(stacked.iter().filter(|&&x| x == 9.0).count(), 15 * 7 - 60);
}

#[test]
fn a_matrix_of_another_shape_is_refused() {
    let model = samples::snake(3);
    let mut ws = Workspace::new(&model);
    let view = model
        .forward_kinematics_velocities(&mut ws, &[0.0; 3], &[0.0; 3])
        .unwrap();
    let [_, last] = frames(&model);
    for (rows, columns) in [(5, 3), (6, 2), (3, 6), (6, 4)] {
        let mut out = DMatrix::zeros(rows, columns);
        let size = |result| matches!(result, Err(Error::Size { .. }));
        assert!(size(view.jacobian_into(last, LocalWorldAligned, &mut out)));
        assert!(size(view.jacobian_rate_into(
            last,
            LocalWorldAligned,
            &mut out
        )));
    }
}

#[test]
fn a_workspace_for_recursions_has_no_room_for_all_columns() {
    let model = samples::snake(3);
    let mut ws = Workspace::recursive(&model);
    assert!(matches!(
        model.joint_jacobians(&mut ws, &[0.0; 3]),
        Err(Error::NoMatrices)
    ));
    let view = model.forward_kinematics(&mut ws, &[0.0; 3]).unwrap();
    let mut out = DMatrix::zeros(6, 3);
    let [_, last] = frames(&model);
    view.jacobian_into(last, LocalWorldAligned, &mut out)
        .unwrap();
    assert_eq!(out[(4, 0)], 1.0);
}

#[test]
fn rates_of_all_columns_make_the_rate_of_each_joint() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let view = model
            .forward_kinematics_velocities(&mut ws, &s.q, &s.v)
            .unwrap();
        let nv = model.nv();
        let mut rates = vec![Motion::zero(); nv];
        view.joint_jacobian_rates_into(&mut rates).unwrap();
        // Mimic joints share columns, which no single joint's Jacobian has.
        if model.has_mimic_joints() {
            continue;
        }
        for id in model.joint_ids() {
            let mut expected = DMatrix::zeros(6, nv);
            view.jacobian_rate_into(id, ReferenceFrame::World, &mut expected)
                .unwrap();
            for above in model.support(id) {
                let joint = model.joint(above);
                for k in joint.idx_v..joint.idx_v + joint.nv {
                    let column = expected.column(k);
                    close("column", &rates[k].to_array(), column.as_slice(), ROUNDING);
                }
            }
        }
        rates.push(Motion::zero());
        assert!(matches!(
            view.joint_jacobian_rates_into(&mut rates),
            Err(Error::Size { .. })
        ));
    }
}
