//! Joint forces, the matrices of the equations of motion, and accelerations.

use super::Case;
use super::system::accelerates_as_known;
use crate::agreement::{BEYOND_COMPARISON, Family, Sensitivity, largest, relative};
use crate::close_to_singular::{Inverses, Side};
use featherline::Error;
use featherline::dynamics::DynamicsOptions;
use featherline::dynamics::ltdl::factorize_ltl;
use featherline::kernel;
use nalgebra::DMatrix;

pub(super) fn inverse_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let tau = layout.their_v(model.rnea(case.ws, &x.q, &x.v, &x.a)?);
    case.compare("tau", Family::JointForce, tau);
    let loaded = model.inverse_dynamics(
        case.ws,
        &x.q,
        &x.v,
        &x.a,
        DynamicsOptions::default()
            .without_passive_forces()
            .with_forces(&x.forces),
    )?;
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

pub(super) fn passive_forces(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let passive = layout.their_v(model.passive_forces(case.ws, &x.q, &x.v)?);
    case.compare("passive_forces", Family::JointForce, passive);
    let options = DynamicsOptions::default();
    let tau = model.inverse_dynamics(case.ws, &x.q, &x.v, &x.a, options)?;
    let tau = layout.their_v(tau);
    case.compare("tau_passive", Family::JointForce, tau);
    let options = options.with_forces(&x.forces);
    let tau = model.inverse_dynamics(case.ws, &x.q, &x.v, &x.a, options)?;
    let tau = layout.their_v(tau);
    case.compare("tau_passive_fext", Family::JointForce, tau);
    let options = options.without_passive_forces();
    let tau = model.inverse_dynamics(case.ws, &x.q, &x.v, &x.a, options)?;
    let tau = layout.their_v(tau);
    let quantity = "tau_fext (without passive forces)";
    case.pair(
        quantity,
        "tau_fext",
        Family::JointForce,
        Sensitivity::Rounding,
        tau,
    );
    Ok(())
}

pub(super) fn forward_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let conditioned = Sensitivity::Conditioned;

    let inverse = layout.their_matrix(model.mass_matrix_inverse(case.ws, &x.q)?);
    residual_of_inverse(case, "M M⁻¹ − 1", &inverse);
    inverses(case, &inverse)?;
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
    let qdd = model.forward_dynamics(
        case.ws,
        &x.q,
        &x.v,
        &x.tau,
        DynamicsOptions::default()
            .without_passive_forces()
            .with_forces(&x.forces),
    )?;
    let qdd = layout.their_v(qdd);
    case.pair("q̈ (ABA, fext)", "qdd_aba_fext", family, conditioned, qdd);

    let options = DynamicsOptions::default();
    let qdd = model.forward_dynamics(case.ws, &x.q, &x.v, &x.tau, options)?;
    let qdd = layout.their_v(qdd);
    case.pair("q̈ (passive)", "qdd_passive", family, conditioned, qdd);
    let options = options.with_forces(&x.forces);
    let qdd = model.forward_dynamics(case.ws, &x.q, &x.v, &x.tau, options)?;
    let qdd = layout.their_v(qdd);
    let name = "qdd_passive_fext";
    case.pair("q̈ (passive, fext)", name, family, conditioned, qdd);

    factors(case)?;
    hybrid_dynamics(case)
}

/// The factors of the mass matrix, multiplied with v one after the other.
fn factors(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let (Some(mass), Some(v)) = (case.state.values("mass_matrix"), case.state.values("v")) else {
        return Ok(());
    };
    let theirs = product(mass, v);
    let mut out = x.v.clone();
    let factor = model.ltdl(case.ws, &x.q)?;
    factor.mul_l(&mut out)?;
    for (k, x) in out.iter_mut().enumerate() {
        *x *= factor.pivot(k);
    }
    factor.mul_l_transposed(&mut out)?;
    let family = Family::MassMatrix;
    case.derived("Lᵀ D L v", family, layout.their_v(&out), theirs.clone());

    let tree = kernel::elimination_tree(model);
    let mut packed = tree.pack(model.crba(case.ws, &x.q)?)?;
    factorize_ltl(tree, &mut packed)?;
    let entry = |k: usize, ancestor: usize| packed[tree.place::<f64>(k, ancestor)];
    let mut out = vec![0.0; x.v.len()];
    for k in 0..out.len() {
        let way: Vec<usize> = std::iter::once(k).chain(tree.ancestors(k)).collect();
        let product: f64 = way.iter().map(|&i| entry(k, i) * x.v[i]).sum();
        way.iter().for_each(|&i| out[i] += entry(k, i) * product);
    }
    case.derived("Lᵀ L v", family, layout.their_v(&out), theirs);
    Ok(())
}

/// Of the reference's `tau` at `a`, every other force is forgotten, and the acceleration of the
/// others.
fn hybrid_dynamics(case: &mut Case<'_>) -> Result<(), Error> {
    let (model, layout, x) = (case.model, case.layout, case.input);
    let Some(tau) = case.state.values("tau") else {
        return Ok(());
    };
    let tau = layout.our_v(tau);
    let known: Vec<bool> = (0..model.nv()).map(accelerates_as_known).collect();
    let values = known.iter().zip(x.a.iter().zip(&tau));
    let values: Vec<f64> = values
        .map(|(&known, (&a, &tau))| if known { a } else { tau })
        .collect();
    let options = DynamicsOptions::default().without_passive_forces();
    let hybrid = model.hybrid_dynamics(case.ws, &x.q, &x.v, &values, &known, options)?;
    let (a, tau) = (
        layout.their_v(hybrid.accelerations),
        layout.their_v(hybrid.forces),
    );
    let conditioned = Sensitivity::Conditioned;
    let family = Family::HybridAcceleration;
    case.pair("q̈ (hybrid)", "a", family, conditioned, a);
    // Forces follow from the accelerations that were found.
    case.pair("τ (hybrid)", "tau", Family::JointForce, conditioned, tau);
    Ok(())
}

/// Where accelerations are beyond comparison, puts them into the reference's equations of motion.
pub(super) fn residual_of_accelerations(case: &mut Case<'_>, quantity: &'static str, qdd: &[f64]) {
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

/// Where inverses are beyond comparison, finds out how far each side's is from an exact one.
fn inverses(case: &mut Case<'_>, ours: &[f64]) -> Result<(), Error> {
    let state = case.state;
    let theirs = (
        state.values("mass_matrix"),
        state.values("mass_matrix_inverse"),
    );
    if let (Some(their_mass), Some(theirs)) = theirs
        && case.input.condition > BEYOND_COMPARISON
    {
        let mass = case
            .layout
            .their_matrix(case.model.crba(case.ws, &case.input.q)?);
        let n = case.model.nv();
        let matrix = |rows: &[f64]| DMatrix::from_row_slice(n, n, rows);
        case.inverses = Some(Inverses::new(
            &Side {
                mass: matrix(&mass),
                inverse: matrix(ours),
            },
            &Side {
                mass: matrix(their_mass),
                inverse: matrix(theirs),
            },
        ));
    }
    Ok(())
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
