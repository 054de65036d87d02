//! What the fuzzer does with random input of each format. `cargo xtask fuzz` runs it.

use featherline::samples;
use featherline_formats::repair::{RepairOptions, propose_str};
use featherline_formats::{Error, FileFormat, load_str};
use featherline_compile::{Graph, Options, Program};
use featherline_geometry::{Mesh, MeshFormat, MeshInertia};
use featherline_viewer::scene::Scene;
use featherline_viewer::server::Server;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::OnceLock;
use twox_hash::XxHash3_128;

/// A robot for SRDF files, with the names in their seed.
const ROBOT: &str = "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>
    <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>
    <joint name='k' type='floating'><parent link='b'/><child link='c'/></joint></robot>";

/// Loads a robot; what loads is written in every format, and what is written loads. What is
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
    for format in FileFormat::ALL.into_iter().filter(|it| it.is_written()) {
        if let Ok(written) = robot.to_files(format, "robot") {
            loads(&written.text);
        }
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

/// Expands a file in xacro: the text is inside of an element that declares the language.
pub fn xacro(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let uri = "http://www.ros.org/wiki/xacro";
    let _ = load_str(&format!("<robot name=\"${{'r'}}\" xmlns:xacro=\"{uri}\">{text}</robot>"));
}

/// Loads a scene.
pub fn scene(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let _ = load_str(&format!("[ground]\n{text}"));
}

/// Reads a recording, in the format that the first byte selects.
pub fn recording(bytes: &[u8]) {
    let Some((format, bytes)) = bytes.split_first() else {
        return;
    };
    let extensions = ["csv", "jsonl", "mcap", "parquet"];
    let extension = extensions[usize::from(*format) % extensions.len()];
    let name = format!("featherline-fuzz-{}.{extension}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).expect("the folder for temporary files is writable");
    let _ = featherline_record::read(&path, &samples::double_pendulum());
    let _ = std::fs::remove_file(path);
}

/// The bytes of a program's file before the sum of the others.
const HEAD: usize = 16;

/// Reads a program from the bytes behind the head of its file and their sum, which no random input
/// would have.
pub fn program(contents: &[u8]) {
    let graph = Graph::record(1, |x| vec![x[0] * x[0]]);
    let mut bytes = Program::of_graph(&graph, &Options::default()).to_bytes();
    bytes.truncate(HEAD);
    bytes.extend(XxHash3_128::oneshot(contents).to_le_bytes());
    bytes.extend(contents);
    if let Ok(program) = Program::from_bytes(&bytes) {
        Program::from_bytes(&program.to_bytes()).expect("what is written is read");
    }
}

/// Sends bytes to the viewer's server. `TOKEN` and `HOST` stand for its own.
pub fn request(bytes: &[u8]) {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let robot = load_str("<robot name='r'><link name='a'/></robot>").expect("a robot");
        Server::start(&Scene::of_robot(&robot)).expect("a server")
    });
    let address = server.address().trim_start_matches("http://");
    let (host, token) = address.split_once("/?token=").expect("host and token");
    let mut request = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(b"TOKEN") {
            request.extend(token.as_bytes());
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix(b"HOST") {
            request.extend(host.as_bytes());
            rest = behind;
        } else {
            request.push(*byte);
            rest = behind;
        }
    }
    let mut stream = TcpStream::connect(host).expect("the server listens");
    // It may answer, and close, before it has read all.
    let _ = stream.write_all(&request).and_then(|()| stream.shutdown(Shutdown::Write));
    let _ = stream.read_to_end(&mut Vec::new());
}
