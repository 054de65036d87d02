//! Estimators of states with readings.

use super::estimate::{
    Estimate, EstimateParts, Innovations, StateEstimate, Test, TestedSensor, estimate_failure,
};
use super::problem::{Parts, System};
use super::share::share;
use super::states::States;
use crate::array::Value;
use crate::error;
use crate::pool::Pool;
use featherline_system::{EstimateError, EstimatorOptions, Noise};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

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
    tested: Arc<Vec<TestedSensor>>,
}

/// The options with a prior that a caller gave; without, nothing is assumed.
fn of_prior(prior: Option<Value<'_, '_>>) -> PyResult<EstimatorOptions> {
    let options = EstimatorOptions::default();
    let Some(prior) = prior else {
        return Ok(options.without_prior());
    };
    match (prior.extract::<f64>(), prior.extract::<String>()) {
        (Ok(sigma), _) => Ok(options.prior_variance(variance("prior", sigma)?)),
        (_, Ok(word)) if word == "scaled" => Ok(options),
        (_, Ok(word)) => Err(PyValueError::new_err(format!(
            "prior is 'scaled', a standard deviation, or None, not '{word}'"
        ))),
        _ => Err(PyTypeError::new_err(
            "prior is 'scaled', a standard deviation, or None for no assumption",
        )),
    }
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
            Some(TestedSensor {
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
    pub fn run(
        &self,
        py: Python<'_>,
        states: &States,
        besides: EstimateParts,
    ) -> PyResult<Estimate> {
        self.each(py, states, besides, |estimator, row| {
            self.one(estimator, states, row, besides)
        })
    }

    /// Runs one of several computations for states.
    fn each(
        &self,
        py: Python<'_>,
        states: &States,
        besides: EstimateParts,
        one: impl Fn(&mut featherline_system::Estimator, usize) -> Result<StateEstimate, EstimateError>
        + Sync,
    ) -> PyResult<Estimate> {
        let mut rows = vec![StateEstimate::default(); states.rows()];
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
        besides: EstimateParts,
    ) -> Result<StateEstimate, EstimateError> {
        let system = &self.parts.system;
        self.switch(estimator, states, row)?;
        let [q, v, inputs] = system.split(states.row(row));
        let mut estimate = estimator.update(q, v, inputs)?;
        let mut found = StateEstimate {
            means: vec![0.0; self.parts.count()],
            cost: estimate.cost(),
            ..StateEstimate::default()
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
    ) -> Result<StateEstimate, EstimateError> {
        let system = &self.parts.system;
        self.switch(estimator, states, row)?;
        let [q, v, inputs] = system.split(states.row(row));
        let innovations = estimator.innovations(q, v, inputs)?;
        let together = innovations.sensor_tests();
        let mut found = StateEstimate {
            all: innovations.chi_square().into(),
            suspect: together.largest().map(|suspect| suspect.sensor.index()),
            largest: innovations
                .largest()
                .map(|one| (one.sensor.index(), one.component, one.deviations)),
            ..StateEstimate::default()
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

    fn without(&self, error: EstimateError, besides: EstimateParts) -> StateEstimate {
        let nothing =
            |is_found: bool, count: usize| vec![f64::NAN; if is_found { count } else { 0 }];
        let squares = self.parts.wants.iter().map(|want| want.count * want.count);
        let residuals = self.tested.last().map_or(0, |last| last.start + last.count);
        StateEstimate {
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
            ..StateEstimate::default()
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
        let besides = EstimateParts {
            deviations,
            covariance,
            tests,
            gain,
        };
        self.run(py, &states, besides)
    }

    /// The innovations: readings less their prediction, which equations, knowns and priors make
    /// without any sensor: the test where priors are narrow. Equations and priors have to determine
    /// all unknowns.
    #[pyo3(signature = (q, v, readings=None))]
    fn innovations<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        readings: Option<Value<'_, 'py>>,
    ) -> PyResult<Innovations> {
        let states = (self.parts.inputs).read(&self.parts.system, q, v, readings, true)?;
        let besides = EstimateParts {
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
        let options = match self {
            Self::Scaled => EstimatorOptions::default(),
            Self::Given(prior) => of_prior(prior.as_ref().map(|it| it.bind(py)))?,
        };
        Ok(match equation_sigma {
            Some(sigma) => options.equation_variance(variance("equation_sigma", sigma)?),
            None => options,
        })
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
