//! Contacts in a simulation: errors, losses, and the forces at the end.

use crate::table::{align_numbers, plain};
use comfy_table::Table;
use featherline::Model;
use featherline::spatial::Vec3;
use featherline_record::body_name;
use featherline_record::number::short;
use featherline_sim::contact::ContactSample;
use serde::Serialize;
use std::fmt::Write;

/// The most pairs of bodies that are written as text.
const MOST_PAIRS: usize = 12;

/// Parts of an energy that are rounding.
const ROUNDING: f64 = 1e-12;

/// The contacts of a simulation.
#[derive(Serialize)]
pub struct ContactSummary {
    /// The deepest overlap, in m.
    penetration: f64,
    /// The largest residual of a step, in m/s and rad/s.
    residual: f64,
    steps: u64,
    /// Steps whose residual is too large.
    inexact_steps: u64,
    /// In J, since the start.
    drive_work: f64,
    force_work: f64,
    friction_loss: f64,
    impact_loss: f64,
    other_loss: f64,
    energy_gain: f64,
    /// Energies below this are rounding, in J.
    #[serde(skip)]
    rounding: f64,
    /// The contacts within reach at the end.
    contacts: usize,
    /// The forces at the end.
    forces: Vec<Pair>,
}

/// The force between two bodies at the end.
#[derive(Serialize)]
struct Pair {
    bodies: [String; 2],
    /// On the second body, in N, in the world.
    force: [f64; 3],
    /// Where it acts, in m, in the world.
    point: [f64; 3],
    /// In N.
    normal_force: f64,
    contacts: usize,
}

impl ContactSummary {
    pub fn new(model: &Model, contact: &ContactSample<'_>, energy: f64) -> Self {
        let account = &contact.account;
        let energies = [
            energy,
            account.drive_work,
            account.force_work,
            account.friction_loss,
            account.impact_loss,
        ];
        let mut pairs = Vec::new();
        contact.pair_forces(&mut pairs);
        let forces = pairs.iter().map(|pair| Pair {
            bodies: pair.bodies.map(|id| body_name(model, id).to_owned()),
            force: pair.force.to_array(),
            point: pair.point.to_array(),
            normal_force: pair.normal_force,
            contacts: pair.contacts,
        });
        Self {
            penetration: account.penetration,
            residual: account.residual,
            steps: account.steps,
            inexact_steps: account.inexact_steps,
            drive_work: account.drive_work,
            force_work: account.force_work,
            friction_loss: account.friction_loss,
            impact_loss: account.impact_loss,
            other_loss: contact.other_loss,
            energy_gain: account.energy_gain,
            rounding: ROUNDING * energies.into_iter().map(f64::abs).fold(0.0, f64::max),
            contacts: contact.contacts.len(),
            forces: forces.collect(),
        }
    }

    /// Some lines, each with its end.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.steps == 0 {
            return text;
        }
        let exact = match self.inexact_steps {
            0 => format!("all {} steps exact", self.steps),
            1 => format!("1 of {} steps not exact", self.steps),
            n => format!("{n} of {} steps not exact", self.steps),
        };
        let energy = |x: f64| match x.abs() <= self.rounding {
            true => "0".to_owned(),
            false => short(x),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "contact: deepest penetration {:.1e} m; {exact}, worst residual {:.1e} m/s (rad/s)",
            self.penetration, self.residual
        );
        let _ = writeln!(
            text,
            "energy: drives gave {} J, other forces {} J; friction took {} J, impacts {} J, joints and \
             the method's error {} J",
            energy(self.drive_work),
            energy(self.force_work),
            energy(self.friction_loss),
            energy(self.impact_loss),
            energy(self.other_loss)
        );
        let Some(table) = self.table() else {
            text.push_str("nothing touches at the end\n");
            return text;
        };
        let _ = writeln!(text, "{table}");
        if let Some(more) = self.forces.len().checked_sub(MOST_PAIRS + 1) {
            let _ = writeln!(text, "and {} pairs of bodies more", more + 1);
        }
        text
    }

    /// The forces at the end; none if nothing touches.
    fn table(&self) -> Option<Table> {
        if self.forces.is_empty() {
            return None;
        }
        let forces = ["x [N]", "y [N]", "z [N]", "points"];
        let mut table = plain(["force at the end on", "by"].into_iter().chain(forces));
        // Of forces that balance, rounding is left.
        let greatest = self.forces.iter().map(|it| it.normal_force);
        let least = 1e-9 * greatest.fold(0.0, f64::max);
        let number = |x: f64| match x.abs() < least {
            true => "0".to_owned(),
            false => format!("{x:.3}"),
        };
        let row = |on: &str, by: &str, force: Vec3<f64>, points: usize| {
            let [x, y, z] = force.to_array().map(number);
            [on.to_owned(), by.to_owned(), x, y, z, points.to_string()]
        };
        let mut sum = (Vec3::zero(), 0);
        for pair in &self.forces {
            let [x, y, z] = pair.force;
            if pair.bodies[0] == "world" {
                sum = (sum.0 + Vec3::new(x, y, z), sum.1 + pair.contacts);
            }
        }
        for pair in self.forces.iter().take(MOST_PAIRS) {
            let [x, y, z] = pair.force;
            let [by, on] = &pair.bodies;
            table.add_row(row(on, by, Vec3::new(x, y, z), pair.contacts));
        }
        let by_world = self.forces.iter().filter(|it| it.bodies[0] == "world");
        if by_world.count() > 1 {
            table.add_row(row("all", "world", sum.0, sum.1));
        }
        align_numbers(&mut table, 2..6);
        Some(table)
    }
}
