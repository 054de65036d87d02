//! Recordings: the samples of a simulation as arrays, and in files.

use super::contact_setup::{ContactPoint, ShapeNames, structured};
use crate::array::Answer;
use crate::error;
use crate::model::Model;
use crate::properties::properties;
use crate::states::named;
use featherline::model::JointId;
use featherline_record::{Column, RecordedContacts, columns, columns_with_contacts};
use featherline_sim::contact::StepReport;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The rows of a simulation since its start, which all of its recordings share.
#[derive(Clone)]
pub struct Log {
    pub(super) columns: Arc<[Column]>,
    /// The pairs of bodies that can touch, of time stepping: then rows have what is of contact.
    pub(super) pairs: Option<Arc<[[JointId; 2]]>>,
    numbers: Arc<RwLock<Vec<f64>>>,
    steps: Arc<RwLock<Steps>>,
    pub(super) names: Arc<ShapeNames>,
}

/// The data of time stepping on the steps before each row; nothing of other methods.
#[derive(Default)]
pub struct Steps {
    pub residuals: Vec<f64>,
    pub penetrations: Vec<f64>,
    /// The contacts of the last of the steps, row by row.
    pub touches: Vec<ContactPoint>,
    /// How many there are up to the end of each row.
    pub ends: Vec<usize>,
}

impl Steps {
    /// Adds a row.
    pub fn push(
        &mut self,
        report: Option<StepReport>,
        touches: impl IntoIterator<Item = ContactPoint>,
    ) {
        let nothing = (f64::NAN, f64::NAN);
        let (residual, penetration) =
            report.map_or(nothing, |it| (it.outcome.residual, it.penetration.max(0.0)));
        self.residuals.push(residual);
        self.penetrations.push(penetration);
        self.touches.extend(touches);
        self.ends.push(self.touches.len());
    }

    /// Adds the rows of another one.
    pub fn append(&mut self, others: Self) {
        let before = self.touches.len();
        self.residuals.extend(others.residuals);
        self.penetrations.extend(others.penetrations);
        self.touches.extend(others.touches);
        self.ends.extend(others.ends.iter().map(|end| before + end));
    }

    /// The contacts of a row.
    pub fn of_row(&self, row: usize) -> &[ContactPoint] {
        let Some(&end) = self.ends.get(row) else {
            return &[];
        };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.touches[start..end]
    }
}

impl Log {
    /// No rows yet.
    pub fn new(
        model: &featherline::Model,
        names: Arc<ShapeNames>,
        pairs: Option<Vec<[JointId; 2]>>,
    ) -> Self {
        let columns = match &pairs {
            Some(pairs) => columns_with_contacts(model, pairs),
            None => columns(model),
        };
        Self {
            columns: columns.into(),
            pairs: pairs.map(Arc::from),
            numbers: Arc::default(),
            steps: Arc::default(),
            names,
        }
    }

    /// The data of time stepping.
    pub fn steps(&self) -> RwLockWriteGuard<'_, Steps> {
        self.steps.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.read().len() / self.width()
    }

    /// Whether the last row is of the time `t`.
    pub fn ends_at(&self, t: f64) -> bool {
        let numbers = self.read();
        let last = numbers.len().checked_sub(self.width());
        last.is_some_and(|last| numbers[last] == t)
    }

    /// The numbers, row by row.
    pub fn read(&self) -> RwLockReadGuard<'_, Vec<f64>> {
        self.numbers.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same, to add rows.
    pub fn write(&self) -> RwLockWriteGuard<'_, Vec<f64>> {
        self.numbers.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names of shapes and links, bodies of shapes, pairs of bodies, residuals, penetrations, ends,
/// pairs of shapes, numbers of contacts.
type Pickled = (
    Vec<String>,
    Vec<String>,
    Vec<usize>,
    Vec<[usize; 2]>,
    Vec<f64>,
    Vec<f64>,
    Vec<usize>,
    Vec<[usize; 2]>,
    Vec<[f64; 14]>,
);

