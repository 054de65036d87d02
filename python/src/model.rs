//! A robot: its joints, frames and properties.

use crate::error;
use crate::pool::Pool;
use featherline::Workspace;
use featherline::batch::Batch;
use featherline::kinematics::Target;
use featherline::model::{FrameKind, UnknownName};
use featherline_constraint::LoopWorkspace;
use featherline_formats::model_file;
use featherline_formats::urdf::{
    self, Continuous, MimicJoints, Severity, SiblingOrder, UrdfError, UrdfErrorCause, UrdfOptions,
};
use featherline_robots::RobotError;
use featherline_sim::maximal::MaximalWorkspace;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
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
#[pyclass(frozen, module = "featherline", name = "Model", weakref)]
pub struct Model {
    /// Not in place: Python aligns objects to 16 bytes, and vectors in a model need 32.
    pub model: Arc<featherline::Model>,
    pub workspaces: Pool<Workspace<f64>>,
    pub double_batches: Pool<Batch<f64>>,
    pub single_batches: Pool<Batch<f32>>,
    pub loop_workspaces: Pool<LoopWorkspace>,
    pub maximal_workspaces: Pool<MaximalWorkspace>,
}

impl From<featherline::Model> for Model {
    fn from(model: featherline::Model) -> Self {
        Self {
            model: Arc::new(model),
            workspaces: Pool::new(),
            double_batches: Pool::new(),
            single_batches: Pool::new(),
            loop_workspaces: Pool::new(),
            maximal_workspaces: Pool::new(),
        }
    }
}

impl Model {
    /// A joint or frame by its name: a frame of that name, else a joint.
    pub fn target(&self, name: &str) -> PyResult<Target> {
        match self.model.frame_id(name) {
            Ok(frame) => Ok(Target::Frame(frame)),
            Err(unknown) => match self.model.joint_id(name) {
                Ok(joint) => Ok(Target::Joint(joint)),
                Err(no_joint) => {
                    let unknown = UnknownName {
                        kind: "joint or frame",
                        closest: unknown.closest.or(no_joint.closest),
                        ..unknown
                    };
                    Err(error::unknown_name(&unknown))
                }
            },
        }
    }
}

/// Loads a robot: the name of an embedded one, the path of a URDF or of a model file, or the text
/// of a URDF.
///
/// `floating_base` lets the root link float; by default embedded robots that walk do. `mimic` is
/// "coupled" or "free", `continuous` "angle" or "cos-sin", `sibling_order` "document" or
/// "alphabetical"; `pinocchio=True` sets them as Pinocchio does. What is doubtful in a file is a
/// warning.
#[pyfunction]
#[pyo3(signature = (robot, *, floating_base=None, mimic=None, continuous=None, sibling_order=None, pinocchio=false, keep_fixed_joints=vec![]))]
pub fn load(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    floating_base: Option<bool>,
    mimic: Option<&str>,
    continuous: Option<&str>,
    sibling_order: Option<&str>,
    pinocchio: bool,
    keep_fixed_joints: Vec<String>,
) -> PyResult<Model> {
    let mut options = if pinocchio {
        UrdfOptions::pinocchio()
    } else {
        UrdfOptions::default()
    };
    if let Some(word) = mimic {
        let choices = [
            ("coupled", MimicJoints::Coupled),
            ("free", MimicJoints::Free),
        ];
        options = options.mimic(choice("mimic", word, &choices)?);
    }
    if let Some(word) = continuous {
        let choices = [
            ("angle", Continuous::Angle),
            ("cos-sin", Continuous::CosSin),
        ];
        options = options.continuous(choice("continuous", word, &choices)?);
    }
    if let Some(word) = sibling_order {
        let choices = [
            ("document", SiblingOrder::Document),
            ("alphabetical", SiblingOrder::Alphabetical),
        ];
        options = options.sibling_order(choice("sibling_order", word, &choices)?);
    }
    for joint in keep_fixed_joints {
        options = options.keep_fixed_joint(joint);
    }
    if let Ok(text) = robot.extract::<String>() {
        if text.trim_start().starts_with('<') {
            let options = options.floating_base(floating_base.unwrap_or(false));
            let loaded = urdf::read_str_with(&text, &options).map_err(|e| urdf_error(py, &e))?;
            return finish(py, loaded);
        }
        if let Some(name) = featherline_robots::names().find(|name| *name == text) {
            let floats = featherline_robots::ROBOTS
                .iter()
                .any(|robot| robot.name == name && robot.floating_base);
            let options = options.floating_base(floating_base.unwrap_or(floats));
            let loaded =
                featherline_robots::load(name, &options).map_err(|e| robot_error(py, &e))?;
            return finish(py, loaded);
        }
        if !text.contains(['/', '\\', '.']) && !Path::new(&text).exists() {
            let names: Vec<_> = featherline_robots::names().collect();
            return Err(PyFileNotFoundError::new_err(format!(
                "there is no file `{text}`, and no embedded robot of that name; there are {}",
                names.join(", ")
            )));
        }
    }
    let path: PathBuf = robot
        .extract()
        .map_err(|_| PyTypeError::new_err("robot must be a name, a path, or the text of a URDF"))?;
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"))
    {
        let model = model_file::read_file(&path).map_err(|e| file_error(&path, &e))?;
        return Ok(model.into());
    }
    let options = options.floating_base(floating_base.unwrap_or(false));
    let loaded = urdf::read_file_with(&path, &options).map_err(|e| urdf_error(py, &e))?;
    finish(py, loaded)
}

