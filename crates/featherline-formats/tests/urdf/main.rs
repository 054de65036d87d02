//! The URDF reader.

mod broken_elements;
mod broken_joints;
mod broken_trees;
mod broken_xml;
mod case;
mod damaged;
mod hostile;
mod robots;
mod semantics;
mod warnings;
