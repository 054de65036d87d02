//! Rigid-body dynamics.
