//! Sensor files as they are written: tables of keys with values.

use featherline::words::closest;
use featherline_system::{SensorFileError, SensorFileFault};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Write;

/// A string of TOML.
pub fn string(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            // Writing to a string cannot fail.
            control if control.is_control() => {
                let _ = write!(written, "\\u{:04X}", u32::from(control));
            }
            other => written.push(other),
        }
    }
    written.push('"');
    written
}

/// A number of TOML, with all of its digits.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else {
        format!("{value:?}")
    }
}

/// A list of TOML.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    format!("[{}]", items.join(", "))
}

/// A number, a list of them, or rows of them, of anything that numpy makes an array of.
pub fn numbers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    use numpy::PyUntypedArrayMethods;
    let py = value.py();
    let array = py
        .import("numpy")?
        .call_method1("asarray", (value, "float64"))
        .map_err(|reason| crate::error::not_numbers(py, name, &reason))?;
    let dimensions = array.cast::<numpy::PyUntypedArray>()?.ndim();
    match dimensions {
        0 => Ok(number(array.call_method0("item")?.extract()?)),
        1 => {
            let all: Vec<f64> = array.call_method0("tolist")?.extract()?;
            Ok(list(all.into_iter().map(number)))
        }
        2 => {
            let rows: Vec<Vec<f64>> = array.call_method0("tolist")?.extract()?;
            let rows = rows.into_iter();
            Ok(list(rows.map(|row| list(row.into_iter().map(number)))))
        }
        n => Err(PyValueError::new_err(format!(
            "{name} has {n} dimensions, where a number, a list or a matrix is expected"
        ))),
    }
}

/// A word for quantities as files have it: underscores before a name are hyphens there.
pub fn word(text: &str) -> String {
    match text.split_once(':') {
        Some((kind, name)) => format!("{}:{name}", kind.replace('_', "-")),
        None => text.replace('_', "-"),
    }
}

/// A fault of what is called so.
pub fn fault(place: &str, fault: &SensorFileFault) -> PyErr {
    let text = format!("{place}: {fault}");
    if let SensorFileFault::Name(_) = fault {
        PyKeyError::new_err(text)
    } else {
        PyValueError::new_err(text)
    }
}

/// A fault of a file.
pub fn file_fault(place: &str, error: &SensorFileError) -> PyErr {
    PyValueError::new_err(format!("{place}: {error}"))
}

/// That there is no such name among these.
pub fn no_such(kind: &str, name: &str, known: &[&str]) -> PyErr {
    let hint = match closest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean '{near}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; there are {}", known.join(", ")),
    };
    PyKeyError::new_err(format!("there is no {kind} '{name}'{hint}"))
}
