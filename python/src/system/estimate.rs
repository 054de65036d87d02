//! Estimates: the most probable unknowns, how certain they are, and which sensors disagree.

use super::problem::{Parts, System, failure};
use super::share::share;
use super::solution::{columns, describe, mapping, one_each};
use super::states::States;
use super::text;
use crate::array::Value;
use crate::error;
use crate::pool::Pool;
use crate::properties::properties;
use featherline_system::{EstimateError, EstimatorOptions, Noise, SensorId};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};
use std::sync::Arc;

/// The error of an estimate.
pub fn estimate_failure(error: EstimateError) -> PyErr {
    match error {
        EstimateError::System(error) => failure(error),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// Finds the most probable values of all unknowns of a `System`, given equations, priors, and
/// readings with errors.
///
/// prior: what is assumed of unknowns without a prior of their own: "scaled" (the default, a
/// thousand times what the robot's weight brings about), a standard deviation about zero, or None.
/// equation_sigma: a standard deviation of equations, for models with errors; exact without it.
///
/// Memory and order of elimination are kept; several threads may call at once.
///
/// >>> import featherline as fl
/// >>> panda = fl.load("panda")
/// >>> torque = fl.Sensor.joint_force("torque", "all", sigma=0.1)
/// >>> system = fl.System(panda, known=["no-external-forces"], sensors=[torque], want=["qdd"])
/// >>> estimator = fl.Estimator(system, prior=None)
/// >>> q, v, tau = panda.neutral(), [0.0] * 7, [1.0] * 7
/// >>> qdd = estimator.estimate(q, v, {"torque": tau})["qdd"]
/// >>> bool(abs(qdd - panda.aba(q, v, tau)).max() < 1e-6)
/// True
#[pyclass(frozen, module = "featherline", name = "Estimator")]
pub struct Estimator {
    parts: Arc<Parts>,
    /// The first one, of which others are copies; in a box, for vectors in it need 32 bytes.
    template: Box<featherline_system::Estimator>,
    pool: Pool<featherline_system::Estimator>,
    /// Sensors with rows that may be tested.
    tested: Arc<Vec<Tested>>,
}

/// A sensor that may be tested, and where its rows stand among those of all.
struct Tested {
    id: SensorId,
    name: String,
    start: usize,
    count: usize,
}

/// What is computed besides the means.
#[derive(Clone, Copy)]
pub struct Besides {
    pub deviations: bool,
    pub covariance: bool,
    pub tests: bool,
    pub gain: bool,
}

/// What is found of one state.
#[derive(Clone, Default)]
struct Row {
    means: Vec<f64>,
    deviations: Vec<f64>,
    /// Of each output its matrix, one after the other.
    covariances: Vec<f64>,
    /// The derivatives of all outputs by each input, one input after the other.
    gains: Vec<f64>,
    /// Of each row of a sensor.
    residuals: Vec<f64>,
    cost: f64,
    all: Test,
    sensors: Vec<Option<Test>>,
    largest: Option<(usize, usize, f64)>,
    suspect: Option<usize>,
    why: Option<EstimateError>,
}

#[derive(Clone, Copy)]
struct Test {
    statistic: f64,
    degrees: f64,
    probability: f64,
}

impl Default for Test {
    fn default() -> Self {
        Self {
            statistic: f64::NAN,
            degrees: f64::NAN,
            probability: f64::NAN,
        }
    }
}

impl From<featherline_system::ChiSquare> for Test {
    fn from(test: featherline_system::ChiSquare) -> Self {
        Self {
            statistic: test.statistic,
            degrees: test.degrees_of_freedom,
            probability: test.probability().unwrap_or(f64::NAN),
        }
    }
}

/// What is assumed of unknowns.
pub fn options(
    prior: Option<Value<'_, '_>>,
    equation_sigma: Option<f64>,
) -> PyResult<EstimatorOptions> {
    let mut options = EstimatorOptions::default();
    let misuse = || {
        PyTypeError::new_err("prior is 'scaled', a standard deviation, or None for no assumption")
    };
    match prior {
        None => options = options.without_prior(),
        Some(prior) => match (prior.extract::<f64>(), prior.extract::<String>()) {
            (Ok(sigma), _) => options = options.prior_variance(variance("prior", sigma)?),
            (_, Ok(word)) if word == "scaled" => {}
            (_, Ok(word)) => {
                return Err(PyValueError::new_err(format!(
                    "prior is 'scaled', a standard deviation, or None, not '{word}'"
                )));
            }
            _ => return Err(misuse()),
        },
    }
    Ok(match equation_sigma {
        Some(sigma) => options.equation_variance(variance("equation_sigma", sigma)?),
        None => options,
    })
}

fn variance(name: &str, sigma: f64) -> PyResult<f64> {
    let square = sigma * sigma;
    if sigma > 0.0 && square.is_normal() && square.recip().is_normal() {
        return Ok(square);
    }
    Err(PyValueError::new_err(format!(
        "{name} is {sigma}, where a standard deviation between 1e-153 and 1e153 is expected"
    )))
}

impl Estimator {
    /// An estimator of a system.
    pub fn of(py: Python<'_>, parts: &Arc<Parts>, options: EstimatorOptions) -> PyResult<Self> {
        let system = &parts.system;
        let made = py.detach(|| {
            let system = system.clone();
            featherline_system::Estimator::with_priors(system, &options, &parts.priors)
        });
        let problem = system.problem();
        let mut start = 0;
        let tested = problem.sensor_ids().filter_map(|id| {
            let sensor = &problem.sensors()[id.index()];
            let count = system.equations().sensor(id).len();
            if system.sensor_inputs(id).is_empty() && sensor.noise == Noise::Exact {
                return None;
            }
            start += count;
            Some(Tested {
                id,
                name: sensor.name.clone(),
                start: start - count,
                count,
            })
        });
        Ok(Self {
            tested: Arc::new(tested.collect()),
            template: Box::new(made.map_err(estimate_failure)?),
            pool: Pool::new(),
            parts: Arc::clone(parts),
        })
    }

    /// Estimates states.
    pub fn run(&self, py: Python<'_>, states: &States, besides: Besides) -> PyResult<Estimate> {
        self.each(py, states, besides, |estimator, row| {
            self.one(estimator, states, row, besides)
        })
    }

    /// Runs one of several computations for states.
    fn each(
        &self,
        py: Python<'_>,
        states: &States,
        besides: Besides,
        one: impl Fn(&mut featherline_system::Estimator, usize) -> Result<Row, EstimateError> + Sync,
    ) -> PyResult<Estimate> {
        let mut rows = vec![Row::default(); states.rows()];
        share(py, &mut rows, false, |first, rows| {
            let mut estimator = self.pool.take(|| (*self.template).clone());
            for (k, row) in rows.iter_mut().enumerate() {
                *row = match one(&mut estimator, first + k) {
                    Ok(row) => row,
                    Err(error) => self.without(error, besides),
                };
            }
            self.pool.give_back(estimator);
        })?;
        let failed = rows.iter().filter(|row| row.why.is_some()).count();
        if let Some(first) = rows.iter().position(|row| row.why.is_some())
            && let Some(why) = rows[first].why.take()
        {
            if states.count.is_none() {
                return Err(estimate_failure(why));
            }
            error::failed_states(py, rows.len(), failed, first, &why)?;
        }
        Ok(Estimate {
            parts: Arc::clone(&self.parts),
            tested: Arc::clone(&self.tested),
            count: states.count,
            besides,
            rows,
        })
    }

    fn one(
        &self,
        estimator: &mut featherline_system::Estimator,
        states: &States,
        row: usize,
        besides: Besides,
    ) -> Result<Row, EstimateError> {
        let system = &self.parts.system;
        self.switch(estimator, states, row)?;
        let (q, rest) = states.row(row).split_at(system.model().nq());
        let (v, inputs) = rest.split_at(system.model().nv());
        let mut estimate = estimator.update(q, v, inputs)?;
        let mut found = Row {
            means: vec![0.0; self.parts.count()],
            cost: estimate.cost(),
            ..Row::default()
        };
        self.parts.gather(estimate.mean(), &mut found.means)?;
        if besides.deviations || besides.covariance {
            let mut posterior = estimate.posterior();
            for want in &self.parts.wants {
                if besides.deviations {
                    let own = want.requested.deviations(system, &mut posterior)?;
                    found.deviations.extend(own);
                }
                if besides.covariance {
                    let own = want.requested.covariance(system, &mut posterior)?;
                    // Symmetric: columns are rows.
                    found.covariances.extend(own.iter());
                }
            }
        }
        if besides.gain {
            let mut gain = vec![0.0; system.unknowns().count()];
            for input in 0..system.input_count() {
                estimate.gain(input, &mut gain)?;
                let first = found.gains.len();
                found.gains.resize(first + self.parts.count(), 0.0);
                self.parts.gather(&gain, &mut found.gains[first..])?;
            }
        }
        if besides.tests {
            let together = estimate.sensor_tests();
            let tests = self.tested.iter();
            let tests = tests.map(|sensor| together.of(sensor.id).map(Test::from));
            found.sensors = tests.collect();
            found.suspect = together.largest().map(|suspect| suspect.sensor.index());
            let residuals = estimate.residuals();
            found.all = residuals.chi_square().into();
            for sensor in self.tested.iter() {
                let rows = system.equations().sensor(sensor.id);
                let own = rows.map(|row| residuals.normalised(row).unwrap_or(f64::NAN));
                found.residuals.extend(own);
            }
            found.largest = residuals
                .largest()
                .map(|one| (one.sensor.index(), one.component, one.deviations));
        }
        Ok(found)
    }

    /// The innovations of one state.
    fn innovations_of(
        &self,
        estimator: &mut featherline_system::Estimator,
        states: &States,
        row: usize,
    ) -> Result<Row, EstimateError> {
        let system = &self.parts.system;
        self.switch(estimator, states, row)?;
        let (q, rest) = states.row(row).split_at(system.model().nq());
        let (v, inputs) = rest.split_at(system.model().nv());
        let innovations = estimator.innovations(q, v, inputs)?;
        let together = innovations.sensor_tests();
        let mut found = Row {
            all: innovations.chi_square().into(),
            suspect: together.largest().map(|suspect| suspect.sensor.index()),
            largest: innovations
                .largest()
                .map(|one| (one.sensor.index(), one.component, one.deviations)),
            ..Row::default()
        };
        for sensor in self.tested.iter() {
            found.sensors.push(together.of(sensor.id).map(Test::from));
            let rows = system.equations().sensor(sensor.id);
            let own = rows.map(|row| innovations.normalised(row).unwrap_or(f64::NAN));
            found.residuals.extend(own);
        }
        Ok(found)
    }

    /// Switches sensors as a row has them.
    fn switch(
        &self,
        estimator: &mut featherline_system::Estimator,
        states: &States,
        row: usize,
    ) -> Result<(), EstimateError> {
        for id in self.parts.system.problem().sensor_ids() {
            let is_on = !states.is_off(row, id);
            if estimator.switches().is_on(id) != is_on {
                estimator.switch(id, is_on)?;
            }
        }
        Ok(())
    }

    fn without(&self, error: EstimateError, besides: Besides) -> Row {
        let nothing =
            |is_found: bool, count: usize| vec![f64::NAN; if is_found { count } else { 0 }];
        let squares = self.parts.wants.iter().map(|want| want.count * want.count);
        let residuals = self.tested.last().map_or(0, |last| last.start + last.count);
        Row {
            means: nothing(true, self.parts.count()),
            deviations: nothing(besides.deviations, self.parts.count()),
            covariances: nothing(besides.covariance, squares.sum()),
            gains: nothing(
                besides.gain,
                self.parts.count() * self.parts.system.input_count(),
            ),
            residuals: nothing(besides.tests, residuals),
            cost: f64::NAN,
            sensors: vec![None; if besides.tests { self.tested.len() } else { 0 }],
            why: Some(error),
            ..Row::default()
        }
    }
}

#[pymethods]
impl Estimator {
    #[new]
    #[pyo3(signature = (system, *, prior=Default::default(), equation_sigma=None))]
    fn new(
        py: Python<'_>,
        system: PyRef<'_, System>,
        prior: PriorArgument,
        equation_sigma: Option<f64>,
    ) -> PyResult<Self> {
        Self::of(py, &system.parts, prior.options(py, equation_sigma)?)
    }

    /// The estimate in one state, or many (rows).
    ///
    /// `readings` are those of the sensors, and the numbers of what is known: a dictionary of the
    /// names in `system.inputs`, or an array of all in this order. A sensor that is None, or has a
    /// reading that is NaN in a row, is off there. `deviations`, `covariance`, `tests` and
    /// `gain` are what is computed besides the means: each costs about as much as these.
    #[pyo3(signature = (q, v, readings=None, *, deviations=true, covariance=false, tests=true, gain=false))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        readings: Option<Value<'_, 'py>>,
        deviations: bool,
        covariance: bool,
        tests: bool,
        gain: bool,
    ) -> PyResult<Estimate> {
        let states = (self.parts.inputs).read(&self.parts.system, q, v, readings, true)?;
        let besides = Besides {
            deviations,
            covariance,
            tests,
            gain,
        };
        self.run(py, &states, besides)
    }

    /// What readings exceed their prediction by, which equations, knowns and priors make without
    /// any sensor: the test where priors are narrow. Equations and priors have to determine all
    /// unknowns.
    #[pyo3(signature = (q, v, readings=None))]
    fn innovations<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        readings: Option<Value<'_, 'py>>,
    ) -> PyResult<Innovations> {
        let states = (self.parts.inputs).read(&self.parts.system, q, v, readings, true)?;
        let besides = Besides {
            deviations: false,
            covariance: false,
            tests: true,
            gain: false,
        };
        let found = self.each(py, &states, besides, |estimator, row| {
            self.innovations_of(estimator, &states, row)
        })?;
        Ok(Innovations { found })
    }

    fn __repr__(&self) -> String {
        format!(
            "Estimator('{}': {} unknowns, {} equations; {} entries in the factor, {} multiplications)",
            self.parts.system.model().name(),
            self.parts.system.sparsity().columns(),
            self.parts.system.sparsity().rows(),
            self.template.factor_entries(),
            self.template.factor_multiplications()
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled(
            "an Estimator",
            "its System, and make the Estimator of that",
        ))
    }
}

