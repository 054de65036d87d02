//! Functions with Pinocchio's names, on models and data that Python classes extend.
//!
//! A call is one native call: arrays and spatial objects that programs read afterwards are written
//! here, without a loop in Python.

// Layers, bottom to top: explog, kernels, model; data, fields, late, object_list, world_columns;
// joints; motion_derivatives, body_regressors; centers; momenta; all_terms, calls,
// centroidal_derivatives. collisions needs data, joints and model; configuration data and model.
pub mod all_terms;
pub mod body_regressors;
pub mod calls;
pub mod centers;
pub mod centroidal_derivatives;
pub mod collisions;
pub mod configuration;
pub mod data;
pub mod explog;
mod fields;
pub mod joints;
mod kernels;
pub mod late;
pub mod model;
pub mod momenta;
pub mod motion_derivatives;
mod object_list;
mod world_columns;

use crate::array::{Argument, Numbers};
use crate::model::Model;
use featherline::kinematics::ReferenceFrame;
use numpy::{PyArray1, PyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

type Value<'a, 'py> = &'a Bound<'py, PyAny>;
type M<'a, 'py> = &'a Bound<'py, model::ModelBase>;
type D<'a, 'py> = &'a Bound<'py, data::DataBase>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;
type Vector<'py> = Bound<'py, PyArray1<f64>>;

/// The numbers of an argument of one state.
fn state<'py>(
    name: &'static str,
    value: Value<'_, 'py>,
    width: usize,
) -> PyResult<Numbers<'py, f64>> {
    if let Ok(array) = value.cast::<PyUntypedArray>()
        && array.ndim() != 1
    {
        // A column or a row serves as a vector, too.
        if !matches!(*array.shape(), [_, 1] | [1, _]) {
            return Err(PyTypeError::new_err(format!(
                "{name} has {} dimensions, where a vector ({width},) is expected",
                array.ndim()
            )));
        }
        let value = &value.call_method0(intern!(value.py(), "ravel"))?;
        return Numbers::read_one(&Argument { name, value, width });
    }
    Numbers::read_one(&Argument { name, value, width })
}

/// A flag.
fn flag(name: &str, value: Option<Value<'_, '_>>) -> PyResult<bool> {
    value.map_or(Ok(true), |value| {
        value
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("{name} must be True or False")))
    })
}

/// A configuration. Quaternions of length zero stand for no rotation, as in Pinocchio.
fn configuration<'py>(model: &Model, value: Value<'_, 'py>) -> PyResult<Numbers<'py, f64>> {
    let width = model.model.nq();
    let q = state("q", value, width)?;
    let is_zero = |first: &usize| q[*first..first + 4] == [0.0; 4];
    if !model.quaternions.iter().any(is_zero) {
        return Ok(q);
    }
    let mut numbers = q.to_vec();
    for first in model.quaternions.iter().filter(|first| is_zero(first)) {
        numbers[first + 3] = 1.0;
    }
    let value = PyArray1::from_vec(value.py(), numbers).into_any();
    state("q", &value, width)
}

/// Fails for a model of which a joint moves with another, as Pinocchio does.
fn refuse_mimic_joints(m: &featherline::Model, function: &str) -> PyResult<()> {
    match m.has_mimic_joints() {
        false => Ok(()),
        true => Err(PyRuntimeError::new_err(format!(
            "{function} does not support mimic joints"
        ))),
    }
}

fn tangent<'py>(
    model: &Model,
    name: &'static str,
    value: Value<'_, 'py>,
) -> PyResult<Numbers<'py, f64>> {
    state(name, value, model.model.nv())
}

/// A configuration and a velocity.
fn motion<'py>(
    model: &Model,
    q: Value<'_, 'py>,
    v: Value<'_, 'py>,
) -> PyResult<(Numbers<'py, f64>, Numbers<'py, f64>)> {
    Ok((configuration(model, q)?, tangent(model, "v", v)?))
}

