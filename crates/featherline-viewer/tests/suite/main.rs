//! The scene of a page, and the server that hands it out.

mod scene;
mod server;
