//! What the Python class `Data` extends: memory, and what algorithms leave.

use crate::error;
use crate::model::Model;
use crate::spatial::{Force, Motion, SE3};
use featherline::Workspace;
use featherline::spatial::{self, Se3, Vec3};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

/// Results and memory of one model. Placements, motions and centres of mass are written in place;
/// vectors and matrices are new arrays.
#[pyclass(subclass, module = "featherline._native", name = "_DataBase")]
pub struct DataBase {
    workspace: Option<Box<Workspace<f64>>>,
    /// The configuration of the last algorithm, for those that are called without one.
    pub q: Option<Vec<f64>>,
    /// Placements, velocities and spatial accelerations of joints, placements of frames.
    pub joints: Vec<Py<SE3>>,
    pub velocities: Vec<Py<Motion>>,
    pub accelerations: Vec<Py<Motion>>,
    pub frames: Vec<Py<SE3>>,
    /// Positions, velocities and accelerations of the centres of mass of subtrees: rows of three.
    pub centers: [Py<PyArray2<f64>>; 3],
    pub masses: Vec<f64>,
    pub room: Room,
    /// Memory in dual numbers, and the states of which derivatives were asked: of dynamics (q, v),
    /// of motions (q, v, a).
    pub dual: Option<Box<super::derivatives::DualWorkspace>>,
    pub derived: Option<[Vec<f64>; 2]>,
    pub motion_derived: Option<[Vec<f64>; 3]>,
    #[pyo3(get, set)]
    pub dtau_dq: Option<Py<PyAny>>,
    #[pyo3(get, set)]
    pub dtau_dv: Option<Py<PyAny>>,
    #[pyo3(get, set)]
    pub ddq_dq: Option<Py<PyAny>>,
    #[pyo3(get, set)]
    pub ddq_dv: Option<Py<PyAny>>,
    /// The motion of the last inverse dynamics, until it is computed; then joints' velocities,
    /// accelerations less gravity, and transmitted forces.
    pub motion_of: Option<MotionOf>,
    pub last_velocities: Vec<spatial::Motion<f64>>,
    pub last_accelerations: Vec<spatial::Motion<f64>>,
    pub last_forces: Vec<spatial::Force<f64>>,
    #[pyo3(get, set)]
    pub hg: Py<Force>,
    #[pyo3(get, set)]
    pub dhg: Py<Force>,
    /// The model and configuration of which `Ig` and `oYcrb` are read.
    pub inertia_of: Option<(Py<Model>, Vec<f64>)>,
    /// Those of which `J` is read, if it has not been computed yet.
    pub jacobian_of: Option<(Py<Model>, Vec<f64>)>,
    #[pyo3(get, set)]
    pub kinetic_energy: f64,
    #[pyo3(get, set)]
    pub potential_energy: f64,
    #[pyo3(get, set)]
    pub mechanical_energy: f64,
    #[pyo3(get, set)]
    pub tau: Py<PyAny>,
    #[pyo3(get, set)]
    pub ddq: Py<PyAny>,
    #[pyo3(get, set)]
    pub nle: Py<PyAny>,
    #[pyo3(get, set)]
    pub g: Py<PyAny>,
    #[pyo3(get, set, name = "M")]
    pub mass_matrix: Py<PyAny>,
    #[pyo3(get, set, name = "Minv")]
    pub inverse: Py<PyAny>,
    #[pyo3(get, set, name = "C")]
    pub coriolis: Py<PyAny>,
    pub jacobian: Py<PyAny>,
    #[pyo3(get, set, name = "dJ")]
    pub jacobian_rate: Py<PyAny>,
    #[pyo3(get, set, name = "Ag")]
    pub map: Py<PyAny>,
    #[pyo3(get, set, name = "dAg")]
    pub map_rate: Py<PyAny>,
    #[pyo3(get, set, name = "jointTorqueRegressor")]
    pub joint_torque_regressor: Option<Py<PyAny>>,
    #[pyo3(get, set, name = "Jcom")]
    pub center_jacobian: Py<PyAny>,
}

/// The state of the last inverse dynamics.
pub struct MotionOf {
    pub model: Py<Model>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    pub forces: Vec<spatial::Force<f64>>,
}

