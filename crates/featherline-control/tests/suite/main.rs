//! Motion on purpose.

mod inverse_kinematics;
mod linkage;