/// The argument `prior`: "scaled" if it is left out.
#[derive(Default)]
pub enum PriorArgument {
    #[default]
    Scaled,
    Given(Option<Py<PyAny>>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for PriorArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Given(match value.is_none() {
            true => None,
            false => Some(value.to_owned().unbind()),
        }))
    }
}

impl PriorArgument {
    /// The options with this prior.
    pub fn options(
        &self,
        py: Python<'_>,
        equation_sigma: Option<f64>,
    ) -> PyResult<EstimatorOptions> {
        match self {
            Self::Scaled => {
                let word = pyo3::types::PyString::new(py, "scaled").into_any();
                options(Some(&word), equation_sigma)
            }
            Self::Given(prior) => {
                let prior = prior.as_ref().map(|prior| prior.bind(py).clone());
                options(prior.as_ref(), equation_sigma)
            }
        }
    }
}

#[pymethods]
impl System {
    /// The most probable values of the requested outputs in one state, or many (rows).
    ///
    /// `readings` are those of the sensors, and the numbers of what is known: a dictionary of the
    /// names in `system.inputs`, or an array of all in this order. A sensor that is None, or has a
    /// reading that is NaN in a row, is off there. `deviations`, `covariance`, `tests` and
    /// `gain` are what is computed besides the means: each costs about as much as these. An
    /// `Estimator` has other priors.
    ///
    /// >>> torque = fl.Sensor.joint_force("torque", "all", sigma=0.1)
    /// >>> known = ["qdd", "no-external-forces"]
    /// >>> system = fl.System(panda, known=known, unknown=["panda_link8"], sensors=[torque])
    /// >>> estimate = system.estimate(q, v, {"qdd": a, "torque": panda.rnea(q, v, a)})
    /// >>> estimate["external-force:panda_link8"].shape, estimate.sigma("tau").shape
    /// ((6,), (7,))
    #[pyo3(signature = (q, v, readings=None, *, deviations=true, covariance=false, tests=true, gain=false))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        readings: Option<Value<'_, 'py>>,
        deviations: bool,
        covariance: bool,
        tests: bool,
        gain: bool,
    ) -> PyResult<Estimate> {
        let estimator = self.estimator.get_or_try_init(py, || {
            Py::new(
                py,
                Estimator::of(py, &self.parts, EstimatorOptions::default())?,
            )
        })?;
        let estimator = estimator.get();
        estimator.estimate(py, q, v, readings, deviations, covariance, tests, gain)
    }
}

