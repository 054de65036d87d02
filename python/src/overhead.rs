//! Times of the library's own calls, beside which calls from Python are measured.

use crate::error;
use crate::model::Model;
use featherline::quantity::{self, AnyAlgorithm, Parameters};
use featherline::{Error, Workspace};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::hint::black_box;
use std::time::Instant;

#[pymethods]
impl Model {
    /// The seconds that one of several calls takes in Rust, without Python: rnea, aba, bias or
    /// crba.
    fn _seconds(
        &self,
        algorithm: &str,
        q: Vec<f64>,
        v: Vec<f64>,
        third: Vec<f64>,
        calls: u32,
    ) -> PyResult<f64> {
        let three: [&[f64]; 3] = [&q, &v, &third];
        let listed = quantity::find(algorithm);
        let listed = listed.ok_or_else(|| PyKeyError::new_err(algorithm.to_owned()))?;
        let quantity = (listed.with)(&Parameters::NONE).map_err(error::algorithm)?;
        let inputs = &three[..listed.entry.required().len()];
        let numbers = listed.entry.outputs[0].len(&self.model);
        let seconds = seconds(self, &*quantity, inputs, numbers, calls);
        seconds.map_err(error::algorithm)
    }
}

fn seconds(
    model: &Model,
    algorithm: &dyn AnyAlgorithm,
    inputs: &[&[f64]],
    numbers: usize,
    calls: u32,
) -> Result<f64, Error> {
    let mut workspace = Workspace::new(&model.model);
    let mut result = vec![0.0; numbers];
    let begin = Instant::now();
    for _ in 0..calls {
        algorithm.run(
            &model.model,
            &mut workspace,
            black_box(inputs),
            black_box(&mut [&mut result]),
        )?;
    }
    Ok(begin.elapsed().as_secs_f64() / f64::from(calls.max(1)))
}
