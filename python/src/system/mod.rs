//! The sparse system of dynamics and sensors: solutions, estimates, diagnosis, plans.

// Layers, bottom to top: with_owner share text, sensor states, problem, solution,
// derivatives estimate, estimator, diagnosis.
// A system has methods of every one of them, and keeps their memory.
mod derivatives;
mod diagnosis;
mod estimate;
mod estimator;
mod factors;
mod matrix;
mod plan;
mod problem;
mod program;
mod sensor;
mod share;
mod simulation;
mod solution;
mod states;
mod text;
mod with_owner;

pub use diagnosis::{Advice, Configuration, Diagnosis};
pub use estimate::{ChiSquare, Estimate, Innovations, Outlier, Suspect};
pub use estimator::Estimator;
pub use factors::{Reformulation, SparseMatrix, SystemFactors};
pub use matrix::{Assembly, BlockTriangularForm, Pattern};
pub use plan::{OperationCount, Plan};
pub use problem::System;
pub use program::EstimateProgram;
pub use sensor::{Prior, Sensor};
pub use simulation::SimulatedReadings;
pub use solution::Solution;
