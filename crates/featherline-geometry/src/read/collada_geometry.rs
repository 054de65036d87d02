//! One geometry of a COLLADA file: its positions and polygons.

use super::collada::{Element, child, content, malformed, place, target};
use super::error::{number, shortened};
use super::polygons::Polygons;
use super::{MeshError, MeshErrorKind, Soup};
use featherline::spatial::Vec3;
use roxmltree::Node;
use std::collections::HashMap;

type ById<'a> = HashMap<&'a str, Element<'a>>;

/// The polygons of a `geometry`; lines and splines have none. The soup has the limits.
pub(super) fn read<'a>(
    geometry: Element<'a>,
    by_id: &ById<'a>,
    soup: &Soup,
) -> Result<Polygons, MeshError> {
    let mut polygons = Polygons::default();
    let mesh = child(geometry, "mesh").or_else(|| child(geometry, "convex_mesh"));
    let Some(mesh) = mesh else {
        return Ok(polygons);
    };
    // Where the positions of each source begin.
    let mut first_of = HashMap::new();
    for group in mesh.children().filter(Node::is_element) {
        let tag = group.tag_name().name();
        if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&tag) {
            continue;
        }
        let Some(input) = position_input(group, by_id)? else {
            continue;
        };
        let source = input.source;
        let (first, count) = match first_of.get(&source.id()) {
            Some(&range) => range,
            None => {
                let first = polygons.positions.len();
                let positions = positions(source, by_id, soup)?;
                let range = (first, positions.len());
                polygons.positions.extend(positions);
                soup.expect_vertices(polygons.positions.len())
                    .map_err(|e| e.at(place(source)))?;
                first_of.insert(source.id(), range);
                range
            }
        };
        let corners = |p: Element<'a>| corners(p, &input, first, count);
        for p in group.children().filter(|e| e.has_tag_name_of("p")) {
            let corners = corners(p)?;
            match tag {
                "triangles" => corners.chunks_exact(3).for_each(|face| polygons.push(face)),
                "polylist" => polylist(group, &corners, &mut polygons)?,
                "tristrips" => {
                    for (i, face) in corners.windows(3).enumerate() {
                        let (b, c) = if i % 2 == 0 { (1, 2) } else { (2, 1) };
                        polygons.push(&[face[0], face[b], face[c]]);
                    }
                }
                "trifans" => {
                    for pair in corners.windows(2).skip(1) {
                        polygons.push(&[corners[0], pair[0], pair[1]]);
                    }
                }
                _ => polygons.push(&corners),
            }
            soup.expect_faces(polygons.ends.len())
                .map_err(|e| e.at(place(p)))?;
        }
        if let Some(holed) = child(group, "ph") {
            let kind = MeshErrorKind::unsupported("a polygon with holes", "with triangles");
            return Err(kind.at(place(holed)));
        }
    }
    Ok(polygons)
}

/// How the corners of a group name their positions.
struct Input<'a> {
    /// The `source` of the positions.
    source: Element<'a>,
    /// Which number of a corner is that of its position.
    offset: usize,
    /// How many numbers a corner has.
    stride: usize,
}

/// The input of positions: that of `VERTEX` leads to `vertices`, whose `POSITION` leads to a
/// source.
fn position_input<'a>(
    group: Element<'a>,
    by_id: &ById<'a>,
) -> Result<Option<Input<'a>>, MeshError> {
    let mut found = None;
    let mut stride = 1;
    for input in group.children().filter(|e| e.has_tag_name_of("input")) {
        let offset = natural(input, "offset", 0)?;
        if offset > 1000 {
            let what = format!("an offset of {offset}; it is small");
            return Err(malformed(input, what));
        }
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            found = Some((input, offset));
        }
    }
    let Some((input, offset)) = found else {
        return Ok(None);
    };
    let vertices = target(by_id, input, "source")?;
    let is_position = |e: &Element| e.attribute("semantic") == Some("POSITION");
    let position = vertices.children().find(is_position);
    let position = position.ok_or_else(|| {
        let what = "`vertices` without an input of semantic `POSITION`; export the mesh again";
        malformed(vertices, what.to_owned())
    })?;
    let source = target(by_id, position, "source")?;
    Ok(Some(Input {
        source,
        offset,
        stride,
    }))
}