/// A sum of squares that has a χ² distribution if the model is right: its value, what it is on
/// average, and how probable a value at least as large is (NaN if there is nothing to test). Floats
/// of one state, arrays of many.
#[pyclass(frozen, module = "featherline.results", name = "ChiSquare", get_all)]
pub struct ChiSquare {
    /// The sum of squares.
    statistic: Py<PyAny>,
    /// What the sum is on average.
    degrees_of_freedom: Py<PyAny>,
    /// How probable a sum at least as large is; NaN where there is nothing to test.
    probability: Py<PyAny>,
}

impl ChiSquare {
    fn of(
        py: Python<'_>,
        count: Option<usize>,
        rows: impl Iterator<Item = Test> + Clone,
    ) -> PyResult<Self> {
        Ok(Self {
            statistic: one_each(py, count, rows.clone().map(|t| t.statistic))?.unbind(),
            degrees_of_freedom: one_each(py, count, rows.clone().map(|t| t.degrees))?.unbind(),
            probability: one_each(py, count, rows.map(|t| t.probability))?.unbind(),
        })
    }
}

#[pymethods]
impl ChiSquare {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "ChiSquare(statistic={}, degrees_of_freedom={}, probability={})",
            self.statistic.bind(py).repr()?,
            self.degrees_of_freedom.bind(py).repr()?,
            self.probability.bind(py).repr()?
        ))
    }
}

