//! The laws that contacts follow, where there is a choice.

use featherline_constraint::nonsmooth::{ConeLaw, SolverOptions};

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

/// The laws of contact, and how closely they are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactLaws {
    /// The law of contact and friction.
    pub cone: ConeLaw,
    /// The law of impacts.
    pub impact: ImpactLaw,
    /// By how much what moves may miss the laws, relative to its speed: 1e-6 unless another is
    /// given. What rests keeps them to 1e-10 of the velocity that a step without contact would
    /// give it, or to this part of it if that is less.
    pub tolerance: f64,
}

impl Default for ContactLaws {
    /// The exact law, Newton's law of impacts, 1e-6.
    fn default() -> Self {
        Self {
            cone: ConeLaw::default(),
            impact: ImpactLaw::default(),
            tolerance: SolverOptions::default().in_motion,
        }
    }
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

    /// The same, kept to another part of the speed. A smaller one costs time, a greater one saves
    /// little.
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
}
