//! Maximal coordinates: where every body is and how it moves, and the forces in all joints.

use crate::array::{Answer, Argument, Numbers, Shape, Value, filled, flattened};
use crate::forces::External;
use crate::kinematics::write_homogeneous;
use crate::loops::{stabilisation, write_forces};
use crate::model::Model;
use crate::states::{Failure, for_each_named, named};
use featherline::Workspace;
use featherline::model::JointId;
use featherline::spatial::{Mat3, Motion, Quaternion, Se3, Vec3};
use featherline_constraint::Stabilisation;
use featherline_sim::maximal::{
    KktBlocks, MaximalError, MaximalState, MaximalWorkspace, Pose, kkt_recursion, maximal_dynamics,
    substitute,
};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

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
fn write_state(state: &MaximalState, results: &mut [&mut [f64]]) {
    for (out, pose) in results[0].chunks_exact_mut(16).zip(&state.poses[1..]) {
        write_homogeneous(&pose.placement(), out);
    }
    for (out, velocity) in results[1].chunks_exact_mut(6).zip(&state.velocities[1..]) {
        out.copy_from_slice(&velocity.to_array());
    }
}

/// Room for a state of a model.
pub fn room(model: &featherline::Model) -> MaximalState {
    let pose = Pose {
        position: Vec3::zero(),
        orientation: Quaternion::from_rotation(&Mat3::identity()),
    };
    MaximalState {
        poses: vec![pose; model.joints().len()],
        velocities: vec![Motion::zero(); model.joints().len()],
        coordinates: model.neutral_configuration(),
    }
}

/// Reads homogeneous matrices, row by row, and velocities of all bodies but the universe; joint
/// coordinates are sought from `near`.
fn read_state(
    model: &featherline::Model,
    [poses, velocities]: [&[f64]; 2],
    near: &[f64],
    state: &mut MaximalState,
) -> Result<(), Failure> {
    state.coordinates.copy_from_slice(near);
    let joints = model.joints()[1..].iter().zip(&mut state.poses[1..]);
    for (m, (joint, pose)) in poses.chunks_exact(16).zip(joints) {
        let mut rows = [[0.0; 4]; 4];
        rows.as_flattened_mut().copy_from_slice(m);
        let placement = Se3::from_homogeneous(rows);
        let placement = placement.map_err(|fault| Failure {
            error: PyValueError::new_err(format!(
                "the pose of joint `{}` is no placement: {fault}",
                joint.name
            )),
            of_state: true,
        })?;
        *pose = Pose {
            position: placement.translation,
            orientation: Quaternion::from_rotation(&placement.rotation),
        };
    }
    let given = velocities.as_chunks::<6>().0;
    for (own, &six) in state.velocities[1..].iter_mut().zip(given) {
        *own = Motion::from_array(six);
    }
    Ok(())
}

/// The state of a call: q and v, or poses and velocities, which joint coordinates are sought for
/// from `near`.
struct StateInput<'py> {
    /// Names, values, and how many numbers a state has.
    inputs: Vec<(&'static str, Bound<'py, PyAny>, usize)>,
    near: Option<Vec<f64>>,
}

impl<'py> StateInput<'py> {
    fn bodies(model: &Model, poses: Value<'_, 'py>, velocities: Value<'_, 'py>) -> PyResult<Self> {
        let n = model.bodies();
        let expected = format!("({n}, 4, 4) or (n, {n}, 4, 4)");
        let poses = flattened("poses", poses, &[n, 4, 4], &expected)?;
        let expected = format!("({n}, 6) or (n, {n}, 6)");
        let velocities = flattened("velocities", velocities, &[n, 6], &expected)?;
        Ok(Self {
            inputs: vec![("poses", poses, 16 * n), ("velocities", velocities, 6 * n)],
            near: Some(model.model.neutral_configuration()),
        })
    }

    /// The state, and joint forces.
    fn read(
        model: &Model,
        q: Option<Value<'_, 'py>>,
        v: Option<Value<'_, 'py>>,
        tau: Option<Value<'_, 'py>>,
        state: Option<Value<'_, 'py>>,
    ) -> PyResult<Self> {
        let (nq, nv) = (model.model.nq(), model.model.nv());
        let mut given = match (q, v, state) {
            (Some(q), Some(v), None) => Self {
                inputs: vec![("q", q.clone(), nq), ("v", v.clone(), nv)],
                near: None,
            },
            (None, None, Some(state)) => {
                let parts = state.extract::<(Bound<'py, PyAny>, Bound<'py, PyAny>)>();
                let (poses, velocities) = parts.map_err(|_| {
                    PyTypeError::new_err("state is (poses, velocities), as `to_maximal` gives them")
                })?;
                Self::bodies(model, &poses, &velocities)?
            }
            _ => {
                return Err(PyTypeError::new_err(
                    "give q and v, or state=(poses, velocities) in their place",
                ));
            }
        };
        let tau = tau.ok_or_else(|| PyTypeError::new_err("tau is missing"))?;
        given.inputs.push(("tau", tau.clone(), nv));
        Ok(given)
    }

