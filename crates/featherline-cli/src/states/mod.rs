//! States and samples: read from lines of JSON, or drawn at random.

mod angle;
mod bad_lines;
mod lines;
mod position;
mod progress;
mod random;
mod state;

pub use angle::Angles;
pub use bad_lines::{BadLine, BadLines, BadRecord};
pub use lines::Lines;
#[cfg(feature = "system")]
pub use position::column;
pub use position::too_large;
pub use progress::{Bar, Progress};
pub use random::RandomStates;
pub use state::State;
#[cfg(any(feature = "system", feature = "compile"))]
pub use state::{BadState, bad_json, unwrapped};
