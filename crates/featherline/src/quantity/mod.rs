//! The catalogue: what can be computed for a state of a robot, an entry each.
//!
//! An [`Entry`] has the name of a quantity, what it takes, what it gives with shapes and units, its
//! cost and its source. [`CATALOGUE`] lists all; programs that offer quantities by name read it.
//! Each quantity is a type that runs for any scalar, as [`Algorithm`]: for one state, for many by
//! `Batch::compute`, or traced. Some have parameters: [`Jacobian`] has a frame.
//!
//! ```
//! use featherline::quantity::{self, Parameters};
//! use featherline::{Workspace, samples};
//!
//! let model = samples::double_pendulum();
//! let bias = quantity::find("bias").expect("it is in the catalogue");
//! let inputs: Vec<&str> = bias.entry.required().iter().map(|it| it.name).collect();
//! assert_eq!(inputs, ["q", "v"]);
//! assert_eq!(bias.entry.outputs[0].shape(&model), [2]);
//!
//! let (mut ws, mut out) = (Workspace::new(&model), [0.0; 2]);
//! let bias = (bias.with)(&Parameters::NONE)?;
//! bias.run(&model, &mut ws, &[&[0.3, 0.2], &[0.0, 0.0]], &mut [&mut out])?;
//! assert_eq!(out, model.gravity_torque(&mut ws, &[0.3, 0.2])?);
//! # Ok::<(), featherline::Error>(())
//! ```

mod declare;
mod entries;
mod entry;
#[cfg(feature = "batch")]
mod many;
mod numbers;
mod on_frames;
mod parameters;

pub use entries::*;
pub use entry::{Dimension, Entry, Input, Output, Space};
#[cfg(feature = "batch")]
pub use many::Number;
pub use on_frames::OnFrames;
pub use parameters::{Parameter, Parameters};

pub use crate::algorithm::Algorithm;
#[cfg(feature = "batch")]
use crate::batch::{Batch, BatchStatus, Precision};
use crate::error::Error;
use crate::model::Model;
use crate::workspace::Workspace;

/// An algorithm of the catalogue.
pub trait Quantity: Algorithm + AnyAlgorithm + Send + Sized + 'static {
    /// The entry in the catalogue.
    const ENTRY: Entry;

    /// The quantity with the parameters that it has.
    ///
    /// # Errors
    /// [`Error::NoParameter`] if one that it needs is not given.
    fn with(parameters: &Parameters) -> Result<Self, Error>;

    /// Computes many states in lanes; none where the library has no lanes for it.
    #[cfg(feature = "batch")]
    fn run_in_lanes<T: Precision>(&self, _: Lanes<'_, '_, T>) -> Option<Result<usize, Error>> {
        None
    }
}

/// Many states: a batch, rows of each input, and where results go.
#[cfg(feature = "batch")]
#[derive(Debug)]
pub struct Lanes<'a, 'r, T: Precision> {
    /// Memory and threads.
    pub batch: &'a mut Batch<T>,
    /// Rows of the inputs, one after the other.
    pub inputs: &'a [&'a [T]],
    /// Rows of the results.
    pub results: &'a mut [&'r mut [T]],
    /// The status of each state.
    pub status: &'a mut [BatchStatus],
}

/// An algorithm without its type: what calls it is compiled once, not once for each.
pub trait AnyAlgorithm: Sync {
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
    fn run_in_double_lanes(&self, _: Lanes<'_, '_, f64>) -> Option<Result<usize, Error>> {
        None
    }

    /// As [`Quantity::run_in_lanes`], in single precision.
    #[cfg(feature = "batch")]
    fn run_in_single_lanes(&self, _: Lanes<'_, '_, f32>) -> Option<Result<usize, Error>> {
        None
    }
}

/// A line of the catalogue: an entry, and the quantity for parameters.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ListedQuantity {
    /// The entry.
    pub entry: Entry,
    /// As [`Quantity::with`].
    pub with: fn(&Parameters) -> Result<Box<dyn AnyAlgorithm>, Error>,
}

impl ListedQuantity {
    const fn new<Q: Quantity>() -> Self {
        Self {
            entry: Q::ENTRY,
            with: |parameters| Ok(Box::new(Q::with(parameters)?)),
        }
    }
}

impl PartialEq for ListedQuantity {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name
    }
}

impl std::fmt::Debug for ListedQuantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.entry.name)
    }
}

/// Something to do with the type of every quantity.
pub trait Visitor {
    /// Does it with one.
    fn visit<Q: Quantity>(&mut self);
}

/// The quantity of a name, or of another one of it.
pub fn find(word: &str) -> Option<&'static ListedQuantity> {
    CATALOGUE.iter().find(|it| it.entry.is_called(word))
}
