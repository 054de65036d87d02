//! Dynamics and sensing as one sparse linear system, whose order of elimination is chosen offline.

mod advisor;
mod assemble;
mod body;
mod closed;
mod closing;
mod compiled;
mod component;
mod cut;
mod determined;
pub mod diagnosis;
mod dulmage_mendelsohn;
mod elimination;
mod equation;
mod error;
mod estimate;
mod file;
mod guarded_program;
mod input;
mod matching;
mod measurement;
mod number;
pub mod order;
mod plan;
mod problem;
mod search;
mod sensor;
mod simulation;
mod solution;
mod sparsity;
mod spy;
mod system;
mod unknown;
mod wanted;

pub use advisor::{Addition, Advice};
pub use compiled::CompiledSolve;
pub use determined::{Determined, DeterminedError, DeterminedSolution};
pub use diagnosis::Diagnosis;
pub use dulmage_mendelsohn::{DulmageMendelsohn, Part};
pub use elimination::{
    Elimination, EliminationError, Factors, GeneralError, GeneralLu, GuardedSolver, Outcome,
    PlanError, SolveError, Symbol, Template, TemplateError,
};
pub use equation::{Equation, Equations};
pub use error::SystemError;
pub use estimate::{
    Assumption, ChiSquare, Estimate, EstimateCheck, EstimateCount, EstimateError, EstimateProgram,
    EstimateProgramError, EstimateRun, EstimateVerdict, Estimator, EstimatorOptions, Innovations,
    Outlier, Posterior, Prior, Residuals, SensorTests, Suspect,
};
pub use file::{KnownSet, SensorFile, SensorFileError, SensorFileFault};
pub use guarded_program::{Check, GuardedProgram, GuardedRun, Verdict};
pub use input::InputGroup;
pub use matching::Matching;
pub use order::{EliminationOrder, OrderError};
pub use plan::{Plan, PlanFileError, Stage};
pub use problem::{Components, Given, Known, KnownId, Problem, WrenchBasis};
pub use search::{Found, Progress, SearchOptions, search};
pub use sensor::{Contact, Noise, Sensor, SensorId, SensorKind, Switches};
pub use simulation::{Simulated, Simulation, SimulationError};
pub use solution::Solution;
pub use sparsity::{SparseMatrix, Sparsity, SparsityError};
pub use spy::{SpyPanel, spy_plot};
pub use system::{AssemblyMemory, System};
pub use unknown::{Unknown, Unknowns};
pub use wanted::Wanted;