/// Memory in the library's types, joints first.
pub struct Room {
    pub placements: Vec<Se3<f64>>,
    pub motions: Vec<spatial::Motion<f64>>,
    pub points: Vec<Vec3<f64>>,
    /// Frames by their joints, in them or in the world.
    pub frames: Vec<(usize, Se3<f64>)>,
    pub columns: Vec<spatial::Motion<f64>>,
}

fn many<T: pyo3::PyClass>(
    py: Python<'_>,
    count: usize,
    make: impl Fn() -> T,
) -> PyResult<Vec<Py<T>>>
where
    PyClassInitializer<T>: From<T>,
{
    (0..count).map(|_| Py::new(py, make())).collect()
}

#[pymethods]
impl DataBase {
    #[new]
    #[pyo3(signature = (model))]
    fn new(model: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = model.py();
        let count = |name: &str| model.getattr(name)?.extract::<usize>();
        let (n, frames, nv) = (count("njoints")?, count("nframes")?, count("nv")?);
        let placement = || SE3::from_value(&Se3::identity());
        let motion = || Motion::from_value(spatial::Motion::zero());
        let force = || Force::from_value(spatial::Force::zero());
        let centers = || PyArray2::zeros(py, [n, 3], false).unbind();
        let vector = || PyArray1::<f64>::zeros(py, nv, false).into_any().unbind();
        let matrix = |rows| {
            PyArray2::<f64>::zeros(py, [rows, nv], true)
                .into_any()
                .unbind()
        };
        Ok(Self {
            workspace: None,
            q: None,
            joints: many(py, n, placement)?,
            velocities: many(py, n, motion)?,
            accelerations: many(py, n, motion)?,
            frames: many(py, frames, placement)?,
            centers: [centers(), centers(), centers()],
            masses: vec![-1.0; n],
            room: Room {
                placements: vec![Se3::identity(); n],
                motions: vec![spatial::Motion::zero(); n],
                points: vec![Vec3::zero(); n],
                frames: Vec::new(),
                columns: vec![spatial::Motion::zero(); nv],
            },
            hg: Py::new(py, force())?,
            dhg: Py::new(py, force())?,
            dual: None,
            derived: None,
            motion_derived: None,
            dtau_dq: None,
            dtau_dv: None,
            ddq_dq: None,
            ddq_dv: None,
            motion_of: None,
            last_velocities: Vec::new(),
            last_accelerations: Vec::new(),
            last_forces: Vec::new(),
            inertia_of: None,
            jacobian_of: None,
            kinetic_energy: 0.0,
            potential_energy: 0.0,
            mechanical_energy: 0.0,
            tau: vector(),
            ddq: vector(),
            nle: vector(),
            g: vector(),
            mass_matrix: matrix(nv),
            inverse: matrix(nv),
            coriolis: matrix(nv),
            jacobian: matrix(6),
            jacobian_rate: matrix(6),
            map: matrix(6),
            map_rate: matrix(6),
            joint_torque_regressor: None,
            center_jacobian: matrix(3),
        })
    }

    /// The objects that algorithms write to: placements of joints and of frames, velocities,
    /// accelerations.
    #[expect(clippy::type_complexity)]
    fn _objects(
        &self,
        py: Python<'_>,
    ) -> (Vec<Py<SE3>>, Vec<Py<SE3>>, Vec<Py<Motion>>, Vec<Py<Motion>>) {
        let placements = |all: &[Py<SE3>]| all.iter().map(|m| m.clone_ref(py)).collect();
        let motions = |all: &[Py<Motion>]| all.iter().map(|m| m.clone_ref(py)).collect();
        (
            placements(&self.joints),
            placements(&self.frames),
            motions(&self.velocities),
            motions(&self.accelerations),
        )
    }

    /// Positions, velocities and accelerations of centres of mass, rows of three.
    fn _centers(&self, py: Python<'_>) -> [Py<PyArray2<f64>>; 3] {
        self.centers.each_ref().map(|rows| rows.clone_ref(py))
    }

    /// Lets `Ig` and `oYcrb` be read of the last configuration.
    fn _late_inertia(&mut self, native: &Bound<'_, Model>) {
        if let Some(q) = self.q.take() {
            self.late_inertia(native, &q);
            self.q = Some(q);
        }
    }

    /// The masses of subtrees.
    #[getter]
    fn _masses(&self) -> Vec<f64> {
        self.masses.clone()
    }

