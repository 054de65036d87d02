//! The options of reading a robot, by their names.

use crate::error;
use crate::model::choice;
use featherline_formats::{Continuous, LoadOptions, MimicJoints, SiblingOrder};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// The names of all options.
const NAMES: [&str; 7] = [
    "floating_base",
    "mimic",
    "continuous",
    "sibling_order",
    "pinocchio",
    "keep_fixed_joints",
    "package_folders",
];

/// How to read a robot.
#[derive(Clone, Default)]
pub struct Options {
    /// What the reader is told, but for the floating base.
    load: LoadOptions,
    /// Whether the root link floats; embedded robots have a default of their own.
    floating_base: Option<bool>,
}

impl Options {
    /// The options that a call names.
    pub fn read(named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::default();
        let Some(named) = named else {
            return Ok(options);
        };
        // Conventions first: other options change them.
        if let Some(value) = named.get_item("pinocchio")?
            && taken("pinocchio", &value, "a bool")?
        {
            options.load = LoadOptions::pinocchio();
        }
        for (name, value) in named {
            let name: String = name.extract()?;
            if !NAMES.contains(&name.as_str()) {
                return Err(unknown(named.py(), &name)?);
            }
            if !value.is_none() {
                options.set(&name, &value)?;
            }
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let word = || taken::<String>(name, value, "a word");
        let load = &mut self.load;
        match name {
            "floating_base" => self.floating_base = Some(taken(name, value, "a bool")?),
            "mimic" => {
                let choices = [
                    ("coupled", MimicJoints::Coupled),
                    ("free", MimicJoints::Free),
                ];
                load.mimic = choice(name, &word()?, &choices)?;
            }
            "continuous" => {
                let choices = [
                    ("angle", Continuous::Angle),
                    ("cos-sin", Continuous::CosSin),
                ];
                load.continuous = choice(name, &word()?, &choices)?;
            }
            "sibling_order" => {
                let choices = [
                    ("document", SiblingOrder::Document),
                    ("alphabetical", SiblingOrder::Alphabetical),
                ];
                load.sibling_order = choice(name, &word()?, &choices)?;
            }
            "keep_fixed_joints" => {
                load.kept_fixed_joints = taken(name, value, "a list of names")?;
            }
            "package_folders" => {
                load.package_folders =
                    taken::<Vec<PathBuf>>(name, value, "a list of paths of folders")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// What the reader is told, with a base that floats by default or does not.
    pub fn load(&self, floats: bool) -> LoadOptions {
        let floats = self.floating_base.unwrap_or(floats);
        self.load.clone().floating_base(floats)
    }
}

/// The value of an option.
fn taken<'a, 'py, T: FromPyObject<'a, 'py>>(
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

fn unknown(py: Python<'_>, name: &str) -> PyResult<PyErr> {
    let nearest = error::nearest(py, name, &NAMES)?;
    let hint = match nearest {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", NAMES.join(", ")),
    };
    Ok(PyTypeError::new_err(format!(
        "there is no option `{name}` of reading a robot; {hint}"
    )))
}
