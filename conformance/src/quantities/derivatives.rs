//! First derivatives of joint forces, accelerations, momentum and the motion of a frame.

use super::Case;
use crate::agreement::{Family, Frame, Sensitivity};
use featherline::Error;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use nalgebra::DMatrix;

pub(super) fn derivatives(case: &mut Case<'_>) -> Result<(), Error> {
    dynamics(case)?;
    momentum(case)?;
    motion(case)
}

fn dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let options = DynamicsOptions::default()
        .without_passive_forces()
        .with_forces(&x.forces);
    let found = model.inverse_dynamics_derivatives(case.ws, &x.q, &x.v, &x.a, options)?;
    let [dq, dv] = [found.dq, found.dv].map(|m| layout.their_matrix(m));
    case.compare("dtau_dq_fext", Family::JointForce, dq);
    case.compare("dtau_dv_fext", Family::JointForce, dv);
    let gravity = layout.their_matrix(model.gravity_torque_derivative(case.ws, &x.q)?);
    case.compare("dgravity_dq", Family::JointForce, gravity);
    if case.state.values("dqdd_dq_fext").is_none() {
        return Ok(());
    }
    let found = model.forward_dynamics_derivatives(case.ws, &x.q, &x.v, &x.tau, options)?;
    let [dq, dv] = [found.dq, found.dv].map(|m| layout.their_matrix(m));
    let (family, conditioned) = (Family::JointAcceleration, Sensitivity::Conditioned);
    case.pair("∂q̈/∂q", "dqdd_dq_fext", family, conditioned, dq);
    case.pair("∂q̈/∂v", "dqdd_dv_fext", family, conditioned, dv);
    Ok(())
}

fn momentum(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    if case.state.values("dmomentum_dq").is_none() {
        return Ok(());
    }
    let found = model.centroidal_derivatives(case.ws, &x.q, &x.v, &x.a)?;
    let matrices = [found.momentum_dq, found.rate_dq, found.rate_dv, found.map];
    let [momentum_dq, rate_dq, rate_dv, rate_da] = matrices.map(|m| layout.their_columns(m));
    case.compare("dmomentum_dq", Family::Centroidal, momentum_dq);
    case.compare("dmomentum_rate_dq", Family::Centroidal, rate_dq);
    case.compare("dmomentum_rate_dv", Family::Centroidal, rate_dv);
    case.compare("dmomentum_rate_da", Family::Centroidal, rate_da);
    Ok(())
}

fn motion(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let Some(target) = layout.hessian else {
        return Ok(());
    };
    let frames = [
        (
            ReferenceFrame::Local,
            Frame::Local,
            ["dv_dq_local", "da_dq_local", "da_dv_local", "da_da_local"],
        ),
        (
            ReferenceFrame::World,
            Frame::World,
            ["dv_dq_world", "da_dq_world", "da_dv_world", "da_da_world"],
        ),
        (
            ReferenceFrame::LocalWorldAligned,
            Frame::Aligned,
            [
                "dv_dq_aligned",
                "da_dq_aligned",
                "da_dv_aligned",
                "da_da_aligned",
            ],
        ),
    ];
    for (reference, frame, names) in frames {
        let mut all = [(); 4].map(|()| DMatrix::zeros(6, model.nv()));
        let [v_dq, a_dq, a_dv, a_da] = &mut all;
        let found = model.kinematics_derivatives(case.ws, &x.q, &x.v, &x.a)?;
        found.velocity_into(target, reference, v_dq, &mut *a_da)?;
        found.acceleration_into(target, reference, a_dq, a_dv, a_da)?;
        for (name, matrix) in names.into_iter().zip(&all) {
            let ours = layout.their_columns(matrix);
            case.compare(name, Family::Jacobian(frame), ours);
        }
    }
    Ok(())
}
