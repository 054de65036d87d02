//! The URDF reader.

mod robots;
