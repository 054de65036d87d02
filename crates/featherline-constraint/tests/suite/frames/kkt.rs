//! The blocks of the inverse, against the inverse of the dense matrix.

use super::dynamics::motions;
use super::robots::{Held, all};
use featherline::Workspace;
use featherline::kinematics::ReferenceFrame;
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraintKind, constrained_dynamics,
    constrained_dynamics_derivatives, constraint_jacobian, kkt_inverse,
};
use nalgebra::DMatrix;

#[test]
fn blocks_are_those_of_the_dense_inverse() {
    let mut compared = 0;
    for mut robot in all(false) {
        let Held {
            model,
            ws,
            q,
            v,
            tau,
            ..
        } = &mut robot;
        if constrained_dynamics(model, ws, q, v, tau, &[])
            .unwrap()
            .redundant
            > 0
        {
            continue;
        }
        let (n, m) = (model.nv(), ws.rows());
        let mut k = DMatrix::zeros(m, n);
        constraint_jacobian(model, ws, q, &mut k).unwrap();
        let mut dense = DMatrix::zeros(n + m, n + m);
        let mut tree = Workspace::new(model);
        dense
            .view_mut((0, 0), (n, n))
            .copy_from(model.crba(&mut tree, q).unwrap());
        dense.view_mut((n, 0), (m, n)).copy_from(&k);
        dense.view_mut((0, n), (n, m)).copy_from(&k.transpose());
        let values = dense.singular_values();
        let condition = values.max() / values.min();
        let expected = dense.full_piv_lu().try_inverse().unwrap();
        let (mut projected, mut generalised) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
        let mut inertia = DMatrix::zeros(m, m);
        kkt_inverse(model, ws, q, &mut projected, &mut generalised, &mut inertia).unwrap();
        // P is the difference of M⁻¹ and what the constraints take from it.
        let inverse = model.mass_matrix_inverse(&mut tree, q).unwrap();
        let scale = expected.amax().max(inverse.amax());
        for (found, expected) in [
            (&projected, expected.view((0, 0), (n, n))),
            (&generalised, expected.view((0, n), (n, m))),
            (&generalised.transpose(), expected.view((n, 0), (m, n))),
            (&-&inertia, expected.view((n, n), (m, m))),
        ] {
            let error = (found - expected).amax() / scale;
            // Rounding times the condition, which is 5e7 for the quadruped and below 1e6 else.
            let tolerance = 1e-15 * condition.max(1e5);
            assert!(error < tolerance, "{}: {error:e}", model.name());
        }
        compared += 1;
    }
    assert!(compared > 20);
}

#[test]
fn rows_are_the_velocities_of_the_frames() {
    for mut robot in all(false) {
        let Held {
            model,
            ws,
            q,
            v,
            constraints,
            ..
        } = &mut robot;
        let (n, m) = (model.nv(), ws.rows());
        let mut k = DMatrix::zeros(m, n);
        constraint_jacobian(model, ws, q, &mut k).unwrap();
        let velocities = k * nalgebra::DVector::from_column_slice(v);
        let still = vec![0.0; n];
        for (index, constraint) in constraints.iter().enumerate() {
            let at = motions(model, constraint, (q, v, &still));
            let u = at.velocity[0] - at.velocity[1];
            let rotation = &at.held.rotation;
            let u = match (constraint.reference, constraint.kind) {
                (ReferenceFrame::Local, _) => u,
                (ReferenceFrame::World, FrameConstraintKind::Frame) => at.held.act_motion(&u),
                _ => featherline::spatial::Motion::new(
                    rotation.mul_vec(u.linear),
                    rotation.mul_vec(u.angular),
                ),
            };
            for (row, u) in ws.rows_of(index).unwrap().zip(u.to_array()) {
                assert!((velocities[row] - u).abs() < 1e-12 * u.abs().max(10.0));
            }
        }
    }
}

#[test]
fn without_rows_the_inverse_is_that_of_the_mass_matrix() {
    let model = featherline_robots::panda();
    let n = model.nv();
    let (q, still) = (vec![0.3; model.nq()], vec![0.0; n]);
    let mut ws = ConstraintWorkspace::new(&model, &[]).unwrap();
    let mut projected = DMatrix::zeros(n, n);
    let (mut generalised, mut inertia) = (DMatrix::zeros(n, 0), DMatrix::zeros(0, 0));
    kkt_inverse(
        &model,
        &mut ws,
        &q,
        &mut projected,
        &mut generalised,
        &mut inertia,
    )
    .unwrap();
    let mut tree = Workspace::new(&model);
    let expected = model.mass_matrix_inverse(&mut tree, &q).unwrap();
    assert!((&projected - expected).amax() < 1e-9 * projected.amax());
    let by = constrained_dynamics_derivatives(&model, &mut ws, &q, &still, &still, &[]).unwrap();
    assert!((by.dtau - expected).amax() < 1e-9 * projected.amax());
}
