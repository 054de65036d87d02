//! The solver of constraints with sets, on problems whose solutions are known or checked by the
//! laws themselves.

mod cone_problems;
mod problem;
mod rigid_bodies;
mod second_solvers;

pub use problem::{contacts, packed};

/// How far Signorini's condition and Coulomb's law are from holding at one contact, in m/s: of the
/// velocity u and the impulse λ, measured by the velocity w that a unit impulse gives.
pub fn violation(u: &[f64], lambda: &[f64], friction: f64, w: f64) -> f64 {
    let tangential = lambda[0].hypot(lambda[1]);
    let slip = u[0].hypot(u[1]);
    // λ in the cone, the contact not closing, and only one of the two.
    let mut worst = w * (tangential - friction * lambda[2]).max(0.0);
    worst = worst.max(-u[2]).max(w * (-lambda[2]).max(0.0));
    worst = worst.max(u[2].max(0.0).min(w * lambda[2].max(0.0)));
    // A sliding contact is braked by all friction, against the slip: ‖λ_t‖ = μ λ_n where there is
    // slip, and u_t antiparallel to λ_t.
    let reserve = w * (friction * lambda[2] - tangential).max(0.0);
    worst = worst.max(reserve.min(slip));
    if w * tangential > worst && slip > worst {
        let along = (u[0] * lambda[0] + u[1] * lambda[1]) / tangential;
        worst = worst.max((slip + along).min(slip));
    }
    worst
}
