//! The laws of contact that a simulation may follow, by their names.

use crate::words::Words;

/// The law of contact and friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrictionLaw {
    /// Signorini's condition and Coulomb's law, exactly.
    #[default]
    Exact,
    /// Their convex relaxation, which most engines solve: what slides lifts off at the speed
    /// μ‖u_t‖.
    Convex,
}

impl Words for FrictionLaw {
    const WHAT: &'static str = "law of friction";
    const WORDS: &'static [(&'static str, Self)] =
        &[("exact", Self::Exact), ("convex", Self::Convex)];
}

/// The law of impacts with restitution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ImpactLaw {
    /// Newton's law in the form of J. J. Moreau: each contact that was hit leaves at e times the
    /// speed at which it came. With friction and e near 1 it can gain energy, and of balls that
    /// touch it sends all but the first away together.
    #[default]
    Newton,
    /// Reflections (B. Smith, D. Kaufman, E. Vouga, R. Tamstorf, E. Grinspun, "Reflections on
    /// simultaneous impact", ACM Transactions on Graphics 31, 2012): while contacts approach, the
    /// velocity is reflected about those that do. No impact gains energy, with e = 1 and without
    /// friction none loses any, and of balls that touch the last one leaves alone. That holds for
    /// what touches or approaches as a step begins: what rested then, and is reached over a gap
    /// within the step, is pushed without restitution, and loses energy.
    Reflections,
}

impl Words for ImpactLaw {
    const WHAT: &'static str = "law of impacts";
    const WORDS: &'static [(&'static str, Self)] =
        &[("newton", Self::Newton), ("reflections", Self::Reflections)];
}
