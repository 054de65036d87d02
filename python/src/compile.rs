//! How a model's algorithm is compiled: which quantity, which of its outputs, on another thread.

use crate::argument::{self, FrameName};
use crate::error;
use crate::model::Model;
use crate::program::{Program, unknown};
use crate::quantities::reference;
use featherline::kinematics::Target;
use featherline::quantity::{self, CATALOGUE, Parameter, Parameters};
use featherline_cli::names;
use featherline_compile::{Function, Options, Port, Quantity};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

type Compiled = featherline_compile::Program;

#[pymethods]
impl Model {
    /// Compiles an algorithm for this robot: constants folded, terms shared, no branch left.
    ///
    /// algorithm: the name of a method, such as "rnea", "aba", "crba" or "jacobian", of a question
    /// of several results, such as "all_terms", or any name that `featherline compile` takes, such
    /// as "M" or "jacobian:LINK:aligned". The program is called as the method, without external
    /// forces; forces on all bodies and numbers are vectors.
    ///
    /// frame, reference: of what is asked of a frame, such as a "jacobian". outputs: which results;
    /// a name, or a list of names.
    /// lean: choose frames and parameters for few operations, which takes longer; results agree
    /// within rounding. fuse: one instruction and one rounding for a product and a sum.
    /// machine_code: True refuses where the processor has none, False interprets.
    ///
    /// >>> import featherline as fl
    /// >>> program = fl.load("panda").compile("crba")
    /// >>> program([0.1] * 7).shape
    /// (7, 7)
    #[pyo3(signature = (algorithm, *, frame=None, reference=None, outputs=None, lean=true, fuse=true, machine_code=None))]
    fn compile(
        &self,
        py: Python<'_>,
        algorithm: &str,
        frame: Option<FrameName<'_>>,
        reference: Option<&str>,
        outputs: Option<&Bound<'_, PyAny>>,
        lean: bool,
        fuse: bool,
        machine_code: Option<bool>,
    ) -> PyResult<Program> {
        let quantity = self.quantity(algorithm, frame.map(|it| it.0), reference)?;
        let keep = match outputs {
            Some(asked) => Some(self.outputs(&quantity, asked)?),
            None => None,
        };
        let model = Arc::clone(&self.model);
        let name = format!("{algorithm} of {}", model.name());
        let compiled = in_background(py, move || {
            let mut function = match lean {
                true => quantity.trace_lean(&model),
                false => quantity.trace(&model),
            }
            .map_err(error::algorithm)?;
            function.name = name;
            if quantity.entry().name == "mass_matrix_solve" {
                // As the method's argument.
                "b".clone_into(&mut function.inputs[1].name);
            }
            if let Some(keep) = keep {
                select(&mut function, &keep);
            }
            let function = function.simplified();
            Ok(Compiled::new(&function, &Options { fuse }))
        })?;
        Program::new(compiled, machine_code)
    }
}

impl Model {
    fn quantity(&self, name: &str, frame: Option<&str>, word: Option<&str>) -> PyResult<Quantity> {
        let given = frame.is_some() || word.is_some();
        if name.contains(':') && given {
            return Err(PyValueError::new_err(format!(
                "'{name}' states frame and reference; leave them out"
            )));
        }
        let (listed, parameters) = match quantity::find(name.trim()) {
            Some(listed) if listed.entry.parameters.is_empty() => {
                if given {
                    return Err(PyValueError::new_err(format!(
                        "frame and reference belong to what is about a frame, such as a \
                         'jacobian', not to '{name}'"
                    )));
                }
                (listed, Parameters::NONE)
            }
            Some(listed) => {
                let frame = frame.ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "the program of a {name} needs its frame: frame='…'"
                    ))
                })?;
                let parameters = Parameters::of_frame(match listed.entry.parameters {
                    [Parameter::Joint] => Target::Joint(self.joint_named(frame)?),
                    _ => self.target(frame)?,
                });
                let reference = reference(word.unwrap_or("local"))?;
                (listed, parameters.in_reference(reference))
            }
            None if name.contains(':') => {
                names::quantity(name, &self.model, []).map_err(PyKeyError::new_err)?
            }
            None => {
                let all: Vec<&str> = CATALOGUE.iter().flat_map(|it| it.entry.words()).collect();
                return Err(unknown("algorithm to compile", name, &all));
            }
        };
        let quantity = Quantity::named(listed.entry.name, &parameters);
        let quantity = quantity.ok_or_else(|| error::internal(&listed.entry.name))?;
        quantity.map_err(error::algorithm)
    }

    /// Which outputs are asked for.
    fn outputs(&self, quantity: &Quantity, asked: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
        let ports = quantity.outputs(&self.model);
        let all: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
        let asked = argument::names("outputs", asked)?;
        if asked.is_empty() {
            return Err(PyValueError::new_err(format!(
                "outputs is empty; there are {}",
                all.join(", ")
            )));
        }
        let mut keep = Vec::with_capacity(asked.len());
        for name in asked {
            let Some(place) = all.iter().position(|known| **known == name) else {
                return Err(unknown("output", &name, &all));
            };
            if keep.contains(&place) {
                return Err(PyValueError::new_err(format!(
                    "output '{name}' is asked for twice"
                )));
            }
            keep.push(place);
        }
        Ok(keep)
    }
}

/// Leaves these outputs alone.
fn select(function: &mut Function, keep: &[usize]) {
    let mut values = Vec::new();
    let mut ports = Vec::new();
    for &place in keep {
        let length = |port: &Port| port.rows * port.columns;
        let first: usize = function.outputs[..place].iter().map(length).sum();
        let port = function.outputs[place].clone();
        values.extend_from_slice(&function.graph.outputs()[first..first + length(&port)]);
        ports.push(port);
    }
    function.graph.set_outputs(values);
    function.outputs = ports;
}

/// Works on another thread, so that the caller may interrupt.
fn in_background<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .name("featherline compile".into())
        .spawn(move || {
            // A caller who was interrupted waits no more.
            let _ = sender.send(work());
        })?;
    let mut receiver = receiver;
    loop {
        let (back, received) = py.detach(move || {
            let received = receiver.recv_timeout(Duration::from_millis(50));
            (receiver, received)
        });
        receiver = back;
        match received {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the compiler has an error of its own",
                ));
            }
        }
    }
}
