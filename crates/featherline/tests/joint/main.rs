//! Every kind of joint: its kinematics, its Lie group, and the Jacobians of both.

mod evaluate;
mod kinds;
