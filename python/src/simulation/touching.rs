//! What a robot touches in a simulation, and what of it follows where callers say nothing.

use super::options::Given;
use crate::argument::shown;
use crate::methods::MethodName;
use crate::model::{Model, Shapes, chosen};
use crate::robot::{Robot, load_robot, warn};
use featherline::kinematics::Target;
use featherline::model::JointId;
use featherline::spatial::Vec3;
use featherline_constraint::nonsmooth::{Contact, clamp_to_limits};
use featherline_formats::Robot as Read;
use featherline_formats::description::{
    Actuation, ContactDefaults, ContactModel, START_CONFIGURATIONS,
};
use featherline_geometry::{CollisionModel, CollisionShape, Shape};
use featherline_sim::contact::{
    CollisionContacts, ContactImpulse, ContactLaws, Defaults, InGround, floating_height, put_on,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the world among links.
const WORLD: &str = "world";

/// A ground as callers ask for it.
#[derive(Clone, Copy, PartialEq)]
pub enum Ground {
    /// At height zero below a robot that floats, and none for others.
    Auto,
    None,
    /// At a height in m.
    At(f64),
}

impl<'py> FromPyObject<'_, 'py> for Ground {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::None);
        }
        match (value.extract::<f64>(), value.extract::<String>()) {
            (Ok(height), _) if height.is_finite() => Ok(Self::At(height)),
            (Ok(height), _) => Err(PyValueError::new_err(format!(
                "ground is {height}, where a finite height in m is expected"
            ))),
            (_, Ok(word)) if word == "auto" => Ok(Self::Auto),
            _ => Err(PyTypeError::new_err(
                "ground must be a height in m, None or 'auto'",
            )),
        }
    }
}

/// What callers say of contact.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    pub ground: Ground,
    pub friction: Option<f64>,
    pub friction_law: Option<&'a str>,
    pub impact_law: Option<&'a str>,
}

