//! A recorded motion as part of a scene.

use super::buffer::Buffer;
use super::document::{self, Recording};

/// A recorded motion: rows of q, v and joint forces, one after another.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMotion<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The times of the rows, in s, ascending.
    pub times: &'a [f64],
    /// A configuration for each time.
    pub q: &'a [f64],
    /// A velocity for each time.
    pub v: &'a [f64],
    /// Joint forces for each time, if they were recorded.
    pub tau: Option<&'a [f64]>,
    /// The contacts, if they were recorded.
    pub contacts: Option<RecordedContacts<'a>>,
}

/// The contacts of a recorded motion, row after row.
#[derive(Clone, Copy, Debug)]
pub struct RecordedContacts<'a> {
    /// How many contacts each row has.
    pub counts: &'a [usize],
    /// Where bodies touch, in the world, in m.
    pub points: &'a [[f64; 3]],
    /// The normals, towards the body that the force acts on; zero where they are not known.
    pub normals: &'a [[f64; 3]],
    /// The forces, in the world, in N.
    pub forces: &'a [[f64; 3]],
}

impl RecordedMotion<'_> {
    pub(super) fn ranges(&self, buffer: &mut Buffer) -> Recording {
        let mut push = |numbers: &[f64]| buffer.push(numbers.iter().map(|x| x.to_le_bytes()));
        let (times, q, v) = (push(self.times), push(self.q), push(self.v));
        let tau = self.tau.map(push);
        Recording {
            file: self.file.to_owned(),
            times,
            q,
            v,
            tau,
            contacts: self.contacts.map(|it| it.ranges(buffer)),
        }
    }
}

impl RecordedContacts<'_> {
    fn ranges(&self, buffer: &mut Buffer) -> document::RecordedContacts {
        let all = self.points.iter().zip(self.normals).zip(self.forces);
        let numbers = all.flat_map(|((point, normal), force)| [point, normal, force]);
        let numbers: Vec<f64> = numbers.flatten().copied().collect();
        document::RecordedContacts {
            // As many contacts as memory holds.
            counts: buffer.push(self.counts.iter().map(|it| (*it as u32).to_le_bytes())),
            numbers: buffer.push(numbers.iter().map(|it| it.to_le_bytes())),
        }
    }
}
