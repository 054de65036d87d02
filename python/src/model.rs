//! A robot: its joints, frames and properties.

use crate::array;
use crate::array::Answer;
use crate::pool::{Pool, Pools};
use crate::properties::properties;
use featherline::Workspace;
use featherline::batch::Batch;
use featherline::kernel::unit_entries;
use featherline::model::{FrameId, FrameKind, JointId};
use featherline::words::{DidYouMean, Words, closest};
use featherline_constraint::{ConstraintWorkspace, FrameConstraint, LoopWorkspace};
use featherline_formats::{Robot as Read, model_file};
use featherline_sim::maximal::{MaximalState, MaximalWorkspace};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::HashMap;
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::Arc;

/// A robot: a tree of joints and bodies, and the algorithms on it.
///
/// Made by `load`. It does not change; it can be compared, hashed, copied and pickled, and used by
/// many threads at once. Memory for algorithms is kept with it.
///
/// In the examples of its methods:
///
/// >>> import numpy as np
/// >>> import featherline as fl
/// >>> panda = fl.load("panda")
/// >>> q, v, a = panda.random_configuration(seed=1), np.full(7, 0.5), np.ones(7)
#[pyclass(frozen, eq, hash, module = "featherline", name = "Model", weakref)]
pub struct Model {
    /// Not in place: Python aligns objects to 16 bytes, and vectors in a model need 32.
    pub model: Arc<featherline::Model>,
    pub workspaces: Pool<Workspace<f64>>,
    pub double_batches: Pool<Batch<f64>>,
    pub single_batches: Pool<Batch<f32>>,
    pub loop_workspaces: Pool<LoopWorkspace>,
    pub constraint_workspaces: Pools<Vec<FrameConstraint>, ConstraintWorkspace>,
    pub maximal_workspaces: Pool<MaximalWorkspace>,
    pub maximal_states: Pool<MaximalState>,
    /// Where quaternions begin in a configuration.
    pub quaternions: Box<[usize]>,
    pub shapes: Shapes,
}

/// The shapes of a model's links, as far as they are known.
#[derive(Clone)]
pub enum Shapes {
    /// It has none: it is no file's.
    None,
    /// They were lost with a pickle or a change of the model.
    Lost,
    /// Those of a description.
    Of(Arc<Read>),
}

impl From<featherline::Model> for Model {
    fn from(model: featherline::Model) -> Self {
        let units = unit_entries(&model).into_iter();
        let quaternions = units.filter(|unit| unit.len() == 4);
        Self {
            quaternions: quaternions.map(|unit| unit.start).collect(),
            model: Arc::new(model),
            workspaces: Pool::new(),
            double_batches: Pool::new(),
            single_batches: Pool::new(),
            loop_workspaces: Pool::new(),
            constraint_workspaces: Pools::new(),
            maximal_workspaces: Pool::new(),
            maximal_states: Pool::new(),
            shapes: Shapes::None,
        }
    }
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
            || self.model.content_hash() == other.model.content_hash()
    }
}

impl Eq for Model {}

impl std::hash::Hash for Model {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.model.content_hash().hash(state);
    }
}

impl Model {
    /// The model of a robot that was read, with its shapes.
    pub fn of_robot(read: Arc<Read>) -> Self {
        Self {
            shapes: Shapes::Of(read.clone()),
            ..read.model.clone().into()
        }
    }

    /// A model made of this one, whose joints are others.
    pub fn changed(&self, model: featherline::Model) -> Self {
        let shapes = match self.shapes {
            Shapes::None => Shapes::None,
            Shapes::Lost | Shapes::Of(_) => Shapes::Lost,
        };
        Self {
            shapes,
            ..model.into()
        }
    }

    /// A model made of this one with the same joints and bodies.
    pub fn with_same_joints(&self, model: featherline::Model) -> Self {
        Self {
            shapes: self.shapes.clone(),
            ..model.into()
        }
    }
}

/// The value of one of the words that an option takes; the first word of a value is its name.
pub fn choice<T: Copy + PartialEq>(name: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let mut all = choices.iter();
    let found = all.find(|(choice, _)| choice.eq_ignore_ascii_case(word));
    found.map(|(_, value)| *value).ok_or_else(|| {
        let near = closest(word, choices.iter().map(|(choice, _)| *choice));
        PyValueError::new_err(format!(
            "{name} must be {}, not '{word}'{}",
            quoted(choices),
            DidYouMean(near)
        ))
    })
}

