//! Closed loops: assembly, and dynamics with the forces that keep loops closed.

use crate::array::{Answer, Shape, Value};
use crate::forces::External;
use crate::model::Model;
use crate::states::{Failure, check_out, for_each, for_each_named, for_each_one, named, one_state};
use featherline::spatial::Force;
use featherline_constraint::{
    LoopError, LoopWorkspace, Stabilisation, assemble, loop_dynamics, loop_dynamics_derivatives,
    loop_gap, loop_gaps, project_velocity,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

impl From<LoopError> for Failure {
    fn from(error: LoopError) -> Self {
        if let LoopError::Tree(error) = error {
            error.into()
        } else {
            Self {
                of_state: !matches!(
                    error,
                    LoopError::HeldToItself { .. } | LoopError::Restitution { .. }
                ),
                error: PyValueError::new_err(error.to_string()),
            }
        }
    }
}

impl Model {
    /// Runs a function on a workspace that remembers nothing.
    fn with_loop_workspace<T>(
        &self,
        work: impl FnOnce(&featherline::Model, &mut LoopWorkspace) -> Result<T, LoopError>,
    ) -> Result<T, Failure> {
        let workspaces = &self.loop_workspaces;
        let mut ws = workspaces.try_take(|| LoopWorkspace::new(&self.model))?;
        ws.forget_readings();
        let done = work(&self.model, &mut ws);
        workspaces.give_back(ws);
        Ok(done?)
    }
}

/// The stabilisation of drifting loops: none, a time in s, or damping and stiffness in 1/s.
pub fn stabilisation(value: Option<Value<'_, '_>>) -> PyResult<Stabilisation> {
    let Some(value) = value else {
        return Ok(Stabilisation::NONE);
    };
    let bad = || {
        PyValueError::new_err(
            "stabilisation must be a time in s that is positive, or (damping, stiffness) in 1/s that are not negative",
        )
    };
    if let Ok(time) = value.extract::<f64>() {
        return match time > 0.0 && time.recip().is_finite() {
            true => Ok(Stabilisation::critical(time)),
            false => Err(bad()),
        };
    }
    let (damping, stiffness) = value.extract::<(f64, f64)>().map_err(|_| bad())?;
    let is_bound = |x: f64| x.is_finite() && x >= 0.0;
    match is_bound(damping) && is_bound(stiffness) {
        true => Ok(Stabilisation { damping, stiffness }),
        false => Err(bad()),
    }
}

/// Writes six numbers for each force.
pub fn write_forces(forces: &[Force<f64>], out: &mut [f64]) {
    for (out, force) in out.chunks_exact_mut(6).zip(forces) {
        out.copy_from_slice(&force.to_array());
    }
}

/// One number as an integer.
pub fn integer<'py>(value: Bound<'py, PyAny>) -> Answer<'py> {
    match value.extract::<f64>() {
        Ok(number) => Ok((number as i64).into_pyobject(value.py())?.into_any()),
        Err(_) => Ok(value),
    }
}

