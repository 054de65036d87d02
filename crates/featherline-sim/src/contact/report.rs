//! The worst of several steps.

use super::StepReport;

impl StepReport {
    /// Both steps as one: the larger residual and overlap, all factorisations, and whether both
    /// converged.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let mut worst = self;
        worst.outcome = self.outcome.or_worse(other.outcome);
        worst.penetration = self.penetration.max(other.penetration);
        worst
    }
}
