//! Estimation: the most probable accelerations and forces, given redundant and noisy sensors.
//!
//! See [`Estimator`].

mod broad_priors;
mod compiled;
mod corrected;
mod deviations;
mod error;
mod estimator;
mod exact;
mod most_probable;
mod options;
mod posterior;
mod prior;
mod prior_scale;
mod residuals;
mod rows;
mod sensor_tests;
mod source_of_overflow;
mod weights;

pub use compiled::{
    EstimateCheck, EstimateProgram, EstimateProgramError, EstimateRun, EstimateStatus,
};
pub use error::EstimateError;
pub use estimator::Estimator;
pub use most_probable::Estimate;
pub use options::{Assumption, EstimatorOptions};
pub use posterior::Posterior;
pub use prior::Prior;
pub use residuals::{ChiSquare, Innovations, Outlier, Residuals};
pub use sensor_tests::{SensorTests, Suspect};
