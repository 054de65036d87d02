//! Polygons of one geometry, which a scene may place several times.

use super::affine::Affine;
use super::{MeshErrorKind, Soup};
use featherline::spatial::Vec3;

/// Positions, and polygons between them.
#[derive(Default)]
pub(super) struct Polygons {
    pub(super) positions: Vec<Vec3<f64>>,
    /// The corners of all polygons, one polygon after the other.
    pub(super) corners: Vec<u32>,
    /// Where each polygon ends in `corners`.
    pub(super) ends: Vec<usize>,
}

impl Polygons {
    pub(super) fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len());
    }

    /// Adds the polygons to those of a file, placed by a map.
    pub(super) fn place(&self, map: &Affine, soup: &mut Soup) -> Result<(), MeshErrorKind> {
        if self.ends.is_empty() {
            return Ok(());
        }
        soup.expect_vertices(self.positions.len())?;
        let first = soup.vertices.len() as u32;
        for &position in &self.positions {
            soup.vertex(map.apply(position))?;
        }
        let is_flipped = map.reflects();
        let mut polygon = Vec::new();
        let mut begin = 0;
        for &end in &self.ends {
            polygon.clear();
            let count = self.positions.len();
            for &corner in &self.corners[begin..end] {
                if corner as usize >= count {
                    return Err(MeshErrorKind::bad_index("vertex", corner, count));
                }
                polygon.push(first + corner);
            }
            if is_flipped {
                polygon.reverse();
            }
            soup.polygon(&polygon)?;
            begin = end;
        }
        Ok(())
    }
}
