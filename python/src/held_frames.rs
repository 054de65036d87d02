//! Frames that are held: their dynamics, impacts, derivatives, and the KKT matrix.

use crate::argument::{FrameName, taken};
use crate::array::{Answer, Shape, Value};
use crate::forces::External;
use crate::loop_joints::placement;
use crate::loops::{integer, stabilisation, write_forces};
use crate::model::{Model, chosen};
use crate::pool::Pool;
use crate::properties::properties;
use crate::quantities::Reference;
use crate::spatial::SE3;
use crate::states::{Failure, check_out, for_each, for_each_named, for_each_one, named, one_state};
use featherline::kinematics::ReferenceFrame;
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline::words::Words;
use featherline_constraint::{
    ConstraintWorkspace, FrameConstraint as Stated, FrameConstraintKind, LoopError, Stabilisation,
    constrained_dynamics, constrained_dynamics_derivatives, constraint_jacobian, impulse_dynamics,
    impulse_dynamics_derivatives, kkt_inverse,
};
use nalgebra::{DMatrixView, DMatrixViewMut};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// A frame of a link that is held to the world, or to a frame of another link.
///
/// frame: the name of a joint, link or frame. kind: "point" holds its origin, by a force; "frame"
/// its origin and axes, by a force and a moment. placement: where the held frame is in the named
/// one; base, base_placement: the frame that it is held to, and where there, each as an SE3, a
/// homogeneous matrix or the three numbers of a position. reference: in which coordinates the force
/// is given: "local", "local_world_aligned" or "world". gains: (kp, kd) in 1/s² and 1/s, of the
/// acceleration -kp e - kd u that the frame is held at, with its gap e and velocity u; or
/// stabilisation: as for `loop_dynamics`. Only with kp does it matter where the frame is held.
///
/// >>> import featherline as fl
/// >>> fl.FrameConstraint("left_sole", "frame").rows
/// 6
#[pyclass(frozen, eq, module = "featherline", name = "FrameConstraint")]
#[derive(Clone, PartialEq)]
pub struct FrameConstraint {
    frame: String,
    kind: FrameConstraintKind,
    // Not in place: Python aligns objects to 16 bytes, and placements need 32.
    placement: Box<Se3<f64>>,
    base: String,
    base_placement: Box<Se3<f64>>,
    reference: ReferenceFrame,
    stabilisation: Stabilisation,
}

impl FrameConstraint {
    fn point(frame: String) -> Self {
        Self {
            frame,
            kind: FrameConstraintKind::Point,
            placement: Box::new(Se3::identity()),
            base: "world".to_owned(),
            base_placement: Box::new(Se3::identity()),
            reference: ReferenceFrame::Local,
            stabilisation: Stabilisation::NONE,
        }
    }

    /// The constraint that it states of a model.
    fn of(&self, model: &Model) -> PyResult<Stated> {
        let (joint, frame) = model.side(&self.frame)?;
        let (base, at) = model.side(&self.base)?;
        let stated = Stated::new(self.kind, joint, frame.compose(&self.placement));
        let stated = stated.held_by(base, at.compose(&self.base_placement));
        let stated = stated.expressed_in(self.reference);
        Ok(stated.stabilised(self.stabilisation))
    }
}

properties! { FrameConstraint:
    /// The name of the frame.
    frame: &str = |self| &self.frame;
    /// "point" or "frame".
    kind: &'static str = |self| self.kind.name();
    /// How many rows it has: 3 or 6.
    rows: usize = |self| self.kind.rows();
    /// Where the held frame is in the named one.
    placement: SE3 = |self| SE3::from_value(&self.placement);
    /// The frame that it is held to, or "world".
    base: &str = |self| &self.base;
    /// Where it is held there.
    base_placement: SE3 = |self| SE3::from_value(&self.base_placement);
    /// "local", "local_world_aligned" or "world".
    reference: &'static str = |self| self.reference.name();
    /// Damping and stiffness in 1/s, as for `loop_dynamics`.
    stabilisation: (f64, f64) = |self| (self.stabilisation.damping, self.stabilisation.stiffness);
}

