//! The base of the Python class `Data`: memory, and the results of algorithms.

use super::fields::{Field, Fields};
use super::kernels;
use super::late::{LastMotion, State};
use super::model::ModelBase;
use super::object_list::{ListName, ObjectList};
use crate::model::Model;
use crate::properties::properties;
use crate::spatial::{Force, Motion, SE3};
use crate::states::Outcome;
use featherline::Workspace;
use featherline::spatial::{self, Se3, Vec3};
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// Data for a call to write to.
///
/// # Errors
/// While another thread's call writes to it.
pub fn for_writing<'py>(data: &Bound<'py, DataBase>) -> PyResult<PyRefMut<'py, DataBase>> {
    data.try_borrow_mut().map_err(|_| {
        let what =
            "another thread works with these data: give each thread its own, by createData()";
        PyRuntimeError::new_err(what)
    })
}

/// Results and memory of one model. Placements, motions and centres of mass are written in place;
/// vectors and matrices are new arrays.
#[pyclass(subclass, module = "featherline._native", name = "_DataBase")]
pub struct DataBase {
    workspace: Option<Box<Workspace<f64>>>,
    pub nv: usize,
    /// The configuration of the last algorithm, for those that are called without one.
    pub q: Option<Vec<f64>>,
    /// Placements, velocities and spatial accelerations of joints, placements of frames.
    pub joints: ObjectList<SE3>,
    pub velocities: ObjectList<Motion>,
    pub accelerations: ObjectList<Motion>,
    pub frames: ObjectList<SE3>,
    /// The model and its joints' placements, of which frames are placed that somebody asks for.
    pub frames_of: Option<(Py<ModelBase>, Vec<Se3<f64>>)>,
    /// Positions, velocities and accelerations of the centres of mass of subtrees: rows of three.
    pub centers: [Py<PyArray2<f64>>; 3],
    pub masses: Vec<f64>,
    pub room: Room,
    /// Fields that algorithms leave beside lists, and those that are computed when they are read.
    pub fields: Fields,
    pub last: LastMotion,
    #[pyo3(get, set)]
    pub hg: Py<Force>,
    #[pyo3(get, set)]
    pub dhg: Py<Force>,
    #[pyo3(get, set, name = "staticRegressor")]
    pub static_regressor: Option<Py<PyAny>>,
}

/// Memory in the library's types.
pub struct Room {
    pub points: Vec<Vec3<f64>>,
}

properties! { DataBase:
    /// The masses of subtrees.
    _masses: Vec<f64> = |self| self.masses.clone();
    /// The configuration of the last algorithm.
    _q: Option<Vec<f64>> = |self| self.q.clone();
}

#[pymethods]
impl DataBase {
    #[new]
    #[pyo3(signature = (model))]
    fn new(model: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = model.py();
        let count = |name: &str| {
            let count = model.getattr(name).and_then(|n| n.extract::<usize>());
            count.map_err(|_| PyTypeError::new_err("Data is made of a Model"))
        };
        let (n, frames, nv) = (count("njoints")?, count("nframes")?, count("nv")?);
        let still = spatial::Motion::zero();
        let force = || Force::from_value(spatial::Force::zero());
        let centers = || PyArray2::zeros(py, [n, 3], false).unbind();
        Ok(Self {
            workspace: None,
            nv,
            q: None,
            joints: ObjectList::new(n, Se3::identity()),
            velocities: ObjectList::new(n, still),
            accelerations: ObjectList::new(n, still),
            frames: ObjectList::new(frames, Se3::identity()),
            frames_of: None,
            centers: [centers(), centers(), centers()],
            masses: vec![-1.0; n],
            room: Room {
                points: vec![Vec3::zero(); n],
            },
            hg: Py::new(py, force())?,
            dhg: Py::new(py, force())?,
            fields: Fields::default(),
            last: LastMotion::default(),
            static_regressor: None,
        })
    }

    /// Positions, velocities and accelerations of centres of mass, rows of three.
    fn _centers(&self, py: Python<'_>) -> [Py<PyArray2<f64>>; 3] {
        self.centers.each_ref().map(|rows| rows.clone_ref(py))
    }

    #[setter(_masses)]
    fn write_masses(&mut self, masses: Vec<f64>) {
        self.masses = masses;
    }

    /// Lets `Ig` and `oYcrb` be read of the last configuration.
    fn _late_inertia(&mut self, native: &Bound<'_, Model>) {
        if let Some(q) = &self.q {
            let state = Arc::new(State::new(native, q, &[], &[]));
            self.fields.leave(&[Field::Inertia], &state);
        }
    }

    #[setter(_q)]
    fn write_q(&mut self, q: Option<Vec<f64>>) {
        self.q = q;
    }
}

