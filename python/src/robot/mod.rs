//! Robots from files: what a file states, its warnings, conversion and repair.

mod conversion;
mod finding;
mod options;
mod parts;
mod source;

pub use conversion::{convert, to_mjcf, to_urdf};

use crate::array::Answer;
use crate::error;
use crate::model::Model;
use crate::properties::properties;
use featherline_formats::description::Description;
use featherline_formats::{LoadOptions, Robot as Read};
use finding::{collected, findings};
use numpy::PyArray1;
use options::Options;
pub use parts::kind_and_sizes;
use parts::{Parts, all};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
pub use source::warn;
use source::{DENSITY, Source, content_error, robot_error};
use std::cmp::Reverse;
use std::sync::Arc;

/// Loads a robot: the name of an embedded one, or the path or the text of a robot's file. URDF,
/// MJCF, xacro, model files and scenes of several robots are recognised by their content.
///
/// Options:
///
/// * `floating_base`: whether the root link of a URDF floats; by default embedded robots that walk
///   do.
/// * `mimic`: mimic joints are "coupled" or "free"; `continuous`: the coordinate of a continuous
///   joint is its "angle", or "cos-sin"; `sibling_order`: "document" or "alphabetical".
/// * `pinocchio=True` sets these three as Pinocchio does.
/// * `keep_fixed_joints`: names of fixed joints that stay joints.
/// * `mujoco=True`: mimic joints and links without inertia as MuJoCo has them in a URDF.
/// * `package_folders`: folders of the packages in names such as `package://arm/link.stl`.
/// * `root_folders`: folders that all files which the robot's file names must be in, instead of its
///   package's or the one around its own.
/// * `strict=True`: warnings are errors. `permissive=True`: what is physically impossible in a URDF
///   is a warning.
/// * `missing_inertia`: a moving link without inertia has none ("zero"), is an error ("refuse"), or
///   is a body of a density in kg/m³ that fills its collision shapes (a number, "shapes:2700", or
///   "shapes" of 1000 kg/m³).
/// * `srdf`: the path or the text of an SRDF, whose groups and states are added.
/// * `xacro_arguments`: a dictionary of the arguments of a xacro file.
/// * `keep_fixed_joint`, `package_folder` and `xacro` are other names, those of the command line.
///
/// A doubtful property of a file is a `RobotWarning`, one a kind; an error is a ValueError.
///
/// >>> import featherline as fl
/// >>> fl.load("quadruped", floating_base=False).nv
/// 12
#[pyfunction]
#[pyo3(signature = (robot, **options), text_signature = "(robot, *, floating_base=None, mimic=None, continuous=None, sibling_order=None, pinocchio=False, keep_fixed_joints=(), package_folders=(), mujoco=False, strict=False, permissive=False, missing_inertia='zero', srdf=None, xacro_arguments=None, root_folders=(), keep_fixed_joint=(), package_folder=(), xacro=None)")]
pub fn load(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Model> {
    let (robot, _) = read(py, robot, options)?;
    warn(py, &robot.warnings, LIST)?;
    Ok(Model::of_robot(Arc::new(robot)))
}

/// Loads a robot with all that its file states: the model, and shapes, actuators, sensors and
/// warnings. Options are those of `load`.
///
/// >>> import featherline as fl
/// >>> robot = fl.load_robot("panda")
/// >>> robot.model == fl.load("panda")
/// True
/// >>> robot.links[1].name
/// 'panda_link1'
#[pyfunction]
#[pyo3(signature = (robot, **options), text_signature = "(robot, *, floating_base=None, mimic=None, continuous=None, sibling_order=None, pinocchio=False, keep_fixed_joints=(), package_folders=(), mujoco=False, strict=False, permissive=False, missing_inertia='zero', srdf=None, xacro_arguments=None, root_folders=(), keep_fixed_joint=(), package_folder=(), xacro=None)")]
pub fn load_robot(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Robot> {
    let (read, load_options) = read(py, robot, options)?;
    warn(py, &read.warnings, LIST)?;
    Robot::new(py, read, load_options)
}

/// The errors and the doubtful or unused parts of a robot's file, the worst first. A file that
/// can't be understood has one finding of the severity "error". Options are those of `load`.
///
/// The command `featherline check` prints the same, the worst last.
///
/// >>> import featherline as fl
/// >>> [finding.code for finding in fl.check("<robot><link name='stone'/></robot>")]
/// ['no-robot-name']
#[pyfunction]
#[pyo3(signature = (robot, **options))]
pub fn check<'py>(
    py: Python<'py>,
    robot: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> Answer<'py> {
    let options = Options::read(options)?;
    let source = Source::read(robot)?;
    let robot = source.load(py, &options);
    let read = match &robot {
        Ok(robot) => Ok(robot),
        Err(error) => match content_error(error) {
            Some(error) => Err(error),
            None => return Err(robot_error(py, error)),
        },
    };
    let repairs = source.repairs(py, &options, DENSITY)?;
    let mut all = py.detach(|| featherline_formats::check::findings(read, repairs.as_ref()));
    all.sort_by_key(|it| Reverse(it.severity));
    collected(py, all)
}

/// Repairs of a robot's file, as edits that keep comments and layout; nothing is written. `density`
/// in kg/m³ is that of shapes where an inertia follows from them. Options are those of `load`.
///
/// >>> import featherline as fl
/// >>> repairs = fl.repair("<robot name='r'><link name='a'/><link name='a'/></robot>")
/// >>> [repair.code for repair in repairs.repairs]
/// ['duplicate-name']
/// >>> repairs.text
/// "<robot name='r'><link name='a'/></robot>"
#[pyfunction]
#[pyo3(signature = (robot, *, density=1000.0, **options))]
pub fn repair<'py>(
    py: Python<'py>,
    robot: &Bound<'py, PyAny>,
    density: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> Answer<'py> {
    let options = Options::read(options)?;
    let source = Source::read(robot)?;
    match source.repairs(py, &options, density)? {
        Some(repairs) => finding::repairs(py, &repairs),
        None => Err(PyValueError::new_err(
            "an embedded robot has no file to repair",
        )),
    }
}

