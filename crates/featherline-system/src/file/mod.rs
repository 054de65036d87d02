//! Sensors and knowns from a text: TOML with errors that say where.

mod error;
mod joints;
mod linear;
mod prior;
mod types;

use crate::error::{SensorFileError, SensorFileFault, SystemError};
use crate::estimate::Prior;
use crate::problem::{Components, Contact, KnownSet, Noise, Problem, Sensor, SensorKind};
use error::Fault;
use featherline::Model;
use featherline::model::{FrameId, JointId, UnknownName};
use featherline::words::Words;
use linear::Term;
use prior::{PriorEntry, prior};
use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

/// The contents of a file of sensors.
///
/// ```toml
/// known = ["qdd", "free-base", "no-external-forces"]
///
/// [[sensor]]
/// name = "left_cells"
/// type = "load-cells"
/// frame = "left_sole"
/// positions = [[0.1, 0.04], [0.1, -0.04], [-0.1, 0.04], [-0.1, -0.04]]
/// sigma = 0.5
/// ```
///
/// | `type` | its other keys |
/// |---|---|
/// | `joint-acceleration`, `joint-force` | `joint`; or `joints`, `"all"` or a list: a sensor `NAME.JOINT` for each |
/// | `external-force`, `centroidal-momentum-rate` | `components`, some of `fx fy fz mx my mz` (all without it); the first also `frame` |
/// | `force-torque` | `frame`; `reaction = true` for the force on the parent |
/// | `accelerometer`, `gyroscope`, `angular-accelerometer`, `tactile-normal` | `frame` |
/// | `load-cells` | `frame`, `positions`; three that span the sole tell the normal force and two moments, those on one line one moment, a lone one none |
/// | `contact` | `frame`, `contact`: `slippery`, `frictionless`, `point` or `frictionless-point` |
/// | `loop-force` | `joint` (or `joints`), which closes a loop: the force and torque on its successor, in its output frame |
/// | `linear` | `terms`, a sum of unknowns: see below |
///
/// Every sensor has a `name`, and its error as `sigma` (a standard deviation, or one for each
/// reading) or as `covariance` (rows); a contact without them holds exactly. A term of a `linear`
/// sensor is a table such as `{ of = "tau", joint = "elbow", factor = 0.5 }`, or with `of =
/// "qdd"`; `degree` counts a joint's degrees of freedom from 0. With `of =
/// "external-force"`, `"transmitted-force"` (`component` one of `fx fy fz mx my mz`) or
/// `"acceleration"` (one of `x y z rx ry rz`) it is a component in the joint's output frame, as in
/// priors and in [`Requested`](crate::Requested). With `of = "loop-force"` (`component`) or
/// `"loop-acceleration"` (`degree`) `joint` is one that closes a loop. `frame` is the name of any
/// frame or link. Readings, deviations and covariances come in the order in which `components` are
/// written. Words of `known` are those of [`KnownSet`]. `unknown = ["external-force:BODY"]` keeps
/// the external force on a body an unknown though `known` has `no-external-forces` or
/// `external-forces`.
///
/// Assumptions before anything is measured stand in tables of their own, which estimates alone
/// read:
///
/// ```toml
/// [[prior]]
/// of = "transmitted-force:elbow"   # a word of `Requested`, but for `external-forces`
/// mean = [0, 0, 9.8, 0, 0, 0]      # a number for all, or one for each; 0 without it
/// sigma = 1e6                      # a standard deviation, or one for each, or `covariance` as rows
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SensorFile {
    /// The known quantities.
    pub known: Vec<KnownSet>,
    /// Sensors and contacts.
    pub sensors: Vec<Sensor>,
    /// The priors of unknowns, assumed before anything is measured.
    pub priors: Vec<Prior>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    known: Vec<Spanned<String>>,
    #[serde(default)]
    unknown: Vec<Spanned<String>>,
    #[serde(default)]
    sensor: Vec<Spanned<Entry>>,
    #[serde(default)]
    prior: Vec<PriorEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Spanned<String>,
    r#type: Spanned<String>,
    joint: Option<Spanned<String>>,
    joints: Option<Spanned<Joints>>,
    frame: Option<Spanned<String>>,
    components: Option<Spanned<Vec<Spanned<String>>>>,
    positions: Option<Spanned<Vec<Spanned<Vec<f64>>>>>,
    contact: Option<Spanned<String>>,
    reaction: Option<Spanned<bool>>,
    terms: Option<Spanned<Vec<Spanned<Term>>>>,
    sigma: Option<Spanned<Deviation>>,
    covariance: Option<Spanned<Vec<Vec<f64>>>>,
}

