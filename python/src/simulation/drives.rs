//! Drives of joints as callers choose them.

use super::controls::Actuators;
use super::event::numbers;
use crate::error;
use crate::model::{Model, Shapes};
use featherline::words::{DidYouMean, Words, closest};
use featherline_sim::contact;
use featherline_sim::integrator::IntegratorError;
use featherline_sim::setup::DrivesName;
use featherline_sim::simulation::ControllerName;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Proportional-derivative drives of the joints, of method "time-stepping": τ = clamp(kp (target −
/// q) − kd v, ±effort), taken at the end of each step. They are stable at any gain, and the effort
/// is never exceeded.
///
/// Gains are in N·m/rad (N/m) and N·m·s/rad (N·s/m), effort is in N·m (N), by default as the model
/// limits it. Each is a number for all joints of one degree of freedom, an array (nv,), or a
/// dictionary from joints to numbers; joints without gains have no drive. The targets are those of
/// `Simulation.targets`.
///
/// >>> quadruped = fl.load("quadruped")
/// >>> simulation = fl.Simulation(quadruped, drives=fl.Drives(100.0, 3.0, effort=30.0))
/// >>> recording = simulation.run(0.5)
/// >>> bool(np.abs(simulation.drive_forces).max() <= 30.0)
/// True
#[pyclass(frozen, module = "featherline", name = "Drives")]
pub struct Drives {
    stiffness: Gain,
    damping: Gain,
    effort: Option<Gain>,
}

/// A number for each coordinate.
enum Gain {
    All(f64),
    Each(Vec<f64>),
    Named(Vec<(String, f64)>),
}

impl Gain {
    fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        let own = match value.cast::<PyDict>() {
            Ok(named) => {
                let all = named.iter().map(|(joint, value)| {
                    let number = value.extract::<f64>().map_err(|_| {
                        PyTypeError::new_err(format!("{name}['{joint}'] must be a number"))
                    })?;
                    Ok((joint.extract::<String>()?, number))
                });
                Self::Named(all.collect::<PyResult<_>>()?)
            }
            Err(_) => match numbers(name, value)? {
                all if all.len() == 1 => Self::All(all[0]),
                all => Self::Each(all),
            },
        };
        let bad = |value: &&f64| value.is_nan() || **value < 0.0;
        let found = match &own {
            Self::All(value) => Some(value).filter(bad),
            Self::Each(all) => all.iter().find(bad),
            Self::Named(all) => all.iter().map(|(_, value)| value).find(bad),
        };
        match found {
            None => Ok(own),
            Some(value) => Err(PyValueError::new_err(format!(
                "{name} has {value}, where numbers of at least zero are expected"
            ))),
        }
    }

    /// The numbers of all coordinates, `missing` for joints that are not named.
    fn spread(&self, name: &str, robot: &Model, missing: &[f64]) -> PyResult<Vec<f64>> {
        let model = &*robot.model;
        let nv = model.nv();
        match self {
            Self::All(value) => Ok(vec![*value; nv]),
            Self::Each(all) if all.len() == nv => Ok(all.clone()),
            Self::Each(all) => Err(error::shape(name, &[all.len()], &format!("({nv},)"))),
            Self::Named(named) => {
                let mut all = missing.to_vec();
                for (joint, value) in named {
                    let joint = model.joint(robot.joint_named(joint)?);
                    if joint.nv != 1 || joint.mimic.is_some() {
                        return Err(PyValueError::new_err(format!(
                            "{name}: joint '{}' has no drive of its own, as only joints of one degree of freedom have",
                            joint.name
                        )));
                    }
                    all[joint.idx_v] = *value;
                }
                Ok(all)
            }
        }
    }
}

#[pymethods]
impl Drives {
    #[new]
    #[pyo3(signature = (stiffness, damping, *, effort=None))]
    fn new(
        stiffness: &Bound<'_, PyAny>,
        damping: &Bound<'_, PyAny>,
        effort: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            stiffness: Gain::read("stiffness", stiffness)?,
            damping: Gain::read("damping", damping)?,
            effort: effort.map(|it| Gain::read("effort", it)).transpose()?,
        })
    }

    fn __repr__(&self) -> String {
        format!("<featherline.Drives: {}>", self.describe())
    }
}

impl Drives {
    /// Its gains, in words.
    fn describe(&self) -> String {
        let word = |gain: &Gain| match gain {
            Gain::All(value) => format!("{value}"),
            Gain::Each(all) => format!("{} numbers", all.len()),
            Gain::Named(all) => format!("those of {} joints", all.len()),
        };
        let effort = self.effort.as_ref().map_or("the model's".to_owned(), word);
        format!(
            "stiffness {}, damping {}, effort {effort}",
            word(&self.stiffness),
            word(&self.damping)
        )
    }
}

/// Drives as callers ask for them.
pub enum DrivesChoice {
    /// Those of the file's actuators, or those that hold a robot that stands on a ground or in a
    /// scene, unless it has a controller.
    Auto,
    None,
    Hold,
    Actuators,
    Given(Py<Drives>),
}

impl<'py> FromPyObject<'_, 'py> for DrivesChoice {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::None);
        }
        if let Ok(drives) = value.cast::<Drives>() {
            return Ok(Self::Given(drives.to_owned().unbind()));
        }
        match value.extract::<String>().as_deref() {
            Ok("auto") => Ok(Self::Auto),
            Ok("hold") => Ok(Self::Hold),
            Ok("actuators") => Ok(Self::Actuators),
            word => {
                let near = word
                    .ok()
                    .and_then(|it| closest(it, ["auto", "hold", "actuators"]));
                Err(PyTypeError::new_err(format!(
                    "drives must be 'hold', 'actuators', a Drives, None or 'auto'{}",
                    DidYouMean(near)
                )))
            }
        }
    }
}

