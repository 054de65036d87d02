//! Closed loops: loop joints, assembly, and dynamics with the forces that keep loops closed.

use crate::array::{Answer, Shape, Value, fixed};
use crate::forces::{External, on_bodies};
use crate::model::{Model, Part};
use crate::properties::properties;
use crate::spatial::SE3;
use crate::spatial::read;
use crate::states::{Failure, check_out, for_each, for_each_one, named, one_state};
use featherline::joint::JointKind;
use featherline::kinematics::Target;
use featherline::model::{JointId, LoopJoint};
use featherline::spatial::{Force, Se3, Vec3};
use featherline_constraint::{
    LoopError, LoopWorkspace, Stabilisation, assemble, loop_dynamics, loop_dynamics_derivatives,
    loop_gap, loop_gaps, project_velocity, with_contacts,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A joint that closes a loop: between two bodies of the tree, without entries in q and v.
///
/// Loops are equal if they are the same of equal models; they can be hashed and pickled.
#[pyclass(frozen, eq, hash, module = "featherline", name = "Loop")]
#[derive(PartialEq, Eq, Hash)]
pub struct Loop(Part);

impl Loop {
    fn closing(&self) -> &LoopJoint {
        &self.0.of().loop_joints()[self.0.index]
    }
}

properties! { Loop:
    /// The loop's name.
    name: &str = |self| &self.closing().name;
    /// Such as "revolute" or "spherical".
    kind: &'static str = |self| self.closing().kind.name();
    /// Its place among the loops.
    index: usize = |self| self.0.index;
    /// The joint that moves the body on one side; None for the world.
    predecessor: Option<&str> = |self| self.0.joint(self.closing().predecessor);
    /// The joint that moves the body on the other side; None for the world.
    successor: Option<&str> = |self| self.0.joint(self.closing().successor);
    /// How many motions between the two it holds.
    constraints: usize = |self| self.closing().constraints();
    /// Where the loop joint is, in the predecessor's joint frame.
    predecessor_placement: SE3 = |self| SE3::from_value(&self.closing().predecessor_placement);
    /// Where it is in the successor's joint frame.
    successor_placement: SE3 = |self| SE3::from_value(&self.closing().successor_placement);
}

#[pymethods]
impl Loop {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.0.reduce(py, "loops", self.name())
    }

    fn __repr__(&self) -> String {
        format!(
            "Loop('{}', {}, predecessor='{}', successor='{}', constraints={})",
            self.name(),
            self.kind(),
            self.predecessor().unwrap_or("world"),
            self.successor().unwrap_or("world"),
            self.constraints()
        )
    }
}

impl From<LoopError> for Failure {
    fn from(error: LoopError) -> Self {
        match error {
            LoopError::Tree(error) => error.into(),
            error => Self {
                error: PyValueError::new_err(error.to_string()),
                of_state: true,
            },
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

    /// The joint that moves what a name means, a joint, link, frame or "world", and the place
    /// there.
    fn side(&self, name: &str) -> PyResult<(JointId, Se3<f64>)> {
        match self.target(name) {
            Ok(Target::Joint(joint)) => Ok((joint, Se3::identity())),
            Ok(Target::Frame(frame)) => {
                let frame = self.model.frame(frame);
                Ok((frame.joint, frame.placement))
            }
            Err(_) if matches!(name, "world" | "universe") => {
                Ok((JointId::UNIVERSE, Se3::identity()))
            }
            Err(error) => Err(error),
        }
    }
}

/// A placement, or the three numbers of a position.
fn placement(name: &'static str, value: Option<Value<'_, '_>>) -> PyResult<Se3<f64>> {
    let Some(value) = value else {
        return Ok(Se3::identity());
    };
    match value.extract::<[f64; 3]>() {
        Ok([x, y, z]) => Ok(Se3::from_translation(Vec3::new(x, y, z))),
        Err(_) => read::placement(name, value),
    }
}

/// The kind of a loop joint, by its name and parameters.
fn kind(
    word: &str,
    axis: Option<Value<'_, '_>>,
    second_axis: Option<Value<'_, '_>>,
    pitch: Option<f64>,
) -> PyResult<JointKind> {
    let need = |value: Option<Value<'_, '_>>, name: &str| {
        let value = value.ok_or_else(|| {
            PyValueError::new_err(format!("a {word} joint needs {name}, three numbers"))
        })?;
        let [x, y, z] = fixed(name, value, &[3])?;
        PyResult::Ok(Vec3::new(x, y, z))
    };
    let is_unused = |value: bool, name: &str, of: &str| match value {
        false => Ok(()),
        true => Err(PyValueError::new_err(format!(
            "{name} is for {of} joints, not for a {word} joint"
        ))),
    };
    let axial = [
        "revolute",
        "prismatic",
        "helical",
        "cylindrical",
        "universal",
    ];
    is_unused(
        axis.is_some() && !axial.contains(&word),
        "axis",
        "revolute, prismatic, helical, cylindrical and universal",
    )?;
    is_unused(
        second_axis.is_some() && word != "universal",
        "second_axis",
        "universal",
    )?;
    is_unused(pitch.is_some() && word != "helical", "pitch", "helical")?;
    let kind = match word {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute {
            axis: need(axis, "axis")?,
        },
        "prismatic" => JointKind::Prismatic {
            axis: need(axis, "axis")?,
        },
        "helical" => JointKind::Helical {
            axis: need(axis, "axis")?,
            pitch: pitch
                .ok_or_else(|| PyValueError::new_err("a helical joint needs pitch, in m/rad"))?,
        },
        "cylindrical" => JointKind::Cylindrical {
            axis: need(axis, "axis")?,
        },
        "universal" => JointKind::Universal {
            first: need(axis, "axis")?,
            second: need(second_axis, "second_axis")?,
        },
        "planar" => JointKind::Planar,
        "translation" => JointKind::Translation,
        "spherical" => JointKind::Spherical,
        _ => {
            return Err(PyValueError::new_err(format!(
                "kind must be 'fixed', 'revolute', 'prismatic', 'helical', 'cylindrical', 'universal', 'planar', \
                 'translation' or 'spherical', not '{word}'"
            )));
        }
    };
    Ok(kind)
}

/// What pulls drifting loops together: nothing, a time in s, or damping and stiffness in 1/s.
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
    /// The loop joints by name or place: those between bodies of the tree, which close loops.
    ///
    /// >>> import featherline as fl
    /// >>> fl.load("four_bar").loops["loop"]
    /// Loop('loop', revolute, predecessor='coupler', successor='rocker', constraints=5)
    #[getter]
    fn loops<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let loops = PyDict::new(slf.py());
        for (index, closing) in slf.get().model.loop_joints().iter().enumerate() {
            loops.set_item(&closing.name, Loop(Part::new(slf, index)))?;
        }
        crate::model::names(slf.py(), "loop", loops)
    }

