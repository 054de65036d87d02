//! Dynamics and energies of the whole robot, and all terms at once.

use super::centers::{center_of_mass, of_data};
use super::data::{filled, matrix, write_rows};
use super::joints::{given_or_last, move_joints};
use super::late::State;
use super::model::ModelBase;
use super::momenta::{compute_centroidal_map, fill, set_momentum};
use super::{D, M, Matrix, Value, Vector, configuration, in_world, motion, tangent};
use crate::model::Model;
use crate::spatial::Force;
use crate::states::Outcome;
use featherline::dynamics::DynamicsOptions;
use featherline::spatial as core;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// External forces on all joints' bodies, the universe's first.
pub fn external(model: &Model, forces: Value<'_, '_>) -> PyResult<Vec<core::Force<f64>>> {
    let n = model.model.joints().len();
    let one = |force: Bound<'_, PyAny>| match force.cast::<Force>() {
        Ok(force) => Ok(force.get().value()),
        Err(_) => crate::array::fixed::<6>("fext", &force, &[6]).map(core::Force::from_array),
    };
    let all: Vec<core::Force<f64>> = match forces.cast::<PyList>() {
        Ok(list) => list.iter().map(one).collect::<PyResult<_>>()?,
        Err(_) => {
            let items = forces
                .try_iter()
                .map_err(|_| PyTypeError::new_err("fext must be a list of forces, one a joint"))?;
            items.map(|f| one(f?)).collect::<PyResult<_>>()?
        }
    };
    if all.len() != n {
        return Err(PyValueError::new_err(format!(
            "fext has {} forces, where {n} are expected",
            all.len()
        )));
    }
    Ok(all)
}

/// Inverse dynamics (nv,), in data.tau too.
#[pyfunction]
#[pyo3(signature = (model, data, q, v, a, fext=None))]
pub fn rnea<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    a: Value<'_, 'py>,
    fext: Option<Value<'_, 'py>>,
) -> Outcome<Vector<'py>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v) = motion(native, q, v)?;
    let a = tangent(native, "a", a)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let m = &native.model;
    let (q, v, a) = (&q, &v, &a);
    let forces = fext.map(|forces| external(native, forces)).transpose()?;
    let tau = match &forces {
        None => m.rnea(ws, q, v, a),
        Some(forces) => {
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(forces);
            m.inverse_dynamics(ws, q, v, a, options)
        }
    };
    let tau = PyArray1::from_slice(model.py(), tau?);
    let mut state = State::new(&made, q, v, a);
    state.forces = forces.unwrap_or_default();
    data.late_motion(model.py(), state)?;
    data.tau = tau.clone().into_any().unbind();
    Ok(tau)
}

/// Forward dynamics (nv,), in data.ddq too: (model, data, q, v, tau[, fext[, convention]]).
#[pyfunction]
#[pyo3(signature = (model, data, q, v, tau, fext=None, convention=None))]
pub fn aba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
    tau: Value<'_, 'py>,
    fext: Option<Value<'_, 'py>>,
    convention: Option<Value<'_, 'py>>,
) -> Outcome<Vector<'py>> {
    // A convention may take the forces' place.
    let (fext, convention) = match fext {
        Some(value) if value.extract::<i64>().is_ok() => (None, Some(value)),
        fext => (fext, convention),
    };
    let in_world = in_world(convention)?;
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v) = motion(native, q, v)?;
    let tau = tangent(native, "tau", tau)?;
    let mut data = data.borrow_mut();
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    let m = &native.model;
    let (q, v, tau) = (&q, &v, &tau);
    let forces = fext.map(|forces| external(native, forces)).transpose()?;
    let ddq = match &forces {
        None => m.aba(ws, q, v, tau),
        Some(forces) => {
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(forces);
            m.forward_dynamics(ws, q, v, tau, options)
        }
    };
    let a = ddq?.to_vec();
    let ddq = PyArray1::from_slice(model.py(), &a);
    let view = m.forward_kinematics_accelerations(ws, q, v, &a)?;
    objects.place(&view)?;
    objects.move_(&view)?;
    objects.accelerate(&view)?;
    let mut state = State::new(&made, q, v, &a);
    state.forces = forces.unwrap_or_default();
    data.late.motion = Some(Arc::new(state));
    data.forward = data.late.motion.clone();
    if in_world {
        data.late.jacobian = data.late.motion.clone();
    }
    data.ddq = ddq.clone().into_any().unbind();
    Ok(ddq)
}

fn as_vector<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyAny> {
    PyArray1::from_slice(py, numbers).into_any()
}

