//! Compiled programs: an algorithm for one robot without a branch, as machine code.

use crate::array::{Answer, Argument, Numbers, Output, Shape, agree};
use crate::error;
use crate::evaluate::{PORTION, warn_of_failures};
use crate::model::{Model, chosen};
use crate::pool::Pool;
use crate::properties::properties;
use featherline::batch::BatchStatus;
use featherline::scalar::{InstructionSet, Operations};
use featherline::words::{DidYouMean, closest};
use featherline_compile::{Port, ProgramError, Runner};
use pyo3::exceptions::{PyKeyError, PyNotImplementedError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

type Compiled = featherline_compile::Program;

/// The values that a caller passed for each input, and `out`.
type CallArguments<'py> = (Vec<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// A function that makes a program again, and its arguments.
type Pickled<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Option<bool>));

/// Instructions of all states from which on other threads of Python go on meanwhile, and of which
/// there are enough for one more thread.
const LONG: usize = 100_000;
const SHARE: usize = 1_000_000;

/// The most arguments of a short call.
const MOST: usize = 4;

/// A program without branches for one robot and one question, as machine code where the processor
/// has it. Made by `Model.compile`, or read from a file by `Program.load`.
///
/// It is called as the method that it was made from: program(q, v, tau), one state or many.
#[pyclass(frozen, module = "featherline", name = "Program", weakref)]
pub struct Program {
    program: Arc<Compiled>,
    shapes: Vec<Shape>,
    machine_code: Option<bool>,
    /// The runner that all others are copies of; they share its code. Not in place, as vectors of a
    /// model.
    first: Box<Runner<'static>>,
    runners: Pool<Runner<'static>>,
}

impl Program {
    pub fn new(program: Compiled, machine_code: Option<bool>) -> PyResult<Self> {
        let program = Arc::new(program);
        let first = match machine_code {
            None => Runner::shared(Arc::clone(&program)),
            Some(true) => Runner::with_machine_code(&program).map_err(refusal)?,
            Some(false) => Runner::interpreted(Arc::clone(&program)),
        };
        Ok(Self {
            shapes: program.outputs().iter().map(shape).collect(),
            program,
            machine_code,
            first: Box::new(first),
            runners: Pool::new(),
        })
    }