fn unpickled(
    model: &featherline::Model,
    (shapes, links, bodies, body_pairs, residuals, penetrations, ends, pairs, numbers): Pickled,
) -> (ShapeNames, Vec<[JointId; 2]>, Steps) {
    let ids: Vec<JointId> = [JointId::UNIVERSE]
        .into_iter()
        .chain(model.joint_ids())
        .collect();
    let id = |k: usize| ids.get(k).copied().unwrap_or(JointId::UNIVERSE);
    let bodies = bodies.into_iter().map(id).collect();
    let body_pairs = body_pairs.into_iter().map(|pair| pair.map(id));
    let touches = pairs.into_iter().zip(&numbers);
    let touches = touches.map(|(pair, numbers)| ContactPoint::of_numbers(pair, numbers));
    let steps = Steps {
        residuals,
        penetrations,
        touches: touches.collect(),
        ends,
    };
    let names = ShapeNames {
        shapes,
        links,
        bodies,
    };
    (names, body_pairs.collect(), steps)
}

/// The samples of a simulation: times, states, joint forces, energies and momenta.
///
/// Made by `Simulation.run` and `Simulation.record`. `recording["elbow"]` is the history of a
/// joint, `recording["q.elbow"]` that of a column, `recording[10:20]` a part. It is pickled with
/// its model.
///
/// >>> pendulum = fl.load("double_pendulum")
/// >>> recording = fl.Simulation(pendulum, [1.0, 0.5]).run(0.5, every=0.1)
/// >>> recording.t
/// array([0. , 0.1, 0.2, 0.3, 0.4, 0.5])
/// >>> recording.q.shape, recording["elbow"].v.shape, len(recording[3:])
/// ((6, 2), (6,), 3)
/// >>> bool((recording["q.elbow"] == recording.q[:, 1]).all())
/// True
#[pyclass(frozen, module = "featherline", name = "Recording", weakref)]
pub struct Recording {
    pub(super) model: Py<Model>,
    pub(super) log: Log,
    pub(super) rows: Range<usize>,
}

type Series<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = PyResult<Bound<'py, PyArray2<f64>>>;

impl Recording {
    /// Some rows of a log.
    pub fn new(model: Py<Model>, log: Log, rows: Range<usize>) -> Self {
        Self { model, log, rows }
    }

    /// The robot that moved.
    pub fn robot(&self) -> &Model {
        self.model.get()
    }

    /// t, q, v and tau of all rows, one row after another.
    pub fn motion(&self) -> [Vec<f64>; 4] {
        let [q, v, tau, end] = self.starts();
        [0..q, q..v, v..tau, tau..end].map(|columns| self.part(columns))
    }

    /// The contacts of all rows, of time stepping: as those that files have.
    pub fn contacts_of_rows(&self) -> Option<RecordedContacts> {
        self.log.pairs.as_ref()?;
        let steps = self.log.steps();
        let mut all = RecordedContacts::default();
        for row in self.rows.clone() {
            let before = all.points.len();
            for touch in steps.of_row(row) {
                let Some(it) = touch.in_a_second(&self.log.names.bodies) else {
                    continue;
                };
                let is_known = !touch.normal.x.is_nan();
                let normal = it.contact.normal.to_array();
                all.points.push(it.contact.point.to_array());
                all.normals.push(if is_known { normal } else { [0.0; 3] });
                all.forces.push(it.impulse.to_array());
            }
            all.counts.push(all.points.len() - before);
        }
        Some(all)
    }

    fn nq(&self) -> usize {
        self.model.get().model.nq()
    }

    fn nv(&self) -> usize {
        self.model.get().model.nv()
    }

    /// Some columns of all rows.
    fn part(&self, columns: Range<usize>) -> Vec<f64> {
        let (numbers, width) = (self.log.read(), self.log.width());
        let rows = numbers[self.rows.start * width..self.rows.end * width].chunks_exact(width);
        rows.flat_map(|row| row[columns.clone()].iter().copied())
            .collect()
    }

