//! One way for calls with several results, or with errors that are not the core's: one state or
//! many, numbers in and out.

use crate::array::{Answer, Argument, Numbers, Output, Shape, Value, agree};
use crate::error;
use featherline::Error;
use featherline::batch::BatchStatus;
use numpy::PyUntypedArrayMethods;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// States between which a long call looks whether it was interrupted.
const PORTION: usize = 1 << 10;

/// Numbers of results between which it looks: states of large results take longer.
const NUMBERS: usize = 1 << 21;

/// States below which one thread is as fast as several.
const FEW: usize = 16;

/// Why a state has no result.
pub struct Failure {
    pub error: PyErr,
    /// Whether another state may have one: of many states, this one's rows are NaN then.
    pub of_state: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            of_state: BatchStatus::of(&error).is_some(),
            error: error::algorithm(error),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        let of_state = false;
        Self { error, of_state }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

/// A result of what fails with the library's errors, or with Python's.
pub type Outcome<T> = Result<T, Failure>;

/// Runs `work` for every state: from the numbers of each argument to those of each result.
///
/// `out` has the arrays for the results, if they are the caller's; one number of one state is
/// always new.
pub fn for_each<'py>(
    py: Python<'py>,
    arguments: &[Argument<'_, 'py>],
    shapes: &[Shape],
    out: Option<&Bound<'py, PyAny>>,
    work: impl Fn(&[&[f64]], &mut [&mut [f64]]) -> Result<(), Failure> + Sync,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut numbers: Vec<Numbers<'py, f64>> = Vec::with_capacity(arguments.len());
    let mut states: Option<(&str, usize)> = None;
    for argument in arguments {
        let read = Numbers::read(argument)?;
        agree(&mut states, argument.name, read.states)?;
        numbers.push(read);
    }
    let states = states.map(|(_, n)| n);
    let mut outputs = Vec::with_capacity(shapes.len());
    for (k, &shape) in shapes.iter().enumerate() {
        let is_new = matches!((shape, states), (Shape::Scalar, None));
        let own = match out {
            Some(arrays) if shapes.len() > 1 && !is_new => Some(arrays.get_item(k)?),
            Some(array) if !is_new => Some(array.clone()),
            _ => None,
        };
        outputs.push(Output::<f64>::new(py, shape, states, own.as_ref())?);
    }
    let count = states.unwrap_or(1);
    // A new array is written in place; one of the caller's may overlap with an argument.
    let mut rooms: Vec<Vec<f64>> = (shapes.iter())
        .map(|shape| vec![0.0; out.map_or(0, |_| shape.count() * count)])
        .collect();
    {
        let inputs: Vec<Input<'_>> = (numbers.iter().zip(arguments))
            .map(|(numbers, argument)| Input {
                numbers,
                stride: numbers.states.map_or(0, |_| argument.width),
                width: argument.width,
            })
            .collect();
        let widths: Vec<usize> = shapes.iter().map(|shape| shape.count()).collect();
        let places = outputs.iter_mut().zip(&mut rooms);
        let mut rest: Vec<&mut [f64]> = (places)
            .map(|(output, room)| match (out, output.direct()) {
                (None, Some(direct)) => direct,
                _ => &mut room[..],
            })
            .collect();
        let mut failures = Failures::default();
        let few = NUMBERS.div_ceil(widths.iter().sum::<usize>().max(1));
        let mut first = 0;
        while first < count {
            let portion = PORTION.min(few).min(count - first);
            let mut rows = split(&mut rest, &widths, portion);
            rows.iter_mut().for_each(|rows| rows.fill(f64::NAN));
            let work = || in_threads(&inputs, &widths, first, portion, rows, &work);
            let found = py.detach(work)?;
            failures.add(found);
            first += portion;
            if count > FEW {
                py.check_signals()?;
            }
        }
        match (states, failures.first) {
            (_, None) => {}
            (None, Some((_, error))) => return Err(error),
            (Some(n), Some((row, error))) => {
                error::failed_states(py, n, failures.count, row, error.value(py))?;
            }
        }
    }
    let filled = outputs.into_iter().zip(&rooms).map(|(mut output, room)| {
        if out.is_some() && output.untyped().len() > 0 {
            output.fill(room)?;
        }
        output.finish()
    });
    filled.collect()
}

/// As [`for_each`], with one result.
pub fn for_each_one<'py>(
    py: Python<'py>,
    arguments: &[Argument<'_, 'py>],
    shape: Shape,
    out: Option<Value<'_, 'py>>,
    work: impl Fn(&[&[f64]], &mut [f64]) -> Result<(), Failure> + Sync,
) -> Answer<'py> {
    let work = |inputs: &[&[f64]], results: &mut [&mut [f64]]| work(inputs, results[0]);
    let mut results = for_each(py, arguments, &[shape], out, work)?;
    Ok(results.remove(0))
}