#[derive(Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "a standard deviation is a number, or a list with one for each reading"
)]
enum Deviation {
    One(f64),
    Each(Vec<f64>),
}

/// All joints, or those of a list.
enum Joints {
    Word(String),
    Names(Vec<Spanned<String>>),
}

impl SensorFile {
    /// Reads sensors of a robot.
    ///
    /// # Errors
    /// [`SensorFileError`] with line and column: text that is not TOML, a key, type or word that
    /// does not exist or is missing, a joint or frame that the robot does not have, numbers that
    /// make no sense.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::SensorFile;
    ///
    /// let model = samples::double_pendulum();
    /// let text = "[[sensor]]\nname = \"imu\"\ntype = \"accelerometer\"\nframe = \"lower_ros\"\nsigma = 0.01\n";
    /// let error = SensorFile::read(text, &model).unwrap_err();
    /// assert_eq!((error.line, error.column), (4, 9));
    /// assert!(error.to_string().contains("did you mean `lower_rod`?"));
    /// ```
    pub fn read(text: &str, model: &Model) -> Result<Self, SensorFileError> {
        let read = || -> Result<Self, Fault> {
            let document: Document = toml::from_str(text).map_err(|error| Fault {
                span: error.span().unwrap_or(0..0),
                cause: SensorFileFault::Syntax(error.message().to_owned()),
            })?;
            // Sensors are added to a problem, which checks them.
            let mut problem = Problem::new(model.clone());
            for entry in &document.sensor {
                for sensor in sensors(model, entry)? {
                    let added = problem.add_sensor(sensor);
                    added.map_err(|error| {
                        Fault::at(entry.get_ref().place_of(&error), error.into())
                    })?;
                }
            }
            let mut known = Vec::with_capacity(document.known.len() + document.unknown.len());
            let words = document.known.iter().map(|word| (word, true));
            for (word, is_known) in words.chain(document.unknown.iter().map(|word| (word, false))) {
                let at = |error| Fault::at(word.span(), error);
                let next = match is_known {
                    true => KnownSet::parse(word.get_ref(), model).map_err(at)?,
                    false => unknown(word, model)?,
                };
                check_given_once(&known, next, model).map_err(|error| at(error.into()))?;
                known.push(next);
            }
            let mut priors = Vec::with_capacity(document.prior.len());
            for entry in &document.prior {
                priors.push(prior(model, entry, &priors)?);
            }
            Ok(Self {
                known,
                sensors: problem.sensors,
                priors,
            })
        };
        read().map_err(|fault| fault.locate(text))
    }

    /// The problem of a robot with these sensors, and with what is known here and said besides.
    ///
    /// # Errors
    /// [`SystemError::KnownTwice`] if two words say something of the same quantity, and other
    /// [`SystemError`]s if the model is not the one that the file was read for.
    pub fn problem(&self, model: Model, besides: &[KnownSet]) -> Result<Problem, SystemError> {
        let mut problem = Problem::new(model);
        for sensor in &self.sensors {
            problem.add_sensor(sensor.clone())?;
        }
        let mut words: Vec<KnownSet> = Vec::new();
        for &known in self.known.iter().chain(besides) {
            check_given_once(&words, known, &problem.model)?;
            words.push(known);
        }
        // Words for all other bodies come after those for one body.
        words.sort_by_key(|word| word.is_of_others());
        for word in words {
            word.add_to(&mut problem)?;
        }
        Ok(problem)
    }
}

/// A word of `unknown`.
fn unknown(word: &Spanned<String>, model: &Model) -> Result<KnownSet, Fault> {
    const WORDS: [&str; 1] = ["external-force:BODY"];
    match word.get_ref().starts_with("external-force:") {
        true => KnownSet::parse(&format!("unknown-{}", word.get_ref()), model)
            .map_err(|error| Fault::at(word.span(), error)),
        false => Err(Fault::unknown("unknown quantity", word, &WORDS)),
    }
}

/// Fails if two words concern the same quantity.
fn check_given_once(given: &[KnownSet], next: KnownSet, model: &Model) -> Result<(), SystemError> {
    match given.iter().find(|known| known.overlaps(next, model)) {
        None => Ok(()),
        Some(known) => Err(SystemError::KnownTwice {
            first: known.name(model),
            second: next.name(model),
        }),
    }
}

