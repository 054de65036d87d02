//! A robot in the browser.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-viewer = "0.2"
//! featherline-formats = { path = "../featherline/crates/featherline-formats" }
//! featherline-viewer = { path = "../featherline/crates/featherline-viewer" }
//! ```
//!
//! [`scene`] makes of a robot what a page needs to show it: the model, shapes, meshes, warnings,
//! and a recording where there is one. With the feature `page`, `page` is one HTML file that shows
//! a scene, alone or with the scene inside. With the feature `server`, `server` serves it to a
//! browser on the same machine, and shows it the states of a running simulation; `picture` makes
//! PNG and GIF files by a browser without a window.
//!
//! ```
//! use featherline_viewer::scene::Scene;
//!
//! let text = "<robot name='r'><link name='a'><visual><geometry><sphere radius='1'/></geometry></visual></link></robot>";
//! let robot = featherline_formats::load_str(text)?;
//! let scene = Scene::of_robot(&robot);
//! assert!(scene.to_bytes().starts_with(b"FLSC"));
//! # Ok::<(), featherline_formats::Error>(())
//! ```
//!
//! Features: `page`, `server`; none is on by default. Without `server` the crate builds for
//! `wasm32-unknown-unknown`.

#[cfg(feature = "page")]
pub mod page;
#[cfg(feature = "server")]
pub mod picture;
pub mod scene;
#[cfg(feature = "server")]
pub mod server;