impl DataBase {
    /// The memory of algorithms, and what they write to.
    pub fn parts(&mut self, model: &Model) -> PyResult<(&mut Workspace<f64>, Objects<'_>)> {
        let joints = model.model.joints().len();
        if self.joints.len() != joints || self.nv != model.model.nv() {
            return Err(PyValueError::new_err(format!(
                "data of {} joints do not fit a model of {joints}: call model.createData()",
                self.joints.len()
            )));
        }
        let workspace = self
            .workspace
            .get_or_insert_with(|| Box::new(Workspace::new(&model.model)));
        let objects = Objects {
            joints: &mut self.joints,
            velocities: &mut self.velocities,
            accelerations: &mut self.accelerations,
            fields: &mut self.fields,
            centers: &self.centers,
            masses: &mut self.masses,
            room: &mut self.room,
        };
        Ok((workspace, objects))
    }

    /// Remembers a configuration for algorithms that are called without one.
    pub fn remember(&mut self, q: &[f64]) {
        match &mut self.q {
            Some(known) if known.len() == q.len() => known.copy_from_slice(q),
            known => *known = Some(q.to_vec()),
        }
    }

    /// A joint's placement in the world.
    pub fn joint(&mut self, py: Python<'_>, joint: usize) -> PyResult<Se3<f64>> {
        self.settle(py, Field::Placements)?;
        let placement = self.joints.get(joint);
        placement.ok_or_else(|| no_joint(joint, self.joints.len()))
    }

    /// How many there are in a list.
    pub fn count(&self, which: ListName) -> usize {
        match which {
            ListName::Frames => self.frames.len(),
            ListName::Joints | ListName::Velocities | ListName::Accelerations => self.joints.len(),
        }
    }

    /// Places frames from now on as joints are now placed.
    pub fn place_frames(&mut self, model: &Bound<'_, ModelBase>) -> PyResult<()> {
        let count = ModelBase::frames(model)?.len();
        if count > self.frames.len() {
            return Err(PyValueError::new_err(format!(
                "frame {} was added after these data were made: call model.createData()",
                count - 1
            )));
        }
        self.settle(model.py(), Field::Placements)?;
        let joints = self.joints.values();
        match &mut self.frames_of {
            Some((of, placements)) if of.is(model) => placements.copy_from_slice(joints),
            place => *place = Some((model.clone().unbind(), joints.to_vec())),
        }
        for (i, object) in self.frames.shown() {
            object.get().set(&self.placed_frame(model.py(), i)?);
        }
        Ok(())
    }

    fn placed_frame(&self, py: Python<'_>, frame: usize) -> PyResult<Se3<f64>> {
        let Some((model, joints)) = &self.frames_of else {
            return Ok(Se3::identity());
        };
        let (joint, placement) = ModelBase::frame(model.bind(py), frame)?;
        let of = joints
            .get(joint)
            .ok_or_else(|| no_joint(joint, joints.len()))?;
        Ok(kernels::compose(of, &placement))
    }

    /// An object of a list.
    pub fn object(&mut self, py: Python<'_>, which: ListName, i: usize) -> PyResult<Py<PyAny>> {
        Ok(match which {
            ListName::Joints => {
                self.settle(py, Field::Placements)?;
                self.joints.object(py, i, None)?.into_any()
            }
            ListName::Frames => {
                let of = match self.frames.get(i) {
                    Some(_) if !self.frames.is_shown(i) => Some(self.placed_frame(py, i)?),
                    _ => None,
                };
                self.frames.object(py, i, of)?.into_any()
            }
            ListName::Velocities => {
                self.settle(py, Field::Velocities)?;
                self.velocities.object(py, i, None)?.into_any()
            }
            ListName::Accelerations => {
                self.settle(py, Field::Accelerations)?;
                self.accelerations.object(py, i, None)?.into_any()
            }
        })
    }

    /// A copy of an object of a list.
    pub fn copy_of(&mut self, py: Python<'_>, which: ListName, i: usize) -> PyResult<Py<PyAny>> {
        for list in [Field::Placements, Field::Velocities, Field::Accelerations] {
            self.settle(py, list)?;
        }
        let identity = Se3::identity();
        let still = spatial::Motion::zero();
        let placement = match which {
            ListName::Joints => self.joints.get(i).unwrap_or(identity),
            ListName::Frames if self.frames.is_shown(i) => self.frames.get(i).unwrap_or(identity),
            ListName::Frames => self.placed_frame(py, i)?,
            ListName::Velocities | ListName::Accelerations => {
                let list = match which {
                    ListName::Velocities => &self.velocities,
                    ListName::Joints | ListName::Frames | ListName::Accelerations => {
                        &self.accelerations
                    }
                };
                let motion = Motion::from_value(list.get(i).unwrap_or(still));
                return Ok(Py::new(py, motion)?.into_any());
            }
        };
        Ok(Py::new(py, SE3::from_value(&placement))?.into_any())
    }
}