    fn column<'py>(&self, py: Python<'py>, k: usize) -> Series<'py> {
        PyArray1::from_vec(py, self.part(k..k + 1))
    }

    fn named<'py>(&self, py: Python<'py>, name: &str) -> Option<Series<'py>> {
        let k = self.log.columns.iter().position(|c| c.name == name)?;
        Some(self.column(py, k))
    }

    fn matrix<'py>(&self, py: Python<'py>, columns: Range<usize>) -> Matrix<'py> {
        let shape = [self.rows.len(), columns.len()];
        PyArray1::from_vec(py, self.part(columns)).reshape(shape)
    }

    /// A matrix, or its one column.
    fn squeezed<'py>(&self, py: Python<'py>, columns: Range<usize>) -> Answer<'py> {
        match columns.len() {
            1 => Ok(self.column(py, columns.start).into_any()),
            _ => Ok(self.matrix(py, columns)?.into_any()),
        }
    }

    /// Where q, v, tau and what comes after them begin.
    fn starts(&self) -> [usize; 4] {
        let (nq, nv) = (self.nq(), self.nv());
        [1, 1 + nq, 1 + nq + nv, 1 + nq + 2 * nv]
    }

    /// Columns by their places behind tau.
    fn after_tau(&self, columns: Range<usize>) -> Range<usize> {
        let rest = self.starts()[3];
        rest + columns.start..rest + columns.end
    }
}

properties! { Recording:
    /// The robot.
    model: Py<Model> = |self, py: 'py| self.model.clone_ref(py);
    /// The times (n,) in s.
    t: Series<'py> = |self, py: 'py| self.column(py, 0);
    /// Kinetic energies (n,) in J.
    kinetic_energy: Series<'py> = |self, py: 'py| self.column(py, self.starts()[3]);
    /// Potential energies (n,) in J, in the model's gravity; springs are not counted.
    potential_energy: Series<'py> = |self, py: 'py| self.column(py, self.starts()[3] + 1);
    /// Kinetic plus potential energies (n,) in J.
    energy: Series<'py> = |self, py: 'py| self.column(py, self.starts()[3] + 2);
    /// How far the loops are from closed (n,), in m and rad; zero without loops.
    loop_gap: Series<'py> = |self, py: 'py| self.column(py, self.starts()[3] + 9);
    /// The names of the columns, such as "q.elbow", in the order of files. Those of mimic joints
    /// come after the loop gap, and of method "time-stepping" those of contact are the last.
    columns: Vec<&str> = |self| self.log.columns.iter().map(|c| c.name.as_str()).collect();
    /// The largest residual (n,) of the laws of contact in the steps since the sample before, in
    /// m/s and rad/s, of method "time-stepping"; nan before the first step, and of other methods.
    residual: Series<'py> = |self, py: 'py| self.of_steps(py, |steps| &steps.residuals);
    /// The largest overlap (n,) of two shapes in the steps since the sample before, in m; nan as in
    /// `residual`.
    penetration: Series<'py> = |self, py: 'py| self.of_steps(py, |steps| &steps.penetrations);
    /// The work (n,) in J that drives did since the state was set, of method "time-stepping"; nan
    /// of others. The energy is that at the start, plus `drive_work` and `force_work`, less
    /// `friction_loss`, `impact_loss` and `other_loss`.
    drive_work: Series<'py> = |self, py: 'py| self.of_account(py, "drive_work");
    /// The work (n,) in J of the controller and of forces from outside, as `drive_work`.
    force_work: Series<'py> = |self, py: 'py| self.of_account(py, "force_work");
    /// The energy (n,) in J that friction at contacts took, as `drive_work`.
    friction_loss: Series<'py> = |self, py: 'py| self.of_account(py, "friction_loss");
    /// The energy (n,) in J that impacts took, as `drive_work`.
    impact_loss: Series<'py> = |self, py: 'py| self.of_account(py, "impact_loss");
    /// The energy (n,) in J that went elsewhere, as `drive_work`: friction, dampers, springs and
    /// limits of joints, and the error of the method.
    other_loss: Series<'py> = |self, py: 'py| self.of_account(py, "other_loss");
    /// The energy (n,) in J that steps made from nothing, as `drive_work`: the largest rise of the
    /// energy, all work taken off. More than 0.5 % of the greatest kinetic energy and of all work
    /// is a warning.
    energy_gain: Series<'py> = |self, py: 'py| self.of_account(py, "energy_gain");
    /// The configurations (n, nq).
    q: Matrix<'py> = |self, py: 'py| self.matrix(py, self.starts()[0]..self.starts()[1]);
    /// The velocities (n, nv).
    v: Matrix<'py> = |self, py: 'py| self.matrix(py, self.starts()[1]..self.starts()[2]);
    /// The joint forces (n, nv) of controller and drives together: of the controller those that act
    /// from each time on, of drives those of the step that led there.
    tau: Matrix<'py> = |self, py: 'py| self.matrix(py, self.starts()[2]..self.starts()[3]);
    /// Linear momenta (n, 3) in N·s.
    linear_momentum: Matrix<'py> = |self, py: 'py| self.matrix(py, self.after_tau(3..6));
    /// Angular momenta (n, 3) about the centre of mass in N·m·s.
    angular_momentum: Matrix<'py> = |self, py: 'py| self.matrix(py, self.after_tau(6..9));
}

