//! A sample as a row of numbers.

use crate::bodies;
use crate::coordinates::{self, Entry, Measure};
use featherline::Model;
use featherline::kernel::mimic_displacement;
use featherline::model::JointId;
use featherline::spatial::Force;
use featherline_sim::simulation::Sample;
use serde::Serialize;

/// The first parts of the names of columns of contact.
pub(crate) const FORCE: &str = "contact_force";
pub(crate) const POINT: &str = "contact_point";

/// A column of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Column {
    /// Its name, such as `q.elbow` or `linear_momentum.x`.
    pub name: String,
    /// The joint that an entry of q, v or tau belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Its unit; 1 for entries of quaternions and of (cos, sin) pairs.
    pub unit: String,
}

impl Column {
    fn new(name: &str, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            joint: None,
            unit: unit.to_owned(),
        }
    }
}

/// The entries of q, of v and of tau.
pub(crate) fn entries(model: &Model) -> [(&'static str, Vec<Column>); 3] {
    let of = |what: &str, entries: Vec<Entry>, unit: fn(Measure) -> String| {
        let entries = entries.into_iter().map(|entry| Column {
            name: format!("{what}.{}", entry.label),
            joint: Some(entry.joint),
            unit: unit(entry.measure),
        });
        entries.collect()
    };
    let (q, v) = (
        coordinates::configuration(model),
        coordinates::velocity(model),
    );
    let unit = |measure: Measure| match measure {
        Measure::Ratio => "1".to_owned(),
        Measure::Angle | Measure::Length => measure.unit().to_owned(),
    };
    [
        ("q", of("q", q, unit)),
        ("v", of("v", v.clone(), Measure::rate_unit)),
        ("tau", of("tau", v, |m| m.force_unit().to_owned())),
    ]
}

/// The columns of the robot as a whole, without t.
pub(crate) fn others() -> Vec<Column> {
    let others = [
        ("kinetic_energy", "J"),
        ("potential_energy", "J"),
        ("energy", "J"),
        ("linear_momentum.x", "N·s"),
        ("linear_momentum.y", "N·s"),
        ("linear_momentum.z", "N·s"),
        ("angular_momentum.x", "N·m·s"),
        ("angular_momentum.y", "N·m·s"),
        ("angular_momentum.z", "N·m·s"),
        ("loop_gap", "m, rad"),
        ("loop_gap_rate", "m/s, rad/s"),
    ];
    others.map(|(name, unit)| Column::new(name, unit)).into()
}

/// The displacement and the speed of each mimic joint.
fn of_mimic_joints(model: &Model) -> impl Iterator<Item = Column> + '_ {
    let mimics = model.joints().iter().filter(|joint| joint.mimic.is_some());
    mimics.flat_map(|joint| {
        let measures = coordinates::of_kind(&joint.kind).into_iter();
        measures.flat_map(|measure| {
            [("q", measure.unit().to_owned()), ("v", measure.rate_unit())].map(|(what, unit)| {
                Column {
                    name: format!("{what}.{}", joint.name),
                    joint: Some(joint.name.clone()),
                    unit,
                }
            })
        })
    })
}

/// The columns of a robot's recording, in order: `t`, then `q.ENTRY`, `v.ENTRY` and `tau.ENTRY` for
/// each entry of q and v ([`coordinates`]; tau is what controller and drives apply together,
/// [`Sample::tau`]), then energies, momentum about the centre of mass and
/// loop errors, then `q.JOINT` and `v.JOINT` of each mimic joint.
///
/// ```
/// use featherline::samples;
///
/// let columns = featherline_record::columns(&samples::double_pendulum());
/// let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
/// assert_eq!(names[..3], ["t", "q.shoulder", "q.elbow"]);
/// assert_eq!(columns[1].unit, "rad");
/// ```
pub fn columns(model: &Model) -> Vec<Column> {
    let mut columns = vec![Column::new("t", "s")];
    columns.extend(entries(model).into_iter().flat_map(|(_, own)| own));
    columns.extend(others());
    columns.extend(of_mimic_joints(model));
    columns
}