/// The reading that disagrees most with all others: its sensor, which of its rows, and by how many
/// standard deviations. From 4 on it is an outlier.
#[pyclass(frozen, module = "featherline.results", name = "Outlier", get_all)]
#[derive(Clone)]
pub struct Outlier {
    /// The sensor's name.
    sensor: String,
    /// Which of its readings.
    component: usize,
    /// By how many standard deviations it disagrees.
    deviations: f64,
}

#[pymethods]
impl Outlier {
    /// Whether chance alone is no likely reason: at 4 deviations and more.
    #[getter]
    fn is_outlier(&self) -> bool {
        self.deviations >= 4.0
    }

    fn __repr__(&self) -> String {
        format!(
            "Outlier('{}', component={}, deviations={:.2})",
            self.sensor, self.component, self.deviations
        )
    }
}

/// The sensor without which the cost of the estimate falls most beyond chance, with the test of all
/// of its rows together.
#[pyclass(frozen, module = "featherline.results", name = "Suspect", get_all)]
#[derive(Clone)]
pub struct Suspect {
    /// The sensor's name.
    sensor: String,
    /// The sum of squares.
    statistic: f64,
    /// What the sum is on average.
    degrees_of_freedom: f64,
    /// How probable a sum at least as large is; NaN where there is nothing to test.
    probability: f64,
}

