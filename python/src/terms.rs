//! Calls of several results on the tree: all terms of the equations of motion, hybrid dynamics,
//! factors of the mass matrix.

use crate::array::{Answer, Shape, Value};
use crate::error;
use crate::forces::{External, on_bodies};
use crate::model::Model;
use crate::states::{Failure, check_out, for_each, for_each_or_lanes, named};
use featherline::batch::{Batch, BatchStatus, TermRows};
use featherline::{Error, Workspace};
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

    /// Runs a function on a batch of as many threads as the machine has.
    pub fn with_batch<T>(
        &self,
        work: impl FnOnce(&mut Batch<f64>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let batches = &self.double_batches;
        let mut batch = batches.try_take(|| Batch::new(&self.model, 0))?;
        let done = work(&mut batch);
        batches.give_back(batch);
        done
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
        let array = known
            .py()
            .import("numpy")?
            .call_method1("asarray", (known,))?;
        let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        if kind != "b" {
            return Err(PyValueError::new_err(
                "known must be names of joints, or an array of booleans (nv,)",
            ));
        }
        match shape == [nv] {
            true => array.call_method0("tolist")?.extract(),
            false => Err(error::shape("known", &shape, &format!("({nv},)"))),
        }
    }
}

#[pymethods]
impl Model {
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
    #[pyo3(signature = (q, v, *, out=None))]
    fn all_terms<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let nv = self.model.nv();
        let shapes = [
            Shape::Matrix(nv, nv),
            self.vector(),
            self.vector(),
            Shape::Matrix(6, nv),
            Shape::Vector(6),
            Shape::Vector(6),
            Shape::Vector(3),
            Shape::Scalar,
            Shape::Scalar,
        ];
        let arguments = [self.q("q", q), self.tangent("v", v)];
        let one = |inputs: &[&[f64]], results: &mut [&mut [f64]]| {
            self.with_workspace(|model, ws| {
                let terms = model.all_terms(ws, inputs[0], inputs[1])?;
                results[0].copy_from_slice(terms.mass_matrix().as_slice());
                results[1].copy_from_slice(terms.bias());
                results[2].copy_from_slice(terms.gravity_torque());
                results[7][0] = terms.kinetic_energy();
                results[8][0] = terms.potential_energy();
                // What has no mass has no centre of it.
                let of_mass = &mut results[3..7];
                let Ok(center) = terms.centers_of_mass().center_of_mass() else {
                    of_mass.iter_mut().for_each(|part| part.fill(f64::NAN));
                    return Ok(());
                };
                of_mass[0].copy_from_slice(terms.centroidal_map()?.as_slice());
                of_mass[1].copy_from_slice(&terms.centroidal_momentum()?.to_array());
                of_mass[2].copy_from_slice(&terms.centroidal_drift()?.to_array());
                of_mass[3].copy_from_slice(&center.to_array());
                Ok(())
            })
        };
        let many = |inputs: &[&[f64]], results: &mut [&mut [f64]], status: &mut [BatchStatus]| {
            let [
                mass,
                bias,
                gravity,
                map,
                momentum,
                drift,
                center,
                kinetic,
                potential,
            ] = results
            else {
                return Ok(0);
            };
            let rows = TermRows {
                mass_matrix: mass,
                bias,
                gravity_torque: gravity,
                centroidal_map: map,
                centroidal_momentum: momentum,
                centroidal_drift: drift,
                center_of_mass: center,
                kinetic_energy: kinetic,
                potential_energy: potential,
            };
            self.with_batch(|batch| batch.all_terms(inputs[0], inputs[1], rows, status))
        };
        check_out(py, "AllTerms", out)?;
        let results = for_each_or_lanes(py, &arguments, &shapes, out, one, Some(&many))?;
        named(py, "AllTerms", results)
    }

    /// Hybrid dynamics: of some coordinates the acceleration is known, of the others the joint
    /// force, and the rest is found.
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
    #[pyo3(signature = (q, v, values, known, external_forces=None, *, out=None))]
    fn hybrid_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        values: Value<'_, 'py>,
        known: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let known = self.mask(known)?;
        let external = External::read(self, external_forces)?;
        let others = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("values", values),
        ];
        let arguments = external.after(self, others);
        let shapes = [self.vector(), self.vector()];
        check_out(py, "HybridDynamics", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let external = on_bodies(inputs.get(3));
                let (q, v, values) = (inputs[0], inputs[1], inputs[2]);
                let found = model.hybrid_dynamics(ws, q, v, values, &known, &external)?;
                results[0].copy_from_slice(found.accelerations);
                results[1].copy_from_slice(found.forces);
                Ok(())
            })
        })?;
        named(py, "HybridDynamics", results)
    }

    /// The factors of the mass matrix, M = Lᵀ D L: L (nv, nv), unit lower triangular and as sparse
    /// as the tree's branches make it, and the diagonal D (nv,).
    ///
    /// >>> import featherline as fl
    /// >>> panda = fl.load("panda")
    /// >>> L, D = panda.ltdl(panda.neutral())
    /// >>> bool(abs(L.T * D @ L - panda.crba(panda.neutral())).max() < 1e-12)
    /// True
    #[pyo3(signature = (q, *, out=None))]
    fn ltdl<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let nv = self.model.nv();
        let shapes = [Shape::Matrix(nv, nv), self.vector()];
        check_out(py, "Factors", out)?;
        let results = for_each(py, &[self.q("q", q)], &shapes, out, |inputs, results| {
            self.with_workspace(|model, ws| {
                let factors = model.ltdl(ws, inputs[0])?;
                for column in 0..nv {
                    for row in 0..nv {
                        results[0][nv * column + row] = factors.l(row, column);
                    }
                    results[1][column] = factors.pivot(column);
                }
                Ok(())
            })
        })?;
        named(py, "Factors", results)
    }
}