    fn arguments(&self) -> impl Iterator<Item = Argument<'_, 'py>> {
        let argument = |(name, value, width)| Argument { name, value, width };
        let inputs = self
            .inputs
            .iter()
            .map(|(name, value, width)| (*name, value, *width));
        inputs.map(argument)
    }
}

impl Model {
    /// Works on a state, q and v or poses and velocities, in memory that is used again.
    fn with_state<T>(
        &self,
        near: Option<&[f64]>,
        inputs: [&[f64]; 2],
        work: impl FnOnce(&MaximalState) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // One that fails is not given back: it may have numbers that are none.
        let mut state = self.maximal_states.take(|| room(&self.model));
        if let Some(near) = near {
            read_state(&self.model, inputs, near, &mut state)?;
        } else {
            let mut ws = self.workspaces.take(|| Workspace::new(&self.model));
            let set = state.set_joints(&self.model, &mut ws, inputs[0], inputs[1]);
            self.workspaces.give_back(ws);
            set?;
        }
        let found = work(&state)?;
        self.maximal_states.give_back(state);
        Ok(found)
    }
}

/// The blocks of one body, as a named tuple.
fn blocks_of<'py>(py: Python<'py>, model: &Model, own: &KktBlocks) -> Answer<'py> {
    let name = |joint: JointId| model.model.joint(joint).name.as_str();
    let above = (own.above != JointId::UNIVERSE).then(|| name(own.above));
    let matrix = |of: &nalgebra::DMatrix<f64>| {
        let (rows, columns) = of.shape();
        filled(py, Shape::Matrix(rows, columns), None, of.as_slice())
    };
    let vector = |of: &[f64]| PyArray1::from_slice(py, of);
    let fields = (
        name(own.joint),
        above,
        own.constraints,
        filled(py, Shape::Matrix(6, 6), None, own.M.as_slice())?,
        vector(own.f.as_slice()),
        matrix(&own.C)?,
        matrix(&own.C_above)?,
        vector(own.d.as_slice()),
        matrix(&own.W)?,
        vector(own.w.as_slice()),
        matrix(&own.S)?,
        vector(own.s.as_slice()),
    );
    named(py, "KktBlocks", fields)
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
        for_each_named(
            py,
            "MaximalState",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                self.with_state(None, [inputs[0], inputs[1]], |state| {
                    write_state(state, results);
                    Ok(())
                })
            },
        )
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
        let given = StateInput::bodies(self, poses, velocities)?;
        let neutral = PyArray1::from_vec(py, self.model.neutral_configuration::<f64>());
        let near = self.q("near", near.unwrap_or(neutral.as_any()));
        let arguments: Vec<Argument<'_, 'py>> = given.arguments().chain([near]).collect();
        let shapes = [
            Shape::Vector(self.model.nq()),
            self.vector(),
            Shape::Scalar,
            Shape::Scalar,
        ];
        for_each_named(
            py,
            "JointState",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let state = [inputs[0], inputs[1]];
                self.with_state(Some(inputs[2]), state, |state| {
                    let [q, v, gap, gap_velocity] = results else {
                        return Ok(());
                    };
                    let found = state.to_joints(&self.model, q, v)?;
                    (gap[0], gap_velocity[0]) = (found.position, found.velocity);
                    Ok(())
                })
            },
        )
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
    /// state: poses and velocities as `to_maximal` gives them, in place of q and v. They may
    /// violate the joints, and are taken as they are; `from_maximal` tells by how much.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> hanging = pendulum.maximal_dynamics([0, 0], [0, 0], [0, 0])
    /// >>> bool(abs(hanging.joint_forces[0, 2] - 9.81 * pendulum.total_mass) < 1e-9)
    /// True
    /// >>> state = pendulum.to_maximal([0.3, -0.2], [1.0, 0.0])
    /// >>> found = pendulum.maximal_dynamics(tau=[0, 0], state=state)
    /// >>> expected = pendulum.maximal_dynamics([0.3, -0.2], [1.0, 0.0], [0, 0])
    /// >>> bool(abs(found.accelerations - expected.accelerations).max() < 1e-12)
    /// True
    #[pyo3(signature = (q=None, v=None, tau=None, external_forces=None, *, forces_in="local", state=None, stabilisation=None, out=None))]
    fn maximal_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Option<Value<'_, 'py>>,
        v: Option<Value<'_, 'py>>,
        tau: Option<Value<'_, 'py>>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        state: Option<Value<'_, 'py>>,
        stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let stabilisation = self::stabilisation(stabilisation)?;
        let external = External::read(self, external_forces, forces_in)?;
        let given = StateInput::read(self, q, v, tau, state)?;
        let arguments = external.after(self, given.arguments());
        let near = given.near.as_deref();
        let shapes = [
            Shape::Rows(self.bodies(), 6),
            Shape::Rows(self.bodies(), 6),
            Shape::Rows(self.model.loop_joints().len(), 6),
            Shape::Scalar,
        ];
        for_each_named(
            py,
            "MaximalDynamics",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                self.with_state(near, [inputs[0], inputs[1]], |state| {
                    let workspaces = &self.maximal_workspaces;
                    let mut ws = workspaces.try_take(|| MaximalWorkspace::new(&self.model))?;
                    ws.stabilise(stabilisation);
                    let acting = &external.acting;
                    let forces = acting.on_bodies_of(&self.model, state, inputs.get(3))?;
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
            },
        )
    }

    /// The blocks of the KKT system of a tree and of its elimination, body by body, by the letters
    /// of lectures on maximal coordinates, and its solution. One state; for many and for speed
    /// there is `maximal_dynamics`.
    ///
    /// With λ the multipliers of a body's constraints, p the body above and c those carried, M v̇ +
    /// Cᵀ λ + Σ C_cᵀ λ_c = f and C v̇ + C_above v̇_p = d; v̇ = W λ + w and λ = S v̇_p + s after the
    /// elimination from the leaves to the root. A drive with armature has a row of C below those of
    /// `constraints`, in which −λ is added.
    ///
    /// Returns blocks, for each joint its name, that of the joint `above`, constraints, M (6, 6),
    /// f (6,), C (m, 6), C_above (m, 6), d (m,), W (6, m), w (6,), S (m, 6), s (m,); accelerations
    /// (joints, 6), v̇ in the joints' frames; multipliers, λ (m,) for each joint. state as for
    /// `maximal_dynamics`.
    ///
    /// Raises ValueError for closed loops and mimic joints, and where a body has no inertia.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> found = pendulum.kkt_recursion([0.3, -0.2], [1.0, 0.5], [0, 0])
    /// >>> elbow = found.blocks[1]
    /// >>> elbow.joint, elbow.above, elbow.C.shape
    /// ('elbow', 'shoulder', (5, 6))
    /// >>> rest = elbow.M @ found.accelerations[1] + elbow.C.T @ found.multipliers[1] - elbow.f
    /// >>> bool(abs(rest).max() < 1e-9)
    /// True
    #[pyo3(signature = (q=None, v=None, tau=None, external_forces=None, *, forces_in="local", state=None))]
    fn kkt_recursion<'py>(
        &self,
        py: Python<'py>,
        q: Option<Value<'_, 'py>>,
        v: Option<Value<'_, 'py>>,
        tau: Option<Value<'_, 'py>>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        state: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let external = External::read(self, external_forces, forces_in)?;
        let given = StateInput::read(self, q, v, tau, state)?;
        let arguments = external.after(self, given.arguments());
        let numbers = arguments.iter().map(Numbers::<f64>::read_one);
        let numbers: Vec<Numbers<'_, f64>> = numbers.collect::<PyResult<_>>()?;
        let inputs: Vec<&[f64]> = numbers.iter().map(|own| &**own).collect();
        let blocks = self.with_state(given.near.as_deref(), [inputs[0], inputs[1]], |state| {
            let workspaces = &self.maximal_workspaces;
            let mut ws = workspaces.try_take(|| MaximalWorkspace::new(&self.model))?;
            ws.stabilise(Stabilisation::NONE);
            let acting = &external.acting;
            let forces = acting.on_bodies_of(&self.model, state, inputs.get(3))?;
            let found = kkt_recursion(&self.model, &mut ws, state, inputs[2], &forces);
            workspaces.give_back(ws);
            Ok(found?)
        })?;
        let solution = substitute(&blocks);
        let of_blocks = blocks.iter().map(|own| blocks_of(py, self, own));
        let of_blocks: Vec<Bound<'py, PyAny>> = of_blocks.collect::<PyResult<_>>()?;
        let accelerations = solution.accelerations.iter();
        let accelerations: Vec<f64> = accelerations.flatten().copied().collect();
        let multipliers = solution.multipliers.iter();
        let multipliers = multipliers.map(|own| PyArray1::from_slice(py, own.as_slice()));
        let multipliers = PyList::new(py, multipliers.collect::<Vec<_>>())?;
        let accelerations = filled(py, Shape::Rows(self.bodies(), 6), None, &accelerations)?;
        named(py, "KktRecursion", (of_blocks, accelerations, multipliers))
    }
}
