//! The account of a simulation's energy, over all of its runs.

use featherline_sim::contact::{ContactAccount, ContactSample};

/// Work and losses since the state was set, in J.
#[derive(Clone, Copy, Default)]
pub struct Energies {
    account: ContactAccount,
    other_loss: f64,
}

impl Energies {
    /// Those up to a sample of a run that began with these.
    pub fn until(&self, sample: &ContactSample<'_>) -> Self {
        let mut both = *sample;
        self.add_to(&mut both);
        Self {
            account: both.account,
            other_loss: both.other_loss,
        }
    }

    /// Adds these to the account of a sample.
    pub fn add_to(&self, sample: &mut ContactSample<'_>) {
        let (own, all) = (&self.account, &mut sample.account);
        all.drive_work += own.drive_work;
        all.force_work += own.force_work;
        all.friction_loss += own.friction_loss;
        all.impact_loss += own.impact_loss;
        sample.other_loss += self.other_loss;
    }

    /// A sample without contacts that has these.
    pub fn sample(&self) -> ContactSample<'static> {
        ContactSample {
            contacts: &[],
            step: 0.0,
            worst: None,
            account: self.account,
            other_loss: self.other_loss,
        }
    }
}
