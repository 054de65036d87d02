//! Quantities of the library's catalogue as methods of a model.

use crate::argument::shown;
use crate::array::{Answer, Argument, Shape, Value};
use crate::error;
use crate::evaluate::{RESULTS, evaluate, evaluate_all};
use crate::forces::{External, ForceTargets};
use crate::model::{Model, chosen, quoted};
use crate::states::named;
use featherline::kinematics::ReferenceFrame;
use featherline::quantity::{
    AnyAlgorithm, CATALOGUE, Entry, ListedQuantity, OnFrames, Output, Quantity, Space,
};
use featherline::words::Words;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The shape of an array of a quantity.
fn shape(output: &Output, model: &featherline::Model) -> Shape {
    let (list, item) = output.list();
    let list = list.map(|it| it.of(model));
    match (list, item) {
        (None, []) => Shape::Scalar,
        (None, [n]) => Shape::Vector(n.of(model)),
        (Some(n), [row]) => Shape::Rows(n, row.of(model)),
        (None, [rows, columns]) => Shape::Matrix(rows.of(model), columns.of(model)),
        (Some(n), [rows, columns]) => Shape::Matrices(n, rows.of(model), columns.of(model)),
        _ => unreachable!("the catalogue has no quantity of more dimensions"),
    }
}

impl Model {
    /// A quantity of the catalogue, of inputs in its order. Several results are a named tuple of
    /// that class.
    pub fn compute<'py, const N: usize>(
        &self,
        py: Python<'py>,
        quantity: (&Entry, &dyn AnyAlgorithm),
        values: [Option<Value<'_, 'py>>; N],
        class: Option<&str>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        self.compute_under(py, quantity, values, "local", class, out)
    }

    /// The same with external forces, which may be missing, in a reference.
    pub fn compute_under<'py, const N: usize>(
        &self,
        py: Python<'py>,
        (entry, mut algorithm): (&Entry, &dyn AnyAlgorithm),
        values: [Option<Value<'_, 'py>>; N],
        forces_in: &str,
        class: Option<&str>,
        out: Option<Value<'_, 'py>>,
    ) -> Answer<'py> {
        // Arguments that must be read before they are numbers.
        let mut read: [Option<Bound<'py, PyAny>>; N] = [const { None }; N];
        let mut acting = ForceTargets::OnJoints;
        for ((read, input), value) in read.iter_mut().zip(entry.inputs).zip(values) {
            *read = match (input.space, value) {
                (Space::Forces, forces) => {
                    let external = External::read(self, forces, forces_in)?;
                    acting = external.acting;
                    external.rows
                }
                // As rows of one number: (1,) or (n, 1).
                (Space::Number, Some(number)) => {
                    let numpy = py.import("numpy")?;
                    Some(numpy.call_method1("expand_dims", (number, -1))?)
                }
                _ => None,
            };
        }
        let Some(first) = values[0] else {
            return Err(error::internal(&"a quantity without inputs"));
        };
        let arguments: [Argument<'_, 'py>; N] = std::array::from_fn(|k| {
            let value = read[k].as_ref().or(values[k]).unwrap_or(first);
            if entry.inputs[k].space == Space::Forces {
                return acting.argument(self, value);
            }
            Argument {
                name: entry.inputs[k].name,
                value,
                width: entry.inputs[k].len(&self.model),
            }
        });
        let on_frames;
        if let ForceTargets::OnFrames(targets, reference) = &acting {
            on_frames = OnFrames {
                entry,
                algorithm,
                targets,
                reference: *reference,
            };
            algorithm = &on_frames;
        }
        let arguments = &arguments[..values.iter().flatten().count()];
        let Some(class) = class else {
            let shape = shape(&entry.outputs[0], &self.model);
            return evaluate(self, py, algorithm, arguments, shape, out);
        };
        let mut shapes = [Shape::Scalar; RESULTS];
        for (shape_of, output) in shapes.iter_mut().zip(entry.outputs) {
            *shape_of = shape(output, &self.model);
        }
        let results = (&shapes[..entry.outputs.len()], class);
        evaluate_all(self, py, algorithm, arguments, results, out)
    }
}

/// The coordinates of a method, by their word.
pub struct Reference(pub ReferenceFrame);

impl Reference {
    /// Those without a word.
    pub const USUAL: Self = Self(ReferenceFrame::Local);
}

impl FromPyObject<'_, '_> for Reference {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match value.extract::<&str>() {
            Ok(word) => reference(word).map(Self),
            Err(_) => Err(PyTypeError::new_err(format!(
                "reference must be {}, not {}",
                quoted(ReferenceFrame::WORDS),
                shown(&value)
            ))),
        }
    }
}

/// The coordinates that a word names.
pub fn reference(word: &str) -> PyResult<ReferenceFrame> {
    chosen("reference", word)
}

