//! The variational integrators: in minimal coordinates here, in maximal ones in [`maximal`].
//!
//! Instead of the equations of motion it discretises the action: over a step of h, the kinetic
//! energy of bodies whose centres of mass go straight and which turn about them with the mean
//! velocity ω/h (in Cayley's coordinates), less the mean of the potential at both ends. So a robot
//! moves in free fall as it does at rest, however fast. Making the sum over all steps stationary
//! gives the discrete Euler-Lagrange equations
//!
//! ```text
//! Σ Jᵢᵀ(qₖ) (μᵢ⁻(dₖ) − μᵢ⁺(dₖ₋₁)) = h fₖ
//! ```
//!
//! with Jᵢ a body's Jacobian, μ⁻ and μ⁺ its momenta at the beginning and the end of a step, fₖ all
//! forces at the instant k, and qₖ₊₁ = qₖ ⊕ dₖ. Armature and rotors add I (dₖ − dₖ₋₁)/h to the
//! left, as they add I v̇ in forward dynamics; in a vector space that follows from the action ½ dᵀ
//! I d/h.
//!
//! Displacements go from the root to the leaves as velocities do in RNEA, and the momenta come back
//! as its forces do. The solution is found by a quasi-Newton method that has the mass matrix at qₖ
//! in place of the derivative: one correction is the articulated-body recursion for impulses from
//! rest. The inertias are eliminated once a step, and the residual needs no pass of its own,
//! because it is the bias of that recursion. The residuals that corrections leave show the
//! difference between the mass matrix and the derivative ([`anderson`]), and previous steps give
//! the initial guess ([`extrapolation`]). Where corrections grow, Newton's method goes on
//! ([`newton`]). The residual that the last iteration leaves is solved for once more, which gives
//! the momentum that each body lacks; that stays with the body where it is in space, and the next
//! step makes up for it.
//!
//! Robots that float are followed in a frame that goes and falls with them ([`frame`]).
//!
//! Source: J. Lee, C. K. Liu, F. C. Park and S. S. Srinivasa, "A linear-time variational integrator
//! for multibody systems", WAFR 2016, for the recursions (DRNEA and RIQN), there for joints of one
//! degree of freedom and with the exponential of whole screws; J. Brüdigam, Z. Manchester,
//! "Linear-time variational integrators in maximal coordinates", WAFR 2020, for centres of mass
//! that go straight; J. Marsden and M. West, "Discrete mechanics and variational integrators", Acta
//! Numerica 10, 2001, for momenta and forces.

mod anderson;
mod cayley;
mod center_of_mass;
mod convergence;
mod correction;
mod displacements;
mod extrapolation;
mod integrate;
mod maximal;
mod moving_frame;
mod newton;
mod node;

pub use convergence::Convergence;
pub use integrate::VariationalIntegrator;
pub use maximal::MaximalVariationalIntegrator;
