//! How configurations move and differ.

use super::data::{array, vector};
use super::model::ModelBase;
use super::{M, Matrix, Value, Vector, configuration, state, tangent};
use crate::states::Outcome;
use featherline::configuration as core;
use featherline::joint::JointKind;
use featherline::scalar::Dual;
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// The answer of a function; where it refused a configuration, that of the function of a name in
/// `featherline.pinocchio.singular`, which answers as Pinocchio does, unless this is None.
fn or_singular<'py, T>(
    model: M<'_, 'py>,
    name: &str,
    arguments: impl PyCallArgs<'py>,
    found: Outcome<T>,
) -> Outcome<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    let Err(failure) = found else {
        return found;
    };
    let singular = model.py().import("featherline.pinocchio.singular")?;
    let answer = singular.getattr(name)?.call1(arguments)?;
    if answer.is_none() {
        return Err(failure);
    }
    Ok(answer.extract().map_err(Into::<PyErr>::into)?)
}

/// The configuration (nq,) that is reached from q with v in one second. The quaternion of a free
/// flyer has the sign that is nearer to that of q, as in Pinocchio.
#[pyfunction]
pub fn integrate<'py>(
    model: M<'_, 'py>,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let reach = || {
        let native = ModelBase::structure(model)?;
        let native = native.get();
        let model_of = &native.model;
        let (q, v) = (state("q", q, model_of.nq())?, tangent(native, "v", v)?);
        vector(model.py(), model_of.nq(), |out| {
            core::integrate_into(model_of, &q, &v, out)?;
            for joint in model_of.joints() {
                if joint.kind == JointKind::FreeFlyer {
                    let entries = joint.idx_q + 3..joint.idx_q + 7;
                    let (from, to) = (&q[entries.clone()], &mut out[entries]);
                    if from.iter().zip(&*to).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                        to.iter_mut().for_each(|entry| *entry = -*entry);
                    }
                }
            }
            Ok(())
        })
    };
    or_singular(model, "integrate", (model, q, v), reach())
}

/// The velocity (nv,) that leads from q1 to q2 in one second.
#[pyfunction]
pub fn difference<'py>(
    model: M<'_, 'py>,
    q1: Value<'_, 'py>,
    q2: Value<'_, 'py>,
) -> Outcome<Vector<'py>> {
    let find = || {
        let native = ModelBase::structure(model)?;
        let m = &native.get().model;
        let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
        vector(model.py(), m.nv(), |out| {
            core::difference_into(m, &q1, &q2, out)
        })
    };
    or_singular(model, "difference", (model, q1, q2), find())
}

/// The configuration (nq,) on the shortest way from q1 (alpha = 0) to q2 (alpha = 1).
#[pyfunction]
pub fn interpolate<'py>(
    model: M<'_, 'py>,
    q1: Value<'_, 'py>,
    q2: Value<'_, 'py>,
    alpha: f64,
) -> Outcome<Vector<'py>> {
    let find = || {
        let native = ModelBase::structure(model)?;
        let m = &native.get().model;
        let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
        vector(model.py(), m.nq(), |out| {
            core::interpolate_into(m, &q1, &q2, alpha, out)
        })
    };
    or_singular(model, "interpolate", (model, q1, q2, alpha), find())
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
    let find = || {
        let native = ModelBase::structure(model)?;
        let m = &native.get().model;
        let (q1, q2) = (state("q1", q1, m.nq())?, state("q2", q2, m.nq())?);
        Ok(m.distance(&q1, &q2)?)
    };
    or_singular(model, "distance", (model, q1, q2), find())
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
    let find = || {
        let native = ModelBase::structure(model)?;
        let m = &native.get().model;
        let q = state("q", q, m.nq())?;
        vector(model.py(), m.nq(), |out| {
            out.copy_from_slice(&q);
            m.normalise(out)
        })
    };
    or_singular(model, "normalize", (model, q), find())
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
