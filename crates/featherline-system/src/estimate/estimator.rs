//! Maximum a posteriori estimates, one state a call.

use super::broad_priors::PriorCosts;
use super::error::EstimateError;
use super::exact::Exact;
use super::most_probable::Estimate;
use super::options::EstimatorOptions;
use super::prior::{Prior, PriorBlock};
use super::prior_scale::{assumed_costs, prior_informations, stated_cost, typical};
use super::residuals::Innovations;
use super::sensor_tests::SensorBlocks;
use super::weights::{Weights, information};
use crate::error::SystemError;
use crate::problem::SensorId;
use crate::requested::describe_column;
use crate::system::{AssemblyMemory, Equation, Switches, System, check_size};
use featherline::Error;
use featherline_constraint::LoopWorkspace;

/// Estimates all unknowns of a system from its equations and its sensors.
///
/// The unknowns y are normal with mean μ and covariance Σ; the rows D y = b, which are the
/// dynamics, the knowns and the sensors that are on, hold up to independent errors with variances
/// W⁻¹, exact ones without an error. Given the rows, y is normal with
///
/// * covariance P = (Σ⁻¹ + Dᵀ W D)⁻¹,
/// * mean ŷ = μ + P Dᵀ W (b − D μ).
///
/// Source: Latella, Kuppuswamy, Romano, Traversaro and Nori 2016 (*Whole-body human inverse
/// dynamics with distributed micro-accelerometers, gyros and force sensing*, section 2.3), whose D,
/// b, Y and y are rows here.
///
/// Pattern and order of elimination are those of all sensors, and found once; sensors that are off
/// weigh nothing. An update allocates nothing and costs the assembly and a factorisation. Weighted
/// rows are reduced to an R factor by orthogonal transformations, one frontal matrix at a time, so
/// that no condition is squared and weights may lie as far apart as they like.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Estimator, EstimatorOptions, KnownValue, Noise, Problem, Sensor, SensorKind, System};
///
/// let mut problem = Problem::new(samples::double_pendulum()).external_forces(KnownValue::Zero);
/// for (name, joint) in [("shoulder", 1), ("elbow", 2)] {
///     let joint = problem.model().joint_ids().nth(joint - 1).ok_or("two joints")?;
///     let encoder = SensorKind::JointAcceleration { joint };
///     problem.add_sensor(Sensor::new(format!("{name}_encoder"), encoder, Noise::Deviation(0.1)))?;
///     let torque = SensorKind::JointForce { joint };
///     problem.add_sensor(Sensor::new(format!("{name}_torque"), torque, Noise::Deviation(0.05)))?;
/// }
/// let mut estimator = Estimator::new(System::new(problem)?, &EstimatorOptions::default())?;
/// // Both accelerations and both torques are measured; what is redundant makes the estimate better.
/// let readings = [0.02, 0.1, -0.03, -0.05];
/// let mut estimate = estimator.update(&[0.0, 0.0], &[0.0, 0.0], &readings)?;
/// assert!(estimate.solution().joint_forces()[0].abs() < 0.2);
/// let sigma = estimate.posterior().variances()[0].sqrt();
/// assert!(sigma < 0.05 * 1.001, "{sigma}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Estimator {
    pub(super) system: System,
    pub(super) exact: Exact,
    pub(super) switches: Switches,
    /// The sensor of each row.
    pub(super) sensors: Vec<Option<SensorId>>,
    /// Of each row, its sensor being on.
    pub(super) weights: Weights,
    pub(super) prior_mean: Vec<f64>,
    /// One over the prior variance of each unknown.
    pub(super) prior_information: Vec<f64>,
    /// The average cost of each unknown's prior, and the unknown's magnitude by the robot's weight.
    pub(super) prior_costs: Vec<f64>,
    typical: Vec<f64>,
    /// Priors of several unknowns together; these have no information of their own.
    pub(super) priors: Vec<PriorBlock>,
    memory: AssemblyMemory<f64>,
    loops: Option<LoopWorkspace>,
    pub(super) inputs: Vec<f64>,
    pub(super) values: Vec<f64>,
    pub(super) rhs: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    /// The largest number that each right-hand side came from.
    pub(super) sizes: Vec<f64>,
    inverse_is_known: bool,
    /// The covariances of one unknown.
    pub(super) column: Vec<f64>,
    /// The variances of the unknowns, and which share of each may be rounding.
    pub(super) variances: Vec<f64>,
    pub(super) rounding: Vec<f64>,
    pub(super) mean: Vec<f64>,
    pub(super) cost: f64,
    pub(super) innovations: Vec<f64>,
    pub(super) innovation_variances: Vec<f64>,
    pub(super) normalised: Vec<f64>,
    pub(super) redundancies: Vec<f64>,
    pub(super) is_testable: Vec<bool>,
    pub(super) blocks: SensorBlocks,
}

