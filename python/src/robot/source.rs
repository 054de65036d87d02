//! Where a robot comes from: an embedded one, a file, or a text.

use super::finding::findings;
use super::options::Options;
use crate::error;
use featherline::words::{DidYouMean, closest};
use featherline_formats::repair::{self, RepairOptions, Repairs};
use featherline_formats::{Error, ErrorCause, LoadOptions, Robot, Severity, Warning};
use featherline_robots::RobotError;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The density of shapes where an inertia follows from them, in kg/m³.
pub const DENSITY: f64 = 1000.0;

/// The source of a robot, as a call names it.
pub enum Source {
    /// An embedded robot.
    Embedded(String),
    /// The text of a robot's file.
    Text(String),
    /// A robot's file.
    File(PathBuf),
}

impl Source {
    /// The source that an argument means.
    pub fn read(robot: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = robot.extract::<String>() {
            // A scene, in TOML, has several lines.
            if text.trim_start().starts_with(['<', '{']) || text.contains('\n') {
                return Ok(Self::Text(text));
            }
            if featherline_robots::is_embedded(&text) {
                return Ok(Self::Embedded(text));
            }
            if !text.contains(['/', '\\', '.']) && !Path::new(&text).exists() {
                let names: Vec<_> = featherline_robots::names().collect();
                return Err(PyFileNotFoundError::new_err(format!(
                    "there is no file `{text}`, and no embedded robot of that name{}; there are {}",
                    DidYouMean(closest(&text, names.iter().copied())),
                    names.join(", ")
                )));
            }
        }
        let path: PathBuf = robot.extract().map_err(|_| {
            PyTypeError::new_err("robot must be a name, a path, or the text of a robot's file")
        })?;
        if let Some(name) = featherline_robots::names().find(|name| path.as_os_str() == *name)
            && !path.exists()
        {
            return Err(PyFileNotFoundError::new_err(format!(
                "there is no file `{name}`; the embedded robot of that name is loaded by a string: load(\"{name}\")"
            )));
        }
        Ok(Self::File(path))
    }

    /// The reader's options.
    pub fn load_options(&self, options: &Options) -> LoadOptions {
        let floats = match self {
            Self::Embedded(name) => featherline_robots::ROBOTS
                .iter()
                .any(|robot| robot.name == name && robot.floating_base),
            Self::Text(_) | Self::File(_) => false,
        };
        options.load(floats)
    }

    /// Repairs of its text, while other threads of Python go on; none of an embedded robot.
    pub fn repairs(
        &self,
        py: Python<'_>,
        options: &Options,
        density: f64,
    ) -> PyResult<Option<Repairs>> {
        if !(density > 0.0 && density.is_finite()) {
            let text =
                format!("density is {density}, where a positive number of kg/m³ is expected");
            return Err(PyValueError::new_err(text));
        }
        let options = RepairOptions::new()
            .load(self.load_options(options))
            .density(density);
        let repairs = py.detach(|| match self {
            Self::Embedded(_) => None,
            Self::Text(text) => Some(repair::propose_str(text, &options)),
            Self::File(path) => Some(repair::propose(path, &options)),
        });
        let repairs = repairs.transpose();
        repairs.map_err(|error| load_error(py, &error))
    }

    /// The robot, while other threads of Python go on.
    pub fn load(&self, py: Python<'_>, options: &Options) -> Result<Robot, RobotError> {
        let load_options = self.load_options(options);
        py.detach(|| {
            let robot = match self {
                Self::Embedded(name) => featherline_robots::load(name, &load_options)?,
                Self::Text(text) => featherline_formats::load_str_with(text, &load_options)?,
                Self::File(path) => featherline_formats::load_with(path, &load_options)?,
            };
            Ok(options.described(robot)?)
        })
    }
}

/// Tells the warnings of a file, one a kind; `list` says what lists all of them.
pub fn warn(py: Python<'_>, warnings: &[Warning], list: &str) -> PyResult<()> {
    if warnings.iter().any(|it| it.severity() == Severity::Warning) {
        let module = py.import("featherline.robot_files")?;
        module.call_method1("_warn", (findings(py, warnings)?, list))?;
    }
    Ok(())
}

/// The Python error of a file that can't be read or is invalid.
pub fn load_error(py: Python<'_>, error: &Error) -> PyErr {
    if let ErrorCause::Unreadable(reason) = error.cause() {
        error::io(py, reason, &error.to_string())
    } else {
        PyValueError::new_err(error.to_string())
    }
}

/// The error in the text of a file, if the file could be read.
pub fn content_error(error: &RobotError) -> Option<&Error> {
    if let RobotError::Load(error) = error
        && !matches!(error.cause(), ErrorCause::Unreadable(_))
    {
        Some(error)
    } else {
        None
    }
}

/// The Python error of a robot.
pub fn robot_error(py: Python<'_>, error: &RobotError) -> PyErr {
    if let RobotError::Load(error) = error {
        load_error(py, error)
    } else {
        PyValueError::new_err(error.to_string())
    }
}

/// A file that can't be written.
pub fn write_error(py: Python<'_>, path: &Path, reason: &std::io::Error) -> PyErr {
    let text = format!("{}: the file can't be written: {reason}", path.display());
    if let std::io::ErrorKind::Other = reason.kind() {
        PyOSError::new_err(text)
    } else {
        error::io(py, reason, &text)
    }
}
