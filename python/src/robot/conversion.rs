//! Robots in files of other formats.

use super::finding::findings;
use super::parts::made;
use super::source::{load_error, warn, write_error};
use super::{LIST, Robot, read};
use crate::array::Answer;
use crate::error;
use crate::model::{Model, chosen, quoted};
use featherline::words::Words;
use featherline_formats::description::Description;
use featherline_formats::{Difference, Error, FileFormat, Warning, Written, mjcf, urdf};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The format of a word, or else of the ending of a file's name.
fn format_of(word: Option<&str>, path: &Path) -> PyResult<FileFormat> {
    if let Some(word) = word {
        return chosen("format", word);
    }
    let by_name = FileFormat::of_path(path).filter(|it| it.is_written());
    by_name.ok_or_else(|| {
        let text = format!(
            "the ending of `{}` names no format; give format={}",
            path.display(),
            quoted(FileFormat::WORDS)
        );
        PyValueError::new_err(text)
    })
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Writes a robot to a file of another format, reads its text again, and tells how both differ: a
/// `Difference`.
///
/// `robot` is what `load` takes, with its options, or a `Robot`. The `format` is "urdf", "mjcf" or
/// "json", by default that of the ending of `path`. Joint forces, mass matrices and placements are
/// compared at `states` random states. Printed, a `Difference` is a dozen lines; `text` has all.
/// Meshes of formats that MuJoCo does not read become OBJ files, those of arm.xml in the folder
/// arm_meshes. Named configurations, groups and pairs of links that do not collide are in an SRDF
/// beside a URDF, which has no place for them: arm.srdf for arm.urdf. A file of another origin
/// there is an error.
///
/// >>> import featherline as fl
/// >>> import tempfile
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     difference = fl.convert("panda", folder + "/panda.urdf")
/// >>> difference.is_same()
/// True
#[pyfunction]
#[pyo3(signature = (robot, path, *, format=None, states=20, **options))]
pub fn convert<'py>(
    py: Python<'py>,
    robot: &Bound<'py, PyAny>,
    path: PathBuf,
    format: Option<&str>,
    states: i128,
    options: Option<&Bound<'py, PyDict>>,
) -> Answer<'py> {
    let format = format_of(format, &path)?;
    let states: usize = error::natural("states", states)?;
    let own;
    let (robot, load_options) = match robot.cast::<Robot>() {
        Ok(robot) => {
            if options.is_some_and(|options| !options.is_empty()) {
                let text = "a Robot is there already: options are for `load_robot`, which read it";
                return Err(PyTypeError::new_err(text));
            }
            let robot = robot.get();
            (&*robot.read, robot.options.clone())
        }
        Err(_) => {
            let (read, load_options) = read(py, robot, options)?;
            warn(py, &read.warnings, LIST)?;
            own = read;
            (&own, load_options)
        }
    };
    let written = robot.to_files(format, &path);
    let written = written.map_err(|e| load_error(py, &e))?;
    let files = robot.description.sources.texts().iter();
    let mut files = files.filter_map(|it| it.path.as_ref()?.canonicalize().ok());
    if let Ok(target) = path.canonicalize()
        && files.any(|file| file == target)
    {
        let text = format!(
            "{} is the robot's own file; give another name",
            path.display()
        );
        return Err(PyValueError::new_err(text));
    }
    // Only a URDF leaves it to an option whether the base floats. What can't be read again is not
    // written.
    let floats = load_options.floating_base && !format.says_floating_base();
    let load_options = load_options.floating_base(floats);
    let again = written.read_again(&load_options);
    let again = again.map_err(|e| load_error(py, &e))?;
    written
        .write_files(folder(&path))
        .and_then(|()| std::fs::write(&path, &written.text))
        .map_err(|reason| write_error(py, &path, &reason))?;
    let difference = py.detach(|| Difference::of_robots(robot, &again, states));
    object(
        py,
        &difference.map_err(error::algorithm)?,
        &written.warnings,
    )
}

/// As `featherline.robot_files.Difference`.
fn object<'py>(py: Python<'py>, difference: &Difference, lacks: &[Warning]) -> Answer<'py> {
    let missing = difference.missing.iter().map(|it| {
        let fields = (it.what, &it.name, it.is_in_first);
        made(py, "Missing", fields)
    });
    let missing = missing.collect::<PyResult<Vec<_>>>()?;
    let quantities = PyDict::new(py);
    for it in &difference.quantities {
        let quantity = made(py, "QuantityDifference", (it.relative, it.at.as_ref()))?;
        quantities.set_item(it.quantity, quantity)?;
    }
    let fields = (
        findings(py, lacks)?,
        PyTuple::new(py, missing)?,
        PyTuple::new(py, &difference.other_kinds)?,
        quantities,
    );
    made(py, "Difference", fields)
}

/// The robot as the text of a URDF. What that can't express is a `RobotWarning`, one a kind.
///
/// `robot` is a `Robot`, with all that its file states, or a `Model`.
///
/// >>> import featherline as fl
/// >>> fl.load(fl.to_urdf(fl.load_robot("panda"))).nv
/// 7
#[pyfunction]
pub fn to_urdf(py: Python<'_>, robot: &Bound<'_, PyAny>) -> PyResult<String> {
    let description = described(py, robot, FileFormat::Urdf)?;
    written(py, urdf::to_string(&description))
}

/// The robot as the text of an MJCF file. What that can't express is a `RobotWarning`, one a kind.
///
/// `robot` is a `Robot`, with all that its file states, or a `Model`.
///
/// >>> import featherline as fl
/// >>> fl.load(fl.to_mjcf(fl.load("double_pendulum"))).nv
/// 2
#[pyfunction]
pub fn to_mjcf(py: Python<'_>, robot: &Bound<'_, PyAny>) -> PyResult<String> {
    let description = described(py, robot, FileFormat::Mjcf)?;
    written(py, mjcf::to_string(&description))
}

/// The text, whose warnings are told.
fn written(py: Python<'_>, written: Result<Written, Error>) -> PyResult<String> {
    let written = written.map_err(|e| load_error(py, &e))?;
    warn(py, &written.warnings, "; featherline.convert lists them")?;
    Ok(written.text)
}

/// The description of a robot or a model, to be written in a format.
fn described<'r>(
    py: Python<'_>,
    robot: &'r Bound<'_, PyAny>,
    format: FileFormat,
) -> PyResult<Cow<'r, Description>> {
    if let Ok(robot) = robot.cast::<Robot>() {
        let read = &*robot.get().read;
        return match format.says_floating_base() {
            true => read.description_with_base().map_err(|e| load_error(py, &e)),
            false => Ok(Cow::Borrowed(&read.description)),
        };
    }
    if let Ok(model) = robot.cast::<Model>() {
        return Ok(Cow::Owned(Description::from_model(&model.get().model)));
    }
    let found = robot.get_type();
    Err(PyTypeError::new_err(format!(
        "robot must be a Robot or a Model, not {}",
        found.name()?
    )))
}