impl Asked<'_> {
    /// The laws that they name, else those of the file.
    fn laws(&self, read: Option<&Read>) -> PyResult<ContactLaws> {
        let mut defaults = read.map_or_else(ContactDefaults::default, |read| {
            read.description.contact_defaults
        });
        if let Some(word) = self.friction_law {
            defaults.friction_law = chosen("friction_law", word)?;
        }
        if let Some(word) = self.impact_law {
            defaults.impact_law = chosen("impact_law", word)?;
        }
        Ok(defaults.into())
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

/// What a robot touches: shapes, the pairs that may touch, and their surfaces.
#[derive(Clone)]
pub struct Touching {
    /// In memory of its own: Python aligns objects less than its numbers need.
    pub contacts: Box<CollisionContacts>,
    pub laws: ContactLaws,
    pub names: Arc<Names>,
    /// The links of the shapes, as the file names them.
    links: Arc<[String]>,
    /// The names of shapes that overlap where the simulation was made.
    pub left_out: Vec<[String; 2]>,
}

/// The names of shapes and of the links that carry them, and their bodies. A ground is the world,
/// also where a file makes a link of it.
#[derive(Default)]
pub struct Names {
    pub shapes: Vec<String>,
    pub links: Vec<String>,
    pub bodies: Vec<JointId>,
}

impl Names {
    /// Those of a robot's contact model.
    pub fn of(read: &Read, contact: &ContactModel) -> Self {
        let links = links_of(read, contact).into_iter();
        let shapes = || contact.collision.shapes().iter();
        let is_ground = |it: &CollisionShape| {
            it.body == JointId::UNIVERSE && matches!(it.shape, Shape::Plane(_))
        };
        let named = links
            .zip(shapes())
            .map(|(link, shape)| match is_ground(shape) {
                true => WORLD.to_owned(),
                false => link,
            });
        Self {
            shapes: shapes().map(|it| it.name.clone()).collect(),
            links: named.collect(),
            bodies: contact
                .collision
                .shapes()
                .iter()
                .map(|it| it.body)
                .collect(),
        }
    }
}

/// The links of the shapes, as the file names them.
fn links_of(read: &Read, contact: &ContactModel) -> Vec<String> {
    let description = &read.description;
    let link = |geometry: Option<usize>| {
        let geometry = geometry.and_then(|it| description.geometry.get(it));
        let link = geometry.and_then(|it| description.links.get(it.link));
        link.map_or(WORLD, |link| &link.name).to_owned()
    };
    contact.geometry.iter().map(|&it| link(it)).collect()
}

/// A point of contact in a step.
#[derive(Clone, Copy)]
pub struct Touch {
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

impl Touch {
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
                restitution: 0.0,
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

impl Touching {
    /// Nothing.
    fn nothing(model: &featherline::Model) -> PyResult<Self> {
        let empty = CollisionModel::with_pairs(model, Vec::new(), Vec::new());
        Ok(Self {
            contacts: Box::new(CollisionContacts::new(empty.map_err(refused)?, Vec::new())),
            laws: ContactLaws::default(),
            names: Arc::default(),
            links: Arc::default(),
            left_out: Vec::new(),
        })
    }

    fn of(read: &Read, contact: ContactModel, friction: Option<f64>, laws: ContactLaws) -> Self {
        let names = Arc::new(Names::of(read, &contact));
        let links = links_of(read, &contact).into();
        let contacts = CollisionContacts::from(contact);
        Self {
            contacts: Box::new(match friction {
                Some(friction) => contacts.with_friction(friction),
                None => contacts,
            }),
            laws,
            names,
            links,
            left_out: Vec::new(),
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

fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// How a simulation begins where callers leave it open.
pub struct Beginning {
    pub method: MethodName,
    pub touching: Touching,
    pub is_held: bool,
    /// Whether the file has actuators that count.
    pub has_actuators: bool,
    /// The step in s that the file states.
    pub dt: Option<f64>,
    /// Where it begins without a state.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

impl Beginning {
    /// Decides on the method, the contacts and the start, as the command line does.
    pub fn decide(
        py: Python<'_>,
        robot: &Model,
        given: &Given,
        asked: Asked<'_>,
    ) -> PyResult<Self> {
        let Asked {
            ground, friction, ..
        } = asked;
        let model = &*robot.model;
        let read = match &robot.shapes {
            Shapes::Of(read) => Some(read.clone()),
            Shapes::None | Shapes::Lost => None,
        };
        let named = model.reference_configurations();
        let name = match &read {
            Some(read) => read.start().map(|it| it.name.as_str()),
            None => (START_CONFIGURATIONS.into_iter()).find(|name| named.contains_key(*name)),
        };
        let is_scene = name == Some(START_CONFIGURATIONS[0]);
        let is_world = is_scene || read.as_ref().is_some_and(|read| read.is_world());
        let start = name.and_then(|name| named.get(name)).cloned();
        let mut beginning = Self {
            method: MethodName::RungeKutta4,
            touching: Touching::nothing(model)?,
            is_held: false,
            has_actuators: false,
            dt: None,
            q: start.unwrap_or_else(|| model.neutral_configuration()),
            v: vec![0.0; model.nv()],
        };
        let velocity = name.and_then(|name| read.as_ref()?.velocity(name));
        if let Some(velocity) = velocity {
            beginning.v = velocity;
        }
        let asks = |what: &str| {
            PyValueError::new_err(format!(
                "{what} belongs to method='time-stepping'; leave it out, or passive, limits, tolerance and the other method"
            ))
        };
        let is_other = match given.method {
            Some(method) => method != MethodName::TimeStepping,
            None => given.passive || given.has_limits || given.tolerance.is_some(),
        };
        if is_other {
            beginning.method = given.method.unwrap_or(MethodName::RungeKutta4);
            return match (ground, friction, given.has_drives) {
                (Ground::At(_), ..) => Err(asks("ground")),
                (_, Some(_), _) => Err(asks("friction")),
                _ if asked.friction_law.is_some() => Err(asks("friction_law")),
                _ if asked.impact_law.is_some() => Err(asks("impact_law")),
                (.., true) => Err(asks("drives")),
                _ => Ok(beginning),
            };
        }
        if let Some(friction) = friction
            && !(friction.is_finite() && friction >= 0.0)
        {
            return Err(PyValueError::new_err(format!(
                "friction is {friction}, where a finite number not below zero is expected"
            )));
        }
        let has_shapes = read
            .as_ref()
            .is_some_and(|read| !read.description.geometry.is_empty());
        let laws = asked.laws(read.as_deref())?;
        // What has a world of its own has the ground that its file gives.
        let floats = floating_height(model).filter(|_| !is_world);
        let base = floats.filter(|_| has_shapes);
        let height = match ground {
            Ground::At(_) if !has_shapes => {
                return Err(PyValueError::new_err(format!(
                    "ground has no effect: '{}' has no shapes that could touch it. Load it from its file, or leave ground out",
                    model.name()
                )));
            }
            Ground::At(height) => Some(height),
            Ground::Auto => base.map(|_| 0.0),
            Ground::None => None,
        };
        let contact = match &read {
            Some(read) => {
                let made = py.detach(|| read.contact_model(height));
                Some(made.map_err(refused)?)
            }
            None => None,
        };
        let touches = contact
            .as_ref()
            .is_some_and(|it| !it.collision.pairs().is_empty());
        if friction.is_some() && !touches {
            return Err(PyValueError::new_err(
                "friction has no effect: nothing can touch anything here; leave it out",
            ));
        }
        let base = base.filter(|_| touches && height.is_some());
        if read.is_some() && floats.is_some() && base.is_none() && ground == Ground::Auto {
            let falls = format!(
                "'{}' has no collision shapes that are read: no ground holds it, and it falls. Add such shapes to its file, or say ground=None",
                model.name()
            );
            crate::error::warning(py, &falls, 1)?;
        }
        let defaults = Defaults::of(model, base.is_some(), is_scene && touches);
        let actuation = match &read {
            Some(read) if given.takes_actuators => read.actuation(name),
            _ => Actuation::default(),
        };
        let has_actuators = !actuation.joints.is_empty();
        let is_chosen = defaults.is_time_stepping || (is_world && touches) || has_actuators;
        let has_law = asked.friction_law.is_some() || asked.impact_law.is_some();
        let asks_for_contact = matches!(ground, Ground::At(_)) || friction.is_some() || has_law;
        let is_asked = given.method.is_some() || asks_for_contact || given.has_drives;
        if !is_asked && !is_chosen {
            return Ok(beginning);
        }
        beginning.method = MethodName::TimeStepping;
        beginning.is_held = defaults.is_held;
        beginning.has_actuators = has_actuators;
        beginning.dt = read.as_ref().and_then(|read| read.description.time_step);
        warn(py, &actuation.warnings, "")?;
        if matches!(robot.shapes, Shapes::Lost) && ground == Ground::Auto {
            crate::error::warning(
                py,
                &format!(
                    "'{}' was pickled or changed, and its shapes are lost: it touches nothing. Load it from its file, or say ground=None",
                    model.name()
                ),
                1,
            )?;
        }
        let (Some(read), Some(contact)) = (read, contact) else {
            if !is_scene {
                clamp_to_limits(model, &mut beginning.q);
            }
            return Ok(beginning);
        };
        warn(py, &contact.warnings, "")?;
        if !is_scene {
            clamp_to_limits(model, &mut beginning.q);
            if base.is_some() {
                let ground = contact.collision.shapes().len() - 1;
                put_on(model, &contact.collision, ground, &mut beginning.q).map_err(refused)?;
            }
        }
        beginning.touching = Touching::of(&read, contact, friction, laws);
        Ok(beginning)
    }

    /// Leaves out the pairs that overlap in a configuration, and warns of a start in the ground.
    pub fn leave_out_overlaps(
        &mut self,
        py: Python<'_>,
        model: &featherline::Model,
        q: &[f64],
    ) -> PyResult<()> {
        let touching = &mut self.touching;
        let in_ground = InGround::deepest(model, touching.contacts.model(), q).map_err(refused)?;
        if let Some(found) = in_ground {
            crate::error::warning(py, &found.to_string(), 1)?;
        }
        let overlapping = touching.contacts.exclude_overlapping(model, q);
        let overlapping = overlapping.map_err(refused)?;
        let name = |k: usize| touching.names.shapes[k].clone();
        touching.left_out = overlapping.iter().map(|pair| pair.map(name)).collect();
        Ok(())
    }
}

/// Contacts as the structured array of `featherline.contacts`, each with its time.
pub fn structured<'py>(
    py: Python<'py>,
    names: &Names,
    times: Vec<f64>,
    touches: &[Touch],
) -> PyResult<Bound<'py, PyAny>> {
    let shapes: Vec<(usize, usize)> = touches.iter().map(|it| it.shapes.into()).collect();
    let numbers: Vec<f64> = touches.iter().flat_map(Touch::numbers).collect();
    let numbers = numpy::PyArray1::from_vec(py, numbers);
    let module = py.import("featherline.contacts")?;
    module
        .getattr("_structured")?
        .call1((&names.shapes, &names.links, times, shapes, numbers))
}