impl Recording {
    /// The data of time stepping for these rows; nothing of other methods.
    fn pickled(&self) -> Option<Pickled> {
        let steps = self.log.steps();
        let pairs = self.log.pairs.as_ref()?;
        let rows = self.rows.clone();
        let own = rows.clone().map(|row| steps.of_row(row));
        let mut ends = Vec::with_capacity(rows.len());
        let mut touches = Vec::new();
        for row in own {
            touches.extend_from_slice(row);
            ends.push(touches.len());
        }
        let names = &self.log.names;
        Some((
            names.shapes.clone(),
            names.links.clone(),
            names.bodies.iter().map(|it| it.index()).collect(),
            pairs.iter().map(|pair| pair.map(|it| it.index())).collect(),
            steps.residuals[rows.clone()].to_vec(),
            steps.penetrations[rows].to_vec(),
            ends,
            touches.iter().map(|it| it.shapes).collect(),
            touches.iter().map(ContactPoint::numbers).collect(),
        ))
    }

    /// A column of the energy's account.
    fn of_account<'py>(&self, py: Python<'py>, name: &str) -> Series<'py> {
        let nothing = || PyArray1::from_vec(py, vec![f64::NAN; self.rows.len()]);
        self.named(py, name).unwrap_or_else(nothing)
    }

    /// One number of the steps before each row.
    fn of_steps<'py>(&self, py: Python<'py>, of: impl Fn(&Steps) -> &[f64]) -> Series<'py> {
        let steps = self.log.steps();
        let all = of(&steps);
        let own = self.rows.clone().map(|row| all.get(row).copied());
        PyArray1::from_iter(py, own.map(|it| it.unwrap_or(f64::NAN)))
    }
}