/// The columns of contact: errors and the energy's account, then the force on each body that can
/// touch something, and its point.
pub(crate) fn contact_columns<'n>(bodies: impl IntoIterator<Item = &'n str>) -> Vec<Column> {
    let of_all = [
        ("solver_residual", "m/s, rad/s"),
        ("penetration", "m"),
        ("drive_work", "J"),
        ("force_work", "J"),
        ("friction_loss", "J"),
        ("impact_loss", "J"),
        ("other_loss", "J"),
        ("energy_gain", "J"),
    ];
    let mut columns: Vec<Column> = of_all.map(|(name, unit)| Column::new(name, unit)).into();
    for body in bodies {
        for (what, unit) in [(FORCE, "N"), (POINT, "m")] {
            for axis in ["x", "y", "z"] {
                columns.push(Column::new(&format!("{what}.{body}.{axis}"), unit));
            }
        }
    }
    columns
}

/// The columns of a recording with contact, [`Recording::create_with_contacts`]: those of
/// [`columns()`](columns), then
///
/// * `solver_residual` and `penetration`: the largest since the row before;
/// * `drive_work`, `force_work`, `friction_loss`, `impact_loss`, `other_loss`, `energy_gain`: the
///   account of the energy since the start
///   ([`ContactAccount`](featherline_sim::contact::ContactAccount));
/// * `contact_force.BODY.x`, y, z: the sum of the contact forces on each body that can touch
///   something, in the world, and `contact_point.BODY.x`, y, z: where they act (zero where nothing
///   touches). [`body_name`](crate::body_name) names bodies.
///
/// ```
/// use featherline::model::JointId;
/// use featherline::samples;
///
/// let model = samples::double_pendulum();
/// let pairs = [[JointId::UNIVERSE, model.joint_id("elbow")?]];
/// let columns = featherline_record::columns_with_contacts(&model, &pairs);
/// let force = columns.iter().find(|it| it.name.starts_with("contact_force."));
/// assert_eq!(force.map(|it| it.unit.as_str()), Some("N"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Recording::create_with_contacts`]: crate::Recording::create_with_contacts
pub fn columns_with_contacts(model: &Model, body_pairs: &[[JointId; 2]]) -> Vec<Column> {
    let mut all = columns(model);
    let bodies = bodies::of_pairs(body_pairs);
    let names = bodies.iter().map(|id| bodies::body_name(model, *id));
    all.extend(contact_columns(names));
    all
}

/// Adds the numbers of a sample of `model` to `row`, in the order of [`columns`].
///
/// ```
/// use featherline::samples;
/// use featherline_record::{columns, read_row, write_row};
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline_sim::simulation::{Method, Simulator};
///
/// let model = samples::double_pendulum();
/// let method = Method::steps(RungeKutta4::new(&model), 1e-3)?;
/// let mut simulation = Simulator::new(&model, method).start(0.5, &[1.0, 2.0], &[0.0, 3.0])?;
/// let mut row = Vec::new();
/// write_row(&model, &simulation.sample()?, &mut row);
/// assert_eq!(row.len(), columns(&model).len());
/// let sample = read_row(&model, &row).ok_or("a row of another robot")?;
/// assert_eq!((sample.t, sample.q, sample.v), (0.5, &[1.0, 2.0][..], &[0.0, 3.0][..]));
/// assert_eq!(sample.energy(), simulation.sample()?.energy());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_row(model: &Model, sample: &Sample<'_>, row: &mut Vec<f64>) {
    row.push(sample.t);
    for part in [sample.q, sample.v, sample.tau] {
        row.extend_from_slice(part);
    }
    row.extend([
        sample.kinetic_energy,
        sample.potential_energy,
        sample.energy(),
    ]);
    row.extend(sample.momentum.to_array());
    row.extend([sample.loop_gap.position, sample.loop_gap.velocity]);
    for joint in model.joints() {
        let Some(mimic) = &joint.mimic else { continue };
        row.extend([
            mimic_displacement(model, mimic, &sample.q[joint.idx_q..]),
            mimic.ratio * sample.v[joint.idx_v],
        ]);
    }
}

