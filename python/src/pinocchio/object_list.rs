//! Lists of spatial objects that are made when somebody asks for them. What algorithms leave is
//! written to those that were made, and kept as numbers for the others.

use super::data::{DataBase, for_writing};
use crate::array::Answer;
use crate::spatial::{Motion, SE3};
use featherline::Error;
use featherline::spatial::{self, Se3};
use pyo3::PyClass;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

/// A Python object that holds one value.
pub trait ValueObject: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync {
    /// The value that it holds.
    type Value: Copy;
    fn holding(value: &Self::Value) -> Self;
    fn read(&self) -> Self::Value;
    fn write(&self, value: &Self::Value);
}

impl ValueObject for SE3 {
    type Value = Se3<f64>;

    fn holding(value: &Se3<f64>) -> Self {
        Self::from_value(value)
    }

    fn read(&self) -> Se3<f64> {
        self.value()
    }

    fn write(&self, value: &Se3<f64>) {
        self.set(value);
    }
}

impl ValueObject for Motion {
    type Value = spatial::Motion<f64>;

    fn holding(value: &Self::Value) -> Self {
        Self::from_value(*value)
    }

    fn read(&self) -> Self::Value {
        self.value()
    }

    fn write(&self, value: &Self::Value) {
        self.set(*value);
    }
}

/// The values of a list, and the objects of it that were asked for.
pub struct ObjectList<T: ValueObject> {
    values: Vec<T::Value>,
    objects: Vec<Option<Py<T>>>,
    /// Whether any object was made.
    pub any: bool,
}

impl<T: ValueObject> ObjectList<T>
where
    PyClassInitializer<T>: From<T>,
{
    pub fn new(count: usize, value: T::Value) -> Self {
        Self {
            values: vec![value; count],
            objects: (0..count).map(|_| None).collect(),
            any: false,
        }
    }

    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// A value; the object's, to which a caller may have written.
    pub fn get(&self, i: usize) -> Option<T::Value> {
        match self.objects.get(i)? {
            Some(object) => Some(object.get().read()),
            None => Some(self.values[i]),
        }
    }

    /// Whether an object was asked for.
    pub fn is_shown(&self, i: usize) -> bool {
        self.objects.get(i).is_some_and(Option::is_some)
    }

    /// All values.
    pub fn values(&mut self) -> &[T::Value] {
        if self.any {
            for (value, object) in self.values.iter_mut().zip(&self.objects) {
                if let Some(object) = object {
                    *value = object.get().read();
                }
            }
        }
        &self.values
    }

    /// Lets a function write all values.
    pub fn fill(
        &mut self,
        fill: impl FnOnce(&mut [T::Value]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        fill(&mut self.values)?;
        if self.any {
            for (value, object) in self.values.iter().zip(&self.objects) {
                if let Some(object) = object {
                    object.get().write(value);
                }
            }
        }
        Ok(())
    }

    /// The objects that were asked for.
    pub fn shown(&self) -> impl Iterator<Item = (usize, &Py<T>)> {
        let count = if self.any { self.len() } else { 0 };
        let objects = self.objects[..count].iter().enumerate();
        objects.filter_map(|(i, object)| Some((i, object.as_ref()?)))
    }

    /// An object, which is made of a value, or of the one that is kept.
    pub fn object(&mut self, py: Python<'_>, i: usize, value: Option<T::Value>) -> PyResult<Py<T>> {
        let Some(place) = self.objects.get_mut(i) else {
            return Err(PyIndexError::new_err("Index out of range"));
        };
        let object = match place {
            Some(object) => object,
            None => place.insert(Py::new(py, T::holding(&value.unwrap_or(self.values[i])))?),
        };
        self.any = true;
        Ok(object.clone_ref(py))
    }
}

/// Which list of data.
#[derive(Clone, Copy, PartialEq)]
pub enum ListName {
    Joints,
    Frames,
    Velocities,
    Accelerations,
}

/// The list `oMi`, `oMf`, `v` or `a` of data. Its objects stay: what algorithms leave, and what is
/// assigned, is written to them. Slices are copies.
#[pyclass(sequence, frozen, module = "featherline._native", name = "StdVec_View")]
pub struct View {
    data: Py<DataBase>,
    which: ListName,
}

impl View {
    fn of(data: Py<DataBase>, which: ListName) -> Self {
        Self { data, which }
    }

    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut data = for_writing(self.data.bind(py))?;
        let count = data.count(self.which);
        let all = (0..count).map(|i| data.copy_of(py, self.which, i));
        PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)
    }

    /// A list with Pinocchio's name.
    fn named<'py>(&self, list: Bound<'py, PyAny>) -> Answer<'py> {
        let py = list.py();
        let name = match self.which {
            ListName::Joints | ListName::Frames => intern!(py, "StdVec_SE3"),
            ListName::Velocities | ListName::Accelerations => intern!(py, "StdVec_Motion"),
        };
        let lists = py.import(intern!(py, "featherline.pinocchio.lists"))?;
        lists.getattr(name)?.call1((list,))
    }
}

