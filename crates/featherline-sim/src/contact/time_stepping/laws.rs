//! The laws that contacts follow, where there is a choice.

use featherline_constraint::nonsmooth::ConeLaw;

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

/// The laws of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContactLaws {
    /// The law of contact and friction.
    pub cone: ConeLaw,
    /// The law of impacts.
    pub impact: ImpactLaw,
}

impl ContactLaws {
    /// The same with another law of contact and friction.
    #[must_use]
    pub fn with_cone(mut self, cone: ConeLaw) -> Self {
        self.cone = cone;
        self
    }

    /// The same with another law of impacts.
    #[must_use]
    pub fn with_impact(mut self, impact: ImpactLaw) -> Self {
        self.impact = impact;
        self
    }
}
