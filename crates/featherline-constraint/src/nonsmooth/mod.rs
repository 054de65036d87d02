//! Constraints with sets: friction, contact, limits, drives and loops by one solver.
//!
//! A block of [`Rows`] reads a velocity u = J v + b, and has an impulse λ in a [`Set`]: a cone of
//! friction, the numbers that are not negative, an interval, or all numbers. [`Solver`] finds the
//! velocity and the impulses for which all laws hold, exactly and not by a relaxation, and returns
//! the residual.
//!
//! | set | what it is for | law |
//! |---|---|---|
//! | [`Set::Cone`] | contact with friction | Signorini's condition, Coulomb's law |
//! | [`Set::NonNegative`] | limits of joints, frictionless contact | λ ≥ 0, u ≥ 0, λ u = 0 |
//! | [`Set::Interval`] | dry friction of joints, drives of limited effort | u = 0 within the bound |
//! | [`Set::Equality`] | loops, welds, locks | u = 0 |

mod answers;
mod cone;
mod dense;
mod elimination;
mod gauss_seidel;
mod islands;
mod laws;
mod limits;
mod minimum_degree;
mod newton;
mod path;
mod pattern;
mod response;
mod restraint;
mod robot_rows;
mod rows;
mod set;
mod solver;

pub use featherline::contact_law::FrictionLaw;
pub use limits::{Displacement, Limited, clamp_to_limits, limited_displacements, stated_limits};
pub use robot_rows::{Anisotropy, Contact, RobotRows, approach, push_limits};
pub use rows::{Law, Rows};
pub use set::Set;
pub use solver::{Outcome, Solver, SolverOptions};
