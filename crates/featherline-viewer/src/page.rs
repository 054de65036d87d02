//! The page that shows a scene: one HTML file with everything inside.

use crate::scene::Scene;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// The page. It asks its server for a scene; opened as a file, it waits for one to be dropped.
// Not a constant: the program would have a copy of each use.
pub static HTML: &str = include_str!("../dist/index.html");

/// The page with a scene inside: one file that needs no server.
///
/// Cost: the size of the scene, which is compressed.
///
/// ```
/// use featherline_viewer::{page, scene::Scene};
///
/// let robot = featherline_formats::load_str("<robot name='r'><link name='a'/></robot>")?;
/// let html = page::with_scene(&Scene::of_robot(&robot));
/// assert!(html.contains("<script id=\"scene\" type=\"text/plain\">"));
/// # Ok::<(), featherline_formats::Error>(())
/// ```
pub fn with_scene(scene: &Scene) -> String {
    let text = STANDARD.encode(compressed(&scene.to_bytes()));
    let element = format!("<script id=\"scene\" type=\"text/plain\">{text}</script>");
    // After what a browser has to know first, such as the encoding, and before any script.
    let at = HTML.find("<script").or_else(|| HTML.find("</head>"));
    let (before, after) = HTML.split_at(at.unwrap_or(HTML.len()));
    [before, &element, after].concat()
}

/// Bytes compressed as gzip.
pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("memory takes all bytes")
}
