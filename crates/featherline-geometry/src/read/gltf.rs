//! glTF 2.0, as text or as GLB: the triangles of the scene, placed by its nodes ("glTF 2.0
//! Specification", Khronos Group, 2021).

use super::affine::Affine;
use super::collada::Y_UP_ROWS;
use super::error::shortened;
use super::gltf_document::{Accessor, Document, Node};
use super::polygons::Polygons;
use super::{Companion, MeshError, MeshErrorKind, Place, Soup};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use featherline::spatial::{Mat3, Quaternion, Vec3};
use std::borrow::Cow;

/// Extensions that do not change what is read here.
const KNOWN_EXTENSIONS: [&str; 8] = [
    "KHR_mesh_quantization",
    "KHR_materials_unlit",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_texture_transform",
    "KHR_texture_basisu",
    "KHR_lights_punctual",
    "EXT_texture_webp",
    "KHR_materials_emissive_strength",
];

/// Adds the triangles of a file; returns what rotates them so that z is up.
pub(super) fn read(
    bytes: &[u8],
    soup: &mut Soup,
    companion: &Companion<'_>,
) -> Result<Mat3<f64>, MeshError> {
    let (json, binary) = match bytes.starts_with(b"glTF") {
        true => chunks(bytes)?,
        false => (bytes, None),
    };
    let document: Document = serde_json::from_slice(json).map_err(|error| {
        let what = format!("this is no glTF document: {error}");
        let place = match bytes.starts_with(b"glTF") {
            true => Place::File,
            false => Place::LineColumn(error.line(), error.column()),
        };
        MeshErrorKind::Malformed(what).at(place)
    })?;
    let file = |kind: MeshErrorKind| kind.at(Place::File);
    let known = |name: &&String| !KNOWN_EXTENSIONS.contains(&name.as_str());
    if let Some(name) = document.extensions_required.iter().find(known) {
        let what = format!("the extension `{}`", shortened(name));
        return Err(file(MeshErrorKind::unsupported(what, "without it")));
    }
    let mut reader = Reader {
        buffers: document.buffers.iter().map(|_| None).collect(),
        document: &document,
        binary,
        companion,
    };
    reader.place_scene(soup).map_err(file)?;
    Ok(Mat3::from_rows(Y_UP_ROWS))
}

/// The JSON of a GLB file, and its binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map(u32::from_le_bytes)
    };
    let truncated = |inside| MeshErrorKind::Truncated { inside }.at(Place::Byte(bytes.len()));
    if word(4).ok_or_else(|| truncated("the header"))? != 2 {
        let kind = MeshErrorKind::unsupported("this is not version 2 of GLB", "as glTF 2.0");
        return Err(kind.at(Place::Byte(4)));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = 12;
    while at + 8 <= bytes.len() {
        let (Some(length), Some(kind)) = (word(at), word(at + 4)) else {
            break;
        };
        let chunk = bytes.get(at + 8..at + 8 + length as usize);
        let chunk = chunk.ok_or_else(|| truncated("a chunk"))?;
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + length as usize;
    }
    Ok((json.ok_or_else(|| truncated("the JSON chunk"))?, binary))
}

/// A document, and the bytes of its buffers as far as they are read.
struct Reader<'a> {
    document: &'a Document,
    buffers: Vec<Option<Cow<'a, [u8]>>>,
    binary: Option<&'a [u8]>,
    companion: &'a Companion<'a>,
}

fn item<'a, T>(items: &'a [T], index: usize, what: &'static str) -> Result<&'a T, MeshErrorKind> {
    let item = items.get(index);
    item.ok_or_else(|| MeshErrorKind::bad_index(what, index, items.len()))
}

impl<'a> Reader<'a> {
    /// Places the scene that is shown: the one that is named, or the first, or every root.
    fn place_scene(&mut self, soup: &mut Soup) -> Result<(), MeshErrorKind> {
        let document = self.document;
        let roots = match document.scenes.is_empty() {
            false => {
                let scene = document.scene.unwrap_or(0);
                item(&document.scenes, scene, "scene")?.nodes.clone()
            }
            true => {
                let mut is_child = vec![false; document.nodes.len()];
                for &child in document.nodes.iter().flat_map(|node| &node.children) {
                    item(&document.nodes, child, "node")?;
                    is_child[child] = true;
                }
                (0..is_child.len()).filter(|&i| !is_child[i]).collect()
            }
        };
        let mut is_placed = vec![false; document.nodes.len()];
        let mut waiting: Vec<_> = roots.iter().map(|&i| (i, Affine::identity())).collect();
        let mut geometries: Vec<Option<Polygons>> = Vec::new();
        geometries.resize_with(document.meshes.len(), || None);
        while let Some((index, map)) = waiting.pop() {
            let node = item(&document.nodes, index, "node")?;
            // Nodes are trees: each is placed once.
            if std::mem::replace(&mut is_placed[index], true) {
                let what = format!("node {index} has two parents, or is inside itself");
                return Err(MeshErrorKind::Malformed(what));
            }
            let map = map.after(&transformation(node));
            waiting.extend(node.children.iter().map(|&child| (child, map)));
            let Some(mesh) = node.mesh else {
                continue;
            };
            item(&document.meshes, mesh, "mesh")?;
            let polygons = match geometries[mesh].take() {
                Some(polygons) => polygons,
                None => self.polygons(mesh, soup)?,
            };
            polygons.place(&map, soup)?;
            geometries[mesh] = Some(polygons);
        }
        Ok(())
    }

