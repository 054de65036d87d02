//! The contacts of a robot in a simulation, and the defaults that callers do not state.

use crate::argument::shown;
use crate::array::Answer;
use crate::methods::MethodName;
use crate::model::{Model, Shapes};
use crate::robot::{Robot, load_robot, warn};
use featherline::kinematics::Target;
use featherline::model::JointId;
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::Contact;
use featherline_formats::Robot as Read;
use featherline_geometry::{CollisionModel, CollisionShape, Shape};
use featherline_sim::contact::{CollisionContacts, ContactImpulse, ContactLaws, MovedBodies};
use featherline_sim::setup::{
    self as sim, DrivesName, Setup, SetupError, SetupField, SetupWarning, Start, StatedForces,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the world among links.
const WORLD: &str = "world";

/// A ground as callers ask for it.
#[derive(Clone, Copy)]
pub struct Ground(pub sim::Ground);

impl Ground {
    /// The one of a caller who says nothing.
    pub const AUTO: Self = Self(sim::Ground::Auto);
}

impl<'py> FromPyObject<'_, 'py> for Ground {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self(sim::Ground::None));
        }
        match (value.extract::<f64>(), value.extract::<String>()) {
            (Ok(height), _) => Ok(Self(sim::Ground::At(height))),
            (_, Ok(word)) if word == "auto" => Ok(Self::AUTO),
            _ => Err(PyTypeError::new_err(
                "ground must be a height in m, None or 'auto'",
            )),
        }
    }
}

/// A robot as callers name it: a `Robot`, a `Model`, or what `load_robot` takes.
pub fn robot_of(value: &Bound<'_, PyAny>) -> PyResult<Py<Model>> {
    let py = value.py();
    if let Ok(model) = value.cast::<Model>() {
        return Ok(model.clone().unbind());
    }
    if value.extract::<PathBuf>().is_err() && value.cast::<Robot>().is_err() {
        let is_list = value.cast::<PyList>().is_ok() || value.cast::<PyTuple>().is_ok();
        let one = match is_list {
            true => ". It is one robot, also in a batch: make a simulation of each",
            false => "",
        };
        return Err(PyTypeError::new_err(format!(
            "robot must be a Model, a Robot, a name, a path, or the text of a robot's file, not {}{one}",
            shown(value)
        )));
    }
    match value.cast::<Robot>() {
        Ok(robot) => Ok(robot.get().shared_model(py)),
        Err(_) => Ok(load_robot(py, value, None)?.shared_model(py)),
    }
}

/// The contacts that a robot may have: shapes, the pairs that may touch, and their surfaces.
#[derive(Clone)]
pub struct ContactSetup {
    /// In memory of its own: Python aligns objects less than its numbers need.
    pub contacts: Box<CollisionContacts>,
    /// The bodies that callers move, at the start.
    pub moved: MovedBodies,
    pub laws: ContactLaws,
    pub names: Arc<ShapeNames>,
    /// The links of the shapes, as the file names them.
    links: Arc<[String]>,
    /// The names of shapes that overlap where the simulation was made.
    pub left_out: Vec<[String; 2]>,
}

/// The names of shapes and of the links that carry them, and their bodies. A ground is the world,
/// also where a file makes a link of it.
#[derive(Default)]
pub struct ShapeNames {
    pub shapes: Vec<String>,
    pub links: Vec<String>,
    pub bodies: Vec<JointId>,
}

impl ShapeNames {
    /// Those of the shapes of a robot's contact model, which the description has at these indices.
    pub fn of(read: &Read, shapes: &[CollisionShape], geometry: &[Option<usize>]) -> Self {
        let is_ground = |it: &CollisionShape| {
            it.body == JointId::UNIVERSE && matches!(it.shape, Shape::Plane(_))
        };
        let links = links_of(read, geometry).into_iter().zip(shapes);
        let links = links.map(|(link, shape)| match is_ground(shape) {
            true => WORLD.to_owned(),
            false => link,
        });
        Self {
            shapes: shapes.iter().map(|it| it.name.clone()).collect(),
            links: links.collect(),
            bodies: shapes.iter().map(|it| it.body).collect(),
        }
    }
}

