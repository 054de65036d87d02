//! How configurations move and differ.

use super::data::{array, vector};
use super::model::ModelBase;
use super::{M, Matrix, Value, Vector, configuration, state, tangent};
use crate::states::Outcome;
use featherline::configuration as core;
use featherline::scalar::Dual;
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// The configuration (nq,) that is reached from q with v in one second.
#[pyfunction]
pub fn integrate<'py>(
    model: M<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let native = ModelBase::structure(model)?;
    let native = native.get();
    let (q, v) = (configuration(native, q)?, tangent(native, "v", v)?);
    let model_of = &native.model;
    vector(model.py(), model_of.nq(), |out| {
        core::integrate_into(model_of, &q, &v, out)
    })
}

/// The velocity (nv,) that leads from q1 to q2 in one second.
#[pyfunction]
pub fn difference<'py>(
    model: M<'_, 'py>,
    q1: Value<'_, 'py>,
    q2: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
    vector(model.py(), m.nv(), |out| {
        core::difference_into(m, &q1, &q2, out)
    })
}

/// The configuration (nq,) on the shortest way from q1 (alpha = 0) to q2 (alpha = 1).
#[pyfunction]
pub fn interpolate<'py>(
    model: M<'_, 'py>,
    q1: Value<'_, 'py>,
    q2: Value<'_, 'py>,
    alpha: f64,
) -> Outcome<Vector<'py>> {
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
    vector(model.py(), m.nq(), |out| {
        core::interpolate_into(m, &q1, &q2, alpha, out)
    })
}

/// The neutral configuration (nq,).
#[pyfunction]
pub fn neutral<'py>(model: M<'_, 'py>) -> Outcome<Vector<'py>> {
    let native = ModelBase::structure(model)?;
    let q: Vec<f64> = native.get().model.neutral_configuration();
    Ok(PyArray1::from_slice(model.py(), &q))
}

/// The norm of the difference.
#[pyfunction]
pub fn distance(model: M<'_, '_>, q1: Value<'_, '_>, q2: Value<'_, '_>) -> Outcome<f64> {
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
    Ok(m.distance(&q1, &q2)?)
}

/// The squared norm of each joint's part of the difference (njoints - 1,).
#[pyfunction]
#[pyo3(name = "squaredDistance")]
pub fn squared_distance<'py>(
    model: M<'_, 'py>,
    q1: Value<'_, 'py>,
    q2: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let velocity = difference(model, q1, q2)?;
    let native = ModelBase::structure(model)?;
    let joints = &native.get().model.joints()[1..];
    let velocity = velocity.readonly();
    let entries = velocity.as_slice().map_err(PyErr::from)?;
    vector(model.py(), joints.len(), |out| {
        for (out, joint) in out.iter_mut().zip(joints) {
            let own = &entries[joint.idx_v..joint.idx_v + joint.nv];
            *out = own.iter().map(|x| x * x).sum();
        }
        Ok(())
    })
}

/// The configuration with quaternions and pairs (cos, sin) of length one.
#[pyfunction]
pub fn normalize<'py>(model: M<'_, 'py>, q: Value<'_, 'py>) -> Outcome<Vector<'py>> {
    let native = ModelBase::structure(model)?;
    let q = configuration(native.get(), q)?;
    let m = &native.get().model;
    vector(model.py(), m.nq(), |out| {
        out.copy_from_slice(&q);
        m.normalise(out)
    })
}

/// The matrix (nq, nv) whose product with a small velocity is the change of q.
#[pyfunction]
#[pyo3(name = "tangentMap")]
pub fn tangent_map<'py>(model: M<'_, 'py>, q: Value<'_, 'py>) -> Outcome<Matrix<'py>> {
    type S = Dual<f64, 1>;
    let native = ModelBase::structure(model)?;
    let m = &native.get().model;
    let q = configuration(native.get(), q)?;
    let mut out = DMatrix::zeros(m.nq(), m.nv());
    for joint in &m.joints()[1..] {
        let entries = joint.idx_q..joint.idx_q + joint.nq;
        let own: Vec<S> = q[entries].iter().map(|&x| S::fixed(x)).collect();
        let (mut step, mut moved) = (vec![S::fixed(0.0); joint.nv], own.clone());
        for k in 0..joint.nv {
            step[k] = S::variable(0.0, 0);
            joint.kind.integrate(&own, &step, &mut moved);
            step[k] = S::fixed(0.0);
            for (row, x) in moved.iter().enumerate() {
                out[(joint.idx_q + row, joint.idx_v + k)] = x.tangent[0];
            }
        }
    }
    Ok(array(model.py(), &out))
}
