//! The variational integrator in maximal coordinates: bodies with free poses, joints and loops as
//! constraints.
//!
//! The discrete action is that of the [minimal one](super), a sum over bodies. Here each body
//! varies freely, and the joints hold it by impulses λ in the directions C of their constraint
//! forces, which are taken where the step begins:
//!
//! ```text
//! μ⁻(ξₖ) − μ⁺(ξₖ₋₁) + Cᵀ(xₖ) λₖ = h fₖ,   log₆ of every joint's gap at xₖ₊₁ along C = 0
//! ```
//!
//! with xₖ₊₁ = xₖ cay ξₖ. The variations that the joints allow see no λ, and what is left is the
//! discrete Euler-Lagrange equation in joint coordinates: both integrators follow the same motion,
//! and each is an independent check of the other. A loop is a joint like any other here, and its
//! gap is closed at each instant, so that nothing drifts.
//!
//! A quasi-Newton method keeps the matrix [M Cᵀ; C 0] of the instant and corrects mean velocities.
//! That matrix is eliminated once a step by blocks of bodies and joints ([`graph`]). With momenta
//! fixed in space while a body moves freely, bodies take on what impulses between them give,
//! however loosely a step is solved: total momentum is a sum in which joints cancel.
//!
//! Sources: J. Brüdigam, Z. Manchester, "Linear-time variational integrators in maximal
//! coordinates", WAFR 2020, for the method, there with quaternions in place of Cayley's map and a
//! formula for each joint; J. Marsden, M. West, "Discrete mechanics and variational integrators",
//! Acta Numerica 10, 2001, section 3.4, for constraints.

mod graph;
mod integrate;

pub use integrate::MaximalVariationalIntegrator;