/// The text that says where all warnings of a file are listed.
const LIST: &str = "; featherline.check lists them";

/// A robot that was read, and how.
fn read(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Read, LoadOptions)> {
    let options = Options::read(options)?;
    let source = Source::read(robot)?;
    let read = source.load(py, &options);
    let read = read.map_err(|error| robot_error(py, &error))?;
    Ok((read, source.load_options(&options)))
}

/// A robot with what its file states. Parts are named tuples of `featherline.robot_files`, and name
/// the links, joints and frames that they refer to.
///
/// Made by `load_robot`. It does not change.
#[pyclass(frozen, module = "featherline", name = "Robot")]
pub struct Robot {
    model: Py<Model>,
    /// Not in place: it asks for more alignment than Python gives.
    read: Arc<Read>,
    options: LoadOptions,
}

impl Robot {
    fn new(py: Python<'_>, read: Read, options: LoadOptions) -> PyResult<Self> {
        let read = Arc::new(read);
        let model = Py::new(py, Model::of_robot(read.clone()))?;
        Ok(Self {
            model,
            read,
            options,
        })
    }

    /// The robot as it was read.
    pub fn read(&self) -> &Read {
        &self.read
    }

    /// The model.
    pub fn shared_model(&self, py: Python<'_>) -> Py<Model> {
        self.model.clone_ref(py)
    }

    fn parts(&self) -> Parts<'_> {
        Parts(&self.read.description)
    }

    /// Some parts of the description, each made by a method of all.
    fn all<'a, 'py, T: 'a>(
        &'a self,
        py: Python<'py>,
        of: impl Fn(&'a Description) -> &'a [T],
        make: impl Fn(Parts<'a>, Python<'py>, &T) -> Answer<'py>,
    ) -> Tuple<'py> {
        let parts = self.parts();
        all(py, of(parts.0), |py, it| make(parts, py, it))
    }
}

