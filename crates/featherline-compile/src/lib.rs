//! Programs without branches, made offline for one robot and one question.
//!
//! ```toml
//! [dependencies] # from a clone beside your crate; once published: featherline-compile = "0.2"
//! featherline = { path = "../featherline/crates/featherline" }
//! featherline-compile = { path = "../featherline/crates/featherline-compile" }
//! ```
//!
//! A kernel of the library is *traced*: run once with [`Trace`] in place of numbers, it leaves
//! behind the [`Graph`] of its operations, in which the robot's constants are folded and common
//! subexpressions are shared. In other frames and parameters it takes fewer ([`CanonicalModel`]),
//! and [simplified](Graph::simplified) fewer still. A [`Program`] is the graph as a list of
//! instructions, which an [`Interpreter`] runs over blocks of states, and of which [`MachineCode`]
//! is made, several times as fast.
//!
//! ```
//! use featherline::{Error, Workspace, samples};
//! use featherline_compile::Graph;
//!
//! // The gravity torque of a double pendulum: a graph with q₀ and q₁ as inputs.
//! let model = samples::double_pendulum();
//! let graph = Graph::try_record(2, |q| -> Result<_, Error> {
//!     let mut ws = Workspace::new(&model);
//!     Ok(model.gravity_torque(&mut ws, q)?.to_vec())
//! })?;
//! assert_eq!(graph.outputs().len(), 2);
//! # Ok::<(), Error>(())
//! ```

mod canonical;
mod error;
mod graph;
mod interpreter;
mod invalid;
mod machine;
mod program;
mod quantity;
mod runner;
mod simplify;
mod trace;

pub use canonical::{CanonicalModel, NotCanonical};
pub use error::ProgramError;
pub use graph::{Graph, Value};
pub use interpreter::Interpreter;
pub use invalid::Invalid;
pub use machine::MachineCode;
pub use program::{FileError, Options, Program};
pub use quantity::{Function, Port, Quantity};
pub use runner::Runner;
pub use trace::{Trace, TraceMask};
