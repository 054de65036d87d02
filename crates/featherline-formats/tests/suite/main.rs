//! Robot files: what is read, what is refused, what is written.

mod check;
mod formats;
mod mjcf;
mod model_file;
mod options;
mod plausibility;
mod repair;
mod scene;
mod srdf;
mod urdf;
mod xacro;
