//! The library's algorithms, traced for one robot.

use crate::graph::Graph;
use crate::trace::Trace;
use featherline::kernel;
use featherline::model::{Frame, FrameKind};
use featherline::quantity::{
    self, Algorithm, Dimension, Entry, Input, Output, Parameters, Space, Visitor,
};
use featherline::scalar::Operations;
use featherline::{Error, Model, Workspace};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A named part of a function's inputs or outputs: a matrix, stored row by row, or a vector as a
/// matrix of one column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// The name: `q`, `tau`, `mass_matrix`.
    pub name: String,
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub columns: usize,
    /// Whether it is a matrix, if only of one column.
    pub is_matrix: bool,
    /// Which of its numbers make up a vector of length one each: the quaternions and (cos, sin)
    /// pairs of a configuration.
    pub units: Vec<Range<usize>>,
}

impl Port {
    /// A vector.
    pub fn vector(name: impl Into<String>, len: usize) -> Self {
        Self {
            is_matrix: false,
            ..Self::matrix(name, len, 1)
        }
    }

    /// A matrix.
    pub fn matrix(name: impl Into<String>, rows: usize, columns: usize) -> Self {
        Self {
            name: name.into(),
            rows,
            columns,
            is_matrix: true,
            units: Vec::new(),
        }
    }

    /// A configuration of a robot, `q`.
    pub fn configuration(model: &Model) -> Self {
        Self {
            units: kernel::unit_entries(model),
            ..Self::vector("q", model.nq())
        }
    }

    /// How many numbers; `None` where they can't be counted.
    pub fn len(&self) -> Option<usize> {
        self.rows.checked_mul(self.columns)
    }

    /// Whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.rows == 0 || self.columns == 0
    }
}

/// A graph whose inputs and outputs have names.
#[derive(Clone, Debug)]
pub struct Function {
    /// The computed quantity and the model: `rnea of panda`.
    pub name: String,
    /// How many operations there were when the kernel had been traced.
    pub traced: Operations,
    /// The operations.
    pub graph: Graph,
    /// The graph's inputs, in order.
    pub inputs: Vec<Port>,
    /// The graph's outputs, in order.
    pub outputs: Vec<Port>,
    /// The [hash](Model::content_hash) of the model that was traced.
    pub model_hash: u128,
}

/// A quantity of the library's [catalogue](featherline::quantity) that can be traced.
///
/// Inputs and outputs are those of its entry. Matrices are stored row by row; of a list, items
/// stand one below the other, but each link has an output of its own.
///
/// ```
/// use featherline::quantity::{Bias, Parameters};
/// use featherline_compile::Quantity;
///
/// let bias = Quantity::of(Bias);
/// let found = Quantity::named("nonlinear_effects", &Parameters::NONE).expect("another name")?;
/// assert_eq!(bias.entry().name, found.entry().name);
/// # Ok::<(), featherline::Error>(())
/// ```
#[derive(Clone)]
pub struct Quantity {
    entry: &'static Entry,
    algorithm: Arc<dyn Record>,
}

/// An algorithm that is run with [`Trace`] in place of numbers.
trait Record: Send + Sync {
    fn record(
        &self,
        model: &Model,
        ws: &mut Workspace<Trace>,
        inputs: &[&[Trace]],
        results: &mut [&mut [Trace]],
    ) -> Result<(), Error>;
}

impl<Q: quantity::Quantity> Record for Q {
    fn record(
        &self,
        model: &Model,
        ws: &mut Workspace<Trace>,
        inputs: &[&[Trace]],
        results: &mut [&mut [Trace]],
    ) -> Result<(), Error> {
        Algorithm::run(self, model, ws, inputs, results)
    }
}

/// The quantities that have no result where the mass matrix is singular.
const NEED_INVERSE: [&str; 7] = [
    "aba",
    "forward_dynamics",
    "forward_dynamics_crba",
    "aba_derivatives",
    "forward_dynamics_derivatives",
    "mass_matrix_inverse",
    "mass_matrix_solve",
];

impl Quantity {
    /// A quantity whose type is known.
    pub fn of<Q: quantity::Quantity>(quantity: Q) -> Self {
        Self {
            entry: &Q::ENTRY,
            algorithm: Arc::new(quantity),
        }
    }

