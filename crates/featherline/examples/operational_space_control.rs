//! Operational-space control of an arm: its hand goes to a pose as if it were a free body, whatever
//! the joints do.
//!
//! O. Khatib, *A unified approach for motion and force control of robot manipulators: the
//! operational space formulation*, 1987: with the inertia Λ = (J M⁻¹ Jᵀ)⁻¹ that the hand shows, the
//! torques Jᵀ Λ (a − J̇ v) + C give the hand the acceleration a. The arm's seventh degree of
//! freedom is left, and holds a posture without disturbing the hand.

use featherline::configuration;
use featherline::dynamics::DynamicsOptions;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;
use featherline::spatial::{Se3, Vec3, exp3, log3};
use featherline::{Model, Workspace};
use nalgebra::{DMatrix, SVector, Vector6};
use std::error::Error;

const JOINTS: usize = 7;
const TIME_STEP: f64 = 1e-3;
/// Critically damped, with a time constant of a tenth of a second.
const STIFFNESS: f64 = 100.0;
const DAMPING: f64 = 20.0;

/// The joint torques that take the hand to a pose.
fn control(
    model: &Model,
    ws: &mut Workspace<f64>,
    (q, v): (&[f64], &[f64]),
    (hand, goal): (FrameId, &Se3<f64>),
    (posture, jacobian): (&[f64], &mut DMatrix<f64>),
) -> Result<SVector<f64, JOINTS>, featherline::Error> {
    let reference = ReferenceFrame::LocalWorldAligned;
    let terms = model.all_terms(ws, q, v)?;
    terms.jacobian_into(hand, reference, &mut *jacobian)?;
    let jacobian = jacobian.fixed_view::<6, JOINTS>(0, 0);

    // A spring and a damper between the hand and its goal, less the acceleration that comes by
    // itself.
    let here = terms.placement(hand);
    let turn = log3(&here.rotation.tr_mul_mat(&goal.rotation));
    let mut error = Vector6::zeros();
    error
        .fixed_rows_mut::<3>(0)
        .copy_from_slice(&(goal.translation - here.translation).to_array());
    error
        .fixed_rows_mut::<3>(3)
        .copy_from_slice(&here.rotation.mul_vec(turn).to_array());
    let velocity = Vector6::from(terms.velocity(hand, reference));
    let drift = Vector6::from(terms.classical_bias_acceleration(hand, reference));
    let wanted = error * STIFFNESS - velocity * DAMPING - drift;

    // Mass matrices are positive definite, and the hand can move in every direction off singular
    // postures.
    let mass = terms
        .mass_matrix()
        .fixed_view::<JOINTS, JOINTS>(0, 0)
        .into_owned();
    let mass = mass
        .cholesky()
        .expect("the mass matrix is positive definite");
    let response = mass.solve(&jacobian.transpose());
    let mobility = (jacobian * response)
        .cholesky()
        .expect("the posture is not singular");

    // The posture's torques, without what they would do to the hand.
    let hold = SVector::<f64, JOINTS>::from_fn(|k, _| 10.0 * (posture[k] - q[k]) - 5.0 * v[k]);
    let disturbance = response.transpose() * hold;
    let force = mobility.solve(&(wanted - disturbance));
    let mut torque = jacobian.transpose() * force + hold;
    for (k, bias) in terms.bias().iter().enumerate() {
        torque[k] += bias;
    }
    // The motors overcome the joints' friction, too.
    for (k, passive) in model.passive_forces(ws, q, v)?.iter().enumerate() {
        torque[k] -= passive;
    }
    Ok(torque)
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = featherline_robots::panda();
    let hand = model.body_id("panda_link8")?;
    let mut ws = Workspace::new(&model);
    let mut jacobian = DMatrix::zeros(6, JOINTS);
    let posture = [0.0, -0.6, 0.0, -2.2, 0.0, 1.6, 0.8];
    let (mut q, mut v) = (posture.to_vec(), vec![0.0; JOINTS]);
    let (mut step, mut next) = (v.clone(), q.clone());

    let start = model.forward_kinematics(&mut ws, &q)?.placement(hand);
    let turned = exp3(Vec3::new(0.0, 0.3, 0.5)).mul_mat(&start.rotation);
    let goal = Se3::new(turned, start.translation + Vec3::new(0.1, -0.2, -0.15));

    println!("time/s  distance/m  angle/rad");
    for tick in 0..=3000 {
        let here = model.forward_kinematics(&mut ws, &q)?.placement(hand);
        let distance = (goal.translation - here.translation).norm();
        let angle = log3(&here.rotation.tr_mul_mat(&goal.rotation)).norm();
        if tick % 250 == 0 {
            println!(
                "{:6.2}  {distance:10.2e}  {angle:9.2e}",
                tick as f64 * TIME_STEP
            );
        }
        if tick == 3000 {
            // Thirty time constants have passed.
            assert!(distance < 1e-6 && angle < 1e-6);
        }
        let torque = control(
            &model,
            &mut ws,
            (&q, &v),
            (hand, &goal),
            (&posture, &mut jacobian),
        )?;
        let options = DynamicsOptions::default();
        let acceleration = model.forward_dynamics(&mut ws, &q, &v, torque.as_slice(), options)?;
        for k in 0..JOINTS {
            v[k] += TIME_STEP * acceleration[k];
            step[k] = TIME_STEP * v[k];
        }
        configuration::integrate_into(&model, &q, &step, &mut next)?;
        std::mem::swap(&mut q, &mut next);
    }
    Ok(())
}
