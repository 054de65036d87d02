//! A sample as an object of JSON.

use crate::xyz::Xyz;
use featherline_sim::simulation::Sample;
use serde::Serialize;

/// An object with the numbers of a sample, vectors as arrays and objects.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    t: f64,
    q: &'a [f64],
    v: &'a [f64],
    tau: &'a [f64],
    kinetic_energy: f64,
    potential_energy: f64,
    energy: f64,
    linear_momentum: Xyz,
    angular_momentum: Xyz,
    loop_gap: f64,
    loop_gap_rate: f64,
}

impl<'a> From<&Sample<'a>> for Row<'a> {
    fn from(sample: &Sample<'a>) -> Self {
        Self {
            t: sample.t,
            q: sample.q,
            v: sample.v,
            tau: sample.tau,
            kinetic_energy: sample.kinetic_energy,
            potential_energy: sample.potential_energy,
            energy: sample.energy(),
            linear_momentum: sample.momentum.linear.into(),
            angular_momentum: sample.momentum.angular.into(),
            loop_gap: sample.loop_gap.position,
            loop_gap_rate: sample.loop_gap.velocity,
        }
    }
}