/// The words of a choice in a message, with the other words of a value after its name.
pub fn quoted<T: Copy + PartialEq>(choices: &[(&str, T)]) -> String {
    let mut all: Vec<(T, String, Vec<&str>)> = Vec::new();
    for &(word, value) in choices {
        match all.iter_mut().find(|(known, ..)| *known == value) {
            Some((_, _, others)) => others.push(word),
            None => all.push((value, format!("'{word}'"), Vec::new())),
        }
    }
    let shown = all.iter().map(|(_, name, others)| match others.len() {
        0 => name.clone(),
        _ => format!("{name} ({})", others.join(", ")),
    });
    shown.collect::<Vec<_>>().join(" or ")
}

/// [`choice`] among the words that the command line takes, too.
pub fn chosen<T: Words>(name: &str, word: &str) -> PyResult<T> {
    choice(name, word, T::WORDS)
}

/// A joint, frame or loop: its model, and its place there.
///
/// Two are equal if they have the same place in equal models.
pub struct Part {
    pub model: Py<Model>,
    pub index: usize,
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.model.get() == other.model.get()
    }
}

impl Eq for Part {}

impl std::hash::Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.model.get().model.name().hash(state);
        self.index.hash(state);
    }
}

impl Part {
    pub fn new(model: &Bound<'_, Model>, index: usize) -> Self {
        let model = model.clone().unbind();
        Self { model, index }
    }

    /// The model.
    pub fn of(&self) -> &featherline::Model {
        &self.model.get().model
    }

    /// The name of a joint of its model; none for the world.
    pub fn joint(&self, joint: JointId) -> Option<&str> {
        (joint != JointId::UNIVERSE).then(|| self.of().joint(joint).name.as_str())
    }

    /// The function and the arguments that make it again, from the model and the name.
    pub fn reduce<'py>(
        &self,
        py: Python<'py>,
        parts: &str,
        name: &str,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let make = py.import("featherline._names")?.getattr("part")?;
        let model = self.model.clone_ref(py);
        Ok((make, (model, parts, name).into_pyobject(py)?.into_any()))
    }
}

/// A joint of a model, and the body that it moves.
///
/// Joints are equal if they are the same of equal models; they can be hashed and pickled.
#[pyclass(frozen, eq, hash, module = "featherline", name = "Joint")]
#[derive(PartialEq, Eq, Hash)]
pub struct Joint(pub Part);

impl Joint {
    /// Joint 0 is the universe.
    pub fn joint(&self) -> &featherline::model::Joint {
        &self.0.of().joints()[self.0.index + 1]
    }
}

properties! { Joint:
    /// The joint's name.
    name: &str = |self| &self.joint().name;
    /// Such as "revolute".
    kind: &'static str = |self| self.joint().kind.name();
    /// The joint that carries it; None for the world.
    parent: Option<&str> = |self| self.0.joint(self.joint().parent);
    /// Its place among the joints.
    index: usize = |self| self.0.index;
    /// Where its entries of q begin; for a mimic joint, those of the joint that it mimics.
    idx_q: usize = |self| self.joint().idx_q;
    /// How many entries of q are its own; 0 for a mimic joint.
    nq: usize = |self| self.joint().nq;
    /// Where its entries of v begin; for a mimic joint, those of the joint that it mimics.
    idx_v: usize = |self| self.joint().idx_v;
    /// How many entries of v are its own; 0 for a mimic joint.
    nv: usize = |self| self.joint().nv;
    /// The displacement of a mimic joint for each unit of the other's; None for other joints.
    ratio: Option<f64> = |self| self.joint().mimic.map(|mimic| mimic.ratio);
    /// The displacement of a mimic joint where the other's is zero, in rad or m; None for other
    /// joints.
    offset: Option<f64> = |self| self.joint().mimic.map(|mimic| mimic.offset);
    /// The lower limits of its entries of q, in rad or m; -inf where there is none.
    lower: &[f64] = |self| &self.joint().limits.lower;
    /// The upper limits of its entries of q, in rad or m; inf where there is none.
    upper: &[f64] = |self| &self.joint().limits.upper;
    /// The greatest speeds, in rad/s or m/s; inf where there is none.
    velocity: &[f64] = |self| &self.joint().limits.velocity;
    /// The greatest torques or forces, in N·m or N; inf where there is none.
    effort: &[f64] = |self| &self.joint().limits.effort;
    /// The inertias on the joint's side of the gear, in kg·m² or kg.
    armature: &[f64] = |self| &self.joint().drive.armature;
    /// The viscous damping, in N·m·s/rad or N·s/m.
    damping: &[f64] = |self| &self.joint().drive.damping;
    /// The dry friction, in N·m or N.
    friction: &[f64] = |self| &self.joint().drive.friction;
    /// The mass in kg of the body that it moves.
    mass: f64 = |self| self.joint().inertia.mass;
    /// The joint that a mimic joint follows: its displacement is ratio times the other's, plus
    /// offset. None for other joints.
    mimics: Option<&str> = |self| self.joint()
        .mimic
        .and_then(|mimic| self.0.joint(mimic.source));
}