impl Entry {
    /// Where what is wrong with a sensor is written.
    fn place_of(&self, error: &SystemError) -> Range<usize> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are of the entry")]
        let place = match error {
            SystemError::SensorNumber { key, .. } => self.span(key),
            SystemError::LumpedJoint { .. }
            | SystemError::FixedFrame { .. }
            | SystemError::Universe => self.span("frame").or(self.span("joint")),
            SystemError::MimicJoint { .. } | SystemError::NoSuchDegree { .. } => {
                self.span("joint").or(self.span("joints"))
            }
            _ => None,
        };
        place.unwrap_or_else(|| self.name.span())
    }

    /// Where the value of a key stands that not every sensor has.
    fn span(&self, key: &str) -> Option<Range<usize>> {
        match key {
            "joint" => self.joint.as_ref().map(Spanned::span),
            "joints" => self.joints.as_ref().map(Spanned::span),
            "frame" => self.frame.as_ref().map(Spanned::span),
            "components" => self.components.as_ref().map(Spanned::span),
            "positions" => self.positions.as_ref().map(Spanned::span),
            "contact" => self.contact.as_ref().map(Spanned::span),
            "reaction" => self.reaction.as_ref().map(Spanned::span),
            "terms" => self.terms.as_ref().map(Spanned::span),
            "sigma" => self.sigma.as_ref().map(Spanned::span),
            "covariance" => self.covariance.as_ref().map(Spanned::span),
            _ => None,
        }
    }
}

/// Which of the optional keys a type of sensor has.
struct Keys<'a> {
    model: &'a Model,
    entry: &'a Entry,
}

impl Keys<'_> {
    fn missing(&self, key: &'static str) -> Fault {
        let cause = SensorFileFault::Missing {
            key,
            kind: self.entry.r#type.get_ref().clone(),
        };
        Fault::at(self.entry.r#type.span(), cause)
    }

    /// The object that a key names, as `find` looks it up.
    fn named<T>(
        &self,
        key: &'static str,
        name: &Option<Spanned<String>>,
        find: impl Fn(&str) -> Result<T, UnknownName>,
    ) -> Result<T, Fault> {
        let name = name.as_ref().ok_or_else(|| self.missing(key))?;
        find(name.get_ref()).map_err(|error| Fault::at(name.span(), error.into()))
    }

    fn joint(&self) -> Result<JointId, Fault> {
        self.named("joint", &self.entry.joint, |name| self.model.joint_id(name))
    }

    fn frame(&self) -> Result<FrameId, Fault> {
        self.named("frame", &self.entry.frame, |name| self.model.frame_id(name))
    }

    fn components(&self) -> Result<Components, Fault> {
        let Some(words) = &self.entry.components else {
            return Ok(Components::ALL);
        };
        let mut components = Components::NONE;
        for word in words.get_ref() {
            let mut known = Components::NAMES.iter();
            let known = known.position(|known| known == word.get_ref());
            let unknown = || Fault::unknown("component", word, &Components::NAMES);
            let component = known.ok_or_else(unknown)?;
            if components.contains(component) {
                let repeated = word.get_ref().clone();
                let cause = SensorFileFault::Repeated { word: repeated };
                return Err(Fault::at(word.span(), cause));
            }
            components = components.and(Components::one(component));
        }
        Ok(components)
    }

    fn positions(&self) -> Result<Vec<[f64; 2]>, Fault> {
        let positions = self.entry.positions.as_ref();
        let positions = positions.ok_or_else(|| self.missing("positions"))?;
        let each = positions.get_ref().iter().map(|position| {
            <[f64; 2]>::try_from(&position.get_ref()[..]).map_err(|_| {
                let count = position.get_ref().len();
                Fault::at(position.span(), SensorFileFault::NoPosition { count })
            })
        });
        each.collect()
    }

    fn contact(&self) -> Result<Contact, Fault> {
        let word = self.entry.contact.as_ref();
        let word = word.ok_or_else(|| self.missing("contact"))?;
        Contact::from_word(word.get_ref())
            .map_err(|unknown| Fault::unknown(unknown.what, word, &unknown.names))
    }

    /// Fails if a key is there that the type has no use for.
    fn only(&self, used: &[&str]) -> Result<(), Fault> {
        for key in [
            "joint",
            "joints",
            "frame",
            "components",
            "positions",
            "contact",
            "reaction",
            "terms",
        ] {
            if let Some(span) = self.entry.span(key).filter(|_| !used.contains(&key)) {
                let kind = self.entry.r#type.get_ref().clone();
                return Err(Fault::at(span, SensorFileFault::Unused { key, kind }));
            }
        }
        Ok(())
    }
}

/// Fails if a sensor's readings could not be distinguished from something else in a sample.
fn check_name(name: &Spanned<String>, model: &Model) -> Result<(), Fault> {
    let meaning = match name.get_ref().as_str() {
        "" => "its readings go by its name",
        "t" | "q" | "v" => "that is part of a sample's state",
        word if word.contains(char::is_control) => "it can't be printed",
        word if KnownSet::parse(word, model).is_ok() => "that is a word for what is known",
        _ => return Ok(()),
    };
    let (span, name) = (name.span(), name.get_ref().clone());
    Err(Fault::at(span, SensorFileFault::Reserved { name, meaning }))
}

