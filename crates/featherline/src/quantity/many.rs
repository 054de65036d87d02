//! Quantities of many states.

use super::{AnyAlgorithm, Lanes};
use crate::batch::{Batch, BatchStatus, Precision};
use crate::error::Error;

/// A number type of which an algorithm without its type has lanes.
pub trait Number: Precision + Into<f64> {
    /// Runs the algorithm in lanes of this type, if it has any.
    fn run_in_lanes(
        of: &dyn AnyAlgorithm,
        lanes: Lanes<'_, '_, Self>,
    ) -> Option<Result<usize, Error>>;
}

impl Number for f64 {
    fn run_in_lanes(
        of: &dyn AnyAlgorithm,
        lanes: Lanes<'_, '_, Self>,
    ) -> Option<Result<usize, Error>> {
        of.run_in_double_lanes(lanes)
    }
}

impl Number for f32 {
    fn run_in_lanes(
        of: &dyn AnyAlgorithm,
        lanes: Lanes<'_, '_, Self>,
    ) -> Option<Result<usize, Error>> {
        of.run_in_single_lanes(lanes)
    }
}

impl<T: Number> Batch<T> {
    /// Computes any quantity for all states: in lanes where the library has them for it, else one
    /// state after the other in each thread, in double precision.
    ///
    /// Inputs and results are rows, one state after the other, as the quantity's
    /// [entry](super::Entry) says; matrices column by column. [`evaluate`](Self::evaluate) runs a
    /// quantity whose type is known in lanes in every case: `batch.evaluate(&CoriolisMatrix, …)`.
    ///
    /// # Errors
    /// As all [calls](Self).
    ///
    /// ```
    /// use featherline::batch::{Batch, BatchStatus};
    /// use featherline::quantity::{self, Parameters};
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let mut batch = Batch::<f64>::new(&model, 1)?;
    /// let coriolis = quantity::find("coriolis_matrix").expect("it is in the catalogue");
    /// let coriolis = (coriolis.with)(&Parameters::NONE)?;
    ///
    /// let (q, v) = ([0.3, -0.2, 0.1, 0.0], [1.0, 0.5, 0.0, 0.0]); // two states
    /// let (mut matrices, mut status) = ([0.0; 8], [BatchStatus::default(); 2]);
    /// batch.compute(&*coriolis, &[&q, &v], &mut [&mut matrices], &mut status)?;
    /// assert!(matrices[..4].iter().any(|&x| x != 0.0));
    /// assert_eq!(matrices[4..], [0.0; 4]); // at rest
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn compute(
        &mut self,
        quantity: &dyn AnyAlgorithm,
        inputs: &[&[T]],
        results: &mut [&mut [T]],
        status: &mut [BatchStatus],
    ) -> Result<usize, Error> {
        let lanes = Lanes {
            batch: self,
            inputs,
            results,
            status,
        };
        if let Some(done) = T::run_in_lanes(quantity, lanes) {
            return done;
        }
        let one = |model: &_, ws: &mut _, inputs: &[&[f64]], results: &mut [&mut [f64]]| {
            quantity.run(model, ws, inputs, results)
        };
        self.run_in_turn(&one, inputs, results, status)
    }
}
