//! Linear systems on the graph of bodies and the constraints between them, eliminated block by
//! block.
//!
//! A body is a node of six unknowns, a constraint one of at most six multipliers; a constraint's
//! node is a neighbour of its bodies' nodes and of no others. On a tree nothing fills in. Each loop
//! fills in along itself and nowhere else, whatever hangs on it. The pattern and the order are
//! found once ([`order`]); the numbers, which need not be symmetric, are eliminated for each state
//! ([`matrix`]), with a little added where they may be singular ([`proximal`]).

pub(crate) mod matrix;
mod order;
pub(crate) mod pattern;
mod proximal;

pub(crate) use order::{Constraint, Readiness};
pub(crate) use proximal::Proximal;