    /// The values that the caller passed for each input, and `out`.
    fn arguments<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<CallArguments<'py>> {
        let ports = self.program.inputs();
        let wrong = |what: String| {
            let takes = names(ports);
            PyTypeError::new_err(format!(
                "{what}; '{}' takes ({takes}, *, out=None)",
                self.program.name()
            ))
        };
        if args.len() > ports.len() {
            return Err(wrong(format!("{} arguments are too many", args.len())));
        }
        let mut values: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
        values.resize(ports.len(), None);
        let mut out = None;
        for (key, value) in kwargs.into_iter().flat_map(|kwargs| kwargs.iter()) {
            let key: String = key.extract()?;
            if key == "out" {
                out = Some(value).filter(|value| !value.is_none());
                continue;
            }
            let Some(place) = ports.iter().position(|port| port.name == key) else {
                let near = closest(&key, ports.iter().map(|port| port.name.as_str()));
                return Err(wrong(format!(
                    "there is no argument `{key}`{}",
                    DidYouMean(near)
                )));
            };
            if values[place].replace(value).is_some() {
                return Err(wrong(format!("`{key}` is given twice")));
            }
        }
        let given = ports.iter().zip(values).map(|(port, value)| {
            value.ok_or_else(|| wrong(format!("the argument `{}` is missing", port.name)))
        });
        Ok((given.collect::<PyResult<_>>()?, out))
    }

    /// The caller's arrays for each output, if there are any.
    fn outs<'py>(
        &self,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let ports = self.program.outputs();
        let Some(out) = out else {
            return Ok(vec![None; ports.len()]);
        };
        if ports.len() == 1 {
            return Ok(vec![Some(out)]);
        }
        let Ok(named) = out.cast::<PyDict>() else {
            return Err(PyTypeError::new_err(format!(
                "out must be a dictionary of arrays, with any of the keys {}",
                names(ports)
            )));
        };
        for key in named.keys() {
            let key: String = key.extract()?;
            if !ports.iter().any(|port| port.name == key) {
                let all: Vec<_> = ports.iter().map(|port| port.name.as_str()).collect();
                return Err(unknown("output", &key, &all));
            }
        }
        ports
            .iter()
            .map(|port| named.get_item(&port.name))
            .collect()
    }

    /// Runs the program for states that lie row by row; on threads where there are many.
    fn run(
        &self,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        status: &mut [BatchStatus],
    ) -> Result<usize, ProgramError> {
        let states = status.len();
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(states.saturating_mul(self.program.instruction_count()) / SHARE)
            .max(1);
        if threads == 1 {
            let mut runner = self.runners.take(|| (*self.first).clone());
            let done = runner.run(inputs, outputs, status);
            self.runners.give_back(runner);
            return done;
        }
        let share = states.div_ceil(threads);
        std::thread::scope(|scope| {
            let mut running = Vec::with_capacity(threads);
            let mut rest: Vec<&mut [f64]> = outputs.iter_mut().map(|rows| &mut **rows).collect();
            for (k, status) in status.chunks_mut(share).enumerate() {
                let count = status.len();
                let first = k * share;
                let part = rows_of(inputs, states, first..first + count);
                let mut own = Vec::with_capacity(rest.len());
                for (rows, shape) in rest.iter_mut().zip(&self.shapes) {
                    let (now, later) = std::mem::take(rows).split_at_mut(count * shape.count());
                    own.push(now);
                    *rows = later;
                }
                running.push(scope.spawn(move || {
                    let mut runner = self.runners.take(|| (*self.first).clone());
                    let done = runner.run(&part, &mut own, status);
                    self.runners.give_back(runner);
                    done
                }));
            }
            let mut failed = 0;
            for thread in running {
                failed += thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok(failed)
        })
    }

    /// The shortest way: one state, arguments by position, one result. None if it is another call.
    fn one<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (ports, &[shape]) = (self.program.inputs(), &self.shapes[..]) else {
            return Ok(None);
        };
        let count = args.len();
        if count != ports.len() || count > MOST {
            return Ok(None);
        }
        let out = match kwargs {
            None => None,
            Some(kwargs) => match kwargs.get_item(intern!(py, "out"))? {
                Some(out) if kwargs.len() == 1 => Some(out).filter(|out| !out.is_none()),
                _ => return Ok(None),
            },
        };
        let mut numbers: [Option<Numbers<'py, f64>>; MOST] = [const { None }; MOST];
        for (k, (read, port)) in numbers.iter_mut().zip(ports).enumerate() {
            let argument = Argument {
                name: &port.name,
                value: &args.get_item(k)?,
                width: port.rows * port.columns,
            };
            let found = Numbers::read(&argument)?;
            if found.states.is_some() {
                return Ok(None);
            }
            *read = Some(found);
        }
        let mut output = Output::new(py, shape, None, out.as_ref())?;
        let extent = output.extent();
        let apart = !numbers.iter().flatten().any(|n| n.overlaps(&extent));
        let mut inputs: [&[f64]; MOST] = [&[]; MOST];
        for (input, numbers) in inputs.iter_mut().zip(numbers.iter().flatten()) {
            *input = numbers;
        }
        let mut room = Vec::new();
        let mut status = [BatchStatus::default()];
        {
            let result = match output.direct() {
                Some(direct) if apart => direct,
                _ => {
                    room = vec![0.0; shape.count()];
                    &mut room[..]
                }
            };
            let mut runner = self.runners.take(|| (*self.first).clone());
            let done = runner.run(&inputs[..count], &mut [result], &mut status);
            self.runners.give_back(runner);
            if done.map_err(refusal)? > 0 {
                return Err(self.no_result(status[0]));
            }
        }
        if !room.is_empty() {
            output.fill(&room)?;
        }
        output.finish().map(Some)
    }

    fn no_result(&self, status: BatchStatus) -> PyErr {
        PyValueError::new_err(format!("'{}' has no result: {status}", self.program.name()))
    }

    /// Many states in portions, between which the caller may interrupt.
    fn run_many(
        &self,
        py: Python<'_>,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        status: &mut [BatchStatus],
    ) -> PyResult<usize> {
        let states = status.len();
        let is_long = states.saturating_mul(self.program.instruction_count()) > LONG;
        let mut failed = 0;
        for (k, status) in status.chunks_mut(PORTION).enumerate() {
            let (first, count) = (k * PORTION, status.len());
            let part = rows_of(inputs, states, first..first + count);
            let mut own: Vec<&mut [f64]> = outputs
                .iter_mut()
                .zip(&self.shapes)
                .map(|(rows, shape)| {
                    let width = shape.count();
                    &mut rows[first * width..(first + count) * width]
                })
                .collect();
            let mut run = || self.run(&part, &mut own, status);
            let done = if is_long { py.detach(run) } else { run() };
            failed += done.map_err(refusal)?;
            if states > PORTION {
                py.check_signals()?;
            }
        }
        Ok(failed)
    }
}

