//! Sensors and priors as users describe them: by names, which a system looks up in its robot.

use super::text::{self, list, number, numbers, string};
use crate::argument::names;
use crate::array::Value;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

type Maybe<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// A sensor, or an assumption about a contact, of a `System`.
///
/// Made by the function of its type, such as `Sensor.accelerometer("imu", "torso", sigma=0.05)`.
/// Names are those of the robot. Readings are in SI units, in the axes of the frame, moments about
/// its origin; six-vectors are [force; moment]. Errors have mean zero; `sigma` is a standard
/// deviation for all readings, or one for each, `covariance` a matrix in its place.
///
/// >>> import featherline as fl
/// >>> fl.Sensor.accelerometer("imu", "torso", sigma=0.05)
/// Sensor('imu', accelerometer, frame = "torso", sigma = 0.05)
#[pyclass(frozen, module = "featherline", name = "Sensor", eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sensor {
    /// Its name, under which readings are given.
    #[pyo3(get)]
    name: String,
    kind: String,
    keys: Vec<(String, String)>,
}

/// The keys of a sensor or prior, as they are gathered.
#[derive(Default)]
struct Keys(Vec<(String, String)>);

impl Keys {
    fn with(mut self, key: &str, value: String) -> Self {
        self.0.push((key.to_owned(), value));
        self
    }

    fn frame(self, name: &str) -> Self {
        self.with("frame", string(name))
    }

    /// One joint, several, or all.
    fn joints(self, joints: Value<'_, '_>) -> PyResult<Self> {
        if let Ok(name) = joints.extract::<String>() {
            return Ok(match name.as_str() {
                "all" => self.with("joints", string("all")),
                name => self.with("joint", string(name)),
            });
        }
        let names: Vec<String> = joints.extract().map_err(|_| {
            PyTypeError::new_err("joints must be the name of a joint, a list of names, or 'all'")
        })?;
        Ok(self.with("joints", list(names.iter().map(|name| string(name)))))
    }

    /// Some components, if they are named.
    fn components(self, components: Maybe<'_, '_>) -> PyResult<Self> {
        let Some(components) = components else {
            return Ok(self);
        };
        let words = names("components", components)?;
        Ok(self.with("components", list(words.iter().map(|word| string(word)))))
    }

    /// The error: a deviation or a covariance.
    fn noise(self, name: &str, sigma: Maybe<'_, '_>, covariance: Maybe<'_, '_>) -> PyResult<Self> {
        match (sigma, covariance) {
            (Some(_), Some(_)) => Err(PyValueError::new_err(format!(
                "'{name}' has both sigma and covariance. Keep one"
            ))),
            (Some(sigma), None) => {
                let written = numbers("sigma", sigma)?;
                let all = sigma
                    .py()
                    .import("numpy")?
                    .call_method1("ravel", (sigma,))?;
                let all: Vec<f64> = all.call_method0("tolist")?.extract()?;
                let is_deviation = |sigma: &&f64| (**sigma * **sigma).is_normal() && **sigma > 0.0;
                match all.iter().find(|sigma| !is_deviation(sigma)) {
                    None => Ok(self.with("sigma", written)),
                    Some(bad) => Err(PyValueError::new_err(format!(
                        "sigma of '{name}' is {bad}, where a positive standard deviation is expected"
                    ))),
                }
            }
            (None, Some(covariance)) => {
                Ok(self.with("covariance", numbers("covariance", covariance)?))
            }
            (None, None) => Ok(self),
        }
    }
}

impl Sensor {
    fn new(name: &str, kind: &str, keys: Keys) -> PyResult<Self> {
        let has = |key: &str| keys.0.iter().any(|(own, _)| own == key);
        if kind != "contact" && !has("sigma") && !has("covariance") {
            return Err(PyTypeError::new_err(format!(
                "sensor '{name}' needs sigma, a standard deviation, or covariance"
            )));
        }
        Ok(Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            keys: keys.0,
        })
    }

    /// The name of the sensor in messages.
    pub fn place(&self) -> String {
        format!("sensor '{}'", self.name)
    }

    /// Its table in a sensor file.
    pub fn table(&self) -> String {
        let own = [("name", string(&self.name)), ("type", string(&self.kind))];
        let own = own.iter().map(|(key, value)| (*key, value.as_str()));
        table("sensor", own.chain(pairs(&self.keys)))
    }
}

fn pairs(keys: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    keys.iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
}

fn table<'a>(kind: &str, keys: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let lines: Vec<String> = keys
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    format!("[[{kind}]]\n{}", lines.concat())
}

fn described(keys: &[(String, String)]) -> String {
    let keys: Vec<String> = pairs(keys)
        .map(|(key, value)| format!(", {key} = {value}"))
        .collect();
    keys.concat()
}

