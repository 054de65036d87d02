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