/// Some of the rows of each input.
fn rows_of<'a>(inputs: &[&'a [f64]], states: usize, own: Range<usize>) -> Vec<&'a [f64]> {
    let part = |rows: &&'a [f64]| {
        let width = rows.len() / states;
        &rows[own.start * width..own.end * width]
    };
    inputs.iter().map(part).collect()
}

properties! { Program:
    /// The name of the computed quantity and the robot, such as "aba of panda".
    name: &str = |self| self.program.name();
    /// The shapes of its arguments, by name.
    inputs: PyResult<Bound<'py, PyDict>> = |self, py: 'py| ports(py, self.program.inputs());
    /// The shapes of its results, by name.
    outputs: PyResult<Bound<'py, PyDict>> = |self, py: 'py| ports(py, self.program.outputs());
    /// How many arithmetic operations one state takes; the sine and cosine of an angle are one.
    operations: u64 = |self| self.program.count().total();
    /// How many the library's algorithm takes on this robot.
    traced_operations: u64 = |self| self.program.traced().total();
    /// The operations by kind.
    operation_counts: PyResult<Bound<'py, PyDict>> = |self, py: 'py| counts(py, self.program.count());
    /// How many bytes of machine code run one state; None where an interpreter runs the program.
    code_bytes: Option<usize> = |self| self.first.code_bytes().map(|bytes| bytes[0]);
}

#[pymethods]
impl Program {
    /// Runs the program for one state, or for rows of many.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Answer<'py> {
        if let Some(done) = self.one(py, args, kwargs)? {
            return Ok(done);
        }
        let (values, out) = self.arguments(args, kwargs)?;
        let outs = self.outs(out)?;
        let mut numbers = Vec::with_capacity(values.len());
        let mut states: Option<(&str, usize)> = None;
        for (value, port) in values.iter().zip(self.program.inputs()) {
            let name = port.name.as_str();
            let width = port.rows * port.columns;
            let read = Numbers::<f64>::read(&Argument { name, value, width })?;
            agree(&mut states, name, read.states)?;
            numbers.push(read);
        }
        let states = states.map(|(_, n)| n);
        let count = states.unwrap_or(1);
        let mut results: Vec<Output<'py, f64>> = Vec::with_capacity(outs.len());
        let mut rooms: Vec<Vec<f64>> = vec![Vec::new(); outs.len()];
        for ((&shape, out), room) in self.shapes.iter().zip(&outs).zip(&mut rooms) {
            let mut output = Output::new(py, shape, states, out.as_ref())?;
            // A result over an argument or another result is computed beside it, then copied.
            let extent = output.extent();
            let apart = !numbers.iter().any(|n| n.overlaps(&extent))
                && !results.iter().any(|other| {
                    let other = other.extent();
                    other.start < extent.end && extent.start < other.end
                });
            if !apart || output.direct().is_none() {
                *room = vec![0.0; shape.count() * count];
            }
            results.push(output);
        }
        let mut status = vec![BatchStatus::default(); count];
        {
            let repeated: Vec<Option<Vec<f64>>> = numbers
                .iter()
                .map(|n| (n.states.is_none() && states.is_some()).then(|| n.repeat(count)))
                .collect();
            let inputs: Vec<&[f64]> = numbers
                .iter()
                .zip(&repeated)
                .map(|(n, repeated)| repeated.as_deref().unwrap_or(n))
                .collect();
            let mut outputs = Vec::with_capacity(results.len());
            for (result, room) in results.iter_mut().zip(&mut rooms) {
                outputs.push(match room.is_empty() {
                    true => result.direct().unwrap_or_default(),
                    false => &mut room[..],
                });
            }
            let failed = self.run_many(py, &inputs, &mut outputs, &mut status)?;
            if failed > 0 && states.is_none() {
                return Err(self.no_result(status[0]));
            }
            if failed > 0 {
                warn_of_failures(py, count, failed, &status)?;
            }
        }
        for (result, room) in results.iter_mut().zip(&rooms) {
            if !room.is_empty() {
                result.fill(room)?;
            }
        }
        if results.len() == 1 {
            return results.remove(0).finish();
        }
        let named = PyDict::new(py);
        for (port, result) in self.program.outputs().iter().zip(results) {
            named.set_item(&port.name, result.finish()?)?;
        }
        Ok(named.into_any())
    }

    /// Whether the program was made for this robot.
    fn is_for(&self, model: &Model) -> bool {
        self.program.model_hash() == model.model.content_hash()
    }

    /// The program as bytes, as `save` writes them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.program.to_bytes())
    }

    /// Writes the program to a file, which `Program.load` and `featherline run` read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        std::fs::write(&path, self.program.to_bytes()).map_err(|reason| {
            let text = format!("can't write the program to `{}`: {reason}", path.display());
            error::io(py, &reason, &text)
        })
    }

    /// Reads a program that `save` or `featherline compile` wrote.
    ///
    /// machine_code: True refuses where there is none, False interprets.
    #[staticmethod]
    #[pyo3(signature = (path, *, machine_code=None))]
    fn load(py: Python<'_>, path: PathBuf, machine_code: Option<bool>) -> PyResult<Self> {
        let bytes = std::fs::read(&path).map_err(|reason| {
            let text = format!("can't read the program `{}`: {reason}", path.display());
            error::io(py, &reason, &text)
        })?;
        let program = Compiled::from_bytes(&bytes)
            .map_err(|reason| PyValueError::new_err(format!("`{}`: {reason}", path.display())))?;
        Self::new(program, machine_code)
    }

    #[staticmethod]
    #[pyo3(signature = (bytes, machine_code=None))]
    fn _from_bytes(bytes: &[u8], machine_code: Option<bool>) -> PyResult<Self> {
        let program = Compiled::from_bytes(bytes)
            .map_err(|reason| PyValueError::new_err(reason.to_string()))?;
        Self::new(program, machine_code)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        let make = py.get_type::<Self>().getattr("_from_bytes")?;
        // Another machine may have no code.
        let machine_code = self.machine_code.filter(|&must| !must);
        Ok((make, (self.to_bytes(py), machine_code)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.program == other.program
    }

    fn __hash__(&self) -> u64 {
        let hash = self.program.model_hash();
        (hash as u64 ^ (hash >> 64) as u64).wrapping_add(self.program.instruction_count() as u64)
    }

    #[classmethod]
    fn __class_getitem__(cls: &Bound<'_, PyType>, _result: &Bound<'_, PyAny>) -> Py<PyType> {
        cls.clone().unbind()
    }

    fn __repr__(&self) -> String {
        let (before, after) = (self.traced_operations(), self.operations());
        let saved = 100.0 * (1.0 - after as f64 / before.max(1) as f64);
        let code = match self.code_bytes() {
            Some(bytes) => format!("{bytes} bytes of machine code"),
            None => "interpreted".to_owned(),
        };
        format!(
            "<featherline.Program '{}': ({}) -> {}; {after} operations, {before} before \
             ({saved:.0} % saved); {code}>",
            self.program.name(),
            names(self.program.inputs()),
            match self.program.outputs() {
                [one] => one.name.clone(),
                several if several.len() > 8 => format!("{} arrays", several.len()),
                several => names(several),
            },
        )
    }
}

fn shape(port: &Port) -> Shape {
    match port.is_matrix {
        true => Shape::Rows(port.rows, port.columns),
        false => Shape::Vector(port.rows * port.columns),
    }
}

fn ports<'py>(py: Python<'py>, ports: &[Port]) -> PyResult<Bound<'py, PyDict>> {
    let shapes = PyDict::new(py);
    for port in ports {
        let dimensions = match port.is_matrix {
            true => vec![port.rows, port.columns],
            false => vec![port.rows],
        };
        shapes.set_item(&port.name, PyTuple::new(py, dimensions)?)?;
    }
    Ok(shapes)
}

