//! Centres of mass of what a caller's lists of spatial objects say.

use crate::spatial::{Inertia, Motion, SE3};
use featherline::spatial;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

/// An entry of a list that holds spatial objects of one kind.
fn entry<'py, T: pyo3::PyTypeInfo>(
    list: &Bound<'py, PyList>,
    index: usize,
) -> PyResult<Bound<'py, T>> {
    let item = list.get_item(index)?;
    item.cast_into::<T>()
        .map_err(|e| PyTypeError::new_err(e.to_string()))
}

/// Whether parents come before children.
fn check_parents(parents: &[usize]) -> PyResult<()> {
    let mut all = parents.iter().enumerate().skip(1);
    match all.find(|&(i, &parent)| parent >= i) {
        Some((i, _)) => Err(PyValueError::new_err(format!(
            "the parent of {i} must come before it"
        ))),
        None => Ok(()),
    }
}

/// Writes masses of subtrees, and the positions, velocities and accelerations of their centres, as
/// many of these as there are lists in `out`: the whole's in the world, those of joints' subtrees
/// in the joints' axes, if they are asked for.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn _centers(
    py: Python<'_>,
    inertias: &Bound<'_, PyList>,
    parents: Vec<usize>,
    placements: &Bound<'_, PyList>,
    velocities: &Bound<'_, PyList>,
    accelerations: &Bound<'_, PyList>,
    subtrees: bool,
    masses: &Bound<'_, PyList>,
    out: Vec<Bound<'_, PyList>>,
) -> PyResult<()> {
    check_parents(&parents)?;
    let n = parents.len();
    let mut mass = vec![0.0; n];
    let mut sums = vec![[spatial::Vec3::zero(); 3]; n];
    for (i, &parent) in parents.iter().enumerate().skip(1).rev() {
        let body = entry::<Inertia>(inertias, i)?.get().value();
        let placement = entry::<SE3>(placements, i)?.get().value();
        let (m, r) = (body.mass, body.com);
        mass[i] += m;
        sums[i][0] += placement.act_point(r) * m;
        if out.len() > 1 {
            // v + ω × r, and a + α × r + ω × (v + ω × r).
            let v = entry::<Motion>(velocities, i)?.get().value();
            let velocity = v.linear + v.angular.cross(r);
            sums[i][1] += placement.rotation * velocity * m;
            if out.len() > 2 {
                let a = entry::<Motion>(accelerations, i)?.get().value();
                let acceleration = a.linear + a.angular.cross(r) + v.angular.cross(velocity);
                sums[i][2] += placement.rotation * acceleration * m;
            }
        }
        mass[parent] += mass[i];
        let own = sums[i];
        for (sum, part) in sums[parent].iter_mut().zip(own) {
            *sum += part;
        }
    }
    for i in 0..n {
        masses.set_item(i, mass[i])?;
        if mass[i] == 0.0 || (i > 0 && !subtrees) {
            continue;
        }
        let placement = entry::<SE3>(placements, i)?.get().value();
        for (k, list) in out.iter().enumerate().take(3) {
            let center = sums[i][k] * (1.0 / mass[i]);
            let center = match (i, k) {
                (0, _) => center,
                (_, 0) => placement.inverse_act_point(center),
                _ => placement.rotation.tr_mul_vec(center),
            };
            list.set_item(i, numpy::PyArray1::from_slice(py, &center.to_array()))?;
        }
    }
    Ok(())
}
