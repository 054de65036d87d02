//! One way for all algorithms: one state or many, numbers in and out.

use crate::array::{Answer, Argument, Numbers, Output, Shape, Value, agree, is_single};
use crate::error;
use crate::model::Model;
use crate::states::{check_out, named};
use featherline::Workspace;
use featherline::batch::{Batch, BatchStatus};
use featherline::quantity::{AnyAlgorithm, Number};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The most arguments of a call.
const MOST: usize = 4;

/// The most results of a call.
pub const RESULTS: usize = 9;

/// Rows between which a long call looks whether it was interrupted.
pub const PORTION: usize = 1 << 14;

/// Numbers of a result between which it looks: rows of large results take longer.
const NUMBERS: usize = 1 << 21;

/// Runs an algorithm of one result on what a caller passed.
pub fn evaluate<'py>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    shape: Shape,
    out: Option<&Bound<'py, PyAny>>,
) -> Answer<'py> {
    let [answer] = run(model, py, algorithm, arguments, &[shape], [out])?;
    answer.ok_or_else(|| error::internal(&"an algorithm without a result"))
}

/// Runs an algorithm of several results, which a named tuple of `featherline.results` has. `out`
/// is an earlier one, or a tuple of arrays.
pub fn evaluate_all<'py>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    (shapes, class): (&[Shape], &str),
    out: Option<Value<'_, 'py>>,
) -> Answer<'py> {
    check_out(py, class, out)?;
    let mut parts: [Option<Bound<'py, PyAny>>; RESULTS] = Default::default();
    if let Some(out) = out {
        for (k, part) in parts.iter_mut().enumerate().take(shapes.len()) {
            *part = Some(out.get_item(k)?);
        }
    }
    let outs = parts.each_ref().map(Option::as_ref);
    let answers = run(model, py, algorithm, arguments, shapes, outs)?;
    let answers: Vec<_> = answers.into_iter().flatten().collect();
    named(py, class, PyTuple::new(py, answers)?)
}

/// The answer of each result: of one, or of as many as there may be.
type Answers<'py, const N: usize> = [Option<Bound<'py, PyAny>>; N];

/// Where results go, if to arrays of the caller's.
type Outs<'a, 'py, const N: usize> = [Option<Value<'a, 'py>>; N];

fn run<'py, const N: usize>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    shapes: &[Shape],
    outs: Outs<'_, 'py, N>,
) -> PyResult<Answers<'py, N>> {
    if arguments.iter().all(|a| is_single(a.value)) {
        run_as::<f32, N>(model, py, algorithm, arguments, shapes, outs)
    } else {
        run_as::<f64, N>(model, py, algorithm, arguments, shapes, outs)
    }
}

/// A number type of arrays.
trait Real: Element + Number + Default {
    /// The batches of a model in this type.
    fn batches(model: &Model) -> &crate::pool::Pool<Batch<Self>>;
    /// These numbers as doubles, if they are.
    fn as_f64(numbers: &[Self]) -> Option<&[f64]>;
    /// These numbers as doubles, if they are.
    fn as_f64_mut(numbers: &mut [Self]) -> Option<&mut [f64]>;
}

/// A number type, its batches, and its numbers as doubles.
macro_rules! real {
    ($type:ty: $batches:ident, |$numbers:ident| $doubles:expr) => {
        impl Real for $type {
            fn batches(model: &Model) -> &crate::pool::Pool<Batch<Self>> {
                &model.$batches
            }
            fn as_f64($numbers: &[Self]) -> Option<&[f64]> {
                $doubles
            }
            fn as_f64_mut($numbers: &mut [Self]) -> Option<&mut [f64]> {
                $doubles
            }
        }
    };
}

real!(f64: double_batches, |numbers| Some(numbers));
real!(f32: single_batches, |_numbers| None);

