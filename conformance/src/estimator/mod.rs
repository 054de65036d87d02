//! Maximum a posteriori estimates beside those of iDynTree's BERDY.
//!
//! Both sides estimate all accelerations and forces of one robot from the same readings. The
//! reference describes the problem by names of links, joints and frames; [`posed`] poses it to
//! [`featherline_system::Estimator`], and says how the two sets of unknowns and equations
//! correspond; [`estimates`] is what is compared; and [`dense_qr`] tells whose digits are right
//! where they differ.

pub mod dense_qr;
pub mod description;
pub mod estimates;
pub mod posed;
pub mod report;
