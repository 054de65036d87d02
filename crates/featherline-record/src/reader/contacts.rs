//! The contacts of recordings: of JSON all points, of columns the force on each body.

use crate::columns::{FORCE, POINT};
use serde::Deserialize;

/// The contacts of a motion that was recorded, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedContacts {
    /// How many contacts each row has.
    pub counts: Vec<usize>,
    /// The bodies that the columns of a file name; of JSON none.
    pub touching: Vec<String>,
    /// The two bodies of each contact; the first is empty where the force is the sum of all on the
    /// second.
    pub bodies: Vec<[String; 2]>,
    /// Where the bodies touch, in the world, in m.
    pub points: Vec<[f64; 3]>,
    /// The normals, towards the body that the force acts on; zero where they were not recorded.
    pub normals: Vec<[f64; 3]>,
    /// The forces in N, in the world: on the second body of a contact.
    pub forces: Vec<[f64; 3]>,
    /// The gaps in m, below zero where shapes overlap; nan where they were not recorded.
    pub gaps: Vec<f64>,
    /// The numbers of each row from `solver_residual` to `energy_gain` of
    /// [`columns_with_contacts`](crate::columns_with_contacts); nan where they were not recorded.
    pub account: Vec<[f64; 8]>,
}

impl RecordedContacts {
    fn push(&mut self, bodies: [String; 2], [point, normal, force]: [[f64; 3]; 3], gap: f64) {
        self.bodies.push(bodies);
        self.gaps.push(gap);
        self.points.push(point);
        self.normals.push(normal);
        self.forces.push(force);
    }
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct Triple {
    x: f64,
    y: f64,
    z: f64,
}

/// A number of JSON, where those that are not finite are null.
fn number(it: Option<f64>) -> f64 {
    it.unwrap_or(f64::NAN)
}

impl From<Triple> for [f64; 3] {
    fn from(it: Triple) -> Self {
        [it.x, it.y, it.z]
    }
}

/// A contact of an object of JSON.
#[derive(Deserialize)]
pub(super) struct Point {
    #[serde(default)]
    bodies: [String; 2],
    point: Triple,
    normal: Triple,
    force: Triple,
    #[serde(default)]
    gap: Option<f64>,
}

/// Adds the contacts of a row of JSON.
pub(super) fn push_points(points: Vec<Point>, to: &mut RecordedContacts) {
    to.counts.push(points.len());
    for it in points {
        let vectors = [it.point, it.normal, it.force].map(Into::into);
        to.push(it.bodies, vectors, number(it.gap));
    }
}

/// The bodies that columns name, and where the columns of forces and of their points are: six for
/// each body.
pub(super) fn find_columns(names: &[&str]) -> (Vec<String>, Vec<usize>) {
    let position = |name: String| names.iter().position(|it| *it == name);
    let bodies = names.iter().filter_map(|name| {
        let rest = name.strip_prefix(FORCE)?.strip_prefix('.')?;
        rest.strip_suffix(".x")
    });
    let (mut complete, mut found) = (Vec::new(), Vec::new());
    for body in bodies {
        let columns = [FORCE, POINT].into_iter().flat_map(|what| {
            let axes = ["x", "y", "z"].into_iter();
            axes.map(move |axis| format!("{what}.{body}.{axis}"))
        });
        if let Some(own) = columns.map(position).collect::<Option<Vec<usize>>>() {
            complete.push(body.to_owned());
            found.extend(own);
        }
    }
    (complete, found)
}

/// Adds the forces of a row of columns: six numbers for each body, force and point.
pub(super) fn push_columns(numbers: &[f64], to: &mut RecordedContacts) {
    let mut count = 0;
    for (body, own) in numbers.chunks_exact(6).enumerate() {
        if let [fx, fy, fz, x, y, z] = *own
            && [fx, fy, fz] != [0.0; 3]
        {
            let bodies = [String::new(), to.touching[body].clone()];
            to.push(bodies, [[x, y, z], [0.0; 3], [fx, fy, fz]], f64::NAN);
            count += 1;
        }
    }
    to.counts.push(count);
}
