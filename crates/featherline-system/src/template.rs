//! The data of a system's matrix that are known offline.

use crate::error::SystemError;
use crate::system::{AssemblyMemory, ClosedStates, System};
use featherline_compile::{Graph, Trace};
use featherline_sparse::{EliminationError, OrderError, SAMPLES, Symbol, Template, TemplateError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

/// Why the elimination of a system can't be planned.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The system can't be assembled.
    #[error(transparent)]
    System(#[from] SystemError),
    /// Its matrix is not one to be eliminated.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The order is of no use for it.
    #[error(transparent)]
    Elimination(#[from] EliminationError),
    /// No order was found.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// It has no solution in any of the configurations that were tried.
    #[error(
        "the equations depend on each other in every configuration that was tried: there is no solution, whatever the \
         order; a diagnosis tells which quantities are open and what to measure"
    )]
    Singular,
}

/// A random configuration, velocity and input, in which loops are closed; the same for the same
/// seed.
pub(crate) struct SampleState {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub inputs: Vec<f64>,
}

impl SampleState {
    /// # Errors
    /// [`SystemError`] if no loops close.
    pub fn new(system: &System, seed: u64) -> Result<Self, SystemError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut states = ClosedStates::new(system);
        let q = states.random(&mut random)?;
        let mut numbers = |count| {
            (0..count)
                .map(|_| random.random_range(-1.0..1.0))
                .collect::<Vec<f64>>()
        };
        let mut v = numbers(system.model().nv());
        let inputs = numbers(system.input_count());
        states.project(&q, &mut v)?;
        Ok(Self { q, v, inputs })
    }
}

/// Any number, as long as it is the same in every run.
const SAMPLE_SEED: u64 = 2017;

/// The offline data of a system's numbers: which entries and right-hand sides are constants of the
/// robot, and the matrix in random states.
pub(crate) struct Foreknown {
    pub entries: Vec<Symbol>,
    pub right: Vec<Symbol>,
    pub samples: Vec<Vec<f64>>,
}

impl Foreknown {
    /// Of a system.
    ///
    /// # Errors
    /// [`SystemError`] if it can't be assembled.
    pub fn of(system: &System) -> Result<Self, SystemError> {
        let (nq, nv) = (system.model().nq(), system.model().nv());
        let symbols = |values: &[Trace]| -> Vec<Symbol> {
            let symbol = |value: &Trace| match value.constant_value() {
                Some(constant) => Symbol::Constant(constant),
                None => Symbol::Variable,
            };
            values.iter().map(symbol).collect()
        };
        let (mut entries, mut right) = (Vec::new(), Vec::new());
        Graph::try_record(nq + nv + system.input_count(), |state| {
            let traced = system.traced(system.split(state))?;
            (entries, right) = (symbols(&traced.0), symbols(&traced.1));
            Ok::<_, SystemError>(Vec::new())
        })?;
        let mut memory = AssemblyMemory::of(system.model());
        let mut samples = Vec::new();
        for seed in SAMPLE_SEED..SAMPLE_SEED + SAMPLES as u64 {
            let state = SampleState::new(system, seed)?;
            let state = [&state.q[..], &state.v, &state.inputs];
            samples.push(system.assembled(&mut memory, state)?.0);
        }
        Ok(Self {
            entries,
            right,
            samples,
        })
    }
}

impl System {
    /// The offline data of a square system: which entries are constants of the robot, which sides
    /// are zero, and the matrix in three random states.
    ///
    /// # Errors
    /// [`PlanError::Template`] if the system is not square, [`PlanError::System`] if it can't be
    /// assembled.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Elimination, Problem, System, order};
    ///
    /// let system = System::new(Problem::inverse_dynamics(samples::double_pendulum()))?;
    /// let template = system.template()?;
    /// let elimination = Elimination::new(&template, &order::markowitz(&template)?)?;
    /// assert_eq!(elimination.fill_in(), 0); // inverse dynamics is forward substitution
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn template(&self) -> Result<Template, PlanError> {
        let Foreknown {
            entries,
            right,
            samples,
        } = Foreknown::of(self)?;
        Ok(Template::new(
            self.sparsity().clone(),
            entries,
            right,
            &samples,
        )?)
    }
}
