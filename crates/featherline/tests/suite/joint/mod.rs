//! Every kind of joint: its kinematics, its Lie group, and the Jacobians of both.

mod between;
mod evaluate;
mod group;
mod jacobians;
mod kinds;
mod sampling;
