//! A contender's end of the protocol of `bench/README.md`: a server on stdin and stdout, the names
//! of the calls, the file of states, and the robot that is made rather than read.
//!
//! It knows no library, so that contenders written in Rust share it.

pub mod calls;
pub mod chain;
pub mod server;
pub mod states;