#[pymethods]
impl View {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.data.bind(py).borrow().count(self.which)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> Answer<'py> {
        let py = index.py();
        if index.is_instance_of::<PySlice>() {
            return self.named(self.copies(py)?.as_any().get_item(index)?);
        }
        let index: isize = index
            .extract()
            .map_err(|_| PyTypeError::new_err("Invalid index type"))?;
        let mut data = for_writing(self.data.bind(py))?;
        let count = data.count(self.which).cast_signed();
        let i = if index < 0 { index + count } else { index };
        let i = usize::try_from(i).unwrap_or(usize::MAX);
        Ok(data.object(py, self.which, i)?.into_bound(py))
    }

    fn __setitem__(&self, index: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let place = self.__getitem__(index)?;
        if let (Ok(place), Ok(value)) = (place.cast::<SE3>(), value.cast::<SE3>()) {
            place.get().set(&value.get().value());
        } else if let (Ok(place), Ok(value)) = (place.cast::<Motion>(), value.cast::<Motion>()) {
            place.get().set(value.get().value());
        } else {
            return Err(PyTypeError::new_err("Invalid assignment"));
        }
        Ok(())
    }

    /// The objects in a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut data = for_writing(self.data.bind(py))?;
        (0..data.count(self.which))
            .map(|i| Ok(data.object(py, self.which, i)?.into_bound(py)))
            .collect()
    }

    /// A list of copies.
    fn copy<'py>(&self, py: Python<'py>) -> Answer<'py> {
        self.named(self.copies(py)?.into_any())
    }

    fn __copy__<'py>(&self, py: Python<'py>) -> Answer<'py> {
        self.copy(py)
    }

    fn __deepcopy__<'py>(&self, py: Python<'py>, _memo: &Bound<'py, PyAny>) -> Answer<'py> {
        self.copy(py)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        let copy = self.copy(py)?;
        Ok((copy.get_type().into_any(), (self.copies(py)?,)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.copies(py)?.repr()?.to_string())
    }
}

#[pymethods]
impl DataBase {
    /// The placements of joints in the world.
    #[getter(oMi)]
    fn joints(slf: Py<Self>) -> View {
        View::of(slf, ListName::Joints)
    }

    /// The placements of frames in the world.
    #[getter(oMf)]
    fn frames(slf: Py<Self>) -> View {
        View::of(slf, ListName::Frames)
    }

    /// The velocities of joints' frames, in them.
    #[getter(v)]
    fn velocities(slf: Py<Self>) -> View {
        View::of(slf, ListName::Velocities)
    }

    /// The spatial accelerations of joints' frames, in them.
    #[getter(a)]
    fn accelerations(slf: Py<Self>) -> View {
        View::of(slf, ListName::Accelerations)
    }
}
