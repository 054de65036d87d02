//! Kinematics: where bodies and frames are, and how they move.

pub(crate) mod joint_pass;
