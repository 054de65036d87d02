//! The methods of integration by their names.

use crate::model::{choice, chosen};
use featherline::words::Words;
pub use featherline_sim::simulation::MethodName;
use pyo3::prelude::*;

/// The method of a simulation that a word names.
pub fn of_simulation(word: &str) -> PyResult<MethodName> {
    chosen("method", word)
}

/// The method of a single motion that a word names: one without contact.
pub fn of_motion(word: &str) -> PyResult<MethodName> {
    let smooth = MethodName::WORDS.iter().copied();
    let smooth: Vec<_> = smooth
        .filter(|(_, it)| *it != MethodName::TimeStepping)
        .collect();
    choice("method", word, &smooth)
}
