//! Errors as Python users expect them.

use featherline::Error;
use featherline::model::UnknownName;
use featherline::words::{DidYouMean, closest};
use featherline_formats::{WarningCause, plausibility};
use numpy::PyArrayDescr;
use pyo3::PyTypeInfo;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyError, PyOSError, PyRuntimeError, PyTypeError, PyUserWarning,
    PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;
use std::fmt::{Debug, Display, Formatter};

/// A shape as Python prints it.
pub struct Tuple<'a>(pub &'a [usize]);

impl Debug for Tuple<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [n] => write!(f, "({n},)"),
            all => {
                let numbers: Vec<String> = all.iter().map(usize::to_string).collect();
                write!(f, "({})", numbers.join(", "))
            }
        }
    }
}

/// An argument has the wrong shape.
pub fn shape(name: &str, found: &[usize], expected: &str) -> PyErr {
    let found = Tuple(found);
    PyValueError::new_err(format!(
        "{name} has shape {found:?}, where {expected} is expected"
    ))
}

/// Arguments disagree about the number of states.
pub fn states(first: &str, n: usize, second: &str, found: usize) -> PyErr {
    PyValueError::new_err(format!(
        "{second} has {found} rows, where {first} has {n}: one row for each state"
    ))
}

/// An argument that numpy makes no array of numbers of.
pub fn not_numbers(py: Python<'_>, name: &str, reason: &PyErr) -> PyErr {
    PyTypeError::new_err(format!(
        "{name} is no array of numbers: {}",
        reason.value(py)
    ))
}

/// An array of something else than real numbers.
pub fn wrong_type(name: &str, found: &Bound<'_, PyArrayDescr>) -> PyErr {
    PyTypeError::new_err(format!(
        "{name} has dtype {found}, where real numbers are expected"
    ))
}

/// `out` is no array, or has another type.
pub fn out_type(out: &Bound<'_, PyAny>, expected: &Bound<'_, PyArrayDescr>) -> PyErr {
    let found = match out.getattr("dtype") {
        Ok(dtype) => format!("dtype {dtype}"),
        Err(_) => format!("type {}", out.get_type()),
    };
    PyTypeError::new_err(format!(
        "out has {found}, where an array of {expected} is expected"
    ))
}

/// `out` cannot be written.
pub fn read_only() -> PyErr {
    PyValueError::new_err("out is read-only")
}

/// An array has a mask.
pub fn masked(name: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "{name} is a masked array, whose masked numbers would be used; fill them by {name}.filled(value)"
    ))
}

/// Elements of `out` share memory.
pub fn repeated() -> PyErr {
    PyValueError::new_err(
        "elements of out share memory, as broadcast_to makes them; pass an array of its own, such as a copy",
    )
}

/// An integer that a count or a seed can be.
pub fn natural<T: TryFrom<i128>>(name: &str, value: i128) -> PyResult<T> {
    T::try_from(value).map_err(|_| {
        let expected = match value < 0 {
            true => "zero or more is",
            false => "a smaller number is",
        };
        PyValueError::new_err(format!("{name} is {value}, where {expected} expected"))
    })
}

/// The error of pickling `what`; its remedy is to pickle `instead`.
pub fn not_pickled(what: &str, instead: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} is not pickled; pickle {instead}"))
}

/// Issues a warning at the call.
pub fn warning(py: Python<'_>, text: &str, level: i32) -> PyResult<()> {
    warning_of(py, &py.get_type::<PyUserWarning>(), text, level)
}

/// Warns of angles that seem to be in degrees.
pub fn doubt_degrees(py: Python<'_>, place: &str, doubts: &[WarningCause]) -> PyResult<()> {
    match plausibility::in_a_line(doubts) {
        Some(doubts) => warning(py, &format!("{place}: {doubts}"), 1),
        None => Ok(()),
    }
}