#[pymethods]
impl FrameConstraint {
    #[new]
    #[pyo3(signature = (frame, kind="point", *, reference=Reference::USUAL, placement=None, base="world", base_placement=None, gains=None, stabilisation=None), text_signature = "(frame, kind='point', *, reference='local', placement=None, base='world', base_placement=None, gains=None, stabilisation=None)")]
    fn new(
        frame: FrameName<'_>,
        kind: &str,
        reference: Reference,
        placement: Option<Value<'_, '_>>,
        base: &str,
        base_placement: Option<Value<'_, '_>>,
        gains: Option<Value<'_, '_>>,
        stabilisation: Option<Value<'_, '_>>,
    ) -> PyResult<Self> {
        let stabilisation = match (gains, stabilisation) {
            (Some(gains), None) => self::gains(gains)?,
            (None, stabilisation) => crate::loops::stabilisation(stabilisation)?,
            (Some(_), Some(_)) => {
                let message = "gains and stabilisation state the same: give one of them";
                return Err(PyValueError::new_err(message));
            }
        };
        Ok(Self {
            frame: frame.0.to_owned(),
            kind: chosen("kind", kind)?,
            placement: Box::new(self::placement("placement", placement)?),
            base: base.to_owned(),
            base_placement: Box::new(self::placement("base_placement", base_placement)?),
            reference: reference.0,
            stabilisation,
        })
    }

    /// The same, held where the frame is in a configuration, as a foot when it is set down.
    ///
    /// >>> import featherline as fl
    /// >>> robot = fl.load("quadruped")
    /// >>> foot = fl.FrameConstraint("front_left_foot", gains=(100, 20))
    /// >>> foot = foot.held_at(robot, robot.neutral())
    /// >>> at = robot.placement(robot.neutral(), foot.frame)
    /// >>> np.allclose(foot.base_placement.homogeneous, at)
    /// True
    fn held_at(&self, model: &Model, q: Value<'_, '_>) -> PyResult<Self> {
        let q = one_state("q", q, model.model.nq())?;
        let stated = self.of(model)?;
        let (_, at) = model.side(&self.base)?;
        let found = model.with_workspace(|model, ws| {
            let placed = model.forward_kinematics(ws, &q)?;
            let in_world = |joint: JointId, frame: &Se3<f64>| match joint {
                JointId::UNIVERSE => *frame,
                _ => placed.placement(joint).compose(frame),
            };
            let held = in_world(stated.joint, &stated.placement);
            Ok(in_world(stated.base, &at).inverse_compose(&held))
        })?;
        Ok(Self {
            base_placement: Box::new(found),
            ..self.clone()
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let make = py.import("featherline._names")?.getattr("constraint")?;
        let stated = (
            self.frame(),
            self.kind(),
            self.reference(),
            self.placement(),
            self.base(),
            self.base_placement(),
            self.stabilisation(),
        );
        Ok((make, stated.into_pyobject(py)?.into_any()))
    }

    fn __repr__(&self) -> String {
        let (frame, kind, reference) = (&self.frame, self.kind(), self.reference());
        let base = &self.base;
        format!("FrameConstraint('{frame}', '{kind}', base='{base}', reference='{reference}')")
    }
}

/// Baumgarte's gains.
fn gains(value: Value<'_, '_>) -> PyResult<Stabilisation> {
    let (kp, kd): (f64, f64) = taken("gains", value, "(kp, kd) in 1/s² and 1/s")?;
    let is_gain = |x: f64| x.is_finite() && x >= 0.0;
    match is_gain(kp) && is_gain(kd) {
        true => Ok(Stabilisation::with_gains(kp, kd)),
        false => Err(PyValueError::new_err(
            "gains must be finite and not negative: (kp, kd) in 1/s² and 1/s",
        )),
    }
}

/// The constraints of a call: `FrameConstraint`s, and names for points.
fn listed(value: Value<'_, '_>) -> PyResult<Vec<FrameConstraint>> {
    let one = |value: &Bound<'_, PyAny>| -> Option<FrameConstraint> {
        if let Ok(constraint) = value.cast::<FrameConstraint>() {
            return Some(constraint.get().clone());
        }
        value.extract().ok().map(FrameConstraint::point)
    };
    if let Some(constraint) = one(value) {
        return Ok(vec![constraint]);
    }
    let expected = || {
        PyTypeError::new_err("constraints must be FrameConstraints, or names of frames for points")
    };
    let all = value.try_iter().map_err(|_| expected())?;
    all.map(|value| one(&value?).ok_or_else(expected)).collect()
}

/// The constraints of one call.
struct HeldFrames<'m> {
    model: &'m featherline::Model,
    constraints: Vec<Stated>,
    loops: Stabilisation,
    workspaces: Arc<Pool<ConstraintWorkspace>>,
    rows: usize,
}

