//! A sample as an object of JSON.

use crate::xyz::Xyz;
use featherline_sim::contact::{ContactSample, PairForce};
use featherline_sim::simulation::Sample;
use serde::Serialize;

/// An object with the numbers of a sample, vectors as arrays and objects.
#[derive(Serialize)]
pub(crate) struct SampleObject<'a> {
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
    #[serde(flatten)]
    contact: Option<ContactObject<'a>>,
}

/// The contact data of a sample.
#[derive(Serialize)]
struct ContactObject<'a> {
    solver_residual: f64,
    penetration: f64,
    drive_work: f64,
    force_work: f64,
    friction_loss: f64,
    impact_loss: f64,
    other_loss: f64,
    energy_gain: f64,
    contact_forces: Vec<PairRow<'a>>,
    contacts: Vec<PointRow<'a>>,
}

/// The force of a pair of bodies, on the second.
#[derive(Serialize)]
struct PairRow<'a> {
    bodies: [&'a str; 2],
    force: Xyz,
    point: Xyz,
    normal_force: f64,
}

/// A contact, with the force on the second body.
#[derive(Serialize)]
struct PointRow<'a> {
    bodies: [&'a str; 2],
    point: Xyz,
    normal: Xyz,
    force: Xyz,
    gap: f64,
    slip: f64,
}

impl<'a> SampleObject<'a> {
    /// The row of a sample; with contact if the names of the bodies are given.
    pub(crate) fn new(sample: &Sample<'a>, bodies: Option<&'a [String]>) -> Self {
        let contact = sample.contact.zip(bodies);
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
            contact: contact.map(|(contact, bodies)| ContactObject::new(&contact, bodies)),
        }
    }
}

impl<'a> ContactObject<'a> {
    fn new(contact: &ContactSample<'_>, names: &'a [String]) -> Self {
        let name = |bodies: [featherline::model::JointId; 2]| {
            bodies.map(|body| names.get(body.index()).map_or("", String::as_str))
        };
        let mut pairs: Vec<PairForce> = Vec::new();
        contact.pair_forces(&mut pairs);
        let pairs = pairs.into_iter().map(|pair| PairRow {
            bodies: name(pair.bodies),
            force: pair.force.into(),
            point: pair.point.into(),
            normal_force: pair.normal_force,
        });
        let points = contact.contacts.iter().map(|it| PointRow {
            bodies: name(it.contact.bodies),
            point: it.contact.point.into(),
            normal: it.contact.normal.into(),
            force: contact.force(it).into(),
            gap: it.contact.gap,
            slip: it.slip(),
        });
        let account = &contact.account;
        Self {
            solver_residual: contact.residual(),
            penetration: contact.penetration(),
            drive_work: account.drive_work,
            force_work: account.force_work,
            friction_loss: account.friction_loss,
            impact_loss: account.impact_loss,
            other_loss: contact.other_loss,
            energy_gain: account.energy_gain,
            contact_forces: pairs.collect(),
            contacts: points.collect(),
        }
    }
}
