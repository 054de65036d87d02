//! Regressors as methods of a model: what is linear in the inertial parameters of bodies.

use crate::array::{Answer, Shape, filled};
use crate::model::Model;
use crate::quantities::quantity_methods;
use crate::states::{Failure, named};
use featherline::regressor::BaseParameters;
use numpy::PyArray1;
use pyo3::prelude::*;

quantity_methods! {
    /// The joint torque regressor (nv, 10 joints): `rnea` is its product with
    /// `dynamic_parameters()`, plus what the armature needs.
    ///
    /// >>> Y = panda.joint_torque_regressor(q, v, a)
    /// >>> tau = Y @ panda.dynamic_parameters() + panda.armature * a
    /// >>> np.allclose(tau, panda.rnea(q, v, a))
    /// True
    joint_torque_regressor(q, v, a) -> JointTorqueRegressor;
    /// The regressor (nv, 10 joints) of `gravity_torque`.
    ///
    /// >>> Y = panda.gravity_torque_regressor(q)
    /// >>> np.allclose(Y @ panda.dynamic_parameters(), panda.gravity_torque(q))
    /// True
    gravity_torque_regressor(q) -> GravityTorqueRegressor;
    /// The regressor (nv, 10 joints) of the momentum M(q) v of the joints. Identification by
    /// momenta needs no accelerations.
    ///
    /// >>> Y = panda.joint_momentum_regressor(q, v)
    /// >>> np.allclose(Y @ panda.dynamic_parameters() + panda.armature * v, panda.crba(q) @ v)
    /// True
    joint_momentum_regressor(q, v) -> JointMomentumRegressor;
    /// The regressor (10 joints,) of `kinetic_energy` less that of the armature.
    ///
    /// >>> T = panda.kinetic_energy_regressor(q, v) @ panda.dynamic_parameters()
    /// >>> np.allclose(T + v @ (panda.armature * v) / 2, panda.kinetic_energy(q, v))
    /// True
    kinetic_energy_regressor(q, v) -> KineticEnergyRegressor;
    /// The regressor (10 joints,) of the potential energy of gravity.
    ///
    /// >>> V = panda.potential_energy_regressor(q) @ panda.dynamic_parameters()
    /// >>> np.allclose(V, panda.potential_energy(q))
    /// True
    potential_energy_regressor(q) -> PotentialEnergyRegressor;
    /// The regressor (nv, 3 nv) of what drives take: all reflected inertias (armature), dampings
    /// and dry frictions, to stand beside `joint_torque_regressor`.
    ///
    /// >>> Y = panda.drive_regressor(v, a)
    /// >>> tau = Y @ np.concatenate([panda.armature, panda.damping, panda.friction])
    /// >>> np.allclose(tau, panda.armature * a + panda.damping * v + panda.friction * np.sign(v))
    /// True
    drive_regressor(v, a) -> DriveRegressor;
    /// The regressor (6, 10) of the force on the body that a joint moves, weight included, in the
    /// joint's frame.
    ///
    /// >>> panda.joint_body_regressor(q, v, a, "panda_joint7").shape
    /// (6, 10)
    joint_body_regressor(q, v, a; joint) -> JointBodyRegressor;
}

#[pymethods]
impl Model {
    /// The ten dynamic parameters of each joint's body (10 joints,), one body after the other: m,
    /// m c (x, y, z), and xx, xy, yy, xz, yz, zz of the rotational inertia about the origin of the
    /// joint's frame. SI units.
    ///
    /// >>> panda.dynamic_parameters().shape
    /// (70,)
    fn dynamic_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.model.dynamic_parameters())
    }

    /// The base parameters: the combinations of dynamic parameters that motion and joint forces can
    /// tell apart. Returns columns (base,), those of the regressor that form the basis, and map
    /// (base, 10 joints), which gives the base parameters that dynamic parameters have.
    ///
    /// >>> base = panda.base_parameters()
    /// >>> Y = panda.joint_torque_regressor(q, v, a)
    /// >>> parameters = panda.dynamic_parameters()
    /// >>> np.allclose(base.select(Y) @ base.values(parameters), Y @ parameters)
    /// True
    fn base_parameters<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let found = py.detach(|| self.model.base_parameters());
        named_base(py, &found.map_err(|e| PyErr::from(Failure::from(e)))?)
    }

    /// The base parameters by the structure of the tree, without sampled states: those of
    /// `base_parameters`, but for rounding. None if a joint mimics another, or if a joint's axes
    /// depend on its coordinates (universal, Euler angles, ellipsoid).
    ///
    /// >>> base = panda.structural_base_parameters()
    /// >>> np.array_equal(base.columns, panda.base_parameters().columns)
    /// True
    fn structural_base_parameters<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = py.detach(|| self.model.structural_base_parameters());
        found.map(|found| named_base(py, &found)).transpose()
    }
}

fn named_base<'py>(py: Python<'py>, found: &BaseParameters) -> Answer<'py> {
    let columns: Vec<i64> = found.columns.iter().map(|&k| k as i64).collect();
    let (rows, count) = found.map.shape();
    let columns = PyArray1::from_vec(py, columns);
    let map = filled(py, Shape::Matrix(rows, count), None, found.map.as_slice())?;
    named(py, "BaseParameters", (columns, map))
}