fn run_as<'py, T: Real, const N: usize>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    shapes: &[Shape],
    outs: Outs<'_, 'py, N>,
) -> PyResult<Answers<'py, N>> {
    let mut numbers: [Option<Numbers<'py, T>>; MOST] = [const { None }; MOST];
    let mut states: Option<(&str, usize)> = None;
    for (read, argument) in numbers.iter_mut().zip(arguments) {
        let argument_numbers = Numbers::read(argument)?;
        agree(&mut states, argument.name, argument_numbers.states)?;
        *read = Some(argument_numbers);
    }
    let states = states.map(|(_, n)| n);
    let mut outputs: [Option<Output<'py, T>>; N] = [const { None }; N];
    for ((output, &shape), out) in outputs.iter_mut().zip(shapes).zip(outs) {
        // One number of one state is always new, among others.
        let is_new = shapes.len() > 1 && matches!((shape, states), (Shape::Scalar, None));
        let own = if is_new { None } else { out };
        *output = Some(Output::<T>::new(py, shape, states, own)?);
    }
    // A result that overlaps an argument, or may overlap another result, is computed beside it.
    let may_overlap = shapes.len() > 1 && outs[0].is_some();
    let mut rooms: [Vec<T>; N] = [const { Vec::new() }; N];
    {
        let mut results: [&mut [T]; N] = std::array::from_fn(|_| Default::default());
        let places = outputs.iter_mut().flatten().zip(&mut rooms).zip(shapes);
        for (result, ((output, room), shape)) in results.iter_mut().zip(places) {
            let extent = output.extent();
            let apart = !may_overlap && !numbers.iter().flatten().any(|n| n.overlaps(&extent));
            *result = match output.direct() {
                Some(direct) if apart => direct,
                _ => {
                    *room = vec![T::default(); shape.count() * states.unwrap_or(1)];
                    room
                }
            };
        }
        let results = &mut results[..shapes.len()];
        match states {
            None => one::<T, N>(model, algorithm, &numbers, results)?,
            Some(n) => many(
                model, py, algorithm, arguments, &numbers, n, shapes, results,
            )?,
        }
    }
    let mut answers: Answers<'py, N> = [const { None }; N];
    let filled = outputs.into_iter().flatten().zip(&rooms);
    for (answer, (mut output, room)) in answers.iter_mut().zip(filled) {
        if !room.is_empty() {
            output.fill(room)?;
        }
        *answer = Some(output.finish()?);
    }
    Ok(answers)
}

/// One state.
fn one<T: Real, const N: usize>(
    model: &Model,
    algorithm: &dyn AnyAlgorithm,
    numbers: &[Option<Numbers<'_, T>>; MOST],
    results: &mut [&mut [T]],
) -> PyResult<()> {
    let mut inputs: [&[f64]; MOST] = [&[]; MOST];
    let mut converted: [Vec<f64>; MOST] = Default::default();
    let count = numbers.iter().flatten().count();
    for ((input, room), numbers) in inputs
        .iter_mut()
        .zip(&mut converted)
        .zip(numbers.iter().flatten())
    {
        let slice: &[T] = numbers;
        *input = match T::as_f64(slice) {
            Some(doubles) => doubles,
            None => {
                room.extend(slice.iter().map(|&x| x.into()));
                room
            }
        };
    }
    let found = results.len();
    let mut doubles: [Vec<f64>; N] = [const { Vec::new() }; N];
    let mut rows: [&mut [f64]; N] = std::array::from_fn(|_| Default::default());
    let places = results.iter_mut().zip(&mut doubles);
    for (row, (result, room)) in rows.iter_mut().zip(places) {
        let len = result.len();
        *row = match T::as_f64_mut(result) {
            Some(result) => result,
            None => {
                *room = vec![0.0; len];
                room
            }
        };
    }
    let mut workspace = model.workspaces.take(|| Workspace::new(&model.model));
    let rows = &mut rows[..found];
    let done = algorithm.run(&model.model, &mut workspace, &inputs[..count], rows);
    model.workspaces.give_back(workspace);
    done.map_err(error::algorithm)?;
    for (result, room) in results.iter_mut().zip(&doubles) {
        for (to, &from) in result.iter_mut().zip(room) {
            *to = T::constant(from);
        }
    }
    Ok(())
}

/// Many states: in lanes where there are, on all threads. States that have no result are rows of
/// NaN, of which a warning tells.
fn many<T: Real>(
    model: &Model,
    py: Python<'_>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, '_>],
    numbers: &[Option<Numbers<'_, T>>; MOST],
    states: usize,
    shapes: &[Shape],
    results: &mut [&mut [T]],
) -> PyResult<()> {
    // An argument that is one state serves all.
    let repeated: Vec<Option<Vec<T>>> = (numbers.iter().flatten())
        .map(|n| n.states.is_none().then(|| n.repeat(states)))
        .collect();
    let rows: Vec<&[T]> = numbers
        .iter()
        .flatten()
        .zip(&repeated)
        .map(|(n, repeated)| repeated.as_deref().unwrap_or(n))
        .collect();
    let batches = T::batches(model);
    let batch = batches.try_take(|| Batch::<T>::new(&model.model, 0));
    let mut batch = batch.map_err(error::algorithm)?;
    let mut status = vec![BatchStatus::default(); states];
    let mut first = 0;
    let mut failed = 0;
    let mut outcome = Ok(());
    let widest: usize = shapes.iter().map(|shape| shape.count()).sum();
    let portion = PORTION.min(NUMBERS.div_ceil(widest.max(1)));
    while first < states && outcome.is_ok() {
        let count = portion.min(states - first);
        let inputs: Vec<&[T]> = (rows.iter().zip(arguments))
            .map(|(rows, argument)| &rows[first * argument.width..][..count * argument.width])
            .collect();
        let mut results: Vec<&mut [T]> = (results.iter_mut().zip(shapes))
            .map(|(all, shape)| &mut all[first * shape.count()..][..count * shape.count()])
            .collect();
        let status = &mut status[first..first + count];
        let mut work = || batch.compute(algorithm, &inputs, &mut results, status);
        // Small batches are done before another thread could use the interpreter.
        let done = if states < 64 { work() } else { py.detach(work) };
        match done {
            Ok(n) => failed += n,
            Err(error) => outcome = Err(error::algorithm(error)),
        }
        first += count;
        if states > portion {
            outcome = outcome.and_then(|()| py.check_signals());
        }
    }
    batches.give_back(batch);
    outcome?;
    if failed > 0 {
        warn_of_failures(py, states, failed, &status)?;
    }
    Ok(())
}

/// Warns of states without a result.
pub fn warn_of_failures(
    py: Python<'_>,
    states: usize,
    failed: usize,
    status: &[BatchStatus],
) -> PyResult<()> {
    let Some((row, first)) = status.iter().enumerate().find(|(_, s)| !s.is_solved()) else {
        return Ok(());
    };
    error::failed_states(py, states, failed, row, first)
}
