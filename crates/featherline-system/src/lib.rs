//! Dynamics and sensing as one sparse linear system, whose order of elimination is chosen offline.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-system = "0.2"
//! featherline-robots = { path = "../featherline/robots" }
//! featherline-system = { path = "../featherline/crates/featherline-system" }
//! ```
//!
//! ```
//! use featherline_system::{Diagnosis, SensorFile, System};
//!
//! let model = featherline_robots::panda();
//! let text = r#"
//! known = ["qdd", "no-external-forces"]
//! [[sensor]]
//! name = "torque"
//! type = "joint-force"
//! joints = "all"
//! sigma = 0.1
//! "#;
//! let file = SensorFile::read(text, &model)?;
//! let system = System::new(file.problem(model, &[])?)?;
//! assert!(Diagnosis::of(&system)?.is_solvable_in_general());
//! assert_eq!(system.input_groups()[0].name, "qdd");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rooms, from bottom to top; each uses only those above it in this table:
//!
//! | room | what it holds |
//! |---|---|
//! | `names` | numbers and names in messages |
//! | `error` | errors of systems and of sensor files |
//! | `unknown` | the columns: [`Unknown`], [`Unknowns`] |
//! | `problem` | a robot, what is known, sensors: [`Problem`], [`Known`], [`KnownSet`], [`Sensor`] |
//! | `system` | the rows and their numbers in a state: [`System`], [`Equations`], [`Solution`], [`Switches`] |
//! | `requested` | requested outputs, rows and columns in words: [`Requested`], [`Label`] |
//! | [`diagnosis`] | what is determined, and solutions where not all is: [`Diagnosis`], [`Determined`] |
//! | [`order`] | orders of elimination |
//! | `template` | what is known of the matrix offline: [`System::template`] |
//! | `program` | solutions as straight-line programs: [`CompiledSolve`], [`GuardedProgram`] |
//! | `derivatives` | derivatives of solutions by state and inputs: [`DerivativeSolver`] |
//! | `search` | the order whose program has the fewest operations: [`search()`] |
//! | `plan` | order, program and check in a file: [`Plan`] |
//! | `estimate` | the most probable unknowns, covariances, tests: [`Estimator`] |
//! | `file` | sensor files: [`SensorFile`] |
//! | `advisor` | what to measure in addition: [`Advice`] |
//! | `simulation` | simulated readings: [`SensorSimulation`] |
//! | `spy` | pictures of patterns: [`SparsityPicture`] |
//! | `factors` | the factors of an order in a state: [`Factorisation`] |
//!
//! Matrices, orders, matchings and factorisations that know no robot are in
//! [`featherline_sparse`], whose items that appear here are exported again.

mod advisor;
mod derivatives;
pub mod diagnosis;
mod error;
mod estimate;
mod factors;
mod file;
mod names;
pub mod order;
mod plan;
mod problem;
mod program;
mod requested;
mod search;
mod simulation;
#[cfg(test)]
#[path = "../../featherline/tests/suite/common/soak.rs"]
mod soak;
mod spy;
mod system;
mod template;
mod unknown;

pub use advisor::{Addition, Advice};
pub use derivatives::{DerivativeSolver, DerivativesError, OutputDerivatives, SolutionDerivatives};
pub use diagnosis::{Determined, DeterminedError, DeterminedSolution, Diagnosis};
pub use error::{SensorFileError, SensorFileFault, SystemError};
pub use estimate::{
    Assumption, ChiSquare, Estimate, EstimateCheck, EstimateError, EstimateProgram,
    EstimateProgramError, EstimateRun, EstimateStatus, Estimator, EstimatorOptions, Innovations,
    Outlier, Posterior, Prior, Residuals, SensorTests, Suspect,
};
pub use factors::{Factorisation, FactorisationError};
pub use featherline_sparse::{
    DulmageMendelsohn, Elimination, EliminationError, EliminationOrder, Factors, GeneralError,
    GeneralLu, Matching, OrderError, Part, SparseMatrix, Sparsity, SparsityError, Symbol, Template,
    TemplateError, TriangularFactors,
};
pub use file::SensorFile;
pub use plan::{Plan, PlanFileError, Stage};
pub use problem::{
    Components, Contact, Known, KnownId, KnownSet, KnownValue, Noise, Problem, Sensor, SensorId,
    SensorKind, WrenchBasis,
};
pub use program::{Check, CompiledSolve, GuardedProgram, GuardedRun, SolveStatus};
pub use requested::{Label, Requested};
pub use search::{FoundOrder, Progress, SearchOptions, search};
pub use simulation::{SensorSimulation, SensorSimulationError, SimulatedState};
pub use spy::SparsityPicture;
pub use system::{AssemblyMemory, Equation, Equations, InputGroup, Solution, Switches, System};
pub use template::PlanError;
pub use unknown::{Unknown, Unknowns};
