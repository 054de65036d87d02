//! One way for all algorithms: one state or many, numbers in and out.

use crate::array::{Argument, Numbers, Output, Shape, agree, is_single};
use crate::error;
use crate::model::Model;
use featherline::batch::{Batch, BatchStatus, Precision};
pub use featherline::quantity::Lanes;
use featherline::{Error, Workspace};
use numpy::Element;
use pyo3::prelude::*;

/// The most arguments of a call.
const MOST: usize = 4;

/// Rows between which a long call looks whether it was interrupted.
pub const PORTION: usize = 1 << 14;

/// Numbers of a result between which it looks: rows of large results take longer.
const NUMBERS: usize = 1 << 21;

/// An algorithm of the library, for one state and, where the library has it in lanes, for many.
pub trait Algorithm: Sync {
    /// Computes one state.
    fn run(
        &self,
        model: &featherline::Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Error>;

    /// Computes many states in lanes, on all threads; none if the library has no lanes for it.
    fn run_lanes<T: Precision>(&self, _: Lanes<'_, T>) -> Option<Result<usize, Error>> {
        None
    }
}

/// An algorithm without its type: what calls it is compiled once, not once for each.
pub trait AnyAlgorithm: Sync {
    /// As `Algorithm::run`.
    fn run(
        &self,
        model: &featherline::Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Error>;

    /// As `Algorithm::run_lanes`, in double precision.
    fn run_double_lanes(&self, lanes: Lanes<'_, f64>) -> Option<Result<usize, Error>>;

    /// As `Algorithm::run_lanes`, in single precision.
    fn run_single_lanes(&self, lanes: Lanes<'_, f32>) -> Option<Result<usize, Error>>;
}

impl<A: Algorithm> AnyAlgorithm for A {
    fn run(
        &self,
        model: &featherline::Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Error> {
        Algorithm::run(self, model, ws, inputs, result)
    }

    fn run_double_lanes(&self, lanes: Lanes<'_, f64>) -> Option<Result<usize, Error>> {
        self.run_lanes(lanes)
    }

    fn run_single_lanes(&self, lanes: Lanes<'_, f32>) -> Option<Result<usize, Error>> {
        self.run_lanes(lanes)
    }
}

/// Runs an algorithm on what a caller passed.
pub fn evaluate<'py>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    shape: Shape,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if arguments.iter().all(|a| is_single(a.value)) {
        evaluate_as::<f32>(model, py, algorithm, arguments, shape, out)
    } else {
        evaluate_as::<f64>(model, py, algorithm, arguments, shape, out)
    }
}

/// A number type of arrays.
pub trait Real: Precision + Element + Default + Copy + Into<f64> {
    /// The batches of a model.
    fn batches(model: &Model) -> &crate::pool::Pool<Batch<Self>>;
    /// Rounds a double.
    fn from_f64(value: f64) -> Self;
    /// Runs an algorithm in lanes of this type.
    fn run_lanes(of: &dyn AnyAlgorithm, lanes: Lanes<'_, Self>) -> Option<Result<usize, Error>>;
    /// These numbers as doubles, if they are.
    fn as_f64(numbers: &[Self]) -> Option<&[f64]>;
    /// These numbers as doubles, if they are.
    fn as_f64_mut(numbers: &mut [Self]) -> Option<&mut [f64]>;
}

/// A number type, its batches, how an algorithm runs in lanes of it, and its numbers as doubles.
macro_rules! real {
    ($type:ty: $batches:ident, $run:ident, |$numbers:ident| $doubles:expr) => {
        impl Real for $type {
            fn batches(model: &Model) -> &crate::pool::Pool<Batch<Self>> {
                &model.$batches
            }
            fn run_lanes(
                of: &dyn AnyAlgorithm,
                lanes: Lanes<'_, Self>,
            ) -> Option<Result<usize, Error>> {
                of.$run(lanes)
            }
            fn from_f64(value: f64) -> Self {
                value as Self
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

real!(f64: double_batches, run_double_lanes, |numbers| Some(numbers));
real!(f32: single_batches, run_single_lanes, |_numbers| None);

fn evaluate_as<'py, T: Real>(
    model: &Model,
    py: Python<'py>,
    algorithm: &dyn AnyAlgorithm,
    arguments: &[Argument<'_, 'py>],
    shape: Shape,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut numbers: [Option<Numbers<'py, T>>; MOST] = [const { None }; MOST];
    let mut states: Option<(&str, usize)> = None;
    for (read, argument) in numbers.iter_mut().zip(arguments) {
        let argument_numbers = Numbers::read(argument)?;
        agree(&mut states, argument.name, argument_numbers.states)?;
        *read = Some(argument_numbers);
    }
    let states = states.map(|(_, n)| n);
    let mut output = Output::<T>::new(py, shape, states, out)?;
    // A result over an argument is computed beside it, then copied.
    let extent = output.extent();
    let apart = !numbers.iter().flatten().any(|n| n.overlaps(&extent));
    let mut room = Vec::new();
    {
        let result = match output.direct() {
            Some(direct) if apart => direct,
            _ => {
                room = vec![T::default(); shape.count() * states.unwrap_or(1)];
                &mut room[..]
            }
        };
        match states {
            None => one(model, algorithm, &numbers, result)?,
            Some(n) => many(model, py, algorithm, arguments, &numbers, n, shape, result)?,
        }
    }
    if !room.is_empty() {
        output.fill(&room)?;
    }
    output.finish()
}

/// One state.
fn one<T: Real>(
    model: &Model,
    algorithm: &dyn AnyAlgorithm,
    numbers: &[Option<Numbers<'_, T>>; MOST],
    result: &mut [T],
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
    let inputs = &inputs[..count];
    let mut workspace = model.workspaces.take(|| Workspace::new(&model.model));
    let done = match T::as_f64_mut(result) {
        Some(result) => algorithm.run(&model.model, &mut workspace, inputs, result),
        None => {
            let mut doubles = vec![0.0; result.len()];
            let done = algorithm.run(&model.model, &mut workspace, inputs, &mut doubles);
            for (to, &from) in result.iter_mut().zip(&doubles) {
                *to = T::from_f64(from);
            }
            done
        }
    };
    model.workspaces.give_back(workspace);
    done.map_err(error::algorithm)
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
    shape: Shape,
    result: &mut [T],
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
    let widths: Vec<usize> = arguments.iter().map(|a| a.width).collect();
    let batches = T::batches(model);
    let batch = batches.try_take(|| Batch::<T>::new(&model.model, 0));
    let mut batch = batch.map_err(error::algorithm)?;
    let mut status = vec![BatchStatus::default(); states];
    let mut first = 0;
    let mut failed = 0;
    let mut outcome = Ok(());
    let portion = PORTION.min(NUMBERS.div_ceil(shape.count().max(1)));
    while first < states && outcome.is_ok() {
        let count = portion.min(states - first);
        let inputs: Vec<&[T]> = rows
            .iter()
            .zip(&widths)
            .map(|(rows, &width)| &rows[first * width..(first + count) * width])
            .collect();
        let width = shape.count();
        let to = &mut result[first * width..(first + count) * width];
        let status = &mut status[first..first + count];
        let mut work = || {
            let lanes = Lanes {
                batch: &mut batch,
                inputs: &inputs,
                result: &mut *to,
                status: &mut *status,
            };
            T::run_lanes(algorithm, lanes)
                .unwrap_or_else(|| in_turn(model, algorithm, &inputs, &widths, width, to, status))
        };
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

/// States one after the other, shared out among threads.
fn in_turn<T: Real>(
    model: &Model,
    algorithm: &dyn AnyAlgorithm,
    inputs: &[&[T]],
    widths: &[usize],
    width: usize,
    result: &mut [T],
    status: &mut [BatchStatus],
) -> Result<usize, Error> {
    let states = status.len();
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(states.div_ceil(32))
        .max(1);
    let share = states.div_ceil(threads);
    let width_or_one = width.max(1);
    let work = |first: usize, result: &mut [T], status: &mut [BatchStatus]| {
        let mut workspace = model.workspaces.take(|| Workspace::new(&model.model));
        let mut rows: Vec<Vec<f64>> = widths.iter().map(|&n| vec![0.0; n]).collect();
        let mut doubles = vec![0.0; width];
        let mut failed = 0;
        let mut outcome = Ok(());
        for (k, status) in status.iter_mut().enumerate() {
            for ((row, all), &n) in rows.iter_mut().zip(inputs).zip(widths) {
                let from = &all[(first + k) * n..(first + k + 1) * n];
                for (to, &x) in row.iter_mut().zip(from) {
                    *to = x.into();
                }
            }
            let row_slices: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
            match algorithm.run(&model.model, &mut workspace, &row_slices, &mut doubles) {
                Ok(()) => *status = BatchStatus::Solved,
                Err(error) => match BatchStatus::of(&error) {
                    Some(of_state) => {
                        *status = of_state;
                        doubles.fill(f64::NAN);
                        failed += 1;
                    }
                    None => {
                        outcome = Err(error);
                        break;
                    }
                },
            }
            let to = &mut result[k * width..(k + 1) * width];
            for (to, &x) in to.iter_mut().zip(&doubles) {
                *to = T::from_f64(x);
            }
        }
        model.workspaces.give_back(workspace);
        outcome.map(|()| failed)
    };
    if threads == 1 {
        return work(0, result, status);
    }
    std::thread::scope(|scope| {
        let parts = result
            .chunks_mut(share * width_or_one)
            .zip(status.chunks_mut(share));
        let running: Vec<_> = parts
            .enumerate()
            .map(|(k, (result, status))| {
                let work = &work;
                scope.spawn(move || work(k * share, result, status))
            })
            .collect();
        let mut failed = 0;
        for thread in running {
            failed += thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(failed)
    })
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