    /// The model with one more loop joint, which joins two links, joints or frames.
    ///
    /// predecessor, successor: the names of the two, or "world". predecessor_placement,
    /// successor_placement: where the loop joint is in each of these frames, as an SE3, a
    /// homogeneous matrix or the three numbers of a position; by default at their origins.
    /// kind: "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar",
    /// "translation" or "spherical". axis, second_axis: the axes of the kinds that have them;
    /// pitch: in m/rad, of a helical joint.
    ///
    /// >>> import featherline as fl
    /// >>> pendulum = fl.load("double_pendulum")
    /// >>> pinned = pendulum.with_loop("pin", "world", "lower_rod", "spherical",
    /// ...     predecessor_placement=[0.6, 0, -1.6], successor_placement=[0, 0, -1])
    /// >>> pinned.loops["pin"].constraints
    /// 3
    #[pyo3(signature = (name, predecessor, successor, kind="revolute", *, axis=None, second_axis=None, pitch=None, predecessor_placement=None, successor_placement=None))]
    fn with_loop(
        &self,
        name: String,
        predecessor: &str,
        successor: &str,
        kind: &str,
        axis: Option<Value<'_, '_>>,
        second_axis: Option<Value<'_, '_>>,
        pitch: Option<f64>,
        predecessor_placement: Option<Value<'_, '_>>,
        successor_placement: Option<Value<'_, '_>>,
    ) -> PyResult<Self> {
        let (predecessor, from) = self.side(predecessor)?;
        let (successor, to) = self.side(successor)?;
        let kind = self::kind(kind, axis, second_axis, pitch)?;
        let on_predecessor = placement("predecessor_placement", predecessor_placement)?;
        let on_successor = placement("successor_placement", successor_placement)?;
        let model = featherline::Model::clone(&self.model).with_loop_joint(LoopJoint {
            name,
            kind,
            predecessor,
            predecessor_placement: from.compose(&on_predecessor),
            successor,
            successor_placement: to.compose(&on_successor),
        });
        Ok(model
            .map_err(|e| PyValueError::new_err(e.to_string()))?
            .into())
    }

    /// The robot with frames held to the world where they are at q: one loop joint for each, named
    /// "contact:" and the frame's name.
    ///
    /// frames: names of joints, links or frames. kind: "spherical" for point feet, "fixed" for flat
    /// ones; others roll or slide, about or along axes in the frame's axes. `loop_dynamics` has the
    /// contact forces on the robot, [force, moment] in the frame's axes, at its origin. Whether the
    /// ground can give them is for the caller to check.
    ///
    /// >>> import featherline as fl
    /// >>> robot = fl.load("quadruped")
    /// >>> feet = ["front_left_foot", "rear_right_foot"]
    /// >>> list(robot.with_contacts(robot.neutral(), feet).loops)
    /// ['contact:front_left_foot', 'contact:rear_right_foot']
    #[pyo3(signature = (q, frames, kind="spherical", *, axis=None, second_axis=None, pitch=None))]
    fn with_contacts(
        &self,
        q: Value<'_, '_>,
        frames: Vec<String>,
        kind: &str,
        axis: Option<Value<'_, '_>>,
        second_axis: Option<Value<'_, '_>>,
        pitch: Option<f64>,
    ) -> PyResult<Self> {
        let q = one_state("q", q, self.model.nq())?;
        let kind = self::kind(kind, axis, second_axis, pitch)?;
        let frames = frames.iter().map(String::as_str);
        let standing = with_contacts(&self.model, &q, &kind, frames).map_err(Failure::from)?;
        Ok(standing.into())
    }

