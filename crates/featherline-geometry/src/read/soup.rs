//! The triangles of a file as they are read, within limits.

use super::mujoco;
use super::triangulate;
use super::{MeshErrorKind, MeshLimits};
use featherline::spatial::Vec3;

/// Vertices and triangles as a reader finds them.
pub(super) struct Soup {
    pub(super) vertices: Vec<Vec3<f64>>,
    pub(super) faces: Vec<[u32; 3]>,
    /// The faces as MuJoCo takes them, where they are asked for, of an OBJ file.
    pub(super) mujoco: Option<mujoco::Faces>,
    limits: MeshLimits,
    /// How many more corners may be looked at, to cut polygons.
    budget: u64,
}

/// The most corners that are looked at in a file, to cut its polygons: some seconds.
const BUDGET: u64 = 1 << 32;

impl Soup {
    pub(super) fn new(limits: MeshLimits) -> Self {
        Self {
            vertices: Vec::new(),
            faces: Vec::new(),
            mujoco: None,
            limits,
            budget: BUDGET,
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

    /// Adds a polygon as [triangles](triangulate); one of fewer than three corners has none.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<(), MeshErrorKind> {
        let count = self.vertices.len();
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
            return Err(MeshErrorKind::bad_index("vertex", index, count));
        }
        if corners.len() < 3 {
            return Ok(());
        }
        self.expect_faces(corners.len() - 2)?;
        if let Some(mujoco) = &mut self.mujoco {
            mujoco.add(&self.vertices, corners, &mut self.budget)?;
        }
        triangulate::cut(&self.vertices, corners, &mut self.budget, &mut self.faces)
    }
}

fn expect(what: &'static str, count: usize, limit: usize) -> Result<(), MeshErrorKind> {
    match count > limit {
        true => Err(MeshErrorKind::TooMany { what, limit }),
        false => Ok(()),
    }
}
