//! The system: a robot, what is known of it, and its sensors.

use super::sensor::{Prior, Sensor};
use super::states::{Inputs, States};
use super::text::{self, list, string};
use crate::error;
use crate::model::Model;
use crate::properties::properties;
use featherline_cli::names::system_word;
use featherline_constraint::LoopError;
use featherline_system::{
    KnownSet, Requested, SensorFile, SystemError, Template, TemplateError, order,
};
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyTuple};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Dynamics and sensors of a robot as one sparse linear system D y = b.
///
/// Its unknowns are the accelerations of all bodies, the forces that all joints transmit, external
/// forces, joint forces and joint accelerations; its equations those of Newton and Euler, what is
/// `known`, and what `sensors` read.
///
/// known: words for what is known without error: "qdd", "tau", "qdd:JOINT", "tau:JOINT",
/// "free-base", "no-external-forces", "external-forces", "external-force:BODY".
/// unknown: bodies on which an unknown force acts all the same.
/// want: the requested outputs: "tau", "qdd", "external-forces", "tau:JOINT",
/// "external-force:BODY", "transmitted-force:JOINT", "acceleration:BODY", "loop-forces", …; without
/// it, what is not known. Six-vectors are [linear; angular] in the joint's output frame.
/// passive: whether damping, friction and springs of the joints act. cut_loops: leaves out joints
/// that close loops.
///
/// >>> import featherline as fl
/// >>> panda = fl.load("panda")
/// >>> system = fl.System(panda, known=["qdd", "no-external-forces"])
/// >>> q, v, a = panda.neutral(), [0.0] * 7, [1.0] * 7
/// >>> tau = system.solve(q, v, {"qdd": a})["tau"]
/// >>> bool(abs(tau - panda.rnea(q, v, a)).max() < 1e-9)
/// True
#[pyclass(frozen, module = "featherline", name = "System", weakref)]
pub struct System {
    model: Py<Model>,
    /// The source of the problem: a sensor file, and what was said besides.
    source: Source,
    pub parts: Arc<Parts>,
    operations: OnceLock<Option<u64>>,
    pub solver: OnceLock<Arc<super::solution::Solver>>,
    pub estimator: pyo3::sync::PyOnceLock<Py<super::estimator::Estimator>>,
    pub derivative_solvers: super::derivatives::Solvers,
}

#[derive(Clone, Default)]
struct Source {
    text: String,
    known: Vec<String>,
    want: Option<Vec<String>>,
    passive: bool,
    cut_loops: bool,
}

/// The data that solvers work on.
pub struct Parts {
    pub system: featherline_system::System,
    pub priors: Vec<featherline_system::Prior>,
    pub inputs: Inputs,
    pub wants: Vec<RequestedOutput>,
}

/// A requested output.
pub struct RequestedOutput {
    /// Its name in results.
    pub name: String,
    pub requested: Requested,
    /// Where its numbers begin in a row of all, and how many they are.
    pub start: usize,
    pub count: usize,
}

/// The error of a system.
pub fn failure(error: SystemError) -> PyErr {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have this class")]
    match error {
        SystemError::Dynamics(error) => error::algorithm(error),
        SystemError::Loops(LoopError::Tree(error)) => error::algorithm(error),
        error => PyValueError::new_err(error.to_string()),
    }
}

impl Parts {
    /// How many numbers the requested outputs have.
    pub fn count(&self) -> usize {
        self.wants.last().map_or(0, |last| last.start + last.count)
    }

    /// The columns of the requested outputs.
    pub fn columns(&self) -> Vec<usize> {
        let wants = self.wants.iter();
        wants
            .flat_map(|want| want.requested.columns(&self.system))
            .collect()
    }

    /// Reads the requested outputs of all unknowns.
    pub fn gather(&self, unknowns: &[f64], into: &mut [f64]) -> Result<(), SystemError> {
        for want in &self.wants {
            let values = want.requested.values(&self.system, unknowns)?;
            into[want.start..want.start + want.count].copy_from_slice(&values);
        }
        Ok(())
    }

