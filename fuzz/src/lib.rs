//! What the fuzzer does with random input of each format. `cargo xtask fuzz` runs it.

use featherline_formats::{load_str, urdf};
use featherline_geometry::{Mesh, MeshFormat, MeshInertia};

/// Loads a robot; what loads is written, and what is written loads.
pub fn robot(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let Ok(robot) = load_str(text) else { return };
    let Ok(written) = urdf::to_string(&robot.description) else {
        return;
    };
    if let Err(error) = load_str(&written.text) {
        panic!("what was written is refused: {error}\n{}", written.text);
    }
}

/// Reads a mesh, and finds its mass and its hull.
pub fn mesh(format: MeshFormat, bytes: &[u8]) {
    let Ok(mesh) = Mesh::from_bytes(format, bytes) else {
        return;
    };
    let _ = mesh.mass_properties(MeshInertia::Exact);
    let _ = mesh.topology();
    let _ = mesh.convex_hull();
}
