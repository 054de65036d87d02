//! Meshes as Wavefront OBJ.

use super::Mesh;
use std::fmt::Write;

impl Mesh {
    /// The mesh as the text of an OBJ file: its vertices, in m, and its faces.
    ///
    /// Coordinates have as many digits as it takes to read the same numbers again. Cost O(vertices
    /// \+ faces).
    ///
    /// ```
    /// use featherline::spatial::Vec3;
    /// use featherline_geometry::{Mesh, MeshFormat};
    ///
    /// let corners = [[0.1, 0., 0.], [1., 0., 0.], [0., 1., 0.]];
    /// let corners = corners.map(|[x, y, z]| Vec3::new(x, y, z));
    /// let triangle = Mesh::new(corners.to_vec(), vec![[0, 1, 2]])?;
    /// let text = triangle.to_obj();
    /// assert_eq!(text, "v 0.1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    /// assert_eq!(Mesh::from_bytes(MeshFormat::Obj, text.as_bytes())?, triangle);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_obj(&self) -> String {
        let mut text = String::new();
        for v in self.vertices() {
            let [x, y, z] = v.to_array().map(coordinate);
            // A string has no failing writes.
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for face in self.faces() {
            // Indices begin at one. There may be 2³² of them.
            let [a, b, c] = face.map(|index| u64::from(index) + 1);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        text
    }
}

/// A coordinate: 0 for −0, and with an exponent where that is shorter.
fn coordinate(x: f64) -> String {
    let x = x + 0.0;
    let (plain, short) = (x.to_string(), format!("{x:e}"));
    match plain.len() <= short.len() {
        true => plain,
        false => short,
    }
}