/// The joint forces of gravity (nv,), in data.g too.
#[pyfunction]
#[pyo3(name = "computeGeneralizedGravity")]
pub fn compute_generalized_gravity<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
) -> Outcome<Bound<'py, PyAny>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let q = configuration(native, q)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let gravity = native.model.gravity_torque(ws, &q)?;
    let gravity = as_vector(model.py(), gravity);
    let still = vec![0.0; native.model.nv()];
    let state = Arc::new(State::new(&made, &q, &still, &still));
    data.late.relative = Some(state.clone());
    data.late.motion = Some(state);
    data.g = gravity.clone().unbind();
    Ok(gravity)
}

/// A Coriolis matrix (nv, nv), in data.C too.
#[pyfunction]
#[pyo3(name = "computeCoriolisMatrix")]
pub fn compute_coriolis_matrix<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let mut data = data.borrow_mut();
    move_joints(native, &mut data, q, Some(v), None)?;
    let (q, v) = motion(native, q, v)?;
    data.late_matrices(&Arc::new(State::new(&made, &q, &v, &[])));
    let (ws, _) = data.parts(native)?;
    let coriolis = native.model.coriolis_matrix(ws, &q, &v)?;
    let coriolis = matrix(model.py(), coriolis.nrows(), coriolis.as_slice());
    data.coriolis = coriolis.clone().into_any().unbind();
    Ok(coriolis)
}

/// The bias force (nv,), in data.nle too.
#[pyfunction]
#[pyo3(name = "nonLinearEffects")]
pub fn non_linear_effects<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Bound<'py, PyAny>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let (q, v) = motion(native, q, v)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let bias = native.model.bias(ws, &q, &v)?;
    let bias = as_vector(model.py(), bias);
    let still = vec![0.0; native.model.nv()];
    let state = State::new(&made, &q, &v, &still);
    data.late_motion(model.py(), state)?;
    data.nle = bias.clone().unbind();
    Ok(bias)
}

/// The mass matrix (nv, nv), in data.M too; by Convention.WORLD also what computeCentroidalMap
/// leaves.
#[pyfunction]
#[pyo3(signature = (model, data, q, convention=None))]
pub fn crba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    convention: Option<Value<'_, 'py>>,
) -> Outcome<Matrix<'py>> {
    if in_world(convention)? {
        compute_centroidal_map(model, data, q)?;
    }
    let made = ModelBase::native(model)?;
    let native = made.get();
    let q = configuration(native, q)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let mass = native.model.crba(ws, &q)?;
    let mass = matrix(model.py(), mass.nrows(), mass.as_slice());
    let state = Arc::new(State::new(&made, &q, &[], &[]));
    data.late.relative = Some(state.clone());
    data.late.inertia = Some(state);
    data.mass_matrix = mass.clone().into_any().unbind();
    Ok(mass)
}

/// The inverse of the mass matrix (nv, nv), in data.Minv too: (model, data[, q]); without, after
/// aba.
#[pyfunction]
#[pyo3(name = "computeMinverse", signature = (model, data, q=None))]
pub fn compute_minverse<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
) -> Outcome<Matrix<'py>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let mut data = data.borrow_mut();
    let q = given_or_last(&mut data, native, q, "aba")?;
    data.late.jacobian = Some(Arc::new(State::new(&made, &q, &[], &[])));
    let (ws, mut objects) = data.parts(native)?;
    let view = native.model.forward_kinematics(ws, &q)?;
    objects.place(&view)?;
    let inverse = native.model.mass_matrix_inverse(ws, &q)?;
    let inverse = matrix(model.py(), inverse.nrows(), inverse.as_slice());
    data.inverse = inverse.clone().into_any().unbind();
    Ok(inverse)
}

/// The joint forces (nv,) that hold the robot against gravity and external forces, in data.tau too.
#[pyfunction]
#[pyo3(name = "computeStaticTorque")]
pub fn compute_static_torque<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    fext: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let made = ModelBase::native(model)?;
    let native = made.get();
    let q = configuration(native, q)?;
    let forces = external(native, fext)?;
    let mut data = data.borrow_mut();
    let (ws, _) = data.parts(native)?;
    let tau = native.model.static_torque(ws, &q, &forces)?;
    let tau = PyArray1::from_slice(model.py(), tau);
    let still = vec![0.0; native.model.nv()];
    let mut state = State::new(&made, &q, &still, &still);
    state.forces = forces;
    let state = Arc::new(state);
    data.late.relative = Some(state.clone());
    data.late.motion = Some(state);
    data.tau = tau.clone().into_any().unbind();
    Ok(tau)
}

