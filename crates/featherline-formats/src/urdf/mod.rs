//! URDF, the Unified Robot Description Format.
//!
//! The reader follows the format's specification (Open Robotics, *URDF/XML*, the ROS wiki). Where
//! the specification leaves a choice:
//!
//! * Links that fixed joints connect are one body of the model; the frames of all links and fixed
//!   joints are kept. A fixed joint that is named in [`LoadOptions::keep_fixed_joint`] stays a
//!   joint.
//! * The root link is fixed in the world, or with [`LoadOptions::floating_base`] moved by a
//!   free-flyer `root_joint`.
//! * A `planar` joint moves in the plane through its origin whose normal is the axis: its x and y
//!   are those of the joint's frame after the smallest rotation that takes z to the axis. A
//!   `floating` joint is a free-flyer. Limits and dynamics of both are not used, because they do
//!   not say which degree of freedom they are for.
//! * A mimic joint has no entry in q and v (see [`MimicJoints`](crate::MimicJoints)), and may
//!   come before the mimicked joint.
//! * `lower`, `upper`, `velocity` and `effort` may be `inf` or `-inf`; every other number is
//!   finite.
//! * `quat_xyzw` may replace `rpy` in an `<origin>`.
//!
//! * A shape that is malformed is left out with a warning. Meshes are found, but not opened.
//! * Other elements of a robot, a link or a joint, such as `<transmission>`, `<sensor>` and
//!   `<safety_controller>`, are [kept](crate::description::KeptElement) as they are written.
//!
//! Armature, rotor inertia and gear ratio are not part of the format.
//!
//! [`LoadOptions::keep_fixed_joint`]: crate::LoadOptions::keep_fixed_joint
//! [`LoadOptions::floating_base`]: crate::LoadOptions::floating_base

mod added_links;
mod geometry;
mod read;
mod references;
mod value;
mod write;

pub(crate) use read::{MOMENTS, read};
pub(crate) use write::to_string_with_srdf;
pub use write::{to_string, to_string_beside};
