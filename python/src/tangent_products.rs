//! Products with the Jacobians of integrate and difference, without the matrices.

use crate::array::{Answer, Argument, Shape, Value};
use crate::error;
use crate::evaluate::evaluate;
use crate::model::Model;
use featherline::quantity::AnyAlgorithm;
use featherline::{Error, Workspace, configuration};
use nalgebra::DMatrixViewMut;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A function that multiplies a matrix in place, by the other arguments of the call.
type Multiply = fn(&featherline::Model, &[&[f64]], DMatrixViewMut<'_, f64>) -> Result<(), Error>;

struct Product {
    rows: usize,
    columns: usize,
    multiply: Multiply,
}

impl AnyAlgorithm for Product {
    fn run(
        &self,
        model: &featherline::Model,
        _: &mut Workspace<f64>,
        inputs: &[&[f64]],
        results: &mut [&mut [f64]],
    ) -> Result<(), Error> {
        if let (Some((matrix, others)), [out]) = (inputs.split_last(), results) {
            out.copy_from_slice(matrix);
            let view = DMatrixViewMut::from_slice(out, self.rows, self.columns);
            (self.multiply)(model, others, view)?;
        }
        Ok(())
    }
}

impl Model {
    /// The product of a Jacobian with a vector or a matrix, or with a matrix for each state;
    /// `is_left` where the matrix stands on the left.
    fn tangent_product<'py>(
        &self,
        py: Python<'py>,
        others: Vec<Argument<'_, 'py>>,
        matrix: Value<'_, 'py>,
        (multiply, is_left): (Multiply, bool),
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        let array = py.import("numpy")?.call_method1("asarray", (matrix,));
        let array = array.map_err(|reason| error::not_numbers(py, "matrix", &reason))?;
        let shape = array.cast::<PyUntypedArray>()?.shape().to_vec();
        let (rows, columns) = match shape[..] {
            [n] if n != self.model.nv() => {
                let expected = format!("({},)", self.model.nv());
                return Err(error::shape("matrix", &shape, &expected));
            }
            [n] if is_left => (1, n),
            [n] => (n, 1),
            [rows, columns] | [_, rows, columns] => (rows, columns),
            _ => {
                return Err(error::shape(
                    "matrix",
                    &shape,
                    "a vector, a matrix or a matrix for each state",
                ));
            }
        };
        // Column after column.
        let flat = match shape[..] {
            [_] => array,
            _ => {
                let transposed = array.call_method1("swapaxes", (-1, -2))?;
                match shape[..] {
                    [states, _, _] => {
                        transposed.call_method1("reshape", (states, rows * columns))?
                    }
                    _ => transposed.call_method1("reshape", (rows * columns,))?,
                }
            }
        };
        let result = match shape[..] {
            [n] => Shape::Vector(n),
            _ => Shape::Matrix(rows, columns),
        };
        let mut arguments = others;
        arguments.push(Argument {
            name: "matrix",
            value: &flat,
            width: rows * columns,
        });
        let product = Product {
            rows,
            columns,
            multiply,
        };
        evaluate(self, py, &product, &arguments, result, out)
    }
}

/// One method a line: its arguments but the matrix, and what multiplies.
macro_rules! products {
    ($($(#[$documentation:meta])* $method:ident($($argument:ident: $kind:ident),*);)*) => {
        #[pymethods]
        impl Model {$(
            $(#[$documentation])*
            #[pyo3(signature = ($($argument,)* matrix, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: Value<'_, 'py>,)*
                matrix: Value<'_, 'py>,
                out: Option<Value<'_, 'py>>,
            ) -> Answer<'py> {
                let others = vec![$(self.$kind(stringify!($argument), $argument)),*];
                let multiply: Multiply = |model, inputs, matrix| match inputs {
                    &[$($argument),*] => configuration::$method(model, $($argument,)* matrix),
                    _ => Ok(()),
                };
                let is_left = stringify!($method).starts_with("times_");
                self.tangent_product(py, others, matrix, (multiply, is_left), out)
            }
        )*}
    };
}

products! {
    /// `d_integrate_dq` times a matrix (nv, m), without forming it. Columns are changes of q. A
    /// vector (nv,) gives a vector.
    ///
    /// >>> J = panda.crba(q)
    /// >>> np.allclose(panda.d_integrate_dq_times(v, J), panda.d_integrate_dq(v) @ J)
    /// True
    d_integrate_dq_times(v: tangent);
    /// A matrix (m, nv) times `d_integrate_dq`. Rows are derivatives by the configuration reached.
    times_d_integrate_dq(v: tangent);
    /// `d_integrate_dv` times a matrix (nv, m). Columns are changes of v.
    d_integrate_dv_times(v: tangent);
    /// A matrix (m, nv) times `d_integrate_dv`. Rows are derivatives by the configuration reached.
    times_d_integrate_dv(v: tangent);
    /// `d_difference_dq0` times a matrix (nv, m). Columns are changes of q0.
    d_difference_dq0_times(q0: q, q1: q);
    /// A matrix (m, nv) times `d_difference_dq0`. Rows are derivatives by the difference.
    times_d_difference_dq0(q0: q, q1: q);
    /// `d_difference_dq1` times a matrix (nv, m). Columns are changes of q1.
    d_difference_dq1_times(q0: q, q1: q);
    /// A matrix (m, nv) times `d_difference_dq1`. Rows are derivatives by the difference.
    times_d_difference_dq1(q0: q, q1: q);
    /// Velocities (nv, m) at the configuration reached, as they are seen at its start: undoes
    /// `d_integrate_dq_times`.
    transport_to_start(v: tangent);
}
