//! Recordings, written and read again.

mod reader;
mod recording;