/// Sensors with their keys, beside a name and an error.
macro_rules! sensors {
    ($($(#[$documentation:meta])* $kind:literal: $method:ident($($argument:ident: $type:ty $(= $default:tt)?),*)
        => |$keys:ident| $result:expr;)*) => {
        #[pymethods]
        impl Sensor {$(
            $(#[$documentation])*
            #[staticmethod]
            #[pyo3(signature = (name, $($argument $(= $default)?,)* *, sigma=None, covariance=None))]
            fn $method(
                name: &str,
                $($argument: $type,)*
                sigma: Maybe<'_, '_>,
                covariance: Maybe<'_, '_>,
            ) -> PyResult<Self> {
                let $keys = Keys::default();
                Self::new(name, $kind, $result.noise(name, sigma, covariance)?)
            }
        )*}
    };
}

sensors! {
    /// Three readings in m/s²: the proper acceleration of the frame's origin. At rest it reads
    /// 9.81 m/s² upwards.
    "accelerometer": accelerometer(frame: &str) => |keys| keys.frame(frame);
    /// Three readings in rad/s. Velocity is an argument of every call, which the readings check.
    "gyroscope": gyroscope(frame: &str) => |keys| keys.frame(frame);
    /// Three readings in rad/s²: the angular acceleration of the frame.
    "angular-accelerometer": angular_accelerometer(frame: &str) => |keys| keys.frame(frame);
    /// One reading in N: the external force along z of the frame.
    "tactile-normal": tactile_normal(frame: &str) => |keys| keys.frame(frame);
    /// The acceleration of a joint, in rad/s² or m/s²; one reading for each degree of freedom.
    ///
    /// `joints` is a name, or a list of names, or "all": then there is a sensor NAME.JOINT for
    /// each, and readings are given under NAME for all of them, or under the name of each.
    "joint-acceleration": joint_acceleration(joints: Value<'_, '_>) => |keys| keys.joints(joints)?;
    /// The force of a joint's drive, in N·m or N; one reading for each degree of freedom.
    ///
    /// `joints` is a name, or a list of names, or "all": then there is a sensor NAME.JOINT for
    /// each, and readings are given under NAME for all of them, or under the name of each.
    "joint-force": joint_force(joints: Value<'_, '_>) => |keys| keys.joints(joints)?;
    /// Six readings: the force that a joint which closes a loop passes on to its successor, in its
    /// output frame.
    "loop-force": loop_force(joints: Value<'_, '_>) => |keys| keys.joints(joints)?;
    /// The external force on the body of a frame: one reading for each of `components`, some of
    /// "fx", "fy", "fz", "mx", "my", "mz", or all six.
    "external-force": external_force(frame: &str, components: Maybe<'_, '_> = None) =>
        |keys| keys.frame(frame).components(components)?;
    /// One reading in N for each load cell under a sole, positive for a push along z of the frame.
    /// `positions` are rows of x and y in the frame, in m.
    "load-cells": load_cells(frame: &str, positions: Value<'_, '_>) =>
        |keys| keys.frame(frame).with("positions", numbers("positions", positions)?);
    /// An assumption about a contact, without readings: which components of the external force are
    /// zero in the frame, whose z axis is the normal. "slippery": fx, fy; "frictionless": fx, fy,
    /// mz; "point": the moments; "frictionless-point": all but fz. It holds exactly, or up to
    /// `sigma`.
    "contact": contact(frame: &str, contact: &str) =>
        |keys| keys.frame(frame).with("contact", string(&contact.replace('_', "-")));
    /// The rate of the centroidal momentum: external forces and weight, in world axes about the
    /// centre of mass; one reading for each of `components`, or six.
    "centroidal-momentum-rate": centroidal_momentum_rate(components: Maybe<'_, '_> = None) =>
        |keys| keys.components(components)?;
    /// One reading of a sum of unknowns: `terms` are tuples of a quantity and its factor, such as
    /// ("tau:left_ankle_pitch", 0.5), with the component or the degree of freedom between them
    /// where there are several: ("transmitted-force:left_knee", "fz", 1.0).
    "linear": linear(terms: Vec<Bound<'_, PyTuple>>) =>
        |keys| keys.with("terms", list(terms.iter().map(term).collect::<PyResult<Vec<_>>>()?));
}

#[pymethods]
impl Sensor {
    /// Six readings: the force that the joint of the frame's body transmits to it; with
    /// `reaction`, the force on the parent. A fixed joint has to be kept when the robot is loaded
    /// (`fl.load(..., keep_fixed_joints=[...])`).
    #[staticmethod]
    #[pyo3(signature = (name, frame, *, reaction=false, sigma=None, covariance=None))]
    fn force_torque(
        name: &str,
        frame: &str,
        reaction: bool,
        sigma: Maybe<'_, '_>,
        covariance: Maybe<'_, '_>,
    ) -> PyResult<Self> {
        let mut keys = Keys::default().frame(frame);
        if reaction {
            keys = keys.with("reaction", "true".to_owned());
        }
        Self::new(name, "force-torque", keys.noise(name, sigma, covariance)?)
    }

    /// Its type, as sensor files have it.
    #[getter(r#type)]
    fn kind(&self) -> &str {
        &self.kind
    }

    /// Its table in a sensor file.
    fn to_toml(&self) -> String {
        self.table()
    }

    fn __repr__(&self) -> String {
        format!(
            "Sensor('{}', {}{})",
            self.name,
            self.kind,
            described(&self.keys)
        )
    }

    #[staticmethod]
    fn _from_keys(name: String, kind: String, keys: Vec<(String, String)>) -> Self {
        Self { name, kind, keys }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Self>().getattr("_from_keys")?;
        let content = (self.name.clone(), self.kind.clone(), self.keys.clone());
        (make, content).into_pyobject(py)
    }
}

/// A term of a sum, as files have it.
fn term(term: &Bound<'_, PyTuple>) -> PyResult<String> {
    let misuse = || {
        PyTypeError::new_err(format!(
            "a term is a tuple such as (\"tau:JOINT\", 0.5) or (\"transmitted-force:JOINT\", \"fz\", 1.0), not {term}"
        ))
    };
    let (quantity, middle, factor) = match term.len() {
        2 => (term.get_item(0)?, None, term.get_item(1)?),
        3 => (
            term.get_item(0)?,
            Some(term.get_item(1)?),
            term.get_item(2)?,
        ),
        _ => return Err(misuse()),
    };
    let quantity: String = quantity.extract().map_err(|_| misuse())?;
    let factor: f64 = factor.extract().map_err(|_| misuse())?;
    let quantity = text::word(&quantity);
    let (of, joint) = quantity.split_once(':').ok_or_else(misuse)?;
    let middle = match middle {
        None => String::new(),
        Some(middle) => match (middle.extract::<usize>(), middle.extract::<String>()) {
            (Ok(degree), _) => format!(", degree = {degree}"),
            (_, Ok(component)) => format!(", component = {}", string(&component)),
            _ => return Err(misuse()),
        },
    };
    Ok(format!(
        "{{ of = {}, joint = {}{middle}, factor = {} }}",
        string(of),
        string(joint),
        number(factor)
    ))
}

/// The prior of some unknowns of a `System`, assumed before anything is measured.
///
/// `of` is a quantity such as "tau", "qdd:JOINT" or "external-force:BODY", of which six-vectors are
/// in the joint's output frame; `mean` a number for all of its components, or one for each; `sigma`
/// a standard deviation, or one for each; `covariance` a matrix in its place. Only estimates read
/// it.
///
/// >>> import featherline as fl
/// >>> fl.Prior("external-force:panda_link8", mean=[0, 0, -5, 0, 0, 0], sigma=20)
/// Prior('external-force:panda_link8', mean = [0.0, 0.0, -5.0, 0.0, 0.0, 0.0], sigma = 20.0)
#[pyclass(frozen, module = "featherline", name = "Prior", eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Prior {
    /// The quantity.
    #[pyo3(get)]
    of: String,
    keys: Vec<(String, String)>,
}

impl Prior {
    /// The name of the prior in messages.
    pub fn place(&self) -> String {
        format!("the prior of '{}'", self.of)
    }

    /// Its table in a sensor file.
    pub fn table(&self) -> String {
        let of = string(&self.of);
        table(
            "prior",
            [("of", of.as_str())].into_iter().chain(pairs(&self.keys)),
        )
    }
}

#[pymethods]
impl Prior {
    #[new]
    #[pyo3(signature = (of, *, mean=None, sigma=None, covariance=None))]
    fn new(
        of: &str,
        mean: Maybe<'_, '_>,
        sigma: Maybe<'_, '_>,
        covariance: Maybe<'_, '_>,
    ) -> PyResult<Self> {
        if sigma.is_none() && covariance.is_none() {
            return Err(PyTypeError::new_err(format!(
                "the prior of '{of}' needs sigma, a standard deviation, or covariance"
            )));
        }
        let mut keys = Keys::default();
        if let Some(mean) = mean {
            keys = keys.with("mean", numbers("mean", mean)?);
        }
        Ok(Self {
            of: text::word(of),
            keys: keys.noise(of, sigma, covariance)?.0,
        })
    }

    /// Its table in a sensor file.
    fn to_toml(&self) -> String {
        self.table()
    }

    fn __repr__(&self) -> String {
        format!("Prior('{}'{})", self.of, described(&self.keys))
    }

    #[staticmethod]
    fn _from_keys(of: String, keys: Vec<(String, String)>) -> Self {
        Self { of, keys }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Self>().getattr("_from_keys")?;
        (make, (self.of.clone(), self.keys.clone())).into_pyobject(py)
    }
}
