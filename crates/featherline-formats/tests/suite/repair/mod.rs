//! Repairs of robot files.

mod case;
mod directions;
mod files;
mod inertia;
mod joints;
mod names;
mod shapes;
mod spelling;