/// The sensors of a table: one, or one for each of its `joints`.
fn sensors(model: &Model, spanned: &Spanned<Entry>) -> Result<Vec<Sensor>, Fault> {
    let entry = spanned.get_ref();
    check_name(&entry.name, model)?;
    types::check(&entry.r#type)?;
    match &entry.joints {
        Some(joints) => joints::sensors(model, entry, joints),
        None => Ok(vec![sensor(model, entry)?]),
    }
}

fn sensor(model: &Model, entry: &Entry) -> Result<Sensor, Fault> {
    let keys = Keys { model, entry };
    let (kind, used): (SensorKind, &[&str]) = match entry.r#type.get_ref().as_str() {
        "joint-acceleration" => {
            let joint = keys.joint()?;
            (SensorKind::JointAcceleration { joint }, &["joint"])
        }
        "joint-force" => {
            let joint = keys.joint()?;
            (SensorKind::JointForce { joint }, &["joint"])
        }
        "external-force" => {
            let (frame, components) = (keys.frame()?, keys.components()?);
            (
                SensorKind::ExternalForce { frame, components },
                &["frame", "components"],
            )
        }
        "force-torque" => {
            let reaction = entry.reaction.as_ref().is_some_and(|r| *r.get_ref());
            let frame = keys.frame()?;
            (
                SensorKind::ForceTorque { frame, reaction },
                &["frame", "reaction"],
            )
        }
        "accelerometer" => {
            let frame = keys.frame()?;
            (SensorKind::Accelerometer { frame }, &["frame"])
        }
        "gyroscope" => {
            let frame = keys.frame()?;
            (SensorKind::Gyroscope { frame }, &["frame"])
        }
        "angular-accelerometer" => {
            let frame = keys.frame()?;
            (SensorKind::AngularAccelerometer { frame }, &["frame"])
        }
        "load-cells" => {
            let kind = SensorKind::LoadCells {
                frame: keys.frame()?,
                positions: keys.positions()?,
            };
            (kind, &["frame", "positions"])
        }
        "tactile-normal" => {
            let frame = keys.frame()?;
            (SensorKind::TactileNormal { frame }, &["frame"])
        }
        "contact" => {
            let (frame, contact) = (keys.frame()?, keys.contact()?);
            (
                SensorKind::Contact { frame, contact },
                &["frame", "contact"],
            )
        }
        "centroidal-momentum-rate" => {
            let components = keys.components()?;
            (
                SensorKind::CentroidalMomentumRate { components },
                &["components"],
            )
        }
        "loop-force" => {
            let joint = keys.named("joint", &entry.joint, |name| model.loop_id(name))?;
            (SensorKind::LoopForce { joint }, &["joint"])
        }
        "linear" => {
            let given = entry.terms.as_ref().ok_or_else(|| keys.missing("terms"))?;
            let terms = linear::terms(model, given.get_ref())?;
            (SensorKind::Sum { terms }, &["terms"])
        }
        _ => return Err(types::unknown(&entry.r#type)),
    };
    keys.only(used)?;
    let noise = match noise(entry.sigma.as_ref(), entry.covariance.as_ref())? {
        Some(noise) => noise,
        None if matches!(kind, SensorKind::Contact { .. }) => Noise::Exact,
        None => return Err(keys.missing("sigma")),
    };
    Ok(Sensor::new(entry.name.get_ref(), kind, noise))
}

/// An error as it is written; none if it is not.
fn noise(
    sigma: Option<&Spanned<Deviation>>,
    covariance: Option<&Spanned<Vec<Vec<f64>>>>,
) -> Result<Option<Noise>, Fault> {
    Ok(match (sigma, covariance) {
        (Some(sigma), Some(_)) => {
            return Err(Fault::at(sigma.span(), SensorFileFault::TwoErrors));
        }
        (Some(sigma), None) => Some(match sigma.get_ref().clone() {
            Deviation::One(deviation) => Noise::Deviation(deviation),
            Deviation::Each(deviations) => Noise::Deviations(deviations),
        }),
        (None, Some(rows)) => {
            let (span, matrix) = (rows.span(), rows.get_ref());
            let (rows, mut lengths) = (matrix.len(), (1..).zip(matrix.iter().map(Vec::len)));
            if let Some((row, found)) = lengths.find(|&(_, found)| found != rows) {
                let cause = SensorFileFault::Ragged { row, found, rows };
                return Err(Fault::at(span, cause));
            }
            Some(Noise::Covariance(matrix.concat()))
        }
        (None, None) => None,
    })
}
