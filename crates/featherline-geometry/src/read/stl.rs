//! STL: triangles, as text or binary. Normals are left out: the order of the corners has them.

use super::error::number;
use super::{MeshError, MeshErrorKind, Place, Soup};
use featherline::spatial::Vec3;

/// A comment of 80 bytes, and the number of triangles.
const HEADER: usize = 84;
/// A normal and three corners of three floats, and two bytes of attributes.
const TRIANGLE: usize = 50;

/// The number of triangles that the header of a binary file states.
fn stated(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEADER)?.try_into().ok()?;
    Some(u32::from_le_bytes(count) as usize)
}

/// Whether the size is exactly that of the binary format. A text may begin with `solid`, and so may
/// a binary header.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    stated(bytes).is_some_and(|n| n > 0 && bytes.len() == HEADER + TRIANGLE * n)
}

pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<(), MeshError> {
    // A damaged binary file may begin like a text too; no text has a byte that is zero.
    let head = &bytes[..bytes.len().min(512)];
    let is_text = head.trim_ascii_start().starts_with(b"solid") && !head.contains(&0);
    let is_text = is_text && !is_binary(bytes);
    match is_text {
        true => read_text(bytes, soup),
        false => read_binary(bytes, soup),
    }
}

fn read_binary(bytes: &[u8], soup: &mut Soup) -> Result<(), MeshError> {
    let truncated = |inside| MeshErrorKind::Truncated { inside }.at(Place::Byte(bytes.len()));
    let count = stated(bytes).ok_or_else(|| truncated("the header"))?;
    let whole = |kind: MeshErrorKind| kind.at(Place::Byte(80));
    soup.expect_faces(count).map_err(whole)?;
    soup.expect_vertices(3 * count).map_err(whole)?;
    let triangles = &bytes[HEADER..];
    if triangles.len() / TRIANGLE < count {
        return Err(truncated("the triangles"));
    }
    for (i, triangle) in triangles.chunks_exact(TRIANGLE).take(count).enumerate() {
        for corner in triangle[12..48].chunks_exact(12) {
            let at = HEADER + TRIANGLE * i;
            let vertex = vertex_of_floats(corner);
            soup.vertex(vertex).map_err(|e| e.at(Place::Byte(at)))?;
        }
        let first = 3 * i as u32;
        soup.faces.push([first, first + 1, first + 2]);
    }
    Ok(())
}

/// The vector of three little-endian floats at the beginning of bytes; of missing ones, zero.
pub(super) fn vertex_of_floats(bytes: &[u8]) -> Vec3<f64> {
    let mut xyz = [0.0; 3];
    for (x, four) in xyz.iter_mut().zip(bytes.chunks_exact(4)) {
        let four = [four[0], four[1], four[2], four[3]];
        *x = f64::from(f32::from_le_bytes(four));
    }
    let [x, y, z] = xyz;
    Vec3::new(x, y, z)
}

fn read_text(bytes: &[u8], soup: &mut Soup) -> Result<(), MeshError> {
    // Names of solids may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::new();
    let mut is_ended = true;
    let mut last = 0;
    for (i, line) in text.lines().enumerate() {
        let here = Place::Line(i + 1);
        last = i + 1;
        let mut words = line.split_ascii_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("vertex") => {
                let vertex = three_numbers(words).map_err(|e| e.at(here))?;
                corners.push(soup.vertices.len() as u32);
                soup.vertex(vertex).map_err(|e| e.at(here))?;
            }
            Some("endloop") => {
                if corners.len() < 3 {
                    let what = format!("a loop of {} vertices; it needs three", corners.len());
                    return Err(MeshErrorKind::Malformed(what).at(here));
                }
                soup.polygon(&corners).map_err(|e| e.at(here))?;
                corners.clear();
            }
            Some("solid") => is_ended = false,
            Some("endsolid") => is_ended = true,
            Some("facet" | "endfacet" | "outer") | None => {}
            Some(other) => {
                let what = super::error::shortened(other);
                let what = format!("`{what}` is no word of an STL text; is the file damaged?");
                return Err(MeshErrorKind::Malformed(what).at(here));
            }
        }
    }
    match is_ended && corners.is_empty() {
        true => Ok(()),
        false => Err(MeshErrorKind::Truncated { inside: "a solid" }.at(Place::Line(last))),
    }
}

/// The vector of the first three words.
pub(super) fn three_numbers<'a>(
    words: impl Iterator<Item = &'a str>,
) -> Result<Vec3<f64>, MeshErrorKind> {
    let mut xyz = [0.0; 3];
    let mut count = 0;
    for (x, word) in xyz.iter_mut().zip(words) {
        *x = number(word)?;
        count += 1;
    }
    match count {
        3 => Ok(Vec3::new(xyz[0], xyz[1], xyz[2])),
        _ => {
            let what = format!("a vertex of {count} numbers; it needs three");
            Err(MeshErrorKind::Malformed(what))
        }
    }
}