/// Methods that compute a quantity of the catalogue: their arguments are its inputs, then external
/// forces, or a frame and the reference of components, where it takes them. `as` names the class of
/// several results.
macro_rules! quantity_methods {
    ($($(#[$documentation:meta])* $method:ident($($argument:ident),* $(; $extra:ident)?)
        -> $quantity:ident $(as $class:literal)? $(, $signature:literal)?;)*) => {
        $(crate::quantities::quantity_methods!(
            @one $($extra)? { $(#[$documentation])* } $method($($argument),*)
            $quantity [$($class)?] $($signature)?
        );)*
    };
    (@one { $(#[$documentation:meta])* } $method:ident($($argument:ident),*)
        $quantity:ident [$($class:literal)?]) => {
        #[pymethods]
        impl Model {
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: crate::array::Value<'_, 'py>,)*
                out: Option<crate::array::Value<'_, 'py>>,
            ) -> crate::array::Answer<'py> {
                let quantity = featherline::quantity::$quantity;
                let quantity = crate::quantities::with_entry(&quantity);
                let class = None$(.or(Some($class)))?;
                self.compute(py, quantity, [$(Some($argument)),*], class, out)
            }
        }
    };
    (@one forces { $(#[$documentation:meta])* } $method:ident($($argument:ident),*)
        $quantity:ident [$($class:literal)?]) => {
        #[pymethods]
        impl Model {
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, external_forces=None, *, forces_in="local", out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: crate::array::Value<'_, 'py>,)*
                external_forces: Option<crate::array::Value<'_, 'py>>,
                forces_in: &str,
                out: Option<crate::array::Value<'_, 'py>>,
            ) -> crate::array::Answer<'py> {
                let quantity = featherline::quantity::$quantity;
                let quantity = crate::quantities::with_entry(&quantity);
                let class = None$(.or(Some($class)))?;
                let values = [$(Some($argument),)* external_forces];
                self.compute_under(py, quantity, values, forces_in, class, out)
            }
        }
    };
    (@one frame { $(#[$documentation:meta])* } $method:ident($($argument:ident),*)
        $quantity:ident [$($class:literal)?] $signature:literal) => {
        #[pymethods]
        impl Model {
            $(#[$documentation])*
            #[pyo3(
                signature = (
                    $($argument),*, frame, reference=crate::quantities::Reference::USUAL, *, out=None,
                    **unknown
                ),
                text_signature = $signature
            )]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: crate::array::Value<'_, 'py>,)*
                frame: crate::argument::FrameName<'_>,
                reference: crate::quantities::Reference,
                out: Option<crate::array::Value<'_, 'py>>,
                unknown: Option<&Bound<'py, pyo3::types::PyDict>>,
            ) -> crate::array::Answer<'py> {
                crate::error::only_known_of::<Self>(py, stringify!($method), unknown)?;
                let frame = self.target(frame.0)?;
                let reference = reference.0;
                let quantity = featherline::quantity::$quantity { frame, reference };
                let quantity = crate::quantities::with_entry(&quantity);
                let class = None$(.or(Some($class)))?;
                self.compute(py, quantity, [$(Some($argument)),*], class, out)
            }
        }
    };
    (@one joint { $(#[$documentation:meta])* } $method:ident($($argument:ident),*)
        $quantity:ident []) => {
        #[pymethods]
        impl Model {
            $(#[$documentation])*
            #[pyo3(signature = ($($argument),*, joint, *, out=None))]
            fn $method<'py>(
                &self,
                py: Python<'py>,
                $($argument: crate::array::Value<'_, 'py>,)*
                joint: crate::argument::JointName<'_>,
                out: Option<crate::array::Value<'_, 'py>>,
            ) -> crate::array::Answer<'py> {
                let joint = self.joint_of(joint.0)?;
                let quantity = featherline::quantity::$quantity { joint };
                let quantity = crate::quantities::with_entry(&quantity);
                self.compute(py, quantity, [$(Some($argument)),*], None, out)
            }
        }
    };
}

/// The library's catalogue: everything that it computes for a state of a robot, as
/// `results.Quantity`.
///
/// >>> import featherline as fl
/// >>> rnea = fl.quantities()[0]
/// >>> rnea.name, rnea.inputs, rnea.outputs
/// ('rnea', ('q', 'v', 'a', '[f]'), ('tau: nv',))
/// >>> [it.name for it in fl.quantities() if "energy" in it.meaning][:2]
/// ['kinetic_energy', 'potential_energy']
#[pyfunction]
pub fn quantities(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyAny>>> {
    let quantity = |listed: &ListedQuantity| {
        let entry = &listed.entry;
        let inputs = entry.inputs.iter().map(ToString::to_string);
        let outputs = entry.outputs.iter().map(ToString::to_string);
        let units = entry.outputs.iter().map(|it| it.unit);
        let fields = (
            entry.name,
            PyTuple::new(py, entry.words().skip(1).collect::<Vec<_>>())?,
            entry.meaning(),
            PyTuple::new(py, entry.parameters.iter().map(|it| it.name()))?,
            PyTuple::new(py, inputs.collect::<Vec<_>>())?,
            PyTuple::new(py, outputs.collect::<Vec<_>>())?,
            PyTuple::new(py, units)?,
            entry.cost,
            entry.source,
        );
        named(py, "Quantity", fields)
    };
    CATALOGUE.iter().map(quantity).collect()
}

/// A quantity beside its entry.
pub fn with_entry<Q: Quantity>(quantity: &Q) -> (&'static Entry, &dyn AnyAlgorithm) {
    (&Q::ENTRY, quantity)
}

pub(crate) use quantity_methods;
