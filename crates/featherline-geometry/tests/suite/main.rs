//! Shapes, meshes, their files and masses, hulls, collision.

mod collision;
mod collision_model;
mod common;
mod files;
mod flush;
mod mesh_pairs;
mod meshes;
mod polygons;
mod reduction;
mod shapes;
