//! An estimate: the most probable unknowns, how certain they are, and which sensors disagree.

use super::problem::{Parts, failure};
use super::solution::{columns, describe, mapping, one_each};
use super::text;
use crate::array::{Answer, Shape, filled};
use crate::error;
use crate::properties::properties;
use featherline_system::{EstimateError, SensorId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};
use std::sync::Arc;

/// The error of an estimate.
pub fn estimate_failure(error: EstimateError) -> PyErr {
    if let EstimateError::System(error) = error {
        failure(error)
    } else {
        PyValueError::new_err(error.to_string())
    }
}

/// A sensor that may be tested, and where its rows stand among those of all.
pub(super) struct TestedSensor {
    pub(super) id: SensorId,
    pub(super) name: String,
    pub(super) start: usize,
    pub(super) count: usize,
}

/// The results besides the means.
#[derive(Clone, Copy)]
pub struct EstimateParts {
    pub deviations: bool,
    pub covariance: bool,
    pub tests: bool,
    pub gain: bool,
}

/// The results for one state.
#[derive(Clone, Default)]
pub(super) struct StateEstimate {
    pub(super) means: Vec<f64>,
    pub(super) deviations: Vec<f64>,
    /// Of each output its matrix, one after the other.
    pub(super) covariances: Vec<f64>,
    /// The derivatives of all outputs by each input, one input after the other.
    pub(super) gains: Vec<f64>,
    /// Of each row of a sensor.
    pub(super) residuals: Vec<f64>,
    pub(super) cost: f64,
    pub(super) all: Test,
    pub(super) sensors: Vec<Option<Test>>,
    pub(super) largest: Option<(usize, usize, f64)>,
    pub(super) suspect: Option<usize>,
    pub(super) why: Option<EstimateError>,
}

#[derive(Clone, Copy)]
pub(super) struct Test {
    pub(super) statistic: f64,
    pub(super) degrees: f64,
    pub(super) probability: f64,
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

/// A sum of squares that has a χ² distribution if the model is right: its value, what it is on
/// average, and how probable a value at least as large is (NaN if there is nothing to test). Floats
/// of one state, arrays of many.
#[pyclass(frozen, module = "featherline.results", name = "ChiSquare", get_all)]
pub struct ChiSquare {
    /// The sum of squares.
    statistic: Py<PyAny>,
    /// The mean of the sum.
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
    pub(super) sensor: String,
    /// Which of its readings.
    pub(super) component: usize,
    /// By how many standard deviations it disagrees.
    pub(super) deviations: f64,
}

properties! { Outlier:
    /// Whether chance alone is no likely reason: at 4 deviations and more.
    is_outlier: bool = |self| self.deviations >= 4.0;
}

#[pymethods]
impl Outlier {
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
    pub(super) sensor: String,
    /// The sum of squares.
    pub(super) statistic: f64,
    /// The mean of the sum.
    pub(super) degrees_of_freedom: f64,
    /// How probable a sum at least as large is; NaN where there is nothing to test.
    pub(super) probability: f64,
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
    pub(super) parts: Arc<Parts>,
    pub(super) tested: Arc<Vec<TestedSensor>>,
    pub(super) count: Option<usize>,
    pub(super) besides: EstimateParts,
    pub(super) rows: Vec<StateEstimate>,
}

mapping!(Estimate);

impl Estimate {
    fn of_each<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        count: usize,
        numbers: impl Fn(&StateEstimate) -> &[f64],
    ) -> Answer<'py> {
        let rows = self.rows.iter().map(|row| &numbers(row)[start..][..count]);
        columns(py, self.count, count, rows)
    }

    fn get<'py>(&self, py: Python<'py>, start: usize, count: usize) -> Answer<'py> {
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
        make: impl Fn(&StateEstimate) -> PyResult<T>,
    ) -> Answer<'py> {
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

properties! { Estimate:
    /// The minimum of the estimate's objective: the sum of all squared residuals over their
    /// variances.
    cost: Answer<'py> =
        |self, py: 'py| one_each(py, self.count, self.rows.iter().map(|row| row.cost));
    /// The χ² test of all sensors, equations and priors together.
    chi_square: PyResult<ChiSquare> = |self, py: 'py| {
        self.need(self.besides.tests, "tests")?;
        ChiSquare::of(py, self.count, self.rows.iter().map(|row| row.all))
    };
}

#[pymethods]
impl Estimate {
    /// The standard deviations of a requested output, in the shape of its mean.
    fn sigma<'py>(&self, py: Python<'py>, name: &str) -> Answer<'py> {
        self.need(self.besides.deviations, "deviations")?;
        let (start, count) = self.parts.wanted(name)?;
        self.of_each(py, start, count, |row| &row.deviations)
    }

    /// The covariance of a requested output (n, n), or (states, n, n).
    fn covariance<'py>(&self, py: Python<'py>, name: &str) -> Answer<'py> {
        self.need(self.besides.covariance, "covariance")?;
        let (start, count) = self.parts.wanted(name)?;
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
                return filled(py, Shape::Rows(count, count), self.count, &numbers);
            }
            first += width * width;
        }
        Err(error::internal(&"an output without a covariance"))
    }

    /// The derivative of a requested output by the numbers of an input (n, m), or (states, n, m):
    /// an estimate is linear in its readings.
    fn gain<'py>(&self, py: Python<'py>, name: &str, input: &str) -> Answer<'py> {
        self.need(self.besides.gain, "gain")?;
        let (start, count) = self.parts.wanted(name)?;
        let inputs = self.parts.inputs.range(input)?;
        let (all, width) = (self.parts.count(), inputs.len());
        let mut numbers = Vec::with_capacity(count * width * self.rows.len());
        for row in &self.rows {
            for input in inputs.clone() {
                numbers.extend_from_slice(&row.gains[input * all + start..][..count]);
            }
        }
        filled(py, Shape::Matrix(count, width), self.count, &numbers)
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
            text::no_such("sensor with errors", sensor, &names)
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
    fn largest<'py>(&self, py: Python<'py>) -> Answer<'py> {
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
    fn suspect<'py>(&self, py: Python<'py>) -> Answer<'py> {
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

/// The innovations, readings less their prediction, in one state or many: see
/// `Estimator.innovations`.
#[pyclass(frozen, module = "featherline.results", name = "Innovations")]
pub struct Innovations {
    pub(super) found: Estimate,
}

properties! { Innovations:
    /// All innovations against their covariance.
    chi_square: PyResult<ChiSquare> = |self, py: 'py| self.found.chi_square(py);
    /// The innovations of each sensor's rows in their standard deviations; NaN where it is off.
    normalised: PyResult<Bound<'py, PyDict>> = |self, py: 'py| self.found.residuals(py);
    /// The reading that differs most from its prediction. A list for many states.
    largest: Answer<'py> = |self, py: 'py| self.found.largest(py);
    /// The sensor that differs most as a whole. A list for many states.
    suspect: Answer<'py> = |self, py: 'py| self.found.suspect(py);
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