    /// Where a name stands in a row of the requested outputs: first its own, then other words for
    /// the same, and parts.
    pub fn find(&self, name: &str) -> Option<(usize, usize)> {
        if let Some(want) = self.wants.iter().find(|want| want.name == name) {
            return Some((want.start, want.count));
        }
        let asked = Requested::parse(&system_word(name), &self.system).ok()?;
        let &[asked] = &asked[..] else { return None };
        if let Some(want) = self.wants.iter().find(|want| want.requested == asked) {
            return Some((want.start, want.count));
        }
        let (joint, whole) = match asked {
            Requested::JointForce(joint) => (joint, Requested::JointForces),
            Requested::JointAcceleration(joint) => (joint, Requested::JointAccelerations),
            Requested::JointForces
            | Requested::JointAccelerations
            | Requested::ExternalForce(_)
            | Requested::TransmittedForce(_)
            | Requested::Acceleration(_)
            | Requested::LoopForce(_)
            | Requested::LoopAcceleration(_) => return None,
        };
        let whole = self.wants.iter().find(|want| want.requested == whole)?;
        let joint = self.system.model().joint(joint);
        Some((whole.start + joint.idx_v, joint.nv))
    }

    /// Where a requested output's numbers begin, and how many there are.
    pub fn wanted(&self, name: &str) -> PyResult<(usize, usize)> {
        self.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.wants.iter().map(|want| want.name.as_str()).collect();
            text::no_such("requested output", name, &names)
        })
    }

    /// The outputs that words ask for; without words, all that is not known.
    pub fn wants(
        system: &featherline_system::System,
        words: Option<&[String]>,
    ) -> PyResult<Vec<RequestedOutput>> {
        let named = |requested: Requested| (requested.name(system.model()), requested);
        let mut found: Vec<(String, Requested)> = Vec::new();
        match words {
            None => found.extend(Requested::open(system).into_iter().map(named)),
            Some(words) => {
                for word in words {
                    let all = Requested::parse(&system_word(word), system);
                    let all = all.map_err(|fault| text::fault("want", &fault))?;
                    let is_one = all.len() == 1 && word.contains(':');
                    let all = all.into_iter().map(|one| match is_one {
                        true => (text::word(word), one),
                        false => named(one),
                    });
                    for (name, one) in all {
                        if !found.iter().any(|(_, before)| *before == one) {
                            found.push((name, one));
                        }
                    }
                }
            }
        }
        let mut start = 0;
        let wants = found.into_iter().map(|(name, requested)| {
            let count = requested.columns(system).len();
            start += count;
            RequestedOutput {
                name,
                requested,
                start: start - count,
                count,
            }
        });
        Ok(wants.collect())
    }
}

/// The text of a sensor file, with what each part of it is.
struct Text {
    text: String,
    /// Where parts begin, as lines from 1.
    places: Vec<(usize, String)>,
}