#[pymethods]
impl Suspect {
    fn __repr__(&self) -> String {
        format!(
            "Suspect('{}', statistic={:.3}, degrees_of_freedom={:.3}, probability={:.3e})",
            self.sensor, self.statistic, self.degrees_of_freedom, self.probability
        )
    }
}

/// The most probable values of the requested outputs in one state (1-D arrays), or many (rows), by
/// name; with standard deviations, and tests of the sensors.
#[pyclass(frozen, module = "featherline.results", name = "Estimate", mapping)]
pub struct Estimate {
    parts: Arc<Parts>,
    tested: Arc<Vec<Tested>>,
    count: Option<usize>,
    besides: Besides,
    rows: Vec<Row>,
}

mapping!(Estimate);

impl Estimate {
    fn of_each<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        count: usize,
        numbers: impl Fn(&Row) -> &[f64],
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows.iter().map(|row| &numbers(row)[start..][..count]);
        columns(py, self.count, count, rows)
    }

    fn get<'py>(&self, py: Python<'py>, start: usize, count: usize) -> PyResult<Bound<'py, PyAny>> {
        self.of_each(py, start, count, |row| &row.means)
    }

    fn need(&self, is_there: bool, what: &str) -> PyResult<()> {
        if is_there {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "this estimate was made without {what}: call `estimate(..., {what}=True)`"
        )))
    }

    fn sensor(&self, index: usize) -> &str {
        &self.parts.system.problem().sensors()[index].name
    }

    /// One object of each state.
    fn object_each<'py, T: Into<Py<PyAny>>>(
        &self,
        py: Python<'py>,
        make: impl Fn(&Row) -> PyResult<T>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.count {
            None => Ok(make(&self.rows[0])?.into().into_bound(py)),
            Some(_) => {
                let all = self.rows.iter().map(|row| Ok(make(row)?.into()));
                let all: Vec<Py<PyAny>> = all.collect::<PyResult<_>>()?;
                Ok(PyList::new(py, all)?.into_any())
            }
        }
    }
}

