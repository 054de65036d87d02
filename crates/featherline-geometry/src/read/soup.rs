//! The triangles of a file as they are read, within limits.

use super::{MeshErrorKind, MeshLimits};
use featherline::spatial::Vec3;

/// Vertices and triangles as a reader finds them.
pub(super) struct Soup {
    pub(super) vertices: Vec<Vec3<f64>>,
    pub(super) faces: Vec<[u32; 3]>,
    limits: MeshLimits,
}

impl Soup {
    pub(super) fn new(limits: MeshLimits) -> Self {
        Self {
            vertices: Vec::new(),
            faces: Vec::new(),
            limits,
        }
    }

    /// Refuses to hold so many more vertices, before any is made.
    pub(super) fn expect_vertices(&self, more: usize) -> Result<(), MeshErrorKind> {
        let limit = self.limits.vertices.min(u32::MAX as usize);
        expect("vertices", self.vertices.len().saturating_add(more), limit)
    }

    /// Refuses to hold so many more faces, before any is made.
    pub(super) fn expect_faces(&self, more: usize) -> Result<(), MeshErrorKind> {
        let count = self.faces.len().saturating_add(more);
        expect("faces", count, self.limits.faces)
    }

    pub(super) fn vertex(&mut self, vertex: Vec3<f64>) -> Result<(), MeshErrorKind> {
        self.expect_vertices(1)?;
        if !vertex.is_finite() {
            let bad = vertex.to_array().into_iter().find(|x| !x.is_finite());
            let text = bad.unwrap_or(f64::NAN).to_string();
            return Err(MeshErrorKind::BadNumber { text });
        }
        self.vertices.push(vertex);
        Ok(())
    }

    /// Adds a polygon as a fan of triangles.
    ///
    /// The fan begins at the first corner from which no triangle is folded over, if the polygon has
    /// few corners and such a corner; a polygon in a plane has its right area vector and volume
    /// from any.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<(), MeshErrorKind> {
        let count = self.vertices.len();
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
            return Err(MeshErrorKind::bad_index("vertex", index, count));
        }
        let n = corners.len();
        if n < 3 {
            return Ok(());
        }
        self.expect_faces(n - 2)?;
        let start = match n {
            3 => 0,
            4..=64 => (0..n).find(|&k| self.is_fan(corners, k)).unwrap_or(0),
            _ => 0,
        };
        for k in 1..n - 1 {
            let face = [start, start + k, start + k + 1].map(|i| corners[i % n]);
            self.faces.push(face);
        }
        Ok(())
    }

    /// Whether all triangles from one corner look to the side of the polygon.
    fn is_fan(&self, corners: &[u32], start: usize) -> bool {
        let n = corners.len();
        let at = |k: usize| self.vertices[corners[(start + k) % n] as usize];
        let area = |k: usize| (at(k) - at(0)).cross(at(k + 1) - at(0));
        let whole = (1..n - 1).fold(Vec3::zero(), |sum, k| sum + area(k));
        (1..n - 1).all(|k| area(k).dot(whole) >= 0.0)
    }
}

fn expect(what: &'static str, count: usize, limit: usize) -> Result<(), MeshErrorKind> {
    match count > limit {
        true => Err(MeshErrorKind::TooMany { what, limit }),
        false => Ok(()),
    }
}
