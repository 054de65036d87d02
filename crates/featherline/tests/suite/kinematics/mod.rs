//! Kinematics of random trees with every kind of joint.

mod center_of_mass;
mod hessian;
mod jacobians;
mod joint_motion;
mod motions;
mod moving;

/// Some hundreds of roundings of numbers of size one.
const ROUNDING: f64 = 1e-12;