impl Text {
    fn new(
        known: &[String],
        unknown: &[String],
        sensors: &[PyRef<'_, Sensor>],
        priors: &[PyRef<'_, Prior>],
    ) -> Self {
        let words = |words: &[String]| list(words.iter().map(|word| string(&system_word(word))));
        let mut this = Self {
            text: String::new(),
            places: Vec::new(),
        };
        this.add("known".to_owned(), &format!("known = {}\n", words(known)));
        // The name of a body alone stands for the force on it.
        let unknown = unknown.iter().map(|word| match word.contains(':') {
            true => system_word(word),
            false => format!("external-force:{word}"),
        });
        let unknown = list(unknown.map(|word| string(&word)));
        this.add("unknown".to_owned(), &format!("unknown = {unknown}\n"));
        for sensor in sensors {
            this.add(sensor.place(), &format!("\n{}", sensor.table()));
        }
        for prior in priors {
            this.add(prior.place(), &format!("\n{}", prior.table()));
        }
        this
    }

    fn add(&mut self, place: String, text: &str) {
        let line = 1 + self.text.matches('\n').count();
        self.places.push((line, place));
        self.text.push_str(text);
    }

    fn place(&self, line: usize) -> &str {
        let before = self.places.iter().rev().find(|(first, _)| *first <= line);
        before.map_or("", |(_, place)| place)
    }
}

impl System {
    /// The problem of a robot, from a file or a text that stands for one.
    fn build(model: Py<Model>, file: SensorFile, source: Source) -> PyResult<Self> {
        let robot = featherline::Model::clone(&model.get().model);
        let known = source.known.iter().map(|word| {
            KnownSet::parse(&system_word(word), &robot)
                .map_err(|fault| text::fault("known", &fault))
        });
        let known: Vec<KnownSet> = known.collect::<PyResult<_>>()?;
        let mut problem = file.problem(robot, &known).map_err(failure)?;
        if source.passive {
            problem = problem.with_passive_forces();
        }
        if source.cut_loops {
            problem = problem.with_loops_cut();
        }
        let system = featherline_system::System::new(problem).map_err(failure)?;
        let parts = Parts {
            inputs: Inputs::of(&system),
            wants: Parts::wants(&system, source.want.as_deref())?,
            priors: file.priors,
            system,
        };
        Ok(Self {
            model,
            source,
            parts: Arc::new(parts),
            operations: OnceLock::new(),
            solver: OnceLock::new(),
            estimator: pyo3::sync::PyOnceLock::new(),
            derivative_solvers: crate::pool::Pool::new(),
        })
    }

    /// Reads the states of a call.
    pub fn states<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        inputs: Option<&Bound<'py, PyAny>>,
        may_fail: bool,
    ) -> PyResult<States> {
        let parts = &*self.parts;
        parts.inputs.read(&parts.system, q, v, inputs, may_fail)
    }

    /// The template of a square system that finds the requested outputs.
    pub fn template(&self) -> Result<Template, TemplateError> {
        let system = &self.parts.system;
        let template = system.template().map_err(|error| {
            if let featherline_system::PlanError::Template(error) = error {
                error
            } else {
                TemplateError::NotSquare {
                    rows: system.sparsity().rows(),
                    columns: system.sparsity().columns(),
                }
            }
        })?;
        let mut requested = vec![false; system.unknowns().count()];
        for column in self.parts.columns() {
            requested[column] = true;
        }
        template.requesting(requested)
    }

    /// The operations of one factorisation and one solution in Markowitz's order; none where
    /// nothing can be eliminated.
    fn operations(&self) -> Option<u64> {
        *self.operations.get_or_init(|| {
            let template = self.template().ok()?;
            let order = order::markowitz(&template).ok()?;
            let elimination = featherline_system::Elimination::new(&template, &order).ok()?;
            Some(elimination.operations(&template).ok()?.total())
        })
    }
}

properties! { System:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// How many unknowns there are: columns of D.
    unknowns: usize = |self| self.parts.system.sparsity().columns();
    /// How many equations there are: rows of D.
    equations: usize = |self| self.parts.system.sparsity().rows();
    /// How many entries of D may differ from zero.
    entries: usize = |self| self.parts.system.sparsity().entries();
    /// The inputs that calls have to give: names of known quantities and sensors, with how many
    /// numbers each has.
    ///
    /// >>> gyro = fl.Sensor.gyroscope("gyro", "panda_link8", sigma=0.01)
    /// >>> fl.System(panda, known=["qdd"], sensors=[gyro]).inputs
    /// {'qdd': 7, 'gyro': 3}
    inputs: PyResult<Bound<'py, PyDict>> =
        |self, py: 'py| self.parts.inputs.named().into_py_dict(py);
    /// The names of all sensors and contacts.
    sensors: Vec<&str> = |self| {
        let sensors = self.parts.system.problem().sensors().iter();
        sensors.map(|sensor| sensor.name.as_str()).collect()
    };
    /// The requested outputs, with how many numbers each has.
    want: PyResult<Bound<'py, PyDict>> = |self, py: 'py| {
        let wants = self.parts.wants.iter();
        wants.map(|want| (&want.name, want.count)).into_py_dict(py)
    };
}

#[pymethods]
impl System {
    #[new]
    #[pyo3(signature = (model, *, known=vec![], unknown=vec![], sensors=vec![], priors=vec![], want=None, passive=false, cut_loops=false))]
    fn new(
        model: Py<Model>,
        known: Vec<String>,
        unknown: Vec<String>,
        sensors: Vec<PyRef<'_, Sensor>>,
        priors: Vec<PyRef<'_, Prior>>,
        want: Option<Vec<String>>,
        passive: bool,
        cut_loops: bool,
    ) -> PyResult<Self> {
        let text = Text::new(&known, &unknown, &sensors, &priors);
        let file = SensorFile::read(&text.text, &model.get().model)
            .map_err(|error| text::fault(text.place(error.line), &error.fault))?;
        let source = Source {
            text: text.text,
            known: vec![],
            want,
            passive,
            cut_loops,
        };
        Self::build(model, file, source)
    }

