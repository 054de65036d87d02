//! numpy arrays in and out: the one module that touches numpy's memory.
//!
//! An input is numpy's own memory where its type and layout are ours, and a converted copy
//! elsewhere, so that lists, integers, slices with strides and other precisions serve, too.

use crate::error;
use numpy::ndarray::{ArrayViewD, IxDyn, ShapeBuilder};
use numpy::{
    Element, PyArray, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyUntypedArray, PyUntypedArrayMethods, ToPyArray, dtype,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyEllipsis};
use std::ops::{Deref, Range};

/// A value that a caller passes.
pub type Value<'a, 'py> = &'a Bound<'py, PyAny>;

/// A value that a caller gets.
pub type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// One argument of a call: its name in messages, and how many numbers a state has.
pub struct Argument<'a, 'py> {
    pub name: &'a str,
    pub value: &'a Bound<'py, PyAny>,
    pub width: usize,
}

/// The numbers of one argument: those of one state, or rows of many.
pub struct Numbers<'py, T: Element> {
    array: Bound<'py, PyArrayDyn<T>>,
    /// How many states; none if the argument is one state.
    pub states: Option<usize>,
}

impl<'py, T: Element> Numbers<'py, T> {
    /// Reads an argument of shape (width,) or (states, width).
    pub fn read(argument: &Argument<'_, 'py>) -> PyResult<Self> {
        let &Argument { name, value, width } = argument;
        let array = plain(name, value)?;
        let states = match *array.shape() {
            [n] if n == width => None,
            [states, n] if n == width => Some(states),
            _ => {
                return Err(error::shape(
                    name,
                    array.shape(),
                    &format!("({width},) or (n, {width})"),
                ));
            }
        };
        Ok(Self { array, states })
    }

    /// Reads an argument of one state, of shape (width,).
    pub fn read_one(argument: &Argument<'_, 'py>) -> PyResult<Self> {
        let &Argument { name, value, width } = argument;
        let array = plain(name, value)?;
        if array.shape() != [width] {
            let expected = format!("({width},)");
            return Err(error::shape(name, array.shape(), &expected));
        }
        Ok(Self {
            array,
            states: None,
        })
    }

    /// Whether its memory overlaps with these addresses.
    pub fn overlaps(&self, other: &Range<usize>) -> bool {
        let start = self.array.data() as usize;
        // Contiguous.
        let end = start + self.array.len() * size_of::<T>();
        start < other.end && other.start < end
    }
}

/// The numbers, row by row.
impl<T: Element> Deref for Numbers<'_, T> {
    type Target = [T];

    #[expect(unsafe_code)]
    fn deref(&self) -> &[T] {
        // SAFETY: the array is contiguous and aligned (`is_plain`), and lives as long as `self`
        // holds it. That nobody writes to it meanwhile is what numpy asks of callers, too.
        unsafe { std::slice::from_raw_parts(self.array.data(), self.array.len()) }
    }
}

