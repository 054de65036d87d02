//! Joint forces, the matrices of the equations of motion, and accelerations.

use super::Case;
use crate::agreement::{BEYOND_COMPARISON, Family, Sensitivity, largest, relative};
use featherline::Error;
use nalgebra::DMatrix;

pub(super) fn inverse_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let tau = layout.their_v(model.rnea(case.ws, &x.q, &x.v, &x.a)?);
    case.compare("tau", Family::JointForce, tau);
    let loaded = model.rnea_with_forces(case.ws, &x.q, &x.v, &x.a, &x.forces)?;
    let loaded = layout.their_v(loaded);
    case.compare("tau_fext", Family::JointForce, loaded);
    let bias = layout.their_v(model.bias(case.ws, &x.q, &x.v)?);
    case.compare("bias", Family::JointForce, bias);
    let gravity = layout.their_v(model.gravity_torque(case.ws, &x.q)?);
    case.compare("gravity", Family::JointForce, gravity);
    let still = layout.their_v(model.static_torque(case.ws, &x.q, &x.forces)?);
    case.compare("static_torque_fext", Family::JointForce, still);
    Ok(())
}

pub(super) fn matrices(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let mass = layout.their_matrix(model.crba(case.ws, &x.q)?);
    case.compare("mass_matrix", Family::MassMatrix, mass);
    let coriolis = layout.their_matrix(model.coriolis_matrix(case.ws, &x.q, &x.v)?);
    case.known.insert("coriolis_matrix");
    // The matrix itself is not unique; its product with v and its symmetric part are.
    if let (Some(theirs), Some(v)) = (case.state.values("coriolis_matrix"), case.state.values("v"))
    {
        let (force, rate) = (product(&coriolis, v), with_transpose(&coriolis, v.len()));
        let (their_force, their_rate) = (product(theirs, v), with_transpose(theirs, v.len()));
        case.derived("C v", Family::JointForce, force, their_force);
        case.derived("C + Cᵀ", Family::MassMatrix, rate, their_rate);
    }
    Ok(())
}

pub(super) fn forward_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let conditioned = Sensitivity::Conditioned;

    let inverse = layout.their_matrix(model.mass_matrix_inverse(case.ws, &x.q)?);
    residual_of_inverse(case, "M M⁻¹ − 1", &inverse);
    let name = "mass_matrix_inverse";
    case.pair("M⁻¹", name, Family::Inverse, conditioned, inverse);
    let mut inverse = DMatrix::zeros(model.nv(), model.nv());
    model.ltdl(case.ws, &x.q)?.inverse(&mut inverse)?;
    let inverse = layout.their_matrix(&inverse);
    residual_of_inverse(case, "M M⁻¹ − 1 (LTDL)", &inverse);
    case.pair("M⁻¹ (LTDL)", name, Family::Inverse, conditioned, inverse);

    let family = Family::JointAcceleration;
    let qdd = layout.their_v(model.aba(case.ws, &x.q, &x.v, &x.tau)?);
    residual_of_accelerations(case, "M q̈ + b − τ (ABA)", &qdd);
    case.pair("q̈ (ABA)", "qdd_aba", family, conditioned, qdd);
    let qdd = layout.their_v(model.forward_dynamics_crba(case.ws, &x.q, &x.v, &x.tau)?);
    residual_of_accelerations(case, "M q̈ + b − τ (CRBA + LTDL)", &qdd);
    case.pair("q̈ (CRBA + LTDL)", "qdd_aba", family, conditioned, qdd);
    let qdd = model.aba_with_forces(case.ws, &x.q, &x.v, &x.tau, &x.forces)?;
    let qdd = layout.their_v(qdd);
    case.pair("q̈ (ABA, fext)", "qdd_aba_fext", family, conditioned, qdd);

    hybrid_dynamics(case)
}

/// Of the reference's `tau` at `a`, every other force is forgotten, and the acceleration of the others.
fn hybrid_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let Some(tau) = case.state.values("tau") else {
        return Ok(());
    };
    let tau = layout.our_v(tau);
    let known: Vec<bool> = (0..model.nv()).map(|k| k % 2 == 0).collect();
    let values = known.iter().zip(x.a.iter().zip(&tau));
    let values: Vec<f64> = values
        .map(|(&known, (&a, &tau))| if known { a } else { tau })
        .collect();
    let hybrid = model.hybrid_dynamics(case.ws, &x.q, &x.v, &values, &known, None)?;
    let (a, tau) = (
        layout.their_v(hybrid.accelerations),
        layout.their_v(hybrid.forces),
    );
    let conditioned = Sensitivity::Conditioned;
    case.pair("q̈ (hybrid)", "a", Family::JointAcceleration, conditioned, a);
    // Forces follow from the accelerations that were found.
    case.pair("τ (hybrid)", "tau", Family::JointForce, conditioned, tau);
    Ok(())
}

/// Where accelerations are beyond comparison, puts them into the reference's equations of motion.
fn residual_of_accelerations(case: &mut Case<'_>, quantity: &'static str, qdd: &[f64]) {
    let state = case.state;
    let given = (
        state.values("mass_matrix"),
        state.values("bias"),
        state.values("tau_in"),
    );
    let (Some(mass), Some(bias), Some(tau)) = given else {
        return;
    };
    if case.input.condition <= BEYOND_COMPARISON {
        return;
    }
    let mut residual = product(mass, qdd);
    let mut sizes = product(&magnitudes(mass), &magnitudes(qdd));
    for k in 0..qdd.len() {
        residual[k] += bias[k] - tau[k];
        sizes[k] += bias[k].abs() + tau[k].abs();
    }
    let relative = relative(largest(&residual), largest(&sizes));
    case.derived(quantity, Family::Residual, vec![relative], vec![0.0]);
}

/// Where an inverse is beyond comparison, multiplies it with the reference's mass matrix.
fn residual_of_inverse(case: &mut Case<'_>, quantity: &'static str, inverse: &[f64]) {
    let Some(mass) = case.state.values("mass_matrix") else {
        return;
    };
    if case.input.condition <= BEYOND_COMPARISON {
        return;
    }
    let n = case.model.nv();
    let (m, w) = (
        DMatrix::from_row_slice(n, n, mass),
        DMatrix::from_row_slice(n, n, inverse),
    );
    let residual = &m * &w - DMatrix::identity(n, n);
    let sizes = m.abs() * w.abs();
    let relative = relative(largest(residual.as_slice()), largest(sizes.as_slice()));
    case.derived(quantity, Family::Residual, vec![relative], vec![0.0]);
}

/// A matrix, given row by row, times a vector.
pub(super) fn product(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    if x.is_empty() {
        return Vec::new();
    }
    let rows = matrix.chunks_exact(x.len());
    rows.map(|row| row.iter().zip(x).map(|(m, x)| m * x).sum())
        .collect()
}

fn magnitudes(values: &[f64]) -> Vec<f64> {
    values.iter().map(|x| x.abs()).collect()
}

/// A square matrix plus its transpose.
fn with_transpose(matrix: &[f64], n: usize) -> Vec<f64> {
    let entries = (0..n).flat_map(|i| (0..n).map(move |k| (i, k)));
    entries
        .map(|(i, k)| matrix[i * n + k] + matrix[k * n + i])
        .collect()
}