/// As [`for_each`], with the results as a named tuple of `featherline.results`.
pub fn for_each_named<'py>(
    py: Python<'py>,
    name: &str,
    arguments: &[Argument<'_, 'py>],
    shapes: &[Shape],
    out: Option<Value<'_, 'py>>,
    work: impl Fn(&[&[f64]], &mut [&mut [f64]]) -> Result<(), Failure> + Sync,
) -> Answer<'py> {
    check_out(py, name, out)?;
    let results = for_each(py, arguments, shapes, out, work)?;
    named(py, name, PyTuple::new(py, results)?)
}

/// Refuses an `out` that is the result of another method, whose parts mean something else.
pub fn check_out(py: Python<'_>, name: &str, out: Option<Value<'_, '_>>) -> PyResult<()> {
    let Some(out) = out.filter(|out| out.hasattr("_fields").unwrap_or(false)) else {
        return Ok(());
    };
    let class = py.import("featherline.results")?.getattr(name)?;
    match out.is_instance(&class)? {
        true => Ok(()),
        false => Err(PyTypeError::new_err(format!(
            "out has type {}, where {name} or a tuple of arrays is expected",
            out.get_type().name()?
        ))),
    }
}

/// A named tuple of `featherline.results`.
pub fn named<'py>(py: Python<'py>, name: &str, fields: impl PyCallArgs<'py>) -> Answer<'py> {
    py.import("featherline.results")?
        .getattr(name)?
        .call1(fields)
}

/// The numbers of one argument for all states.
struct Input<'a> {
    numbers: &'a [f64],
    /// Zero where one state serves all.
    stride: usize,
    width: usize,
}

/// The states without a result.
#[derive(Default)]
struct Failures {
    count: usize,
    first: Option<(usize, PyErr)>,
}

impl Failures {
    fn add(&mut self, others: Self) {
        self.count += others.count;
        if self.first.is_none() {
            self.first = others.first;
        }
    }
}

/// Cuts the rows of so many states off each result.
fn split<'a>(rest: &mut [&'a mut [f64]], widths: &[usize], states: usize) -> Vec<&'a mut [f64]> {
    let parts = rest.iter_mut().zip(widths).map(|(rest, width)| {
        let (part, others) = std::mem::take(rest).split_at_mut(width * states);
        *rest = others;
        part
    });
    parts.collect()
}

fn in_threads(
    inputs: &[Input<'_>],
    widths: &[usize],
    first: usize,
    states: usize,
    mut rows: Vec<&mut [f64]>,
    work: &(impl Fn(&[&[f64]], &mut [&mut [f64]]) -> Result<(), Failure> + Sync),
) -> PyResult<Failures> {
    // To ask how many there are takes longer than many a state.
    let threads = match states <= FEW {
        true => 1,
        false => std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(states.div_ceil(FEW)),
    };
    let share = states.div_ceil(threads);
    if threads == 1 {
        return in_turn(inputs, widths, first, states, rows, work);
    }
    std::thread::scope(|scope| {
        let mut running = Vec::new();
        let mut begin = 0;
        while begin + share < states {
            let rows = split(&mut rows, widths, share);
            let first = first + begin;
            running.push(scope.spawn(move || in_turn(inputs, widths, first, share, rows, work)));
            begin += share;
        }
        // The last share is this thread's, which is the one that hears of signals.
        let own = in_turn(inputs, widths, first + begin, states - begin, rows, work);
        let mut failures = Failures::default();
        for thread in running {
            let found = thread.join();
            failures.add(found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        failures.add(own?);
        Ok(failures)
    })
}

fn in_turn(
    inputs: &[Input<'_>],
    widths: &[usize],
    first: usize,
    states: usize,
    mut rows: Vec<&mut [f64]>,
    work: &(impl Fn(&[&[f64]], &mut [&mut [f64]]) -> Result<(), Failure> + Sync),
) -> PyResult<Failures> {
    let mut failures = Failures::default();
    for state in first..first + states {
        let inputs: Vec<&[f64]> = (inputs.iter())
            .map(|input| &input.numbers[state * input.stride..][..input.width])
            .collect();
        let mut results = split(&mut rows, widths, 1);
        match work(&inputs, &mut results) {
            Ok(()) => {}
            Err(Failure {
                error,
                of_state: true,
            }) => {
                results.iter_mut().for_each(|rows| rows.fill(f64::NAN));
                failures.count += 1;
                failures.first.get_or_insert((state, error));
            }
            Err(failure) => return Err(failure.error),
        }
    }
    Ok(failures)
}

/// The numbers of an argument that is one state.
pub fn one_state(name: &'static str, value: &Bound<'_, PyAny>, width: usize) -> PyResult<Vec<f64>> {
    let argument = Argument { name, value, width };
    Ok(Numbers::<f64>::read_one(&argument)?.to_vec())
}