    #[setter(_masses)]
    fn write_masses(&mut self, masses: Vec<f64>) {
        self.masses = masses;
    }

    /// The configuration of the last algorithm.
    #[getter]
    fn _q(&self) -> Option<Vec<f64>> {
        self.q.clone()
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
        if self.joints.len() != joints || self.room.columns.len() != model.model.nv() {
            return Err(PyValueError::new_err(format!(
                "data of {} joints do not fit a model of {joints}: call model.createData()",
                self.joints.len()
            )));
        }
        let workspace = self
            .workspace
            .get_or_insert_with(|| Box::new(Workspace::new(&model.model)));
        let objects = Objects {
            joints: &self.joints,
            velocities: &self.velocities,
            accelerations: &self.accelerations,
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

    /// Lets `J` be read of a configuration, once somebody asks.
    pub fn late_jacobian(&mut self, native: &Bound<'_, Model>, q: &[f64]) {
        keep(&mut self.jacobian_of, native, q);
    }

    /// Lets `Ig` and `oYcrb` be read of a configuration.
    pub fn late_inertia(&mut self, native: &Bound<'_, Model>, q: &[f64]) {
        keep(&mut self.inertia_of, native, q);
    }

    /// A frame's placement in the world.
    pub fn frame(&self, frame: usize) -> PyResult<&Py<SE3>> {
        self.frames.get(frame).ok_or_else(|| {
            PyIndexError::new_err(format!(
                "frame {frame} was added after these data were made: call model.createData()"
            ))
        })
    }

    /// A joint's placement in the world.
    pub fn joint(&self, joint: usize) -> PyResult<Se3<f64>> {
        let placement = self
            .joints
            .get(joint)
            .ok_or_else(|| no_joint(joint, self.joints.len()))?;
        Ok(placement.get().value())
    }
}

fn keep(place: &mut Option<(Py<Model>, Vec<f64>)>, native: &Bound<'_, Model>, q: &[f64]) {
    match place {
        Some((model, known)) if known.len() == q.len() => {
            if !model.is(native) {
                *model = native.clone().unbind();
            }
            known.copy_from_slice(q);
        }
        place => *place = Some((native.clone().unbind(), q.to_vec())),
    }
}

/// There is no joint of that index.
pub fn no_joint(joint: usize, count: usize) -> PyErr {
    PyIndexError::new_err(format!("joint {joint} of {count}"))
}

/// What algorithms write to, apart from their memory.
pub struct Objects<'a> {
    pub joints: &'a [Py<SE3>],
    pub velocities: &'a [Py<Motion>],
    pub accelerations: &'a [Py<Motion>],
    pub centers: &'a [Py<PyArray2<f64>>; 3],
    pub masses: &'a mut Vec<f64>,
    pub room: &'a mut Room,
}

impl Objects<'_> {
    /// Writes all joints' placements.
    pub fn place(&mut self, view: &featherline::kinematics::Positions<'_, f64>) -> PyResult<()> {
        let placements = &mut self.room.placements;
        view.joint_placements_into(placements)
            .map_err(error::algorithm)?;
        for (object, placement) in self.joints.iter().zip(placements) {
            object.get().set(placement);
        }
        Ok(())
    }

    /// Writes all joints' velocities.
    pub fn move_(&mut self, view: &featherline::kinematics::Velocities<'_, f64>) -> PyResult<()> {
        view.joint_velocities_into(&mut self.room.motions)
            .map_err(error::algorithm)?;
        for (object, motion) in self.velocities.iter().zip(&self.room.motions) {
            object.get().set(*motion);
        }
        Ok(())
    }

    /// Writes all joints' spatial accelerations.
    pub fn accelerate(
        &mut self,
        view: &featherline::kinematics::Accelerations<'_, f64>,
    ) -> PyResult<()> {
        view.joint_accelerations_into(&mut self.room.motions)
            .map_err(error::algorithm)?;
        for (object, motion) in self.accelerations.iter().zip(&self.room.motions) {
            object.get().set(*motion);
        }
        Ok(())
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
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    // SAFETY: the array is new and contiguous; its numbers are set before anybody sees it.
    unsafe {
        let array = PyArray1::<f64>::new(py, [size], false);
        array.data().write_bytes(0, size);
        fill(std::slice::from_raw_parts_mut(array.data(), size)).map_err(error::algorithm)?;
        Ok(array)
    }
}
