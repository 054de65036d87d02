//! Dynamics, energies, momenta and centres of mass of the whole robot.

use super::data::{DataBase, filled, matrix, write_rows};
use super::joints::{given_or_last, joint_id, move_joints};
use super::kernels;
use super::late::State;
use super::model::ModelBase;
use super::{D, M, Matrix, Value, Vector, configuration, in_world, motion, tangent};
use crate::model::Model;
use crate::spatial::Force;
use crate::states::Outcome;
use featherline::dynamics::DynamicsOptions;
use featherline::spatial as core;
use nalgebra::DMatrixViewMut;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
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

/// What is computed of a state that a caller gave elsewhere, from what `Data` holds.
fn of_data<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "featherline.pinocchio.of_data"))?
        .getattr(name)?
        .call1(arguments)
}

/// The centre of mass (3,): (model, data, q[, v[, a]][, compute_subtree_coms]).
#[pyfunction]
#[pyo3(name = "centerOfMass", signature = (model, data, q=None, v=None, a=None, compute_subtree_coms=None))]
pub fn center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
    a: Option<Value<'_, 'py>>,
    compute_subtree_coms: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = model.py();
    // The flag may be the last positional argument.
    let mut flag = compute_subtree_coms;
    let mut states = [q, v, a];
    for state in &mut states {
        if let Some(value) = state.filter(|value| value.is_instance_of::<PyBool>()) {
            flag = Some(value);
            *state = None;
        }
    }
    let subtrees = super::flag("compute_subtree_coms", flag)?;
    let [Some(q), v, a] = states else {
        return Ok(of_data(py, "centerOfMass", (model, data, 2, subtrees))?);
    };
    if let Ok(level) = q.extract::<u8>() {
        if v.is_some() || a.is_some() {
            let text = "centerOfMass of a kinematic level takes compute_subtree_coms alone";
            return Err(PyTypeError::new_err(text).into());
        }
        return Ok(of_data(py, "centerOfMass", (model, data, level, subtrees))?);
    }
    let native = ModelBase::native(model)?;
    let native = native.get();
    let m = &native.model;
    let mut data = data.borrow_mut();
    let q = configuration(native, q)?;
    let v = v.map(|v| tangent(native, "v", v)).transpose()?;
    let a = a.map(|a| tangent(native, "a", a)).transpose()?;
    data.remember(&q);
    let (ws, mut objects) = data.parts(native)?;
    let chosen = |i: usize| i == 0 || subtrees;
    // Subtrees' centres have the axes and origins of their joints.
    macro_rules! write {
        ($k:literal, $view:ident, $method:ident) => {{
            $view.$method(objects.masses, &mut objects.room.points)?;
            let room = &mut *objects.room;
            if subtrees {
                kernels::to_joints(objects.joints.values(), &mut room.points, $k == 0);
            }
            let masses = &*objects.masses;
            write_rows(objects.centers[$k].bind(py), &room.points, |i| {
                chosen(i) && masses[i] != 0.0
            });
        }};
    }
    let q = &q;
    match (&v, &a) {
        (None, _) => {
            let view = m.forward_kinematics(ws, q)?;
            objects.place(&view)?;
            write!(0, view, subtree_centers_of_mass_into);
        }
        (Some(v), None) => {
            let view = m.forward_kinematics_velocities(ws, q, v)?;
            objects.place(&view)?;
            objects.move_(&view)?;
            write!(0, view, subtree_centers_of_mass_into);
            write!(1, view, subtree_center_of_mass_velocities_into);
        }
        (Some(v), Some(a)) => {
            let view = m.forward_kinematics_accelerations(ws, q, v, a)?;
            objects.place(&view)?;
            objects.move_(&view)?;
            objects.accelerate(&view)?;
            write!(0, view, subtree_centers_of_mass_into);
            write!(1, view, subtree_center_of_mass_velocities_into);
            write!(2, view, subtree_center_of_mass_accelerations_into);
        }
    }
    if let Some(v) = &v {
        data.remember_center(q, v);
    }
    Ok(first_center(py, &data))
}

/// A copy of the whole robot's centre of mass.
#[expect(unsafe_code)]
fn first_center<'py>(py: Python<'py>, data: &DataBase) -> Bound<'py, PyAny> {
    let rows = data.centers[0].bind(py);
    // SAFETY: the array has at least one row of three numbers; the interpreter's lock is held.
    let first = unsafe { std::slice::from_raw_parts(rows.data(), 3) };
    PyArray1::from_slice(py, first).into_any()
}

fn check_mass(data: &DataBase) -> PyResult<()> {
    match data.masses.first() {
        Some(&mass) if mass != 0.0 => Ok(()),
        _ => Err(PyValueError::new_err(
            "the model has no mass, and no centre of mass",
        )),
    }
}