/// The links of the shapes, as the file names them.
fn links_of(read: &Read, geometry: &[Option<usize>]) -> Vec<String> {
    let description = &read.description;
    let link = |geometry: Option<usize>| {
        let geometry = geometry.and_then(|it| description.geometry.get(it));
        let link = geometry.and_then(|it| description.links.get(it.link));
        link.map_or(WORLD, |link| &link.name).to_owned()
    };
    geometry.iter().map(|&it| link(it)).collect()
}

/// A point of contact in a step.
#[derive(Clone, Copy)]
pub struct ContactPoint {
    /// The indices of the shapes.
    pub shapes: [usize; 2],
    pub point: Vec3<f64>,
    pub normal: Vec3<f64>,
    pub gap: f64,
    pub friction: f64,
    /// On the second shape, in N.
    pub force: Vec3<f64>,
    /// Of the second shape's point less that of the first, in m/s.
    pub velocity: Vec3<f64>,
}

impl ContactPoint {
    /// The contacts of a step of `h` seconds.
    pub fn all(collision: &CollisionModel, found: &[ContactImpulse], h: f64) -> Vec<Self> {
        let touches = found.iter().filter_map(|it| {
            Some(Self {
                shapes: CollisionContacts::shapes_of(collision, &it.contact)?,
                point: it.contact.point,
                normal: it.contact.normal,
                gap: it.contact.gap,
                friction: it.contact.friction,
                force: it.impulse * h.recip(),
                velocity: it.velocity,
            })
        });
        touches.collect()
    }

    /// Its numbers in the order of `featherline.contacts`.
    pub fn numbers(&self) -> [f64; 14] {
        let mut all = [0.0; 14];
        all[..3].copy_from_slice(&self.point.to_array());
        all[3..6].copy_from_slice(&self.normal.to_array());
        (all[6], all[7]) = (self.gap, self.friction);
        all[8..11].copy_from_slice(&self.force.to_array());
        all[11..].copy_from_slice(&self.velocity.to_array());
        all
    }

    /// The contact as a step of 1 s would have it, with the bodies of the shapes.
    pub fn in_a_second(&self, bodies: &[JointId]) -> Option<ContactImpulse> {
        let [first, second] = self.shapes;
        // Files of columns have no normals: the point then counts by the whole force.
        let normal = match self.normal.x.is_nan() {
            true => self.force * self.force.norm().recip(),
            false => self.normal,
        };
        Some(ContactImpulse {
            contact: Contact {
                bodies: [*bodies.get(first)?, *bodies.get(second)?],
                point: self.point,
                normal,
                gap: self.gap,
                friction: self.friction,
                anisotropy: None,
                restitution: 0.0,
                surface_velocity: Vec3::zero(),
                feature: 0,
            },
            impulse: self.force,
            velocity: self.velocity,
        })
    }

    /// The contact of these.
    pub fn of_numbers(shapes: [usize; 2], all: &[f64; 14]) -> Self {
        let vector = |k: usize| Vec3::new(all[k], all[k + 1], all[k + 2]);
        Self {
            shapes,
            point: vector(0),
            normal: vector(3),
            gap: all[6],
            friction: all[7],
            force: vector(8),
            velocity: vector(11),
        }
    }
}

impl ContactSetup {
    fn of(read: &Read, start: &Start<'_>) -> Self {
        let shapes = start.contacts.model().shapes();
        Self {
            names: Arc::new(ShapeNames::of(read, shapes, &start.geometry)),
            links: links_of(read, &start.geometry).into(),
            contacts: Box::new(start.contacts.clone()),
            moved: start.moved.clone(),
            laws: start.laws,
            left_out: start.left_out.clone(),
        }
    }

    /// Which shapes are a link's own; of a joint or another frame, all of its body.
    pub fn shapes_of(
        &self,
        link: &str,
        target: Target,
        model: &featherline::Model,
    ) -> impl Fn(usize) -> bool + '_ {
        let joint = match target {
            Target::Joint(joint) => joint,
            Target::Frame(frame) => model.frame(frame).joint,
        };
        let is_link = self.links.iter().any(|it| it == link);
        let link = link.to_owned();
        move |shape| match is_link {
            true => self.links[shape] == link,
            false => self.contacts.model().shapes()[shape].body == joint,
        }
    }
}

