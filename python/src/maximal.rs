//! Maximal coordinates: where every body is and how it moves, and the forces in all joints.

use crate::array::{Answer, Argument, Shape, Value};
use crate::forces::External;
use crate::loops::{stabilisation, write_forces};
use crate::model::Model;
use crate::states::{Failure, check_out, for_each, named};
use featherline::Workspace;
use featherline::spatial::{Mat3, Motion, Quaternion, Se3, Vec3};
use featherline_sim::maximal::{
    MaximalError, MaximalState, MaximalWorkspace, Pose, maximal_dynamics,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

impl From<MaximalError> for Failure {
    fn from(error: MaximalError) -> Self {
        if let MaximalError::Argument(error) = error {
            error.into()
        } else {
            Self {
                of_state: !matches!(error, MaximalError::MimicJoint { .. }),
                error: PyValueError::new_err(in_python(&error.to_string())),
            }
        }
    }
}

/// A message with the names that things have in Python.
pub fn in_python(message: &str) -> String {
    message
        .replace("featherline_constraint::", "")
        .replace(
            "let `MaximalWorkspace::stabilise` pull",
            "let `stabilisation` pull",
        )
        .replace(
            "with `start_assembled`",
            "with `assemble` and `project_velocity`",
        )
}

/// Writes poses as homogeneous matrices and velocities of all bodies but the universe.
fn write_state(state: &MaximalState, poses: &mut [f64], velocities: &mut [f64]) {
    for (out, pose) in poses.chunks_exact_mut(16).zip(&state.poses[1..]) {
        let rows = pose.placement().to_homogeneous();
        for (k, x) in out.iter_mut().enumerate() {
            *x = rows[k % 4][k / 4];
        }
    }
    for (out, velocity) in velocities.chunks_exact_mut(6).zip(&state.velocities[1..]) {
        out.copy_from_slice(&velocity.to_array());
    }
}

/// The state of homogeneous matrices, row by row, and velocities of all bodies but the universe.
fn read_state(
    model: &featherline::Model,
    poses: &[f64],
    velocities: &[f64],
    near: &[f64],
) -> Result<MaximalState, Failure> {
    let universe = Pose {
        position: Vec3::zero(),
        orientation: Quaternion::from_rotation(&Mat3::identity()),
    };
    let mut state = MaximalState {
        poses: vec![universe],
        velocities: vec![Motion::zero()],
        coordinates: near.to_vec(),
    };
    for (m, joint) in poses.chunks_exact(16).zip(&model.joints()[1..]) {
        let row = |k: usize| [m[4 * k], m[4 * k + 1], m[4 * k + 2], m[4 * k + 3]];
        let placement = Se3::from_homogeneous([row(0), row(1), row(2), row(3)]);
        let placement = placement.map_err(|fault| Failure {
            error: PyValueError::new_err(format!(
                "the pose of joint `{}` is no placement: {fault}",
                joint.name
            )),
            of_state: true,
        })?;
        state.poses.push(Pose {
            position: placement.translation,
            orientation: Quaternion::from_rotation(&placement.rotation),
        });
    }
    for v in velocities.chunks_exact(6) {
        let mut six = [0.0; 6];
        six.copy_from_slice(v);
        state.velocities.push(Motion::from_array(six));
    }
    Ok(state)
}

impl Model {
    fn with_state<T>(
        &self,
        q: &[f64],
        v: &[f64],
        work: impl FnOnce(&MaximalState) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
        let state = MaximalState::from_joints(&self.model, &mut ws, q, v);
        self.workspaces.give_back(ws);
        work(&state?)
    }
}

/// An array of one row of numbers for each state, from one with as many axes as `axes` for a state.
fn flattened<'py>(
    name: &str,
    value: Value<'_, 'py>,
    axes: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array = value
        .py()
        .import("numpy")?
        .call_method1("asarray", (value,))?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let width: usize = axes.iter().product();
    if shape == axes {
        array.call_method1("reshape", (width,))
    } else if shape.len() == axes.len() + 1 && shape[1..] == *axes {
        array.call_method1("reshape", (shape[0], width))
    } else {
        let axes: Vec<String> = axes.iter().map(usize::to_string).collect();
        let axes = axes.join(", ");
        Err(crate::error::shape(
            name,
            &shape,
            &format!("({axes}) or (n, {axes})"),
        ))
    }
}

