//! The MJCF reader.

mod actuation;
mod again;
mod attach;
mod bodies;
mod broken;
mod compiler;
mod constraints;
mod contacts;
mod converted;
mod damaged;
mod geoms;
mod includes;
mod joints;
mod keep;
mod meshes;
mod moved;
mod read;
mod write;
