//! Calls of several results on the tree: all terms of the equations of motion, hybrid dynamics,
//! factors of the mass matrix.

use crate::array::{Answer, Value, as_array};
use crate::error;
use crate::forces::External;
use crate::model::Model;
use crate::quantities::quantity_methods;
use crate::states::{Failure, for_each_named};
use featherline::{Error, Workspace};
use numpy::{PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl Model {
    /// Runs a function on a workspace.
    pub fn with_workspace<T>(
        &self,
        work: impl FnOnce(&featherline::Model, &mut Workspace<f64>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let done = work(&self.model, &mut ws);
        self.workspaces.give_back(ws);
        Ok(done?)
    }

    /// Which coordinates are meant: a mask (nv,), or names of joints.
    pub fn mask(&self, known: Value<'_, '_>) -> PyResult<Vec<bool>> {
        let nv = self.model.nv();
        if let Ok(names) = known.extract::<Vec<String>>() {
            let mut mask = vec![false; nv];
            for name in names {
                let joint = self.model.joint(self.joint_named(&name)?);
                mask[joint.idx_v..joint.idx_v + joint.nv].fill(true);
            }
            return Ok(mask);
        }
        let array = as_array(known)?;
        if array.dtype().kind() != b'b' {
            return Err(PyValueError::new_err(
                "known must be names of joints, or an array of booleans (nv,)",
            ));
        }
        match array.shape() == [nv] {
            true => array.call_method0("tolist")?.extract(),
            false => Err(error::shape("known", array.shape(), &format!("({nv},)"))),
        }
    }
}

quantity_methods! {
    /// All terms of the equations of motion M q̈ + C = τ in one pass.
    ///
    /// Returns mass_matrix (nv, nv), bias (nv,), gravity_torque (nv,), centroidal_map (6, nv),
    /// centroidal_momentum (6,), centroidal_drift (6,), center_of_mass (3,), kinetic_energy and
    /// potential_energy. `out` takes an earlier result, whose arrays are written.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> terms = pendulum.all_terms([0.3, -0.2], [1.0, 0.5])
    /// >>> terms.mass_matrix.shape, terms.bias.shape
    /// ((2, 2), (2,))
    all_terms(q, v) -> AllTerms as "AllTerms";
    /// The factors of the mass matrix, M = Lᵀ D L: L (nv, nv), unit lower triangular and as sparse
    /// as the tree's branches make it, and the diagonal D (nv,).
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> L, D = panda.ltdl(panda.neutral())
    /// >>> bool(abs(L.T * D @ L - panda.crba(panda.neutral())).max() < 1e-12)
    /// True
    ltdl(q) -> Ltdl as "Factors";
}

#[pymethods]
impl Model {
    /// Hybrid dynamics: of some coordinates the acceleration is known, of the others the joint
    /// force, and the rest is found. Closed loops are open, as for `aba`.
    ///
    /// known: names of the joints whose acceleration is known, or booleans (nv,). values (nv,): the
    /// acceleration of coordinates that are known, the joint force of the others. Returns
    /// accelerations (nv,) and forces (nv,), all of them. external_forces as for `rnea`.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> held = pendulum.hybrid_dynamics([0.3, 0.2], [0, 0], [0, 0], known=["shoulder"])
    /// >>> float(held.accelerations[0]), float(held.forces[1])
    /// (0.0, 0.0)
    #[pyo3(signature = (q, v, values, known, external_forces=None, *, forces_in="local", out=None))]
    fn hybrid_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        values: Value<'_, 'py>,
        known: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let known = self.mask(known)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("values", values)));
        let shapes = [self.vector(), self.vector()];
        for_each_named(
            py,
            "HybridDynamics",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let (q, v, values) = (inputs[0], inputs[1], inputs[2]);
                external.acting.with_options(inputs.get(3), |options| {
                    self.with_workspace(|model, ws| {
                        let found = model.hybrid_dynamics(ws, q, v, values, &known, options)?;
                        results[0].copy_from_slice(found.accelerations);
                        results[1].copy_from_slice(found.forces);
                        Ok(())
                    })
                })
            },
        )
    }
}