    /// The triangles of a mesh.
    fn polygons(&mut self, mesh: usize, soup: &Soup) -> Result<Polygons, MeshErrorKind> {
        let mut polygons = Polygons::default();
        for primitive in &self.document.meshes[mesh].primitives {
            let mode = primitive.mode.unwrap_or(4);
            let (Some(position), 4..=6) = (primitive.attributes.position, mode) else {
                // Points and lines have no faces.
                continue;
            };
            let first = polygons.positions.len();
            let positions = self.positions(position, soup)?;
            let count = positions.len();
            polygons.positions.extend(positions);
            soup.expect_vertices(polygons.positions.len())?;
            let corners: Vec<u32> = match primitive.indices {
                Some(indices) => self.indices(indices, soup)?,
                None => (0..count as u32).collect(),
            };
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= count) {
                return Err(MeshErrorKind::bad_index("position", index, count));
            }
            let corner = |i: usize| first as u32 + corners[i];
            match mode {
                4 => (0..corners.len() / 3)
                    .for_each(|i| polygons.push(&[0, 1, 2].map(|k| corner(3 * i + k)))),
                5 => (2..corners.len()).for_each(|i| {
                    let (a, b) = if i % 2 == 0 {
                        (i - 2, i - 1)
                    } else {
                        (i - 1, i - 2)
                    };
                    polygons.push(&[a, b, i].map(corner));
                }),
                _ => (2..corners.len()).for_each(|i| polygons.push(&[0, i - 1, i].map(corner))),
            }
            soup.expect_faces(polygons.ends.len())?;
        }
        Ok(polygons)
    }

    fn positions(&mut self, index: usize, soup: &Soup) -> Result<Vec<Vec3<f64>>, MeshErrorKind> {
        let accessor = item(&self.document.accessors, index, "accessor")?;
        if accessor.kind != "VEC3" {
            return Err(MeshErrorKind::malformed(
                "positions that are no vectors of three; export the mesh again",
            ));
        }
        soup.expect_vertices(accessor.count)?;
        let read: fn(&[u8], bool) -> f64 = match accessor.component_type {
            5120 => |b, n| normalised(f64::from(b[0] as i8), n, 127.0),
            5121 => |b, n| normalised(f64::from(b[0]), n, 255.0),
            5122 => |b, n| normalised(f64::from(i16::from_le_bytes([b[0], b[1]])), n, 32767.0),
            5123 => |b, n| normalised(f64::from(u16::from_le_bytes([b[0], b[1]])), n, 65535.0),
            5126 => |b, _| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            _ => {
                return Err(MeshErrorKind::malformed(
                    "positions of an unknown kind of number",
                ));
            }
        };
        let size = component_size(accessor.component_type);
        let is_normalised = accessor.normalized;
        let mut positions = Vec::new();
        self.each(accessor, 3 * size, |element| {
            let x = |k: usize| read(&element[k * size..], is_normalised);
            positions.push(Vec3::new(x(0), x(1), x(2)));
        })?;
        Ok(positions)
    }

    fn indices(&mut self, index: usize, soup: &Soup) -> Result<Vec<u32>, MeshErrorKind> {
        let accessor = item(&self.document.accessors, index, "accessor")?;
        if accessor.kind != "SCALAR" {
            return Err(MeshErrorKind::malformed(
                "indices that are no single numbers; export the mesh again",
            ));
        }
        soup.expect_faces(accessor.count / 3)?;
        let read: fn(&[u8]) -> u32 = match accessor.component_type {
            5121 => |b| u32::from(b[0]),
            5123 => |b| u32::from(u16::from_le_bytes([b[0], b[1]])),
            5125 => |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            _ => {
                return Err(MeshErrorKind::malformed(
                    "indices of an unknown kind of number",
                ));
            }
        };
        let mut indices = Vec::new();
        let size = component_size(accessor.component_type);
        self.each(accessor, size, |element| indices.push(read(element)))?;
        Ok(indices)
    }

    /// Calls a function with the bytes of each element of an accessor.
    fn each(
        &mut self,
        accessor: &Accessor,
        size: usize,
        mut use_element: impl FnMut(&[u8]),
    ) -> Result<(), MeshErrorKind> {
        if accessor.sparse.is_some() {
            let remedy = "without morph targets";
            return Err(MeshErrorKind::unsupported("a sparse accessor", remedy));
        }
        let Some(view) = accessor.buffer_view else {
            // All elements are zero by definition: no face has an area.
            let zero = [0; 12];
            (0..accessor.count).for_each(|_| use_element(&zero[..size]));
            return Ok(());
        };
        let view = item(&self.document.buffer_views, view, "buffer view")?;
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(MeshErrorKind::malformed(
                "a stride that is less than its element",
            ));
        }
        let buffer = self.buffer(view.buffer)?;
        let truncated = || {
            MeshErrorKind::malformed(
                "a buffer is shorter than what is taken of it; copy the file again",
            )
        };
        let end = view.byte_offset.checked_add(view.byte_length);
        let bytes = end.and_then(|end| buffer.get(view.byte_offset..end));
        let bytes = bytes.and_then(|bytes| bytes.get(accessor.byte_offset..));
        let bytes = bytes.ok_or_else(truncated)?;
        // The last element need not fill its stride.
        let available = match bytes.len().checked_sub(size) {
            Some(rest) => rest / stride + 1,
            None => 0,
        };
        if accessor.count > available {
            return Err(truncated());
        }
        for i in 0..accessor.count {
            use_element(&bytes[i * stride..i * stride + size]);
        }
        Ok(())
    }

    /// The bytes of a buffer: of the GLB file, of its URI's text, or of a file beside.
    fn buffer(&mut self, index: usize) -> Result<&[u8], MeshErrorKind> {
        let buffer = item(&self.document.buffers, index, "buffer")?;
        if self.buffers[index].is_none() {
            let bytes: Cow<'a, [u8]> = match &buffer.uri {
                None => Cow::Borrowed(self.binary.ok_or_else(|| {
                    MeshErrorKind::malformed(
                        "a buffer without a URI, in a file without a binary chunk",
                    )
                })?),
                Some(uri) => Cow::Owned(self.bytes_of_uri(uri)?),
            };
            self.buffers[index] = Some(bytes);
        }
        Ok(self.buffers[index].as_deref().unwrap_or_default())
    }

    fn bytes_of_uri(&self, uri: &str) -> Result<Vec<u8>, MeshErrorKind> {
        if let Some(data) = uri.strip_prefix("data:") {
            let data = data.split_once(";base64,").map(|(_, data)| data);
            let bytes = data.and_then(|data| STANDARD.decode(data).ok());
            return bytes
                .ok_or_else(|| MeshErrorKind::malformed("a data URI that is not in base64"));
        }
        let name = percent_decoded(uri);
        // A name from outside may only lead to what is beside or below the file.
        let is_beside = !name.contains(':')
            && !name.starts_with(['/', '\\'])
            && name.split(['/', '\\']).all(|part| part != "..");
        match is_beside {
            true => (self.companion)(&name),
            false => Err(MeshErrorKind::unsupported(
                format!("the buffer `{}`", shortened(uri)),
                "with its buffers beside it, or as GLB",
            )),
        }
    }
}

