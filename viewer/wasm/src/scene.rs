//! Scenes of robots that are given to the page as texts.

use featherline_formats::{LoadOptions, load_str_with};
use featherline_viewer::scene::Scene;
use wasm_bindgen::prelude::wasm_bindgen;

/// The scene of a robot's file, a URDF, an MJCF or a model file, as bytes; of one that cannot be
/// read, the scene with the error. Meshes in files of their own are missing, with warnings.
#[wasm_bindgen(js_name = sceneOf)]
pub fn scene_of(text: &str) -> Vec<u8> {
    let scene = match load_str_with(text, &LoadOptions::new()) {
        Ok(robot) => Scene::of_robot(&robot),
        Err(error) => Scene::of_error(&error),
    };
    scene.to_bytes()
}