fn names(ports: &[Port]) -> String {
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    names.join(", ")
}

fn counts(py: Python<'_>, count: Operations) -> PyResult<Bound<'_, PyDict>> {
    let kinds = PyDict::new(py);
    kinds.set_item("multiplications", count.multiplications)?;
    kinds.set_item("additions", count.additions)?;
    kinds.set_item("divisions", count.divisions)?;
    kinds.set_item("square_roots", count.square_roots)?;
    kinds.set_item("sin_cos", count.sin_cos)?;
    kinds.set_item("other", count.other)?;
    Ok(kinds)
}

/// A name that is not there, with the nearest one.
pub fn unknown(kind: &str, name: &str, all: &[&str]) -> PyErr {
    let hint = match closest(name, all.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", all.join(", ")),
    };
    PyKeyError::new_err(format!("no {kind} is called `{name}`; {hint}"))
}

/// The Python error of the compiler's error.
fn refusal(error: ProgramError) -> PyErr {
    if let ProgramError::NoMachineCode { reason } = error {
        PyNotImplementedError::new_err(format!(
            "no machine code: {reason}; leave machine_code=None, which interprets the program here"
        ))
    } else {
        PyValueError::new_err(error.to_string())
    }
}

/// Lets this process use no more than an instruction set, for tests: "baseline", "avx2", "avx512".
#[pyfunction]
pub fn _limit_instructions(set: &str) -> PyResult<()> {
    chosen::<InstructionSet>("set", set)?.limit();
    Ok(())
}
