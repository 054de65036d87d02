//! Which numbers a recording has, for robots that touch things, too.

use crate::bodies;
use crate::columns::{Column, columns, contact_columns, write_row};
use featherline::Model;
use featherline::model::JointId;
use featherline::spatial::Vec3;
use featherline_sim::simulation::Sample;

/// Which numbers a recording has: those of a robot, and those of what it touches.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) model: Model,
    /// The bodies that can touch something; none in recordings without contact.
    pub(crate) touching: Option<Vec<JointId>>,
    /// The names of all bodies, the world's first.
    names: Vec<String>,
}

impl Layout {
    /// Without contact.
    pub(crate) fn new(model: &Model) -> Self {
        Self {
            model: model.clone(),
            touching: None,
            names: bodies::names(model),
        }
    }

    /// With the contacts of pairs of bodies.
    pub(crate) fn with_contacts(model: &Model, pairs: &[[JointId; 2]]) -> Self {
        Self {
            touching: Some(bodies::of_pairs(pairs)),
            ..Self::new(model)
        }
    }

    /// The names of all bodies, if contacts are recorded.
    pub(crate) fn body_names(&self) -> Option<&[String]> {
        self.touching.is_some().then_some(&self.names[..])
    }

    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut all = columns(&self.model);
        if let Some(touching) = &self.touching {
            let names = touching.iter().map(|id| self.names[id.index()].as_str());
            all.extend(contact_columns(names));
        }
        all
    }

    /// The names of the columns.
    pub(crate) fn column_names(&self) -> Vec<String> {
        let columns = self.columns().into_iter();
        columns.map(|column| column.name).collect()
    }

    /// The first name that two columns have: joint `a` with a component `x` beside a joint `a.x`.
    pub(crate) fn duplicate(&self) -> Option<String> {
        let mut names = self.column_names();
        names.sort_unstable();
        let pair = names.windows(2).find(|pair| pair[0] == pair[1]);
        pair.map(|pair| pair[0].clone())
    }

    /// Adds the numbers of a sample to `row`, in the order of the columns.
    pub(crate) fn write(&self, sample: &Sample<'_>, row: &mut Vec<f64>) {
        write_row(&self.model, sample, row);
        if let Some(touching) = &self.touching {
            write_contacts(touching, sample, row);
        }
    }
}

/// Adds the numbers of a sample of `model` to `row`, in the order of
/// [`columns_with_contacts`](crate::columns_with_contacts) of the same pairs; those of contact are
/// zero in samples without.
///
/// ```
/// use featherline::samples;
/// use featherline_record::{columns_with_contacts, write_row_with_contacts};
/// use featherline_sim::simulation::{Method, Simulator};
///
/// let model = samples::double_pendulum();
/// let simulator = Simulator::new(&model, Method::time_stepping(1e-3)?);
/// let mut simulation = simulator.start(0.0, &[1.0, 0.0], &[0.0; 2])?;
/// simulation.run(0.1, 0.1, &mut ())?;
/// let pairs = simulation.body_pairs();
/// let mut row = Vec::new();
/// write_row_with_contacts(&model, &pairs, &simulation.sample()?, &mut row);
/// assert_eq!(row.len(), columns_with_contacts(&model, &pairs).len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_row_with_contacts(
    model: &Model,
    body_pairs: &[[JointId; 2]],
    sample: &Sample<'_>,
    row: &mut Vec<f64>,
) {
    write_row(model, sample, row);
    write_contacts(&bodies::of_pairs(body_pairs), sample, row);
}

/// Adds the numbers of contact, with the forces on the bodies of `touching`.
fn write_contacts(touching: &[JointId], sample: &Sample<'_>, row: &mut Vec<f64>) {
    let Some(contact) = &sample.contact else {
        // A method without contacts.
        row.extend(std::iter::repeat_n(0.0, contact_columns([]).len()));
        row.extend(std::iter::repeat_n(0.0, 6 * touching.len()));
        return;
    };
    let account = &contact.account;
    row.extend([
        contact.residual(),
        contact.penetration(),
        account.drive_work,
        account.force_work,
        account.friction_loss,
        account.impact_loss,
        contact.other_loss,
        account.energy_gain,
    ]);
    for body in touching {
        let (mut force, mut point, mut weight) = (Vec3::zero(), Vec3::zero(), 0.0);
        for it in contact.contacts {
            let sign = match it.contact.bodies {
                [_, second] if second == *body => 1.0,
                [first, _] if first == *body => -1.0,
                _ => continue,
            };
            force += contact.force(it) * sign;
            point += it.contact.point * it.normal_impulse();
            weight += it.normal_impulse();
        }
        if weight > 0.0 {
            point = point * weight.recip();
        }
        row.extend(force.to_array());
        row.extend(point.to_array());
    }
}
