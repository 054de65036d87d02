//! Quantities of the library's catalogue as methods of a model.

use crate::array::{Answer, Argument, Shape, Value};
use crate::evaluate::{AnyAlgorithm, evaluate};
use crate::model::Model;
use featherline::quantity::{AnyQuantity, Lanes, Output};
use featherline::{Error, Workspace};
use pyo3::prelude::*;

/// A quantity of the catalogue.
pub struct Listed(pub &'static dyn AnyQuantity);

impl AnyAlgorithm for Listed {
    fn run(
        &self,
        model: &featherline::Model,
        ws: &mut Workspace<f64>,
        inputs: &[&[f64]],
        result: &mut [f64],
    ) -> Result<(), Error> {
        self.0.run(model, ws, inputs, &mut [result])
    }

    fn run_double_lanes(&self, lanes: Lanes<'_, f64>) -> Option<Result<usize, Error>> {
        self.0.run_in_double_lanes(lanes)
    }

    fn run_single_lanes(&self, lanes: Lanes<'_, f32>) -> Option<Result<usize, Error>> {
        self.0.run_in_single_lanes(lanes)
    }
}

/// The shape of an array of a quantity.
fn shape(output: &Output, model: &featherline::Model) -> Shape {
    match *output.dimensions {
        [] => Shape::Scalar,
        [n] => Shape::Vector(n.of(model)),
        [rows, columns] => Shape::Matrix(rows.of(model), columns.of(model)),
        [n, rows, columns] => Shape::Matrices(n.of(model), rows.of(model), columns.of(model)),
        _ => unreachable!("the catalogue has no quantity of more dimensions"),
    }
}

impl Model {
    /// A quantity of the catalogue, of inputs in its order.
    pub fn compute<'py, const N: usize>(
        &self,
        py: Python<'py>,
        quantity: &'static dyn AnyQuantity,
        values: [Value<'_, 'py>; N],
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let entry = quantity.entry();
        let arguments: [Argument<'_, '_>; N] = std::array::from_fn(|k| Argument {
            name: entry.inputs[k].name,
            value: values[k],
            width: entry.inputs[k].len(&self.model),
        });
        let shape = shape(&entry.output, &self.model);
        evaluate(self, py, &Listed(quantity), &arguments, shape, out)
    }
}

/// Methods that compute a quantity of the catalogue: their arguments are its inputs.
macro_rules! quantity_methods {
    ($($(#[$documentation:meta])* $method:ident($($argument:ident),*) -> $quantity:ident;)*) => {
        #[pymethods]
        impl Model {$(
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: Value<'_, 'py>,)*
                out: Option<Value<'_, 'py>>,
            ) -> Answer<'py> {
                let quantity = &featherline::quantity::$quantity;
                self.compute(py, quantity, [$($argument),*], out)
            }
        )*}
    };
}

pub(crate) use quantity_methods;
