//! featherline compared with reference numbers, quantity by quantity.
//!
//! The reference side (Python, in the same folder) hands over robots, states and numbers, as a
//! [`stream`] or as a [`golden`] file. This side makes the same models, from URDF or from a
//! [`description`]; finds joints and frames by name and coordinates by joint ([`layout`]); computes
//! the same [`quantities`]; and judges the differences ([`agreement`]). The [`verdict`] on a robot
//! is its worst difference, and a [`report`] lists all robots.
//!
//! Estimates are compared with another reference, in a way of their own: [`estimator`].

pub mod agreement;
pub mod close_to_singular;
pub mod description;
pub mod estimator;
pub mod golden;
pub mod layout;
pub mod quantities;
pub mod record;
pub mod reference;
pub mod refined;
pub mod report;
pub mod robot_files;
pub mod stream;
pub mod verdict;
