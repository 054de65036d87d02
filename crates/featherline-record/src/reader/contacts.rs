//! The contacts of recordings: of JSON all points, of columns the force on each body.

use crate::columns::{FORCE, POINT};
use serde::Deserialize;

/// The contacts of a motion that was recorded, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedContacts {
    /// How many contacts each row has.
    pub counts: Vec<usize>,
    /// Where the bodies touch, in the world, in m.
    pub points: Vec<[f64; 3]>,
    /// The normals, towards the body that the force acts on; zero where they were not recorded.
    pub normals: Vec<[f64; 3]>,
    /// The forces in N, in the world: on the second body of a contact.
    pub forces: Vec<[f64; 3]>,
}

impl RecordedContacts {
    fn push(&mut self, point: [f64; 3], normal: [f64; 3], force: [f64; 3]) {
        self.points.push(point);
        self.normals.push(normal);
        self.forces.push(force);
    }
}

#[derive(Clone, Copy, Deserialize)]
struct Triple {
    x: f64,
    y: f64,
    z: f64,
}

impl From<Triple> for [f64; 3] {
    fn from(it: Triple) -> Self {
        [it.x, it.y, it.z]
    }
}

/// A contact of an object of JSON.
#[derive(Deserialize)]
pub(super) struct Point {
    point: Triple,
    normal: Triple,
    force: Triple,
}

/// Adds the contacts of a row of JSON.
pub(super) fn push_points(points: &[Point], to: &mut RecordedContacts) {
    to.counts.push(points.len());
    for it in points {
        to.push(it.point.into(), it.normal.into(), it.force.into());
    }
}

/// Where the columns of forces and of their points are: six for each body.
pub(super) fn find_columns(names: &[&str]) -> Vec<usize> {
    let position = |name: String| names.iter().position(|it| *it == name);
    let bodies = names.iter().filter_map(|name| {
        let rest = name.strip_prefix(FORCE)?.strip_prefix('.')?;
        rest.strip_suffix(".x")
    });
    let mut found = Vec::new();
    for body in bodies {
        let columns = [FORCE, POINT].into_iter().flat_map(|what| {
            let axes = ["x", "y", "z"].into_iter();
            axes.map(move |axis| format!("{what}.{body}.{axis}"))
        });
        let own: Option<Vec<usize>> = columns.map(position).collect();
        found.extend(own.unwrap_or_default());
    }
    found
}

/// Adds the forces of a row of columns: six numbers for each body, force and point.
pub(super) fn push_columns(numbers: &[f64], to: &mut RecordedContacts) {
    let mut count = 0;
    for own in numbers.chunks_exact(6) {
        if let [fx, fy, fz, x, y, z] = *own
            && [fx, fy, fz] != [0.0; 3]
        {
            to.push([x, y, z], [0.0; 3], [fx, fy, fz]);
            count += 1;
        }
    }
    to.counts.push(count);
}
