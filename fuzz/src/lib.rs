//! What the fuzzer does with random input of each format. `cargo xtask fuzz` runs it.

use featherline_formats::repair::{RepairOptions, propose_str};
use featherline_formats::{Error, load_str, mjcf, urdf};
use featherline_geometry::{Mesh, MeshFormat, MeshInertia};

/// A robot for SRDF files, with the names in their seed.
const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
    <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
    <joint name='k' type='floating'><parent link='b'/><child link='c'/></joint></robot>";

/// Loads a robot; what loads is written in both formats, and what is written loads. What is
/// repaired loads, too, if the repairs say so.
pub fn robot(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    if let Ok(repairs) = propose_str(text, &RepairOptions::new())
        && repairs.outcome.is_ok()
    {
        loads(&repairs.apply());
    }
    let Ok(robot) = load_str(text) else { return };
    let written = [urdf::to_string(&robot.description), mjcf::to_string(&robot.description)];
    for written in written.into_iter().flatten() {
        loads(&written.text);
    }
}

fn loads(text: &str) {
    if let Err(error) = load_str(text) {
        panic!("what was written is refused: {error}\n{text}");
    }
}

/// Adds an SRDF to a robot.
pub fn srdf(text: &[u8]) -> Result<(), Error> {
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(());
    };
    load_str(ROBOT)?.with_srdf_str(text)?;
    Ok(())
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