#[pymethods]
impl Recording {
    /// The contacts of all samples, each those of the step that led to it: a structured array as
    /// `Simulation.contacts`, of which `t` is the time of the sample.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> Answer<'py> {
        let (mut times, mut touches) = (Vec::new(), Vec::new());
        {
            let (steps, numbers) = (self.log.steps(), self.log.read());
            for row in self.rows.clone() {
                let own = steps.of_row(row);
                let t = numbers[row * self.log.width()];
                times.extend(std::iter::repeat_n(t, own.len()));
                touches.extend_from_slice(own);
            }
        }
        structured(py, &self.log.names, times, &touches)
    }

    /// The units of the columns by name.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in &*self.log.columns {
            units.set_item(&column.name, &column.unit)?;
        }
        Ok(units)
    }

    /// All columns by name, as `pandas.DataFrame` takes them.
    ///
    /// >>> recording = fl.Simulation(fl.load("double_pendulum")).run(0.1)
    /// >>> list(recording.to_dict())[:3]
    /// ['t', 'q.shoulder', 'q.elbow']
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (k, column) in self.log.columns.iter().enumerate() {
            all.set_item(&column.name, self.column(py, k))?;
        }
        Ok(all)
    }

    /// Draws q, v, tau, the energy and the forces of contacts over time, or what is named, with
    /// matplotlib; a matplotlib figure. Names are "q", "v", "tau", "energy", "contacts", and those
    /// of columns and joints.
    #[pyo3(signature = (*names))]
    fn plot<'py>(slf: &Bound<'py, Self>, names: &Bound<'py, PyTuple>) -> Answer<'py> {
        let pictures = slf.py().import("featherline.pictures")?;
        pictures.getattr("plot_recording")?.call1((slf, names))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let pictures = slf.py().import("featherline.pictures")?;
        let html = pictures.getattr("recording_html")?.call1((slf,))?;
        html.extract()
    }

    #[staticmethod]
    #[pyo3(signature = (model, numbers, steps=None))]
    fn _from_numbers(
        model: Py<Model>,
        numbers: Vec<f64>,
        steps: Option<Pickled>,
    ) -> PyResult<Self> {
        let core = &model.get().model;
        let (names, pairs, steps) = match steps {
            Some(steps) => {
                let (names, pairs, steps) = unpickled(core, steps);
                (names, Some(pairs), steps)
            }
            None => Default::default(),
        };
        let log = Log::new(core, Arc::new(names), pairs);
        *log.steps() = steps;
        let rows = numbers.len() / log.width();
        if numbers.len() != rows * log.width() {
            return Err(error::internal(&"rows of another robot"));
        }
        *log.write() = numbers;
        Ok(Self::new(model, log, 0..rows))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let make = py.get_type::<Self>().getattr("_from_numbers")?;
        let numbers = PyArray1::from_vec(py, self.part(0..self.log.width()));
        let steps = self.pickled();
        (make, (self.model.clone_ref(py), numbers, steps)).into_pyobject(py)
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// A joint's history by its name, a column by its own, or some of the samples by a slice.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> Answer<'py> {
        if let Ok(slice) = key.cast::<pyo3::types::PySlice>() {
            let part = slice.indices(self.rows.len() as isize)?;
            if part.step != 1 {
                return Err(PyIndexError::new_err(
                    "samples of a recording are taken one by one: index its arrays, as in recording.q[::10]",
                ));
            }
            let start = self.rows.start + part.start as usize;
            let rows = start..start + part.slicelength;
            let part = Self::new(self.model.clone_ref(py), self.log.clone(), rows);
            return Ok(Bound::new(py, part)?.into_any());
        }
        let Ok(name) = key.extract::<String>() else {
            return Err(PyTypeError::new_err(
                "a recording is indexed by the name of a joint or column, or by a slice",
            ));
        };
        if let Some(column) = self.named(py, &name) {
            return Ok(column.into_any());
        }
        let model = &self.model.get().model;
        match model.joint_id(&name) {
            Ok(id) => {
                let joint = model.joint(id);
                let [q, v, tau, _] = self.starts();
                let (of_q, of_v) = (joint.idx_q, joint.idx_v);
                let t = self.column(py, 0);
                if joint.mimic.is_some() {
                    let of = |what: &str| self.named(py, &format!("{what}.{name}"));
                    return named(py, "JointHistory", (t, of("q"), of("v"), py.None()));
                }
                let q = self.squeezed(py, q + of_q..q + of_q + joint.nq)?;
                let v = self.squeezed(py, v + of_v..v + of_v + joint.nv)?;
                let tau = self.squeezed(py, tau + of_v..tau + of_v + joint.nv)?;
                named(py, "JointHistory", (t, q, v, tau))
            }
            Err(unknown) => {
                // Columns are more than joints: the nearest of both.
                let all = PyDict::new(py);
                let joints = model.joints().iter().skip(1).map(|joint| &joint.name);
                for name in joints.chain(self.log.columns.iter().map(|c| &c.name)) {
                    all.set_item(name, py.None())?;
                }
                let names = py.import("featherline._names")?.getattr("Names")?;
                let names = names.call1(("joint or column", all))?;
                names.call_method1("__missing__", (name,))?;
                Err(error::unknown_name(&unknown))
            }
        }
    }

    fn __repr__(&self) -> String {
        let (numbers, width) = (self.log.read(), self.log.width());
        let name = self.model.get().model.name().to_owned();
        match self.rows.len() {
            0 => format!("<featherline.Recording of '{name}': no samples>"),
            n => format!(
                "<featherline.Recording of '{name}': {n} samples, t = {:?} to {:?} s>",
                numbers[self.rows.start * width],
                numbers[(self.rows.end - 1) * width]
            ),
        }
    }
}
