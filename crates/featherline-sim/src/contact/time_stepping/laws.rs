//! The laws that contacts follow, where there is a choice.

pub use featherline::contact_law::{FrictionLaw, ImpactLaw};
use featherline_constraint::nonsmooth::SolverOptions;

/// The laws of contact and of limits, and how closely they are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactLaws {
    /// The law of contact and friction.
    pub cone: FrictionLaw,
    /// The law of impacts.
    pub impact: ImpactLaw,
    /// The largest violation of the laws by moving bodies, relative to their speed: 1e-6 unless
    /// another is given. Resting bodies keep the laws to 1e-10 of the velocity that a step without
    /// contact would give them, or to this part of it if that is less.
    pub tolerance: f64,
    /// Whether joints stop at their limits, as they do by default.
    pub joint_limits: bool,
}

impl Default for ContactLaws {
    /// The exact law, Newton's law of impacts, 1e-6, and joints that stop at their limits.
    fn default() -> Self {
        Self {
            cone: FrictionLaw::default(),
            impact: ImpactLaw::default(),
            tolerance: SolverOptions::default().in_motion,
            joint_limits: true,
        }
    }
}

impl ContactLaws {
    /// The same with another law of contact and friction.
    #[must_use]
    pub fn with_cone(mut self, cone: FrictionLaw) -> Self {
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