/// Why there is no simulation, in terms of Python.
pub fn refused(error: SetupError) -> PyErr {
    let name = |what: SetupField| {
        if what == SetupField::Step {
            "dt"
        } else if what == SetupField::Stops {
            "limits"
        } else {
            what.name()
        }
    };
    PyValueError::new_err(if let SetupError::Idle { what, why, instead } = error {
        format!("{} has no effect: {why}; {instead}", name(what))
    } else if let SetupError::BadNumber { what, value, need } = error {
        format!("{} is {value}, where {need}", name(what))
    } else {
        error.to_string()
    })
}

/// How a simulation begins: what [`Start`](featherline_sim::setup::Start) keeps of it.
pub struct DecidedSetup {
    pub method: MethodName,
    pub dt: f64,
    pub touching: ContactSetup,
    pub drives: DrivesName,
    /// The controls of the file's actuators, where these are the drives.
    pub controls: Vec<f64>,
    /// The state to begin with, and that of a robot of which nobody says where it is.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub home: (Vec<f64>, Vec<f64>),
    pub passive: bool,
    /// Forces on bodies that the file states.
    pub stated: StatedForces,
    /// Whether nothing but gravity acts.
    pub is_free: bool,
    /// The decisions, in JSON.
    pub decision: String,
}

impl DecidedSetup {
    /// Decides on all that a caller left open, and warns of what acts otherwise than the file says.
    pub fn decide(py: Python<'_>, robot: &Model, setup: &Setup) -> PyResult<Self> {
        let read = match &robot.shapes {
            Shapes::Of(read) => read.clone(),
            Shapes::None | Shapes::Lost => Arc::new(Read::from_model((*robot.model).clone())),
        };
        let start = py.detach(|| setup.decide(&read)).map_err(refused)?;
        let mut of_file = Vec::new();
        for warning in &start.warnings {
            if let SetupWarning::File(warning) = warning {
                of_file.push(warning.clone());
            } else if let SetupWarning::Falls(_) = warning {
                // A model without shapes touches nothing, and nobody expects it to.
                if matches!(robot.shapes, Shapes::Of(_)) {
                    crate::error::warning(py, &format!("{warning}: ground=None"), 1)?;
                }
            } else {
                crate::error::warning(py, &warning.to_string(), 1)?;
            }
        }
        warn(py, &of_file, "")?;
        let is_stepping = start.method == MethodName::TimeStepping;
        if matches!(robot.shapes, Shapes::Lost) && is_stepping && setup.ground == sim::Ground::Auto
        {
            let lost = format!(
                "'{}' was pickled or changed, and its shapes are lost: it touches nothing. Load it from its file, or say ground=None",
                robot.model.name()
            );
            crate::error::warning(py, &lost, 1)?;
        }
        Ok(Self {
            method: start.method,
            dt: start.step,
            drives: start.drives_name,
            controls: start.controls.clone(),
            passive: start.passive,
            stated: start.stated.clone(),
            is_free: start.only_gravity_acts(),
            decision: serde_json::to_string(&start.decision())
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
            touching: ContactSetup::of(&read, &start),
            q: start.q,
            v: start.v,
            home: start.home,
        })
    }
}

/// Contacts as the structured array of `featherline.contacts`, each with its time.
pub fn structured<'py>(
    py: Python<'py>,
    names: &ShapeNames,
    times: Vec<f64>,
    touches: &[ContactPoint],
) -> Answer<'py> {
    let shapes: Vec<(usize, usize)> = touches.iter().map(|it| it.shapes.into()).collect();
    let numbers: Vec<f64> = touches.iter().flat_map(ContactPoint::numbers).collect();
    let numbers = numpy::PyArray1::from_vec(py, numbers);
    let module = py.import("featherline.contacts")?;
    module
        .getattr("_structured")?
        .call1((&names.shapes, &names.links, times, shapes, numbers))
}
