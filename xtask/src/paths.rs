//! Where things are.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    // This crate is a folder of the repository, so its folder has a parent.
    xtask.parent().unwrap_or(xtask)
}

/// Cargo's folder for everything that is built.
pub fn target() -> PathBuf {
    // A relative path is meant from the current directory, which `cargo run` leaves as it is.
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