#[pymethods]
impl Model {
    /// The named configurations (nq,) of the model, such as "closed".
    ///
    /// >>> import featherline as fl
    /// >>> list(fl.load("bennett").reference_configurations())
    /// ['closed']
    fn reference_configurations<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let all = PyDict::new(py);
        for (name, q) in self.model.reference_configurations() {
            all.set_item(name, PyArray1::from_slice(py, q))?;
        }
        crate::model::names(py, "reference configuration", all)
    }

    /// How far the loops are from closed, and how fast they open: position in m and rad, velocity
    /// in m/s and rad/s, and the name of the loop with the largest gap.
    ///
    /// One state only; `loop_gaps` takes many. Without v, the velocity is zero.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("four_bar").loop_gap([0.4, 0.0, 0.0]).widest
    /// 'loop'
    #[pyo3(signature = (q, v=None))]
    fn loop_gap<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let q = one_state("q", q, self.model.nq())?;
        let v = match v {
            Some(v) => one_state("v", v, self.model.nv())?,
            None => vec![0.0; self.model.nv()],
        };
        let gap = self
            .with_loop_workspace(|model, ws| loop_gap(model, ws, &q, &v))
            .map_err(|failure| failure.error)?;
        let widest = gap.widest.map(|id| self.model.loop_joint(id).name.clone());
        named(py, "LoopGap", (gap.position, gap.velocity, widest))
    }

    /// How far each loop is from closed (loops, 6), [linear; angular] in m and rad: the
    /// displacement of its joint's frames from a placement that the joint allows.
    ///
    /// >>> import featherline as fl
    /// >>> delta = fl.load("delta")
    /// >>> delta.loop_gaps(delta.neutral()).shape
    /// (6, 6)
    #[pyo3(signature = (q, *, out=None))]
    fn loop_gaps<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let shape = Shape::Rows(self.model.loop_joints().len(), 6);
        for_each_one(py, &[self.q("q", q)], shape, out, |inputs, result| {
            self.with_loop_workspace(|model, ws| {
                let gaps = loop_gaps(model, ws, inputs[0])?;
                for (row, gap) in result.chunks_exact_mut(6).zip(gaps) {
                    row.copy_from_slice(&gap.to_array());
                }
                Ok(())
            })
        })
    }

    /// The nearest configuration (nq,) with closed loops, by Gauss-Newton.
    ///
    /// The method works from gaps that are a fraction of the loops' lengths; where it fails, the
    /// error names the loop and its gap. Of many states, those that fail are rows of NaN.
    ///
    /// >>> import featherline as fl
    /// >>> linkage = fl.load("four_bar")
    /// >>> q = linkage.assemble([0.4, 0.0, 0.0])
    /// >>> linkage.loop_gap(q).position < 1e-10
    /// True
    #[pyo3(signature = (q, *, out=None))]
    fn assemble<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let shape = Shape::Vector(self.model.nq());
        for_each_one(py, &[self.q("q", q)], shape, out, |inputs, result| {
            self.with_loop_workspace(|model, ws| {
                result.copy_from_slice(inputs[0]);
                assemble(model, ws, result).map(drop)
            })
        })
    }

    /// The velocity (nv,) without the part that opens loops: an impulse of the loop joints removes
    /// it, which changes the kinetic energy as little as possible.
    ///
    /// >>> import featherline as fl
    /// >>> linkage = fl.load("four_bar")
    /// >>> v = linkage.project_velocity(linkage.neutral(), [1.0, 0.0, 0.0])
    /// >>> linkage.loop_gap(linkage.neutral(), v).velocity < 1e-12
    /// True
    #[pyo3(signature = (q, v, *, out=None))]
    fn project_velocity<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let arguments = [self.q("q", q), self.tangent("v", v)];
        for_each_one(py, &arguments, self.vector(), out, |inputs, result| {
            self.with_loop_workspace(|model, ws| {
                result.copy_from_slice(inputs[1]);
                project_velocity(model, ws, inputs[0], result).map(drop)
            })
        })
    }

    /// Forward dynamics with closed loops: the accelerations that the joint forces tau cause, and
    /// the forces that keep the loops closed.
    ///
    /// Returns accelerations (nv,); loop_forces (loops, 6), [force; moment] on each loop's
    /// successor in the loop joint's frame there; residual, the largest violation in m/s² and
    /// rad/s²; redundant, the number of redundant constraints; condition. The loops must be closed,
    /// unless stabilisation pulls them together: a time in s (some ten steps), or (damping,
    /// stiffness) in 1/s. external_forces as for `rnea`. Damping, friction and springs are left
    /// out.
    ///
    /// >>> import featherline as fl
    /// >>> linkage = fl.load("four_bar")
    /// >>> result = linkage.loop_dynamics(linkage.neutral(), [0.0] * 3, [0.0] * 3)
    /// >>> result.redundant
    /// 3
    #[pyo3(signature = (q, v, tau, external_forces=None, *, forces_in="local", stabilisation=None, out=None))]
    fn loop_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let stabilisation = self::stabilisation(stabilisation)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("tau", tau)));
        let loops = self.model.loop_joints().len();
        let shapes = [
            self.vector(),
            Shape::Rows(loops, 6),
            Shape::Scalar,
            Shape::Scalar,
            Shape::Scalar,
        ];
        check_out(py, "LoopDynamics", out)?;
        let mut results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
            let forces = external.acting.on_bodies(self, q, inputs.get(3))?;
            self.with_loop_workspace(|model, ws| {
                let found = loop_dynamics(model, ws, q, v, tau, &forces, &stabilisation)?;
                results[0].copy_from_slice(found.accelerations);
                write_forces(found.loop_forces, results[1]);
                results[2][0] = found.residual;
                results[3][0] = found.redundant as f64;
                results[4][0] = found.condition;
                Ok(())
            })
        })?;
        results[3] = integer(results[3].clone())?;
        named(py, "LoopDynamics", PyTuple::new(py, results)?)
    }

    /// The derivatives of `loop_dynamics` by q, v and tau, and the accelerations and loop forces.
    ///
    /// Returns accelerations (nv,), their dq, dv and dtau (nv, nv), loop_forces (loops, 6), their
    /// loop_forces_dq, loop_forces_dv and loop_forces_dtau (loops, 6, nv). Coordinates change one
    /// by one, so most columns open loops: of changes δq, δv that keep loops closed, such as
    /// `project_velocity` gives, the derivative is dq δq + dv δv. The arguments are those of
    /// `loop_dynamics`; external forces stay as they are where `forces_in` says.
    ///
    /// Redundant constraints have no unique forces: derivatives of loop forces are those for the
    /// constraints that `loop_dynamics` chose at q. Those of the accelerations along closed loops
    /// depend on no choice.
    ///
    /// >>> import featherline as fl
    /// >>> linkage = fl.load("four_bar")
    /// >>> q = linkage.assemble([0.4, 0.0, 0.0])
    /// >>> d = linkage.loop_dynamics_derivatives(q, [0.0] * 3, [0.0] * 3)
    /// >>> pushed = linkage.loop_dynamics(q, [0.0] * 3, [2.0, 0.0, 0.0])
    /// >>> np.allclose(d.accelerations + d.dtau @ [2.0, 0.0, 0.0], pushed.accelerations)
    /// True
    ///
    /// A foot that stands is a loop to the world: its loop force is the contact force, of which
    /// these are the derivatives.
    ///
    /// >>> robot, foot = fl.load("quadruped"), "front_left_foot"
    /// >>> q, rest = robot.neutral(), np.zeros(robot.nv)
    /// >>> standing = robot.with_loop("stance", "world", foot, "spherical",
    /// ...     predecessor_placement=robot.placement(q, foot))
    /// >>> d = standing.loop_dynamics_derivatives(q, rest, rest)
    /// >>> J, M = robot.jacobian(q, foot), robot.crba(q)
    /// >>> np.allclose(M @ d.dtau, np.eye(robot.nv) + J.T @ d.loop_forces_dtau[0])
    /// True
    #[pyo3(signature = (q, v, tau, external_forces=None, *, forces_in="local", stabilisation=None, out=None))]
    fn loop_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let stabilisation = self::stabilisation(stabilisation)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("tau", tau)));
        let (loops, nv) = (self.model.loop_joints().len(), self.model.nv());
        let mut shapes = [self.square(); 8];
        shapes[0] = self.vector();
        shapes[4] = Shape::Rows(loops, 6);
        shapes[5..].fill(Shape::Matrices(loops, 6, nv));
        for_each_named(
            py,
            "LoopDynamicsDerivatives",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
                let acting = &external.acting;
                let forces = acting.on_bodies(self, q, inputs.get(3))?;
                self.with_loop_workspace(|model, ws| {
                    let found =
                        loop_dynamics_derivatives(model, ws, q, v, tau, &forces, &stabilisation)?;
                    results[0].copy_from_slice(found.dynamics.accelerations);
                    let matrices = [found.dq, found.dv, found.dtau];
                    for (result, matrix) in results[1..4].iter_mut().zip(matrices) {
                        result.copy_from_slice(matrix.as_slice());
                    }
                    write_forces(found.dynamics.loop_forces, results[4]);
                    let matrices = [
                        found.loop_forces_dq,
                        found.loop_forces_dv,
                        found.loop_forces_dtau,
                    ];
                    for (result, matrix) in results[5..].iter_mut().zip(matrices) {
                        // From columns of all loops to those of each.
                        for (k, column) in result.chunks_exact_mut(6).enumerate() {
                            let (of, k) = (k / nv, k % nv);
                            column
                                .copy_from_slice(&matrix.column(k).as_slice()[6 * of..6 * of + 6]);
                        }
                    }
                    Ok(())
                })?;
                let [_, dq, _, dtau, _, by_q, _, by_tau] = results else {
                    return Ok(());
                };
                let derivatives = [(nv, &mut **dq, &**dtau), (6, by_q, by_tau)];
                acting.add_change(self, q, inputs.get(3), derivatives)
            },
        )
    }
}