#[pymethods]
impl Joint {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.0.reduce(py, "joints", self.name())
    }

    fn __repr__(&self) -> String {
        let joint = self.joint();
        let law = match (self.mimics(), joint.mimic) {
            (Some(name), Some(mimic)) => format!(
                "mimics='{name}', ratio={:?}, offset={:?}",
                mimic.ratio, mimic.offset
            ),
            _ => format!(
                "idx_q={}, nq={}, idx_v={}, nv={}",
                joint.idx_q, joint.nq, joint.idx_v, joint.nv
            ),
        };
        let parent = self.parent().unwrap_or("world");
        format!(
            "Joint('{}', {}, parent='{parent}', {law})",
            joint.name,
            self.kind()
        )
    }
}

/// A frame of a model: a place on a body.
///
/// Frames are equal if they are the same of equal models; they can be hashed and pickled.
#[pyclass(frozen, eq, hash, module = "featherline", name = "Frame")]
#[derive(PartialEq, Eq, Hash)]
pub struct Frame(Part);

impl Frame {
    fn frame(&self) -> &featherline::model::Frame {
        &self.0.of().frames()[self.0.index]
    }
}

properties! { Frame:
    /// The frame's name.
    name: &str = |self| &self.frame().name;
    /// The joint whose body carries it; None for the world.
    joint: Option<&str> = |self| self.0.joint(self.frame().joint);
    /// Its place among the frames of the model, those counted that share a name.
    index: usize = |self| self.0.index;
    /// "body", "joint", "fixed_joint", "operational" or "sensor".
    kind: &'static str = |self| self.frame().kind.name();
}

#[pymethods]
impl Frame {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.0.reduce(py, "frames", self.name())
    }

    fn __repr__(&self) -> String {
        let joint = self.joint().unwrap_or("world");
        format!("Frame('{}', {}, joint='{joint}')", self.name(), self.kind())
    }
}

impl Model {
    /// The frames that names mean, in order: where a body and a joint share one, the body.
    pub fn named_frames(&self) -> Vec<FrameId> {
        let mut places = HashMap::new();
        let mut named: Vec<FrameId> = Vec::new();
        for id in self.model.frame_ids() {
            let frame = self.model.frame(id);
            match places.get(frame.name.as_str()) {
                None => {
                    places.insert(frame.name.as_str(), named.len());
                    named.push(id);
                }
                Some(&place) if frame.kind == FrameKind::Body => named[place] = id,
                Some(_) => {}
            }
        }
        named
    }

    /// Numbers of the joints that have coordinates of their own, in the order of these.
    fn of_coordinates<'py>(
        &self,
        py: Python<'py>,
        numbers: fn(&featherline::model::Joint) -> &[f64],
    ) -> Bound<'py, PyArray1<f64>> {
        let own = (self.model.joints().iter()).filter(|joint| joint.mimic.is_none());
        PyArray1::from_iter(py, own.flat_map(numbers).copied())
    }
}

