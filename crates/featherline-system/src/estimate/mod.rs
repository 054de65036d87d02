//! Estimation: the most probable accelerations and forces, given redundant and noisy sensors.
//!
//! See [`Estimator`].

mod count;
mod error;
mod estimator;
mod factor;
mod most_probable;
mod normal;
mod options;
mod posterior;
mod prior;
mod residuals;
mod sensor_tests;

pub use count::EstimateCount;
pub use error::EstimateError;
pub use estimator::Estimator;
pub(crate) use estimator::describe;
pub use most_probable::Estimate;
pub use options::EstimatorOptions;
pub use posterior::Posterior;
pub use prior::Prior;
pub use residuals::{ChiSquare, Innovations, Outlier, Residuals};
pub use sensor_tests::{SensorTests, Suspect};
