//! A recorded motion as part of a scene.

use super::buffer::Buffer;
use super::document::Recording;

/// A recorded motion: rows of q, v and joint forces, one after another.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
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
}

impl Recorded<'_> {
    pub(super) fn ranges(&self, buffer: &mut Buffer) -> Recording {
        let mut push = |numbers: &[f64]| buffer.push(numbers.iter().map(|x| x.to_le_bytes()));
        Recording {
            file: self.file.to_owned(),
            times: push(self.times),
            q: push(self.q),
            v: push(self.v),
            tau: self.tau.map(push),
        }
    }
}