/// Issues a `featherline.RobotWarning` at the call.
pub fn robot_warning(py: Python<'_>, text: &str) -> PyResult<()> {
    let module = py.import("featherline.robot_files")?;
    warning_of(py, &module.getattr("RobotWarning")?, text, 1)
}

fn warning_of(py: Python<'_>, category: &Bound<'_, PyAny>, text: &str, level: i32) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "")).map_err(|reason| internal(&reason))?;
    PyErr::warn(py, category, &text, level)
}

/// Warns of states without a result.
pub fn failed_states(
    py: Python<'_>,
    states: usize,
    failed: usize,
    first: usize,
    why: &dyn Display,
) -> PyResult<()> {
    let text = format!(
        "{failed} of {states} states have no result, and are rows of NaN; the first is row {first}: {why}"
    );
    warning(py, &text, 2)
}

/// Keywords of other libraries, and ours.
const MEANT: [(&str, &str); 3] = [("timestep", "dt"), ("time_step", "dt"), ("step", "dt")];

/// [`only_known`] for a method of a class.
pub fn only_known_of<T: PyTypeInfo>(
    py: Python<'_>,
    method: &str,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    match given {
        Some(given) => only_known(&py.get_type::<T>().getattr(method)?, Some(given)),
        None => Ok(()),
    }
}

/// Fails for keywords that a class or function does not take, with the likely one.
pub fn only_known(callable: &Bound<'_, PyAny>, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(given) = given else {
        return Ok(());
    };
    let signature: String = callable.getattr("__text_signature__")?.extract()?;
    let signature = signature.trim_matches(['(', ')']).split(',');
    let known = signature.map(|it| it.split('=').next().unwrap_or_default().trim());
    let known: Vec<&str> = known
        .filter(|it| !it.contains(['*', '$', '/']) && *it != "self")
        .collect();
    let given: Vec<String> = given.keys().extract()?;
    let Some(name) = given.iter().find(|it| !known.contains(&it.as_str())) else {
        return Ok(());
    };
    let call = callable.getattr("__name__")?;
    let meant = MEANT
        .iter()
        .find(|(other, own)| name == other && known.contains(own));
    let near = meant.map(|(_, own)| *own);
    let near = DidYouMean(near.or_else(|| closest(name, known.iter().copied())));
    Err(PyTypeError::new_err(format!(
        "{call}() has no keyword `{name}`{near}; there are {}",
        known.join(", ")
    )))
}

/// The nearest of some names, for Python.
#[pyfunction]
#[pyo3(name = "_closest")]
pub fn nearest(name: &str, known: Vec<String>) -> Option<String> {
    closest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

/// An error of the library itself, which cannot happen.
pub fn internal(reason: &dyn Display) -> PyErr {
    PyRuntimeError::new_err(format!("featherline has an error of its own: {reason}"))
}

/// The Python error of an algorithm's error.
pub fn algorithm(error: Error) -> PyErr {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have this class")]
    match error {
        Error::UnknownName(name) => unknown_name(&name),
        Error::WorkspaceMismatch | Error::NoMatrices | Error::Threads { .. } => {
            PyRuntimeError::new_err(error.to_string())
        }
        Error::ZeroRotation { .. } => {
            PyValueError::new_err(format!("{error}. Begin from `model.neutral()`"))
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

/// A name that the model does not have.
pub fn unknown_name(name: &UnknownName) -> PyErr {
    PyKeyError::new_err(name.to_string())
}

/// The error of a file, in the class of Python's errors that fits.
pub fn io(py: Python<'_>, reason: &std::io::Error, text: &str) -> PyErr {
    let kind = PyErr::from(std::io::Error::from(reason.kind()));
    if reason.kind() == std::io::ErrorKind::NotFound {
        PyFileNotFoundError::new_err(text.to_owned())
    } else if kind.is_instance_of::<PyOSError>(py) {
        PyErr::from_type(kind.get_type(py), text.to_owned())
    } else {
        PyOSError::new_err(text.to_owned())
    }
}
