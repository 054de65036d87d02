//! Energies and joint forces at rest, on random trees with every kind of joint.

use crate::common::{Rate, State, changing, close, external_forces, models, moving};
use featherline::Workspace;
use featherline::dynamics::DynamicsOptions;
use featherline::spatial::Vec3;

/// Rounding of some hundred operations; results of size up to a few thousand are compared relative
/// to their size.
const TOLERANCE: f64 = 1e-11;

/// As above, where a result contains accelerations that the condition of the mass matrix has
/// magnified.
const ILL_CONDITIONED: f64 = 1e-8;

#[test]
fn kinetic_energy_is_that_of_the_mass_matrix() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let energy = model.kinetic_energy(&mut ws, &s.q, &s.v).unwrap();
        let mass = model.crba(&mut ws, &s.q).unwrap();
        let mut twice = 0.0;
        for i in 0..model.nv() {
            for j in 0..model.nv() {
                twice += s.v[i] * mass[(i, j)] * s.v[j];
            }
        }
        close("kinetic energy", &[energy], &[twice / 2.0], TOLERANCE);
    }
}

#[test]
fn gravity_torque_is_the_gradient_of_the_potential_energy() {
    for (model, seed) in models() {
        let model = model.with_gravity(Vec3::new(1.5, -2.0, -9.0)).unwrap();
        let mut ws = Workspace::<f64>::new(&model);
        let mut rates = Workspace::<Rate>::new(&model);
        let s = State::random(&model, seed);
        let gravity = model.gravity_torque(&mut ws, &s.q).unwrap();
        let mut gradient = Vec::new();
        for k in 0..model.nv() {
            let mut direction = vec![0.0; model.nv()];
            direction[k] = 1.0;
            let q = moving(&model, &s.q, &direction);
            let energy = model.potential_energy(&mut rates, &q).unwrap();
            gradient.push(energy.tangent[0]);
        }
        close("gravity torque", gravity, &gradient, TOLERANCE);
    }
}

#[test]
fn energy_changes_by_the_power_of_the_joint_forces() {
    for (model, seed) in models() {
        let mut ws = Workspace::<f64>::new(&model);
        let mut rates = Workspace::<Rate>::new(&model);
        let s = State::random(&model, seed);
        let a = model.aba(&mut ws, &s.q, &s.v, &s.tau).unwrap();
        let (q, v) = (moving(&model, &s.q, &s.v), changing(&s.v, a));
        let energy = model.mechanical_energy(&mut rates, &q, &v).unwrap();
        let power: f64 = s.tau.iter().zip(&s.v).map(|(t, v)| t * v).sum();
        close("power", &energy.tangent, &[power], ILL_CONDITIONED);
        let parts = model.kinetic_energy(&mut ws, &s.q, &s.v).unwrap()
            + model.potential_energy(&mut ws, &s.q).unwrap();
        close("sum of energies", &[energy.value], &[parts], TOLERANCE);
    }
}

#[test]
fn torques_at_rest_are_inverse_dynamics_without_motion() {
    for (model, seed) in models() {
        let mut ws = Workspace::new(&model);
        let s = State::random(&model, seed);
        let zeros = vec![0.0; model.nv()];
        let forces = external_forces(&model);
        let bias = model.bias(&mut ws, &s.q, &zeros).unwrap().to_vec();
        let gravity = model.gravity_torque(&mut ws, &s.q).unwrap();
        close("gravity torque", gravity, &bias, TOLERANCE);
        let expected = model
            .inverse_dynamics(
                &mut ws,
                &s.q,
                &zeros,
                &zeros,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap()
            .to_vec();
        let found = model.static_torque(&mut ws, &s.q, &forces).unwrap();
        close("static torque", found, &expected, TOLERANCE);
        let a = expected;
        let a = model
            .forward_dynamics(
                &mut ws,
                &s.q,
                &zeros,
                &a,
                DynamicsOptions::default()
                    .without_passive_forces()
                    .with_forces(&forces),
            )
            .unwrap();
        close("acceleration at rest", a, &zeros, ILL_CONDITIONED);
    }
}