/// Notes the first argument of many states, with which the others must agree in their number.
pub fn agree<'a>(
    states: &mut Option<(&'a str, usize)>,
    name: &'a str,
    found: Option<usize>,
) -> PyResult<()> {
    match (*states, found) {
        (Some((first, n)), Some(m)) if n != m => Err(error::states(first, n, name, m)),
        (None, Some(m)) => {
            *states = Some((name, m));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The array that a value is, if it is one of that type.
fn of_type<'a, 'py, T: Element>(
    value: &'a Bound<'py, PyAny>,
) -> Option<&'a Bound<'py, PyArrayDyn<T>>> {
    let array = value.cast::<PyUntypedArray>().ok()?;
    if has_type(array, &dtype::<T>(value.py())) {
        #[expect(unsafe_code)]
        // SAFETY: an array of any number of dimensions, with elements of T.
        return Some(unsafe { value.cast_unchecked() });
    }
    // Other descriptions of the same type; to find them takes longer than a short call.
    value.cast().ok()
}

/// Whether an array has numpy's own description of a type, which nearly all arrays have.
fn has_type(array: &Bound<'_, PyUntypedArray>, expected: &Bound<'_, PyArrayDescr>) -> bool {
    #[expect(unsafe_code)]
    // SAFETY: reads a field of a live array.
    let description = unsafe { (*array.as_array_ptr()).fields.descr };
    description == expected.as_dtype_ptr()
}

/// An array as it is where its memory is a slice of numbers, else a copy that is.
fn plain<'py, T: Element>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    match of_type::<T>(value) {
        Some(array) if is_plain(array) && !may_be_masked(value) => Ok(array.clone()),
        _ => convert::<T>(name, value),
    }
}

/// Whether an array's memory is a slice of numbers.
fn is_plain<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// Whether a value is of a type that derives from numpy's arrays, as masked arrays are.
fn may_be_masked(value: &Bound<'_, PyAny>) -> bool {
    !value.is_exact_instance_of::<PyUntypedArray>()
}

/// Fails for an array with a mask: its memory has numbers behind the mask, too.
fn refuse_mask(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static MASKED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    if value.cast::<PyUntypedArray>().is_err() || !may_be_masked(value) {
        return Ok(());
    }
    let masked = MASKED.get_or_try_init(py, || {
        py.import("numpy.ma")?
            .getattr("MaskedArray")
            .map(Bound::unbind)
    })?;
    match value.is_instance(masked.bind(py))? {
        true => Err(error::masked(name)),
        false => Ok(()),
    }
}

/// Whether several of an array's elements may share memory, as `broadcast_to` and `as_strided` make
/// them: a step along an axis does not lead past all that lies along the axes of shorter steps.
fn repeats(array: &Bound<'_, PyUntypedArray>) -> bool {
    // Nearly all arrays; the rest takes memory.
    if array.is_contiguous() {
        return false;
    }
    let axes = array.shape().iter().zip(array.strides());
    let mut axes: Vec<(usize, usize)> = axes
        .filter(|(length, _)| **length > 1)
        .map(|(length, stride)| (stride.unsigned_abs(), *length))
        .collect();
    axes.sort_unstable();
    let mut end = array.dtype().itemsize();
    // An array without elements may have any strides.
    array.len() > 0
        && axes.into_iter().any(|(stride, length)| {
            let is_short = stride < end;
            end += stride * (length - 1);
            is_short
        })
}

/// The addresses between which an array's elements lie.
fn extent(array: &Bound<'_, PyUntypedArray>) -> Range<usize> {
    #[expect(unsafe_code)]
    // SAFETY: reads a field of a live array.
    let start = unsafe { (*array.as_array_ptr()).fields.data } as usize;
    let size = array.dtype().itemsize();
    let (mut low, mut high) = (start, start + size);
    for (&length, &stride) in array.shape().iter().zip(array.strides()) {
        if length == 0 {
            return start..start;
        }
        let reach = stride * (length as isize - 1);
        low = low.saturating_add_signed(reach.min(0));
        high = high.saturating_add_signed(reach.max(0));
    }
    low..high
}

/// A contiguous copy in the type that is asked for.
fn convert<'py, T: Element>(
    name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    refuse_mask(name, value)?;
    static NUMPY: [PyOnceLock<Py<PyAny>>; 2] = [PyOnceLock::new(), PyOnceLock::new()];
    let py = value.py();
    let function = |k: usize, attribute: &str| {
        NUMPY[k].get_or_try_init(py, || {
            py.import("numpy")?.getattr(attribute).map(Bound::unbind)
        })
    };
    let array = function(0, "asarray")?
        .bind(py)
        .call1((value,))
        .and_then(|array| Ok(array.cast_into::<PyUntypedArray>()?))
        .map_err(|reason| error::not_numbers(py, name, &reason))?;
    let kind = array.dtype().kind();
    // Numbers, and empty or ragged lists apart: booleans, integers, floats.
    if !matches!(kind, b'b' | b'i' | b'u' | b'f') {
        return Err(error::wrong_type(name, &array.dtype()));
    }
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "dtype"), dtype::<T>(py))?;
    keywords.set_item(intern!(py, "requirements"), ["C", "A"])?;
    let plain = function(1, "require")?
        .bind(py)
        .call((array,), Some(&keywords))?;
    Ok(plain.cast_into::<PyArrayDyn<T>>()?)
}

/// Whether a value is an array of single precision.
pub fn is_single(value: &Bound<'_, PyAny>) -> bool {
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        return false;
    };
    !has_type(array, &dtype::<f64>(value.py())) && of_type::<f32>(value).is_some()
}

/// The result of one state.
#[derive(Clone, Copy)]
pub enum Shape {
    /// One number.
    Scalar,
    /// A vector of that length.
    Vector(usize),
    /// Rows and columns, stored column by column.
    Matrix(usize, usize),
    /// Rows and columns, stored row by row.
    Rows(usize, usize),
    /// So many matrices of rows and columns, each stored column by column.
    Matrices(usize, usize, usize),
}

