//! Writes the scene of a robot to a file.
//!
//! `cargo run --release -p featherline-tools --bin scene -- ROBOT FILE [PACKAGES]`

use featherline_formats::{LoadOptions, load_with};
use featherline_viewer::scene::Scene;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robot, file, packages @ ..] = &arguments[..] else {
        return Err("give a robot file and the file to write".into());
    };
    let options = packages
        .iter()
        .fold(LoadOptions::new(), LoadOptions::package_folder);
    let scene = match load_with(robot, &options) {
        Ok(robot) => Scene::of_robot(&robot),
        Err(error) => Scene::of_error(&error),
    };
    let bytes = scene.to_bytes();
    std::fs::write(file, &bytes)?;
    println!("{file}: {} bytes", bytes.len());
    Ok(())
}
