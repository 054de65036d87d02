//! The options of reading a robot, by their names.

use crate::argument::{names, taken};
use crate::error::only_known;
use crate::model::chosen;
use featherline_formats::{Error, LoadOptions, MissingInertia, Robot};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::path::PathBuf;

/// How to read a robot.
#[derive(Clone, Default)]
pub struct Options {
    /// The reader's options, but for the floating base.
    load: LoadOptions,
    /// Whether the root link floats; embedded robots have a default of their own.
    floating_base: Option<bool>,
    /// The SRDF, with groups and states of the robot.
    srdf: Option<Srdf>,
}

/// An SRDF.
#[derive(Clone)]
enum Srdf {
    Text(String),
    File(PathBuf),
}

impl Options {
    /// The options that a call names.
    pub fn read(named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = Self::default();
        let Some(named) = named else {
            return Ok(options);
        };
        let load = named.py().import("featherline._native")?.getattr("load")?;
        only_known(&load, Some(named))?;
        // Conventions first: other options change them.
        let convention = |name: &str| -> PyResult<bool> {
            let value = named.get_item(name)?.filter(|value| !value.is_none());
            value.map_or(Ok(false), |value| taken(name, &value, "a bool"))
        };
        options.load = match (convention("pinocchio")?, convention("mujoco")?) {
            (true, true) => {
                let text = "pinocchio and mujoco are conventions that differ; set one of them";
                return Err(PyValueError::new_err(text));
            }
            (true, false) => LoadOptions::pinocchio(),
            (false, true) => LoadOptions::mujoco(),
            (false, false) => LoadOptions::default(),
        };
        for (name, value) in named {
            let name: String = name.extract()?;
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
            "mimic" => load.mimic = chosen(name, &word()?)?,
            "continuous" => load.continuous = chosen(name, &word()?)?,
            "sibling_order" => load.sibling_order = chosen(name, &word()?)?,
            "keep_fixed_joints" | "keep_fixed_joint" => {
                load.kept_fixed_joints = names(name, value)?;
            }
            "package_folders" | "package_folder" => {
                load.package_folders = folders(name, value)?;
            }
            "strict" => load.strict = taken(name, value, "a bool")?,
            "permissive" => load.permissive = taken(name, value, "a bool")?,
            "missing_inertia" => load.missing_inertia = missing_inertia(value)?,
            "srdf" => {
                let path: PathBuf = taken(name, value, "the path or the text of an SRDF")?;
                let text: Option<String> = value.extract().ok();
                let text = text.filter(|text| text.trim_start().starts_with('<'));
                self.srdf = Some(text.map_or(Srdf::File(path), Srdf::Text));
            }
            "xacro_arguments" | "xacro" => load.xacro_arguments = xacro_arguments(value)?,
            "root_folders" => {
                load.root_folders = folders(name, value)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The reader's options, with a base that floats by default or does not.
    pub fn load(&self, floats: bool) -> LoadOptions {
        let floats = self.floating_base.unwrap_or(floats);
        let load = self.load.clone().floating_base(floats);
        load.library(featherline_robots::library())
    }
}

impl Options {
    /// The robot with what the SRDF says of it.
    pub fn described(&self, robot: Robot) -> Result<Robot, Error> {
        let robot = match &self.srdf {
            None => return Ok(robot),
            Some(Srdf::Text(text)) => robot.with_srdf_str(text)?,
            Some(Srdf::File(path)) => robot.with_srdf(path)?,
        };
        match self.load.strict {
            true => robot.without_warnings(),
            false => Ok(robot),
        }
    }
}

/// Folders; one of them needs no list.
fn folders(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    match value.extract::<PathBuf>() {
        Ok(one) => Ok(vec![one]),
        Err(_) => taken(name, value, "a list of paths of folders"),
    }
}

/// A word, or a density in kg/m³.
fn missing_inertia(value: &Bound<'_, PyAny>) -> PyResult<MissingInertia> {
    let name = "missing_inertia";
    let expected = "'zero' (no inertia), 'refuse' (an error), 'shapes' (a body of 1000 kg/m³ that fills its \
                    collision shapes), 'shapes:DENSITY' or a density in kg/m³";
    if let Ok(word) = value.extract::<String>() {
        return word.parse().map_err(|_: String| {
            PyValueError::new_err(format!("{name} must be {expected}, not '{word}'"))
        });
    }
    // A bool is a number in Python.
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(format!(
            "{name} must be {expected}, not bool"
        )));
    }
    let density: f64 = taken(name, value, expected)?;
    match density > 0.0 && density.is_finite() {
        true => Ok(MissingInertia::FromShapes { density }),
        false => Err(PyValueError::new_err(format!(
            "{name} is the density {density}, where a positive number of kg/m³ is expected"
        ))),
    }
}

/// Names and values; those of Python are written as xacro has them.
fn xacro_arguments(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let expected = "a dictionary of names and values";
    let values: Bound<'_, PyDict> = taken("xacro_arguments", value, expected)?;
    let arguments = values.iter().map(|(name, value)| {
        let name = taken("a name of xacro_arguments", &name, "a str")?;
        let text = match value.cast::<PyBool>() {
            Ok(value) => value.is_true().to_string(),
            Err(_) => value.str()?.to_string(),
        };
        Ok((name, text))
    });
    arguments.collect()
}