/// The Jacobian (3, nv) of the centre of mass, in data.Jcom too:
/// (model, data[, q][, compute_subtree_coms]).
#[pyfunction]
#[pyo3(name = "jacobianCenterOfMass", signature = (model, data, q=None, compute_subtree_coms=None))]
pub fn jacobian_center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    compute_subtree_coms: Option<Value<'_, 'py>>,
) -> Outcome<Matrix<'py>> {
    let py = model.py();
    let (q, flag) = match q {
        Some(flag) if flag.is_instance_of::<PyBool>() => (None, Some(flag)),
        q => (q, compute_subtree_coms),
    };
    let subtrees = super::flag("compute_subtree_coms", flag)?;
    let native = ModelBase::native(model)?;
    let mut data = data.borrow_mut();
    let q = given_or_last(&mut data, native.get(), q, "forwardKinematics")?;
    data.late.jacobian = Some(Arc::new(State::new(&native, &q, &[], &[])));
    let m = &native.get().model;
    let (ws, mut objects) = data.parts(native.get())?;
    let centers = m.centers_of_mass(ws, &q)?;
    objects.place(&centers)?;
    centers.subtree_centers_of_mass_into(objects.masses, &mut objects.room.points)?;
    let masses = &*objects.masses;
    write_rows(objects.centers[0].bind(py), &objects.room.points, |i| {
        masses[i] != 0.0 && (i == 0 || subtrees)
    });
    let mut done = Ok(());
    let jacobian = filled(py, 3, m.nv(), |out| {
        done = centers.center_of_mass_jacobian_into(DMatrixViewMut::from_slice(out, 3, m.nv()));
    });
    done?;
    data.center_jacobian = jacobian.clone().into_any().unbind();
    Ok(jacobian)
}

/// The Jacobian (3, nv) of the centre of mass of a subtree.
#[pyfunction]
#[pyo3(name = "jacobianSubtreeCenterOfMass", signature = (model, data, q, root_joint_id=None))]
pub fn jacobian_subtree_center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    root_joint_id: Option<usize>,
) -> Outcome<Matrix<'py>> {
    let Some(root) = root_joint_id else {
        return get_jacobian_subtree_center_of_mass(model, data, q.extract()?);
    };
    let native = ModelBase::native(model)?;
    let mut data = data.borrow_mut();
    let q = given_or_last(&mut data, native.get(), Some(q), "")?;
    data.late.jacobian = Some(Arc::new(State::new(&native, &q, &[], &[])));
    of_subtree(model.py(), native.get(), &mut data, &q, root)
}

/// The Jacobian (3, nv) of the centre of mass of a subtree, after jacobianCenterOfMass.
#[pyfunction]
#[pyo3(name = "getJacobianSubtreeCenterOfMass")]
pub fn get_jacobian_subtree_center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    subtree_root_joint_id: usize,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let mut data = data.borrow_mut();
    let q = given_or_last(&mut data, native.get(), None, "jacobianCenterOfMass")?;
    of_subtree(
        model.py(),
        native.get(),
        &mut data,
        &q,
        subtree_root_joint_id,
    )
}

fn of_subtree<'py>(
    py: Python<'py>,
    native: &Model,
    data: &mut DataBase,
    q: &[f64],
    root: usize,
) -> Outcome<Matrix<'py>> {
    let m = &native.model;
    let root = joint_id(m, root)?;
    let (ws, mut objects) = data.parts(native)?;
    let centers = m.centers_of_mass(ws, q)?;
    objects.place(&centers)?;
    let mut done = Ok(());
    let jacobian = filled(py, 3, m.nv(), |out| {
        let out = DMatrixViewMut::from_slice(out, 3, m.nv());
        done = centers.subtree_center_of_mass_jacobian_into(root, out);
    });
    done?;
    Ok(jacobian)
}

/// The centroidal momentum matrix (6, nv), in data.Ag too, and data.hg, data.Ig, data.com.
#[pyfunction]
pub fn ccrba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    let v = tangent(native.get(), "v", v)?;
    centroidal(model.py(), &native, &mut data.borrow_mut(), q, Some(&v))
}

/// The centroidal momentum matrix (6, nv), in data.Ag too.
#[pyfunction]
#[pyo3(name = "computeCentroidalMap")]
pub fn compute_centroidal_map<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
) -> Outcome<Matrix<'py>> {
    let native = ModelBase::native(model)?;
    centroidal(model.py(), &native, &mut data.borrow_mut(), q, None)
}

