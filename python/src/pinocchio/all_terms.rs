//! All terms of the equations of motion in one call.

use super::centers::center_of_mass;
use super::data::{for_writing, write_rows};
use super::fields::{ALL_TERMS, Field};
use super::late::State;
use super::model::ModelBase;
use super::momenta::{fill, set_momentum};
use super::{D, M, Value, motion};
use crate::spatial::Force;
use crate::states::Outcome;
use featherline::spatial as core;
use pyo3::prelude::*;
use std::sync::Arc;

/// The fields that are computed when they are read.
const LEAVES: &[Field] = &[
    Field::Accelerations,
    Field::Motion,
    Field::J,
    Field::DJ,
    Field::DAg,
    Field::Jcom,
    Field::Inertia,
];

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
    center_of_mass(model, data, Some(q), Some(v), None, None, None)?;
    let (q, v) = motion(native.get(), q, v)?;
    let mut data = for_writing(data)?;
    let state = Arc::new(State::new(&native, &q, &v, &[]));
    let results = data.run(py, &ALL_TERMS, &state)?;
    data.set_all(&ALL_TERMS, &results);
    let six = |result: usize| PyResult::Ok(core::Force::from_array(results[result].extract()?));
    let (momentum, mut drift) = (six(4)?, six(5)?);
    let [x, y, z]: [f64; 3] = results[6].extract()?;
    // At zero acceleration less gravity, as Pinocchio has it.
    drift.linear -= m.gravity() * m.total_mass();
    data.dhg = Py::new(py, Force::from_value(drift))?;
    let (_, objects) = data.parts(native.get())?;
    objects.masses[0] = m.total_mass();
    let center = fill(objects.room, core::Vec3::new(x, y, z));
    write_rows(objects.centers[0].bind(py), center, |i| i == 0);
    let energy = results[7].add(&results[8])?;
    data.set(Field::MechanicalEnergy, energy);
    data.leave(py, LEAVES, &state)?;
    set_momentum(py, &mut data, momentum)
}
