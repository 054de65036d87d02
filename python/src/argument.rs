//! Arguments that are not arrays.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// The value of an argument.
pub fn taken<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    value: &'a Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<T> {
    value.extract().map_err(|_| {
        let found = value
            .get_type()
            .name()
            .map_or_else(|_| String::new(), |it| format!(", not {it}"));
        PyTypeError::new_err(format!("{name} must be {expected}{found}"))
    })
}

/// Names; one of them needs no list.
pub fn names(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.extract::<String>() {
        Ok(one) => Ok(vec![one]),
        Err(_) => taken(name, value, "a name or a list of names"),
    }
}

/// The name of a frame; of a link or a joint, too.
pub struct FrameName<'a>(pub &'a str);

/// The name of a joint.
pub struct JointName<'a>(pub &'a str);

/// A name of a part, where others count them.
fn name_of<'a>(value: Borrowed<'a, '_, PyAny>, part: &str) -> PyResult<&'a str> {
    value.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "a {part} is given by its name, not by {}; model.{part}s lists them",
            shown(&value)
        ))
    })
}

/// A value in a message: a number as it is, else its type.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name();
    match value.extract::<f64>() {
        Ok(_) => value.to_string(),
        Err(_) => kind.map_or_else(|_| "this".to_owned(), |it| format!("a value of type {it}")),
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for FrameName<'a> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        name_of(value, "frame").map(Self)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for JointName<'a> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        name_of(value, "joint").map(Self)
    }
}