impl Model {
    fn hold(&self, constraints: Value<'_, '_>, loops: Stabilisation) -> PyResult<HeldFrames<'_>> {
        let constraints = listed(constraints)?;
        let constraints = constraints.iter().map(|constraint| constraint.of(self));
        let constraints = constraints.collect::<PyResult<Vec<Stated>>>()?;
        let workspaces = self.constraint_workspaces.of(&constraints);
        // A fault of a constraint is an error, for many states, too.
        let ws = workspaces
            .try_take(|| ConstraintWorkspace::new(&self.model, &constraints))
            .map_err(|error| PyErr::from(Failure::from(error)))?;
        let rows = ws.rows();
        workspaces.give_back(ws);
        let model = &self.model;
        Ok(HeldFrames {
            model,
            constraints,
            loops,
            workspaces,
            rows,
        })
    }
}

impl HeldFrames<'_> {
    /// Runs a function on a workspace that remembers nothing.
    fn run<T>(
        &self,
        work: impl FnOnce(&featherline::Model, &mut ConstraintWorkspace) -> Result<T, LoopError>,
    ) -> Result<T, Failure> {
        let make = || ConstraintWorkspace::new(self.model, &self.constraints);
        let mut ws = self.workspaces.try_take(make)?;
        ws.forget_readings();
        ws.set_loop_stabilisation(self.loops);
        let done = work(self.model, &mut ws);
        self.workspaces.give_back(ws);
        Ok(done?)
    }

    /// Accelerations or velocities, forces at frames and in loops, multipliers, and two numbers.
    fn shapes(&self) -> [Shape; 6] {
        [
            Shape::Vector(self.model.nv()),
            Shape::Rows(self.constraints.len(), 6),
            Shape::Rows(self.model.loop_joints().len(), 6),
            Shape::Vector(self.rows),
            Shape::Scalar,
            Shape::Scalar,
        ]
    }

    /// A derivative of the multipliers.
    fn by_rows(&self) -> Shape {
        Shape::Matrix(self.rows, self.model.nv())
    }
}

/// Writes a matrix column by column.
fn write(matrix: DMatrixView<'_, f64>, out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(matrix.iter()) {
        *out = *x;
    }
}

