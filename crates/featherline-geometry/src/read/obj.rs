//! Wavefront OBJ: the vertices and polygons of all groups. Normals, textures, materials, lines and
//! points have no part in the mesh. Vertices alone stand for their hull; lines do not.

use super::error::shortened;
use super::stl::three_numbers;
use super::{MeshError, MeshErrorKind, Place, Soup};

pub(super) fn read(bytes: &[u8], soup: &mut Soup) -> Result<(), MeshError> {
    // Names may be in any encoding.
    let text = String::from_utf8_lossy(bytes);
    let mut joined = String::new();
    let mut corners = Vec::new();
    let mut has_lines = false;
    for (i, line) in text.lines().enumerate() {
        let here = Place::Line(i + 1);
        // A backslash at the end continues the line.
        if let Some(part) = line.strip_suffix('\\') {
            joined.push_str(part);
            joined.push(' ');
            continue;
        }
        let line = match joined.is_empty() {
            true => line,
            false => {
                joined.push_str(line);
                &joined
            }
        };
        read_line(line, soup, &mut corners).map_err(|e| e.at(here))?;
        has_lines |= line.split_ascii_whitespace().next() == Some("l");
        joined.clear();
    }
    match soup.faces.is_empty() && has_lines {
        true => Err(MeshErrorKind::NoFaces.at(Place::File)),
        false => Ok(()),
    }
}

fn read_line(line: &str, soup: &mut Soup, corners: &mut Vec<u32>) -> Result<(), MeshErrorKind> {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("v") => soup.vertex(three_numbers(words)?),
        Some("f" | "fo") => {
            corners.clear();
            for word in words.take_while(|word| !word.starts_with('#')) {
                corners.push(corner(word, soup.vertices.len())?);
            }
            if corners.len() < 3 {
                let what = format!("a face of {} corners; it needs three", corners.len());
                return Err(MeshErrorKind::Malformed(what));
            }
            soup.polygon(corners)
        }
        Some(word @ ("o" | "g" | "l" | "p")) => {
            // MuJoCo takes a bare letter for nothing.
            if let Some(mujoco) = soup.mujoco.as_mut().filter(|_| line.trim_start().len() > 1) {
                match word {
                    "o" | "g" => mujoco.begin_group(word == "o"),
                    _ => mujoco.has_others = true,
                }
            }
            Ok(())
        }
        Some("surf" | "curv" | "cstype") => Err(MeshErrorKind::unsupported(
            "a free-form surface",
            "as polygons",
        )),
        _ => Ok(()),
    }
}

/// The vertex of a corner such as `3`, `3/1`, `3//2` or `-1/-1/-1`: from 1 on, or from the last.
fn corner(word: &str, count: usize) -> Result<u32, MeshErrorKind> {
    let first = word.split('/').next().unwrap_or_default();
    let index: i64 = first.parse().map_err(|_| {
        let what = format!(
            "`{}` is no corner of a face; write it as 3/1/2",
            shortened(word)
        );
        MeshErrorKind::Malformed(what)
    })?;
    let from_zero = match index {
        1.. => index - 1,
        _ => index.saturating_add(count as i64),
    };
    let exists = index != 0 && (0..count as i64).contains(&from_zero);
    match exists {
        // There are fewer vertices than 2³².
        true => Ok(from_zero as u32),
        false => Err(MeshErrorKind::bad_index("vertex", index, count)),
    }
}
