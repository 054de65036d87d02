//! States and samples: read from lines of JSON, or drawn at random.

mod angle;
mod bad_lines;
#[cfg(any(feature = "system", feature = "compile"))]
mod fields;
mod given;
mod lines;
mod position;
mod progress;
mod random;
mod state;

pub use angle::{Angles, doubt_degrees};
pub use bad_lines::{BadLine, BadLines, BadRecord};
#[cfg(any(feature = "system", feature = "compile"))]
pub use fields::{Fields, read};
#[cfg(feature = "view")]
pub use given::configuration;
pub use given::{StateArguments, sized};
pub use lines::Lines;
#[cfg(feature = "system")]
pub use position::column;
pub use position::too_large;
pub use progress::{Bar, Progress};
pub use random::RandomStates;
#[cfg(any(feature = "system", feature = "compile"))]
pub use state::BadState;
pub use state::State;