/// A number, or its ratio to the greatest one.
fn normalised(value: f64, is_normalised: bool, greatest: f64) -> f64 {
    match is_normalised {
        true => (value / greatest).max(-1.0),
        false => value,
    }
}

fn component_size(component_type: u32) -> usize {
    match component_type {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        _ => 4,
    }
}

/// The map of a node: its matrix, or translation after rotation after scale.
fn transformation(node: &Node) -> Affine {
    if let Some(m) = node.matrix {
        let row = |i: usize| [m[i], m[4 + i], m[8 + i], m[12 + i]];
        return Affine::from_rows([row(0), row(1), row(2)]);
    }
    let mut map = Affine::identity();
    if let Some([x, y, z]) = node.translation {
        map = Affine::translation(Vec3::new(x, y, z));
    }
    if let Some([x, y, z, w]) = node.rotation {
        let norm = (x * x + y * y + z * z + w * w).sqrt();
        let rotation = Quaternion::new(x / norm, y / norm, z / norm, w / norm).to_rotation();
        map = map.after(&Affine::linear(rotation));
    }
    if let Some([x, y, z]) = node.scale {
        map = map.after(&Affine::scale(Vec3::new(x, y, z)));
    }
    map
}

/// A URI's text with `%20` and the like replaced.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = code.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, code) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
