//! The catalogue: what can be computed for a state of a robot, an entry each.
//!
//! An [`Entry`] has the name of a quantity, what it takes, what it gives with shapes and units, its
//! cost and its source. [`CATALOGUE`] lists all; programs that offer quantities by name read it.
//! Each quantity is a type that runs for any scalar, as [`Algorithm`]: for one state, for many in
//! lanes by [`Batch::evaluate`], or traced.
//!
//! ```
//! use featherline::quantity;
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let bias = quantity::find("bias").expect("it is in the catalogue");
//! let inputs: Vec<&str> = bias.entry().inputs.iter().map(|it| it.name).collect();
//! assert_eq!(inputs, ["q", "v"]);
//! assert_eq!(bias.entry().output.shape(&model), [2]);
//!
//! let (mut ws, mut out) = (Workspace::new(&model), [0.0; 2]);
//! bias.run(&model, &mut ws, &[&[0.3, 0.2], &[0.0, 0.0]], &mut [&mut out])?;
//! assert_eq!(out, model.gravity_torque(&mut ws, &[0.3, 0.2])?);
//! # Ok::<(), featherline::Error>(())
//! ```

mod entries;
mod entry;

pub use entries::*;
pub use entry::{Dimension, Entry, Input, Output, Space};

pub use crate::algorithm::Algorithm;
#[cfg(feature = "batch")]
use crate::batch::{Batch, BatchStatus, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::workspace::Workspace;
/// An algorithm of the catalogue.
pub trait Quantity: Algorithm {
    /// The entry in the catalogue.
    const ENTRY: Entry;

    /// Computes many states in lanes; none where the library has no lanes for it.
    #[cfg(feature = "batch")]
    fn run_in_lanes<T: Precision>(_: Lanes<'_, T>) -> Option<Result<usize, Error>> {
        None
    }
}

/// Many states: a batch, rows of each input, and where results go.
#[cfg(feature = "batch")]
#[derive(Debug)]
pub struct Lanes<'a, T: Precision> {
    /// Memory and threads.
    pub batch: &'a mut Batch<T>,
    /// Rows of the inputs, one after the other.
    pub inputs: &'a [&'a [T]],
    /// Rows of the result.
    pub result: &'a mut [T],
    /// The status of each state.
    pub status: &'a mut [BatchStatus],
}

/// A quantity without its type.
pub trait AnyQuantity: Sync {
    /// The entry in the catalogue.
    fn entry(&self) -> &'static Entry;

    /// Computes one state; `inputs` and `results` are as the entry says.
    ///
    /// # Errors
    /// Those of the model's method; [`Error::Size`] for a wrong number of inputs or results.
    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        results: &mut [&mut [f64]],
    ) -> Result<(), Error>;

    /// As [`Quantity::run_in_lanes`], in double precision.
    #[cfg(feature = "batch")]
    fn run_in_double_lanes(&self, lanes: Lanes<'_, f64>) -> Option<Result<usize, Error>>;

    /// As [`Quantity::run_in_lanes`], in single precision.
    #[cfg(feature = "batch")]
    fn run_in_single_lanes(&self, lanes: Lanes<'_, f32>) -> Option<Result<usize, Error>>;
}

impl<Q: Quantity> AnyQuantity for Q {
    fn entry(&self) -> &'static Entry {
        &Q::ENTRY
    }

    fn run(
        &self,
        model: &Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        results: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        Algorithm::run(self, model, ws, inputs, results)
    }

    #[cfg(feature = "batch")]
    fn run_in_double_lanes(&self, lanes: Lanes<'_, f64>) -> Option<Result<usize, Error>> {
        Q::run_in_lanes(lanes)
    }

    #[cfg(feature = "batch")]
    fn run_in_single_lanes(&self, lanes: Lanes<'_, f32>) -> Option<Result<usize, Error>> {
        Q::run_in_lanes(lanes)
    }
}

impl std::fmt::Debug for dyn AnyQuantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.entry().name)
    }
}

/// The quantity of a name, or of another one of it.
pub fn find(word: &str) -> Option<&'static dyn AnyQuantity> {
    let mut all = CATALOGUE.iter().copied();
    all.find(|it| it.entry().is_called(word))
}