type Tuple<'py> = PyResult<Bound<'py, PyTuple>>;

properties! { Robot:
    /// The robot's name.
    name: &str = |self| &self.read.description.name;
    /// The model.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// Doubtful or unused parts of the file: `Finding`s, in the order of the file.
    warnings: Answer<'py> = |self, py: 'py| findings(py, &self.read.warnings);
    /// The files that it was read from: the robot's own, then those that it includes.
    files: Vec<String> = |self| {
        let texts = self.read.description.sources.texts().iter();
        let paths = texts.filter_map(|text| text.path.as_ref());
        paths.map(|path| path.display().to_string()).collect()
    };
    /// The links, in the order of the file.
    links: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.links, Parts::link);
    /// The joints between them, fixed ones included.
    joints: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.joints, Parts::joint);
    /// The named frames of links, such as the sites of an MJCF file.
    frames: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.frames, Parts::frame);
    /// The shapes.
    geometry: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.geometry, Parts::geometry);
    /// How shapes look.
    materials: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.materials, Parts::material);
    /// The actuators that drive the robot.
    actuators: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.actuators, Parts::actuator);
    /// Lengths that depend on several joints.
    tendons: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.tendons, Parts::tendon);
    /// The sensors of the robot.
    sensors: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.sensors, Parts::sensor);
    /// Shapes that may touch, whatever is said of all others.
    contact_pairs: Tuple<'py> =
        |self, py: 'py| self.all(py, |it| &it.contact_pairs, Parts::contact_pair);
    /// Pairs of names of links whose shapes do not touch.
    contact_exclusions: Vec<(String, String)> = |self| {
        let exclusions = self.read.description.contact_exclusions.iter();
        let names = exclusions.map(|it| self.parts().link_pair(it.links));
        names.map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
    };
    /// Named configurations (nq,) of the model.
    configurations: PyResult<Bound<'py, PyDict>> = |self, py: 'py| {
        let named = PyDict::new(py);
        for (name, q) in self.read.model.reference_configurations() {
            named.set_item(name, PyArray1::from_slice(py, q))?;
        }
        Ok(named)
    };
    /// Groups of joints, of an SRDF.
    groups: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.semantics.groups, Parts::group);
    /// Named states of groups, of an SRDF: each is one of the `configurations`.
    group_states: Tuple<'py> =
        |self, py: 'py| self.all(py, |it| &it.semantics.states, Parts::group_state);
    /// Groups at the ends of others, of an SRDF.
    end_effectors: Tuple<'py> =
        |self, py: 'py| self.all(py, |it| &it.semantics.end_effectors, Parts::end_effector);
    /// Elements that the description has no other place for, as they are written.
    kept: Tuple<'py> = |self, py: 'py| self.all(py, |it| &it.kept, Parts::kept);
}

#[pymethods]
impl Robot {
    /// The shapes that the robot touches with, and which pairs of them may touch.
    ///
    /// >>> len(fl.load_robot("quadruped").collision.shapes) > 0
    /// True
    #[getter]
    fn collision<'py>(slf: &Bound<'py, Self>) -> Answer<'py> {
        // The class is of a layer above this one.
        let native = slf.py().import("featherline._native")?;
        native.getattr("Collision")?.call1((slf,))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled("a Robot", "its model"))
    }

    fn __repr__(&self) -> String {
        let description = &self.read.description;
        let parts = [
            ("links", description.links.len()),
            ("shapes", description.geometry.len()),
            ("actuators", description.actuators.len()),
            ("sensors", description.sensors.len()),
        ];
        let parts = parts.map(|(what, count)| format!("{count} {what}"));
        let (name, nv) = (&description.name, self.read.model.nv());
        format!(
            "<featherline.Robot '{name}': {}, nv={nv}>",
            parts.join(", ")
        )
    }
}
