//! MuJoCo's binary format MSH: four counts, then the data ("MuJoCo XML reference", asset/mesh,
//! legacy MSH file format).
//!
//! ```text
//! int32  nvertex, nnormal, ntexcoord, nface
//! float  vertex_positions[3 nvertex]
//! float  vertex_normals[3 nnormal]
//! float  vertex_texcoords[2 ntexcoord]
//! int32  face_vertex_indices[3 nface]
//! ```

use super::stl::vertex_of_floats;
use super::{MeshError, MeshErrorKind, Place, Soup};

const HEADER: usize = 16;

/// Where the parts begin, in bytes.
struct Layout {
    vertices: usize,
    faces: usize,
    first_face: usize,
    size: usize,
}

fn integer(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// The layout that the counts state, if they can be those of a mesh.
fn layout(bytes: &[u8]) -> Option<Layout> {
    let count = |i: usize| usize::try_from(integer(bytes, 4 * i)?).ok();
    let (vertices, normals, textures, faces) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let fits = |n: usize| n == 0 || n == vertices;
    if vertices < 4 || !fits(normals) || !fits(textures) {
        return None;
    }
    // Counts are below 2³¹, so that nothing overflows in 64 bits.
    let first_face = HEADER + 12 * (vertices + normals) + 8 * textures;
    Some(Layout {
        vertices,
        faces,
        first_face,
        size: first_face + 12 * faces,
    })
}

/// Whether the size is exactly that of the counts.
pub(super) fn is_msh(bytes: &[u8]) -> bool {
    layout(bytes).is_some_and(|layout| layout.size == bytes.len())
}

pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<(), MeshError> {
    let header = |kind: MeshErrorKind| kind.at(Place::Byte(0));
    if bytes.len() < HEADER {
        let inside = "the header";
        return Err(MeshErrorKind::Truncated { inside }.at(Place::Byte(bytes.len())));
    }
    let layout = layout(bytes).ok_or_else(|| {
        let what = "these are no counts of an MSH file: four vertices or more, and as many normals \
                    and texture coordinates or none";
        header(MeshErrorKind::Malformed(what.to_owned()))
    })?;
    if layout.size != bytes.len() {
        let (size, is) = (layout.size, bytes.len());
        let what = format!("the counts need {size} bytes and the file has {is}; copy it again");
        return Err(header(MeshErrorKind::Malformed(what)));
    }
    soup.expect_vertices(layout.vertices).map_err(header)?;
    soup.expect_faces(layout.faces).map_err(header)?;
    for i in 0..layout.vertices {
        let at = HEADER + 12 * i;
        let vertex = vertex_of_floats(&bytes[at..at + 12]);
        soup.vertex(vertex).map_err(|e| e.at(Place::Byte(at)))?;
    }
    for i in 0..layout.faces {
        let at = layout.first_face + 12 * i;
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let index = integer(bytes, at + 4 * k).unwrap_or(-1);
            let bad = || MeshErrorKind::bad_index("vertex", index, layout.vertices);
            *corner = u32::try_from(index).map_err(|_| bad().at(Place::Byte(at)))?;
        }
        soup.polygon(&corners).map_err(|e| e.at(Place::Byte(at)))?;
    }
    Ok(())
}
