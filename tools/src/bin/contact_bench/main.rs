//! Scenes with contact, written as MJCF for another engine, and timed here.
//!
//! ```text
//! cargo run --release -p featherline-tools --bin contact_bench -- write FOLDER
//! cargo run --release -p featherline-tools --bin contact_bench -- run FILE.xml SETTLE STEPS
//! ```
//!
//! `write` makes one MJCF file a scene, with position actuators in place of drives. `run` reads
//! such a file, simulates it for SETTLE steps of 1 ms, then five times STEPS steps, and prints a
//! line of JSON. `cargo xtask bench-contact` has the files read by featherline and MuJoCo.

mod scenes;
mod timed;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["write", folder] => scenes::write(folder.as_ref()),
        ["run", file, settle, steps] => timed::run(file, settle.parse()?, steps.parse()?),
        _ => Err("write FOLDER, or run FILE.xml SETTLE STEPS".into()),
    }
}