properties! { Model:
    /// The robot's name.
    name: &str = |self| self.model.name();
    /// The number of entries of q.
    nq: usize = |self| self.model.nq();
    /// The number of entries of v, accelerations and joint forces.
    nv: usize = |self| self.model.nv();
    /// Gravity in m/s².
    gravity: [f64; 3] = |self| self.model.gravity().to_array();
    /// The mass in kg of all moving bodies.
    total_mass: f64 = |self| self.model.total_mass();
    /// The lower limits (nq,) of q, in rad or m; -inf where there is none. A mimic joint's own are
    /// those of its `Joint`.
    ///
    /// >>> fl.load("panda").lower_limits.shape
    /// (7,)
    lower_limits: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.limits.lower);
    /// The upper limits (nq,) of q, in rad or m; inf where there is none.
    upper_limits: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.limits.upper);
    /// The greatest speeds (nv,), in rad/s or m/s; inf where there is none.
    velocity_limits: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.limits.velocity);
    /// The greatest torques and forces (nv,), in N·m or N; inf where there is none.
    effort_limits: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.limits.effort);
    /// The inertias (nv,) on the joints' sides of their gears, in kg·m² or kg.
    armature: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.drive.armature);
    /// The viscous damping (nv,) of the joints, in N·m·s/rad or N·s/m.
    damping: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.drive.damping);
    /// The dry friction (nv,) of the joints, in N·m or N.
    friction: Bound<'py, PyArray1<f64>> =
        |self, py: 'py| self.of_coordinates(py, |joint| &joint.drive.friction);
}

#[pymethods]
impl Model {
    /// The joints by name or place, parents before children.
    ///
    /// >>> joints = fl.load("double_pendulum").joints
    /// >>> joints["elbow"] == joints[1] == joints[-1]
    /// True
    #[getter]
    fn joints<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let joints = PyDict::new(slf.py());
        let all = slf.get().model.joints();
        for (index, joint) in all.iter().skip(1).enumerate() {
            joints.set_item(&joint.name, Joint(Part::new(slf, index)))?;
        }
        names(slf.py(), "joint", joints)
    }

    /// The frames by name or place; where a body and a joint share a name, the body.
    #[getter]
    fn frames<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        let frames = PyDict::new(slf.py());
        for id in slf.get().named_frames() {
            let name = &slf.get().model.frame(id).name;
            frames.set_item(name, Frame(Part::new(slf, id.index())))?;
        }
        names(slf.py(), "frame", frames)
    }

    /// The model with another gravity, in m/s².
    fn with_gravity(&self, gravity: &Bound<'_, PyAny>) -> PyResult<Self> {
        let [x, y, z] = array::fixed("gravity", gravity, &[3])?;
        let gravity = featherline::spatial::Vec3::new(x, y, z);
        let model = featherline::Model::clone(&self.model).with_gravity(gravity);
        let model = model.map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(self.with_same_joints(model))
    }

    /// The model as the text of a model file, which `load` and the commands read.
    fn to_json(&self) -> String {
        model_file::to_string(&self.model)
    }

    /// Writes a model file, which `load` and the commands read.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(model_file::write_file(&self.model, path)?)
    }

    #[staticmethod]
    #[pyo3(signature = (text, lost_shapes=false))]
    fn _from_json(text: &str, lost_shapes: bool) -> PyResult<Self> {
        let robot = featherline_formats::load_str(text);
        let robot = robot.map_err(|e| PyValueError::new_err(e.to_string()))?;
        let shapes = match lost_shapes {
            true => Shapes::Lost,
            false => Shapes::None,
        };
        Ok(Self {
            shapes,
            ..robot.model.into()
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.get_type::<Self>().getattr("_from_json")?;
        let has_shapes = !matches!(self.shapes, Shapes::None);
        Ok((make, (self.to_json(), has_shapes).into_pyobject(py)?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        let loops = match m.loop_joints().len() {
            0 => String::new(),
            1 => ", 1 loop".to_owned(),
            n => format!(", {n} loops"),
        };
        format!(
            "<featherline.Model '{}': {} joints{loops}, nq={}, nv={}, {:.6} kg>",
            m.name(),
            m.joints().len() - 1,
            m.nq(),
            m.nv(),
            m.total_mass()
        )
    }
}

/// A dictionary by name or place, whose errors name the nearest key.
pub fn names<'py>(py: Python<'py>, kind: &str, values: Bound<'py, PyDict>) -> Answer<'py> {
    py.import("featherline._names")?
        .getattr("Names")?
        .call1((kind, values))
}