/// There is no joint of that index.
pub fn no_joint(joint: usize, count: usize) -> PyErr {
    PyValueError::new_err(format!(
        "joint {joint}, where joints are 0 to {}",
        count.saturating_sub(1)
    ))
}

/// The objects that algorithms write to, apart from their memory.
pub struct Objects<'a> {
    pub joints: &'a mut ObjectList<SE3>,
    pub velocities: &'a mut ObjectList<Motion>,
    pub accelerations: &'a mut ObjectList<Motion>,
    pub fields: &'a mut Fields,
    pub centers: &'a [Py<PyArray2<f64>>; 3],
    pub masses: &'a mut Vec<f64>,
    pub room: &'a mut Room,
}

impl Objects<'_> {
    /// Writes all joints' placements.
    pub fn place(&mut self, view: &featherline::kinematics::Positions<'_, f64>) -> Outcome<()> {
        self.fields.done(Field::Placements);
        self.fields.done(Field::Relative);
        Ok(self.joints.fill(|out| view.joint_placements_into(out))?)
    }

    /// Writes all joints' velocities.
    pub fn move_(&mut self, view: &featherline::kinematics::Velocities<'_, f64>) -> Outcome<()> {
        self.fields.done(Field::Velocities);
        let to = &mut self.velocities;
        Ok(to.fill(|out| view.joint_velocities_into(out))?)
    }

    /// Writes all joints' spatial accelerations.
    pub fn accelerate(
        &mut self,
        view: &featherline::kinematics::Accelerations<'_, f64>,
    ) -> Outcome<()> {
        self.fields.done(Field::Accelerations);
        let to = &mut self.accelerations;
        Ok(to.fill(|out| view.joint_accelerations_into(out))?)
    }
}

/// A new matrix, column by column.
#[expect(unsafe_code)]
pub fn matrix<'py>(py: Python<'py>, rows: usize, numbers: &[f64]) -> Bound<'py, PyArray2<f64>> {
    let columns = numbers.len() / rows.max(1);
    // SAFETY: all `rows * columns` elements are written before anybody sees the array, which is new
    // and contiguous, column by column.
    unsafe {
        let array = PyArray2::<f64>::new(py, [rows, columns], true);
        std::ptr::copy_nonoverlapping(numbers.as_ptr(), array.data(), rows * columns);
        array
    }
}

/// A matrix of the library as a new array.
pub fn array<'py>(py: Python<'py>, m: &DMatrix<f64>) -> Bound<'py, PyArray2<f64>> {
    matrix(py, m.nrows(), m.as_slice())
}

/// A new matrix of six rows, which a function fills column by column; zero elsewhere.
#[expect(unsafe_code)]
pub fn filled<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    fill: impl FnOnce(&mut [f64]),
) -> Bound<'py, PyArray2<f64>> {
    // SAFETY: as in `matrix`; the slice lives in this call alone.
    unsafe {
        let array = PyArray2::<f64>::new(py, [rows, columns], true);
        array.data().write_bytes(0, rows * columns);
        fill(std::slice::from_raw_parts_mut(array.data(), rows * columns));
        array
    }
}

/// The numbers of one's own rows of three.
#[expect(unsafe_code)]
pub fn write_rows(
    array: &Bound<'_, PyArray2<f64>>,
    from: &[Vec3<f64>],
    chosen: impl Fn(usize) -> bool,
) {
    assert!(array.len() == 3 * from.len());
    for (i, point) in from.iter().enumerate().filter(|(i, _)| chosen(*i)) {
        for (k, x) in point.to_array().into_iter().enumerate() {
            // SAFETY: within the array, which is contiguous, row by row, and was made by `Data`;
            // the interpreter's lock is held.
            unsafe { array.data().add(3 * i + k).write(x) };
        }
    }
}

/// A new vector, which a function fills.
#[expect(unsafe_code)]
pub fn vector<'py>(
    py: Python<'py>,
    size: usize,
    fill: impl FnOnce(&mut [f64]) -> Result<(), featherline::Error>,
) -> Outcome<Bound<'py, PyArray1<f64>>> {
    // SAFETY: the array is new and contiguous; its numbers are set before anybody sees it.
    unsafe {
        let array = PyArray1::<f64>::new(py, [size], false);
        array.data().write_bytes(0, size);
        fill(std::slice::from_raw_parts_mut(array.data(), size))?;
        Ok(array)
    }
}
