//! The worst of several steps.

use super::StepReport;

impl StepReport {
    /// Both steps as one: the larger residual and overlap, all factorisations, and whether both
    /// converged.
    #[must_use]
    pub fn or_worse(self, other: Self) -> Self {
        let mut worst = self;
        let (own, its) = (&mut worst.outcome, &other.outcome);
        own.residual = own.residual.max(its.residual);
        own.scale = own.scale.max(its.scale);
        own.factorisations += its.factorisations;
        own.has_converged &= its.has_converged;
        worst.penetration = self.penetration.max(other.penetration);
        worst
    }
}