impl Shape {
    /// How many numbers it has.
    pub fn count(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vector(n) => n,
            Self::Matrix(rows, columns) | Self::Rows(rows, columns) => rows * columns,
            Self::Matrices(n, rows, columns) => n * rows * columns,
        }
    }

    /// The rows and columns of matrices that are stored column by column.
    fn matrix(self) -> Option<(usize, usize)> {
        match self {
            Self::Matrix(rows, columns) | Self::Matrices(_, rows, columns) => Some((rows, columns)),
            Self::Scalar | Self::Vector(_) | Self::Rows(..) => None,
        }
    }

    /// The dimensions of an array for one state, or many.
    fn dimensions(self, states: Option<usize>) -> Vec<usize> {
        let own = match self {
            Self::Scalar => vec![],
            Self::Vector(n) => vec![n],
            Self::Matrix(rows, columns) | Self::Rows(rows, columns) => vec![rows, columns],
            Self::Matrices(n, rows, columns) => vec![n, rows, columns],
        };
        states.into_iter().chain(own).collect()
    }

    /// Whether an array for one state, or many, has these dimensions.
    fn fits(self, found: &[usize], states: Option<usize>) -> bool {
        let own = match (states, found) {
            (None, own) => own,
            (Some(n), [first, own @ ..]) if *first == n => own,
            _ => return false,
        };
        match (self, own) {
            (Self::Scalar, []) => true,
            (Self::Vector(n), &[found]) => found == n,
            (Self::Matrix(rows, columns) | Self::Rows(rows, columns), found) => {
                found == [rows, columns]
            }
            (Self::Matrices(n, rows, columns), found) => found == [n, rows, columns],
            _ => false,
        }
    }

    /// The same, as the numbers lie in memory: columns before rows.
    fn stored(self, states: Option<usize>) -> Vec<usize> {
        let mut dimensions = self.dimensions(states);
        if let (Some(_), [.., rows, columns]) = (self.matrix(), &mut dimensions[..]) {
            std::mem::swap(rows, columns);
        }
        dimensions
    }
}

/// Where a result goes: an array of the caller's, or a new one.
pub struct Output<'py, T: Element> {
    /// The array that the caller sees.
    array: Bound<'py, PyArrayDyn<T>>,
    shape: Shape,
    states: Option<usize>,
    /// Whether numbers lie in memory as we write them.
    direct: bool,
}

impl<'py, T: Element + Default + Copy> Output<'py, T> {
    /// A new array of the shape, or the caller's `out`, which must have it.
    pub fn new(
        py: Python<'py>,
        shape: Shape,
        states: Option<usize>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let Some(out) = out else {
            let stored = shape.stored(states);
            let array = PyArray::<T, IxDyn>::zeros(py, IxDyn(&stored), false);
            let array = if shape.matrix().is_some() {
                let n = stored.len();
                let mut axes: Vec<usize> = (0..n).collect();
                axes.swap(n - 2, n - 1);
                array.permute(Some(axes))?
            } else {
                array
            };
            let direct = true;
            return Ok(Self {
                array,
                shape,
                states,
                direct,
            });
        };
        let array = of_type::<T>(out).ok_or_else(|| error::out_type(out, &dtype::<T>(py)))?;
        if !shape.fits(array.shape(), states) {
            let expected = shape.dimensions(states);
            return Err(error::shape(
                "out",
                array.shape(),
                &format!("{:?}", error::Tuple(&expected)),
            ));
        }
        if !is_writeable(array.as_untyped()) {
            return Err(error::read_only());
        }
        refuse_mask("out", out)?;
        if repeats(array.as_untyped()) {
            return Err(error::repeated());
        }
        let direct = match shape {
            Shape::Scalar | Shape::Vector(_) | Shape::Rows(..) => is_plain(array),
            Shape::Matrix(..) => states.is_none() && array.is_fortran_contiguous(),
            Shape::Matrices(..) => false,
        } && (array.data() as usize).is_multiple_of(align_of::<T>());
        Ok(Self {
            array: array.clone(),
            shape,
            states,
            direct,
        })
    }