/// The positions of a `source`: what its accessor takes of its array.
fn positions<'a>(
    source: Element<'a>,
    by_id: &ById<'a>,
    soup: &Soup,
) -> Result<Vec<Vec3<f64>>, MeshError> {
    let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
    let (array, stride, offset) = match accessor {
        Some(accessor) => (
            target(by_id, accessor, "source")?,
            natural(accessor, "stride", 1)?,
            natural(accessor, "offset", 0)?,
        ),
        None => {
            let array = child(source, "float_array");
            let what = "a `source` without numbers; export the mesh again";
            (
                array.ok_or_else(|| malformed(source, what.to_owned()))?,
                3,
                0,
            )
        }
    };
    if stride < 3 {
        let what = format!("positions of {stride} numbers; they need three");
        return Err(malformed(source, what));
    }
    let text = content(array);
    let words = text.split_ascii_whitespace().count();
    soup.expect_vertices(words / 3)
        .map_err(|e| e.at(place(array)))?;
    let numbers: Result<Vec<f64>, _> = text.split_ascii_whitespace().map(number).collect();
    let numbers = numbers.map_err(|e| e.at(place(array)))?;
    let available = numbers.len().saturating_sub(offset);
    // The last position need not fill its stride.
    let available = available.saturating_add(stride - 3) / stride;
    let count = match accessor {
        Some(accessor) => natural(accessor, "count", available)?,
        None => available,
    };
    if count > available {
        let what = format!("{count} positions are stated, and there are {available}");
        return Err(malformed(source, what));
    }
    let position = |i: usize| {
        let at = offset + i * stride;
        Vec3::new(numbers[at], numbers[at + 1], numbers[at + 2])
    };
    Ok((0..count).map(position).collect())
}

/// The indices of the positions of the corners in a `p`.
fn corners(p: Element, input: &Input, first: usize, count: usize) -> Result<Vec<u32>, MeshError> {
    let text = content(p);
    let mut corners = Vec::new();
    let mut words = 0;
    for (i, word) in text.split_ascii_whitespace().enumerate() {
        words = i + 1;
        if i % input.stride != input.offset {
            continue;
        }
        let index: u32 = word.parse().map_err(|_| {
            let what = format!("`{}` is no index; it counts from zero", shortened(word));
            malformed(p, what)
        })?;
        if index as usize >= count {
            return Err(MeshErrorKind::bad_index("position", index, count).at(place(p)));
        }
        // Positions are fewer than 2³²: the soup's limit.
        corners.push(first as u32 + index);
    }
    match words % input.stride {
        0 => Ok(corners),
        _ => {
            let what = format!("{words} indices do not fill corners of {}", input.stride);
            Err(malformed(p, what))
        }
    }
}

/// Cuts corners into polygons of the numbers in `vcount`.
fn polylist(group: Element, corners: &[u32], polygons: &mut Polygons) -> Result<(), MeshError> {
    let counts = child(group, "vcount").map(content).unwrap_or_default();
    let mut rest = corners;
    for word in counts.split_ascii_whitespace() {
        let polygon = word
            .parse()
            .ok()
            .and_then(|count| rest.split_at_checked(count));
        let Some((polygon, others)) = polygon else {
            let what = format!(
                "`vcount` has a polygon of `{}` corners, and {} are left",
                shortened(word),
                rest.len()
            );
            return Err(malformed(group, what));
        };
        polygons.push(polygon);
        rest = others;
    }
    Ok(())
}

/// An attribute that counts.
fn natural(element: Element, name: &str, otherwise: usize) -> Result<usize, MeshError> {
    let Some(text) = element.attribute(name) else {
        return Ok(otherwise);
    };
    text.trim().parse().map_err(|_| {
        let what = format!("`{name}=\"{}\"` is no count", shortened(text));
        malformed(element, what)
    })
}

/// Names of elements without their namespace.
trait HasTag {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl HasTag for Element<'_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}