/// The coordinates that a member of `ReferenceFrame` names.
fn reference(value: Option<Value<'_, '_>>) -> PyResult<ReferenceFrame> {
    let Some(value) = value else {
        return Ok(ReferenceFrame::Local);
    };
    match value.extract::<u8>() {
        Ok(0) => Ok(ReferenceFrame::World),
        Ok(1) => Ok(ReferenceFrame::Local),
        Ok(2) => Ok(ReferenceFrame::LocalWorldAligned),
        Ok(_) => Err(PyValueError::new_err(
            "reference_frame must be WORLD, LOCAL or LOCAL_WORLD_ALIGNED",
        )),
        Err(_) => Err(PyTypeError::new_err(
            "reference_frame must be WORLD, LOCAL or LOCAL_WORLD_ALIGNED",
        )),
    }
}

/// Functions with Pinocchio's names, and what the classes `Model`, `Data` and `Frame` extend.
#[pymodule(name = "_pinocchio", gil_used = true)]
pub mod functions {
    #[pymodule_export]
    use super::all_terms::compute_all_terms;
    #[pymodule_export]
    use super::body_regressors::{
        body_regressor, compute_frame_kinematic_regressor, compute_joint_kinematic_regressor,
        compute_static_regressor, frame_body_regressor, joint_body_regressor,
    };
    #[pymodule_export]
    use super::calls::{
        aba, compute_aba_derivatives, compute_coriolis_matrix, compute_generalized_gravity,
        compute_generalized_gravity_derivatives, compute_joint_torque_regressor,
        compute_kinetic_energy, compute_kinetic_energy_regressor, compute_mechanical_energy,
        compute_minverse, compute_potential_energy, compute_potential_energy_regressor,
        compute_rnea_derivatives, compute_static_torque, compute_static_torque_derivatives, crba,
        non_linear_effects, rnea,
    };
    #[pymodule_export]
    use super::centers::{
        center_of_mass, get_jacobian_subtree_center_of_mass, jacobian_center_of_mass,
        jacobian_subtree_center_of_mass,
    };
    #[pymodule_export]
    use super::centroidal_derivatives::{
        compute_centroidal_dynamics_derivatives, get_center_of_mass_velocity_derivatives,
        get_centroidal_dynamics_derivatives, get_coriolis_matrix,
    };
    #[pymodule_export]
    use super::collisions::{_Carried, _Collider, _Pairs};
    #[pymodule_export]
    use super::configuration::{
        difference, distance, integrate, interpolate, neutral, normalize, squared_distance,
        tangent_map,
    };
    #[pymodule_export]
    use super::data::DataBase;
    #[pymodule_export]
    use super::explog::{
        exp3, exp6, jexp3, jexp6, jlog3, jlog6, log3, log6, skew, unskew, xyzquat_to_se3,
    };
    #[pymodule_export]
    use super::joints::{
        compute_frame_jacobian, compute_joint_jacobian, compute_joint_jacobians,
        compute_joint_jacobians_time_variation, forward_kinematics, frames_forward_kinematics,
        get_acceleration, get_classical_acceleration, get_frame_acceleration,
        get_frame_classical_acceleration, get_frame_jacobian, get_frame_jacobian_time_variation,
        get_frame_velocity, get_joint_jacobian, get_joint_jacobian_time_variation, get_velocity,
        update_frame_placement, update_frame_placements,
    };
    #[pymodule_export]
    use super::model::{_same_parts, FrameBase, ModelBase};
    #[pymodule_export]
    use super::momenta::{
        ccrba, compute_centroidal_map, compute_centroidal_momentum,
        compute_centroidal_momentum_time_variation, dccrba,
    };
    #[pymodule_export]
    use super::motion_derivatives::{
        compute_forward_kinematics_derivatives, get_frame_acceleration_derivatives,
        get_frame_velocity_derivatives, get_joint_acceleration_derivatives,
        get_joint_velocity_derivatives, get_point_classic_acceleration_derivatives,
        get_point_velocity_derivatives,
    };
    #[pymodule_export]
    use crate::argument::_in_order;
}