#[pymethods]
impl Model {
    /// Where all bodies are and how they move: poses (joints, 4, 4) in the world, as homogeneous
    /// matrices of the joints' frames, and velocities (joints, 6), [linear; angular] in these
    /// frames, in the order of `joints`.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> state = pendulum.to_maximal([0.3, -0.2], [1.0, 0.0])
    /// >>> state.poses.shape, state.velocities.shape
    /// ((2, 4, 4), (2, 6))
    #[pyo3(signature = (q, v, *, out=None))]
    fn to_maximal<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let shapes = [
            Shape::Matrices(self.bodies(), 4, 4),
            Shape::Rows(self.bodies(), 6),
        ];
        let arguments = [self.q("q", q), self.tangent("v", v)];
        check_out(py, "MaximalState", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_state(inputs[0], inputs[1], |state| {
                let [poses, velocities] = results else {
                    return Ok(());
                };
                write_state(state, poses, velocities);
                Ok(())
            })
        })?;
        named(py, "MaximalState", results)
    }

    /// The joint coordinates whose bodies come nearest to poses (joints, 4, 4) and velocities
    /// (joints, 6), as `to_maximal` gives them: q (nq,) and v (nv,), and by how much the bodies
    /// violate their joints: gap in m and rad, gap_velocity in m/s and rad/s.
    ///
    /// near: a configuration from which coordinates are sought where poses are ambiguous, as turns
    /// of a joint are; by default the neutral one.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> state = pendulum.to_maximal([0.3, -0.2], [1.0, 0.0])
    /// >>> pendulum.from_maximal(*state).q.round(12)
    /// array([ 0.3, -0.2])
    #[pyo3(signature = (poses, velocities, *, near=None, out=None))]
    #[expect(clippy::wrong_self_convention, reason = "the name is Python's")]
    fn from_maximal<'py>(
        &self,
        py: Python<'py>,
        poses: Value<'_, 'py>,
        velocities: Value<'_, 'py>,
        near: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let bodies = self.bodies();
        let poses = flattened("poses", poses, &[bodies, 4, 4])?;
        let velocities = flattened("velocities", velocities, &[bodies, 6])?;
        let neutral = self.model.neutral_configuration::<f64>();
        let neutral = numpy::PyArray1::from_vec(py, neutral).into_any();
        let arguments = [
            Argument {
                name: "poses",
                value: &poses,
                width: 16 * bodies,
            },
            Argument {
                name: "velocities",
                value: &velocities,
                width: 6 * bodies,
            },
            self.q("near", near.unwrap_or(&neutral)),
        ];
        let shapes = [
            Shape::Vector(self.model.nq()),
            self.vector(),
            Shape::Scalar,
            Shape::Scalar,
        ];
        check_out(py, "JointState", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            let state = read_state(&self.model, inputs[0], inputs[1], inputs[2])?;
            let [q, v, gap, gap_velocity] = results else {
                return Ok(());
            };
            let found = state.to_joints(&self.model, q, v)?;
            (gap[0], gap_velocity[0]) = (found.position, found.velocity);
            Ok(())
        })?;
        named(py, "JointState", results)
    }

    /// The accelerations of all bodies, and the forces in the joints that hold them together: each
    /// body is free, each joint, those of loops too, a constraint. O(n).
    ///
    /// Returns accelerations (joints, 6), spatial, in the joints' frames; joint_forces (joints, 6),
    /// [force; moment] that each joint passes on to its body, in the joint's frame, constraint and
    /// drive together; loop_forces (loops, 6), as `loop_dynamics`; residual, the largest violation
    /// of a loop in m/s² and rad/s². external_forces as for `rnea`; stabilisation as for
    /// `loop_dynamics`. Damping, friction and springs are left out.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> hanging = pendulum.maximal_dynamics([0, 0], [0, 0], [0, 0])
    /// >>> bool(abs(hanging.joint_forces[0, 2] - 9.81 * pendulum.total_mass) < 1e-9)
    /// True
    #[pyo3(signature = (q, v, tau, external_forces=None, *, forces_in="local", stabilisation=None, out=None))]
    fn maximal_dynamics<'py>(
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
        let others = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("tau", tau),
        ];
        let arguments = external.after(self, others);
        let shapes = [
            Shape::Rows(self.bodies(), 6),
            Shape::Rows(self.bodies(), 6),
            Shape::Rows(self.model.loop_joints().len(), 6),
            Shape::Scalar,
        ];
        check_out(py, "MaximalDynamics", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            let forces = external.acting.on_bodies(self, inputs[0], inputs.get(3))?;
            self.with_state(inputs[0], inputs[1], |state| {
                let workspaces = &self.maximal_workspaces;
                let mut ws = workspaces.try_take(|| MaximalWorkspace::new(&self.model))?;
                ws.stabilise(stabilisation);
                let found = maximal_dynamics(&self.model, &mut ws, state, inputs[2], &forces);
                let done = found.map(|found| {
                    let rows = results[0].chunks_exact_mut(6);
                    for (row, a) in rows.zip(&found.accelerations[1..]) {
                        row.copy_from_slice(&a.to_array());
                    }
                    write_forces(&found.joint_forces[1..], results[1]);
                    write_forces(found.loop_forces, results[2]);
                    results[3][0] = found.residual;
                });
                workspaces.give_back(ws);
                Ok(done?)
            })
        })?;
        named(py, "MaximalDynamics", results)
    }
}