/// Why targets have no effect.
pub const GONE: &str = "targets have no drives: a tau or a controller has taken the place of those that held the joints. \
                        `reset` brings them back, and drives='hold' keeps them";

fn no_actuators(robot: &str) -> String {
    format!("drives='actuators': '{robot}' has no actuators that act; take 'hold' or a Drives")
}

impl DrivesChoice {
    /// The controller, and the drives: those that the command line calls a controller, if the
    /// controller is such a word.
    pub fn or_by_word<'a, 'py>(
        self,
        controller: Option<&'a Bound<'py, PyAny>>,
    ) -> PyResult<(Option<&'a Bound<'py, PyAny>>, Self)> {
        let word = controller.and_then(|it| it.extract::<String>().ok());
        let named = word.and_then(|word| ControllerName::from_word(&word).ok());
        let drives = match named {
            Some(ControllerName::Hold) => Self::Hold,
            Some(ControllerName::Actuators) => Self::Actuators,
            Some(ControllerName::None | ControllerName::Gravity | ControllerName::Pd) | None => {
                return Ok((controller, self));
            }
        };
        match self {
            Self::Auto => Ok((None, drives)),
            Self::None | Self::Hold | Self::Actuators | Self::Given(_) => {
                Err(PyValueError::new_err(
                    "controller='hold' and 'actuators' are drives, and drives are given, too: leave one of them out",
                ))
            }
        }
    }

    /// The description of the drives, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Auto | Self::None => "no drives".to_owned(),
            Self::Hold => "drives that hold the joints".to_owned(),
            Self::Actuators => "drives of the file's actuators".to_owned(),
            Self::Given(given) => format!("drives of {}", given.get().describe()),
        }
    }

    /// Their name, if they have one or are left open; given ones hold joints, too.
    pub fn name(&self) -> Option<DrivesName> {
        match self {
            Self::Auto => None,
            Self::None => Some(DrivesName::None),
            Self::Hold | Self::Given(_) => Some(DrivesName::Hold),
            Self::Actuators => Some(DrivesName::Actuators),
        }
    }

    /// With those that were decided on, where they were left open.
    pub fn decided(self, name: DrivesName) -> Self {
        match (self, name) {
            (Self::Auto, DrivesName::None) => Self::None,
            (Self::Auto, DrivesName::Hold) => Self::Hold,
            (Self::Auto, DrivesName::Actuators) => Self::Actuators,
            (own, _) => own,
        }
    }

    /// The drives of a robot that begins in a configuration, which is their target; actuators with
    /// controls, and with the state of the configuration of a name, or of that which the robot
    /// starts with. Without `effort_limits`, no efforts but given ones bound them.
    pub fn drives(
        &self,
        robot: &Model,
        q: &[f64],
        (name, controls): (Option<&str>, &[f64]),
        effort_limits: bool,
    ) -> PyResult<contact::Drives> {
        let drives = self.with_the_models_effort(robot, q, (name, controls))?;
        let is_given = matches!(self, Self::Given(given) if given.get().effort.is_some());
        Ok(match effort_limits || is_given {
            true => drives,
            false => drives.with_effort(|_| f64::INFINITY),
        })
    }

    fn with_the_models_effort(
        &self,
        robot: &Model,
        q: &[f64],
        (name, controls): (Option<&str>, &[f64]),
    ) -> PyResult<contact::Drives> {
        let model = &*robot.model;
        let refused = |error: IntegratorError| PyValueError::new_err(error.to_string());
        match self {
            Self::Auto | Self::None => Ok(contact::Drives::none()),
            Self::Hold => contact::Drives::holding(model, q).map_err(refused),
            Self::Actuators => {
                let Shapes::Of(read) = &robot.shapes else {
                    return Err(PyValueError::new_err(no_actuators(model.name())));
                };
                let start = read.start().map(|it| it.name.as_str());
                let actuation = read.actuation_in(name.or(start), controls);
                let actuation =
                    actuation.map_err(|error| PyValueError::new_err(error.to_string()))?;
                if actuation.joints.is_empty() && actuation.lengths.is_empty() {
                    return Err(PyValueError::new_err(no_actuators(model.name())));
                }
                let own = contact::Drives::of_actuators(model, &actuation);
                match read.is_scene() {
                    true => {
                        Ok(own
                            .and_held(model, contact::Drives::holding(model, q).map_err(refused)?))
                    }
                    false => Ok(own),
                }
            }
            Self::Given(given) => {
                let given = given.get();
                let nothing = vec![0.0; model.nv()];
                let stiffness = given.stiffness.spread("stiffness", robot, &nothing)?;
                let damping = given.damping.spread("damping", robot, &nothing)?;
                let drives = contact::Drives::with_gains(model, q, |k| (stiffness[k], damping[k]))
                    .without(|k| stiffness[k] == 0.0 && damping[k] == 0.0);
                let Some(effort) = &given.effort else {
                    return Ok(drives);
                };
                let mut own = vec![f64::INFINITY; model.nv()];
                for joint in model
                    .joints()
                    .iter()
                    .skip(1)
                    .filter(|it| it.mimic.is_none())
                {
                    own[joint.idx_v..joint.idx_v + joint.nv].copy_from_slice(&joint.limits.effort);
                }
                let effort = effort.spread("effort", robot, &own)?;
                Ok(drives.with_effort(|k| effort[k]))
            }
        }
    }

    /// The actuators of the robot's file with their first controls, if these are the drives.
    pub fn actuators(&self, robot: &Model, first: &[f64]) -> Option<Actuators> {
        if let (Self::Actuators, Shapes::Of(read)) = (self, &robot.shapes) {
            return Some(Actuators::new(read.clone(), first.to_vec()));
        }
        None
    }
}