#[pymethods]
impl Estimate {
    /// The standard deviations of a requested output, in the shape of its mean.
    fn sigma<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.need(self.besides.deviations, "deviations")?;
        let (start, count) = self.parts.wanted(py, name)?;
        self.of_each(py, start, count, |row| &row.deviations)
    }

    /// The covariance of a requested output (n, n), or (states, n, n).
    fn covariance<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.need(self.besides.covariance, "covariance")?;
        let (start, count) = self.parts.wanted(py, name)?;
        let mut first = 0;
        for want in &self.parts.wants {
            let width = want.count;
            if start >= want.start && start + count <= want.start + width {
                let mut numbers = Vec::with_capacity(count * count * self.rows.len());
                for row in &self.rows {
                    for i in start - want.start..start - want.start + count {
                        let at = first + i * width + (start - want.start);
                        numbers.extend_from_slice(&row.covariances[at..at + count]);
                    }
                }
                let array = PyArray1::from_vec(py, numbers);
                return Ok(match self.count {
                    None => array.reshape([count, count])?.into_any(),
                    Some(n) => array.reshape([n, count, count])?.into_any(),
                });
            }
            first += width * width;
        }
        Err(error::internal(&"an output without a covariance"))
    }

    /// The derivative of a requested output by the numbers of an input (n, m), or (states, n, m):
    /// an estimate is linear in its readings.
    fn gain<'py>(&self, py: Python<'py>, name: &str, input: &str) -> PyResult<Bound<'py, PyAny>> {
        self.need(self.besides.gain, "gain")?;
        let (start, count) = self.parts.wanted(py, name)?;
        let inputs = self.parts.inputs.range(py, input)?;
        let (all, width) = (self.parts.count(), inputs.len());
        let mut numbers = Vec::with_capacity(count * width * self.rows.len());
        for row in &self.rows {
            for output in start..start + count {
                let each = inputs.clone();
                numbers.extend(each.map(|input| row.gains[input * all + output]));
            }
        }
        let array = PyArray1::from_vec(py, numbers);
        Ok(match self.count {
            None => array.reshape([count, width])?.into_any(),
            Some(n) => array.reshape([n, count, width])?.into_any(),
        })
    }

    /// What the estimate minimises: the sum of all squared residuals over their variances.
    #[getter]
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        one_each(py, self.count, self.rows.iter().map(|row| row.cost))
    }

    /// The χ² test of all sensors, equations and priors together.
    #[getter]
    fn chi_square(&self, py: Python<'_>) -> PyResult<ChiSquare> {
        self.need(self.besides.tests, "tests")?;
        ChiSquare::of(py, self.count, self.rows.iter().map(|row| row.all))
    }

    /// The residuals of each sensor's rows in their own standard deviations; NaN where nothing else
    /// tests a row.
    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.need(self.besides.tests, "tests")?;
        let all = PyDict::new(py);
        for sensor in self.tested.iter() {
            let own = self.of_each(py, sensor.start, sensor.count, |row| &row.residuals)?;
            all.set_item(&sensor.name, own)?;
        }
        Ok(all)
    }

    /// The χ² test of all rows of a sensor together; NaN where nothing else tests it.
    fn sensor_test(&self, py: Python<'_>, sensor: &str) -> PyResult<ChiSquare> {
        self.need(self.besides.tests, "tests")?;
        let at = self.tested.iter().position(|tested| tested.name == sensor);
        let at = at.ok_or_else(|| {
            let names: Vec<&str> = self.tested.iter().map(|t| t.name.as_str()).collect();
            text::no_such(py, "sensor with errors", sensor, &names)
        })?;
        let rows = self
            .rows
            .iter()
            .map(|row| row.sensors[at].unwrap_or_default());
        ChiSquare::of(py, self.count, rows)
    }

    /// The reading that disagrees most with all others; None if none can be tested. A list for many
    /// states.
    #[getter]
    fn largest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.need(self.besides.tests, "tests")?;
        self.object_each(py, |row| match row.largest {
            None => Ok(py.None()),
            Some((sensor, component, deviations)) => {
                let outlier = Outlier {
                    sensor: self.sensor(sensor).to_owned(),
                    component,
                    deviations,
                };
                Ok(Py::new(py, outlier)?.into_any())
            }
        })
    }

    /// The sensor that disagrees most as a whole; None if none can be tested. A list for many
    /// states.
    #[getter]
    fn suspect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.need(self.besides.tests, "tests")?;
        self.object_each(py, |row| {
            let at = row.suspect.and_then(|index| {
                self.tested
                    .iter()
                    .position(|tested| tested.id.index() == index)
            });
            match at.and_then(|at| Some((at, row.sensors[at]?))) {
                None => Ok(py.None()),
                Some((at, test)) => {
                    let suspect = Suspect {
                        sensor: self.tested[at].name.clone(),
                        statistic: test.statistic,
                        degrees_of_freedom: test.degrees,
                        probability: test.probability,
                    };
                    Ok(Py::new(py, suspect)?.into_any())
                }
            }
        })
    }

    fn __repr__(&self) -> String {
        let test = match (self.count, self.rows.first()) {
            (None, Some(row)) if self.besides.tests => format!(
                "; χ² = {:.3} of {:.3} degrees of freedom",
                row.all.statistic, row.all.degrees
            ),
            _ => String::new(),
        };
        format!("Estimate({}{test})", describe(&self.parts, self.count))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(error::not_pickled("an Estimate", "its to_dict()"))
    }
}

/// What readings exceed their prediction by, in one state or many: see `Estimator.innovations`.
#[pyclass(frozen, module = "featherline.results", name = "Innovations")]
pub struct Innovations {
    found: Estimate,
}

properties! { Innovations:
    /// All innovations against their covariance.
    chi_square: PyResult<ChiSquare> = |self, py: 'py| self.found.chi_square(py);
    /// The innovations of each sensor's rows in their standard deviations; NaN where it is off.
    normalised: PyResult<Bound<'py, PyDict>> = |self, py: 'py| self.found.residuals(py);
    /// The reading that differs most from its prediction. A list for many states.
    largest: PyResult<Bound<'py, PyAny>> = |self, py: 'py| self.found.largest(py);
    /// The sensor that differs most as a whole. A list for many states.
    suspect: PyResult<Bound<'py, PyAny>> = |self, py: 'py| self.found.suspect(py);
}

#[pymethods]
impl Innovations {
    /// All rows of a sensor together.
    fn sensor_test(&self, py: Python<'_>, sensor: &str) -> PyResult<ChiSquare> {
        self.found.sensor_test(py, sensor)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Innovations({})",
            self.chi_square(py)?.__repr__(py)?
        ))
    }
}