fn centroidal<'py>(
    py: Python<'py>,
    native: &Bound<'py, Model>,
    data: &mut DataBase,
    q: Value<'_, 'py>,
    v: Option<&[f64]>,
) -> Outcome<Matrix<'py>> {
    let m = &native.get().model;
    let q = configuration(native.get(), q)?;
    data.remember(&q);
    let state = Arc::new(State::new(native, &q, v.unwrap_or(&[]), &[]));
    data.late.jacobian = Some(state.clone());
    data.late.inertia = Some(state);
    let (ws, mut objects) = data.parts(native.get())?;
    let view = m.forward_kinematics(ws, &q)?;
    objects.place(&view)?;
    let center = view.center_of_mass()?;
    objects.masses[0] = m.total_mass();
    write_rows(
        objects.centers[0].bind(py),
        fill(objects.room, center),
        |i| i == 0,
    );
    let map = m.centroidal_map(ws, &q)?.as_slice();
    let array = matrix(py, 6, map);
    if let Some(v) = v {
        let mut momentum = [0.0; 6];
        for (column, v) in map.chunks_exact(6).zip(v) {
            for (to, x) in momentum.iter_mut().zip(column) {
                *to += x * v;
            }
        }
        set_momentum(py, data, core::Force::from_array(momentum))?;
    }
    data.map = array.clone().into_any().unbind();
    Ok(array)
}

/// Room of one point.
fn fill(room: &mut super::data::Room, first: core::Vec3<f64>) -> &[core::Vec3<f64>] {
    room.points[0] = first;
    &room.points
}

/// Leaves a momentum, and the velocity of the centre of mass that follows.
fn set_momentum(py: Python<'_>, data: &mut DataBase, momentum: core::Force<f64>) -> Outcome<()> {
    check_mass(data)?;
    data.hg = Py::new(py, Force::from_value(momentum))?;
    data.room.points[0] = momentum.linear * data.masses[0].recip();
    write_rows(data.centers[1].bind(py), &data.room.points, |i| i == 0);
    Ok(())
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

/// The centroidal momentum, in data.hg too: (model, data[, q, v]).
#[pyfunction]
#[pyo3(name = "computeCentroidalMomentum", signature = (model, data, q=None, v=None))]
pub fn compute_centroidal_momentum<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    let (Some(q), Some(v)) = (q, v) else {
        return of_data(py, "centroidalMomentum", (model, data));
    };
    let native = ModelBase::native(model)?;
    center_of_mass(model, data, Some(q), None, None, None)?;
    let mut data = data.borrow_mut();
    move_joints(native.get(), &mut data, q, Some(v), None)?;
    momentum(py, &native, &mut data, q, v)?;
    Ok(data.hg.bind(py).clone().into_any())
}

fn momentum<'py>(
    py: Python<'py>,
    native: &Bound<'py, Model>,
    data: &mut DataBase,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<()> {
    let m = &native.get().model;
    let (q, v) = motion(native.get(), q, v)?;
    let state = State::new(native, &q, &v, &[]);
    data.late.inertia = Some(Arc::new(state));
    let (ws, _) = data.parts(native.get())?;
    let momentum = m.centroidal_momentum(ws, &q, &v)?;
    set_momentum(py, data, momentum)
}

/// The rate of the centroidal momentum, in data.dhg too: (model, data[, q, v, a]).
#[pyfunction]
#[pyo3(name = "computeCentroidalMomentumTimeVariation", signature = (model, data, q=None, v=None, a=None))]
pub fn compute_centroidal_momentum_time_variation<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
    a: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = model.py();
    let (Some(q), Some(v), Some(a)) = (q, v, a) else {
        return Ok(of_data(py, "centroidalMomentumRate", (model, data))?);
    };
    let native = ModelBase::native(model)?;
    let m = &native.get().model;
    center_of_mass(model, data, Some(q), None, None, None)?;
    let mut data = data.borrow_mut();
    move_joints(native.get(), &mut data, q, Some(v), Some(a))?;
    momentum(py, &native, &mut data, q, v)?;
    let (q, v) = motion(native.get(), q, v)?;
    let a = tangent(native.get(), "a", a)?;
    let (ws, _) = data.parts(native.get())?;
    let rate = m.centroidal_momentum_rate(ws, &q, &v, &a)?;
    let rate = Bound::new(py, Force::from_value(rate))?;
    data.dhg = rate.clone().unbind();
    Ok(rate.into_any())
}

/// The rate (6, nv) of the centroidal momentum matrix, in data.dAg too, and what ccrba gives.
#[pyfunction]
pub fn dccrba<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = model.py();
    ccrba(model, data, q, v)?;
    let native = ModelBase::native(model)?;
    let mut of = data.borrow_mut();
    move_joints(native.get(), &mut of, q, Some(v), None)?;
    let (q, v) = motion(native.get(), q, v)?;
    let state = Arc::new(State::new(&native, &q, &v, &[]));
    of.late_matrices(&state);
    of.late.map_rate = Some(state);
    drop(of);
    data.getattr(intern!(py, "dAg"))
}
