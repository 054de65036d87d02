//! The URDF reader.

mod as_mjcf;
mod broken_elements;
mod broken_joints;
mod broken_trees;
mod broken_xml;
mod case;
mod damaged;
mod geometry;
mod hostile;
mod robots;
mod round_trip;
mod semantics;
mod warnings;