/// Everything that a controller asks for: M, nle, g, J, dJ, Ag, dAg, hg, dhg, com, vcom, Jcom,
/// energies, and the motion at zero acceleration: oMi, v, a, f.
#[pyfunction]
#[pyo3(name = "computeAllTerms")]
pub fn compute_all_terms<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<()> {
    let py = model.py();
    let native = ModelBase::native(model)?;
    let m = &native.get().model;
    center_of_mass(model, data, Some(q), Some(v), None, None)?;
    let (q, v) = motion(native.get(), q, v)?;
    let mut data = data.borrow_mut();
    let still = vec![0.0; m.nv()];
    let state = State::new(&native, &q, &v, &still);
    let state = Arc::new(state);
    data.late.motion = Some(state.clone());
    data.late_matrices(&state);
    data.late.map_rate = Some(state.clone());
    data.late.accelerations = Some(state);
    if data.accelerations.any {
        data.settle_velocities(py)?;
    }
    let (ws, objects) = data.parts(native.get())?;
    let terms = m.all_terms(ws, &q, &v)?;
    let mass = matrix(py, m.nv(), terms.mass_matrix().as_slice());
    let bias = as_vector(py, terms.bias());
    let gravity = as_vector(py, terms.gravity_torque());
    let map = matrix(py, 6, terms.centroidal_map()?.as_slice());
    let momentum = terms.centroidal_momentum()?;
    let center = terms.center_of_mass()?;
    // At zero acceleration less gravity, as Pinocchio has it.
    let mut drift = terms.centroidal_drift()?;
    drift.linear -= m.gravity() * m.total_mass();
    objects.masses[0] = m.total_mass();
    let share = objects.masses[0].recip();
    write_rows(
        objects.centers[0].bind(py),
        fill(objects.room, center),
        |i| i == 0,
    );
    // The linear rows of the momentum matrix are the mass times this Jacobian.
    let jacobian = filled(py, 3, m.nv(), |out| {
        let map = terms.centroidal_map().map_or(&[][..], |map| map.as_slice());
        for (to, column) in out.chunks_exact_mut(3).zip(map.chunks_exact(6)) {
            for (to, x) in to.iter_mut().zip(column) {
                *to = x * share;
            }
        }
    });
    let (kinetic, potential) = (terms.kinetic_energy(), terms.potential_energy());
    data.mass_matrix = mass.into_any().unbind();
    data.nle = bias.unbind();
    data.g = gravity.unbind();
    data.map = map.into_any().unbind();
    data.center_jacobian = jacobian.into_any().unbind();
    data.kinetic_energy = kinetic;
    data.potential_energy = potential;
    data.mechanical_energy = kinetic + potential;
    data.dhg = Py::new(py, Force::from_value(drift))?;
    set_momentum(py, &mut data, momentum)
}

/// The kinetic energy in J: (model, data[, q, v]); without, of data.v and without armature.
#[pyfunction]
#[pyo3(name = "computeKineticEnergy", signature = (model, data, q=None, v=None))]
pub fn compute_kinetic_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> Outcome<f64> {
    let energy = match (q, v) {
        (Some(q), Some(v)) => {
            let native = ModelBase::native(model)?;
            let native = native.get();
            let mut data = data.borrow_mut();
            move_joints(native, &mut data, q, Some(v), None)?;
            let (q, v) = motion(native, q, v)?;
            let (ws, _) = data.parts(native)?;
            native.model.kinetic_energy(ws, &q, &v)?
        }
        (None, None) => of_data(model.py(), "kineticEnergy", (model, data))?.extract()?,
        _ => {
            let text = "computeKineticEnergy takes q and v, or neither";
            return Err(PyTypeError::new_err(text).into());
        }
    };
    data.borrow_mut().kinetic_energy = energy;
    Ok(energy)
}

/// The potential energy of gravity in J: (model, data[, q]).
#[pyfunction]
#[pyo3(name = "computePotentialEnergy", signature = (model, data, q=None))]
pub fn compute_potential_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
) -> Outcome<f64> {
    let energy = match q {
        Some(q) => {
            let native = ModelBase::native(model)?;
            let native = native.get();
            let mut data = data.borrow_mut();
            move_joints(native, &mut data, q, None, None)?;
            let q = configuration(native, q)?;
            let (ws, _) = data.parts(native)?;
            native.model.potential_energy(ws, &q)?
        }
        None => of_data(model.py(), "potentialEnergy", (model, data))?.extract()?,
    };
    data.borrow_mut().potential_energy = energy;
    Ok(energy)
}

/// Kinetic and potential energy in J: (model, data[, q, v]).
#[pyfunction]
#[pyo3(name = "computeMechanicalEnergy", signature = (model, data, q=None, v=None))]
pub fn compute_mechanical_energy<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> PyResult<f64> {
    let potential = compute_potential_energy(model, data, q)?;
    let energy = compute_kinetic_energy(model, data, q, v)? + potential;
    data.borrow_mut().mechanical_energy = energy;
    Ok(energy)
}