    /// The array.
    pub fn untyped(&self) -> &Bound<'py, PyUntypedArray> {
        self.array.as_untyped()
    }

    /// The addresses between which its elements lie.
    pub fn extent(&self) -> Range<usize> {
        if self.direct {
            let start = self.array.data() as usize;
            return start..start + self.array.len() * size_of::<T>();
        }
        extent(self.array.as_untyped())
    }

    /// The array's memory, if numbers lie there as [`fill`](Self::fill) takes them.
    #[expect(unsafe_code)]
    pub fn direct(&mut self) -> Option<&mut [T]> {
        self.direct.then(|| {
            // SAFETY: the elements are aligned and fill this memory without a gap (`direct`), the
            // array is writeable, and the caller has made sure that no input overlaps with it.
            unsafe { std::slice::from_raw_parts_mut(self.array.data(), self.array.len()) }
        })
    }

    /// Copies numbers into the array, whatever its strides.
    #[expect(unsafe_code)]
    pub fn fill(&mut self, numbers: &[T]) -> PyResult<()> {
        if numbers.is_empty() {
            // An array without elements may have any strides.
            return Ok(());
        }
        if let Some(direct) = self.direct() {
            direct.copy_from_slice(numbers);
            return Ok(());
        }
        if let (Some((rows, columns)), true) = (self.shape.matrix(), is_plain(&self.array)) {
            let (data, count) = (self.array.data(), self.array.len());
            // SAFETY: as in `direct`.
            let array = unsafe { std::slice::from_raw_parts_mut(data, count) };
            let matrices = array.chunks_exact_mut(rows * columns);
            for (to, from) in matrices.zip(numbers.chunks_exact(rows * columns)) {
                transpose(from, rows, to);
            }
            return Ok(());
        }
        let stored = self.shape.stored(self.states);
        let mut view = ArrayViewD::from_shape(IxDyn(&stored).into_shape_with_order(), numbers)
            .map_err(|reason| error::internal(&reason))?;
        let n = stored.len();
        if self.shape.matrix().is_some() {
            view.swap_axes(n - 2, n - 1);
        }
        if !(self.array.data() as usize).is_multiple_of(align_of::<T>()) {
            // No Rust reference may lead there; numpy copies byte by byte.
            let copy = view.to_pyarray(self.array.py());
            return self.array.set_item(PyEllipsis::get(self.array.py()), copy);
        }
        // SAFETY: writeable, and the only view: `numbers` are not the array's memory.
        unsafe { self.array.as_array_mut() }.assign(&view);
        Ok(())
    }

    /// The value that the caller gets: the array; for one number of one state, a float.
    pub fn finish(self) -> Answer<'py> {
        match (self.shape, self.states) {
            (Shape::Scalar, None) => self.array.call_method0("item"),
            _ => Ok(self.array.into_any()),
        }
    }
}

/// Writes a matrix that is stored column by column row by row. Without numpy's strides, which take
/// several times as long.
fn transpose<T: Copy>(from: &[T], rows: usize, to: &mut [T]) {
    for (row, to) in to.chunks_exact_mut(from.len() / rows).enumerate() {
        for (to, from) in to.iter_mut().zip(from[row..].iter().step_by(rows)) {
            *to = *from;
        }
    }
}

/// A new array of these numbers, for one state or many.
pub fn filled<'py>(
    py: Python<'py>,
    shape: Shape,
    states: Option<usize>,
    numbers: &[f64],
) -> Answer<'py> {
    let mut output = Output::new(py, shape, states, None)?;
    output.fill(numbers)?;
    output.finish()
}

/// An array of whatever type.
pub fn as_array<'py>(value: Value<'_, 'py>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let numpy = value.py().import("numpy")?;
    Ok(numpy.call_method1("asarray", (value,))?.cast_into()?)
}

/// An array of one row of numbers for each state, from one with as many axes as `axes` for a state;
/// `expected` tells of the shapes in a message.
pub fn flattened<'py>(
    name: &str,
    value: Value<'_, 'py>,
    axes: &[usize],
    expected: &str,
) -> Answer<'py> {
    let (py, array) = (value.py(), as_array(value)?);
    let shape = array.shape();
    let width: usize = axes.iter().product();
    match shape.strip_suffix(axes) {
        Some([]) => array.call_method1(intern!(py, "reshape"), (width,)),
        Some([states]) => array.call_method1(intern!(py, "reshape"), (*states, width)),
        _ => Err(error::shape(name, shape, expected)),
    }
}

/// Whether an array may be written to.
pub fn is_writeable(array: &Bound<'_, PyUntypedArray>) -> bool {
    #[expect(unsafe_code)]
    // SAFETY: reads a field of a live array.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & numpy::npyffi::NPY_ARRAY_WRITEABLE != 0
}

/// The numbers of an argument of one shape, row by row.
pub fn fixed<const N: usize>(
    name: &str,
    value: &Bound<'_, PyAny>,
    shape: &[usize],
) -> PyResult<[f64; N]> {
    let array = match value.cast::<PyArrayDyn<f64>>() {
        Ok(array) if !may_be_masked(value) => array.clone(),
        _ => convert::<f64>(name, value)?,
    };
    let found = array.shape();
    // A column or a row serves as a vector, too.
    let is_vector = shape.len() == 1 && (found == [N, 1] || found == [1, N]);
    if found != shape && !is_vector {
        let expected = format!("{:?}", error::Tuple(shape));
        return Err(error::shape(name, found, &expected));
    }
    let array = match is_plain(&array) {
        true => array,
        false => convert::<f64>(name, array.as_any())?,
    };
    #[expect(unsafe_code)]
    // SAFETY: contiguous, aligned, and of N elements.
    Ok(unsafe { array.data().cast::<[f64; N]>().read() })
}
