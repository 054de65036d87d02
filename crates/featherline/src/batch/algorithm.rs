//! Any algorithm, or one of the user's own, on many states.

use super::pack::Pack;
use super::queue::{RESULTS, Rows};
use super::worker::{INPUTS, Room, Task};
use super::{Batch, BatchStatus, Input, Output, Precision};
use crate::algorithm::Algorithm;
use crate::error::Error;
use crate::model::Model;
use crate::scalar::{InstructionSet, Kernel, Scalar, all_finite, dispatch};
use crate::workspace::Workspace;
use std::sync::{Mutex, PoisonError};

/// An algorithm with as many inputs as it was given.
struct Evaluate<'a, A> {
    algorithm: &'a A,
    inputs: usize,
    misuse: Mutex<Option<Error>>,
}

impl<A: Algorithm> Task for Evaluate<'_, A> {
    fn run<S: Pack>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: [&[S]; INPUTS],
        Room { numbers: room, .. }: &mut Room<S>,
        results: &mut Rows<'_, S::Element>,
    ) -> Result<(), Error> {
        room.clear();
        // Entries that the algorithm does not write are no result.
        room.resize(
            results.lengths[..results.count].iter().sum(),
            S::constant(f64::NAN),
        );
        let mut rest = &mut room[..];
        let mut rows: [&mut [S]; RESULTS] = Default::default();
        for (row, length) in rows.iter_mut().zip(results.lengths) {
            (*row, rest) = std::mem::take(&mut rest).split_at_mut(length);
        }
        let one = OneState {
            algorithm: self.algorithm,
            model,
            ws,
            inputs: &inputs[..self.inputs],
            results: &mut rows[..results.count],
        };
        if let Err(error) = dispatch(one) {
            if BatchStatus::of(&error).is_none() {
                let mut misuse = self.misuse.lock().unwrap_or_else(PoisonError::into_inner);
                misuse.get_or_insert_with(|| error.clone());
            }
            return Err(error);
        }
        if !all_finite(room) {
            let [q, second, third, fourth] = inputs;
            let others = [second, third, fourth].map(|row| ("an input", row));
            return Err(model.explain_not_finite("a result", q, &others, None));
        }
        let mut first = 0;
        for k in 0..results.count {
            let length = results.lengths[k];
            results.put(k, &room[first..first + length]);
            first += length;
        }
        Ok(())
    }
}

/// One run of an algorithm, with the lanes' instructions.
struct OneState<'a, 'r, A, S: Scalar> {
    algorithm: &'a A,
    model: &'a Model,
    ws: &'a mut Workspace<S>,
    inputs: &'a [&'a [S]],
    results: &'a mut [&'r mut [S]],
}

impl<A: Algorithm, S: Scalar> Kernel for OneState<'_, '_, A, S> {
    type Output = Result<(), Error>;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> Result<(), Error> {
        self.algorithm
            .run(self.model, self.ws, self.inputs, self.results)
    }
}

impl<T: Precision> Batch<T> {
    /// Runs an algorithm on all states.
    ///
    /// The first input are the configurations, nq numbers a state. Up to three more, and up to nine
    /// results, have as many numbers a state as the algorithm wants: rows of one length, one for
    /// each status.
    ///
    /// Results are independent of threads and of the place in the batch, as those of all calls, if
    /// the algorithm treats each lane alone, which the operations of [`Scalar`] but for comparisons
    /// of all lanes at once do.
    ///
    /// # Errors
    /// [`Error::Size`] if the length of an argument is no multiple of the number of states, and
    /// what the algorithm returns for all states alike.
    ///
    /// ```
    /// use featherline::batch::{Algorithm, Batch, BatchStatus};
    /// use featherline::configuration;
    /// use featherline::dynamics::DynamicsOptions;
    /// use featherline::scalar::Scalar;
    /// use featherline::{Error, Model, Workspace, samples};
    ///
    /// /// A step of symplectic Euler: the next q and v.
    /// struct Step {
    ///     seconds: f64,
    /// }
    ///
    /// impl Algorithm for Step {
    ///     #[inline(always)]
    ///     fn run<S: Scalar>(
    ///         &self,
    ///         model: &Model,
    ///         ws: &mut Workspace<S>,
    ///         inputs: &[&[S]],
    ///         results: &mut [&mut [S]],
    ///     ) -> Result<(), Error> {
    ///         let ([q, v, tau], [next_q, next_v]) = (inputs, results) else {
    ///             panic!("three inputs, two results");
    ///         };
    ///         let h = S::constant(self.seconds);
    ///         let a = model.forward_dynamics(ws, q, v, tau, DynamicsOptions::default())?;
    ///         for k in 0..v.len() {
    ///             next_v[k] = a[k].mul_add(h, v[k]);
    ///         }
    ///         let displacement = [next_v[0] * h, next_v[1] * h];
    ///         configuration::integrate_into(model, q, &displacement, next_q)
    ///     }
    /// }
    ///
    /// let model = samples::double_pendulum();
    /// let mut batch = Batch::<f64>::new(&model, 1)?;
    /// let (q, v, tau) = ([0.3, -0.2, 0.1, 0.0], [0.0; 4], [0.0; 4]); // two states
    /// let (mut next_q, mut next_v, mut status) = ([0.0; 4], [0.0; 4], [BatchStatus::default(); 2]);
    /// let step = Step { seconds: 1e-3 };
    /// let next = [&mut next_q[..], &mut next_v];
    /// let failed = batch.evaluate(&step, [&q, &v, &tau], next, &mut status)?;
    /// assert_eq!(failed, 0);
    /// assert!((next_q[2] - (0.1 + 1e-3 * next_v[2])).abs() < 1e-15);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn evaluate<A: Algorithm, const I: usize, const N: usize>(
        &mut self,
        algorithm: &A,
        inputs: [&[T]; I],
        results: [&mut [T]; N],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        const { assert!(I >= 1, "the first input are the configurations") };
        let states = status.len().max(1);
        let mut number = 0;
        let inputs = inputs.map(|rows| {
            number += 1;
            let (name, length) = match number {
                1 => ("q", self.model.nq()),
                _ => ("an input of the algorithm", rows.len() / states),
            };
            Input { name, rows, length }
        });
        let outputs = results.map(|rows| {
            let name = "a result of the algorithm";
            let length = rows.len() / states;
            Output { name, rows, length }
        });
        let task = Evaluate {
            algorithm,
            inputs: I,
            misuse: Mutex::new(None),
        };
        let failed = self.run(&task, inputs, outputs, status)?;
        match task.misuse.into_inner() {
            Ok(Some(misuse)) => Err(misuse),
            _ => Ok(failed),
        }
    }
}
