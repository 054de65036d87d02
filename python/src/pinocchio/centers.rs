//! Centres of mass and their Jacobians.

use super::data::{DataBase, filled, for_writing, write_rows};
use super::fields::Field;
use super::joints::{given_or_last, joint_id};
use super::kernels;
use super::late::State;
use super::model::ModelBase;
use super::{D, M, Matrix, Value, configuration, tangent};
use crate::array::Answer;
use crate::model::Model;
use crate::states::Outcome;
use nalgebra::DMatrixViewMut;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use std::sync::Arc;

/// A quantity of a state that a caller gave elsewhere, from the contents of `Data`.
pub(super) fn of_data<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> Answer<'py> {
    py.import(intern!(py, "featherline.pinocchio.of_data"))?
        .getattr(name)?
        .call1(arguments)
}

/// The centre of mass (3,): (model, data, q[, v[, a]][, compute_subtree_coms]), or of the contents
/// of data: (model, data[, kinematic_level][, compute_subtree_coms]).
#[pyfunction]
#[pyo3(name = "centerOfMass", signature = (model, data, q=None, v=None, a=None, compute_subtree_coms=None, *, kinematic_level=None))]
pub fn center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
    a: Option<Value<'_, 'py>>,
    compute_subtree_coms: Option<Value<'_, 'py>>,
    kinematic_level: Option<Value<'_, 'py>>,
) -> Outcome<Bound<'py, PyAny>> {
    let py = model.py();
    if q.is_some() && kinematic_level.is_some() {
        let text = "centerOfMass takes q or kinematic_level, not both";
        return Err(PyTypeError::new_err(text).into());
    }
    // The flag may be the last positional argument.
    let mut flag = compute_subtree_coms;
    let mut states = [q.or(kinematic_level), v, a];
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
    let made = ModelBase::native(model)?;
    let native = made.get();
    let m = &native.model;
    let mut data = for_writing(data)?;
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
        let state = State::new(&made, q, v, &[]);
        data.fields.leave(&[Field::CenterMotion], &Arc::new(state));
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

pub(super) fn check_mass(data: &DataBase) -> PyResult<()> {
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
    let mut data = for_writing(data)?;
    let q = given_or_last(&data, native.get(), q, "forwardKinematics")?;
    data.remember(&q);
    let state = State::new(&native, &q, &[], &[]);
    data.fields.leave(&[Field::J], &Arc::new(state));
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
    data.set(Field::Jcom, jacobian.clone().into_any());
    Ok(jacobian)
}

/// The Jacobian (3, nv) of the centre of mass of a subtree.
#[pyfunction]
#[pyo3(name = "jacobianSubtreeCenterOfMass", signature = (model, data, q=None, subtree_root_joint_id=None))]
pub fn jacobian_subtree_center_of_mass<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    subtree_root_joint_id: Option<usize>,
) -> Outcome<Matrix<'py>> {
    let (q, root) = match (q, subtree_root_joint_id) {
        (Some(q), Some(root)) => (q, root),
        (None, Some(root)) => return get_jacobian_subtree_center_of_mass(model, data, root),
        (Some(root), None) => {
            return get_jacobian_subtree_center_of_mass(model, data, root.extract()?);
        }
        (None, None) => {
            let text = "jacobianSubtreeCenterOfMass: subtree_root_joint_id is missing";
            return Err(PyTypeError::new_err(text).into());
        }
    };
    let native = ModelBase::native(model)?;
    let mut data = for_writing(data)?;
    let q = given_or_last(&data, native.get(), Some(q), "")?;
    data.remember(&q);
    let state = State::new(&native, &q, &[], &[]);
    data.fields.leave(&[Field::J], &Arc::new(state));
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
    let mut data = for_writing(data)?;
    let q = given_or_last(&data, native.get(), None, "jacobianCenterOfMass")?;
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