/// The sample of a row that [`write_row`] made; none if the row has another length. Which loop is
/// widest, and the energy about the centre of mass, are not in a row.
pub fn read_row<'a>(model: &Model, row: &'a [f64]) -> Option<Sample<'a>> {
    let (t, row) = row.split_first()?;
    let (q, row) = row.split_at_checked(model.nq())?;
    let (v, row) = row.split_at_checked(model.nv())?;
    let (tau, row) = row.split_at_checked(model.nv())?;
    let &[
        kinetic_energy,
        potential_energy,
        _,
        px,
        py,
        pz,
        lx,
        ly,
        lz,
        position,
        velocity,
        ref of_mimic_joints @ ..,
    ] = row
    else {
        return None;
    };
    let mimics = model.joints().iter().filter(|joint| joint.mimic.is_some());
    if of_mimic_joints.len() != 2 * mimics.count() {
        return None;
    }
    let mut sample = Sample {
        t: *t,
        q,
        v,
        tau,
        kinetic_energy,
        potential_energy,
        inner_energy: None,
        momentum: Force::from_array([px, py, pz, lx, ly, lz]),
        loop_gap: Default::default(),
        contact: None,
    };
    sample.loop_gap.position = position;
    sample.loop_gap.velocity = velocity;
    Some(sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline_sim::integrator::RungeKutta4;
    use featherline_sim::simulation::{Method, Simulator};

    #[test]
    fn every_number_has_a_name() {
        for name in ["humanoid", "stewart", "hand"] {
            let model = featherline_robots::model(name, &Default::default()).unwrap();
            let method = Method::steps(RungeKutta4::new(&model), 0.01).unwrap();
            let q = model.neutral_configuration();
            let simulator = Simulator::new(&model, method);
            let mut simulation = simulator.start(0.0, &q, &vec![0.0; model.nv()]).unwrap();
            let mut numbers = Vec::new();
            write_row(&model, &simulation.sample().unwrap(), &mut numbers);
            assert_eq!(numbers.len(), columns(&model).len(), "{name}");
            assert!(read_row(&model, &numbers).is_some());
            numbers.push(0.0);
            assert!(read_row(&model, &numbers).is_none());
        }
    }

    #[test]
    fn mimic_joints_have_columns_of_their_own() {
        let model = featherline_robots::model("hand", &Default::default()).unwrap();
        let method = Method::steps(RungeKutta4::new(&model), 0.01).unwrap();
        let q: Vec<f64> = (0..model.nq()).map(|k| 0.1 * (k + 1) as f64).collect();
        let v: Vec<f64> = (0..model.nv()).map(|k| 1.0 + k as f64).collect();
        let simulator = Simulator::new(&model, method);
        let mut simulation = simulator.start(0.0, &q, &v).unwrap();
        let mut numbers = Vec::new();
        write_row(&model, &simulation.sample().unwrap(), &mut numbers);
        let names: Vec<String> = columns(&model).into_iter().map(|it| it.name).collect();
        let number = |name: String| numbers[names.iter().position(|n| *n == name).unwrap()];
        let mut mimics = 0;
        for joint in model.joints() {
            let Some(mimic) = joint.mimic else { continue };
            let source = &model.joint(mimic.source).name;
            let expected = mimic.ratio * number(format!("q.{source}")) + mimic.offset;
            assert!((number(format!("q.{}", joint.name)) - expected).abs() < 1e-15);
            let speed = mimic.ratio * number(format!("v.{source}"));
            assert_eq!(number(format!("v.{}", joint.name)), speed);
            mimics += 1;
        }
        assert!(mimics > 0);
    }
}