/// The value of one of the words that an option takes.
pub fn choice<T: Copy>(name: &str, word: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(choice, _)| *choice == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<_> = choices
            .iter()
            .map(|(word, _)| format!("'{word}'"))
            .collect();
        PyValueError::new_err(format!(
            "{name} must be {}, not '{word}'",
            words.join(" or ")
        ))
    })
}

/// Tells the warnings of a file, and makes the model.
fn finish(py: Python<'_>, loaded: urdf::Loaded) -> PyResult<Model> {
    for warning in &loaded.warnings {
        if warning.severity() == Severity::Warning {
            let text = std::ffi::CString::new(warning.to_string().replace('\0', ""))
                .map_err(|reason| error::internal(&reason))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
        }
    }
    Ok(loaded.model.into())
}

fn urdf_error(py: Python<'_>, error: &UrdfError) -> PyErr {
    match error.cause() {
        UrdfErrorCause::Unreadable(reason) => io_error(py, reason, &error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

pub fn io_error(py: Python<'_>, reason: &std::io::Error, text: &str) -> PyErr {
    let kind = PyErr::from(std::io::Error::from(reason.kind()));
    match reason.kind() {
        std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text.to_owned()),
        _ if kind.is_instance_of::<PyOSError>(py) => {
            PyErr::from_type(kind.get_type(py), text.to_owned())
        }
        _ => PyOSError::new_err(text.to_owned()),
    }
}

fn robot_error(py: Python<'_>, error: &RobotError) -> PyErr {
    match error {
        RobotError::Urdf(error) => urdf_error(py, error),
        error => PyValueError::new_err(error.to_string()),
    }
}

fn file_error(path: &Path, error: &model_file::ModelFileError) -> PyErr {
    if path.exists() {
        PyValueError::new_err(error.to_string())
    } else {
        PyFileNotFoundError::new_err(error.to_string())
    }
}

/// A joint of a model.
#[pyclass(frozen, module = "featherline", name = "Joint", get_all)]
pub struct Joint {
    name: String,
    /// Such as "revolute".
    kind: String,
    /// The joint that carries it; None for the world.
    parent: Option<String>,
    /// Its place among the joints.
    index: usize,
    /// Where its entries begin in q, and how many there are.
    idx_q: usize,
    nq: usize,
    /// Where its entries begin in v, and how many there are.
    idx_v: usize,
    nv: usize,
    /// Lower limits of its entries in q.
    lower: Vec<f64>,
    upper: Vec<f64>,
    velocity: Vec<f64>,
    effort: Vec<f64>,
    armature: Vec<f64>,
    damping: Vec<f64>,
    friction: Vec<f64>,
    /// The mass in kg that it moves by itself.
    mass: f64,
}

#[pymethods]
impl Joint {
    fn __repr__(&self) -> String {
        let parent = self.parent.as_deref().unwrap_or("world");
        format!(
            "Joint('{}', {}, parent='{parent}', idx_q={}, nq={}, idx_v={}, nv={})",
            self.name, self.kind, self.idx_q, self.nq, self.idx_v, self.nv
        )
    }
}

/// A frame of a model.
#[pyclass(frozen, module = "featherline", name = "Frame", get_all)]
pub struct Frame {
    name: String,
    /// "body", "joint", "fixed_joint", "operational" or "sensor".
    kind: &'static str,
    /// The joint whose body carries it; None for the world.
    joint: Option<String>,
    index: usize,
}

#[pymethods]
impl Frame {
    fn __repr__(&self) -> String {
        let joint = self.joint.as_deref().unwrap_or("world");
        format!("Frame('{}', {}, joint='{joint}')", self.name, self.kind)
    }
}

#[pymethods]
impl Model {
    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    /// The number of entries of q.
    #[getter]
    fn nq(&self) -> usize {
        self.model.nq()
    }

    /// The number of entries of v, accelerations and joint forces.
    #[getter]
    fn nv(&self) -> usize {
        self.model.nv()
    }

    /// Gravity in m/s².
    #[getter]
    fn gravity(&self) -> [f64; 3] {
        self.model.gravity().to_array()
    }

    /// The mass in kg of all moving bodies.
    #[getter]
    fn total_mass(&self) -> f64 {
        self.model.total_mass()
    }

    /// The joints by name, parents before children.
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let joints = PyDict::new(py);
        let all = self.model.joints();
        for (index, joint) in all.iter().enumerate().skip(1) {
            let parent = joint.parent.index();
            let kind = format!("{:?}", joint.kind);
            let end = kind.find([' ', '(', '{']).unwrap_or(kind.len());
            let value = Joint {
                name: joint.name.clone(),
                kind: kind[..end].to_lowercase(),
                parent: (parent > 0).then(|| all[parent].name.clone()),
                index: index - 1,
                idx_q: joint.idx_q,
                nq: joint.nq,
                idx_v: joint.idx_v,
                nv: joint.nv,
                lower: joint.limits.lower.clone(),
                upper: joint.limits.upper.clone(),
                velocity: joint.limits.velocity.clone(),
                effort: joint.limits.effort.clone(),
                armature: joint.drive.armature.clone(),
                damping: joint.drive.damping.clone(),
                friction: joint.drive.friction.clone(),
                mass: joint.inertia.mass,
            };
            joints.set_item(&joint.name, value)?;
        }
        names(py, "joint", joints)
    }

    /// The frames by name; where a body and a joint share a name, the body.
    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let frames = PyDict::new(py);
        for (index, frame) in self.model.frames().iter().enumerate() {
            if frames.contains(&frame.name)? && frame.kind != FrameKind::Body {
                continue;
            }
            let joint = frame.joint.index();
            let value = Frame {
                name: frame.name.clone(),
                kind: match frame.kind {
                    FrameKind::Body => "body",
                    FrameKind::Joint => "joint",
                    FrameKind::FixedJoint => "fixed_joint",
                    FrameKind::Sensor => "sensor",
                    _ => "operational",
                },
                joint: (joint > 0).then(|| self.model.joints()[joint].name.clone()),
                index,
            };
            frames.set_item(&frame.name, value)?;
        }
        names(py, "frame", frames)
    }

    /// The model with another gravity, in m/s².
    fn with_gravity(&self, gravity: [f64; 3]) -> PyResult<Self> {
        let [x, y, z] = gravity;
        let gravity = featherline::spatial::Vec3::new(x, y, z);
        let model = featherline::Model::clone(&self.model).with_gravity(gravity);
        Ok(model
            .map_err(|e| PyValueError::new_err(e.to_string()))?
            .into())
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
    fn _from_json(text: &str) -> PyResult<Self> {
        let model = model_file::read_str(text);
        Ok(model
            .map_err(|e| PyValueError::new_err(e.to_string()))?
            .into())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let make = py.get_type::<Self>().getattr("_from_json")?;
        Ok((make, PyTuple::new(py, [self.to_json()])?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.model.content_hash() == other.model.content_hash()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.model.content_hash().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        format!(
            "<featherline.Model '{}': {} joints, nq={}, nv={}, {:.6} kg>",
            m.name(),
            m.joints().len() - 1,
            m.nq(),
            m.nv(),
            m.total_mass()
        )
    }
}

/// A dictionary whose errors name the nearest key.
pub fn names<'py>(
    py: Python<'py>,
    kind: &str,
    values: Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("featherline._names")?
        .getattr("Names")?
        .call1((kind, values))
}