    /// The spanning tree: the model without loop joints.
    ///
    /// >>> import featherline as fl
    /// >>> len(fl.load("four_bar").without_loops().loops)
    /// 0
    fn without_loops(&self) -> Self {
        featherline::Model::clone(&self.model)
            .without_loop_joints()
            .into()
    }

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
        named(
            py,
            "LoopGap",
            vec![
                gap.position.into_pyobject(py)?.into_any(),
                gap.velocity.into_pyobject(py)?.into_any(),
                widest.into_pyobject(py)?.into_any(),
            ],
        )
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
        let loops = self.model.loop_joints().len();
        let arguments = [self.q("q", q)];
        for_each_one(
            py,
            &arguments,
            Shape::Rows(loops, 6),
            out,
            |inputs, result| {
                self.with_loop_workspace(|model, ws| {
                    let gaps = loop_gaps(model, ws, inputs[0])?;
                    for (row, gap) in result.chunks_exact_mut(6).zip(gaps) {
                        row.copy_from_slice(&gap.to_array());
                    }
                    Ok(())
                })
            },
        )
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
        let arguments = [self.q("q", q)];
        for_each_one(
            py,
            &arguments,
            Shape::Vector(self.model.nq()),
            out,
            |inputs, result| {
                self.with_loop_workspace(|model, ws| {
                    result.copy_from_slice(inputs[0]);
                    assemble(model, ws, result).map(drop)
                })
            },
        )
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
    #[pyo3(signature = (q, v, tau, external_forces=None, *, stabilisation=None, out=None))]
    fn loop_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let stabilisation = self::stabilisation(stabilisation)?;
        let external = External::read(self, external_forces)?;
        let others = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("tau", tau),
        ];
        let arguments = external.after(self, others);
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
            self.with_loop_workspace(|model, ws| {
                let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
                let external = on_bodies(inputs.get(3));
                let found = loop_dynamics(model, ws, q, v, tau, &external, &stabilisation)?;
                results[0].copy_from_slice(found.accelerations);
                write_forces(found.loop_forces, results[1]);
                results[2][0] = found.residual;
                results[3][0] = found.redundant as f64;
                results[4][0] = found.condition;
                Ok(())
            })
        })?;
        results[3] = integer(results[3].clone())?;
        named(py, "LoopDynamics", results)
    }

    /// The derivatives of `loop_dynamics` by q, v and tau, and the accelerations and loop forces.
    ///
    /// Returns accelerations (nv,), their dq, dv and dtau (nv, nv), loop_forces (loops, 6), their
    /// loop_forces_dq, loop_forces_dv and loop_forces_dtau (loops, 6, nv). Coordinates change one
    /// by one, so most columns open loops: of changes δq, δv that keep loops closed, such as
    /// `project_velocity` gives, the derivative is dq δq + dv δv. The arguments are those of
    /// `loop_dynamics`; external forces stay as they are in the frames of their joints.
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
    #[pyo3(signature = (q, v, tau, external_forces=None, *, stabilisation=None, out=None))]
    fn loop_dynamics_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        external_forces: Option<Value<'_, 'py>>,
        stabilisation: Option<Value<'_, 'py>>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let stabilisation = self::stabilisation(stabilisation)?;
        let external = External::read(self, external_forces)?;
        let others = [
            self.q("q", q),
            self.tangent("v", v),
            self.tangent("tau", tau),
        ];
        let arguments = external.after(self, others);
        let (loops, nv) = (self.model.loop_joints().len(), self.model.nv());
        let mut shapes = [self.square(); 8];
        shapes[0] = self.vector();
        shapes[4] = Shape::Rows(loops, 6);
        shapes[5..].fill(Shape::Matrices(loops, 6, nv));
        check_out(py, "LoopDynamicsDerivatives", out)?;
        let results = for_each(py, &arguments, &shapes, out, |inputs, results| {
            self.with_loop_workspace(|model, ws| {
                let (q, v, tau) = (inputs[0], inputs[1], inputs[2]);
                let external = on_bodies(inputs.get(3));
                let found =
                    loop_dynamics_derivatives(model, ws, q, v, tau, &external, &stabilisation)?;
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
                        column.copy_from_slice(&matrix.column(k).as_slice()[6 * of..6 * of + 6]);
                    }
                }
                Ok(())
            })
        })?;
        named(py, "LoopDynamicsDerivatives", results)
    }
}