#[pymethods]
impl Model {
    /// Forward dynamics while frames are held: the accelerations that the joint forces tau cause,
    /// and the forces at the frames.
    ///
    /// constraints: `FrameConstraint`s; a name stands for a point that is held to the world.
    /// Returns accelerations (nv,); forces (constraints, 6), [force; moment] on the link of each,
    /// in its reference; loop_forces (loops, 6); multipliers (m,), the entries of these that act,
    /// loops first; residual, the largest violation in m/s² and rad/s²; redundant, the number of
    /// redundant rows, which share their forces by the least length. The rows hold, they do not
    /// push: whether the ground can give the forces is for the caller to check. Loop joints join,
    /// with loop_stabilisation as for `loop_dynamics`. external_forces as for `rnea`. Damping,
    /// friction and springs are left out.
    ///
    /// >>> import featherline as fl
    /// >>> robot = fl.load("quadruped")
    /// >>> feet = ["front_left_foot", "front_right_foot"]
    /// >>> feet = [fl.FrameConstraint(foot, reference="local_world_aligned") for foot in feet]
    /// >>> rest = np.zeros(robot.nv)
    /// >>> robot.constrained_dynamics(robot.neutral(), rest, rest, feet).forces.shape
    /// (2, 6)
    #[pyo3(signature = (q, v, tau, constraints, external_forces=None, *, forces_in="local", loop_stabilisation=None, out=None))]
    fn constrained_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        loop_stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, stabilisation(loop_stabilisation)?)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("tau", tau)));
        let shapes = held.shapes();
        check_out(py, "ConstrainedDynamics", out)?;
        let mut results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
            let forces = external.acting.on_bodies(self, q, inputs.get(3))?;
            held.run(|model, ws| {
                let found = constrained_dynamics(model, ws, q, v, tau, &forces)?;
                results[0].copy_from_slice(found.accelerations);
                write_forces(found.forces, results[1]);
                write_forces(found.loop_forces, results[2]);
                results[3].copy_from_slice(found.multipliers);
                results[4][0] = found.residual;
                results[5][0] = found.redundant as f64;
                Ok(())
            })
        })?;
        results[5] = integer(results[5].clone())?;
        named(py, "ConstrainedDynamics", PyTuple::new(py, results)?)
    }

    /// The derivatives of `constrained_dynamics` by q, v and tau, and the accelerations and
    /// multipliers. The arguments are those of `constrained_dynamics`.
    ///
    /// Returns accelerations (nv,), their dq, dv and dtau (nv, nv), multipliers (m,), their
    /// multipliers_dq, multipliers_dv and multipliers_dtau (m, nv). External forces stay as they
    /// are where `forces_in` says. Where rows are redundant, derivatives of the multipliers
    /// are the shortest that the differentiated equations have.
    ///
    /// >>> import featherline as fl
    /// >>> robot, foot = fl.load("quadruped"), "front_left_foot"
    /// >>> q, rest = robot.neutral(), np.zeros(robot.nv)
    /// >>> d = robot.constrained_dynamics_derivatives(q, rest, rest, foot)
    /// >>> K = robot.constraint_jacobian(q, foot)
    /// >>> np.allclose(robot.crba(q) @ d.dtau, np.eye(robot.nv) + K.T @ d.multipliers_dtau)
    /// True
    #[pyo3(signature = (q, v, tau, constraints, external_forces=None, *, forces_in="local", loop_stabilisation=None, out=None))]
    fn constrained_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        forces_in: &str,
        loop_stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, stabilisation(loop_stabilisation)?)?;
        let external = External::read(self, external_forces, forces_in)?;
        let arguments = external.after(self, self.state(q, v, ("tau", tau)));
        let mut shapes = [self.square(); 8];
        shapes[0] = self.vector();
        shapes[4] = Shape::Vector(held.rows);
        shapes[5..].fill(held.by_rows());
        for_each_named(
            py,
            "ConstrainedDynamicsDerivatives",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
                let acting = &external.acting;
                let forces = acting.on_bodies(self, q, inputs.get(3))?;
                held.run(|model, ws| {
                    let found = constrained_dynamics_derivatives(model, ws, q, v, tau, &forces)?;
                    results[0].copy_from_slice(found.dynamics.accelerations);
                    for (k, matrix) in [found.dq, found.dv, found.dtau].into_iter().enumerate() {
                        results[1 + k].copy_from_slice(matrix.as_slice());
                    }
                    results[4].copy_from_slice(found.dynamics.multipliers);
                    write(found.multipliers_dq, results[5]);
                    write(found.multipliers_dv, results[6]);
                    write(found.multipliers_dtau, results[7]);
                    Ok(())
                })?;
                let [_, dq, _, dtau, _, by_q, _, by_tau] = results else {
                    return Ok(());
                };
                let derivatives = [
                    (self.model.nv(), &mut **dq, &**dtau),
                    (held.rows, by_q, by_tau),
                ];
                acting.add_change(self, q, inputs.get(3), derivatives)
            },
        )
    }

    /// The velocity after frames are caught while the robot moves at v, and the impulses at them.
    ///
    /// restitution: from 0, where the frames stop, to 1, where the kinetic energy stays.
    /// constraints as for `constrained_dynamics`, without their gains. Returns velocities (nv,);
    /// impulses (constraints, 6) in N·s and N·m·s on the link of each; loop_impulses (loops, 6);
    /// multipliers (m,); residual in m/s and rad/s; redundant.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> caught = pendulum.impulse_dynamics([0, 0], [2, 0], "elbow")
    /// >>> bool(abs(caught.velocities[0]) < 1e-12)
    /// True
    #[pyo3(signature = (q, v, constraints, restitution=0.0, *, out=None))]
    fn impulse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        restitution: f64,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, Stabilisation::NONE)?;
        let arguments = [self.q("q", q), self.tangent("v", v)];
        let shapes = held.shapes();
        check_out(py, "ImpulseDynamics", out)?;
        let mut results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            held.run(|model, ws| {
                let found = impulse_dynamics(model, ws, inputs[0], inputs[1], restitution)?;
                results[0].copy_from_slice(found.velocities);
                write_forces(found.impulses, results[1]);
                write_forces(found.loop_impulses, results[2]);
                results[3].copy_from_slice(found.multipliers);
                results[4][0] = found.residual;
                results[5][0] = found.redundant as f64;
                Ok(())
            })
        })?;
        results[5] = integer(results[5].clone())?;
        named(py, "ImpulseDynamics", PyTuple::new(py, results)?)
    }

    /// The derivatives of `impulse_dynamics` by q and v, and the velocities and multipliers. The
    /// arguments are those of `impulse_dynamics`.
    ///
    /// Returns velocities (nv,), their dq and dv (nv, nv), multipliers (m,), their multipliers_dq
    /// and multipliers_dv (m, nv).
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> d = pendulum.impulse_dynamics_derivatives([0, 0], [2, 0], "elbow")
    /// >>> np.allclose(d.dv @ [2, 0], d.velocities)
    /// True
    #[pyo3(signature = (q, v, constraints, restitution=0.0, *, out=None))]
    fn impulse_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        restitution: f64,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, Stabilisation::NONE)?;
        let arguments = [self.q("q", q), self.tangent("v", v)];
        let shapes = [
            self.vector(),
            self.square(),
            self.square(),
            Shape::Vector(held.rows),
            held.by_rows(),
            held.by_rows(),
        ];
        for_each_named(
            py,
            "ImpulseDynamicsDerivatives",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                held.run(|model, ws| {
                    let (q, v) = (inputs[0], inputs[1]);
                    let found = impulse_dynamics_derivatives(model, ws, q, v, restitution)?;
                    results[0].copy_from_slice(found.impact.velocities);
                    results[1].copy_from_slice(found.dq.as_slice());
                    results[2].copy_from_slice(found.dv.as_slice());
                    results[3].copy_from_slice(found.impact.multipliers);
                    write(found.multipliers_dq, results[4]);
                    write(found.multipliers_dv, results[5]);
                    Ok(())
                })
            },
        )
    }

    /// The blocks of the inverse of the KKT matrix [[M, Kᵀ], [K, 0]]: it is
    /// [[projected, generalised], [generalisedᵀ, -inertia]].
    ///
    /// Returns projected (nv, nv), accelerations by joint forces while the frames are held;
    /// generalised (nv, m), the dynamically consistent inverse of K; inertia (m, m), felt at the
    /// frames: (K M⁻¹ Kᵀ)⁻¹, or its pseudo-inverse where rows are redundant. constraints as for
    /// `constrained_dynamics`.
    ///
    /// >>> import featherline as fl
    /// >>> robot, foot = fl.load("quadruped"), "front_left_foot"
    /// >>> q = robot.neutral()
    /// >>> K = robot.constraint_jacobian(q, foot)
    /// >>> np.allclose(K @ robot.kkt_inverse(q, foot).generalised, np.eye(3))
    /// True
    #[pyo3(signature = (q, constraints, *, out=None))]
    fn kkt_inverse<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, Stabilisation::NONE)?;
        let (n, m) = (self.model.nv(), held.rows);
        let arguments = [self.q("q", q)];
        let shapes = [self.square(), Shape::Matrix(n, m), Shape::Matrix(m, m)];
        for_each_named(
            py,
            "KktInverse",
            &arguments,
            &shapes,
            out,
            |inputs, results| {
                held.run(|model, ws| {
                    let [projected, generalised, inertia] = results else {
                        return Ok(());
                    };
                    let projected = DMatrixViewMut::from_slice(projected, n, n);
                    let generalised = DMatrixViewMut::from_slice(generalised, n, m);
                    let inertia = DMatrixViewMut::from_slice(inertia, m, m);
                    kkt_inverse(model, ws, inputs[0], projected, generalised, inertia)
                })
            },
        )
    }

    /// The Jacobian K (m, nv) of constraints: K v are the velocities that they hold, in their
    /// references, those of loop joints first. constraints as for `constrained_dynamics`.
    ///
    /// >>> import featherline as fl
    /// >>> robot = fl.load("quadruped")
    /// >>> robot.constraint_jacobian(robot.neutral(), "front_left_foot").shape
    /// (3, 18)
    #[pyo3(signature = (q, constraints, *, out=None))]
    fn constraint_jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        constraints: Value<'_, 'py>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let held = self.hold(constraints, Stabilisation::NONE)?;
        let (n, m) = (self.model.nv(), held.rows);
        let arguments = [self.q("q", q)];
        for_each_one(py, &arguments, held.by_rows(), out, |inputs, result| {
            held.run(|model, ws| {
                let jacobian = DMatrixViewMut::from_slice(result, m, n);
                constraint_jacobian(model, ws, inputs[0], jacobian)
            })
        })
    }
}
