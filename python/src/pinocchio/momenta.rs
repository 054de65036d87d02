//! The momentum of the whole robot, its matrix and their rates.

use super::centers::{center_of_mass, check_mass, of_data};
use super::data::{DataBase, for_writing, matrix, write_rows};
use super::fields::Field;
use super::joints::move_joints;
use super::late::State;
use super::model::ModelBase;
use super::{D, M, Matrix, Value, configuration, motion, tangent};
use crate::array::Answer;
use crate::model::Model;
use crate::spatial::Force;
use crate::states::Outcome;
use featherline::spatial as core;
use pyo3::prelude::*;
use std::sync::Arc;

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
    centroidal(model.py(), &native, &mut *for_writing(data)?, q, Some(&v))
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
    centroidal(model.py(), &native, &mut *for_writing(data)?, q, None)
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
    data.fields.leave(&[Field::J, Field::Inertia], &state);
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
    data.set(Field::Ag, array.clone().into_any());
    Ok(array)
}

/// Room of one point.
pub(super) fn fill(room: &mut super::data::Room, first: core::Vec3<f64>) -> &[core::Vec3<f64>] {
    room.points[0] = first;
    &room.points
}

/// Leaves a momentum, and the velocity of the centre of mass that follows.
pub(super) fn set_momentum(
    py: Python<'_>,
    data: &mut DataBase,
    momentum: core::Force<f64>,
) -> Outcome<()> {
    check_mass(data)?;
    data.hg = Py::new(py, Force::from_value(momentum))?;
    data.room.points[0] = momentum.linear * data.masses[0].recip();
    write_rows(data.centers[1].bind(py), &data.room.points, |i| i == 0);
    Ok(())
}

/// The centroidal momentum, in data.hg too: (model, data[, q, v]).
#[pyfunction]
#[pyo3(name = "computeCentroidalMomentum", signature = (model, data, q=None, v=None))]
pub fn compute_centroidal_momentum<'py>(
    model: M<'_, 'py>,
    data: D<'_, 'py>,
    q: Option<Value<'_, 'py>>,
    v: Option<Value<'_, 'py>>,
) -> Answer<'py> {
    let py = model.py();
    let (Some(q), Some(v)) = (q, v) else {
        return of_data(py, "centroidalMomentum", (model, data));
    };
    let native = ModelBase::native(model)?;
    center_of_mass(model, data, Some(q), None, None, None, None)?;
    let mut data = for_writing(data)?;
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
    data.fields.leave(&[Field::Inertia], &Arc::new(state));
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
    center_of_mass(model, data, Some(q), None, None, None, None)?;
    let mut data = for_writing(data)?;
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
) -> Outcome<Bound<'py, PyAny>> {
    let py = model.py();
    ccrba(model, data, q, v)?;
    let native = ModelBase::native(model)?;
    let mut of = for_writing(data)?;
    move_joints(native.get(), &mut of, q, Some(v), None)?;
    let (q, v) = motion(native.get(), q, v)?;
    let state = Arc::new(State::new(&native, &q, &v, &[]));
    of.fields
        .leave(&[Field::J, Field::DJ, Field::Inertia, Field::DAg], &state);
    of.read(py, Field::DAg)
}
