//! Which format a file has.

use super::{msh, stl};
use featherline::words::Words;

/// A format of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshFormat {
    /// STL, as text or binary. It has no unit; metres are taken.
    Stl,
    /// Wavefront OBJ: polygons; without them, the hull of the vertices. It has no unit; metres are
    /// taken.
    Obj,
    /// COLLADA 1.4 and 1.5: the polygons of its visual scene, in its unit.
    Collada,
    /// glTF 2.0, as text or as GLB: the triangles of its scene, in metres.
    Gltf,
    /// MuJoCo's binary format: float vertices and faces; without faces, the hull of the vertices.
    Msh,
}

/// Each word is the extension of a file.
impl Words for MeshFormat {
    const WHAT: &'static str = "format of mesh files";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("stl", Self::Stl),
        ("stla", Self::Stl),
        ("stlb", Self::Stl),
        ("obj", Self::Obj),
        ("dae", Self::Collada),
        ("gltf", Self::Gltf),
        ("glb", Self::Gltf),
        ("msh", Self::Msh),
    ];
}

impl MeshFormat {
    /// The format of a content, or else of an extension, such as `stl` or `DAE`.
    ///
    /// ```
    /// use featherline_geometry::MeshFormat;
    ///
    /// assert_eq!(MeshFormat::detect(b"glTF", Some("stl")), Some(MeshFormat::Gltf));
    /// assert_eq!(MeshFormat::detect(b"", Some("DAE")), Some(MeshFormat::Collada));
    /// assert_eq!(MeshFormat::detect(b"", Some("png")), None);
    /// ```
    pub fn detect(bytes: &[u8], extension: Option<&str>) -> Option<Self> {
        Self::of_content(bytes).or_else(|| Self::from_word(extension?).ok())
    }

    fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"glTF") {
            return Some(Self::Gltf);
        }
        // Sizes that follow from counts at the beginning.
        if stl::is_binary(bytes) {
            return Some(Self::Stl);
        }
        if msh::is_msh(bytes) {
            return Some(Self::Msh);
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let head = head.trim_start_matches('\u{feff}').trim_start();
        if head.starts_with('<') && head.contains("<COLLADA") {
            return Some(Self::Collada);
        }
        if head.starts_with('{') && head.contains('"') {
            return Some(Self::Gltf);
        }
        let is_stl = head.starts_with("solid") && head.contains("facet");
        is_stl.then_some(Self::Stl)
    }
}