    /// The system of a robot with the sensors of a file, and with what is `known` besides.
    ///
    /// Raises ValueError with path, line and column for what is wrong in the file.
    ///
    /// >>> system = fl.System.from_file(panda, "sensors.toml")  # doctest: +SKIP
    #[staticmethod]
    #[pyo3(signature = (model, path, *, known=vec![], want=None, passive=false, cut_loops=false))]
    fn from_file(
        model: Py<Model>,
        path: PathBuf,
        known: Vec<String>,
        want: Option<Vec<String>>,
        passive: bool,
        cut_loops: bool,
    ) -> PyResult<Self> {
        let place = path.display().to_string();
        let text = fs::read_to_string(&path).map_err(|reason| {
            let text = format!("cannot read {place}: {reason}");
            if reason.kind() == std::io::ErrorKind::NotFound {
                PyFileNotFoundError::new_err(text)
            } else if reason.kind() == std::io::ErrorKind::InvalidData {
                PyValueError::new_err(text)
            } else {
                PyOSError::new_err(text)
            }
        })?;
        Self::_from_text(model, text, known, want, passive, cut_loops, &place)
    }

    #[staticmethod]
    #[pyo3(signature = (model, text, known, want, passive, cut_loops, place="the text"))]
    fn _from_text(
        model: Py<Model>,
        text: String,
        known: Vec<String>,
        want: Option<Vec<String>>,
        passive: bool,
        cut_loops: bool,
        place: &str,
    ) -> PyResult<Self> {
        let file = SensorFile::read(&text, &model.get().model)
            .map_err(|error| text::file_fault(place, &error))?;
        let source = Source {
            text,
            known,
            want,
            passive,
            cut_loops,
        };
        Self::build(model, file, source)
    }

    /// Its sensor file, which `from_file` and the command `featherline system` read.
    ///
    /// >>> print(fl.System(panda, known=["qdd", "no-external-forces"]).to_toml(), end="")
    /// known = ["qdd", "no-external-forces"]
    /// unknown = []
    fn to_toml(&self) -> &str {
        &self.source.text
    }

    fn __repr__(&self) -> String {
        let system = &self.parts.system;
        let (rows, columns) = (system.sparsity().rows(), system.sparsity().columns());
        let sensors = match system.problem().sensors().len() {
            0 => "no sensors".to_owned(),
            1 => "1 sensor".to_owned(),
            n => format!("{n} sensors"),
        };
        let operations = match self.operations() {
            Some(count) => format!(", solved by {count} operations"),
            None if rows > columns => ", estimated".to_owned(),
            None => String::new(),
        };
        let wants: Vec<&str> = self.parts.wants.iter().map(|w| w.name.as_str()).collect();
        format!(
            "System('{}': {columns} unknowns, {rows} equations with {} entries{operations}; {sensors}; wants {})",
            system.model().name(),
            system.sparsity().entries(),
            wants.join(", ")
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Self>().getattr("_from_text")?;
        let it = self.source.clone();
        let model = self.model.clone_ref(py);
        let content = (model, it.text, it.known, it.want, it.passive, it.cut_loops);
        (make, content).into_pyobject(py)
    }
}
