//! Estimation: the most probable accelerations and forces, given redundant and noisy sensors.
//!
//! See [`Estimator`].

mod breadth;
mod count;
mod covariance;
mod error;
mod estimator;
mod exact;
mod factor;
mod fronts;
mod normal;
mod normal_equations;
mod options;
mod orthogonal;
mod posterior;
mod prior;
mod residuals;
mod rows;
mod sensor_tests;
mod weights;

pub use count::EstimateCount;
pub use error::EstimateError;
pub(crate) use estimator::describe;
pub use estimator::{Estimate, Estimator};
pub use options::{Assumption, EstimatorOptions};
pub use posterior::Posterior;
pub use prior::Prior;
pub use residuals::{ChiSquare, Innovations, Outlier, Residuals};
pub use sensor_tests::{SensorTests, Suspect};