    /// The quantity of a name, or of another one of it; none if there is no such quantity.
    ///
    /// # Errors
    /// [`Error::NoParameter`] if one that it needs is not given.
    pub fn named(word: &str, parameters: &Parameters) -> Option<Result<Self, Error>> {
        struct Search<'a> {
            word: &'a str,
            parameters: &'a Parameters,
            found: Option<Result<Quantity, Error>>,
        }
        impl Visitor for Search<'_> {
            fn visit<Q: quantity::Quantity>(&mut self) {
                if Q::ENTRY.is_called(self.word) {
                    self.found = Some(Q::with(self.parameters).map(Quantity::of));
                }
            }
        }
        let mut search = Search {
            word,
            parameters,
            found: None,
        };
        quantity::visit(&mut search);
        search.found
    }

    /// The entry in the catalogue.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The inputs for a robot: those that the quantity cannot do without.
    pub fn inputs(&self, model: &Model) -> Vec<Port> {
        let inputs = self.entry.required().iter();
        let port = |input: &Input| {
            // A state has no other name for it.
            let name = if input.name == "b" { "tau" } else { input.name };
            let units = match input.space == Space::Configuration {
                true => kernel::unit_entries(model),
                false => Vec::new(),
            };
            Port {
                units,
                ..Port::vector(name, input.len(model))
            }
        };
        inputs.map(port).collect()
    }

    /// The outputs for a robot.
    pub fn outputs(&self, model: &Model) -> Vec<Port> {
        let outputs = self.entry.outputs.iter();
        outputs.flat_map(|output| ports(output, model)).collect()
    }

    /// Traces the algorithm for a robot: its operations, simplified as [`Graph`] does it.
    ///
    /// Cost: that of the algorithm, a few hundred nanoseconds an operation.
    ///
    /// # Errors
    /// Those of the method of [`Model`]; [`Error::SingularInertia`] where the inverse of a mass
    /// matrix is asked for that is singular in several configurations. Conditions that depend on
    /// the state, such as a mass matrix that is singular in some configurations only, are taken to
    /// hold.
    ///
    /// ```
    /// use featherline::{quantity, samples};
    /// use featherline_compile::Quantity;
    ///
    /// let function = Quantity::of(quantity::Crba).trace(&samples::double_pendulum())?;
    /// assert_eq!((function.outputs[0].rows, function.outputs[0].columns), (2, 2));
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn trace(&self, model: &Model) -> Result<Function, Error> {
        if NEED_INVERSE.contains(&self.entry.name) {
            check_regular(model)?;
        }
        let inputs = self.inputs(model);
        let count = inputs.iter().map(|port| port.rows).sum();
        let graph = Graph::try_record(count, |x| self.record(model, &inputs, x))?;
        Ok(Function {
            name: format!("{} of {}", self.entry.name, model.name()),
            traced: graph.count(),
            graph,
            inputs,
            outputs: self.outputs(model),
            model_hash: model.content_hash(),
        })
    }

    fn record(&self, model: &Model, ports: &[Port], x: &[Trace]) -> Result<Vec<Trace>, Error> {
        let mut rest = x;
        let inputs: Vec<&[Trace]> = (ports.iter())
            .filter_map(|port| rest.split_off(..port.rows))
            .collect();
        let outputs = self.entry.outputs;
        let mut results: Vec<Vec<Trace>> = (outputs.iter())
            .map(|output| vec![Trace::default(); output.len(model)])
            .collect();
        let mut places: Vec<&mut [Trace]> = results.iter_mut().map(|it| &mut it[..]).collect();
        let ws = &mut Workspace::new(model);
        self.algorithm.record(model, ws, &inputs, &mut places)?;
        let all = outputs.iter().zip(&results);
        let all = all.flat_map(|(output, numbers)| by_rows(output, model, numbers));
        Ok(all.collect())
    }
}

impl std::fmt::Debug for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.entry.name)
    }
}

/// Rows and columns of an item of an output.
fn item(dimensions: &[Dimension], model: &Model) -> (usize, usize) {
    let count = |k: usize| dimensions.get(k).map_or(1, |it| it.of(model));
    (count(0), count(1))
}

/// The parts of a function's outputs that an output is.
fn ports(output: &Output, model: &Model) -> Vec<Port> {
    let (list, dimensions) = output.list();
    let (rows, columns) = item(dimensions, model);
    match (list, dimensions.len()) {
        (None, 0 | 1) => vec![Port::vector(output.name, rows)],
        (None, _) => vec![Port::matrix(output.name, rows, columns)],
        (Some(Dimension::Links), _) => {
            let links = model.frames().iter();
            // Names are unique among frames of a kind only.
            let links = links.filter(|frame| frame.kind == FrameKind::Body);
            let name = |link: &Frame| format!("{}:{}", output.name, link.name);
            let port = |link| Port::matrix(name(link), rows, columns);
            links.map(port).collect()
        }
        // Vectors are rows.
        (Some(list), 1) => vec![Port::matrix(output.name, list.of(model), rows)],
        (Some(list), _) => vec![Port::matrix(output.name, list.of(model) * rows, columns)],
    }
}

/// The numbers of an output, row by row: the catalogue has columns.
fn by_rows(output: &Output, model: &Model, numbers: &[Trace]) -> Vec<Trace> {
    let (rows, columns) = item(output.list().1, model);
    let items = numbers.chunks_exact((rows * columns).max(1));
    let transposed = items.flat_map(|item| {
        let places = (0..rows).flat_map(move |i| (0..columns).map(move |k| rows * k + i));
        places.map(move |place| item[place])
    });
    transposed.collect()
}

/// Fails if the mass matrix is singular in each of three configurations that have nothing special.
fn check_regular(model: &Model) -> Result<(), Error> {
    let mut ws = Workspace::new(model);
    let neutral = model.neutral_configuration();
    let mut found = Ok(());
    for k in 1..=3 {
        // Displacements of about a radian that don't repeat.
        let away = |i: usize| (f64::from(k) * 0.7 + 1.3 * i as f64).sin();
        let v: Vec<f64> = (0..model.nv()).map(away).collect();
        let q = model.integrate(&neutral, &v)?;
        match model.ltdl(&mut ws, &q).map(drop) {
            Err(error @ Error::SingularInertia { .. }) => found = Err(error),
            _ => return Ok(()),
        }
    }
    found
}