impl Estimator {
    /// An estimator for a system, all of whose sensors are on.
    ///
    /// # Errors
    /// [`EstimateError::Variance`], [`EstimateError::Ordering`] for want of memory, and
    /// [`EstimateError::System`] if the robot's loops close near no configuration that is known of
    /// it.
    pub fn new(system: System, options: &EstimatorOptions) -> Result<Self, EstimateError> {
        Self::with_priors(system, options, &[])
    }

    /// The same with other assumptions about some unknowns.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`EstimateError::System`] for a prior whose mean or covariance makes
    /// no sense, and [`EstimateError::PriorTwice`] for two of one unknown.
    pub fn with_priors(
        system: System,
        options: &EstimatorOptions,
        priors: &[Prior],
    ) -> Result<Self, EstimateError> {
        let blocks = priors.iter().map(|prior| PriorBlock::new(&system, prior));
        let priors = blocks.collect::<Result<Vec<_>, _>>()?;
        for (k, prior) in priors.iter().enumerate() {
            for before in &priors[..k] {
                prior.check_apart(before, &system)?;
            }
        }
        let weights = Weights::new(&system, options)?;
        let exact = Exact::new(&system, &weights, &priors)?;
        let (rows, columns) = (system.equations().count(), system.unknowns().count());
        let sensor = |row| match system.equations().at(row) {
            Some(Equation::Sensor { sensor, .. }) => Some(sensor),
            _ => None,
        };
        let mut prior_information = prior_informations(&system, options)?;
        let typical = typical(&system);
        let prior_costs = assumed_costs(options, &prior_information, &typical);
        let mut prior_mean = vec![0.0; columns];
        for (column, mean, _) in priors.iter().flat_map(PriorBlock::moments) {
            (prior_mean[column], prior_information[column]) = (mean, 0.0);
        }
        let assumed = PriorCosts {
            information: &prior_information,
            costs: &prior_costs,
            priors: &priors,
        };
        let blocks = SensorBlocks::new(&system, &assumed);
        let mut estimator = Self {
            switches: Switches::all_on(&system),
            sensors: (0..rows).map(sensor).collect(),
            weights,
            prior_mean,
            prior_information,
            prior_costs,
            typical,
            priors,
            memory: AssemblyMemory::new(&system),
            loops: system.loop_workspace(),
            inputs: vec![0.0; system.input_count()],
            values: vec![0.0; system.sparsity().entries()],
            rhs: vec![0.0; rows],
            residuals: vec![0.0; rows],
            sizes: vec![0.0; rows],
            inverse_is_known: false,
            column: vec![0.0; columns],
            variances: vec![0.0; columns],
            rounding: vec![0.0; columns],
            mean: vec![0.0; columns],
            cost: 0.0,
            innovations: vec![0.0; rows],
            innovation_variances: vec![0.0; rows],
            normalised: vec![0.0; rows],
            redundancies: vec![0.0; rows],
            is_testable: vec![false; rows],
            blocks,
            exact,
            system,
        };
        estimator.find_order()?;
        Ok(estimator)
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Which sensors are on.
    pub fn switches(&self) -> &Switches {
        &self.switches
    }

    /// Switches a sensor from the next update on. The readings of one that is off may be anything.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if the system has no such sensor.
    pub fn switch(&mut self, sensor: SensorId, on: bool) -> Result<(), EstimateError> {
        let count = self.system.problem().sensors().len();
        check_index("sensor", sensor.index(), count)?;
        self.switches.set(sensor, on);
        Ok(())
    }

    /// Assumes another mean of an unknown, and another variance, none if nothing is assumed.
    ///
    /// # Errors
    /// [`EstimateError::Mean`], [`EstimateError::Variance`], [`EstimateError::PriorTwice`] if the
    /// unknown's prior is one of [several unknowns together](Self::with_priors), and
    /// [`EstimateError::OutOfRange`] if the system has no such column.
    pub fn set_prior(
        &mut self,
        column: usize,
        mean: f64,
        variance: Option<f64>,
    ) -> Result<(), EstimateError> {
        check_index("column", column, self.system.unknowns().count())?;
        let mut priors = self.priors.iter();
        if let Some(prior) = priors.find(|prior| prior.columns().contains(&column)) {
            return Err(prior.taken(column, &self.system));
        }
        let name = || describe_column(&self.system, column);
        if !mean.is_finite() {
            return Err(EstimateError::Mean {
                unknown: name(),
                mean,
            });
        }
        self.prior_information[column] = match variance {
            Some(variance) => information(variance, name)?,
            None => 0.0,
        };
        let deviations = self.prior_information[column].sqrt() * self.typical[column];
        self.prior_costs[column] = stated_cost(deviations);
        self.prior_mean[column] = mean;
        Ok(())
    }

    /// The prior of an unknown: its mean, and its variance, none without a prior.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if the system has no such column.
    pub fn prior(&self, column: usize) -> Result<(f64, Option<f64>), EstimateError> {
        check_index("column", column, self.prior_mean.len())?;
        let mut moments = self.priors.iter().flat_map(PriorBlock::moments);
        if let Some((_, mean, variance)) = moments.find(|moments| moments.0 == column) {
            return Ok((mean, Some(variance)));
        }
        let information = self.prior_information[column];
        let variance = (information > 0.0).then(|| 1.0 / information);
        Ok((self.prior_mean[column], variance))
    }

    /// The variance of a row's error, its sensor being on; zero if it is exact.
    ///
    /// # Errors
    /// [`EstimateError::OutOfRange`] if the system has no such row.
    pub fn variance(&self, row: usize) -> Result<f64, EstimateError> {
        check_index("row", row, self.weights.len())?;
        Ok(self.weights.variance(row))
    }

    /// Another variance of a row's error. Costs a new order of elimination where the row was exact
    /// and states an unknown alone.
    ///
    /// # Errors
    /// [`EstimateError::Variance`], and [`EstimateError::OutOfRange`] if the system has no such
    /// row.
    pub fn set_variance(&mut self, row: usize, variance: f64) -> Result<(), EstimateError> {
        check_index("row", row, self.weights.len())?;
        self.weights.set(row, variance)?;
        if self.exact.states(row) {
            self.exact = Exact::new(&self.system, &self.weights, &self.priors)?;
            self.find_order()?;
        }
        Ok(())
    }

    /// How many entries R has above its diagonal: those of a factor of the normal matrix, at most.
    pub fn factor_entries(&self) -> usize {
        self.exact.pattern().entries()
    }

    /// How many multiplications a factorisation of the normal matrix takes.
    pub fn factor_multiplications(&self) -> usize {
        self.exact.pattern().multiplications()
    }

    /// The estimate in a state.
    ///
    /// `q` has nq entries, `v` nv, `inputs` [`System::input_count`]: known quantities and the
    /// sensors' readings. Nothing is allocated unless it fails, or needs an order of elimination
    /// that no state before it, and none of those that are tried at first, had needed.
    ///
    /// # Errors
    /// [`EstimateError::Measurement`] for a reading that is not finite,
    /// [`EstimateError::Unobservable`] if a direction of the unknowns is neither measured nor has a
    /// prior, to double precision, [`EstimateError::Contradiction`] where exact rows can't be met
    /// together, [`EstimateError::FarApart`] and [`EstimateError::Inaccurate`] where double
    /// precision does not give the mean to a thousandth of its deviation, and
    /// [`EstimateError::System`], which names the source of an overflow of the estimate, and
    /// reports a state that does not fit the robot's loops.
    pub fn update(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<Estimate<'_>, EstimateError> {
        let found = self.find(q, v, inputs);
        found.map_err(|error| self.blamed(error, q, v, inputs, Self::find))?;
        Ok(Estimate { estimator: self })
    }

    /// The estimate, kept here.
    fn find(&mut self, q: &[f64], v: &[f64], inputs: &[f64]) -> Result<(), EstimateError> {
        self.assemble(q, v, inputs)?;
        self.solve(true)
    }

    /// The innovations: readings of the sensors less their prediction by equations and priors. See
    /// [`Innovations`].
    ///
    /// Costs two updates.
    ///
    /// # Errors
    /// As [`update`](Self::update); [`EstimateError::Unobservable`] unless equations and priors
    /// alone determine all unknowns.
    pub fn innovations(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<Innovations<'_>, EstimateError> {
        let found = self.find_innovations(q, v, inputs);
        let predicted_cost = found.map_err(|error| {
            self.blamed(error, q, v, inputs, |this, q, v, inputs| {
                this.find_innovations(q, v, inputs).map(drop)
            })
        })?;
        Ok(Innovations {
            estimator: self,
            predicted_cost,
        })
    }

    /// The innovations, kept here, and the cost of what equations and priors predict.
    fn find_innovations(
        &mut self,
        q: &[f64],
        v: &[f64],
        inputs: &[f64],
    ) -> Result<f64, EstimateError> {
        self.assemble(q, v, inputs)?;
        self.solve(false)?;
        self.invert();
        for row in 0..self.weights.len() {
            let is_certain = self.sensors[row].is_none() && self.weights.is_exact(row);
            let predicted = if is_certain { 0.0 } else { self.explained(row) };
            self.innovation_variances[row] = predicted + self.weights.variance(row);
        }
        self.innovations.copy_from_slice(&self.residuals);
        self.test_sensors(1.0);
        let predicted = self.cost;
        self.solve(true)?;
        Ok(predicted)
    }

    /// Whether a row counts, the sensors being used or not.
    pub(super) fn is_on(&self, row: usize, with_sensors: bool) -> bool {
        self.sensors[row].is_none_or(|sensor| with_sensors && self.switches.is_on(sensor))
    }

    fn assemble(&mut self, q: &[f64], v: &[f64], inputs: &[f64]) -> Result<(), EstimateError> {
        check_size("inputs", self.inputs.len(), inputs.len())?;
        self.check_loops(q, v)?;
        self.inputs.copy_from_slice(inputs);
        for (index, sensor) in self.system.problem().sensors().iter().enumerate() {
            let id = SensorId(index);
            let readings = &mut self.inputs[self.system.sensor_inputs(id)];
            if !self.switches.is_on(id) {
                readings.fill(0.0);
            } else if let Some(reading) = readings.iter().position(|value| !value.is_finite()) {
                return Err(EstimateError::Measurement {
                    sensor: sensor.name.clone(),
                    reading,
                });
            }
        }
        let (values, rhs) = (&mut self.values, &mut self.rhs);
        self.system
            .assemble_closed(&mut self.memory, q, v, &self.inputs, values, rhs)?;
        for (row, (size, rhs)) in self.sizes.iter_mut().zip(&self.rhs).enumerate() {
            *size = self.system.input_size(row, &self.inputs).max(rhs.abs());
        }
        Ok(())
    }

    /// Fails unless a state fits the robot's loops.
    pub(super) fn check_loops(&mut self, q: &[f64], v: &[f64]) -> Result<(), SystemError> {
        match &mut self.loops {
            Some(ws) => self.system.check_loops(ws, q, v),
            None => Ok(()),
        }
    }

    /// Factorises and solves what was assembled from a state.
    fn solve(&mut self, with_sensors: bool) -> Result<(), EstimateError> {
        self.inverse_is_known = false;
        self.find_mean(with_sensors)?;
        self.find_residuals(with_sensors);
        // Whatever is not finite in the residuals shows in the cost.
        if !self.cost.is_finite() || !self.mean.iter().all(|mean| mean.is_finite()) {
            return Err(overflow("the estimate with its priors, or its cost,"));
        }
        self.check_exact_rows(with_sensors)
    }

    /// Finds the covariance, unless it was done for this state.
    pub(super) fn invert(&mut self) {
        if !self.inverse_is_known {
            self.exact
                .find_variances(&mut self.variances, &mut self.rounding);
            self.inverse_is_known = true;
        }
    }
}

/// That an unknown is determined by nothing.
pub(super) fn unobservable(system: &System, column: usize) -> EstimateError {
    EstimateError::Unobservable {
        unknown: describe_column(system, column),
        column,
    }
}

pub(super) fn check_index(
    what: &'static str,
    index: usize,
    count: usize,
) -> Result<(), EstimateError> {
    if index < count {
        Ok(())
    } else {
        Err(EstimateError::OutOfRange { what, index, count })
    }
}

/// A result whose numbers are too large.
pub(super) fn overflow(what: &'static str) -> EstimateError {
    EstimateError::System(Error::Overflow { what }.into())
}
